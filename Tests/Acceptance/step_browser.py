"""Chromium's EventSource: the client most people have."""

import signal

from chromium import Browser, pages
from harness import ROOT, TRACK, Service, eventually, expect, folder, step

# Opens an EventSource and keeps what it says in `seen`.
OPEN = """
    seen = {open: 0, error: 0, fixes: [], ids: [], resets: []};
    source = new EventSource(%r);
    source.onopen = () => seen.open += 1;
    source.onerror = () => seen.error += 1;
    source.onmessage = event => {
        seen.fixes.push(JSON.parse(event.data));
        seen.ids.push(event.lastEventId);
    };
    source.addEventListener('reset', event => seen.resets.push(JSON.parse(event.data)));
    0
"""
CLOSED = 2


def at_least(count):
    return lambda value: value >= count


def fixes(page, count):
    """Waits until the page has so many fixes; gives all it has seen."""
    eventually(at_least(count), lambda: page.evaluate("seen.fixes.length"), "fixes in the page")
    return page.evaluate("seen")


def subscribers(service, wanted, device="track"):
    eventually(wanted, lambda: service.device(device)["subscribers"], f"subscribers of {device}")


def expect_no_holes(ids):
    numbers = [int(text.rsplit("-", 1)[1]) for text in ids]
    expect(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "the ids in the page")


@step("EventSource opens, gets each fix as a message with its id, and is gone after close()")
def messages():
    with Service(f"{TRACK}?rate=20") as service, Browser() as browser:
        page = browser.open(f"{service.url}/livez")
        page.evaluate(OPEN % "/v1/locations")
        seen = fixes(page, 5)
        expect(seen["open"], 1, "open events")
        expect([fix["id"] for fix in seen["fixes"]], seen["ids"], "lastEventId beside the fix's id")
        expect_no_holes(seen["ids"])
        subscribers(service, 1)
        page.evaluate("source.close()")
        subscribers(service, 0)
        page.evaluate(OPEN % "/v1/locations")
        fixes(page, 1)
        subscribers(service, 1)
        page.close()
        subscribers(service, 0)


@step("EventSource returns by itself after a restart of the service, with its Last-Event-ID")
def restart():
    options = ("--retry", "200ms", "--drain", "500ms")
    with Browser() as browser:
        with Service(f"{TRACK}?rate=20", *options) as service:
            page = browser.open(f"{service.url}/livez")
            page.evaluate(OPEN % "/v1/locations")
            fixes(page, 3)
            service.send(signal.SIGTERM)
            expect(service.wait(), 0, "the service's exit status")
            before = page.evaluate("seen")
        with Service(f"{TRACK}?rate=20", *options, port=service.port):
            eventually(at_least(2), lambda: page.evaluate("seen.open"), "open events")
            after = fixes(page, len(before["ids"]) + 3)
        requested = [reset["requested"] for reset in after["resets"]]
        expect(requested, [before["ids"][-1]], "the id it returned with")


@step("EventSource misses nothing and gets nothing twice across the end of a stream")
def reconnection():
    options = ("--retry", "100ms", "--max-stream-age", "1s", "--linger", "1m")
    with Service(f"{TRACK}?rate=60", *options) as service, Browser() as browser:
        page = browser.open(f"{service.url}/livez")
        page.evaluate(OPEN % "/v1/locations")
        eventually(at_least(4), lambda: page.evaluate("seen.open"), "open events")
        page.evaluate("source.close()")
        expect_no_holes(page.evaluate("seen.ids"))
        expect(page.evaluate("seen.resets"), [], "resets")


@step("EventSource stops at the end of a track that does not loop")
def end():
    with Service(f"{TRACK}?rate=1000&loop=false", "--retry", "100ms") as service:
        with Browser() as browser:
            page = browser.open(f"{service.url}/livez")
            page.evaluate(OPEN % "/v1/locations")
            eventually(CLOSED, lambda: page.evaluate("source.readyState"), "the source's state")
            expect_no_holes(page.evaluate("seen.ids"))


@step("a page of another origin may read only with --cors-origin")
def cors():
    with folder() as site, pages(site) as origin, Browser() as browser:
        (site / "index.html").write_text("<!doctype html><title>elsewhere</title>")
        other = "https://elsewhere.example"
        with Service(str(TRACK), "--cors-origin", other, "--cors-origin", origin) as service:
            page = browser.open(f"{origin}/index.html")
            page.evaluate(OPEN % f"{service.url}/v1/locations")
            fixes(page, 1)
            # A header that is not on the safe list makes the browser ask first.
            script = f"""fetch({service.url + "/v1/devices"!r}, {{headers: {{
                "Last-Event-ID": "a-1", "Cache-Control": "no-cache", "Authorization": "Bearer x"
            }}}}).then(answer => answer.status)"""
            expect(page.evaluate(script), 200, "the status of a request with a preflight")
            missing = f"fetch({service.url + '/nothing'!r}).then(answer => answer.status)"
            expect(page.evaluate(missing), 404, "the status of an error that may be read")
        with Service(str(TRACK), "--cors-origin", other) as service:
            page = browser.open(f"{origin}/index.html")
            page.evaluate(OPEN % f"{service.url}/v1/locations")
            eventually(CLOSED, lambda: page.evaluate("source.readyState"), "the source's state")
            expect(page.evaluate("seen.fixes"), [], "fixes without leave")


@step("the example page shows each device, and says when the stream is away")
def example_page():
    with pages(ROOT / "Examples") as origin, Browser() as browser:
        with Service(f"car={TRACK}?rate=20", "--cors-origin", origin, "--drain", "1s") as service:
            page = browser.open(f"{origin}/page.html?service={service.url}")
            row = "document.querySelector('#devices [data-device=car]')?.textContent ?? ''"
            text = eventually(lambda text: "46." in text, lambda: page.evaluate(row), "car's row")
            eventually(lambda new: new != text, lambda: page.evaluate(row), "car's row later")
            state = "document.querySelector('#state').textContent"
            expect(page.evaluate(state), "live", "the page's state")
        eventually("reconnecting", lambda: page.evaluate(state), "the page's state")


@step("the example of a shared worker holds one stream for all its pages")
def example_worker():
    with pages(ROOT / "Examples") as origin, Browser() as browser:
        with Service(f"car={TRACK}?rate=20", "--cors-origin", origin, "--drain", "1s") as service:
            tabs = [
                browser.open(f"{origin}/shared-worker.html?service={service.url}")
                for _ in range(3)
            ]
            for tab in tabs:
                text = lambda: tab.evaluate("document.querySelector('#latest').textContent")
                eventually(lambda value: "car" in value, text, "the newest fix of a page")
            expect(service.device("car")["subscribers"], 1, "streams of three pages")
            for tab in tabs:
                tab.close()
            subscribers(service, 0, "car")
