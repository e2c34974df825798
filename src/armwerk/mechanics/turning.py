"""Axis values that mean given joint angles: whole turns, limits of drives and of coupled joints.

In: joint angles, each known up to whole turns. Out: the axis values that bring them about, within
limits and as near to wanted ones as goes.

With whole couplings (parallelograms, gears of 1 : 1) a turn of an axis turns every joint that
follows it by whole turns too, so that each axis can be turned by itself. Where a factor is a
fraction, another turn of the leading axis means another value of the axis that follows: then every
turn that the limits leave is tried.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.mechanics.kernels import axis_turns
from armwerk.mechanics.kernels.axis_turns import CoupledAxes
from armwerk.mechanics.kernels.turns import LIMIT_SLACK
from armwerk.robot.arm import Arm
from armwerk.robot.coupling import angle_ranges
from armwerk.robot.joint import Joint


class AxisTurns:
    """Between joint angles and axis values of one arm.

    Args:
        arm: With coupled joints.

    Attributes:
        matrix: C of angles = C values. Shape (k, n).
        whole: Of which axes a whole turn turns every joint by whole turns. Shape (n,).
        alone: Which axes can be turned wholly without regard for others and limits of joints. (n,).
        coupled: All of it as kernels take it.
    """

    def __init__(self, arm: Arm) -> None:
        turning = [joint for joint in arm.joints if joint.kind != "fixed"]
        self.matrix: Array = arm.coupling_matrix
        self.dof = arm.dof
        self.coupled = packed_axes(turning, self.matrix, arm.limits)
        self.whole: Flags = (self.coupled.axes & axis_turns.WHOLE) > 0
        self.alone: Flags = (self.coupled.axes & axis_turns.ALONE) > 0
        self._even = np.ones(self.dof)

    def values(self, angles: Array) -> Array:
        """Return axis values of angles that rods allow, in order. Shape (m, k) to (p, n).

        They are in (-π, π] where a turn changes nothing.
        """
        found = np.empty((len(angles), self.dof))
        count = axis_turns.axis_values(self.coupled, angles, found)
        return found if count == len(angles) else found[:count]

    def rates(self, rates: Array) -> Array:
        """Return the speeds of axes for speeds of joints. Shape (…, k) to (…, n)."""
        return np.asarray(rates[..., self.coupled.rows] @ self.coupled.inverse.T)

    def within(self, angles: Array, near: Array, slack: float = LIMIT_SLACK) -> Array | None:
        """Return the axis values within limits nearest to wanted ones; None: there are none.

        Args:
            angles: Joint angles, known up to whole turns. Shape (k,).
            near: Axis values to be near to [rad or m]. Shape (n,).
            slack: By which a limit may be passed; the value is then put on it [rad or m].

        Returns:
            Shape (n,).
        """
        found = np.empty(self.dof)
        angles, near = _plain(angles), _plain(near)
        is_found = axis_turns.turned_values(self.coupled, angles, near, self._even, slack, found)
        return found if is_found else None

    def every(self, angles: Array, near: Array, most: int) -> Array:
        """Return all axis values within limits that mean these angles, ``most`` at most. (m, n)."""
        found = np.empty((most, self.dof))
        return found[: axis_turns.every_value(self.coupled, _plain(angles), _plain(near), found)]


def _plain(values: Array) -> Array:
    """Return an array as kernels take it: contiguous and writable."""
    return np.require(values, np.float64, ["C", "W"])


def packed_axes(turning: list[Joint], matrix: Array, limits: Array) -> CoupledAxes:
    """Return couplings as kernels take them.

    Args:
        turning: The joints that are not fixed, k of them.
        matrix: C of angles = C values. Shape (k, n).
        limits: Of the axes [rad or m]. Shape (n, 2).
    """
    driven = np.array([joint.is_moving for joint in turning])
    turns = np.array([joint.kind == "revolute" for joint in turning])
    bounded = np.array(
        [joint.coupling is not None and joint.coupling.limits is not None for joint in turning]
    )
    own, ranges = matrix[driven], angle_ranges(turning)
    bounds = np.array(limits)
    for row in np.flatnonzero(bounded & ((matrix != 0.0).sum(axis=1) == 1)):
        # a joint that follows one axis alone limits that axis
        (axis,) = np.flatnonzero(matrix[row])
        low, high = sorted(ranges[row] / matrix[row, axis])
        bounds[axis] = max(bounds[axis, 0], low), min(bounds[axis, 1], high)
        bounded[row] = False
    is_whole = (matrix == np.round(matrix)) | ~turns[:, None]
    slides = ~turns[:, None] & (matrix != 0.0)
    whole = is_whole.all(axis=0) & ~slides.any(axis=0) & turns[driven]
    leads = (matrix != 0.0).sum(axis=0) > 1
    alone = (whole | ~leads) & ~(matrix[bounded] != 0.0).any(axis=0)
    axes = axis_turns.TURNS * turns[driven] + axis_turns.WHOLE * whole + axis_turns.ALONE * alone
    joints = axis_turns.TURNING * turns + axis_turns.DRIVEN * driven + axis_turns.BOUNDED * bounded
    order = _outwards(own)
    return CoupledAxes(
        *(_plain(matrix), _plain(np.linalg.inv(own)), _plain(bounds), _plain(ranges)),
        *(np.flatnonzero(driven), order, axes.astype(np.int64), joints.astype(np.int64)),
    )


def _outwards(own: Array) -> Integers:
    """Return the axes, each behind those that it follows. Shape (n,)."""
    order: list[int] = []
    while len(order) < len(own):
        for axis in range(len(own)):
            leaders = set(np.flatnonzero(own[axis]).tolist()) - {axis}
            if axis not in order and leaders <= set(order):
                order.append(axis)
    return np.array(order)
