"""Python's httpx-sse."""

import httpx
import httpx_sse

from harness import TRACK, Service, eventually, expect, step


def receive(service, count, **headers):
    with httpx.Client(timeout=20, headers=headers) as client:
        with httpx_sse.connect_sse(client, "GET", f"{service.url}/v1/locations") as source:
            # To httpx-sse the opening `retry:` is an event too, one without data.
            events = (event for event in source.iter_sse() if event.data)
            return [next(events) for _ in range(count)]


@step("httpx-sse receives fixes, and after Last-Event-ID what it missed")
def httpx_client():
    with Service(f"{TRACK}?rate=20", "--linger", "1m") as service:
        seen = receive(service, 5)
        for event in seen:
            expect(event.event, "message", "the event's type")
            expect(event.json()["id"], event.id, "the id beside the fix's")
        again = receive(service, 3, **{"Last-Event-ID": seen[1].id})
        expect([event.id for event in again], [event.id for event in seen[2:]], "missed ids")
        eventually(0, lambda: service.device("track")["subscribers"], "subscribers at the end")
