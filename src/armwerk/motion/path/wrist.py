"""Straight ways past the singularities of a wrist, the tool's orientation within a tolerance.

In: a track, joint values at its start, and by how much the orientation may differ. Out: the track
with orientations that spare the arm the turn by which it would change its wrist from one
configuration to the other; the tool point stays exactly on its curve.

Around a place where joints turn fast, the last three joints run on polynomials from where they are
before it to where they are behind it in the other configuration, the nearer one. The others follow
from the tool point. The widest such stretch is taken that keeps the tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from armwerk.arrays import Array
from armwerk.geometry import separation
from armwerk.mechanics.choice import distance
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.kernels.following import Tolerances, ToolPoints, refine
from armwerk.motion.kernels.hermite import between_points
from armwerk.motion.path.loosening import turning
from armwerk.motion.path.marching import ON_CURVE, STEP, BranchPoints, LostError, march
from armwerk.motion.path.opening import is_singular
from armwerk.motion.path.track import OrientationSpan, Track

ARM = 3  # joints in front of a wrist
_FAST = 4.0  # times the usual rate from which on joints count as turning fast
_WORTH = 0.3  # [rad] of a turn that is worth sparing
_OTHER = 0.3  # [rad] by which joints of the other configuration differ at least
_FAR = 1.0  # [rad] by which they may differ from those before the place
_WIDEST, _NARROWEST = 0.1, 1e-4  # [m] to each side
_DEGREE = 20
_LOOKS = 65
_NARROWER, _FEWER = 0.7, 0.35  # each width tried after the one before, and in haste
_PLACES = 16  # on one track
_NEWTON = 12


@dataclass(frozen=True, slots=True, eq=False)
class WristTurn:
    """The orientation of an arm whose wrist runs on polynomials, its tool point on a curve.

    Args:
        model: Of the arm.
        ends: Arc lengths between which it holds [m]. Shape (2,).
        motions: q, q', q'', q''' by arc length there. Shape (2, 4, n).
        correction: What the first joints add to the polynomial between, as a series of Chebyshev
            over the stretch. Shape (k, 3).
    """

    model: SerialModel
    ends: Array
    motions: Array
    correction: Array

    def joints(self, s: Array) -> Array:
        """Return q, q', q'', q''' at arc lengths. Shape (m, 4, n)."""
        inside = np.clip(s, *self.ends)
        found = between_points(self.ends, self.motions, inside, False)
        half = 0.5 * (self.ends[1] - self.ends[0])
        x = (inside - self.ends[0]) / half - 1.0
        for order in range(4):
            series = chebyshev.chebder(self.correction, order) if order else self.correction
            found[:, order, :ARM] += chebyshev.chebval(x, series).T / half**order
        return found

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R and ω, ω', ω''. Shapes (m, 3, 3)."""
        return turning(self.model, self.joints(s))


def eased(
    model: SerialModel, track: Track, q: Array, tolerance: float, hasty: bool = False
) -> Track:
    """Return a track on which the arm passes its wrist's singularities straight, where it can.

    Args:
        model: Of an arm with six joints.
        track: Where the tool goes.
        q: Joint values at its start. Shape (n,).
        tolerance: By which the orientation may differ [rad].
        hasty: Whether few widths are tried.
    """
    passed: list[float] = []
    places, points = _places(model, track, q)
    for _ in range(_PLACES):
        place = next((s for s in places if s not in passed), None)
        if place is None or points is None:
            return track
        passed.append(place)
        better = _passed(model, track, points, place, tolerance, _FEWER if hasty else _NARROWER)
        if better is not None:
            track = better
            places, points = _places(model, track, q)
    return track


def _places(model: SerialModel, track: Track, q: Array) -> tuple[list[float], BranchPoints | None]:
    """Return arc lengths where the wrist may be in the way [m], and what there is of the branch.

    Axes of a wrist that all but meet, as those of a calibrated arm, leave a gap that no turn leads
    over: the branch ends there.
    """
    try:
        points = march(track, model.chain.constants, model.chain.scale, q)
    except LostError as lost:
        if lost.before is None:
            return [], None
        return [*_fast_places(lost.before), lost.s], lost.before
    return list(_fast_places(points)), points


def _fast_places(points: BranchPoints) -> Iterator[float]:
    """Yield arc lengths where joints turn fastest, of stretches worth sparing [m]."""
    rates = np.abs(points.motions[:, 1]).max(axis=1)
    fast = rates > _FAST * np.median(rates)
    borders = np.flatnonzero(np.diff(np.concatenate([[False], fast, [False]]).astype(int)))
    for first, behind in borders.reshape(-1, 2):
        rows = points.motions[first:behind, 0]
        if np.abs(np.diff(rows, axis=0)).sum(axis=0).max(initial=0.0) > _WORTH:
            yield float(points.s[first + np.argmax(rates[first:behind])])


def _passed(
    model: SerialModel,
    track: Track,
    points: BranchPoints,
    place: float,
    tolerance: float,
    narrower: float,
) -> Track | None:
    """Return the track with the widest straight way past a place; None: there is none."""
    width = min(_WIDEST, 0.45 * track.length)
    while width > _NARROWEST:
        ends = np.array([place - width, place + width])
        if ends[0] > 0.0 and ends[1] < track.length:
            turn = _straight_way(model, track, points, ends)
            if turn is not None and _deviation(turn, track) <= tolerance:
                return _with_span(track, turn)
        width *= narrower
    return None


def _straight_way(
    model: SerialModel, track: Track, points: BranchPoints, ends: Array
) -> WristTurn | None:
    """Return the way between two places with the wrist of the other configuration behind."""
    poses, twists = track.evaluate(ends)
    near = [points.motions[np.argmin(np.abs(points.s - s)), 0] for s in ends]
    last = _nearest(model, poses[1], near[0])
    if last is None:
        return None
    if points.s[-1] >= ends[1] and np.abs(last - near[1]).max() < _OTHER:
        return None
    first = _nearest(model, poses[0], near[0])
    if first is None or np.abs(last - first).max() > _FAR:
        return None
    if is_singular(model, first) or is_singular(model, last):
        return None  # the arm does not pass the place, it runs within it
    guesses = np.zeros((2, 4, model.dof))
    guesses[:, 0] = first, last
    tolerances = Tolerances(model.chain.scale, ON_CURVE, 2.0 * STEP)
    _, motions, _ = refine(
        model.chain.constants, ToolPoints(ends, poses, twists), guesses, tolerances
    )
    if not np.isfinite(motions).all():
        return None
    bare = WristTurn(model, ends, motions, np.zeros((1, ARM)))
    return _on_curve(bare, track)


def _nearest(model: SerialModel, pose: Array, q: Array) -> Array | None:
    """Return the solution of a pose (3, 4) nearest to q, whatever the limits. Shape (n,)."""
    whole = np.vstack([pose, [0.0, 0.0, 0.0, 1.0]])
    solutions = model.ik(whole)
    if not len(solutions):
        return None
    turns = np.where(model.chain.revolute, 2.0 * np.pi * np.round((q - solutions) / (2 * np.pi)), 0)
    rows = solutions + turns
    return np.asarray(rows[np.argmin(distance(model.chain, rows, q))])


def _on_curve(bare: WristTurn, track: Track) -> WristTurn | None:
    """Return the way whose first joints keep the tool point on the curve; None: they cannot."""
    x = np.cos(np.pi * np.arange(_DEGREE + 1) / _DEGREE)[::-1]
    s = bare.ends[0] + 0.5 * (x + 1.0) * (bare.ends[1] - bare.ends[0])
    q = bare.joints(s)[:, 0]
    start = q[:, :ARM].copy()
    wanted = track.evaluate(s)[0][:, :, 3]
    model = bare.model
    for _ in range(_NEWTON):
        off = wanted - model.fk(np.ascontiguousarray(q))[:, :3, 3]
        jacobian = model.jacobian(np.ascontiguousarray(q))[:, :3, :ARM]
        if np.abs(np.linalg.det(jacobian)).min() < 1e-9 * model.chain.scale**3:
            return None
        step = np.linalg.solve(jacobian, off[:, :, None])[:, :, 0]
        if np.abs(step).max() > 0.5:
            return None
        q[:, :ARM] += step
        if np.abs(step).max() < 1e-15:
            break
    correction = q[:, :ARM] - start
    correction[[0, -1]] = 0.0
    series = np.asarray(chebyshev.chebfit(x, correction, _DEGREE), dtype=np.float64)
    return WristTurn(model, bare.ends, bare.motions, series)


def _deviation(turn: WristTurn, track: Track) -> float:
    """Return by how much the orientation differs at most [rad]; infinite off the curve."""
    s = np.linspace(turn.ends[0], turn.ends[1], _LOOKS)
    wanted = track.evaluate(s)[0]
    found = turn.model.fk(np.ascontiguousarray(turn.joints(s)[:, 0]))
    if np.abs(found[:, :3, 3] - wanted[:, :, 3]).max() > 1e-10:
        return np.inf
    return float(separation(found, _whole(wanted))[1].max())


def _whole(poses: Array) -> Array:
    out = np.tile(np.eye(4), (len(poses), 1, 1))
    out[:, :3] = poses
    return out


def _with_span(track: Track, turn: WristTurn) -> Track:
    """Return the track with the orientation of a stretch replaced."""
    low, high = turn.ends
    spans: list[OrientationSpan] = []
    begin = 0.0
    for span in track.orientations:
        end = begin + span.length
        if begin < low:
            spans.append(OrientationSpan(span.orientation, span.first, min(end, low) - begin))
        if begin <= low < end:
            spans.append(OrientationSpan(turn, low, high - low))
        if end > high:
            skipped = max(high - begin, 0.0)
            spans.append(
                OrientationSpan(span.orientation, span.first + skipped, end - begin - skipped)
            )
        begin = end
    return Track(track.curves, tuple(spans))


def deviations(asked: Track, driven: Track) -> tuple[float, float] | None:
    """Return where on a track the orientation differs most [m], and by how much [rad]."""
    turns = [zone.orientation for zone in driven.orientations]
    found = [(one, _deviation(one, asked)) for one in turns if isinstance(one, WristTurn)]
    if not found:
        return None
    turn, most = max(found, key=lambda pair: pair[1])
    return float(turn.ends.mean()), most
