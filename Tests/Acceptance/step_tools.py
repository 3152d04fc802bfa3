"""What the repository's own scripts look for: in short, or at length with --full."""

import harness
from harness import BINARY, ROOT, run, step


def script(name, *arguments):
    # The step's own deadline ends it.
    run(ROOT / "Scripts" / name, *arguments, cwd=ROOT, timeout=None)


@step("clients come and go, and starts and stops follow, and nothing is left", seconds=1800)
def soak():
    length = ("--seconds", 300, "--rounds", 1000) if harness.FULL else ()
    script("soak", "--binary", BINARY, *length)


@step("no bytes that a fuzzer makes up break a parser of untrusted input", seconds=1800)
def fuzz():
    script("fuzz", 60 if harness.FULL else 10)


@step("the documentation builds, and each of its links leads somewhere", seconds=900)
def docs():
    script("docs")
