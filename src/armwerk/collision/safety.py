"""What a motion must keep to: distances, speeds near bodies, areas of joint values and space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.collision.body import Region
from armwerk.errors import DescriptionError, UnknownNameError

Span: TypeAlias = Sequence[float] | Array
"""Lowest and highest value [rad or m]."""
NEAR = ((0.02, 0.2), (0.10, 1.0))
"""Distance [m] and share of the speed: a fifth from 2 cm on, everything from 10 cm on."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class JointArea:
    """A range of joint values that must not be left, or must not be entered.

    Args:
        ranges: Lowest and highest value [rad or m] by joint, its name or its number from 0.
        allowed: True: each of these joints stays within its range, ends included. False: they
            are never all within their ranges at once; touching counts as within.
        name: For messages.
    """

    ranges: tuple[tuple[str | int, float, float], ...]
    allowed: bool
    name: str

    def __init__(
        self,
        ranges: Mapping[str, Span] | Mapping[int, Span] | Mapping[str | int, Span],
        allowed: bool = True,
        name: str = "",
    ) -> None:
        rows = []
        if not isinstance(ranges, Mapping) or not ranges:
            raise DescriptionError(
                "no ranges", element="joint area", value=ranges, allowed="{joint: (low, high)}"
            )
        for joint, span in ranges.items():
            try:
                low, high = (float(value) for value in span)
            except (TypeError, ValueError):
                low = high = np.nan
            if not low <= high:
                raise DescriptionError(
                    "not a range",
                    element=f"joint area, joint '{joint}'",
                    value=span,
                    allowed="(low, high) [rad or m] with low at most high",
                )
            rows.append((joint, low, high))
        object.__setattr__(self, "ranges", tuple(rows))
        object.__setattr__(self, "allowed", bool(allowed))
        object.__setattr__(self, "name", str(name) or "joint area")

    def columns(self, names: Sequence[str]) -> tuple[Integers, Array, Array]:
        """Return the numbers of the joints, and their lowest and highest values.

        Args:
            names: Of all joints of the arm.

        Raises:
            UnknownNameError: For a joint that the arm does not have.
        """
        found = []
        for joint, _, _ in self.ranges:
            if isinstance(joint, int) and 0 <= joint < len(names):
                found.append(joint)
            elif joint in names:
                found.append(list(names).index(str(joint)))
            else:
                raise UnknownNameError("joint", str(joint), names)
        low, high = (np.array([row[k] for row in self.ranges]) for k in (1, 2))
        return np.array(found, dtype=np.int64), low, high


@dataclass(frozen=True, slots=True, eq=False)
class SafetySettings:
    """What a motion is held to.

    Args:
        margin: Distance that every part keeps from bodies and other arms [m]; what comes nearer
            counts as contact. The arm's distance to itself only has to be above 0.
        speeds: Pairs of a distance [m] and the share of the speed allowed there (above 0, at most
            1), distances rising; between them the share runs evenly, beyond them it stays.
        areas: Ranges of joint values.
        tool_region: Where the tool point must be; None: anywhere. (A `Region` among the bodies
            holds for the whole arm.)
        limits: Whether the joints must keep to the limits of the arm's description.
        self_check: Whether the arm must keep clear of itself.
        accuracy: Within which the smallest distance is found [m].
    """

    margin: float = 0.0
    speeds: tuple[tuple[float, float], ...] = NEAR
    areas: tuple[JointArea, ...] = ()
    tool_region: Region | None = None
    limits: bool = True
    self_check: bool = True
    accuracy: float = 1e-4

    def __post_init__(self) -> None:
        _positive("margin", self.margin, zero=True)
        _positive("accuracy", self.accuracy)
        try:
            table = np.array(self.speeds, dtype=np.float64).reshape(-1, 2)
        except (TypeError, ValueError):
            table = np.full((1, 2), np.nan)
        rising = bool((np.diff(table[:, 0]) > 0).all())
        within = bool(((table[:, 1] > 0) & (table[:, 1] <= 1) & np.isfinite(table[:, 0])).all())
        if not rising or not within or not len(table):
            raise DescriptionError(
                "not a table of speeds",
                element="safety settings, speeds",
                value=self.speeds,
                allowed="pairs of a rising distance [m] and a share above 0, at most 1",
            )
        rows = tuple((float(d), float(share)) for d, share in table)
        object.__setattr__(self, "speeds", rows)
        areas = tuple(self.areas) if isinstance(self.areas, Iterable) else (self.areas,)
        object.__setattr__(self, "areas", areas)
        for area in areas:
            if not isinstance(area, JointArea):
                raise DescriptionError(
                    "no area", element="safety settings, areas", value=area, allowed="JointArea"
                )
        if self.tool_region is not None and not isinstance(self.tool_region, Region):
            raise DescriptionError(
                "no region",
                element="safety settings, tool_region",
                value=self.tool_region,
                allowed="a Region or None",
            )

    def share(self, distances: Array) -> Array:
        """Return the share of the speed allowed at distances [m]. Shape as given."""
        table = np.array(self.speeds)
        return np.asarray(np.interp(distances, table[:, 0], table[:, 1]))


def _positive(name: str, value: float, zero: bool = False) -> None:
    number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    if not number or not (value >= 0.0 if zero else value > 0.0) or not value < np.inf:
        raise DescriptionError(
            "out of range",
            element=f"safety settings, {name}",
            value=value,
            allowed="0 m or more" if zero else "above 0 m",
        )
