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
from armwerk.motion.kernels.following import Tolerances, ToolPoints, refine
from armwerk.motion.path.marching import ON_CURVE, STEP, BranchPoints
from armwerk.motion.path.track import Track
from armwerk.motion.path.wishes import ArmSurroundings, SpareJoints, Wishes

MARGIN = 0.1
"""[rad or m] from a stop within which a joint is pushed back, where its range leaves that."""
_ROUNDS = 60
_PATIENCE = 10  # rounds in which joints must come nearer to their ranges, or they never will
_NEARER = 0.9  # of what a joint was beyond a stop that counts as nearer
_STOPS = 30.0  # weight of a joint within its margin against the way of the joints
_FIRM = 10.0  # times that weight, where a joint gives way at its stop
_SINGULAR = 5.0  # weight of the logarithm of the manipulability's square
_BODIES = 100.0  # weight of a body within the clearance
_ASIDE = 1e-3  # [rad or m] at which costs are compared
_SHARES = (1.0, 0.3, 0.1, 0.03)  # of the weights that are tried until the joints can follow
_BAND = 0.12  # of a joint's range to each side in which it leans towards its middle
_LEAN = 0.3  # of the way out of the band that is made at each point
_ENDS = 1e3  # weight of the wanted end
_LONGEST = 0.15  # [rad or m] by which joints may be moved in one round
_STILL = 1e-7  # [rad or m] of a round that changes nothing any more
_THERE = 1e-6  # [rad or m] within which an end counts as the wanted one
_DAMPING = 1e-6

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

        if fits(points):
            return points
        first: BranchPoints | None = None
        for way, weight in _ways(model, track, points):
            found = _relaxed(model, track, way, end, weight * spare.stops)
            if fits(found):
                return found
            first = first or found
        return first or points

    return shaped


def _ways(
    model: SerialModel, track: Track, points: BranchPoints
) -> Iterator[tuple[BranchPoints, float]]:
    """Yield ways to begin with, and what stops then count: the easiest first."""
    yield points, 1.0
    # the way of least motion ends at a stop: one that keeps off all of them from its start
    leaning = _leaning(model, track, points)
    yield leaning, 1.0
    yield points, _FIRM
    yield leaning, _FIRM


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
    s = points.s[first]
    poses, _ = track.evaluate(s)
    q = points.motions[first, 0].copy()
    low, high = model.chain.limits.T
    least, waited = np.inf, 0
    for _ in range(_ROUNDS):
        step = _step(model, q, s, end, stops, cost, share)
        longest = float(np.abs(step).max())
        q[1:] += step[1:] * min(1.0, _LONGEST / max(longest, 1e-12))
        q = _on_poses(model, q, poses, s)
        if not np.isfinite(q).all() or np.abs(np.diff(q, axis=0)).max() > 2.0 * STEP:
            return points
        if longest < _STILL:
            break
        beyond = float(np.maximum(low - q, q - high).max())
        nearer = beyond < _NEARER * least
        least, waited = (beyond, 0) if nearer else (least, waited + 1)
        if cost is None and beyond > _STILL and waited > _PATIENCE:
            break  # it swings to and fro between stops
    if end is not None:
        if np.abs(q[-1] - end).max() > _THERE:
            return points
        q[-1] = end
    from scipy.interpolate import make_interp_spline

    fitted = make_interp_spline(s, q, k=5)
    rates = [fitted.derivative(order)(points.s) for order in (1, 2, 3)]
    return points._replace(motions=np.stack([q[place], *rates], axis=1))


def _leaning(model: SerialModel, track: Track, points: BranchPoints) -> BranchPoints:
    """Return points from each of which the joints lean away from their stops to the next."""
    low, high = model.chain.limits.T
    band = _BAND * np.where(np.isfinite(high - low), high - low, 0.0)
    s = points.s
    poses, _ = track.evaluate(s)
    q = points.motions[:, 0].copy()
    for k in range(1, len(s)):
        if s[k] > s[k - 1]:
            jacobian = jacobian_batch(model.chain.constants, q[k - 1 : k])[0]
            free = _free_directions(jacobian)
            push = np.maximum(low + band - q[k - 1], 0.0) - np.maximum(q[k - 1] - high + band, 0.0)
            aside = _LEAN * free.T @ (free @ push)
            guess = q[k - 1] + aside * min(1.0, 0.5 * STEP / max(float(np.abs(aside).max()), 1e-12))
            q[k] = _on_poses(model, guess[None], poses[k : k + 1], s[k : k + 1])[0]
            if not np.isfinite(q[k]).all():
                return points
        else:
            q[k] = q[k - 1]
    motions = points.motions.copy()
    motions[:, 0] = q
    return points._replace(motions=motions)


def _step(
    model: SerialModel,
    q: Array,
    s: Array,
    end: Array | None,
    stops: float,
    cost: Cost | None,
    share: float,
) -> Array:
    """Return by how much the joints are to be moved at each point. Shape (k, n)."""
    count = len(q)
    jacobian = jacobian_batch(model.chain.constants, np.ascontiguousarray(q))
    jacobian[:, :3] /= model.chain.scale
    free = _free_directions(jacobian)
    r = free.shape[1]
    weights = (s[-1] / np.diff(s) / count)[:, None, None]
    change = np.diff(q, axis=0)[:, :, None]
    # normal equations, block by block: what a point has to do with itself and with the one before
    own = np.zeros((count, r, r))
    own[1:] += weights * np.eye(r)
    own[:-1] += weights * np.eye(r)
    before = -weights * (free[1:] @ np.swapaxes(free[:-1], 1, 2))
    right = np.zeros((count, r, 1))
    right[1:] -= weights * (free[1:] @ change)
    right[:-1] += weights * (free[:-1] @ change)
    low, high = model.chain.limits.T
    margin = np.minimum(MARGIN, 0.1 * np.where(np.isfinite(high - low), high - low, 1.0))
    push = np.maximum(low + margin - q, 0.0) - np.maximum(q - high + margin, 0.0)
    near = stops * (_STOPS / count) ** 2 * free * (push != 0.0)[:, None]
    own += near @ np.swapaxes(free, 1, 2) + _DAMPING * np.eye(r)
    right += near @ push[:, :, None]
    if cost is not None:
        slope, bend = _derivatives(cost, q, free)
        right[:, :, 0] -= share * slope / count**2
        own[:, range(r), range(r)] += share * np.maximum(bend, np.abs(slope)) / count**2
    if end is not None:
        own[-1] += _ENDS**2 * np.eye(r)
        right[-1] += _ENDS**2 * (free[-1] @ (end - q[-1])[:, None])
    amounts = np.zeros((count, r))
    amounts[1:] = _block_solution(own[1:], before[1:], right[1:, :, 0])
    return np.asarray(np.einsum("krn,kr->kn", free, amounts))


def _free_directions(jacobian: Array) -> Array:
    """Return unit motions of the joints that leave the tool, across one another. (…, n - 6, n).

    Orthogonal factors give them in a quarter of the time that singular values take.

    Args:
        jacobian: Shape (…, 6, n), n more than 6.
    """
    whole = np.linalg.qr(np.swapaxes(jacobian, -1, -2), mode="complete")[0]
    return np.asarray(np.swapaxes(whole[..., 6:], -1, -2))


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


def _block_solution(own: Array, before: Array, right: Array) -> Array:
    """Return the solution of symmetric equations that join each point with its neighbours.

    Args:
        own: Blocks on the diagonal. Shape (k, r, r).
        before: Blocks left of it, from the second on. Shape (k - 1, r, r).
        right: Shape (k, r).
    """
    from scipy.linalg import solveh_banded

    count, r = right.shape
    band = np.zeros((2 * r, count * r))
    for row in range(r):
        for column in range(r):
            if row >= column:
                band[row - column, column::r] = own[:, row, column]
            band[r + row - column, column : (count - 1) * r : r] = before[:, row, column]
    return np.asarray(solveh_banded(band, right.ravel(), lower=True).reshape(count, r))


def _on_poses(model: SerialModel, q: Array, poses: Array, s: Array) -> Array:
    """Return configurations put back onto their poses by steps of least size."""
    guesses = np.zeros((len(q), 4, q.shape[1]))
    guesses[:, 0] = q
    goals = ToolPoints(s, poses, np.zeros((len(s), 3, 6)))
    tolerances = Tolerances(model.chain.scale, ON_CURVE, 2.0 * STEP)
    off, found, _ = refine(model.chain.constants, goals, guesses, tolerances)
    return np.where(off[:, 1:] < ON_CURVE, found[:, 0], np.nan)
