"""What long streams, churn and the end do to the process: memory, sockets, descriptors."""

import contextlib
import datetime
import os
import pathlib
import re
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time

from harness import (
    BINARY, EventReader, Process, Service, eventually, expect, expect_true, folder, run, step,
)

HERE = pathlib.Path(__file__).parent


def ask(service, path="/v1/locations", receive_buffer=None, method="GET"):
    """A connection that has asked and reads nothing."""
    client = socket.socket()
    if receive_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.connect(("127.0.0.1", service.port))
    client.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return client


def metric(service, name):
    return int(re.search(rf"^{name} (\d+)$", service.get("/metrics").body.decode(), re.M)[1])


@contextlib.contextmanager
def reading(clients):
    """A thread that takes whatever comes for these clients."""
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client, selectors.EVENT_READ)
    over = threading.Event()

    def read():
        while not over.is_set():
            for key, _ in selector.select(0.1):
                key.fileobj.recv(1 << 20)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def fast_track():
    """A track that is long enough for 10,000 fixes a second."""
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    with folder() as here:
        lines = ["time,latitude,longitude"]
        for number in range(20_000):
            time = start + datetime.timedelta(seconds=number)
            lines.append(f"{time:%Y-%m-%dT%H:%M:%SZ},{46 + number / 1e5:.5f},7.5")
        (here / "track.csv").write_text("\n".join(lines) + "\n")
        yield "track.csv?rate=max"


@step("a million events to streams that stay do not make the process larger", seconds=420)
def deliveries():
    options = ["--history", "64", "--stream-queue", "1024"]
    with fast_track() as track, Service(track, *options) as service:
        status = pathlib.Path(f"/proc/{service.child.pid}/status")
        resident = lambda: int(re.search(r"VmRSS:\s+(\d+)", status.read_text())[1])
        delivered = lambda: metric(service, "fixcast_stream_events_total")
        clients = [ask(service) for _ in range(10)]
        with reading(clients):
            eventually(lambda count: count > 200_000, delivered, "events", seconds=120)
            before = resident()
            eventually(lambda count: count > 1_200_000, delivered, "events", seconds=240)
            grown = resident() - before
        expect(service.device("track")["subscribers"], 10, "streams that have stayed")
        expect_true(grown < 4096, "less than 4 bytes more for each event, in KiB", grown)
        for client in clients:
            client.close()


def most_memory(path):
    """The most memory in KiB that decoding a track takes."""
    child = subprocess.Popen(
        [BINARY, "decode", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    expect(os.waitstatus_to_exitcode(status), 0, "exit status of decode")
    return usage.ru_maxrss


@step("the memory that reading a track takes does not grow with the file", seconds=240)
def long_tracks():
    formats = {
        "gpx": '<trkpt lat="{1:.6f}" lon="7.5"><time>{0:%Y-%m-%dT%H:%M:%SZ}</time></trkpt>\n',
        "csv": "{0:%Y-%m-%dT%H:%M:%SZ},{1:.6f},7.5\n",
        "ndjson": '{{"time":"{0:%Y-%m-%dT%H:%M:%SZ}","lat":{1:.6f},"lon":7.5}}\n',
        "nmea": "$GPRMC,{0:%H%M%S},A,4630.0,N,00730.0,E,1.0,9.0,{0:%d%m%y},,,A\n",
    }
    heads = {"gpx": "<gpx><trk><trkseg>\n", "csv": "time,lat,lon\n"}
    start = datetime.datetime(2026, 1, 1)
    with folder() as here:
        for name, line in formats.items():
            taken = []
            for count in [20_000, 400_000]:
                track = here / f"{count}.{name}"
                with track.open("w") as file:
                    file.write(heads.get(name, ""))
                    for number in range(count):
                        time = start + datetime.timedelta(seconds=number)
                        file.write(line.format(time, 46 + number / 1e6))
                    file.write("</trkseg></trk></gpx>\n" if name == "gpx" else "")
                taken.append(most_memory(track))
                track.unlink()
            grown = taken[1] - taken[0]
            expect_true(grown < 4096, f"less than 10 bytes more a point of {name}, in KiB", grown)


def held_sockets(service):
    """How many connections to its port the service holds, in whatever state."""
    process = pathlib.Path(f"/proc/{service.child.pid}")
    held = set()
    for entry in (process / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            held.add(os.readlink(entry))
    lines = [line.split() for line in (process / "net/tcp").read_text().splitlines()[1:]]
    listening = "0A"
    return sum(
        line[1].endswith(f":{service.port:04X}")
        and line[3] != listening
        and f"socket:[{line[9]}]" in held
        for line in lines
    )


def leave(client, manner):
    if manner == "reset":
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if manner == "half-close":
        client.shutdown(socket.SHUT_WR)
    client.close()


@step("the streams that /metrics counts are the sockets that are open, whoever came and went")
def gauge():
    with Service("sim:?interval=1h", "--linger", "0s") as service:
        counts = lambda: (
            metric(service, "fixcast_streams"),
            service.device("demo")["subscribers"],
            held_sockets(service),
        )
        stay = [ask(service) for _ in range(50)]
        for number in range(500):
            manner = ("close", "reset", "half-close")[number % 3]
            path = ("/v1/locations", "/v1/locations?limit=1", "/v1/locations/latest?wait=20s")
            client = ask(service, path[number % 4 % 3], method=("GET", "HEAD")[number % 5 // 4])
            if number % 2:
                client.recv(1)
            leave(client, manner)
        eventually((50, 50, 50), counts, "streams, subscribers and sockets beside those that left")
        for client in stay:
            client.close()
        eventually((0, 0, 0), counts, "streams, subscribers and sockets after all have left")


@step("SIGTERM ends it within docker's 10 s beside clients that are idle, stalled or say nothing")
def end_beside_anybody():
    options = ["quiet=sim:?ttff=1h", "--stall-timeout", "10m"]
    with fast_track() as track, Service(track, *options) as service:
        idle = [EventReader(service.url, "/v1/locations?device=quiet") for _ in range(20)]
        stalled = [ask(service, "/v1/locations?device=track", 4096) for _ in range(20)]
        silent = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(20)]
        for client in silent[::2]:
            client.sendall(b"GET /v1/loc")
        waiting = [ask(service, "/v1/locations/latest?device=quiet&wait=30s") for _ in range(5)]
        eventually(40 + len(waiting), lambda: metric(service, "fixcast_streams"), "streams")
        skipped = lambda: metric(service, "fixcast_events_skipped_total")
        eventually(lambda count: count > 20_000, skipped, "events that the stalled have missed")
        told = time.monotonic()
        service.send(signal.SIGTERM)
        expect(service.wait(), 0, "the exit status")
        took = time.monotonic() - told
        expect_true(took < 10, "an end within 10 s of SIGTERM", took)
        for stream in idle:
            events = [event for event in stream.events() if "event" in event]
            expect(events[-1]["event"], "bye", "the last event of an idle stream")
        for client in (*stalled, *silent, *waiting):
            client.close()


@step("no descriptor is closed twice, from the first listener to the last")
def closed_once():
    with folder() as here:
        shim = here / "close_once.so"
        run("clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", shim, HERE / "close_once.c")
        environment = {**os.environ, "LD_PRELOAD": str(shim)}
        sources = ["demo=sim:?interval=10ms", "quiet=sim:?ttff=1h"]
        wait = "/v1/locations/latest?device=quiet&wait=30s"
        more = ["--listen", "127.0.0.1:0", "--listen", "[::1]:0", "--drain", "100ms"]
        for _ in range(5):
            with Service(*sources, *more, env=environment) as service:
                clients = [ask(service) for _ in range(20)]
                clients += [ask(service, path) for path in ("/nothing", "*", wait)]
                clients.append(ask(service, method="HEAD"))
                for number, client in enumerate(clients[:9]):
                    leave(client, ("close", "reset", "half-close")[number % 3])
                eventually(12, lambda: metric(service, "fixcast_streams"), "streams and waits")
                service.send(signal.SIGTERM)
                expect(service.wait(), 0, "the exit status")
                for client in clients[9:]:
                    client.close()


@step("SIGTERM while large tracks are looked through ends the first process of a container too")
def early_end():
    handled = 1 << (signal.SIGTERM - 1)
    with folder() as here:
        with open(here / "large.csv", "w") as track:
            track.write("device,time,latitude,longitude\n")
            for number in range(1_500_000):
                track.write(f"{number % 2},{1.7e9 + number:.0f},46.{number % 1000:03},7.5\n")
        command = [BINARY, "serve", here / "large.csv", "--listen", "127.0.0.1:0"]
        first = ["unshare", "--pid", "--fork", "--kill-child"]
        # Not everybody may make a space of processes.
        may_be_first = subprocess.run([*first, "true"], stderr=subprocess.DEVNULL).returncode == 0
        for prefix in [[], first] if may_be_first else [[]]:
            with Process(*prefix, *command) as process:
                number = process.child.pid
                if prefix:
                    children = pathlib.Path(f"/proc/{number}/task/{number}/children")
                    number = int(eventually(bool, children.read_text, "the process in its space"))
                status = pathlib.Path(f"/proc/{number}/status")
                masks = lambda: re.findall(r"Sig(?:Blk|Ign|Cgt):\s+(\w+)", status.read_text())
                is_handled = lambda masks: any(int(mask, 16) & handled for mask in masks)
                eventually(is_handled, masks, "a handler of SIGTERM")
                os.kill(number, signal.SIGTERM)
                expect(process.wait(5), 0, "the exit status")
                expect_true(not process.lines, "no word of listening", process.lines)
