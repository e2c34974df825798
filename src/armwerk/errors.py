"""Every exception of the project.

    ArmwerkError
    ├── DescriptionError     a description (file, joint, part) is wrong; also a ValueError
    │   └── TextError        a text is wrong; lists all its problems with their places
    │       ├── SceneError   an environment file
    │       └── ProgramError a robot program
    ├── UnknownNameError     a name that is not in the library or the arm; also a KeyError
    ├── ShapeError           an array of the wrong shape or with nan in it; also a ValueError
    ├── MotionError          a motion that cannot be planned, with segment, axis and reason
    │   └── BlockedError     an arm that something stands in the way of, with joint, limit and place
    ├── PlanningError        no way from start to goal was found, with the reason
    ├── ExecutionError       a robot program cannot go on, with line, statement and reason
    ├── PhysicsError         a simulation has become unstable, with thing and time
    └── UnsupportedError     a thing this arm cannot do (dynamics of a closed chain, say)

    AssumedLimitsWarning     a warning: rates of joints that no description gives were assumed
    AssumedShapesWarning     a warning: shapes of links could not be read and were made

A pose out of reach is no error: the inverse kinematics returns no solution.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import FrameType
from typing import Self

_SHOWN = 20  # problems of one file that are printed
_BEFORE, _WIDTH = 60, 100  # characters of a long source line before the caret, and in all


class ArmwerkError(Exception):
    """What every error of the project is."""


class AssumedLimitsWarning(UserWarning):
    """Velocities, accelerations or jerks of joints that no description gives were assumed."""


class AssumedShapesWarning(UserWarning):
    """The shapes of links could not be read, and were made along the links."""


class DescriptionError(ArmwerkError, ValueError):
    """A description is wrong; says where, which value, and what is allowed.

    Args:
        problem: What is wrong, in a few words ("minimum above maximum").
        element: The thing it is wrong with ("joint 'elbow', limits").
        value: The value found there; left out of the message when None.
        allowed: What would have been right ("minimum < maximum").
        file: The file it stands in.
        line: Its line in the file, counted from 1.
    """

    def __init__(
        self,
        problem: str,
        *,
        element: str = "",
        value: object = None,
        allowed: str = "",
        file: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.problem = problem
        self.element = element
        self.value = value
        self.allowed = allowed
        self.file = None if file is None else str(file)
        self.line = line
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        parts = [part for part in (place, self.element, self.problem) if part]
        sentence = ": ".join(parts)
        if self.value is not None:
            sentence += f", got {_short(self.value)}"
        if self.allowed:
            sentence += f" (allowed: {self.allowed})"
        return sentence

    def at(
        self, file: str | Path | None, line: int | None = None, within: str = ""
    ) -> DescriptionError:
        """Return the same error with its place filled in; a place it already has stays.

        Args:
            file: The file that was being read.
            line: The line of the element that was being built.
            within: The enclosing element, put before the element's own name.
        """
        element = self.element
        if within and within not in element:
            element = f"{within}, {element}" if element else within
        return DescriptionError(
            self.problem,
            element=element,
            value=self.value,
            allowed=self.allowed,
            file=self.file or file,
            line=self.line if self.line is not None else line,
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a text, with its place.

    Args:
        message: What is wrong.
        line: Counted from 1.
        column: In characters, counted from 1.
        source: The line it stands in.
        expected: What would have been right; empty: the message says it.
        length: How many characters are meant.
    """

    message: str
    line: int
    column: int
    source: str
    expected: str = ""
    length: int = 1

    def shown(self, file: str | None = None) -> str:
        """Return three lines as compilers print them: place and message, source line, caret."""
        place = f"{file}:{self.line}:{self.column}" if file else f"line {self.line}:{self.column}"
        first = max(0, self.column - 1 - _BEFORE)
        cut = self.source[first : first + _WIDTH]
        line = "".join(letter if letter.isprintable() else " " for letter in cut)
        left = "…" if first else ""
        right = "…" if len(self.source) > first + _WIDTH else ""
        blanks = " " * (len(left) + self.column - 1 - first)
        carets = "^" * max(1, min(self.length, first + len(cut) - self.column + 1))
        hint = f" expected {self.expected}" if self.expected else ""
        return (
            f"{place}: {self.message}\n"
            f"{self.line:>6} | {left}{line.rstrip()}{right}\n"
            f"{'':6} | {blanks}{carets}{hint}"
        )


class TextError(DescriptionError):
    """A text is wrong; holds every problem found in it, in the order of the text.

    Args:
        problems: At least one.
        file: The file they stand in; None: the text was not from a file.
    """

    text = "the text"  # what it is called when it has no file

    def __init__(self, problems: Sequence[Problem], file: str | Path | None = None) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(first.message, allowed=first.expected, file=file, line=first.line)
        self.column = first.column

    def _sentence(self) -> str:
        parts = [problem.shown(self.file) for problem in self.problems[:_SHOWN]]
        if len(self.problems) > 1:
            parts.insert(0, f"{self.file or self.text}: {len(self.problems)} problems")
        if len(self.problems) > _SHOWN:
            parts.append(f"… and {len(self.problems) - _SHOWN} more")
        return "\n".join(parts)

    def at(self, file: str | Path | None, line: int | None = None, within: str = "") -> Self:
        """Return the same error with its file filled in; its problems know their lines."""
        return type(self)(self.problems, self.file or file)


class SceneError(TextError):
    """An environment file is wrong; holds every problem found in it, in the order of the file."""

    text = "the cell"


class ProgramError(TextError):
    """A robot program is wrong; holds every problem found in it, in the order of the file."""

    text = "the program"


class ExecutionError(ArmwerkError):
    """A robot program that is right as a text cannot go on; says where and why.

    Args:
        problem: The statement, and what is wrong with it.
        file: The program; empty: no file.
        calls: The procedures it was in, with the lines they were called in, the outermost first.
    """

    def __init__(self, problem: Problem, *, file: str = "", calls: Sequence[str] = ()) -> None:
        self.problem = problem
        self.file = file
        self.calls = tuple(calls)
        way = "".join(f"\n  in {call}" for call in self.calls)
        super().__init__(problem.shown(file or None) + way)


class UnknownNameError(ArmwerkError, KeyError):
    """A name nobody knows; lists the names that exist, the likely one first."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = sorted(known)
        close = get_close_matches(name.lower(), self.known, n=1, cutoff=0.5)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        self._sentence = f"no {what} is called '{name}'{hint} (known: {', '.join(self.known)})"
        super().__init__(self._sentence)

    def __str__(self) -> str:
        return self._sentence


class ShapeError(ArmwerkError, ValueError):
    """An array argument has the wrong shape, or holds nan or infinity."""


class MotionError(ArmwerkError):
    """A motion cannot be planned; says which segment, where, which axis, and why.

    Args:
        problem: What is wrong, in one clause with its numbers and units.
        segment: The segment it is wrong with ("segment 3 'lin to P4'"); empty: the whole motion.
        place: Where on the segment ("at 0.231 m of 0.400 m"); empty: not at one place.
        axis: The joint it is wrong with ("joint 'q2'"); empty: no single one.
    """

    def __init__(self, problem: str, *, segment: str = "", place: str = "", axis: str = "") -> None:
        self.problem = problem
        self.segment = segment
        self.place = place
        self.axis = axis
        where = ", ".join(part for part in (segment, place, axis) if part)
        super().__init__(f"{where}: {problem}" if where else problem)


class BlockedError(MotionError):
    """An arm stood at the limits of its motors with somewhere to go, and has let go.

    Args:
        robot: Which one ("robot 0").
        joint: The motor that stood at its limit.
        limit: The largest force it has [N m or N].
        unit: Of the limit.
        link: The joint that moves the link or finger which is pushed; empty: none is.
        by: What is in the way ("box, against wall"); empty: it touches nothing, its load or the
            motion is too much for it.
        point: Where, in the world [m]; None: nowhere.
        normal: Unit vector, the way the arm is pushed; None: it is not.
        force: Along the normal [N].
        time: Simulated [s].
    """

    def __init__(
        self,
        robot: str,
        *,
        joint: str,
        limit: float,
        unit: str,
        link: str = "",
        by: str = "",
        point: tuple[float, float, float] | None = None,
        normal: tuple[float, float, float] | None = None,
        force: float = 0.0,
        time: float,
    ) -> None:
        self.robot, self.joint, self.limit, self.unit = robot, joint, limit, unit
        self.by, self.point, self.normal, self.force = by, point, normal, force
        self.link, self.time = link, time
        why = "touches nothing; load or motion are too much for it"
        if point is not None:
            x, y, z = point
            what = f"'{link}' is " if link else ""
            why = f"{what}blocked by {by} at ({x:.4f}, {y:.4f}, {z:.4f}) m with {force:.4g} N"
        super().__init__(
            f"{why}; motor '{joint}' stood at its limit of {limit:.4g} {unit}, the arm has let go "
            f"at {time:.4f} s",
            segment=robot,
        )


class PlanningError(ArmwerkError):
    """No way from start to goal was found; says why.

    Args:
        problem: What is in the way, in one clause with its numbers and units.
        reason: "start" (it touches something), "goal" (all of them do), "no inverse solution",
            "no way" (proved), or "not found" (within the time, or on the map).
        seconds: How long was searched [s].
    """

    def __init__(self, problem: str, *, reason: str, seconds: float = 0.0) -> None:
        self.problem = problem
        self.reason = reason
        self.seconds = seconds
        super().__init__(problem)


class PhysicsError(ArmwerkError):
    """A simulation cannot go on; says which thing, when, and why.

    Args:
        problem: What has happened, in one clause.
        thing: The ball, cuboid or joint it has happened to; empty: no single one.
        time: Simulated time [s].
    """

    def __init__(self, problem: str, *, thing: str, time: float) -> None:
        self.problem = problem
        self.thing = thing
        self.time = time
        who = f", '{thing}'" if thing else ""
        super().__init__(f"the simulation cannot go on at {time:.4f} s{who}: {problem}")


class UnsupportedError(ArmwerkError):
    """The thing asked for does not exist for this arm; the message says why."""


def warn(words: str, category: type[Warning]) -> None:
    """Warn whoever called armwerk, naming the line that did; Python shows one text there once."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(words, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "armwerk"


def _short(value: object, most: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
