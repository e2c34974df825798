"""A Cartesian track without a stop: curves one after the other, orientations beside them.

Position and orientation have borders of their own, because the zone in which the orientation
passes from one segment to the next need not be that of the position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.motion.curves.curve import Curve
from armwerk.motion.curves.parametric import ParametricCurve
from armwerk.motion.kernels.tracks import (
    LINE,
    OTHER,
    TURN,
    PackedSpans,
    PackedTrack,
    orientations,
    positions,
)
from armwerk.motion.path.orientation import Orientation
from armwerk.motion.path.packing import pack_track


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


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Track:
    """Poses by arc length.

    Args:
        curves: Curves in order.
        orientations: Orientations in order; together as long as the spans.
    """

    curves: tuple[CurveSpan, ...]
    orientations: tuple[OrientationSpan, ...]
    packed: PackedTrack = field(init=False, repr=False)

    def __post_init__(self) -> None:
        curves = [(part.curve, part) for part in self.curves]
        turns = [(zone.orientation, zone) for zone in self.orientations]
        packed = pack_track(curves, turns)
        _snap(packed.orientations.spans.borders, packed.curves.spans.borders, self._apart(packed))
        object.__setattr__(self, "packed", packed)

    @property
    def length(self) -> float:
        """Arc length of the whole [m]; for a pure turn the angle [rad]."""
        return float(self.borders[-1])

    @property
    def borders(self) -> Array:
        """Arc lengths where spans start and end [m]. Shape (k + 1,)."""
        return self.packed.curves.spans.borders

    def breaks(self) -> Array:
        """Arc lengths where something begins or ends, position or orientation. Shape (k,)."""
        turns = self.packed.orientations.spans.borders[1:-1]
        seams = [
            _seams(part) + self.borders[k]
            for k, part in enumerate(self.curves)
            if isinstance(part.curve, ParametricCurve) and len(part.curve.seams)
        ]
        both = np.sort(np.concatenate([self.borders, turns, *seams]))
        keep = np.append(True, np.diff(both) > self._apart(self.packed))
        both = both[keep]
        both[-1] = self.length
        return np.asarray(both)

    @staticmethod
    def _apart(packed: PackedTrack) -> float:
        """Return how far two borders must be from each other to count as two [m]."""
        return _APART * max(min(float(packed.curves.spans.borders[-1]), 1.0), 1e-3)

    def is_even(self, s: Array) -> Flags:
        """Return where the tool goes straight on and turns evenly, if at all. Shape (m,)."""
        at = []
        for table, kind in ((self.packed.curves, LINE), (self.packed.orientations, TURN)):
            spans = table.spans
            k = np.clip(np.searchsorted(spans.borders, s, "right") - 1, 0, len(spans.kind) - 1)
            at.append(spans.kind[k] == kind)
        return np.asarray(at[0] & at[1])

    def position(self, s: Array, left: bool = False) -> Array:
        """Return p, p', p'', p''' [m]. Shape (m, 4, 3).

        Args:
            s: Arc lengths [m]. Shape (m,).
            left: At a border, take the span before it.
        """
        s = np.ascontiguousarray(s, dtype=np.float64)
        out, which = np.empty((len(s), 4, 3)), np.empty(len(s), dtype=np.int64)
        positions(self.packed.curves, s, left, out, which)
        for k, here in _others(self.packed.curves.spans, which):
            part = self.curves[k]
            local = np.clip(s[here] - self.borders[k], 0.0, part.length) + part.first
            if left:  # a curve may have seams of its own, which it counts to what comes after
                local = np.maximum(local - _LEFT * part.curve.length, 0.0)
            out[here] = part.curve.evaluate(local)
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
        s = np.ascontiguousarray(s, dtype=np.float64)
        position = self.position(s, left)
        poses, twists = np.empty((len(s), 3, 4)), np.empty((len(s), 3, 6))
        poses[:, :, 3] = position[:, 0]
        twists[:, :, :3] = position[:, 1:]
        which = np.empty(len(s), dtype=np.int64)
        orientations(self.packed.orientations, s, left, poses, twists, which)
        for k, here in _others(self.packed.orientations.spans, which):
            zone = self.orientations[k]
            low = self.packed.orientations.spans.borders[k]
            local = np.clip(s[here] - low, 0.0, zone.length) + zone.first
            R, rates = zone.orientation.evaluate(local, position[here])
            poses[here, :, :3] = R
            twists[here, :, 3:] = rates
        return poses, twists

    def owner(self, s: float) -> tuple[CurveSpan, float]:
        """Return the span at arc length s, and the arc length on its own curve [m]."""
        k = int(np.clip(np.searchsorted(self.borders, s, "right") - 1, 0, len(self.curves) - 1))
        part = self.curves[k]
        return part, min(s - float(self.borders[k]), part.length) + part.first


@dataclass(frozen=True, slots=True, eq=False)
class BackwardTrack:
    """The first stretch of a track, from its far end to its start.

    Args:
        track: Of which it is the first stretch.
        length: Arc length of the stretch [m].
    """

    track: Track
    length: float

    def breaks(self) -> Array:
        """Arc lengths where something begins or ends. Shape (k,)."""
        breaks = self.track.breaks()
        inner = self.length - breaks[(breaks > 0.0) & (breaks < self.length)]
        return np.concatenate([[0.0], inner[::-1], [self.length]])

    def is_even(self, s: Array) -> Flags:
        """Return where the tool goes straight on and turns evenly, if at all. Shape (m,)."""
        return self.track.is_even(self.length - s)

    def evaluate(self, s: Array, left: bool = False) -> tuple[Array, Array]:
        """Return poses and twists by arc length; see `Track.evaluate`."""
        poses, twists = self.track.evaluate(np.maximum(self.length - s, 0.0), not left)
        twists[:, ::2] *= -1.0
        return poses, twists


_APART = 5e-11  # [m], on short tracks their fraction, below which two borders count as one
_LEFT = 1e-12  # fraction of a curve by which its left side is meant


def _snap(borders: Array, exact: Array, apart: float) -> None:
    """Put borders onto others that they differ from by rounding alone.

    Between two that are meant to be one, a place would lie behind one of them and before the other,
    and what comes after both would be taken for what was before.
    """
    after = np.clip(np.searchsorted(exact, borders), 1, len(exact) - 1)
    for near in (exact[after - 1], exact[after]):
        close = np.abs(borders - near) <= apart
        borders[close] = near[close]


def _seams(part: CurveSpan) -> Array:
    """Return where the third derivative of a span jumps, from its own start [m]."""
    if not isinstance(part.curve, ParametricCurve):
        return np.zeros(0)
    seams = part.curve.seams - part.first
    return np.asarray(seams[(seams > 0.0) & (seams < part.length)])


def _others(spans: PackedSpans, which: Integers) -> Iterator[tuple[int, Integers | slice]]:
    """Yield spans that stand in no table, each with the places along the track that lie in it."""
    if len(spans.kind) == 1:  # most tracks by far have one, and places are asked for one by one
        if spans.kind[0] == OTHER:
            yield 0, slice(None)
        return
    places = np.flatnonzero(which >= 0)
    if not len(places):
        return
    order = places[np.argsort(which[places], kind="stable")]
    cuts = np.flatnonzero(np.diff(which[order])) + 1
    for here in np.split(order, cuts):
        yield int(which[here[0]]), here
