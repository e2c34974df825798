"""Faces that hold what they touch without fingers: suction cups and magnets.

A face ends a chain of parts. It lies in the x-y plane of its own frame, round its origin, and
looks along z, towards what it holds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import number
from armwerk.robot.part import Part, TouchPoint


@dataclass(frozen=True, slots=True, repr=False)
class HoldingFace(TouchPoint, ABC):
    """What `SuctionCup` and `Magnet` share: a round face that is switched on and off.

    Args:
        name: See `Part`.
        radius: Of the face [m].
        switch_time: How long its force takes to rise or to fall all the way [s].
    """

    radius: float = field(default=0.02, kw_only=True)
    switch_time: float = field(default=0.1, kw_only=True)

    def _check(self) -> None:
        _put(self, "radius", "m", 1e-3, 1.0)
        _put(self, "switch_time", "s", 1e-3, 10.0)

    @property
    @abstractmethod
    def max_force(self) -> float:
        """What it pulls with when it is covered and nothing leaks [N]."""


@dataclass(frozen=True, slots=True, repr=False)
class SuctionCup(HoldingFace):
    """A cup with a soft lip, in which the air is thinned.

    Covered all over it pulls with the pressure times the area within its lip. Hanging over an edge
    it leaks, and pulls by the share of that area that is covered; it does not hold at all when
    less than ``least_share`` of the lip seals. The lip closes gaps as far as the vacuum bends
    it: by `reach`.

    Args:
        name: See `Part`.
        radius: Of the lip [m].
        switch_time: How long it takes to thin the air, and to let it in again [s].
        pressure: By which the cup is below the air around it [Pa].
        stiffness: Of the lip along the cup's axis [N/m].
        depth: Of the hollow within the lip [m]; what bulges more than that does not seal.
        least_share: Of the lip that must seal, 0 to 1.
    """

    pressure: float = field(default=60e3, kw_only=True)
    stiffness: float = field(default=50e3, kw_only=True)
    depth: float = field(default=0.007, kw_only=True)
    least_share: float = field(default=0.3, kw_only=True)

    kind: ClassVar[str] = "suction_cup"

    def _check(self) -> None:
        HoldingFace._check(self)
        _put(self, "pressure", "Pa", 1.0, 101325.0)
        _put(self, "stiffness", "N/m", 1.0, 1e9)
        _put(self, "depth", "m", 1e-4, 1.0)
        _put(self, "least_share", "", 0.0, 1.0)

    @property
    def max_force(self) -> float:
        """Pressure times area [N]."""
        return self.pressure * math.pi * self.radius**2

    @property
    def reach(self) -> float:
        """Gap that the lip still closes a little [m]: its largest force over its stiffness."""
        return self.max_force / self.stiffness


@dataclass(frozen=True, slots=True, repr=False)
class Magnet(HoldingFace):
    """A magnet that can be switched off.

    Every piece of its face pulls what is magnetic in front of it, with a force that falls with
    the gap x as 1 / (1 + x / gap)², and that is left out where less than a hundredth is left.

    Args:
        name: See `Part`.
        radius: Of the face [m].
        switch_time: How long its force takes to rise or to fall [s].
        force: On what covers it all without a gap [N].
        gap: At which a quarter of the force is left [m].
    """

    force: float = field(default=80.0, kw_only=True)
    gap: float = field(default=0.001, kw_only=True)

    kind: ClassVar[str] = "magnet"

    def _check(self) -> None:
        HoldingFace._check(self)
        _put(self, "force", "N", 1e-6, 1e6)
        _put(self, "gap", "m", 1e-6, 1.0)

    @property
    def max_force(self) -> float:
        """On what covers it all without a gap [N]."""
        return self.force


FACE_KINDS: dict[str, type[Part]] = {kind.kind: kind for kind in (SuctionCup, Magnet)}


def _put(face: HoldingFace, name: str, unit: str, low: float, high: float) -> None:
    """Bring a field into shape, or say what is allowed."""
    given = getattr(face, name)
    value = number(given, name)
    if not low <= value <= high:
        raise DescriptionError(
            "out of range", element=name, value=given, allowed=f"{low:g} to {high:g} {unit}".strip()
        )
    object.__setattr__(face, name, value)
