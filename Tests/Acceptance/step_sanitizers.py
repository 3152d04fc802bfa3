"""The unit tests of the parts that share state or call C, under the sanitizers."""

import os
import pathlib
import re

from harness import ROOT, expect_true, folder, run, step

HERE = pathlib.Path(__file__).parent


def tests(name, *options, only, **environment):
    """Runs some test targets in a build of its own, so that the ordinary one is not redone."""
    package = ["--package-path", ROOT, "--scratch-path", ROOT / ".build" / name, *options]
    run("swift", "build", *package, "--build-tests", timeout=600)
    filters = [part for target in only for part in ("--filter", f"^{target}\\.")]
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **environment}
    done = run("swift", "test", *package, "--skip-build", *filters, timeout=290, env=environment)
    count = re.search(r"Test run with (\d+) test", done.stdout)
    expect_true(count and int(count[1]) > 0, f"tests of {only}", done.stdout[-2000:])


@step("the reactive core and the server pass under the thread sanitizer", seconds=900)
def thread():
    with folder() as here:
        shim = here / "tsan_mutex.so"
        run("clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", shim, HERE / "tsan_mutex.c")
        targets = ["ReactiveTests", "HTTPServerTests"]
        tests("thread", "--sanitize=thread", only=targets, LD_PRELOAD=str(shim))


@step("the server passes under the address and undefined-behaviour sanitizers", seconds=900)
def address():
    undefined = ["-Xcc", "-fsanitize=undefined", "-Xcc", "-fsanitize-trap=undefined"]
    # The sanitizer's search for leaks knows nothing of Swift's own globals.
    leaks = "detect_leaks=0"
    tests(
        "address", "--sanitize=address", *undefined, only=["HTTPServerTests"], ASAN_OPTIONS=leaks
    )
