"""Leaving: a program that has ended gives its memory back at once, not object by object.

Python looks through the million objects of numpy, numba and mujoco once more when it ends, a fifth
of a second after the answer stands on the screen. Everything that has to be done at the end is done
before that: threads are waited for, files of this program are closed by those who opened them, and
what other libraries have asked for at the end runs, because `prepare` is called before they are
loaded and what is asked for first is done last.
"""

from __future__ import annotations

import atexit
import os
import sys

_codes: list[int] = []


def prepare() -> None:
    """Have the end go quickly once `leave_with` has been called."""
    atexit.register(_leave)


def leave_with(code: int) -> None:
    """Say that the program ends with this exit code as soon as Python does."""
    _codes[:] = [code]


def _leave() -> None:
    if not _codes:
        return  # somebody else's program that only uses the command line
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # Python says it in its own way
    os._exit(_codes[0])
