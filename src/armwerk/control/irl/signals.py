"""The signals of a program in a cell: triggers that come and go, grippers, contacts.

A name says what a signal is. ``gripper`` moves jaws, ``holds``, ``width`` and ``force`` tell of
them, ``touch`` tells that the robot touches anything, ``touch_NAME`` that it, or what it holds,
touches something; of the second robot they are ``gripper_2``, ``holds_2`` and so on. Every other
input is set by triggers of its name, and an output ``at N`` sends them to the robot, belt or
processor of that number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from armwerk.errors import UnknownNameError
from armwerk.language.running.signals import SignalState
from armwerk.language.types import BOOL, REAL, IrlType

if TYPE_CHECKING:
    from armwerk.control.context import GripperHandle, RobotContext
    from armwerk.protocol import PairContact

_MESSAGE = re.compile(r"(\w+)\s*(?:=\s*(\S+)|([+-]))?")
_NUMBERED = re.compile(r"(gripper|holds|width|force|touch)_(\d+)")
_OWN = ("gripper", "holds", "width", "force", "touch")
_MILLIMETRES = 1e3
_WORDS: dict[str, SignalState] = {"true": True, "false": False, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class SignalDeclaration:
    """What a program says of a signal.

    Args:
        kind: Its type.
        is_output: Whether the program sets it.
        channel: Number behind ``at``; None: none.
    """

    kind: IrlType
    is_output: bool
    channel: int | None


@dataclass(slots=True, eq=False)
class SignalBoard:
    """All signals of one program.

    Args:
        declared: By name, in small letters.
        robots: Those the program moves, its own first.
        was_live: Whether something was read that changes without a message.
    """

    declared: Mapping[str, SignalDeclaration]
    robots: Sequence[RobotContext]
    was_live: bool = False
    _states: dict[str, SignalState] = field(default_factory=dict)
    _live: dict[str, Callable[[], SignalState]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, signal in self.declared.items():
            if not signal.is_output:
                reader = self._reader(name)
                if reader is not None:
                    self._live[name] = reader

    def _reader(self, name: str) -> Callable[[], SignalState] | None:
        """Return what reads an input that the world gives; None: messages set it."""
        word, robot = _split(name)
        if word in _OWN:
            if robot >= len(self.robots):
                return None
            context = self.robots[robot]
            if word == "touch":
                look = context.contact(None, None, 0.0)
                return lambda: look() is not None
            gripper = context.body.grip
            if gripper is None:
                return None
            read: dict[str, Callable[[], SignalState]] = {
                "holds": lambda: bool(gripper.holds),
                "width": lambda: float(gripper.width) * _MILLIMETRES,
                "force": lambda: float(gripper.force),
            }
            return read.get(word)
        return self._touching(name)

    def _touching(self, name: str) -> Callable[[], SignalState] | None:
        """Return whether the robot touches what ``touch_NAME`` names."""
        if not name.startswith("touch_"):
            return None
        try:
            self.robots[0].contact("", None, 0.0)
        except UnknownNameError as error:
            known = {_plain(one): one for one in error.known}
        else:  # pragma: no cover - nothing has an empty name
            return None
        wanted = known.get(name.removeprefix("touch_"))
        if wanted is None:
            return None
        return _Touching(self.robots[0], wanted)

    def state(self, name: str) -> SignalState:
        """Return the state of an input or output."""
        read = self._live.get(name)
        if read is None:
            return self._states.get(name, 0)
        self.was_live = True
        return read()

    def gripper(self, name: str) -> tuple[int, GripperHandle] | None:
        """Return the place of a robot and its gripper that an output moves; None: it is another.

        Raises:
            LookupError: When the robot, or its gripper, does not exist; says so.
        """
        word, robot = _split(name)
        if word != "gripper":
            return None
        if robot >= len(self.robots):
            raise LookupError(
                f"'{name}': the program moves {len(self.robots)} robot(s) of the cell"
            )
        gripper = self.robots[robot].body.grip
        if gripper is None:
            raise LookupError(
                f"'{name}': robot {self.robots[robot].number} of the cell has no gripper; the cell "
                "names one with GRIPPER"
            )
        return robot, gripper

    def set(self, name: str, value: SignalState) -> None:
        """Keep the state of an output, and send it where ``at`` says."""
        self._states[name] = value
        signal = self.declared.get(name)
        if signal is None or signal.channel is None or _split(name)[0] == "gripper":
            return
        own = self.robots[0]
        if signal.channel in own.belts:
            own.send(signal.channel, "RUN" if value else "STOP")
        else:
            own.send(signal.channel, f"{name}={_written(value)}")

    def receive(self, text: str) -> bool:
        """Take a trigger: ``part=1``, ``part+``, ``part-`` or ``part``.

        A bare name makes a bool true, and counts an int or real up.

        Returns:
            Whether it names an input of the program.
        """
        found = _MESSAGE.fullmatch(text.strip())
        if found is None:
            return False
        name = found[1].lower()
        signal = self.declared.get(name)
        if signal is None or signal.is_output or name in self._live:
            return False
        old = self._states.get(name, 0)
        if found[2] is not None:
            value = _read(found[2])
            if value is None:
                return False
        elif found[3] is None and signal.kind is BOOL:
            value = True
        else:
            value = old + (-1 if found[3] == "-" else 1)
        self._states[name] = float(value) if signal.kind is REAL else value
        return True

    def waiting(self) -> list[str]:
        """Return the inputs that only messages set."""
        return [
            name
            for name, signal in self.declared.items()
            if not signal.is_output and name not in self._live
        ]


class _Touching:
    """Says whether a robot, or something that it holds, touches what has a name."""

    def __init__(self, robot: RobotContext, name: str) -> None:
        self._robot = robot
        self._name = name
        self._own = robot.contact(name, None, 0.0)
        self._looks: dict[str, Callable[[], PairContact | None]] = {}

    def __call__(self) -> bool:
        if self._own() is not None:
            return True
        gripper = self._robot.body.grip
        held = frozenset() if gripper is None else gripper.held - {self._name}
        for thing in held:
            if thing not in self._looks:
                self._looks[thing] = self._robot.contact(self._name, thing, 0.0)
            if self._looks[thing]() is not None:
                return True
        return False


def _split(name: str) -> tuple[str, int]:
    """Return what a name begins with and which robot it means, counted from 0."""
    found = _NUMBERED.fullmatch(name)
    return (name, 0) if found is None else (found[1], int(found[2]) - 1)


def _plain(name: str) -> str:
    """Return a name of the cell as a program can write it."""
    return re.sub(r"\W", "_", name.lower())


def _read(text: str) -> SignalState | None:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _written(value: SignalState) -> str:
    return str(int(value)) if isinstance(value, bool) else f"{value:.12g}"
