"""Blends in joint space: between a Cartesian and a joint-space segment, or two of the latter.

In: two parts of a run and the radius about the via point between them. Out: how much of both parts
the blend takes, and the blend itself; nothing where the arm has to stop there.

A blend is a quintic that takes over q, q' and q'' of both neighbours where the tool enters and
leaves the sphere about the via point. Where these are large, next to a singularity say, it would
swing far off, over a stop perhaps. The nearer to the via point it begins and ends, the less it
swings; so its ends are brought nearer until it keeps to its corner and to the stops of the joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves.piecewise import hermite
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.segments import PathSegment
from armwerk.motion.path.stop_to_stop import JointCurve, RunPart
from armwerk.motion.trajectory.summary import Notice

_MIN_LENGTH = 1e-6
_SPOT = 1e-9  # [m] within which the tool stays where it is
_SHRINKS = 12  # times that a blend is halved before the arm has to stop
_SWING = 1.5  # of the farther end's way to the corner that the blend may be off the corner
_LOOKS = np.linspace(0.0, 1.0, 33)  # at the swing, which needs no more than an estimate
_SLACK = 1e-9  # [rad or m] by which a stop may be passed


@dataclass(frozen=True, slots=True, eq=False)
class RunItem:
    """A part of a run before blends, with what messages need.

    Args:
        part: All of it.
        segment: The one it ends with.
        built: The Cartesian segments in it.
        passes: Whether the next part follows without a stop, by a blend in joint space.
    """

    part: RunPart
    segment: PathSegment
    built: tuple[BuiltSegment, ...]
    passes: bool


class JointBlend(NamedTuple):
    """A blend between two parts.

    Args:
        before: How much of the first part it takes.
        after: How much of the second one.
        part: What is driven instead.
    """

    before: float
    after: float
    part: RunPart


class _Cuts(NamedTuple):
    """How much of both parts a blend takes."""

    before: float
    after: float


def joint_blend(
    model: SerialModel, one: RunItem, two: RunItem, notices: list[Notice]
) -> JointBlend | None:
    """Return the blend from a part to the next; None: the arm has to stop between them.

    Args:
        model: Of the arm.
        one: The part before.
        two: The part behind.
        notices: To which is added what differs from what was asked for.
    """
    wanted = _wanted(model, one, two, notices)
    corner = two.part.source.evaluate(np.zeros(1))[0][0, 0]
    for count, cuts in enumerate(_nearer(wanted)):
        part = _blend(one, two.part, cuts)
        if _keeps_to_corner(model, part, corner):
            if count:
                notices.append(_shrunk(model, one, cuts))
            return JointBlend(*cuts, part)
    text = "no blend: however small, it would swing far off or over a stop, so the arm stops there"
    notices.append(Notice(one.segment.label, "at its end", "", text))
    return None


def _wanted(model: SerialModel, one: RunItem, two: RunItem, notices: list[Notice]) -> _Cuts:
    """Return how much of both parts the blend's radius takes, at most half of a segment."""
    radius = one.segment.blend.radius
    found = []
    for item, at_end in ((one, True), (two, False)):
        source = item.part.source
        longest = 0.5 * _last_length(item, at_end)
        way = np.linspace(0.0, longest, 65)
        s = source.length - way if at_end else way
        points = model.fk(source.evaluate(s)[0][:, 0])[:, :3, 3]
        far = np.linalg.norm(points - points[0], axis=1)
        outside = np.flatnonzero(far >= radius)
        if len(outside):
            k = int(outside[0])
            found.append(float(np.interp(radius, far[k - 1 : k + 1], way[k - 1 : k + 1])))
            continue
        found.append(longest)
        if far[-1] < _SPOT:
            continue  # a turn on the spot has no radius to speak of
        text = (
            f"blend radius shrunk from {1e3 * radius:.4g} to {1e3 * far[-1]:.4g} mm, half of "
            f"{item.segment.label}"
        )
        notices.append(Notice(one.segment.label, "at its end", "", text))
    return _Cuts(*found)


def _nearer(wanted: _Cuts) -> Iterator[_Cuts]:
    """Yield the cuts that are wanted, then those nearer to the corner and nearer."""
    yield wanted
    before, after = wanted
    for _ in range(_SHRINKS):
        before, after = 0.5 * before, 0.5 * after
        yield _Cuts(before, after)
        # as much of both: between straight parts such a blend stays within its corner
        yield _Cuts(min(before, after), min(before, after))


def _blend(one: RunItem, after: RunPart, cuts: _Cuts) -> RunPart:
    """Return the quintic from where one part is left to where the other is entered."""
    last = one.part.length - cuts.before
    start = one.part.source.evaluate(np.array([last]), True)[0][0, :3]
    end = after.source.evaluate(np.array([cuts.after]))[0][0, :3]
    length = max(cuts.before + cuts.after, _MIN_LENGTH)
    curve = JointCurve(hermite(start, end, length), length, one.segment.number)
    fractions = [p.source.fraction for p in (one.part, after) if isinstance(p.source, JointCurve)]
    curve = replace(curve, fraction=max(fractions, default=1.0))
    return RunPart(curve, 0.0, length, np.full((1, 3, 2), np.inf))


def _keeps_to_corner(model: SerialModel, part: RunPart, corner: Array) -> bool:
    """Whether a blend stays near the joint values (n,) at its corner, and off all stops."""
    source = part.source
    assert isinstance(source, JointCurve)
    rows = source.joints(_LOOKS * part.length)[:, 0]
    way = np.abs((rows - corner) * model.chain.metric).max(axis=1)
    if way.max() > _SWING * max(way[0], way[-1]):
        return False
    rows = np.vstack([rows, _turning_rows(model, source)])
    low, high = model.chain.limits.T
    if (rows < low - _SLACK).any() or (rows > high + _SLACK).any():
        return False
    return not model.arm.angle_breach(rows)


def _turning_rows(model: SerialModel, source: JointCurve) -> Array:
    """Return joint values where a joint that may come near a stop turns back. Shape (k, n).

    A quintic lies within the range of its Bernstein coefficients: where these keep to the stops,
    all of it does.
    """
    powers = source.polynomial.coefficients[0] * source.length ** np.arange(6.0)[:, None]
    control = _BERNSTEIN @ powers
    low, high = model.chain.limits.T
    near = ((control < low) | (control > high)).any(axis=0)
    slopes = np.arange(1.0, 6.0)[:, None] * powers[1:]
    roots = np.concatenate([np.zeros(0), *(np.roots(column[::-1]) for column in slopes.T[near])])
    real = (np.abs(roots.imag) < _REAL) & (roots.real > 0.0) & (roots.real < 1.0)
    return source.joints(source.length * roots.real[real])[:, 0]


_REAL = 1e-6  # of a root: imaginary part that is rounding where two roots meet
_BERNSTEIN = np.array(  # binomial(i, k) / binomial(5, k)
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.2, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.4, 0.1, 0.0, 0.0, 0.0],
        [1.0, 0.6, 0.3, 0.1, 0.0, 0.0],
        [1.0, 0.8, 0.6, 0.4, 0.2, 0.0],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    ]
)


def _shrunk(model: SerialModel, one: RunItem, cuts: _Cuts) -> Notice:
    """Return what is said of a blend that was brought nearer to its corner."""
    source = one.part.source
    s = np.array([one.part.length - cuts.before, one.part.length])
    points = model.fk(source.evaluate(s, True)[0][:, 0])[:, :3, 3]
    radius, far = one.segment.blend.radius, float(np.linalg.norm(points[1] - points[0]))
    text = (
        f"blend radius shrunk from {1e3 * radius:.4g} to {1e3 * far:.4g} mm: a larger blend would "
        "swing far off or over a stop"
    )
    return Notice(one.segment.label, "at its end", "", text)


def _last_length(item: RunItem, at_end: bool) -> float:
    """Return how much of the parameter the segment at one end of a part takes."""
    source = item.part.source
    if isinstance(source, JointCurve):
        return source.length
    own = source.track.curves[-1 if at_end else 0].length
    if at_end:
        return source.length - source.parameter(source.track.length - own)
    return source.parameter(own)
