"""Runs the acceptance steps one after the other, each in a process of its own with a deadline."""

import argparse
import ctypes
import importlib
import os
import signal
import sys
import tempfile
import time
import traceback

import harness

FILES = [
    "scenario",
    "curl",
    "clients",
    "endurance",
    "documents",
    "browser",
    "proxies",
    "container",
    "sanitizers",
    "tools",
]
PR_SET_CHILD_SUBREAPER = 36


def collect(words):
    """The steps whose sentence holds one of the words, or whose file is named by one."""
    chosen = []
    for name in FILES:
        before = len(harness.STEPS)
        importlib.import_module(f"step_{name}")
        for sentence, seconds, function in harness.STEPS[before:]:
            if not words or any(word in sentence or word == name for word in words):
                chosen.append((sentence, seconds, function))
    return chosen


def attempt(function, seconds):
    """Runs a step in a child; returns what went wrong, or None. Whatever it started is ended."""
    with tempfile.TemporaryFile("w+") as log:
        child = os.fork()
        if child == 0:
            perform(function, log)
        deadline = time.monotonic() + seconds
        problem = None
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                if status != 0:
                    problem = f"exit status {os.waitstatus_to_exitcode(status)}"
                break
            if time.monotonic() > deadline:
                problem = f"expected an end within {seconds} s, got none"
                break
            time.sleep(0.02)
        harness.end_everything_below(os.getpid())
        log.seek(0)
        return problem and f"{problem}\n{log.read()[-6000:]}"


def perform(function, log):
    os.setsid()
    for descriptor in (1, 2):
        os.dup2(log.fileno(), descriptor)
    status = 0
    try:
        function()
    except BaseException:  # a step may fail in any way, and each of them is a result
        traceback.print_exc(limit=-3)
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


class Stopped(BaseException):
    """Raised where the process is when it is told to stop; what has been counted still counts."""


def stop(*_):
    raise Stopped


def main():
    parser = argparse.ArgumentParser(prog="Scripts/acceptance")
    parser.add_argument("--full", action="store_true", help="also the long runs")
    parser.add_argument("--passed", type=int, default=0, help="steps that passed before this")
    parser.add_argument("words", nargs="*", help="only steps whose name or file holds one of them")
    options = parser.parse_args()
    harness.FULL = options.full
    # What a step leaves behind becomes a child of this process, which can then end it.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, stop)
    passed, failed = options.passed, 0
    try:
        for sentence, seconds, function in collect(options.words):
            started = time.monotonic()
            problem = attempt(function, seconds)
            took = f"({time.monotonic() - started:.1f} s)"
            if problem is None:
                passed += 1
                print(f"ok    {sentence} {took}", flush=True)
            else:
                failed += 1
                print(f"FAIL  {sentence} {took}", flush=True)
                print("      " + problem.rstrip().replace("\n", "\n      "), flush=True)
    except Stopped:
        failed += 1
        print(f"FAIL  {sentence}: told to stop", flush=True)
    finally:
        harness.end_everything_below(os.getpid())
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
