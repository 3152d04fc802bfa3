"""What the acceptance steps share: a registry of steps, the service as a process, small clients."""

import contextlib
import ctypes
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FIXCAST_BINARY", ROOT / ".build/release/fixcast"))
TRACK = ROOT / "Examples/track.gpx"

STEPS = []
# Whether the long runs are asked for; set before the files with steps are imported.
FULL = False


def step(sentence, seconds=60):
    """Registers a function as a step: a sentence of behaviour, and when it has taken too long."""

    def register(function):
        STEPS.append((sentence, seconds, function))
        return function

    return register


def expect(value, wanted, what):
    """Fails with what was expected and what came unless both are equal."""
    if value != wanted:
        raise AssertionError(f"{what}: expected {wanted!r}, got {value!r}")


def expect_true(condition, what, came):
    """Fails with a sentence of what was expected, and what came, unless the condition holds."""
    if not condition:
        raise AssertionError(f"expected {what}, got {came!r}")


def eventually(wanted, read, what, seconds=20.0):
    """Reads until the value is the wanted one (or satisfies it, if callable); returns it."""
    deadline = time.monotonic() + seconds
    matches = wanted if callable(wanted) else lambda value: value == wanted
    while True:
        value = read()
        if matches(value):
            return value
        if time.monotonic() > deadline:
            goal = "another value" if callable(wanted) else repr(wanted)
            raise AssertionError(f"{what}: expected {goal} within {seconds} s, still {value!r}")
        time.sleep(0.02)


def run(*command, status=0, **options):
    """Runs a command to its end; fails with its output unless it ends with the status."""
    command = [str(part) for part in command]
    options = {"timeout": 30, "stdin": subprocess.DEVNULL, **options}
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != status:
        raise AssertionError(
            f"{' '.join(command)}: expected exit status {status}, got {done.returncode}"
            f"\nstdout: {done.stdout[-4000:]}\nstderr: {done.stderr[-4000:]}"
        )
    return done


def free_port():
    """A port that was free a moment ago, for programs that cannot be asked which one they took."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A child that is ended when the `with` block is left, with its stderr at hand."""

    def __init__(self, *command, stdout=subprocess.DEVNULL, **options):
        self.command = [str(part) for part in command]
        self.lines = []
        self.new_line = threading.Condition()
        self.child = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            **options,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stderr:
            with self.new_line:
                self.lines.append(line.rstrip("\n"))
                self.new_line.notify_all()

    def wait_for_line(self, text, seconds=30.0):
        """The first line on stderr that holds the text."""
        deadline = time.monotonic() + seconds
        with self.new_line:
            while True:
                for line in self.lines:
                    if text in line:
                        return line
                left = deadline - time.monotonic()
                if left <= 0 or self.child.poll() is not None and not self.new_line.wait(0.5):
                    raise AssertionError(
                        f"expected a line with {text!r} on stderr of {self.command},"
                        f" got {self.lines[-20:]} and exit status {self.child.poll()}"
                    )
                self.new_line.wait(min(left, 0.5))

    def send(self, number):
        self.child.send_signal(number)

    def wait(self, seconds=20.0):
        return self.child.wait(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()


class Service(Process):
    """`fixcast serve` on a port of its own, ready when the constructor returns."""

    def __init__(self, *arguments, port=0, host="127.0.0.1", program=(BINARY, "serve"), **options):
        super().__init__(*program, *arguments, "--listen", f"{host}:{port}", **options)
        try:
            line = self.wait_for_line("listening on http", seconds=300)
            self.url = line.split("listening on ")[1].strip()
        except AssertionError:
            self.__exit__()
            raise
        self.port = int(self.url.rsplit(":", 1)[1])

    def get(self, path, headers=None, method="GET"):
        return get(self.url + path, headers, method)

    def json(self, path):
        return self.get(path).json()

    def device(self, name):
        devices = {device["device"]: device for device in self.json("/v1/devices")["devices"]}
        return devices[name]


class Answer:
    """A finite answer: status, headers by lower-case name, body."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    def json(self):
        return json.loads(self.body)


def get(url, headers=None, method="GET"):
    """One request; every status is an answer, none an exception."""
    request = urllib.request.Request(url, headers=headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return Answer(response.status, response.getheaders(), response.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers.items(), error.read())


class EventReader:
    """An event stream over a raw socket: knows when bytes came, and how the stream ended."""

    def __init__(self, url, path="/v1/locations", headers=None):
        host, port = url.removeprefix("http://").rsplit(":", 1)
        self.opened = time.monotonic()
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Accept: text/event-stream"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.raw = self.socket.makefile("rb")
        status = self.raw.readline().decode()
        self.status = int(status.split(" ")[1])
        self.headers = {}
        while (line := self.raw.readline().decode().strip()) != "":
            name, value = line.split(":", 1)
            self.headers[name.lower()] = value.strip()
        self.headers_after = time.monotonic() - self.opened
        self.pending = b""
        self.ended = False

    def _fill(self):
        if "content-length" in self.headers:
            self.pending += self.raw.read(int(self.headers["content-length"]))
            self.ended = True
            return
        size = int(self.raw.readline(), 16)
        self.pending += self.raw.read(size)
        self.raw.readline()
        self.ended = size == 0

    def lines(self):
        """The body's lines as they come, without their ends, until the body's clean end."""
        while True:
            while b"\n" not in self.pending and not self.ended:
                self._fill()
            if b"\n" not in self.pending:
                return
            line, self.pending = self.pending.split(b"\n", 1)
            yield line.decode()

    def events(self):
        """Events as dictionaries of their fields; a comment block is one with only `comment`."""
        fields = {}
        for line in self.lines():
            if line == "":
                if fields:
                    yield fields
                fields = {}
            elif line.startswith(":"):
                fields["comment"] = line[1:].strip()
            else:
                name, _, value = line.partition(":")
                fields[name] = value.removeprefix(" ")

    def fixes(self, count):
        """The next fixes, as the JSON of unnamed events."""
        found = []
        for event in self.events():
            if "data" in event and "event" not in event:
                found.append(json.loads(event["data"]))
                expect(event.get("id"), found[-1]["id"], "the event's id, beside the fix's")
            if len(found) == count:
                return found
        raise AssertionError(f"expected {count} fixes, the stream ended after {len(found)}")

    def close(self):
        self.socket.close()
        self.raw.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@contextlib.contextmanager
def folder():
    """A temporary folder, which is the working directory inside the `with` block."""
    with tempfile.TemporaryDirectory(prefix="fixcast-") as path:
        before = os.getcwd()
        os.chdir(path)
        try:
            yield pathlib.Path(path)
        finally:
            os.chdir(before)


def take_a_network_of_our_own():
    """Puts this process into a network with nothing but a loopback, where every port is free.

    What is tried with the ports its example names can then run beside anything else.
    """
    new_network, new_user = 0x40000000, 0x10000000
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(new_network | (0 if user == 0 else new_user)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"a network namespace: {os.strerror(number)}")
    if user != 0:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    run("ip", "link", "set", "lo", "up")


def end_everything_below(pid):
    """Kills every descendant of a process that is not this one's own thread of work."""
    while True:
        children = [
            int(entry)
            for entry in os.listdir("/proc")
            if entry.isdigit() and parent_of(entry) == pid
        ]
        if not children:
            return
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def parent_of(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(")")[2].split()[1])
