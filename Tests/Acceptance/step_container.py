"""The image: built from the Dockerfile, run by docker or the tool that CONTAINER_TOOL names."""

import json
import os
import pathlib
import signal
import time

import yaml

from harness import (
    ROOT,
    EventReader,
    Process,
    eventually,
    expect,
    expect_true,
    free_port,
    get,
    run,
    step,
)

TOOL = os.environ.get("CONTAINER_TOOL") or pathlib.Path(__file__).with_name("docker")
TAG = "fixcast-acceptance"


class Container(Process):
    """The image as a running container, on a port of its own, with at most one mounted folder."""

    def __init__(self, *arguments, volume=""):
        self.name = f"fixcast-{os.getpid()}-{time.monotonic_ns()}"
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        settings = {"E_FIXCAST_LISTEN": f"0.0.0.0:{port}", "VOLUME": volume}
        super().__init__(
            TOOL, "run", TAG, self.name, *arguments, env={**os.environ, **settings}
        )
        try:
            self.wait_for_line("listening on http")
        except AssertionError:
            self.__exit__()
            raise

    def send(self, number):
        run(TOOL, "signal", self.name, signal.Signals(number).name.removeprefix("SIG"))

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.send(signal.SIGKILL)
            self.child.wait(20)


@step("the Dockerfile builds an image that runs as a user without rights", seconds=900)
def build():
    run(TOOL, "build", ROOT, TAG, timeout=890)
    config = json.loads(run(TOOL, "config", TAG).stdout)
    expect(config["User"], "10001:10001", "the image's user")
    expect(config["Entrypoint"], ["/usr/local/bin/fixcast"], "the image's entry point")
    expect(config["Cmd"], ["serve"], "the image's command")
    listens = [entry for entry in config["Env"] if entry.startswith("FIXCAST_LISTEN=")]
    expect(listens, ["FIXCAST_LISTEN=0.0.0.0:8080"], "the address in the image's environment")
    expect(config["StopSignal"], "SIGTERM", "the image's stop signal")


@step("the container streams, is healthy by its own HEALTHCHECK, and ends within 2 s", seconds=180)
def streams():
    times = []
    while not times or (min(times) >= 2 and len(times) < 3):
        with Container() as container:
            with EventReader(container.url) as stream:
                expect(stream.fixes(2)[0]["device"], "demo", "the device of the image's command")
            run(TOOL, "health", TAG, container.name)
            count = lambda: get(f"{container.url}/livez").json()["streams"]
            eventually(0, count, "streams after the client left")
            told = time.monotonic()
            container.send(signal.SIGTERM)
            expect(container.wait(), 0, "the container's exit status")
            times.append(time.monotonic() - told)
    expect_true(min(times) < 2, "an end within 2 s of SIGTERM", times)


@step("compose.yaml serves a track mounted into the container", seconds=120)
def compose():
    service = yaml.safe_load((ROOT / "Examples/compose.yaml").read_text())["services"]["fixcast"]
    expect((ROOT / "Examples" / service["build"]).resolve(), ROOT, "the folder it builds")
    source, inside, mode = service["volumes"][0].split(":")
    folder = (ROOT / "Examples" / source).resolve()
    expect(mode, "ro", "how the folder is mounted")
    with Container(*service["command"], volume=f"{folder}:{inside}") as container:
        devices = get(f"{container.url}/v1/devices").json()["devices"]
        expect([device["device"] for device in devices], ["walk", "demo"], "the devices")
        with EventReader(container.url, "/v1/locations?device=walk") as stream:
            expect(stream.fixes(2)[0]["origin"], "replayed", "the origin of the walk")
