"""What is sent and said in a cell: triggers, lines and notes, each with its time."""

from __future__ import annotations

from typing import Literal, NamedTuple

WORLD = -1
"""Instance of a note about the world itself, which nobody wrote."""


class Trigger(NamedTuple):
    """A text sent to an instance number.

    Attributes:
        time: Simulated time at which it was sent [s].
        instance: The receiver: a robot, a conveyor or a trigger processor; -1: all robots.
        text: What was sent.
    """

    time: float
    instance: int
    text: str


class Note(NamedTuple):
    """A line of debug output.

    Attributes:
        time: Simulated time at which it was written [s].
        instance: The robot or trigger processor that wrote it; `WORLD`: nobody did.
        text: The line.
    """

    time: float
    instance: int
    text: str


class TimedMessage(NamedTuple):
    """Something to be sent while a cell runs.

    Attributes:
        time: When, simulated [s].
        kind: "trigger", or "line" for a line of the commander.
        instance: To whom.
        text: What.
    """

    time: float
    kind: Literal["trigger", "line"]
    instance: int
    text: str
