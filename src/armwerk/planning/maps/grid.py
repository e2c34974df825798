"""The grid of a map: which joints run, from where to where, in how many steps."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.caching import SameObject
from armwerk.errors import DescriptionError, ShapeError
from armwerk.planning.arms import Described, limits_of
from armwerk.robot.joint import Joint
from armwerk.robot.part import MotorPart

MAX_BYTES = 8 * 2**30
"""Largest map that is made [bytes]; a sweep over parts of a range goes beyond that."""

JointKind: TypeAlias = Literal["revolute", "prismatic"]
_SHOWN: dict[JointKind, tuple[float, str]] = {
    "revolute": (180.0 / np.pi, "°"),
    "prismatic": (1000.0, "mm"),
}


@dataclass(frozen=True)
class GridAxis:
    """One joint that runs over its range.

    Values are low + i (high - low) / count for i = 0 … count - 1: the upper end is left out, so
    that a full turn shows no angle twice.

    Args:
        index: Number of the joint among the moving ones, from 0.
        name: Its name.
        kind: "revolute" or "prismatic".
        low: Least value [rad or m].
        high: End of the range [rad or m].
        count: Number of values.
    """

    index: int
    name: str
    kind: JointKind
    low: float
    high: float
    count: int

    @property
    def step(self) -> float:
        """From value to value [rad or m]."""
        return (self.high - self.low) / self.count

    @cached_property
    def values(self) -> Array:
        """All values, ascending [rad or m]. Shape (count,)."""
        i = np.arange(self.count)
        # weighed from both ends, so that the middle of a symmetric range is exactly 0
        values = (self.low * (self.count - i) + self.high * i) / self.count
        values.setflags(write=False)
        return values

    @property
    def scale(self) -> float:
        """What a value is multiplied by for people."""
        return _SHOWN[self.kind][0]

    @property
    def unit(self) -> str:
        """The unit that people read, ° or mm."""
        return _SHOWN[self.kind][1]

    def nearest(self, value: float) -> int:
        """Return the number of the value next to ``value``, or -1 when it is off the grid."""
        i = round((value - self.low) / self.step)
        if i == self.count and self.kind == "revolute" and self.is_turn:
            return 0
        return i if 0 <= i < self.count else -1

    @property
    def is_turn(self) -> bool:
        """Whether the axis runs over exactly one full turn, so that its ends meet."""
        return self.kind == "revolute" and abs(self.high - self.low - 2 * np.pi) < 1e-9


def grid_axes(
    arm: Described,
    axes: Sequence[int],
    shape: Sequence[int],
    ranges: Sequence[Sequence[float] | None] | None,
) -> tuple[GridAxis, ...]:
    """Return the axes of a map after checking all that was asked for.

    Args:
        arm: With ``moving`` joints and ``limits``.
        axes: Two or three different joints, counted from 0.
        shape: Number of values along each of them.
        ranges: (low, high) along each [rad or m]; None, or None in place of one: the joint's
            limits, -π to π where they allow more than a turn.

    Raises:
        DescriptionError: Saying which argument is wrong and what is allowed.
    """
    numbers = _axis_numbers(arm, axes)
    counts = _counts(shape, len(numbers))
    spans = [None] * len(numbers) if ranges is None else list(ranges)
    if len(spans) != len(numbers):
        raise DescriptionError(
            "one range per axis",
            element="ranges",
            value=ranges,
            allowed=f"{len(numbers)} pairs (low, high), or None",
        )
    return tuple(
        _whole_axis(SameObject(arm), index, count)
        if span is None
        else _axis(arm, index, count, span)
        for index, count, span in zip(numbers, counts, spans, strict=True)
    )


@lru_cache(maxsize=8)
def _whole_axis(same: SameObject[Described], index: int, count: int) -> GridAxis:
    """Return the axis of a joint over all it can do; its values are found once."""
    return _axis(same.value, index, count, None)


def _axis(arm: Described, index: int, count: int, span: Sequence[float] | None) -> GridAxis:
    joint = arm.moving[index]
    kind = _kind(joint)
    low, high = _range(joint.name, kind, limits_of(arm)[index], span)
    return GridAxis(index, joint.name, kind, low, high, count)


def held_values(arm: Described, q: ArrayLike | None) -> Array:
    """Return the values of all joints, of which those of the map's axes do not count. Shape (n,).

    Args:
        arm: With ``limits``.
        q: Joint values [rad or m]; None: zeros, or the limit next to zero.
    """
    limits = limits_of(arm)
    if q is None:
        return np.array([min(max(0.0, low), high) for low, high in limits.tolist()])
    try:
        values = np.array(q, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"q: must be {len(limits)} joint values, got {q!r}") from None
    if values.shape != (len(limits),):
        raise ShapeError(f"q: shape must be ({len(limits)},), got {values.shape}")
    if not np.isfinite(values).all():
        raise ShapeError(f"q: must hold finite numbers, got {values.tolist()}")
    return values


def check_memory(shape: Sequence[int], itemsize: int, what: str = "shape") -> None:
    """Refuse a map that would not fit.

    Raises:
        DescriptionError: With the bytes it would take and the bytes allowed.
    """
    cells = 1
    for count in shape:
        cells *= int(count)
    if cells * itemsize > MAX_BYTES:
        raise DescriptionError(
            f"too large, {cells} cells of {itemsize} byte{'s' * (itemsize > 1)} take "
            f"{cells * itemsize / 2**30:.1f} GiB",
            element=what,
            value=tuple(shape),
            allowed=f"up to {MAX_BYTES / 2**30:.0f} GiB",
        )


def _kind(joint: Joint | MotorPart) -> JointKind:
    kind = joint.joint_kind if isinstance(joint, MotorPart) else joint.kind
    return "revolute" if kind == "revolute" else "prismatic"  # what moves is one or the other


def _axis_numbers(arm: Described, axes: Sequence[int]) -> list[int]:
    dof = len(limits_of(arm))
    try:
        numbers = [operator.index(axis) for axis in axes]
    except TypeError:
        numbers = []
    if len(numbers) not in {2, 3}:
        raise DescriptionError(
            "not two or three joints",
            element="axes",
            value=axes,
            allowed="numbers of joints, as (0, 1) or (0, 1, 2)",
        )
    for number in numbers:
        if not 0 <= number < dof:
            raise DescriptionError(
                f"no such joint in arm '{arm.name}'",
                element="axes",
                value=tuple(numbers),
                allowed=f"0 to {dof - 1}",
            )
    if len(set(numbers)) < len(numbers):
        raise DescriptionError(
            "one joint twice", element="axes", value=tuple(numbers), allowed="different joints"
        )
    return numbers


def _counts(shape: Sequence[int], dimensions: int) -> list[int]:
    try:
        counts = [operator.index(count) for count in shape]
    except TypeError:
        counts = []
    if len(counts) != dimensions or min(counts, default=0) < 1:
        raise DescriptionError(
            "not a number of values per axis",
            element="shape",
            value=shape,
            allowed=f"{dimensions} whole numbers of at least 1",
        )
    check_memory(counts, 1)
    return counts


def _range(
    name: str, kind: JointKind, limits: Array, span: Sequence[float] | None
) -> tuple[float, float]:
    element = f"ranges, joint '{name}'"
    unit = "rad" if kind == "revolute" else "m"
    if span is None:
        low, high = (float(limit) for limit in limits)
        # also where the limits allow more than a turn, which would show every angle twice
        if kind == "revolute" and not high - low <= 2 * np.pi + 1e-9:
            low, high = -np.pi, np.pi
        if not (np.isfinite(low) and np.isfinite(high)):
            raise DescriptionError(
                "the joint slides without limits",
                element=element,
                allowed=f"a pair (low, high) [{unit}] must be given",
            )
        return low, high
    try:
        low, high = (float(value) for value in span)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise DescriptionError(
            "not a range", element=element, value=span, allowed=f"finite low < high [{unit}]"
        )
    return low, high
