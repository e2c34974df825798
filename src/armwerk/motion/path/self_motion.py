"""What an arm with joints to spare does with them along a track.

In: the branch that moves the joints least from point to point. Out: the same poses with joints
that keep off their stops and, on wish, end where they are wanted.

At each point the joints can move in some directions B without moving the tool. How far they are
moved there, a, is what makes

    Σ |Δ(q + B a)|² / Δs  +  what joints come nearer to a stop than their margin, squared
                          +  - log of the manipulability  +  what bodies come nearer, squared

least, each with its weight; after each step Newton's method puts the tool back onto its poses. The
start stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.kernels.jacobian import jacobian_batch
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves.interpolating import interpolating_spline
from armwerk.motion.kernels.following import Tolerances
from armwerk.motion.kernels.relaxing import (
    Relaxed,
    RelaxedTrack,
    Rounds,
    free_directions,
    leaning,
    may_keep_stops,
    relaxed,
)
from armwerk.motion.path.marching import ON_CURVE, STEP, BranchPoints
from armwerk.motion.path.track import Track
from armwerk.motion.path.wishes import ArmSurroundings, SpareJoints, Wishes

MARGIN = 0.1
"""[rad or m] from a stop within which a joint is pushed back, where its range leaves that."""
_STOPS = 30.0  # weight of a joint within its margin against the way of the joints
_FIRM = 10.0  # times that weight, where a joint gives way at its stop
_SINGULAR = 5.0  # weight of the logarithm of the manipulability's square
_BODIES = 100.0  # weight of a body within the clearance
_ASIDE = 1e-3  # [rad or m] at which costs are compared
_SHARES = (1.0, 0.3, 0.1, 0.03)  # of the weights that are tried until the joints can follow
_BAND = 0.12  # of a joint's range to each side in which it leans towards its middle
_LEAN = 0.3  # of the way out of the band that is made at each point
_STIFF = 1e-9  # share of a self-motion below which a joint takes no part in it
_ROUNDS = Rounds(most=60, patience=10, still=1e-7, apart=2.0 * STEP)
_THERE = 1e-6  # [rad or m] within which an end counts as the wanted one

Shaping = Callable[[BranchPoints], BranchPoints]
Cost = Callable[[Array], Array]
"""Of configurations (m, n), one number each."""


def shaping(model: SerialModel, track: Track, end: Array | None, wishes: Wishes) -> Shaping | None:
    """Return what makes better use of joints to spare; None: none are there, or none is wished.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        end: Joint values wanted at its end; None: any. Shape (n,).
        wishes: What joints to spare are used for.
    """
    spare = wishes.spare
    if model.dof <= 6 or spare is None:
        return None
    cost = _cost(model, spare, wishes.around)

    def shaped(points: BranchPoints) -> BranchPoints:
        low, high = model.chain.limits.T
        for share in _SHARES if cost is not None else ():
            found = _relaxed(model, track, points, end, spare.stops, cost, share)
            if found is not points:
                return found

        def fits(one: BranchPoints) -> bool:
            q = one.motions[:, 0]
            inside = ((q >= low) & (q <= high)).all()
            return bool(inside and (end is None or np.abs(q[-1] - end).max() < _THERE))

        if fits(points) or not _give_way(model, points):
            return points
        first: BranchPoints | None = None
        for way, weight in _ways(model, track, points, wishes.hasty):
            found = _relaxed(model, track, way, end, weight * spare.stops)
            if fits(found):
                return found
            first = first or found
        return first or points

    return shaped


def _ways(
    model: SerialModel, track: Track, points: BranchPoints, hasty: bool
) -> Iterator[tuple[BranchPoints, float]]:
    """Yield ways to begin with, and what stops then count: the easiest first."""
    # the way of least motion ends at a stop: one that keeps off all of them from its start
    ways = [points, _leaning(model, track, points)]
    if hasty:  # joints that cannot come off their stops step by step do so by a leap now and then
        ways = [way for way in ways if _may_fit(model, track, way)]
    for weight in (1.0, _FIRM):
        for way in ways:
            yield way, weight


def _cost(model: SerialModel, spare: SpareJoints, around: ArmSurroundings | None) -> Cost | None:
    """Return what configurations cost beside their stops; None: nothing."""
    parts: list[Cost] = []
    if spare.singular > 0.0:

        def stretched(rows: Array) -> Array:
            jacobian = jacobian_batch(model.chain.constants, np.ascontiguousarray(rows))
            jacobian[:, :3] /= model.chain.scale
            _, logarithm = np.linalg.slogdet(jacobian @ np.swapaxes(jacobian, 1, 2))
            return np.asarray(-_SINGULAR * spare.singular * np.maximum(logarithm, -60.0))

        parts.append(stretched)
    if spare.bodies > 0.0 and around is not None:

        def close(rows: Array) -> Array:
            short = np.maximum(spare.clearance - around.clearances(model.arm, rows), 0.0)
            return np.asarray(_BODIES * spare.bodies * (short / max(spare.clearance, 1e-9)) ** 2)

        parts.append(close)
    return (lambda rows: np.sum([part(rows) for part in parts], axis=0)) if parts else None


def _relaxed(
    model: SerialModel,
    track: Track,
    points: BranchPoints,
    end: Array | None,
    stops: float,
    cost: Cost | None = None,
    share: float = 1.0,
) -> BranchPoints:
    """Return points moved along the self-motion of the arm; those given where that fails."""
    first = np.append(True, np.diff(points.s) > 0.0)
    place = np.cumsum(first) - 1  # of each point among those that differ
    constants, tolerances = model.chain.constants, _tolerances(model)
    q = np.ascontiguousarray(points.motions[first, 0])
    low, high = model.chain.limits.T
    margin = np.minimum(MARGIN, 0.1 * np.where(np.isfinite(high - low), high - low, 1.0))
    given = _given(model, track, points.s[first], margin)
    given = given._replace(stops=stops * (_STOPS / len(q)) ** 2)
    if end is not None:
        given = given._replace(end=np.ascontiguousarray(end))
    if cost is None:
        found = relaxed(constants, given, q, _ROUNDS, tolerances)
    else:
        found = Relaxed(True, False, 0, q)
        while found.fits and not found.rests and found.rounds < _ROUNDS.most:
            free = free_directions(constants, found.q, tolerances.scale)
            slope, bend = _derivatives(cost, found.q, free)
            weight = share / len(q) ** 2
            firm = weight * np.maximum(bend, np.abs(slope))
            given = given._replace(slope=weight * slope, bend=firm)
            one = relaxed(constants, given, found.q, _ROUNDS._replace(most=1), tolerances)
            found = one._replace(rounds=found.rounds + 1)
    if not found.fits:
        return points
    q = found.q
    if end is not None:
        if np.abs(q[-1] - end).max() > _THERE:
            return points
        q[-1] = end
    motions = interpolating_spline(given.s, q, 5).rates(given.s)
    motions[:, 0] = q
    return points._replace(motions=motions[place])


def _given(model: SerialModel, track: Track, s: Array, margin: Array) -> RelaxedTrack:
    """Return what joint values are wanted for at arc lengths; stops and costs count nothing yet."""
    low, high = (np.ascontiguousarray(stop) for stop in model.chain.limits.T)
    even = np.zeros((len(s), model.dof - 6))
    poses = track.evaluate(s)[0]
    return RelaxedTrack(
        np.ascontiguousarray(s), poses, low, high, margin, 0.0, np.empty(0), even, even
    )


def _tolerances(model: SerialModel) -> Tolerances:
    return Tolerances(model.chain.scale, ON_CURVE, 2.0 * STEP)


def _leaning(model: SerialModel, track: Track, points: BranchPoints) -> BranchPoints:
    """Return points from each of which the joints lean away from their stops to the next."""
    low, high = model.chain.limits.T
    band = _BAND * np.where(np.isfinite(high - low), high - low, 0.0)
    first = np.append(True, np.diff(points.s) > 0.0)
    given = _given(model, track, points.s[first], band)
    start = np.ascontiguousarray(points.motions[0, 0])
    meets, q = leaning(model.chain.constants, given, start, _LEAN, _tolerances(model))
    if not meets:
        return points
    motions = points.motions.copy()
    motions[:, 0] = q[np.cumsum(first) - 1]
    return points._replace(motions=motions)


def _give_way(model: SerialModel, points: BranchPoints) -> bool:
    """Return whether each joint that is beyond a stop takes part in self-motions of the arm.

    An elbow between two wrists does not: where the tool is tells how far it is bent.
    """
    q = np.ascontiguousarray(points.motions[:, 0])
    low, high = model.chain.limits.T
    beyond = ((q < low) | (q > high)).any(axis=0)
    free = free_directions(model.chain.constants, q, model.chain.scale)
    return bool((np.abs(free).max(axis=(0, 1))[beyond] > _STIFF).all())


def _may_fit(model: SerialModel, track: Track, points: BranchPoints) -> bool:
    """Return whether joints may come off their stops where they are farthest beyond.

    A self-motion that keeps the pose is walked round there.
    """
    q = np.ascontiguousarray(points.motions[:, 0])
    given = _given(model, track, points.s, np.zeros(model.dof))
    beyond = np.maximum(given.low - q, q - given.high).max(axis=1)
    worst = int(np.argmax(beyond))
    if model.dof > 7 or not beyond[worst] > 0.0:
        return True
    return may_keep_stops(model.chain.constants, given, worst, q[worst], _tolerances(model))


def _derivatives(cost: Cost, q: Array, free: Array) -> tuple[Array, Array]:
    """Return slope and bend of a cost along the free directions. Shapes (k, r)."""
    count, r, n = free.shape
    ways = _ASIDE * free.transpose(1, 0, 2)  # (r, k, n)
    rows = np.concatenate([q[None], q + ways, q - ways]).reshape(-1, n)
    values = cost(rows).reshape(2 * r + 1, count)
    ahead, behind = values[1 : 1 + r], values[1 + r :]
    slope = (ahead - behind) / (2.0 * _ASIDE)
    bend = (ahead + behind - 2.0 * values[0]) / _ASIDE**2
    return slope.T, bend.T
