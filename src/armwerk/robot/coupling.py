"""Coupled joints: joints that turn when the drive of another axis does.

A description with couplings comes in; a constant matrix goes out that turns *axis values* (what
drives do, what a controller shows and limits are told in) into *joint angles* (what stands between
two links):

    angles = C values,    angle of a joint = value of its own drive + Σ factor · value of another

    parallelogram arm      the drive of axis 3 stands at the base: q3 = m3 - m2
    level flange           rods keep it level, no drive of its own: q4 = -m3
    wrist with coupling    shafts inside each other: q6 = m6 + k m5

Couplings go one way, never in a circle, so that C can always be turned round. A joint that slides
counts in metres, so that its factors are in metres for each radian.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.dimension import number

if TYPE_CHECKING:
    from armwerk.robot.joint import Joint


@dataclass(frozen=True, slots=True, init=False)
class Coupling:
    """How a joint follows the drives of other axes.

    Args:
        factors: Name of an axis, and by how much the joint moves for each radian or metre of it.
        driven: Whether the joint has a drive of its own besides; False: rods or gears alone
            move it, and it has no value.
        limits: Smallest and largest angle of the joint itself [rad or m], where links or rods
            meet; None: no limit beyond those of the drives.
    """

    factors: tuple[tuple[str, float], ...]
    driven: bool
    limits: tuple[float, float] | None

    def __init__(
        self,
        factors: Mapping[str, float] | Iterable[tuple[str, float]],
        driven: bool = True,
        limits: tuple[float, float] | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "factors", _factors(factors))
        if not isinstance(driven, bool):
            raise DescriptionError(
                "not a truth value", element="driven", value=driven, allowed="true or false"
            )
        put(self, "driven", driven)
        put(self, "limits", None if limits is None else _angle_limits(limits))


def _factors(
    given: Mapping[str, float] | Iterable[tuple[str, float]],
) -> tuple[tuple[str, float], ...]:
    allowed = "names of axes with a factor each, such as {axis_2 = -1.0}"
    try:
        pairs = tuple(given.items() if isinstance(given, Mapping) else given)
        named = tuple((name, number(factor, f"coupled {name}")) for name, factor in pairs)
    except (TypeError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(
            "wrong shape", element="coupled", value=given, allowed=allowed
        ) from None
    names = [name for name, _ in named]
    if not named or not all(isinstance(name, str) and name for name in names):
        raise DescriptionError("names no axis", element="coupled", value=names, allowed=allowed)
    for name, factor in named:
        if names.count(name) > 1:
            raise DescriptionError(
                "named twice", element="coupled", value=name, allowed="each axis once"
            )
        if factor == 0.0:
            raise DescriptionError(
                "does not couple", element=f"coupled {name}", value=0.0, allowed="any number but 0"
            )
    return named


def _angle_limits(limits: tuple[float, float]) -> tuple[float, float]:
    allowed = "(minimum, maximum) of the joint's angle, minimum < maximum"
    try:
        low, high = (number(value, "angle_limits") for value in limits)
    except (TypeError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(
            "wrong shape", element="angle_limits", value=limits, allowed=allowed
        ) from None
    if low >= high:
        raise DescriptionError(
            "minimum not below maximum",
            element="angle_limits",
            value=(low, high),
            allowed=allowed,
        )
    return low, high


def check_couplings(joints: Sequence[Joint]) -> None:
    """Refuse couplings that name no driven axis of the arm, or go in a circle.

    Args:
        joints: Of an arm, all with names.

    Raises:
        DescriptionError: Naming the joint, and the axes that can be named.
    """
    driven = [joint.name for joint in joints if joint.is_moving]
    leaders: dict[str, list[str]] = {}
    for joint in joints:
        if joint.coupling is None:
            continue
        others = [name for name in driven if name != joint.name]
        leaders[joint.name] = [name for name, _ in joint.coupling.factors]
        for name in leaders[joint.name]:
            if name not in others:
                raise DescriptionError(
                    "is coupled to no axis with a drive",
                    element=f"joint '{joint.name}'",
                    value=name,
                    allowed=", ".join(others) or "another joint with a drive",
                )
    for name, followed in leaders.items():
        if name in _before(name, leaders):
            raise DescriptionError(
                "axes are coupled in a circle",
                element=f"joint '{name}'",
                value=followed,
                allowed="couplings that go one way",
            )
    turning = (joint for joint in joints if joint.kind != "fixed")
    for joint, (low, high) in zip(turning, angle_ranges(joints).tolist(), strict=True):
        if leaders and not low < high:
            raise DescriptionError(
                "its own limits and those of its drives leave nothing",
                element=f"joint '{joint.name}'",
                value=(low, high),
                allowed="angle_limits that the axes can reach",
            )


def _before(name: str, leaders: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the names of all axes that a joint follows, by whatever way."""
    found: set[str] = set()
    waiting = list(leaders.get(name, ()))
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += leaders.get(one, ())
    return found


def coupling_matrix(joints: Sequence[Joint]) -> Array:
    """Return C with angles = C values: one row for each joint that is not fixed. Shape (k, n)."""
    turning = [joint for joint in joints if joint.kind != "fixed"]
    columns = {joint.name: k for k, joint in enumerate(j for j in turning if j.is_moving)}
    matrix = np.zeros((len(turning), len(columns)))
    for row, joint in enumerate(turning):
        if joint.is_moving:
            matrix[row, columns[joint.name]] = 1.0
        if joint.coupling is not None:
            for name, factor in joint.coupling.factors:
                matrix[row, columns[name]] += factor
    return matrix


def angle_ranges(joints: Sequence[Joint]) -> Array:
    """Return between which angles each joint that is not fixed can be [rad or m]. Shape (k, 2).

    That is what the limits of the drives leave of the joint's own limits.
    """
    turning = [joint for joint in joints if joint.kind != "fixed"]
    free = (-np.inf, np.inf)
    driven = [joint.limits or free for joint in turning if joint.is_moving]
    ranges = np.zeros((len(turning), 2))
    for row, factors in enumerate(coupling_matrix(joints)):
        for factor, limits in zip(factors, driven, strict=True):
            if factor:
                ranges[row] += sorted(factor * limit for limit in limits)
    for row, joint in enumerate(turning):
        if joint.coupling is not None and joint.coupling.limits is not None:
            low, high = joint.coupling.limits
            ranges[row] = max(low, ranges[row, 0]), min(high, ranges[row, 1])
    return ranges
