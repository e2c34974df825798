"""Corners between lines, all of a path at once.

In: segments in a row. Out: for the corners at which two lines meet and a smooth blend is wanted,
the blend and how far it reaches; the others are left to `armwerk.motion.path.blend_tracks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.geometry import quaternion_from_rotation, rotation_exp
from armwerk.motion.curves import Curve, Line, ParametricCurve, Piecewise
from armwerk.motion.kernels.corners import CornerTable, corner_blends
from armwerk.motion.kernels.tracks import CELLS
from armwerk.motion.path.corner import PASSED, Corner
from armwerk.motion.path.orientation import EvenTurn, QuaternionCurve
from armwerk.motion.path.segments import Geometry, PathSegment

SAME_RATE = 1e-6
"""Fraction by which curvature and rates of turning may differ where nothing stops."""
_UNIT = np.array([0.0, 1.0])
_KNOTS = np.linspace(0.0, 1.0, CELLS + 1)
_NONE = np.zeros(0)
_REST = 1e-7  # [m] of half a line that is given to a blend which leaves no more of it


class LineCorners(NamedTuple):
    """Corners between lines, by the index of the segment behind each.

    Args:
        found: How they are passed.
        shrunk: Those whose blend is smaller than wished, half of a segment, with its radius [m].
    """

    found: dict[int, Corner]
    shrunk: dict[int, float]


def line_corners(
    parts: Sequence[tuple[PathSegment, Geometry]],
    jerk: float,
    angles: tuple[float, float],
    fullness: Array,
    curvature: float,
) -> LineCorners:
    """Return how the corners between lines are passed; those that are not in it are left open.

    Args:
        parts: Segments in a row.
        jerk: What the joints will allow the tool, about [m/s³].
        angles: Below the first there is no corner, above the second no blend [rad].
        fullness: Of quintics, see `armwerk.motion.kernels.corners`. Shape (f,).
        curvature: Fraction of the acceleration that may be used up across the path.
    """
    suits = [_suits(geometry) for _, geometry in parts]
    behind = np.array([k for k in range(1, len(parts)) if suits[k - 1] and suits[k]], dtype=int)
    corners = LineCorners({}, {})
    if not len(behind):
        return corners
    lines = _Lines.of([parts[k - 1] for k in behind], [parts[k] for k in behind])
    angle = lines.angles
    straight = (angle < angles[0]) & lines.goes_on
    corners.found.update(dict.fromkeys(behind[straight].tolist(), PASSED))
    bent = ~straight & (angle < angles[1])
    bent &= np.array([_blends(parts[k - 1][0]) for k in behind], dtype=bool)
    if bent.any():
        _fill(
            corners, parts, behind[bent], lines.chosen(bent), jerk, angles[0], fullness, curvature
        )
    return corners


def _fill(
    corners: LineCorners,
    parts: Sequence[tuple[PathSegment, Geometry]],
    behind: Integers,
    lines: _Lines,
    jerk: float,
    least_angle: float,
    fullness: Array,
    curvature: float,
) -> None:
    """Add the blends of all these corners."""
    least = np.minimum(lines.radius, 0.5 * np.minimum(lines.lengths[0], lines.lengths[1]))
    # next to nothing of a line between two blends would only add points
    halves = [0.5 * way for way in lines.lengths]
    reach = [
        np.where(half - least < np.minimum(_REST, 1e-3 * half), half, least) for half in halves
    ]
    table = CornerTable(
        lines.via,
        lines.directions[0],
        lines.directions[1],
        np.stack(reach, axis=1),
        lines.acceleration,
        np.minimum(lines.jerk, jerk),
    )
    blends = corner_blends(table, fullness, curvature)
    zones = [
        np.maximum(own, np.minimum(lines.zone, half))
        for own, half in zip(reach, halves, strict=True)
    ]
    way = zones[0] + zones[1] - reach[0] - reach[1] + blends.lengths[:, -1]
    turns = lines.quaternions(zones[0], zones[1], way)
    even = lines.angles < least_angle
    still, small = lines.still, least < lines.radius * (1.0 - 1e-9)
    for j in np.flatnonzero(blends.sound):
        k = int(behind[j])
        curve: Curve
        if even[j]:
            end = lines.via[j] + reach[1][j] * lines.directions[1][j]
            curve = Line(blends.polynomials[j, 0], end)
        else:
            quintic = Piecewise(_UNIT, blends.polynomials[j, None])
            curve = ParametricCurve(quintic.derivatives, _KNOTS, blends.lengths[j], _NONE, quintic)
        orientation = parts[k][1].orientation
        if turns is not None and not still[j]:
            orientation = QuaternionCurve(Piecewise(np.array([0.0, way[j]]), turns[j][None]))
        before, after = float(reach[0][j]), float(reach[1][j])
        corners.found[k] = Corner(
            before, after, curve, float(zones[0][j]), float(zones[1][j]), orientation
        )
        if small[j]:
            corners.shrunk[k] = float(least[j])


def _suits(geometry: Geometry) -> bool:
    if not isinstance(geometry.curve, Line) or not isinstance(geometry.orientation, EvenTurn):
        return False
    return geometry.orientation.frame is None


def _blends(segment: PathSegment) -> bool:
    return segment.blend.radius > 0.0 and segment.blend.shape == "smooth"


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Pairs of lines in arrays: k of them, first and second of each in lists of two."""

    via: Array
    directions: list[Array]
    lengths: list[Array]
    rotations: Array  # where they meet, (k, 3, 3)
    rates: list[Array]  # of turning [rad/m]
    radius: Array
    zone: Array
    acceleration: Array
    jerk: Array

    @classmethod
    def of(
        cls,
        before: Sequence[tuple[PathSegment, Geometry]],
        after: Sequence[tuple[PathSegment, Geometry]],
    ) -> _Lines:
        ends = [
            np.array([(g.curve.start, g.curve.end) for _, g in side if isinstance(g.curve, Line)])
            for side in (before, after)
        ]
        ways = [side[:, 1] - side[:, 0] for side in ends]
        lengths = [np.sqrt((way * way).sum(axis=1)) for way in ways]
        directions = [way / size[:, None] for way, size in zip(ways, lengths, strict=True)]
        turns = [
            [g.orientation for _, g in side if isinstance(g.orientation, EvenTurn)]
            for side in (before, after)
        ]
        limits = [
            np.array([(s.limits.acceleration, s.limits.jerk) for s, _ in side])
            for side in (before, after)
        ]
        least = np.minimum(limits[0], limits[1])
        blends = [s.blend for s, _ in before]
        radius = np.array([blend.radius for blend in blends])
        zone = np.array([blend.radius if blend.zone is None else blend.zone for blend in blends])
        return cls(
            ends[1][:, 0],
            directions,
            lengths,
            np.array([turn.start for turn in turns[1]]),
            [np.array([turn.rate for turn in side]) for side in turns],
            radius,
            np.maximum(zone, radius),
            np.ascontiguousarray(least[:, 0]),
            np.ascontiguousarray(least[:, 1]),
        )

    def chosen(self, keep: Flags) -> _Lines:
        """Return some of the pairs."""
        return _Lines(
            self.via[keep],
            [row[keep] for row in self.directions],
            [row[keep] for row in self.lengths],
            self.rotations[keep],
            [row[keep] for row in self.rates],
            self.radius[keep],
            self.zone[keep],
            self.acceleration[keep],
            self.jerk[keep],
        )

    @property
    def angles(self) -> Array:
        """Between both directions [rad]. Shape (k,)."""
        one, two = self.directions
        apart, along = (np.sqrt((v * v).sum(axis=1)) for v in (two - one, two + one))
        return np.asarray(2.0 * np.arctan2(apart, along))

    @property
    def goes_on(self) -> Flags:
        """Where the tool turns on as before. Shape (k,)."""
        one, two = self.rates
        return np.asarray(
            np.abs(one - two).max(axis=1) < SAME_RATE * (1.0 + np.abs(one).max(axis=1))
        )

    @property
    def still(self) -> Flags:
        """Where the tool does not turn at all. Shape (k,)."""
        return np.asarray(~(self.rates[0].any(axis=1) | self.rates[1].any(axis=1)))

    def quaternions(self, before: Array, after: Array, way: Array) -> Array | None:
        """Return the quintics from one turning to the other, as powers; None: nothing turns.

        Args:
            before: Arc length before the corner at which they begin [m]. Shape (k,).
            after: Arc length behind it at which they end [m]. Shape (k,).
            way: Arc length between [m]. Shape (k,).

        Returns:
            Shape (k, 6, 4).
        """
        if self.still.all():
            return None
        one = self._state(self.rates[0], -before)
        two = self._state(self.rates[1], after)
        two *= np.where((one[:, 0] * two[:, 0]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None, None]
        return _quintics(one, two, way)

    def _state(self, rates: Array, s: Array) -> Array:
        """Return Q, Q' = ½ ω Q and Q'' = ½ ω Q' at arc lengths from the corner. Shape (k, 3, 4)."""
        q = quaternion_from_rotation(rotation_exp(s[:, None] * rates) @ self.rotations)
        first = 0.5 * _times(rates, q)
        return np.stack([q, first, 0.5 * _times(rates, first)], axis=1)


def _times(vector: Array, q: Array) -> Array:
    """Return the products of pure quaternions (0, vector) and q. Shape (k, 4)."""
    real = -(vector * q[:, 1:]).sum(axis=1)[:, None]
    return np.concatenate([real, q[:, :1] * vector + np.cross(vector, q[:, 1:])], axis=1)


def _quintics(start: Array, end: Array, length: Array) -> Array:
    """Return powers of the quintics with these values and two derivatives. Shape (k, 6, d)."""
    h = length[:, None]
    p0, v0, a0 = start[:, 0], start[:, 1] * h, start[:, 2] * h * h
    p1, v1, a1 = end[:, 0], end[:, 1] * h, end[:, 2] * h * h
    step, speed, bend = p1 - p0 - v0 - 0.5 * a0, v1 - v0 - a0, a1 - a0
    unit = [
        p0,
        v0,
        0.5 * a0,
        10.0 * step - 4.0 * speed + 0.5 * bend,
        -15.0 * step + 7.0 * speed - bend,
        6.0 * step - 3.0 * speed + 0.5 * bend,
    ]
    return np.stack([c / h**k for k, c in enumerate(unit)], axis=1)
