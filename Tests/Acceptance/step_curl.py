"""The HTTP surface as curl and plain clients see it."""

import json
import subprocess
import time

from harness import TRACK, EventReader, Service, eventually, expect, expect_true, run, step

FINITE = ["/v1/locations/latest", "/v1/locations/history", "/v1/devices", "/v1/devices/demo"]
FINITE += ["/livez", "/readyz", "/healthz", "/metrics"]


@step("curl -N gets a stream that ends cleanly after limit= fixes")
def limit():
    with Service("sim:?interval=100ms") as service:
        done = run("curl", "-sSN", "-D", "/dev/stderr", f"{service.url}/v1/locations?limit=3")
        head = done.stderr.lower()
        for header in (
            "content-type: text/event-stream; charset=utf-8",
            "cache-control: no-store, no-transform",
            "x-accel-buffering: no",
            "x-content-type-options: nosniff",
            "server: fixcast/",
        ):
            expect_true(header in head, f"the header {header!r}", head)
        expect(done.stdout.count("\ndata: {"), 3, "the number of fixes")
        expect_true(done.stdout.startswith("retry: "), "a retry first", done.stdout[:80])


@step("HEAD gives the headers of GET, no body, and a connection that can be used again")
def head():
    with Service("sim:") as service:
        for path in ["/v1/locations", *FINITE]:
            answer = service.get(path, method="HEAD")
            expect((answer.status, answer.body), (200, b""), f"HEAD {path}")
        # curl says so when bytes follow a HEAD's header block.
        urls = [service.url + path for path in ["/v1/locations", *FINITE]]
        done = run("curl", "-sv", "--head", *urls)
        expect_true("xcess found" not in done.stderr, "nothing after the headers", done.stderr)


@step("an unknown path is 404 and another method 405 with Allow, as problem+json")
def problems():
    with Service("sim:") as service:
        answer = service.get("/v1/nothing")
        expect(answer.status, 404, "the status of an unknown path")
        expect_problem(answer)
        for path in ["/v1/locations", *FINITE]:
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                answer = service.get(path, method=method)
                expect(answer.status, 405, f"the status of {method} {path}")
                allowed = {name.strip() for name in answer.headers["allow"].split(",")}
                expect(allowed, {"GET", "HEAD", "OPTIONS"}, f"Allow of {method} {path}")
                expect_problem(answer)
            answer = service.get(path, method="OPTIONS")
            expect_true(answer.status in (200, 204), f"OPTIONS {path} to work", answer.status)


@step("a wrong parameter, device or Accept gets 400, 404 or 406 that names it")
def parameters():
    with Service("sim:") as service:
        for path, status, parameter in [
            ("/v1/locations?limit=0", 400, "limit"),
            ("/v1/locations?limit=x", 400, "limit"),
            ("/v1/locations?colour=red", 400, "colour"),
            ("/v1/locations?device=nobody", 404, "device"),
            ("/v1/devices?colour=red", 400, "colour"),
        ]:
            answer = service.get(path, {"Accept": "text/event-stream, application/json"})
            expect(answer.status, status, f"the status of {path}")
            expect(expect_problem(answer).get("parameter"), parameter, f"the parameter of {path}")
        answer = service.get("/v1/locations", {"Accept": "image/png"})
        expect(answer.status, 406, "the status with Accept: image/png")
        expect_problem(answer)


def expect_problem(answer):
    expect(answer.headers.get("content-type"), "application/problem+json", "the error's type")
    problem = answer.json()
    for key in ("type", "title", "status", "detail"):
        expect_true(key in problem, f"a problem with {key}", problem)
    expect(problem["status"], answer.status, "the status inside the problem")
    return problem


@step("an HTTP/1.0 client gets the same stream, ended by the close")
def old_http():
    with Service("sim:?interval=100ms") as service:
        done = run("curl", "-sSN", "--http1.0", f"{service.url}/v1/locations?limit=2")
        expect(done.stdout.count("\ndata: {"), 2, "the number of fixes")


@step("application/x-ndjson gives the same fixes, one JSON object a line")
def lines():
    with Service("sim:?interval=100ms") as service:
        accept = ["-H", "Accept: application/x-ndjson"]
        done = run("curl", "-sSN", *accept, f"{service.url}/v1/locations?limit=3")
        fixes = [json.loads(line) for line in done.stdout.splitlines() if line]
        numbers = [int(fix["id"].rsplit("-", 1)[1]) for fix in fixes]
        expect(numbers, list(range(numbers[0], numbers[0] + 3)), "the ids of the lines")


@step("Last-Event-ID continues exactly where a client stopped, and an unknown one resets")
def resume():
    with Service(f"{TRACK}?rate=20", "--linger", "1m") as service:
        with EventReader(service.url) as stream:
            seen = stream.fixes(5)
        headers = {"Last-Event-ID": seen[2]["id"]}
        with EventReader(service.url, headers=headers) as stream:
            again = stream.fixes(6)
        expect([fix["id"] for fix in again[:2]], [fix["id"] for fix in seen[3:]], "missed fixes")
        numbers = [int(fix["id"].rsplit("-", 1)[1]) for fix in again]
        expect(numbers, list(range(numbers[0], numbers[0] + 6)), "ids across the reconnection")
        with EventReader(service.url, headers={"Last-Event-ID": "elsewhere-7"}) as stream:
            expect(stream.status, 200, "the status for an unknown id")
            event = next(event for event in stream.events() if "data" in event)
            expect(event.get("event"), "reset", "the first event")
            expect(json.loads(event["data"])["requested"], "elsewhere-7", "what it says back")


@step("a track that does not loop ends with `end`, and a reconnection after it gets 204")
def end():
    with Service(f"{TRACK}?rate=1000&loop=false") as service:
        with EventReader(service.url) as stream:
            events = [event for event in stream.events() if "data" in event]
        expect(events[-1].get("event"), "end", "the last event")
        last = [event for event in events if "id" in event][-1]["id"]
        with EventReader(service.url, headers={"Last-Event-ID": last}) as stream:
            expect(stream.status, 204, "the status after the end")


@step("a client that goes, by FIN or by RST, is noticed within 50 ms on a silent source")
def closes():
    with Service("sim:?ttff=1h", "--warm-up", "0s", "--heartbeat", "0s") as service:
        times = []
        for _ in range(20):
            with EventReader(service.url) as stream:
                next(stream.events())
                eventually(1, lambda: service.device("demo")["subscribers"], "subscribers")
                closed = time.monotonic()
            eventually(0, lambda: service.device("demo")["subscribers"], "subscribers after it")
            times.append(time.monotonic() - closed)
        # The least of many, and with the time of one request to /v1/devices in it.
        expect_true(min(times) < 0.05, "a close noticed within 0.05 s", min(times))
        client = subprocess.Popen(["curl", "-sN", f"{service.url}/v1/locations"])
        eventually(1, lambda: service.device("demo")["subscribers"], "subscribers")
        client.kill()
        client.wait()
        eventually(0, lambda: service.device("demo")["subscribers"], "subscribers after kill -9")


@step("above --max-streams an event stream is turned away with bye and anything else with 503")
def full_house():
    with Service("sim:", "--max-streams", "2") as service:
        with EventReader(service.url) as first, EventReader(service.url) as second:
            first.fixes(1)
            second.fixes(1)
            with EventReader(service.url) as third:
                events = list(third.events())
                expect(third.status, 200, "the status of a third stream")
                expect_true("retry" in events[0], "a retry first", events)
                expect(events[-1].get("event"), "bye", "the last event of a third stream")
            answer = service.get("/v1/locations", {"Accept": "application/x-ndjson"})
            expect(answer.status, 503, "the status of a third stream of lines")
            expect_problem(answer)
            expect_true(int(answer.headers["retry-after"]) > 0, "Retry-After", answer.headers)
            for path in FINITE:
                expect(service.get(path).status, 200, f"the status of {path} in a full house")
        eventually(0, lambda: service.json("/livez")["streams"], "streams after all have left")
        with EventReader(service.url) as stream:
            stream.fixes(1)


@step("latest answers with an ETag, and 304 to who has it")
def latest():
    with Service("sim:?interval=1h") as service:
        with EventReader(service.url) as stream:
            fix = stream.fixes(1)[0]
            answer = service.get("/v1/locations/latest")
            expect(answer.json()["locations"], [fix], "the newest fixes")
            tag = answer.headers["etag"]
            again = service.get("/v1/locations/latest", {"If-None-Match": tag})
            expect((again.status, again.body), (304, b""), "the answer to the same ETag")
