"""What the repository's own scripts look at: in short here, at length with --full."""

import harness
from harness import ROOT, run, step


def script(name, *arguments, seconds):
    run(ROOT / "Scripts" / name, *arguments, cwd=ROOT, timeout=seconds)


@step("no bytes break a parser of untrusted input", seconds=3600)
def fuzz():
    script("fuzz", 60 if harness.FULL else 10, seconds=3590)
