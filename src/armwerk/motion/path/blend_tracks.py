"""Tracks from segments: which corners are blended, and with what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.curves import Curve, Line, Point, hermite
from armwerk.motion.path.blend import (
    REVERSAL,
    STRAIGHT,
    BlendEnd,
    blend_curve,
    corner_angle,
    entry_distance,
)
from armwerk.motion.path.orientation import Inclined, Orientation, quaternion_blend
from armwerk.motion.path.segments import Geometry, PathSegment
from armwerk.motion.path.track import CurveSpan, OrientationSpan, Track
from armwerk.motion.trajectory.notice import Notice

_SAME = 1e-6  # fraction by which curvature and rates of turning may differ where nothing stops


@dataclass(frozen=True, slots=True, eq=False)
class BuiltSegment:
    """A segment with its geometry.

    Args:
        segment: What was asked for.
        geometry: What it is in space.
    """

    segment: PathSegment
    geometry: Geometry


@dataclass(frozen=True, slots=True, eq=False)
class Corner:
    """How one segment goes over into the next without a stop.

    Args:
        before: Arc length of the first segment that is cut off [m].
        after: Arc length of the second one that is cut off [m].
        curve: What comes instead; None: nothing, they go on smoothly as they are.
        turn_before: Arc length before the end of the first at which its orientation ends [m].
        turn_after: Arc length from the start of the second at which its orientation begins [m].
        orientation: Between the two; None: they go on as they are.
    """

    before: float
    after: float
    curve: Curve | None
    turn_before: float
    turn_after: float
    orientation: Orientation | None


def blend_tracks(
    parts: Sequence[BuiltSegment], jerk: float = np.inf
) -> tuple[list[tuple[Track, list[BuiltSegment]]], list[Notice]]:
    """Return tracks between stops with the segments in each, and notices about blends.

    Args:
        parts: Segments in a row.
        jerk: What the joints will allow the tool, about [m/s³]; smooth blends are made for it.
    """
    notices: list[Notice] = []
    groups: list[list[BuiltSegment]] = []
    corners: list[list[Corner]] = []
    for k, part in enumerate(parts):
        corner = None if k == 0 else _corner(parts[k - 1], part, notices, jerk)
        if corner is None:
            groups.append([part])
            corners.append([])
        else:
            groups[-1].append(part)
            corners[-1].append(corner)
    tracks = [
        (_track(group, between), group) for group, between in zip(groups, corners, strict=True)
    ]
    return tracks, notices


def _corner(
    one: BuiltSegment, two: BuiltSegment, notices: list[Notice], jerk: float
) -> Corner | None:
    """Return how to pass from one segment to the next; None: by a stop."""
    a, b = one.geometry, two.geometry
    if isinstance(a.curve, Point) or isinstance(b.curve, Point):
        return None
    pa, _, wa = a.at(a.curve.length)
    pb, _, wb = b.at(0.0)
    angle = corner_angle(pa[1], pb[1])
    if _goes_on(pa, pb, wa, wb, angle):
        return Corner(0.0, 0.0, None, 0.0, 0.0, None)
    blend = one.segment.blend
    if blend.radius <= 0.0:
        return None
    if angle > REVERSAL:
        text = f"the path turns back by {np.degrees(angle):.1f} deg, so it stops instead of a blend"
        notices.append(Notice(one.segment.label, "at its end", "", text))
        return None
    before, after = _reaches(one, two, notices)
    entry = BlendEnd(a.at(a.curve.length - before)[0], before, isinstance(a.curve, Line))
    leave = BlendEnd(b.at(after)[0], after, isinstance(b.curve, Line))
    limits = (one.segment.limits, two.segment.limits)
    curve, why = blend_curve(
        entry,
        leave,
        blend.shape,
        min(limit.acceleration for limit in limits),
        min(jerk, *(limit.jerk for limit in limits)),
    )
    if why:
        notices.append(Notice(one.segment.label, "in the blend at its end", "", why))
    zone = blend.radius if blend.zone is None else max(blend.zone, blend.radius)
    turn_before = max(before, entry_distance(a.curve, zone, True))
    turn_after = max(after, entry_distance(b.curve, zone, False))
    length = turn_before - before + curve.length + turn_after - after
    orientation = _transition(a, b, turn_before, turn_after, length)
    return Corner(before, after, curve, turn_before, turn_after, orientation)


def _goes_on(pa: Array, pb: Array, wa: Array, wb: Array, angle: float) -> bool:
    """Whether tangent, curvature and turning go on without a jump."""
    bend = float(np.linalg.norm(pa[2] - pb[2]))
    turning = float(np.abs(wa[:2] - wb[:2]).max())
    size = 1.0 + float(np.linalg.norm(pa[2]))
    return angle < STRAIGHT and bend < _SAME * size and turning < _SAME * (1 + np.abs(wa).max())


def _reaches(one: BuiltSegment, two: BuiltSegment, notices: list[Notice]) -> tuple[float, float]:
    """Return the arc lengths a blend takes from both segments, at most half of each."""
    radius = one.segment.blend.radius
    a, b = one.geometry.curve, two.geometry.curve
    before, after = entry_distance(a, radius, True), entry_distance(b, radius, False)
    minimum = radius
    for built, curve, reach, at_end in ((one, a, before, True), (two, b, after, False)):
        if reach < 0.5 * curve.length * (1.0 - 1e-12):
            continue
        ends = curve.evaluate(
            np.array([curve.length, curve.length - reach]) if at_end else np.array([0.0, reach])
        )[:, 0]
        near = float(np.linalg.norm(ends[1] - ends[0]))
        if near < minimum * (1.0 - 1e-9):
            minimum = near
            text = (
                f"blend radius shrunk from {1e3 * radius:.4g} to {1e3 * near:.4g} mm, half of "
                f"{built.segment.label}"
            )
            notices.append(Notice(one.segment.label, "at its end", "", text))
    if minimum < radius:
        before = min(before, entry_distance(a, minimum, True))
        after = min(after, entry_distance(b, minimum, False))
    return before, after


def _transition(
    a: Geometry, b: Geometry, before: float, after: float, length: float
) -> Orientation:
    """Return the orientation from one segment's to the next's with rates that go on."""
    if isinstance(a.orientation, Inclined) and isinstance(b.orientation, Inclined):
        first = a.orientation.angles.derivatives(np.array([a.curve.length - before]))[0, :3]
        last = b.orientation.angles.derivatives(np.array([after]))[0, :3].copy()
        turns = np.round((last[0] - first[0]) / (2.0 * np.pi))
        last[0] -= 2.0 * np.pi * turns
        return Inclined(hermite(first, last, length), a.orientation.centre)
    _, R0, w0 = a.at(a.curve.length - before)
    _, R1, w1 = b.at(after)
    return quaternion_blend((R0, w0), (R1, w1), length)


def _track(parts: list[BuiltSegment], corners: list[Corner]) -> Track:
    curves: list[CurveSpan] = []
    orientations: list[OrientationSpan] = []
    for k, part in enumerate(parts):
        curve, number = part.geometry.curve, part.segment.number
        come = corners[k - 1] if k else None
        go = corners[k] if k < len(corners) else None
        first = come.after if come else 0.0
        last = curve.length - (go.before if go else 0.0)
        if last - first > 1e-9 * curve.length:
            curves.append(CurveSpan(curve, first, last - first, number))
        begin = come.turn_after if come else 0.0
        finish = curve.length - (go.turn_before if go else 0.0)
        if finish - begin > 1e-9 * curve.length:
            orientations.append(OrientationSpan(part.geometry.orientation, begin, finish - begin))
        if go is not None and go.curve is not None:
            curves.append(CurveSpan(go.curve, 0.0, go.curve.length, number, is_blend=True))
        if go is not None and go.orientation is not None and go.curve is not None:
            length = go.turn_before - go.before + go.curve.length + go.turn_after - go.after
            orientations.append(OrientationSpan(go.orientation, 0.0, length))
    return Track(tuple(curves), tuple(orientations))
