"""What a viewer may ask: every command there is, and nothing else.

Here stand those of the cell; those of the other views stand beside their results.

A command comes as a JSON object with the name of its class in ``type`` and its fields beside it;
see `armwerk.protocol.coding`. Lengths are in metres, angles in radians.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.protocol.configuring import ArmCommand
from armwerk.protocol.filing import FileCommand
from armwerk.protocol.mapping import MapCommand
from armwerk.protocol.moving import MotionCommand
from armwerk.protocol.programming import ProgramCommand
from armwerk.protocol.roaming import MobileCommand
from armwerk.protocol.staging import StageCommand


@dataclass(frozen=True, slots=True)
class RunClock:
    """Let time pass."""


@dataclass(frozen=True, slots=True)
class PauseClock:
    """Let time stand."""


@dataclass(frozen=True, slots=True)
class StepClock:
    """Make some physics steps and stand."""

    steps: int


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """Choose simulated per real time; 0: as fast as possible."""

    speed: float


@dataclass(frozen=True, slots=True)
class ResetWorld:
    """Put everything back to the beginning, programs included."""


@dataclass(frozen=True, slots=True)
class SteerProgram:
    """Start, stop or pause the program of a robot.

    Args:
        action: What to do.
        robot: Its number; None: all.
    """

    action: Literal["start", "stop", "pause"]
    robot: int | None


@dataclass(frozen=True, slots=True)
class SendTrigger:
    """Send a trigger; -1: to all robots."""

    instance: int
    text: str


@dataclass(frozen=True, slots=True)
class SendLine:
    """Give a robot's controller a line of the commander."""

    robot: int
    text: str


@dataclass(frozen=True, slots=True)
class JogMotor:
    """Send a motor somewhere [rad or m]."""

    robot: int
    motor: str
    value: float


@dataclass(frozen=True, slots=True)
class MoveBody:
    """Put a thing, fixed body, belt or robot elsewhere in the text of the cell.

    Args:
        name: Of it.
        position: x, y, and z where it has one [m].
        angle: Of a robot [rad]; None: as it is.
    """

    name: str
    position: tuple[float, ...]
    angle: float | None


@dataclass(frozen=True, slots=True)
class ShiftBody:
    """Move a thing, fixed body, belt or robot by an offset in the text of the cell [m]."""

    name: str
    offset: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ResizeBody:
    """Make something larger or smaller, see `armwerk.scene.resized`."""

    name: str
    size: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RemoveBody:
    """Take something away."""

    name: str


@dataclass(frozen=True, slots=True)
class AddLines:
    """Add statements to the text of the cell."""

    lines: str


@dataclass(frozen=True, slots=True)
class AddRobot:
    """Add a robot.

    Args:
        position: x and y [m].
        angle: About the vertical [rad].
        manipulator: Its arm; None: the default one.
        gripper: What it carries; None: nothing.
    """

    position: tuple[float, float]
    angle: float
    manipulator: str | None
    gripper: str | None


@dataclass(frozen=True, slots=True)
class RewriteCell:
    """Put another text in the place of the whole."""

    text: str


@dataclass(frozen=True, slots=True)
class UndoEdit:
    """Take back the last edit."""


@dataclass(frozen=True, slots=True)
class RedoEdit:
    """Make the edit again that was taken back last."""


@dataclass(frozen=True, slots=True)
class OpenCell:
    """Open a shipped cell by name, or a file below the folder the studio was started in."""

    name: str


@dataclass(frozen=True, slots=True)
class SaveCell:
    """Write the text of the cell to a file below the folder the studio was started in."""

    file: str


@dataclass(frozen=True, slots=True)
class SeekTime:
    """Go to a time of a recording [s]."""

    time: float


@dataclass(frozen=True, slots=True)
class StartRecording:
    """Record the cell to a file below the folder; empty: one named after the cell and the time."""

    file: str


@dataclass(frozen=True, slots=True)
class StopRecording:
    """End the recording."""


@dataclass(frozen=True, slots=True)
class ShowContacts:
    """Say whether this viewer wants to be told what touches."""

    shown: bool


@dataclass(frozen=True, slots=True)
class PlaceThing:
    """Put a thing elsewhere in the running world, at rest; the text stays as it is.

    Args:
        name: Of a ball or cuboid.
        position: Of its middle [m].
    """

    name: str
    position: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class SetProgram:
    """Give a robot another program in the text of the cell.

    Args:
        robot: Its number.
        controller: Class of the program, as in "module.Class"; empty: none.
        config: Text it is given; empty: none.
    """

    robot: int
    controller: str
    config: str


@dataclass(frozen=True, slots=True)
class ReadRobotProgram:
    """Ask for the text of the robot program that steers a robot.

    Args:
        robot: Its number.
    """

    robot: int


@dataclass(frozen=True, slots=True)
class CheckCell:
    """Ask what is wrong in a text, without putting it in the place of the cell's."""

    text: str


CellCommand: TypeAlias = (
    RunClock
    | PauseClock
    | StepClock
    | SetSpeed
    | ResetWorld
    | SteerProgram
    | SendTrigger
    | SendLine
    | JogMotor
    | MoveBody
    | ShiftBody
    | ResizeBody
    | RemoveBody
    | AddLines
    | AddRobot
    | RewriteCell
    | UndoEdit
    | RedoEdit
    | OpenCell
    | SaveCell
    | SeekTime
    | StartRecording
    | StopRecording
    | ShowContacts
    | PlaceThing
    | SetProgram
    | ReadRobotProgram
    | CheckCell
)
"""Anything a viewer may ask of the cell; carried out in the order it came."""

Command: TypeAlias = (
    CellCommand
    | FileCommand
    | ArmCommand
    | StageCommand
    | MapCommand
    | MotionCommand
    | ProgramCommand
    | MobileCommand
)
"""Anything a viewer may ask."""
