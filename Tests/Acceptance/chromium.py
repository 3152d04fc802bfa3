"""Headless Chromium over the pipe of the DevTools protocol: pages, and scripts inside them."""

import contextlib
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading

from harness import eventually

COMMANDS = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """A browser with an empty profile, which ends with the `with` block."""

    def __init__(self, *options):
        command = next(filter(None, map(shutil.which, COMMANDS)))
        self.profile = tempfile.TemporaryDirectory(prefix="fixcast-chromium-")
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        # The protocol's pipes are descriptors 3 and 4, as Chromium expects them.
        self.child = subprocess.Popen(
            [
                "bash",
                "-c",
                f'exec 3<&{read_commands} 4>&{write_answers}; exec "$@"',
                "chromium",
                command,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--remote-debugging-pipe",
                f"--user-data-dir={self.profile.name}",
                *options,
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(read_commands, write_answers),
        )
        os.close(read_commands)
        os.close(write_answers)
        self.pending = b""
        self.number = 0

    def call(self, method, session=None, **parameters):
        """Sends a command and waits for its result; what the browser tells meanwhile is skipped."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.pending:
                part = os.read(self.answers, 1 << 16)
                if not part:
                    raise AssertionError(f"expected an answer to {method}, Chromium has ended")
                self.pending += part
            text, self.pending = self.pending.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, url):
        """A new page at the URL."""
        target = self.call("Target.createTarget", url=url)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        # A new page is the empty one for a moment, and complete as such.
        eventually(["complete", url], page.where, "the page")
        return page

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(AssertionError, OSError):
            self.call("Browser.close")
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        with contextlib.suppress(OSError):
            self.profile.cleanup()


class Page:
    """A page: where scripts run."""

    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session

    def evaluate(self, script):
        """The value of an expression, awaited if it is a promise."""
        result = self.browser.call(
            "Runtime.evaluate",
            self.session,
            expression=script,
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in result:
            raise AssertionError(f"in the page: {json.dumps(result['exceptionDetails'])[:800]}")
        return result["result"].get("value")

    def where(self):
        """How far the page is, and where."""
        with contextlib.suppress(AssertionError):  # its script world is replaced on the way
            return self.evaluate("[document.readyState, location.href]")

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


@contextlib.contextmanager
def pages(folder):
    """Serves a folder's files on a port of its own; gives their origin."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
