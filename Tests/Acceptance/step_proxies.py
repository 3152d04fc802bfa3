"""nginx and Caddy in front, with the configurations in Examples as they stand, over HTTP/2."""

import contextlib
import os
import re
import subprocess

from chromium import Browser
from harness import (
    ROOT,
    Process,
    Service,
    eventually,
    expect,
    expect_true,
    folder,
    run,
    step,
    take_a_network_of_our_own,
)

URL = "https://localhost:8443"
PROXIES = {
    "nginx.conf": lambda here: ["nginx", "-p", here, "-c", here / "nginx.conf"]
    + ["-e", "stderr", "-g", "daemon off;"],
    "Caddyfile": lambda here: ["caddy", "run", "--config", here / "Caddyfile"],
}


@contextlib.contextmanager
def proxied(example, *arguments, without="(?!)"):
    """A service on its usual port, and a proxy before it with an example's configuration.

    What matches the pattern `without` is left out of it.
    """
    take_a_network_of_our_own()
    with folder() as here, Service(*arguments, port=8080) as service:
        text = (ROOT / "Examples" / example).read_text()
        (here / example).write_text(re.sub(without, "", text))
        run(
            "openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-days", "2",
            "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", "tls.key", "-out", "tls.crt",
        )  # fmt: skip
        home = {**os.environ, "HOME": str(here), "XDG_DATA_HOME": str(here)}
        with Process(*PROXIES[example](here), env=home) as proxy:
            ready = lambda: subprocess.run([*curl("/livez"), "-f"], capture_output=True).returncode
            try:
                eventually(0, ready, "curl's exit status at the proxy")
            except AssertionError as error:
                raise AssertionError(f"{error}\nthe proxy says: {proxy.lines[-20:]}")
            yield service


def curl(path, *options):
    """A curl command for the proxy."""
    return ["curl", "-sSN", "--http2", "--cacert", "tls.crt", *options, URL + path]


def events_pass(example):
    """A fix that nothing follows arrives, and a client's close reaches the silent source."""
    silent = ["sim:?interval=1h", "--warm-up", "0s", "--heartbeat", "0s", "--linger", "0s"]
    with proxied(example, *silent) as service:
        done = run(*curl("/v1/locations?limit=1", "-w", "%{stderr}HTTP/%{http_version}"))
        expect_true("\ndata: {" in done.stdout, "a fix", done.stdout)
        expect(done.stderr, "HTTP/2", "the version of HTTP in front")
        client = subprocess.Popen(curl("/v1/locations"), stdout=subprocess.PIPE, text=True)
        for line in client.stdout:
            if line.startswith("data: {"):
                break
        subscribers = lambda: service.device("demo")["subscribers"]
        expect(subscribers(), 1, "subscribers while the client reads")
        client.kill()
        client.wait()
        eventually(0, subscribers, "subscribers after the client was killed")


def heartbeats_pass(example, without="(?!)"):
    """What keeps a silent stream alive is a few bytes, and nobody on the way waits for more."""
    silent = ["sim:?ttff=1h", "--warm-up", "0s", "--heartbeat", "1s"]
    with proxied(example, *silent, without=without):
        client = subprocess.Popen(curl("/v1/locations"), stdout=subprocess.PIPE, text=True)
        beats = 0
        for line in client.stdout:
            beats += line == ":\n"
            if beats == 3:
                break
        client.kill()
        client.wait()
        expect(beats, 3, "heartbeats through the proxy")


def browser_holds_many(example):
    """Eight streams of one page: over HTTP/1.1 the seventh would wait."""
    with proxied(example, "sim:?interval=100ms") as service:
        with Browser("--ignore-certificate-errors") as browser:
            page = browser.open(f"{URL}/livez")
            page.evaluate(
                "counts = Array(8).fill(0); sources = counts.map((_, number) => {"
                " const source = new EventSource('/v1/locations');"
                " source.onmessage = () => { counts[number] += 1; };"
                " return source; }); 0"
            )
            fewest = lambda: page.evaluate("Math.min(...counts)")
            eventually(lambda count: count >= 3, fewest, "fixes on each of eight streams")
            expect(service.device("demo")["subscribers"], 8, "subscribers")
            page.evaluate("sources.forEach(source => source.close())")
            eventually(0, lambda: service.device("demo")["subscribers"], "subscribers after close")


@step("nginx passes each event at once, and a client's close")
def nginx():
    events_pass("nginx.conf")


@step("Caddy passes each event at once, and a client's close")
def caddy():
    events_pass("Caddyfile")


@step("an nginx that is told nothing about streams passes a heartbeat of a few bytes")
def nginx_heartbeat():
    # By default it speaks HTTP/1.0 to the service and gathers what comes.
    heartbeats_pass("nginx.conf", without="proxy_(http_version|set_header|read_timeout) .*;")


@step("Caddy passes a heartbeat of a few bytes")
def caddy_heartbeat():
    heartbeats_pass("Caddyfile")


@step("a browser holds eight streams through nginx")
def nginx_browser():
    browser_holds_many("nginx.conf")


@step("a browser holds eight streams through Caddy")
def caddy_browser():
    browser_holds_many("Caddyfile")
