"""What ends a program from outside."""

from __future__ import annotations


class Stopped(BaseException):
    """Raised in a program's waits and services when it is to end; nobody needs to catch it.

    It is no `Exception`, so that ``except Exception`` in a program does not swallow it. ``finally``
    blocks run as usual.
    """
