"""Axis values that mean given joint angles: whole turns, limits of drives and of coupled joints.

In: joint angles, each known up to whole turns. Out: the axis values that bring them about, within
limits and as near to wanted ones as goes.

With whole couplings (parallelograms, gears of 1 : 1) a turn of an axis turns every joint that
follows it by whole turns too, so that each axis can be turned by itself. Where a factor is a
fraction, another turn of the leading axis means another value of the axis that follows: then every
turn that the limits leave is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.mechanics.kernels.turns import LIMIT_SLACK, TURN
from armwerk.robot.arm import Arm
from armwerk.robot.coupling import angle_ranges

_FARTHEST = 2  # turns to each side of the wanted value that are tried where there is no limit
_MOST = 4096  # values that are looked at for one set of angles
_AGREE = 1e-9  # [rad or m] within which a joint without a drive must stand where its rods put it


class AxisTurns:
    """Between joint angles and axis values of one arm.

    Args:
        arm: With coupled joints.

    Attributes:
        matrix: C of angles = C values. Shape (k, n).
        whole: Of which axes a whole turn turns every joint by whole turns. Shape (n,).
    """

    def __init__(self, arm: Arm) -> None:
        turning = [joint for joint in arm.joints if joint.kind != "fixed"]
        self.matrix: Array = arm.coupling_matrix
        self.dof = arm.dof
        self._driven = np.array([joint.is_moving for joint in turning])
        self._round = np.array([joint.kind == "revolute" for joint in turning])
        self._own = self.matrix[self._driven]
        self._inverse = np.linalg.inv(self._own)
        self._limits = arm.limits
        self._bounds: list[tuple[float, float]] = [(low, high) for low, high in arm.limits.tolist()]
        self._ranges = angle_ranges(arm.joints)
        self._bounded = np.array(
            [joint.coupling is not None and joint.coupling.limits is not None for joint in turning]
        )
        self._is_bounded = bool(self._bounded.any())
        self._axes_round = self._round[self._driven]
        is_whole = np.abs(self.matrix - np.round(self.matrix)) == 0.0
        followed = is_whole | ~self._round[:, None]
        slides = ~self._round[:, None] & (self.matrix != 0.0)
        self.whole: Flags = followed.all(axis=0) & ~slides.any(axis=0) & self._axes_round
        self._order = self._outwards()
        leads = (np.abs(self.matrix) > 0.0).sum(axis=0) > 1
        bounds = (self.matrix[self._bounded] != 0.0).any(axis=0)
        self._alone = (self.whole | ~leads) & ~bounds

    def _outwards(self) -> list[int]:
        """Return the axes, each behind those that it follows."""
        order: list[int] = []
        while len(order) < self.dof:
            for axis in range(self.dof):
                leaders = set(np.flatnonzero(self._own[axis]).tolist()) - {axis}
                if axis not in order and leaders <= set(order):
                    order.append(axis)
        return order

    def possible(self, angles: Array) -> Flags:
        """Return which rows of angles the rods of joints without a drive allow. Shape (m,)."""
        off = angles[:, ~self._driven] - self._followed(angles)
        turned = off - TURN * np.round(off / TURN)
        off = np.where(self._round[~self._driven], turned, off)
        return np.asarray((np.abs(off) < _AGREE).all(axis=1))

    def _followed(self, angles: Array) -> Array:
        values = angles[:, self._driven] @ self._inverse.T
        return np.asarray(values @ self.matrix[~self._driven].T)

    def values(self, angles: Array) -> Array:
        """Return axis values of angles, in (-π, π] where a turn changes nothing. (m, k) to (m, n).

        The joints without a drive must stand where their rods put them.
        """
        found = angles[:, self._driven] @ self._inverse.T
        turned = found - TURN * np.ceil((found - np.pi) / TURN)
        return np.where(self.whole, turned, found)

    def rates(self, rates: Array) -> Array:
        """Return the speeds of axes for speeds of joints. Shape (…, k) to (…, n)."""
        return np.asarray(rates[..., self._driven] @ self._inverse.T)

    def within(self, angles: Array, near: Array, slack: float = LIMIT_SLACK) -> Array | None:
        """Return the axis values within limits nearest to wanted ones; None: there are none.

        Args:
            angles: Joint angles, known up to whole turns. Shape (k,).
            near: Axis values to be near to [rad or m]. Shape (n,).
            slack: By which a limit may be passed; the value is then put on it [rad or m].

        Returns:
            Shape (n,).
        """
        best, smallest = None, np.inf
        for count, found in enumerate(self._turned(angles, near, slack)):
            distance = float(np.square(found - near).sum())
            if distance < smallest:
                best, smallest = found, distance
            if count >= _MOST:
                break
        if best is None:
            return None
        return np.asarray(np.clip(best, *self._limits.T))

    def every(self, angles: Array, near: Array, most: int) -> list[Array]:
        """Return all axis values within limits that mean these angles, ``most`` at most."""
        found = []
        for values in self._turned(angles, near, LIMIT_SLACK):
            found.append(np.asarray(np.clip(values, *self._limits.T)))
            if len(found) >= most:
                break
        return found

    def _turned(self, angles: Array, near: Array, slack: float) -> Iterator[Array]:
        """Yield axis values that mean the angles and keep all limits."""
        own = angles[self._driven]
        values = np.zeros(self.dof)

        def deeper(place: int) -> Iterator[Array]:
            if place == self.dof:
                if self._keeps(values, slack):
                    yield values.copy()
                return
            axis = self._order[place]
            led = float(self._own[axis] @ values - values[axis])  # what the leaders do to it
            for value in self._options(axis, float(own[axis]) - led, float(near[axis]), slack):
                values[axis] = value
                yield from deeper(place + 1)
            values[axis] = 0.0

        yield from deeper(0)

    def _options(self, axis: int, value: float, near: float, slack: float) -> list[float]:
        """Return the values of one axis that mean the same angle, within limits, nearest first."""
        low, high = self._bounds[axis]
        if not self._axes_round[axis]:
            return [value] if low - slack <= value <= high + slack else []
        middle = value + TURN * round((near - value) / TURN)
        first = math.ceil((low - slack - middle) / TURN) if math.isfinite(low) else -_FARTHEST
        last = math.floor((high + slack - middle) / TURN) if math.isfinite(high) else _FARTHEST
        found = [middle + TURN * k for k in range(first, last + 1)]
        found.sort(key=lambda one: abs(one - near))
        # turned by itself, an axis needs no other value than the nearest
        return found[:1] if self._alone[axis] else found

    def _keeps(self, values: Array, slack: float) -> bool:
        if not self._is_bounded:
            return True
        angles = self.matrix[self._bounded] @ values
        low, high = self._ranges[self._bounded].T
        return bool(((angles >= low - slack) & (angles <= high + slack)).all())
