"""Robot programs in the studio: what a viewer may ask, and gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.protocol.moving import SampledMotion

MakerName: TypeAlias = Literal["krl", "rapid", "urscript"]
"""Languages that programs are written in for controllers."""


@dataclass(frozen=True, slots=True)
class CheckProgram:
    """Ask what is wrong with a program, and what is a danger in it.

    Args:
        text: The program, in IRL.
    """

    text: str


@dataclass(frozen=True, slots=True)
class RunProgram:
    """Ask for the run of a program on an arm.

    Args:
        text: The program, in IRL.
        arm: A name of the library, or a file below the folder.
        inputs: When inputs take which values: "there=true@2.5 level=3@4"; empty: never.
    """

    text: str
    arm: str
    inputs: str = ""


@dataclass(frozen=True, slots=True)
class FormatProgram:
    """Ask for a program in one form.

    Args:
        text: The program, in IRL.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ExportProgram:
    """Ask for a program in a maker's language.

    Args:
        text: The program, in IRL.
        maker: Which.
    """

    text: str
    maker: MakerName


@dataclass(frozen=True, slots=True)
class ProgramProblem:
    """Something wrong or dangerous in a program.

    Args:
        line: Counted from 1.
        column: Counted from 1.
        length: Of what is marked, in characters.
        message: What is wrong.
        expected: What would be right; empty: not known.
        is_warning: Whether the program runs all the same.
    """

    line: int
    column: int
    length: int
    message: str
    expected: str
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class ProgramChecked:
    """What is wrong with a program.

    Args:
        problems: In the order of the text; none: it can run.
    """

    problems: tuple[ProgramProblem, ...]


@dataclass(frozen=True, slots=True)
class VariableChange:
    """What a variable holds from a step on.

    Args:
        name: Of the variable.
        value: As it is shown.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """A line that a run is about to carry out.

    Args:
        line: Counted from 1.
        time: When the motions ordered before it are done [s].
        changes: Variables that have changed since the step before.
        letters: How much console output there is.
    """

    line: int
    time: float
    changes: tuple[VariableChange, ...]
    letters: int


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """The run of a program.

    Args:
        steps: Line by line; the last one is where it ended.
        output: What was written to the console.
        ending: How it ended, in words.
        problem: What it could not carry out; None: it ran to its end, or was left.
        motion: What the arm does; None: it does not move.
    """

    steps: tuple[ProgramStep, ...]
    output: str
    ending: str
    problem: ProgramProblem | None
    motion: SampledMotion | None


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program as text.

    Args:
        name: Of the file it would be; empty: the program itself.
        text: Of the file; two files stand one behind the other.
    """

    name: str
    text: str


ProgramCommand: TypeAlias = CheckProgram | RunProgram | FormatProgram | ExportProgram
"""What may be asked of the desk of programs."""
ProgramResult: TypeAlias = ProgramChecked | ProgramRun | ProgramText
"""What it brings back."""
