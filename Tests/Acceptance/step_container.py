"""The image: built from the Dockerfile, run by docker or the tool that CONTAINER_TOOL names."""

import json
import os
import pathlib

from harness import ROOT, expect, run, step

TOOL = os.environ.get("CONTAINER_TOOL") or pathlib.Path(__file__).with_name("docker")
TAG = "fixcast-acceptance"


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
