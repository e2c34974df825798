"""What is said while kernels compile: once in a process, when it has taken a second.

On a new machine the first use of armwerk compiles for some seconds. Somebody who looks at a silent
terminal, a log or a notebook for that long must not wonder whether anything happens. Whoever wants
silence sets ``ARMWERK_PROGRESS=no``.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SILENCING = "ARMWERK_PROGRESS"
"""The variable of the environment that keeps such words back when it is "no"."""
SILENCE = 1.0  # [s] of compiling that nobody needs to hear of
WORDS = "armwerk: compiling, once for this machine (armwerk warm does all of it beforehand) …"


def is_silent() -> bool:
    """Say whether the user wants no words about what takes a while."""
    return os.environ.get(SILENCING, "").strip().lower() in {"no", "0", "false", "off"}


class CompilingNotice:
    """Counts how long has been compiled, and speaks up; told of the outermost kernels alone."""

    def __init__(self, words: str = WORDS) -> None:
        self._words = words
        self._hushed = 0
        self._said = False
        self._begin = 0.0
        self._spent = 0.0
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Hear that compiling begins."""
        if self._said:
            return
        self._begin = time.monotonic()
        self._timer = threading.Timer(max(0.0, SILENCE - self._spent), self._say)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Hear that compiling has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._spent += time.monotonic() - self._begin

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Take all that is done meanwhile for compiling."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """Say nothing meanwhile: somebody else tells what is going on."""
        self._hushed += 1
        try:
            yield
        finally:
            self._hushed -= 1

    def _say(self) -> None:
        if self._said or self._hushed or is_silent():
            return
        self._said = True
        if sys.stderr is not None:
            sys.stderr.write(f"{self._words}\n")
            sys.stderr.flush()


NOTICE = CompilingNotice()
