"""Breaks off calls at a chosen line, as a signal handler may."""

import sys
from pathlib import Path

import abut

PACKAGE = str(Path(abut.__file__).parent)


class Interrupted(BaseException):
    """What is raised; no Exception, as KeyboardInterrupt is none."""


def lines_of(call):
    """How many lines of the package a call runs."""
    count = 0

    def at_line(count_now):
        nonlocal count
        count = count_now

    _traced(call, at_line)
    return count


def broken_off(call, line):
    """Run a call and raise when it comes to its `line`-th line in the package; whether it came there."""

    def at_line(count):
        if count == line:
            sys.settrace(None)
            raise Interrupted

    try:
        _traced(call, at_line)
    except Interrupted:
        return True
    return False


def _traced(call, at_line):
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            count += 1
            at_line(count)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
