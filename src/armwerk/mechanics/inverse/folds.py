"""Solutions at singular places and close to them, each once.

In: solutions of a pose, some of which may be copies of each other. Out: all solutions next to them,
every one once.

Where the Jacobian J has lost one direction u, solutions lie close together or fall into one, and a
Newton step no longer tells which. Next to such a place the arm can follow the other directions
while one number is left open: with v the joint motion that J takes to (nearly) nothing,

    q(t) = q + t v + w(t),   w(t) such that the pose is met in all directions but u,

and what is missed along u is a function g(t) of that number alone (Lyapunov and Schmidt). Its roots
are the solutions. It is sampled, and cut where its slope vanishes into pieces that rise or fall all
the way: a piece whose ends have different signs holds one root, and a cut at which g is rounding is
a multiple root. So two solutions are two if g between them is more than rounding, however near they
are (about 1e-6 rad for a pair), and one otherwise, however far apart descents ended (up to 1e-3 rad
where three or four fall into one).

Where g is rounding all the way there are infinitely many solutions, and nothing is changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from armwerk.arrays import Array, Flags
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import wrap
from armwerk.mechanics.inverse.interface import TOLERANCE, Task
from armwerk.mechanics.kernels.direct import fk_batch
from armwerk.mechanics.kernels.jacobian import jacobian_batch

SINGULAR = (
    0.02  # smallest singular value, share of the largest, below which solutions may be double
)
_ROUNDING = 3e-15  # [rad or scales] of an error, for a tool within a few scales of the origin
_LONGEST = 0.05  # [rad or scales] how far the curve is followed to either side
_SHARE = 0.25  # of the second smallest singular value: how far the curve is followed at most
_SHORTEST = 1e-4  # [rad or scales] a curve that cannot be followed as far as this is given up
_NODES = 17
_NODE = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
_FIT = np.asarray(np.linalg.inv(chebyshev.chebvander(_NODE, _NODES - 1)))
_CORRECTIONS = 12
_SIZES: dict[Task, int] = {"pose": 6, "position": 3, "direction": 5}  # numbers of each part
_NEAR_AXIS = 0.1  # of the curve: imaginary part up to which a place without slope cuts the curve
_HALVINGS = 40  # steps where two directions are lost: each halves the error of the joints
_REGION = 0.03  # [rad or scales] within which the ends of descents may belong to one solution there
_LOST = 1e-2  # share of the largest singular value below which a direction counts as lost there
_ON_CURVE = 1e-5  # [rad or scales] between a curve and what lies on it to tolerance
_SAME = 1e-6  # [rad or scales] between copies of a solution that no curve tells apart


class _Curve(NamedTuple):
    """The one-parameter problem next to a solution.

    Attributes:
        start: Where it begins, t = 0. Shape (n,).
        half: The curve is known for |t| up to this [rad or scales].
        joints: Chebyshev coefficients of q(t / half) [rad or m]. Shape (17, n).
        missed: Those of g(t / half) [rad or scales]. Shape (17,).
    """

    start: Array
    half: float
    joints: Array
    missed: Array


class _Frame(NamedTuple):
    """Directions at a solution, lengths in scales.

    Attributes:
        reached: From errors to joint motions, but for the lost direction. Shape (n, 3 to 6).
        lost: Direction u of the tool. Shape (3 to 6,).
        along: Joint motion v. Shape (n,).
        second: Second smallest singular value.
    """

    reached: Array
    lost: Array
    along: Array
    second: float


class PoseGoal(NamedTuple):
    """A pose, or the part of it that counts, and the arm that is to reach it.

    Attributes:
        chain: The arm.
        T: T_world_tool, rigid. Shape (4, 4).
        task: The part that counts.
        moving: Number n of joints that move it, the first of the arm.
    """

    chain: Chain
    T: Array
    task: Task
    moving: int

    @property
    def units(self) -> Array:
        """What one unit of each joint is: 1 rad, or a scale [m]. Shape (n,)."""
        return np.where(self.chain.revolute[: self.moving], 1.0, self.chain.scale)

    @property
    def rounding(self) -> float:
        """An error that is no more than rounding [rad or scales]."""
        base = self.chain.constants[0, :3, 3]
        far = float(np.abs(self.T[:3, 3]).max() + np.abs(base).max())
        return _ROUNDING * max(1.0, 0.3 * far / self.chain.scale)

    def missed(self, q: Array) -> Array:
        """Return the errors of configurations, lengths in scales. Shape (k, 3 to 6).

        That of a turn is its axis times its sine, which vanishes after half a turn too: what is
        turned by more than 90° counts as two more.
        """
        poses = fk_batch(self.chain.constants, np.ascontiguousarray(q))
        place = (self.T[:3, 3] - poses[:, :3, 3]) / self.chain.scale
        if self.task == "position":
            return place
        if self.task == "direction":
            axes = np.cross(poses[:, :3, 2], self.T[:3, 2]) @ self.T[:3, :2]
            axes[poses[:, :3, 2] @ self.T[:3, 2] < 0.0] += 2.0
        else:
            turn = self.T[:3, :3] @ poses[:, :3, :3].transpose(0, 2, 1)
            axes = 0.5 * (turn[:, [2, 0, 1], [1, 2, 0]] - turn[:, [1, 2, 0], [2, 0, 1]])
            axes[np.trace(turn, axis1=1, axis2=2) < 1.0] += 2.0
        return np.concatenate([place, axes], axis=1)

    def jacobian(self, q: Array) -> Array:
        """Return what joints do to these, lengths in scales. Shape (k, 3 to 6, n)."""
        whole = jacobian_batch(self.chain.constants, np.ascontiguousarray(q))
        J = whole[:, :, : self.moving] * self.units
        J[:, :3] /= self.chain.scale
        if self.task == "position":
            return J[:, :3]
        if self.task == "direction":
            return np.concatenate([J[:, :3], self.T[:3, :2].T @ J[:, 3:]], axis=1)
        return J

    def moved(self, q: Array, step: Array) -> Array:
        """Return configurations after a step [rad or scales]. Shapes (…, dof), (…, n)."""
        result = q + np.zeros((*step.shape[:-1], 1))
        result[..., : self.moving] += step * self.units
        return result

    def apart(self, one: Array, two: Array) -> Array:
        """Return the differences of joints, whole turns not counted [rad or scales]. (…, n)."""
        return wrap(self.chain, one - two)[..., : self.moving] / self.units


def each_once(
    chain: Chain, T: Array, solutions: Array, task: Task = "pose", count: int | None = None
) -> Array:
    """Return the solutions of a pose, each once, and those that lie next to singular ones.

    Args:
        chain: The arm.
        T: T_world_tool, rigid. Shape (4, 4).
        solutions: Right to tolerance, angles in (-π, π]. Shape (k, n).
        task: The part of the pose that counts: "pose", "position" or "direction".
        count: How many of the first joints move that part; None: all. With more than the part has
            numbers there are infinitely many solutions, and only equal ones are taken out.

    Returns:
        Shape (m, n), angles in (-π, π].
    """
    goal = PoseGoal(chain, T, task, chain.dof if count is None else count)
    if not len(solutions) or goal.moving == 0:
        return solutions
    if goal.moving > _SIZES[task]:
        return _distinct(goal, solutions)
    J = goal.jacobian(solutions)
    sizes = np.linalg.svd(J, compute_uv=False)
    singular = sizes[:, -1] < SINGULAR * sizes[:, 0]
    if not singular.any():
        return _distinct(goal, solutions)
    kept: list[Array] = []
    lost: list[Array] = []  # in two directions and more
    curves: list[_Curve] = []
    for q, matrix in zip(solutions[singular], J[singular], strict=True):
        if any(_lies_on(goal, q, curve) for curve in curves):
            continue
        curve = _followed(goal, q, _frame(matrix))
        if curve is None:
            _add_sharp(goal, q, lost)
            continue
        roots = _roots(goal, curve)
        if roots is None or not len(roots):
            kept.append(q)
            continue
        curves.append(curve)
        kept.extend(roots)
    rows = np.array([*solutions[~singular], *kept, *lost])
    return _distinct(goal, wrap(chain, rows))


def _frame(J: Array) -> _Frame:
    n = J.shape[1]
    U, S, Vt = np.linalg.svd(J)
    reached = (Vt[: n - 1].T / S[: n - 1]) @ U[:, : n - 1].T
    return _Frame(reached, U[:, n - 1], Vt[n - 1], float(S[n - 2]) if n > 1 else np.inf)


def _followed(goal: PoseGoal, q: Array, frame: _Frame) -> _Curve | None:
    """Return the curve through q, as far as its error can be made to vanish but for u."""
    half = min(_LONGEST, _SHARE * frame.second)
    enough = 4.0 * goal.rounding
    while half > _SHORTEST:
        points = goal.moved(q, half * _NODE[:, None] * frame.along)
        for _ in range(_CORRECTIONS):
            step = goal.missed(points) @ frame.reached.T
            points = goal.moved(points, step)
            if np.abs(step).max(initial=0.0) < enough:
                break
        error = goal.missed(points)
        if np.abs(error @ frame.reached.T).max(initial=0.0) < 4.0 * enough:
            return _Curve(q, half, _FIT @ points, _FIT @ (error @ frame.lost))
        half *= 0.25
    return None


def _roots(goal: PoseGoal, curve: _Curve) -> Array | None:
    """Return the solutions on a curve; None: every point of it is one. Shape (k, n)."""
    rounding = goal.rounding
    if np.abs(chebyshev.chebval(_NODE, curve.missed)).max() < rounding:
        return None
    cuts = _cuts(curve.missed)
    heights = np.asarray(chebyshev.chebval(cuts, curve.missed), dtype=np.float64)
    zero = np.abs(heights) < rounding
    places: list[float] = []
    k = 0
    while k < len(cuts):
        if zero[k]:
            last = k
            while last + 1 < len(cuts) and zero[last + 1]:
                last += 1
            places.append(0.5 * float(cuts[k] + cuts[last]))
            k = last
        elif k + 1 < len(cuts) and not zero[k + 1] and heights[k] * heights[k + 1] < 0.0:
            places.append(_bisected(curve.missed, float(cuts[k]), float(cuts[k + 1])))
        elif _is_near_miss(heights, k):
            places.append(float(cuts[k]))
        k += 1
    joints = _points(curve, np.array(places))
    error = np.abs(goal.missed(joints))
    right = error[:, :3].max(axis=1) * goal.chain.scale < TOLERANCE
    right &= error[:, 3:].max(axis=1, initial=0.0) < TOLERANCE
    found: Array = joints[right]
    return found


def _is_near_miss(heights: Array, k: int) -> bool:
    """Whether g turns back at a cut without reaching zero, by less than the tolerance."""
    if not 0 < k < len(heights) - 1 or abs(heights[k]) > 0.5 * TOLERANCE:
        return False
    return bool((heights[[k - 1, k + 1]] / heights[k] > 1.0).all())


def _cuts(missed: Array) -> Array:
    """Return the ends of the curve and where g has no slope, or nearly so, in order."""
    slope = chebyshev.chebder(missed)
    size = np.abs(slope).max()
    order = np.flatnonzero(np.abs(slope) > 1e-15 * size)[-1]
    flat = chebyshev.chebroots(slope[: order + 1]) if order else np.empty(0)
    near = (np.abs(np.imag(flat)) < _NEAR_AXIS) & (np.abs(np.real(flat)) < 1.0)
    return np.concatenate([[-1.0], np.sort(np.real(flat[near])), [1.0]])


def _bisected(missed: Array, low: float, high: float) -> float:
    """Return the root between two places where g has different signs."""
    slope = chebyshev.chebder(missed)
    below = float(chebyshev.chebval(low, missed)) < 0.0
    x = 0.5 * (low + high)
    for _ in range(60):
        value = float(chebyshev.chebval(x, missed))
        if (value < 0.0) == below:
            low = x
        else:
            high = x
        steep = float(chebyshev.chebval(x, slope))
        after = x - value / steep if steep else low
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - x) < 1e-15:
            break
        x = after
    return x


def _points(curve: _Curve, t: Array) -> Array:
    """Return configurations along a curve, t from -1 to 1. Shape (k, n)."""
    return np.asarray(chebyshev.chebval(t, curve.joints).T, dtype=np.float64)


def _lies_on(goal: PoseGoal, q: Array, curve: _Curve) -> bool:
    """Whether a configuration is a point of a curve, so that the curve's roots stand for it."""
    if np.abs(goal.apart(q, curve.start)).max() > curve.half:
        return False
    t = np.linspace(-1.0, 1.0, 401)
    nearest = np.inf
    for _ in range(3):  # nearer and nearer to the closest point
        points = _points(curve, t)
        gaps = np.abs(goal.apart(points, q)).max(axis=1)
        best = int(np.argmin(gaps))
        nearest, width = float(gaps[best]), 1.5 * float(t[1] - t[0])
        t = np.linspace(t[best] - width, t[best] + width, 41)
    return nearest < _ON_CURVE


def _add_sharp(goal: PoseGoal, q: Array, known: list[Array]) -> None:
    """Add to those known a solution at which two directions are lost, unless it is one of them.

    Newton's method brings it as near as rounding lets it; two are one if half-way between them the
    pose is met as well.
    """
    best, least, now = q, np.inf, q
    for _ in range(_HALVINGS):
        error, J = goal.missed(now[None])[0], goal.jacobian(now[None])[0]
        size = float(np.linalg.norm(error))
        if size < least:
            best, least = now, size
        U, S, Vt = np.linalg.svd(J, full_matrices=False)
        step = Vt.T @ (S / (S * S + size * size + 1e-30) * (U.T @ error))
        now = goal.moved(now, step * min(1.0, _LONGEST / max(np.abs(step).max(), 1e-300)))
    enough = max(4.0 * goal.rounding, 2.0 * least)
    for other in known:
        apart = goal.apart(best, other)
        if np.abs(apart).max() > _REGION:
            continue
        between = goal.moved(best, -0.5 * apart)
        for _ in range(4):
            U, S, Vt = np.linalg.svd(goal.jacobian(between[None])[0], full_matrices=False)
            share = np.where(_LOST * S[0] < S, 1.0 / np.maximum(S, 1e-300), 0.0)
            error = goal.missed(between[None])[0]
            between = goal.moved(between, Vt.T @ (share * (U.T @ error)))
        if np.linalg.norm(goal.missed(between[None])[0]) < enough:
            return
    known.append(best)


def _distinct(goal: PoseGoal, rows: Array) -> Array:
    """Return rows that differ by more than `_SAME` in some joint, whole turns not counted."""
    if len(rows) < 2:
        return rows
    same: Flags = np.abs(goal.apart(rows[:, None], rows[None, :])).max(axis=-1) < _SAME
    kept: list[int] = []
    for k in range(len(rows)):
        if not same[k, kept].any():
            kept.append(k)
    return rows[kept]
