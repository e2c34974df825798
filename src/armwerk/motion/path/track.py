"""A Cartesian track without a stop: curves one after the other, orientations beside them.

Position and orientation have borders of their own, because the zone in which the orientation
passes from one segment to the next need not be that of the position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.motion.curves.curve import Curve
from armwerk.motion.curves.parametric import ParametricCurve
from armwerk.motion.path.orientation import Orientation


@dataclass(frozen=True, slots=True, eq=False)
class CurveSpan:
    """A part of a curve, from one of its arc lengths on.

    Args:
        curve: What is driven.
        first: Arc length of the curve where the span starts [m].
        length: How much of it is driven [m].
        owner: Number of the segment it belongs to; the blend behind a segment belongs to it.
        is_blend: Whether it is the blend behind its segment.
    """

    curve: Curve
    first: float
    length: float
    owner: int
    is_blend: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OrientationSpan:
    """An orientation over a part of the track.

    Args:
        orientation: What turns.
        first: Its own arc length where the zone starts [m].
        length: How far it reaches [m].
    """

    orientation: Orientation
    first: float
    length: float


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Poses by arc length.

    Args:
        curves: Curves in order.
        orientations: Orientations in order; together as long as the spans.
    """

    curves: tuple[CurveSpan, ...]
    orientations: tuple[OrientationSpan, ...]

    @property
    def length(self) -> float:
        """Arc length of the whole [m]; for a pure turn the angle [rad]."""
        return float(self.borders[-1])

    @property
    def borders(self) -> Array:
        """Arc lengths where spans start and end [m]. Shape (k + 1,)."""
        return np.append(0.0, np.cumsum([part.length for part in self.curves]))

    def breaks(self) -> Array:
        """Arc lengths where something begins or ends, position or orientation. Shape (k,)."""
        orientations = np.append(0.0, np.cumsum([zone.length for zone in self.orientations]))
        seams = [_seams(part) + low for part, low in zip(self.curves, self.borders, strict=False)]
        both = np.sort(np.concatenate([self.borders, orientations[1:-1], *seams]))
        keep = np.append(True, np.diff(both) > 1e-9 * max(self.length, 1e-3))
        both = both[keep]
        both[-1] = self.length
        return np.asarray(both)

    def position(self, s: Array, left: bool = False) -> Array:
        """Return p, p', p'', p''' [m]. Shape (m, 4, 3).

        Args:
            s: Arc lengths [m]. Shape (m,).
            left: At a border, take the span before it.
        """
        out = np.empty((len(s), 4, 3))
        for part, low, mask in _parts(self.curves, s, left):
            local = np.clip(s[mask] - low, 0.0, part.length) + part.first
            if left:  # a curve may have seams of its own, which it counts to what comes after
                local = np.maximum(local - _LEFT * part.curve.length, 0.0)
            out[mask] = part.curve.evaluate(local)
        return out

    def evaluate(self, s: Array, left: bool = False) -> tuple[Array, Array]:
        """Return poses and twists by arc length.

        Args:
            s: Arc lengths [m]. Shape (m,).
            left: At a border, take the span before it.

        Returns:
            Upper three rows of T_world_tool, shape (m, 3, 4), and first to third derivative as
            (v, w) in rows, shape (m, 3, 6).
        """
        position = self.position(s, left)
        poses, twists = np.empty((len(s), 3, 4)), np.empty((len(s), 3, 6))
        poses[:, :, 3] = position[:, 0]
        twists[:, :, :3] = position[:, 1:]
        for zone, low, mask in _parts(self.orientations, s, left):
            local = np.clip(s[mask] - low, 0.0, zone.length) + zone.first
            R, rates = zone.orientation.evaluate(local, position[mask])
            poses[mask, :, :3] = R
            twists[mask, :, 3:] = rates
        return poses, twists

    def owner(self, s: float) -> tuple[CurveSpan, float]:
        """Return the span at arc length s, and the arc length on its own curve [m]."""
        k = int(np.clip(np.searchsorted(self.borders, s, "right") - 1, 0, len(self.curves) - 1))
        part = self.curves[k]
        return part, min(s - float(self.borders[k]), part.length) + part.first


_LEFT = 1e-12  # fraction of a curve by which its left side is meant
_P = TypeVar("_P", CurveSpan, OrientationSpan)


def _seams(part: CurveSpan) -> Array:
    """Return where the third derivative of a span jumps, from its own start [m]."""
    if not isinstance(part.curve, ParametricCurve):
        return np.zeros(0)
    seams = part.curve.seams - part.first
    return np.asarray(seams[(seams > 0.0) & (seams < part.length)])


def _parts(
    parts: tuple[_P, ...], s: Array, left: bool
) -> list[tuple[_P, float, NDArray[np.bool_] | slice]]:
    if len(parts) == 1:
        return [(parts[0], 0.0, slice(None))]
    borders = np.append(0.0, np.cumsum([part.length for part in parts]))
    cell = np.searchsorted(borders, s, "left" if left else "right")
    index = np.clip(cell - 1, 0, len(parts) - 1)
    found: list[tuple[_P, float, NDArray[np.bool_] | slice]] = []
    for k, part in enumerate(parts):
        mask = index == k
        if mask.any():
            found.append((part, float(borders[k]), mask))
    return found
