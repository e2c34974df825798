"""What a viewer is told beside geometry and frames: how things stand, what happened, answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.protocol.results import Result
from armwerk.protocol.states import RobotState
from armwerk.protocol.viewing import (
    ClockStatus,
    ViewedContacts,
    ViewedEvent,
    ViewedGeometry,
    ViewedRecording,
)

ViewName: TypeAlias = Literal["cell", "arm", "motion", "space", "program", "mobile"]
"""The views of the studio."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """The first message.

    Args:
        version: Of armwerk.
        cells: Names of shipped cells that can be opened.
        files: Cells below the folder the studio was started in.
        arms: Names of arms that a robot can have.
        grippers: Names of grippers.
        mark_moving: Whether motors that move are to stand out at first.
        mark_fast: Whether motors at 95 % of their speed are.
        show_zones: Whether trigger zones and light barriers are shown at first.
        view: The view that is shown at first.
        subject: What it shows, by name or file; empty: what it likes.
        recordings: Recordings below the folder.
    """

    version: str
    cells: tuple[str, ...]
    files: tuple[str, ...]
    arms: tuple[str, ...]
    grippers: tuple[str, ...]
    mark_moving: bool
    mark_fast: bool
    show_zones: bool
    view: ViewName = "cell"
    subject: str = ""
    recordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewedRobot:
    """A robot and its program.

    Args:
        number: Of the robot.
        arm: What it is.
        controller: Class of its program; empty: nobody steers.
        description: What its program says of itself.
        config: Text its program was given.
        state: Of its program.
        error: What went wrong; empty: nothing.
        program: Its program as the cell names it, "module.Class"; empty: it has none.
        line: Of its robot program that is under way, counted from 1; 0: it does not run; -1: what
            steers it is no robot program.
    """

    number: int
    arm: str
    controller: str
    description: str
    config: str
    state: RobotState
    error: str
    program: str = ""
    line: int = -1


@dataclass(frozen=True, slots=True)
class CellStatus:
    """How a cell stands.

    Args:
        clock: How time goes.
        robots: Its robots.
        values: Of all motors, in the order of the geometry [rad or m].
        can_undo: Whether there is an edit to take back.
        can_redo: Whether there is an edit to make again.
        viewers: How many look on.
        recording: File that is being recorded; empty: none is.
        epoch: How often time was set back.
    """

    clock: ClockStatus
    robots: tuple[ViewedRobot, ...]
    values: tuple[float, ...]
    can_undo: bool
    can_redo: bool
    viewers: int
    recording: str = ""
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class CellText:
    """The cell as it is written.

    Args:
        text: All of it.
        file: Where it is from; empty: not from a file.
        version: Of the geometry that was made of it.
        controllers: Programs beside it that its robots could have.
    """

    text: str
    file: str
    version: int
    controllers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewEvents:
    """What happened.

    Args:
        events: In order.
        dropped: How many this viewer was too slow for, so far.
    """

    events: tuple[ViewedEvent, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class TextProblem:
    """Something wrong in a text.

    Args:
        line: Counted from 1.
        column: Counted from 1.
        length: Of what is marked, in characters.
        message: What is wrong.
        expected: What would be right; empty: not known.
    """

    line: int
    column: int
    length: int
    message: str
    expected: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command.

    Args:
        request: The number that came with it.
        problem: Why it was refused; empty: it was not.
        problems: Where in the text, when that was the reason.
        result: What was asked for; None: nothing was, or it was refused.
    """

    request: int
    problem: str = ""
    problems: tuple[TextProblem, ...] = ()
    result: Result | None = None


Message: TypeAlias = (
    Greeting
    | ViewedGeometry
    | ViewedRecording
    | ViewedContacts
    | CellText
    | CellStatus
    | NewEvents
    | Answer
)
"""Anything a viewer is told in words; frames of poses are bytes."""
