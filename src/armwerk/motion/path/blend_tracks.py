"""Tracks from segments: which corners are blended, and with what.

A blend is a curve that passes a via point at a distance instead of stopping there. Entry and exit
lie where the segments enter and leave a sphere about the via point. Four shapes:

    smooth      quintic with tangent and curvature of both segments at its ends: no limit, the jerk
                included, needs to be passed
    arc         circle tangent to both; between lines only
    quadratic   Bézier with the via point as control point; between lines only
    cubic       Bézier along both tangents

The last three are tangent-continuous; their curvature jumps, so the acceleration does too, within
its limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.curves import Arc, Curve, Line, Point, bezier, hermite
from armwerk.motion.curves.parametric import by_arc_length, polynomial_curve
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.options import BlendShape
from armwerk.motion.path.corner import PASSED, Corner
from armwerk.motion.path.line_corners import SAME_RATE, LineCorners, line_corners
from armwerk.motion.path.orientation import UPRIGHT, Inclined, Orientation, quaternion_blend
from armwerk.motion.path.segments import Geometry, PathSegment
from armwerk.motion.path.track import CurveSpan, OrientationSpan, Track
from armwerk.motion.trajectory.summary import Notice

STRAIGHT = 1e-6  # [rad] between tangents below which there is no corner
REVERSAL = math.radians(178.0)
"""Angle between the tangents from which a blend would turn on the spot: the path stops instead."""
_FULLNESS = np.arange(0.9, 3.0, 0.15)
"""Lengths tried for the smooth blend's end derivatives, over the distance from the via point."""
_CURVATURE = 0.95  # fraction of the acceleration that the blend may use up across the path
_TOLD = 20  # corners that are told of one by one
_REST = 1e-10  # [m] between two blends that is left out: its borders would count as one


@dataclass(frozen=True, slots=True, eq=False)
class BlendEnd:
    """Where a segment is left or joined: p, p', p'' by arc length. Shape (3, 3) or more rows.

    Args:
        state: p, p', p'', … in rows.
        reach: Arc length between it and the via point [m].
        is_straight: Whether the segment is a line.
    """

    state: Array
    reach: float
    is_straight: bool


def entry_distance(curve: Curve, radius: float, from_end: bool) -> float:
    """Return the arc length from the via point at which a curve crosses the sphere around it.

    Args:
        curve: What ends (or starts) at the via point.
        radius: Of the sphere [m].
        from_end: Whether the via point is the end of the curve, else its start.

    Returns:
        [m]; at most half of the curve's length.
    """
    largest = 0.5 * curve.length
    if radius >= largest or isinstance(curve, Line):
        return min(radius, largest)
    via = curve.length if from_end else 0.0
    sign = -1.0 if from_end else 1.0
    centre = curve.evaluate(np.array([via]))[0, 0]

    def distance(way: Array) -> Array:
        return np.asarray(
            np.linalg.norm(curve.evaluate(via + sign * way)[:, 0] - centre, axis=1) - radius
        )

    grid = np.linspace(0.0, largest, 65)
    outside = np.flatnonzero(distance(grid) >= 0.0)
    if not len(outside):
        return largest
    low, high = grid[outside[0] - 1], grid[outside[0]]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if distance(np.array([middle]))[0] >= 0.0 else (middle, high)
    return float(high)


def corner_angle(before: Array, after: Array) -> float:
    """Return the angle between two unit tangents [rad]."""
    return 2.0 * math.atan2(
        float(np.linalg.norm(after - before)), float(np.linalg.norm(after + before))
    )


def blend_curve(
    entry: BlendEnd,
    leave: BlendEnd,
    shape: BlendShape,
    acceleration: float = 1.0,
    jerk: float = np.inf,
) -> tuple[Curve, str]:
    """Return the curve from one segment to the next, and what had to be changed, if anything.

    Args:
        entry: Where the first segment is left.
        leave: Where the second one is joined.
        shape: One of `armwerk.motion.options.BLEND_SHAPES`.
        acceleration: The smooth one is made for the fastest passage under this [m/s²] …
        jerk: … and this [m/s³].

    Returns:
        The curve, and "" or the reason why the shape became another.
    """
    p0, t0 = entry.state[0], entry.state[1]
    p1, t1 = leave.state[0], leave.state[1]
    angle = corner_angle(t0, t1)
    lines = entry.is_straight and leave.is_straight
    if angle < STRAIGHT and lines:
        return Line(p0, p1), ""
    why = ""
    even = lines and math.isclose(entry.reach, leave.reach)
    if (shape == "arc" and not even) or (shape == "quadratic" and not lines):
        why = f"no {shape} is tangent to both segments there, so the blend is a cubic"
        shape = "cubic"
    if shape == "arc":
        return _corner_arc(p0, t0, t1, entry.reach, angle), why
    if shape == "quadratic":
        return bezier(np.array([p0, p0 + entry.reach * t0, p1])), why
    if shape == "cubic":
        # the length that makes a cubic of equal sides closest to a circle
        handle = 4.0 / 3.0 * math.tan(0.25 * angle) / max(math.tan(0.5 * angle), 1e-9)
        handle = handle if angle > 1e-3 else 2.0 / 3.0
        points = [p0, p0 + handle * entry.reach * t0, p1 - handle * leave.reach * t1, p1]
        return bezier(np.array(points)), why
    return _smooth(entry, leave, acceleration, jerk), why


def _smooth(entry: BlendEnd, leave: BlendEnd, acceleration: float, jerk: float) -> Curve:
    """Return the quintic between two ends that is passed in the shortest time at even speed.

    Full ends make the middle sharp, meagre ones make the curvature rise quickly.
    """
    u = np.linspace(0.0, 1.0, 41)
    curves = []
    for fullness in _FULLNESS:
        ends = []
        for end in (entry, leave):
            c = fullness * end.reach
            ends.append(np.array([end.state[0], c * end.state[1], c * c * end.state[2]]))
        curves.append(hermite(ends[0], ends[1], 1.0))
    given = np.concatenate([curve.derivatives(u) for curve in curves])
    speed = np.linalg.norm(given[:, 1], axis=1).reshape(len(curves), -1)
    smooth = speed.min(axis=1) > 1e-3 * speed.mean(axis=1)
    given[:, 1] += 1e-12 * (given[:, 1] == 0.0).all(axis=1)[:, None]
    bend = np.linalg.norm(by_arc_length(given)[:, 2:], axis=2).reshape(len(curves), -1, 2)
    largest = np.maximum(bend.max(axis=1), 1e-9)
    fastest = np.minimum(
        np.sqrt(_CURVATURE * acceleration / largest[:, 0]), np.cbrt(jerk / largest[:, 1])
    )
    times = np.where(smooth, speed.mean(axis=1) / fastest, np.inf)
    best = curves[int(np.argmin(times))]
    return polynomial_curve(best)


def _corner_arc(start: Array, before: Array, after: Array, reach: float, angle: float) -> Arc:
    radius = reach / math.tan(0.5 * angle)
    inwards = after - (after @ before) * before
    inwards /= np.linalg.norm(inwards)
    return Arc(start + radius * inwards, -inwards, before, radius, angle)


@dataclass(frozen=True, slots=True, eq=False)
class BuiltSegment:
    """A segment with its geometry.

    Args:
        segment: What was asked for.
        geometry: What it is in space.
    """

    segment: PathSegment
    geometry: Geometry


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
    known = line_corners(
        [(part.segment, part.geometry) for part in parts],
        jerk,
        (STRAIGHT, REVERSAL),
        _FULLNESS,
        _CURVATURE,
    )
    _tell_shrunk(parts, known, notices)
    for k, part in enumerate(parts):
        corner = known.found.get(k)
        if corner is None and k > 0:
            corner = _corner(parts[k - 1], part, notices, jerk)
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
        return PASSED
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


def _tell_shrunk(parts: Sequence[BuiltSegment], known: LineCorners, notices: list[Notice]) -> None:
    """Add notices of blends that are smaller than wished, one for all where they are many."""
    shrunk = known.shrunk
    if len(shrunk) <= _TOLD:
        for k in shrunk:
            _reaches(parts[k - 1], parts[k], notices)
        return
    least, most = (1e3 * choose(shrunk.values()) for choose in (min, max))
    text = (
        f"blend radii shrunk to half of a segment at this and {len(shrunk) - 1} other corners, to "
        f"between {least:.4g} and {most:.4g} mm"
    )
    first = parts[min(shrunk) - 1].segment
    notices.append(Notice(first.label, "at its end", "", text))


def _goes_on(pa: Array, pb: Array, wa: Array, wb: Array, angle: float) -> bool:
    """Whether tangent, curvature and turning go on without a jump."""
    bend = float(np.linalg.norm(pa[2] - pb[2]))
    turning = float(np.abs(wa[:2] - wb[:2]).max())
    size = 1.0 + float(np.linalg.norm(pa[2]))
    return (
        angle < STRAIGHT
        and bend < SAME_RATE * size
        and turning < SAME_RATE * (1 + np.abs(wa).max())
    )


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
        one, two = a.curve.length - before, after
        kept = _common_direction(a.orientation, b.orientation, one, two)
        first = _inclination_at(a, a.orientation, one, kept)
        last = _inclination_at(b, b.orientation, two, kept)
        turns = np.round((last[0] - first[0]) / (2.0 * np.pi))
        last[0] -= 2.0 * np.pi * turns
        around = None if kept is None else Piecewise(np.array([0.0, length]), np.array([[[kept]]]))
        return Inclined(hermite(first, last, length), a.orientation.centre, around)
    _, R0, w0 = a.at(a.curve.length - before)
    _, R1, w1 = b.at(after)
    return quaternion_blend((R0, w0), (R1, w1), length)


def _common_direction(a: Inclined, b: Inclined, one: float, two: float) -> float | None:
    """Return φ [rad] of the upright plane in which both segments lie there; None: in no common."""
    if a.around is None or b.around is None:
        return None
    phi = float(a.around.derivatives(np.array([one]))[0, 0, 0])
    other = float(b.around.derivatives(np.array([two]))[0, 0, 0])
    return phi if abs(np.sin(other - phi)) < UPRIGHT else None


def _inclination_at(built: Geometry, orientation: Inclined, s: float, phi: float | None) -> Array:
    """Return β and γ with two derivatives, about φ, or about the tool point's own. Shape (3, 2)."""
    at = np.array([s])
    angles = orientation.angles.derivatives(at)[0, :3].copy()
    if orientation.around is None:
        return angles
    if phi is None:
        x, y = built.curve.evaluate(at)[0, 0, :2] - orientation.centre
        phi = float(np.arctan2(y, x))
    if np.cos(orientation.around.derivatives(at)[0, 0, 0] - phi) < 0.0:
        # the same orientation, seen from the other side of the axis
        angles[:, 0] *= -1.0
        angles[0, 1] += np.pi
    return angles


def _track(parts: list[BuiltSegment], corners: list[Corner]) -> Track:
    curves: list[CurveSpan] = []
    orientations: list[OrientationSpan] = []
    for k, part in enumerate(parts):
        curve, number = part.geometry.curve, part.segment.number
        come = corners[k - 1] if k else None
        go = corners[k] if k < len(corners) else None
        first = come.after if come else 0.0
        last = curve.length - (go.before if go else 0.0)
        least = max(_REST, 1e-9 * curve.length)
        if last - first > least:
            curves.append(CurveSpan(curve, first, last - first, number))
        begin = come.turn_after if come else 0.0
        finish = curve.length - (go.turn_before if go else 0.0)
        if finish - begin > least:
            orientations.append(OrientationSpan(part.geometry.orientation, begin, finish - begin))
        if go is not None and go.curve is not None:
            curves.append(CurveSpan(go.curve, 0.0, go.curve.length, number, is_blend=True))
        if go is not None and go.orientation is not None and go.curve is not None:
            length = go.turn_before - go.before + go.curve.length + go.turn_after - go.after
            orientations.append(OrientationSpan(go.orientation, 0.0, length))
    return Track(tuple(curves), tuple(orientations))
