"""What may be wished of the joints along a path, beside its poses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple, Protocol

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.limits import is_number
from armwerk.robot.arm import Arm

MOST = 1000.0
"""Largest weight of a wish; a greater one leaves nothing of the others."""


class ArmSurroundings(Protocol):
    """What an arm can touch; `armwerk.Bodies` are such."""

    def touched(self, arm: Arm, rows: Array) -> tuple[str, ...]:
        """Return what each configuration (m, n) touches, by name; empty words: nothing."""
        ...

    def clearances(self, arm: Arm, rows: Array) -> Array:
        """Return how far each configuration (m, n) is from what can be touched [m]. Shape (m,)."""
        ...


@dataclass(frozen=True, slots=True)
class SpareJoints:
    """What an arm with joints to spare uses them for, by weights; a short way of the joints has 1.

    Args:
        stops: Keeping off the stops of joints, by 0.1 rad or m where their range leaves that.
        singular: Keeping away from singularities: the manipulability grows.
        bodies: Keeping the arm away from the bodies of the plan.
        clearance: Distance from bodies that is enough [m].
    """

    stops: float = 1.0
    singular: float = 0.0
    bodies: float = 0.0
    clearance: float = 0.1

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not is_number(value) or not 0.0 <= value <= MOST:
                raise MotionError(
                    f"{one.name} of joints to spare must be a number from 0 to {MOST:g}, "
                    f"got {value!r}"
                )


USUAL = SpareJoints()


class Wishes(NamedTuple):
    """All of them.

    Attributes:
        wrist: By which the orientation may differ past a wrist's singularity [rad].
        spare: What joints to spare are used for; None: they move as little as they can.
        around: What the arm must not touch; None: nothing.
        hasty: Whether what takes long and seldom helps is left undone: of configurations that are
            tried because the one wanted does not fit.
    """

    wrist: float = 0.0
    spare: SpareJoints | None = USUAL
    around: ArmSurroundings | None = None
    hasty: bool = False


NONE = Wishes()
"""Nothing but the poses."""
