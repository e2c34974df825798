"""A trigger that was sent, and a line that a controller wrote."""

from __future__ import annotations

from typing import NamedTuple


class Trigger(NamedTuple):
    """A text sent to an instance number.

    Args:
        time: Simulated time at which it was sent [s].
        instance: The receiver: a robot, a conveyor or a trigger processor; -1: all robots.
        text: What was sent.
    """

    time: float
    instance: int
    text: str


class Note(NamedTuple):
    """A line of debug output.

    Args:
        time: Simulated time at which it was written [s].
        instance: The robot or trigger processor that wrote it.
        text: The line.
    """

    time: float
    instance: int
    text: str
