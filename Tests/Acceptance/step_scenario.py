"""A track served from the first client to the last, and what refuses to start."""

import datetime
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import time

from harness import (
    BINARY,
    ROOT,
    TRACK,
    EventReader,
    Service,
    eventually,
    expect,
    expect_true,
    folder,
    free_port,
    get,
    run,
    step,
)


def points(path):
    """The latitude, longitude and time of every point of a GPX track, in the file's order."""
    pattern = r'<trkpt lat="([^"]+)" lon="([^"]+)">.*?<time>([^<]+)</time>'
    found = re.findall(pattern, path.read_text(), re.DOTALL)
    return [(float(latitude), float(longitude), time) for latitude, longitude, time in found]


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def sequence(fix):
    return int(fix["id"].rsplit("-", 1)[1])


@step("a track is served point by point: the file's positions and times, ids growing by one")
def track():
    wanted = points(TRACK)
    with Service(f"car={TRACK}?rate=20") as service:
        with EventReader(service.url) as stream:
            before = datetime.datetime.now(datetime.timezone.utc)
            fixes = stream.fixes(40)
    for number, (fix, (latitude, longitude, recorded)) in enumerate(zip(fixes, wanted)):
        what = f"of fix {number}"
        expect(sequence(fix), sequence(fixes[0]) + number, f"the id {what}")
        expect(round(fix["latitude"] - latitude, 7), 0, f"degrees beside the latitude {what}")
        expect(round(fix["longitude"] - longitude, 7), 0, f"degrees beside the longitude {what}")
        expect(instant(fix["recordedAt"]), instant(recorded), f"recordedAt {what}")
        expect((fix["device"], fix["origin"], fix["lap"]), ("car", "replayed", 0), f"whose {what}")
    late = (instant(fixes[0]["timestamp"]) - before).total_seconds()
    expect_true(abs(late) < 5, "a timestamp of now", fixes[0]["timestamp"])


@step("Scripts/run some.gpx builds and serves that track from any folder", seconds=600)
def script():
    with folder() as here:
        shutil.copy(TRACK, here / "some.gpx")
        with Service("some.gpx", program=[ROOT / "Scripts/run"]) as service:
            with EventReader(service.url) as stream:
                expect(stream.fixes(1)[0]["device"], "some", "the device of some.gpx")


@step("it listens on IPv6, and takes its sources from the environment")
def environment():
    sources = {**os.environ, "FIXCAST_SOURCES": "a=sim: b=sim:?seed=7"}
    with Service(host="[::1]", env=sources) as service:
        devices = [device["device"] for device in service.json("/v1/devices")["devices"]]
        expect(devices, ["a", "b"], "the devices of FIXCAST_SOURCES")
        done = run("curl", "-sSN", "-g", f"{service.url}/v1/locations?limit=1")
        expect(done.stdout.count("data: {"), 1, "fixes over IPv6")


@step("headers and a comment arrive in under 50 ms, also from a source that is silent")
def first_bytes():
    with Service("sim:?ttff=1h", "--warm-up", "0s") as service:
        times = []
        for _ in range(20):
            with EventReader(service.url) as stream:
                fields = next(stream.events())
                times.append(time.monotonic() - stream.opened)
                expect(sorted(fields), ["comment", "retry"], "the stream's first fields")
    # The least of many: another load on the machine slows some of them, never all.
    expect_true(min(times) < 0.05, "first bytes in under 0.05 s", min(times))


@step("a source starts with its first client, is shared, lingers and starts again")
def shared():
    def state(wanted):
        return eventually(wanted, lambda: service.device("car")["state"], "the state of car")

    def curl():
        return subprocess.Popen(
            ["curl", "-sN", f"{service.url}/v1/locations"], stdout=subprocess.DEVNULL
        )

    def subscribers(wanted):
        eventually(wanted, lambda: service.device("car")["subscribers"], "subscribers of car")

    with Service(f"car={TRACK}?rate=20", "--linger", "1s") as service:
        expect(service.device("car")["runs"], 0, "runs before the first client")
        state("idle")
        first = curl()
        state("running")
        expect(service.device("car")["runs"], 1, "runs with one client")
        second = curl()
        subscribers(2)
        device = service.device("car")
        expect((device["state"], device["runs"]), ("running", 1), "the source with two clients")
        for client in (first, second):
            client.send_signal(signal.SIGKILL)
        state("lingering")
        subscribers(0)
        state("idle")
        expect(service.device("car")["runs"], 1, "runs after the last client left")
        with EventReader(service.url) as stream:
            stream.fixes(1)
            expect(service.device("car")["runs"], 2, "runs with a client after a pause")


@step("SIGTERM ends streams so that curl exits with 0, and a restart on the port works at once")
def restart():
    port = 0
    for _ in range(3):
        with Service("sim:", "--drain", "500ms", port=port) as service:
            port = service.port
            client = subprocess.Popen(
                ["curl", "-sN", f"{service.url}/v1/locations"], stdout=subprocess.PIPE
            )
            expect_true(client.stdout.readline().startswith(b"retry:"), "a retry first", "no retry")
            service.send(signal.SIGTERM)
            expect(client.wait(20), 0, "curl's exit status")
            expect(service.wait(), 0, "the service's exit status")


def refuse(arguments, status, *words, command="serve", prefix=()):
    """Expects one sentence on stderr that holds the words, nothing on stdout, and the status."""
    done = run(*prefix, BINARY, command, *arguments, status=status, timeout=20)
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    expect_true(len(lines) == 1, f"one line on stderr for {arguments}", done.stderr)
    for word in words:
        expect_true(word in lines[0], f"{word!r} named for {arguments}", lines[0])
    expect(done.stdout, "", f"stdout for {arguments}")


@step("a source that cannot be read is refused with one sentence and status 1")
def unreadable():
    with folder() as here:
        (here / "empty").mkdir()
        (here / "no-points.gpx").write_text('<?xml version="1.0"?><gpx version="1.1"></gpx>\n')
        (here / "locked.gpx").write_text(TRACK.read_text())
        (here / "locked.gpx").chmod(0)
        os.mkfifo(here / "pipe.gpx")
        # Root may read everything until it gives that up.
        bound = "--bounding-set=-dac_override,-dac_read_search"
        prefix = ["setpriv", bound] if os.geteuid() == 0 else []
        refuse(["absent.gpx"], 1, "absent.gpx")
        refuse(["locked.gpx"], 1, "locked.gpx", prefix=prefix)
        refuse(["pipe.gpx"], 1, "pipe.gpx")
        refuse(["empty"], 1, "empty")
        refuse(["no-points.gpx"], 1, "no-points.gpx")


@step("wrong usage is refused with one sentence and status 2")
def usage():
    refuse(["--nonsense"], 2, "--nonsense")
    refuse(["--linger", "soon"], 2, "linger", "soon")
    refuse(["sim:?nonsense=1"], 2, "nonsense")
    refuse(["sim:?interval=never"], 2, "interval", "never")
    refuse([f"{TRACK}?rate=-1"], 2, "rate", "-1")
    refuse(["a=sim:", "a=sim:"], 2, "a")
    refuse(["--listen", "nowhere"], 2, "nowhere")


@step("a port in use is refused with one sentence and status 1")
def port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refuse(["sim:", "--listen", f"127.0.0.1:{port}"], 1, str(port))


@step("a closed stderr, a full disk under it and a reader that has gone end nothing")
def lost_log():
    for redirection in ("2>&-", "2>/dev/full", "2> >(exit 0)"):
        port = free_port()
        command = f'exec "$0" serve sim: --listen 127.0.0.1:{port} {redirection}'
        service = subprocess.Popen(["bash", "-c", command, BINARY])
        try:
            url = f"http://127.0.0.1:{port}"
            eventually(200, lambda: status_or_none(f"{url}/livez"), f"/livez with {redirection}")
            with EventReader(url) as stream:
                stream.fixes(2)
            service.terminate()
            expect(service.wait(20), 0, f"exit status with {redirection}")
        finally:
            service.kill()


def status_or_none(url):
    try:
        return get(url).status
    except OSError:
        return None


@step("healthcheck asks the service of its environment, and exits with 0 or 1")
def healthcheck():
    with Service("sim:") as service:
        listen = {**os.environ, "FIXCAST_LISTEN": f"127.0.0.1:{service.port}"}
        run(BINARY, "healthcheck", env=listen)
        run(BINARY, "healthcheck", f"{service.url}/readyz")
    run(BINARY, "healthcheck", f"{service.url}/livez", status=1)


@step("when descriptors have run out, streams go on and health answers")
def no_descriptors():
    few = (80, 80)
    with Service("sim:", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few)) as s:
        with EventReader(s.url) as stream:
            stream.fixes(1)
            clients = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(200)]
            health = lambda: [status_or_none(f"{s.url}/livez") for _ in range(10)]
            eventually([200] * 10, health, "/livez beside the silent")
            # Refused ones, which the service reads on from for a while, hold descriptors too.
            for _ in range(5):
                for _ in range(60):
                    client = socket.create_connection(("127.0.0.1", s.port))
                    client.sendall(b"?\r\n\r\n")
                    clients.append(client)
                expect(health(), [200] * 10, "/livez beside the refused")
            stream.fixes(1)
            for client in clients:
                client.close()
