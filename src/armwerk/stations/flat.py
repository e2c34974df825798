"""Where a table must stand so that the tool points straight down: welding in flat position.

In: directions in the frame of the work piece that are to point down. Out: angles of the table.

A table with two axes a1 (nearer to the floor) and a2 turns a direction v by exp(a1 t1) exp(a2 t2).
That it becomes g means there is a c = exp(a2 t2) v = exp(-a1 t1) g with

    a2 c = a2 v,   a1 c = a1 g,   |c| = 1,

two solutions, one where the axes reach no further, none beyond: then the nearest is taken. Where v
lies along a2 the angle t2 is free, and where g lies along a1 the angle t1. One axis alone brings
the direction as near as it can.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.completed import joint_lines
from armwerk.robot.arm import Arm
from armwerk.stations.description import Station

FREE = 1e-7
"""Sine of the angle between a direction and an axis below which a turn about it is free."""
CONE = 1.5e-3
"""The same for the axis nearer to the work piece: within a tenth of a degree it would have to turn
half round at once for next to nothing."""
TURN = 2.0 * math.pi
_PARALLEL = 1e-6


@dataclass(frozen=True, slots=True)
class FlatSeam:
    """Table angles by which a direction of the tool points down.

    Args:
        direction: In the frame of the tool, its z axis if nothing else is said. Shape (3,).
        others: Values of external axes that carry the arm, by name [rad, m]; those not named stay
            where the arm begins.
    """

    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    others: tuple[tuple[str, float], ...] = ()


class FlatAngles(NamedTuple):
    """Angles of a table for one direction, in the order of its own joints.

    Args:
        angles: One row for each solution, nan where an angle is free [rad]. Shape (j, k).
        off: By how much the direction misses [rad].
    """

    angles: Array
    off: float


class FlatTable:
    """The axes of a table, for any number of directions.

    Args:
        table: With one or two joints, all revolute.
        down: Where things fall, of length 1, in the world. Shape (3,).

    Raises:
        MotionError: For a table with other joints.
    """

    def __init__(self, table: Arm, down: Array) -> None:
        if table.structure not in ("R", "RR"):
            raise MotionError(
                f"flat position needs a table with one or two turning axes, '{table.name}' has "
                f"{table.structure}; give its values along the path instead"
            )
        lines = joint_lines(table)
        self.table, self.down = table, down
        self._axes, self._zero = lines.directions, lines.tool[:3, :3]
        if len(self._axes) == 2 and np.linalg.norm(np.cross(*self._axes)) < _PARALLEL:
            raise MotionError(f"both axes of table '{table.name}' are parallel")

    def solutions(self, direction: Array) -> FlatAngles:
        """Return the angles with which a direction on the work piece points down. Shape (3,)."""
        v = self._zero @ direction
        v = v / np.linalg.norm(v)
        if len(self._axes) == 1:
            angle = _angle(self._axes[0], v, self.down)
            rows = np.array([[angle]])
            return FlatAngles(rows, self._off(rows[0], v))
        one, two = self._axes
        dot = float(one @ two)
        forward, back = float(two @ v), float(one @ self.down)
        along = (dot * forward - back) / (dot * dot - 1.0)
        across = (dot * back - forward) / (dot * dot - 1.0)
        normal = np.cross(one, two)
        flat = along * one + across * two
        left = (1.0 - float(flat @ flat)) / float(normal @ normal)
        sides = [0.0] if left <= FREE**2 else [math.sqrt(left), -math.sqrt(left)]
        rows = np.empty((len(sides), 2))
        for row, side in zip(rows, sides, strict=True):
            c = flat + side * normal
            c = c / np.linalg.norm(c)
            row[:] = _angle(one, c, self.down), _angle(two, v, c, CONE)
        return FlatAngles(rows, self._off(rows[0], v))

    def _off(self, angles: Array, v: Array) -> float:
        for axis, angle in zip(self._axes[::-1], angles[::-1], strict=True):
            v = _turned(axis, 0.0 if math.isnan(angle) else float(angle), v)
        return math.atan2(float(np.linalg.norm(np.cross(v, self.down))), float(v @ self.down))

    def along(self, directions: Array, near: Array) -> tuple[Array, float]:
        """Return angles for directions one after the other, without a jump, and the largest miss.

        Of two solutions the nearer to the one before is taken, full turns included; of the start's
        solutions the one with which all stay within the limits, the nearest to ``near`` first.

        Args:
            directions: On the work piece, of length 1. Shape (m, 3).
            near: Angles to begin near to [rad]. Shape (k,).

        Returns:
            Angles in the order of the table's joints [rad], shape (m, k), and [rad].

        Raises:
            MotionError: When no choice keeps the limits; names the axis and what it would need.
        """
        found = [self.solutions(one) for one in directions]
        off = max(one.off for one in found)
        low, high = self.table.limits.T
        best: tuple[float, Array] | None = None
        for start in found[0].angles:
            rows = _followed(found, _nearest_turn(start, near))
            rows = _inside(rows, low, high)
            beyond = float(np.maximum(np.maximum(low - rows, rows - high), 0.0).max())
            cost = 1e6 * beyond + float(np.abs(rows[0] - near).max())
            if best is None or cost < best[0]:
                best = (cost, rows)
        assert best is not None
        rows = best[1]
        out = (rows < low - 1e-9) | (rows > high + 1e-9)
        if out.any():
            k = int(np.argmax(out.any(axis=0)))
            joint = self.table.moving[k]
            raise MotionError(
                f"flat position needs {np.rad2deg(rows[:, k].min()):.4g} to "
                f"{np.rad2deg(rows[:, k].max()):.4g} deg, and its range is "
                f"{np.rad2deg(low[k]):.4g} to {np.rad2deg(high[k]):.4g} deg",
                axis=f"joint '{joint.name}'",
            )
        return np.clip(rows, low, high), off


def flat_table(station: Station) -> FlatTable:
    """Return the table of a station, with down where the gravity of its arm points.

    Raises:
        MotionError: When it has none, or one with other axes.
    """
    if station.table is None:
        raise MotionError(f"station '{station.name}' has no table that could turn the work piece")
    gravity = station.arm.gravity
    size = float(np.linalg.norm(gravity))
    down = gravity / size if size > 0.0 else np.array([0.0, 0.0, -1.0])
    return FlatTable(station.table, down)


def _angle(axis: Array, start: Array, end: Array, free: float = FREE) -> float:
    """Return the angle about an axis from one vector to another; nan where it is free."""
    u, w = start - (axis @ start) * axis, end - (axis @ end) * axis
    if min(float(np.linalg.norm(u)), float(np.linalg.norm(w))) < free:
        return math.nan
    return math.atan2(float(axis @ np.cross(u, w)), float(u @ w))


def _turned(axis: Array, angle: float, v: Array) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.asarray(c * v + s * np.cross(axis, v) + (1.0 - c) * float(axis @ v) * axis)


def _nearest_turn(angles: Array, near: Array) -> Array:
    """Return angles shifted by full turns to be near others; free ones as these. Shape (k,)."""
    shifted = angles + TURN * np.round((near - angles) / TURN)
    return np.where(np.isnan(angles), near, shifted)


def _followed(found: list[FlatAngles], start: Array) -> Array:
    """Return the solutions that follow a start without a jump; free angles run evenly. (m, k)."""
    rows = np.empty((len(found), len(start)))
    known = np.ones(rows.shape, dtype=bool)
    before = start
    for k, one in enumerate(found):
        turned = [_nearest_turn(row, before) for row in one.angles]
        pick = int(np.argmin([np.abs(row - before).max() for row in turned]))
        rows[k], known[k] = turned[pick], ~np.isnan(one.angles[pick])
        before = rows[k]
    places = np.arange(len(found))
    for axis in range(rows.shape[1]):
        sure = known[:, axis]
        if sure.any() and not sure.all():
            rows[:, axis] = np.interp(places, places[sure], rows[sure, axis])
    return rows


def _inside(rows: Array, low: Array, high: Array) -> Array:
    """Return rows shifted by full turns, each axis as a whole, into the limits if that can be."""
    out = rows.copy()
    for k in range(rows.shape[1]):
        least, most = rows[:, k].min(), rows[:, k].max()
        if least < low[k] - 1e-9:
            out[:, k] += TURN * math.ceil((low[k] - least) / TURN - 1e-12)
        elif most > high[k] + 1e-9:
            out[:, k] -= TURN * math.ceil((most - high[k]) / TURN - 1e-12)
    return out
