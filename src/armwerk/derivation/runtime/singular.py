"""Singular poses: what the fast path hands on, at the edge of reach or roughly written too.

The fast path hands a pose on when one of its branches needs care: a radicand is zero within
tolerance, sine and cosine of a turn both vanish, or direct kinematics misses the pose by little.
Near a singularity a square root loses half its digits; Newton's method brings them back. Where a
turn is free, its angle is tried at zero and then around the circle, because with some angles the
rest of the arm may not reach. Where formulas say nothing though the pose has single solutions,
elimination finds these, or descents from everywhere. All that is returned has passed the check of
direct kinematics.

Newton's method starts where it is nearly right. With the pose error e and the Jacobian J, both at
the tool in the world,

    dq = Jᵀ (J Jᵀ + λ 1)⁻¹ e,   λ = eᵀe + tiny,

which is Newton's step where the arm can move in all directions and stays short where it cannot.
At a double root each step halves the error only; hence the number of steps. Walk and step are those
of `armwerk.mechanics.kernels`; a descent from afar gives up where this one must go on, so the loop
around them is another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry
from armwerk.derivation.runtime import tolerances
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.kinematics import FREE_BELOW, FREE_COSINE, FREE_SINE, wrapped
from armwerk.errors import UnsupportedError
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.folds import each_once
from armwerk.mechanics.inverse.interface import SolutionSet
from armwerk.mechanics.kernels.descent import damped_step
from armwerk.mechanics.kernels.direct import fk_batch
from armwerk.mechanics.kernels.jacobian import jacobian_batch, pose_error, walk
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.mechanics.inverse.general import GeneralSolver

STEPS = 50
_ENOUGH = 1e-14  # [m + rad] an error that is rounding
_TINY = 1e-15  # floor of λ; what is squared is then known to a few digits still
_LARGEST = 0.3  # [rad or m] a step that wants more has lost its branch
_AROUND = 24  # angles tried for a free turn
_STARTS = 8  # closest branches from which a solution is searched when no angle works
_SLACK = 1e-6  # share of its usual size to which a radicand may be negative for a start
_SCATTERED = 96  # starts over all joint values, for arms whose formulas may fix too little
_SHAKE = 1e-3  # [rad or m] starts are moved by this much to leave stationary points
_SINGULAR = 1e-5  # share of the largest singular value below which the arm has lost a direction
_REGULAR = 1e-4  # the same above which it has lost none
_FARTHEST = 1e5  # [m] slides beyond come from a division by rounding, and round the tool off
_ALONG = 0.05  # [rad or m] how far a family is followed to make sure that it is one
_POLISH = 3  # Newton steps that undo what a formula rounded off; each squares the error
_ROUNDED = 1e-6  # [m and rad] by which a formula that is no more than rounded may miss
_TURN_SURE = 1e-28  # of turn² times radicand: the turn is then a hundred times its own rounding
_ALONE = 2e-6  # share of the largest singular value: half of its square is far above rounding
_APART = 1e-5  # [rad or m] between solutions that are two without doubt
_SHARE = 0.02  # of these two, which a polished branch may move without leaving its solution

Numeric = Callable[[Array], Array | None]


@entry("float64[:,::1](float64[:,:,::1], boolean[::1], float64[:,::1], float64[:,::1], int64)")
def refine(arm: Array, held: Flags, goal: Array, starts: Array, steps: int) -> Array:
    """Return the best configuration near each start with its errors [m], [rad].

    Args:
        arm: Packed, see `armwerk.mechanics.chain`.
        held: Which joints stay as they are. Shape (n,).
        goal: Tool pose in the world. Shape (4, 4).
        starts: Shape (m, n).
        steps: Most Newton steps; 0 only measures.

    Returns:
        Joint values, then distance and angle that are left. Shape (m, n + 2).
    """
    m, n = starts.shape
    out = np.empty((m, n + 2))
    pose, J = np.empty((3, 4)), np.empty((6, n))
    A, right, e = np.empty((6, 6)), np.empty(6), np.empty(6)
    q, dq = np.empty(n), np.empty(n)
    for row in range(m):
        q[:] = starts[row]
        best = math.inf
        for _ in range(steps + 1):
            walk(arm, q, pose, J)
            position, rotation = pose_error(goal, pose, 6, 1.0, e)
            if position + rotation < best:
                best = position + rotation
                out[row, :n] = q
                out[row, n], out[row, n + 1] = position, rotation
            if best <= _ENOUGH or not position + rotation < math.inf:
                break
            size = 0.0
            for i in range(n):
                for r in range(6):
                    J[r, i] = 0.0 if held[i] else J[r, i]
                    size += J[r, i] * J[r, i]
            damping = _TINY * size + 1e-300
            for r in range(6):
                damping += e[r] * e[r]
            while not damped_step(J, e, 6, damping, A, right, dq):
                damping *= 10.0  # rounding made a direction that is lost look negative
            largest = _LARGEST
            for i in range(n):
                largest = max(largest, abs(dq[i]))
            for i in range(n):
                q[i] += _LARGEST / largest * dq[i]
        if best == math.inf:
            out[row] = math.nan
    return out


class SingularSolver:
    """Every solution at poses where formulas lose digits or an angle is free: the slow path.

    Args:
        arm: The arm.
        kernels: Of the arm.
        chain: The packed arm, base and tool included.
        numeric: What to ask when the formulas find nothing.
    """

    def __init__(
        self, arm: Arm, kernels: Kernels, chain: Chain, numeric: Numeric | None = None
    ) -> None:
        self.kernels = kernels
        self.numeric = numeric
        self._described = arm
        self._chain = chain
        self.revolute = chain.revolute
        self._dof = chain.dof
        self._arm = chain.constants
        self._held = np.isin(np.arange(1, chain.dof + 1), kernels.GIVEN)
        self._moving = np.flatnonzero(~self._held)
        # fewer freedoms or slides: a pose may have a few solutions where formulas fix no joint
        self._is_special = chain.dof < 6 or not bool(np.all(chain.revolute))
        self._reach = np.where(chain.revolute, math.pi, chain.scale)

    @cached_property
    def _general(self) -> GeneralSolver | None:
        """Elimination, which needs no formula of the arm; None: it cannot take the arm."""
        from armwerk.mechanics.inverse.general import GeneralSolver  # few poses ask it

        with suppress(UnsupportedError):
            return GeneralSolver(self._described, self._chain)
        return None

    @cached_property
    def _scattered(self) -> Array:
        """Starts over all joint values. Shape (96, n)."""
        spread = np.random.default_rng(0).uniform(-1.0, 1.0, (_SCATTERED, self._dof))
        return np.ascontiguousarray(self._reach * spread)

    def solution_set(
        self,
        setting: Array,
        goal: Array,
        free: Sequence[float] = (),
        enough: int | None = None,
    ) -> SolutionSet:
        """Return the solutions for a rigid tool pose.

        Args:
            setting: Base, tool and given joints as the kernels want them.
            goal: Tool pose in the world, orthonormal, in C order. Shape (4, 4).
            free: Angles [rad] to try for free turns before any other.
            enough: Of infinitely many solutions the caller takes the first so many; those behind
                need not be looked for. None: all that can be found.
        """
        raw = self._branches(setting, goal)
        polished = self._polished(goal, raw)
        if polished is not None:
            return SolutionSet(polished)
        loose = ~(raw[:, self._dof + 1] >= tolerances.TURN_FREE**2)
        found = self._finished(goal, self._hopeful(raw[~loose]))
        family: tuple[int, ...] = ()
        if loose.any():
            rounded = self._finished(goal, self._hopeful(raw[loose]))
            rounded = self._joined(rounded, self._finished(goal, self._slid(goal, raw[loose])))
            nothing = not len(found) and not len(rounded)
            found = self._joined(found, self._turned(setting, goal, free, nothing))
            family = self._family(goal, found)
            if not len(found) and enough is not None and len(rounded) >= enough:
                found, family = rounded, self._family(goal, rounded)
            if not family:
                # small, but not free: the angle that rounding gave is right, and there may be
                # others that no formula tells apart
                found = self._joined(found, rounded)
                found = self._joined(found, self._finished(goal, self._best(setting, goal)))
                every = self._joined(found, self._elsewhere(goal))
                family = self._family(goal, every)
                found = found if family and len(found) else every
        if not len(found):
            starts = [_shaken(self._hopeful(raw, _SLACK))]
            starts += [self._scattered] if self._is_special else []
            found = self._finished(goal, np.concatenate(starts))
        if not len(found) and loose.any():
            found = self._finished(goal, self._best(setting, goal))
        if not len(found) and self.numeric is not None:
            answer = self.numeric(goal)
            if answer is not None:
                found = self._finished(goal, answer[None, :])
                return SolutionSet(found, self._family(goal, found), "numeric")
        family = family or self._family(goal, found)
        if not family and not self._held.any():
            found = each_once(self._chain, goal, found)
        return SolutionSet(found, family)

    def _polished(self, goal: Array, raw: Array) -> Array | None:
        """Return the solutions of a pose at which formulas only lost digits; None: it is singular.

        Radicands say without doubt which branches are real, turns are more than their rounding, and
        what formulas rounded off Newton's method mends. Next to a solution with the smallest
        singular value s what is missed grows like s t - t²/2 along the direction that is nearly
        lost: another solution is about s away, and s²/2 lies between the two. So each branch stands
        for one solution, with nothing free, doubled or hidden beside it, if s²/2 is far more than
        rounding and the branch moved by a small part of s and of what keeps it from the others.

        Args:
            goal: Tool pose in the world. Shape (4, 4).
            raw: Every branch, from `_branches`. Shape (leaves, n + 5).
        """
        n = self._dof
        rows = raw[raw[:, n + 4] != 0.0]
        if self._held.any() or not len(rows) or not np.isfinite(rows).all():
            return None
        low, turn, missed = rows[:, n], rows[:, n + 1], rows[:, n + 2 : n + 4]
        sure = (low > tolerances.ROOT_CLEAR) & (turn * np.minimum(low, 1.0) > _TURN_SURE)
        if not sure.all() or missed.max() > _ROUNDED**2:
            return None
        starts = np.ascontiguousarray(rows[:, :n])
        done, kept = self._sharp(goal, starts, 0)
        if not done.all():
            done, kept = self._sharp(goal, starts, _POLISH)
        joints = np.ascontiguousarray(kept[:, :n])
        shift = np.abs(joints - starts).max()
        gaps = self._gaps(joints)
        sizes = np.linalg.svd(jacobian_batch(self._arm, joints), compute_uv=False)
        alone = float((sizes[:, -1] / sizes[:, 0]).min())
        near = float(gaps[gaps > 0.0].min(initial=math.inf))
        if not done.all() or alone < _ALONE or near < _APART or shift > _SHARE * min(alone, near):
            return None
        order = np.argsort(kept[:, -2] + kept[:, -1], kind="stable")
        return self._distinct(np.where(self.revolute, wrapped(joints), joints)[order])

    def _elsewhere(self, goal: Array) -> Array:
        """Return solutions that are found without formulas.

        Of those of elimination only regular ones count: next to a singularity the formulas lose
        nothing, and what else meets the pose to tolerance is no solution of its own.
        """
        found = np.empty((0, self._dof))
        if self._is_special:
            found = self._finished(goal, self._scattered)
        if self._general is not None:
            others = self._finished(goal, self._general.roots(goal))
            sizes = np.linalg.svd(jacobian_batch(self._arm, others), compute_uv=False)
            regular = others[sizes[:, -1] > _REGULAR * sizes[:, 0]]
            found = self._joined(found, regular)
        return found

    def released(self, settings: Sequence[Array], goal: Array) -> Array:
        """Return solutions next to what formulas give, the given joints free to move. Shape (k, n).

        Args:
            settings: With values of the given joints for which no branch reaches the pose.
            goal: Tool pose in the world, orthonormal, in C order. Shape (4, 4).
        """
        starts = self._closest(np.concatenate([self._branches(one, goal) for one in settings]))
        rows = refine(self._arm, np.zeros_like(self._held), goal, starts, STEPS)
        kept = rows[_within(rows), :-2]
        return np.asarray(np.where(self.revolute, wrapped(kept), kept))

    def around(self, setting: Array, goal: Array, free: Sequence[float] = ()) -> Array:
        """Return solutions with free turns all around the circle, some of them more than once.

        Arguments as those of `solution_set`.
        """
        joints = self._hopeful(self._on_circle(setting, goal, free))
        if not len(joints):
            return joints
        done, kept = self._sharp(goal, joints, STEPS)
        return np.ascontiguousarray(kept[done, :-2])

    def _on_circle(self, setting: Array, goal: Array, free: Sequence[float] = ()) -> Array:
        """Return every branch for free turns all around the circle, and at wanted angles."""
        angles = [*free, *(2.0 * math.pi * np.arange(_AROUND) / _AROUND)]
        return np.concatenate([self._branches(setting, goal, angle) for angle in angles])

    def _turned(self, setting: Array, goal: Array, free: Sequence[float], around: bool) -> Array:
        """Return solutions with free turns at the wanted angles, else at the first that works."""
        found = np.empty((0, self._dof))
        for angle in free:
            found = self._joined(found, self._at(setting, goal, angle))
        if len(found):
            return found
        steps = range(_AROUND) if around else (0,)
        for k in steps:  # 0, +1, -1, +2, -2 … steps around the circle
            angle = 2.0 * math.pi / _AROUND * ((k + 1) // 2) * (-1) ** (k + 1)
            found = self._at(setting, goal, angle)
            if len(found):
                break
        return found

    def _best(self, setting: Array, goal: Array) -> Array:
        """Return the branches that come closest with a free turn anywhere on the circle.

        Where the rest of the arm reaches the pose with one single angle, none of those tried
        is it; Newton's method has to find it from its neighbours.
        """
        return _shaken(self._closest(self._on_circle(setting, goal)))

    def _closest(self, raw: Array) -> Array:
        """Return the joints of the few branches that miss a pose by least. Shape (m, n)."""
        miss = raw[:, self._dof + 2] + raw[:, self._dof + 3]
        order = np.argsort(np.where(np.isfinite(miss), miss, np.inf), kind="stable")
        joints = raw[order[:_STARTS], : self._dof]
        return np.ascontiguousarray(joints[np.isfinite(joints).all(axis=1)])

    def _at(self, setting: Array, goal: Array, angle: float) -> Array:
        return self._finished(goal, self._hopeful(self._branches(setting, goal, angle)))

    def _branches(self, setting: Array, goal: Array, angle: float | None = None) -> Array:
        """Return every branch with radicand, turn, misses and verdict. Shape (leaves, n + 5).

        Args:
            angle: Where free turns are set to [rad]; None: they take what rounding gives.
        """
        chosen = setting.copy()
        if angle is not None:
            chosen[FREE_COSINE] = math.cos(angle)
            chosen[FREE_SINE] = math.sin(angle)
            chosen[FREE_BELOW] = tolerances.TURN_FREE**2
        raw = np.empty((self.kernels.LEAVES + 1, self._dof + 5))
        self.kernels.branches(goal, chosen, raw)
        return raw[:-1]

    def _hopeful(self, raw: Array, slack: float = tolerances.ROOT_ZERO) -> Array:
        """Return the joints of branches that may be solutions. Shape (m, n)."""
        n = self._dof
        hopeful = ~(raw[:, n] < -slack)
        if slack <= tolerances.ROOT_ZERO:
            far = (raw[:, n + 2] > tolerances.CLOSE**2) | (raw[:, n + 3] > tolerances.CLOSE**2)
            hopeful &= ~far
        joints = raw[hopeful, :n]
        return joints[np.isfinite(joints).all(axis=1)]

    def _slid(self, goal: Array, raw: Array) -> Array:
        """Return branches with slides that bring the tool nearest to its point, angles kept.

        Where a formula divides by next to nothing, slides are lost though angles are right; the
        point is linear in them.
        """
        slides = ~self.revolute & ~self._held
        joints = raw[:, : self._dof].copy()
        joints[:, slides] = 0.0
        joints = joints[np.isfinite(joints).all(axis=1)]
        if not slides.any() or not len(joints):
            return joints[:0]
        gaps = goal[:3, 3] - fk_batch(self._arm, joints)[:, :3, 3]
        columns = jacobian_batch(self._arm, joints)[:, :3, slides]
        for row, column, gap in zip(joints, columns, gaps, strict=True):
            row[slides] = np.linalg.lstsq(column, gap, rcond=None)[0]
        return joints

    def _finished(self, goal: Array, joints: Array) -> Array:
        """Return what passes the check after refinement, every solution once."""
        joints = joints[(np.abs(joints[:, ~self.revolute]) < _FARTHEST).all(axis=1)]
        if not len(joints):
            return joints
        done, kept = self._sharp(goal, joints, 0)
        if not done.all():
            again, more = self._sharp(goal, np.ascontiguousarray(joints[~done]), STEPS)
            kept = np.concatenate([kept[done], more[again]])
        kept = kept[np.argsort(kept[:, -2] + kept[:, -1], kind="stable"), :-2]
        return self._distinct(np.where(self.revolute, wrapped(kept), kept))

    def _sharp(self, goal: Array, joints: Array, steps: int) -> tuple[Flags, Array]:
        """Return which starts end within tolerance, and where. Shapes (m,), (m, n + 2)."""
        rows = refine(self._arm, self._held, goal, np.ascontiguousarray(joints), steps)
        return _within(rows), rows

    def _joined(self, one: Array, two: Array) -> Array:
        return (
            self._distinct(np.concatenate([one, two]))
            if len(one) and len(two)
            else (one if len(one) else two)
        )

    def _distinct(self, joints: Array) -> Array:
        """Return rows that differ by more than `SAME` in some joint, angles on the circle."""
        same = self._gaps(joints) <= tolerances.SAME
        kept: list[int] = []
        for k in range(len(joints)):
            if not same[k, kept].any():
                kept.append(k)
        return joints[kept]

    def _gaps(self, joints: Array) -> Array:
        """Return the largest difference of a joint between rows, angles on the circle. (m, m)."""
        gaps = np.abs(joints[:, None] - joints[None, :])
        gaps = np.where(self.revolute, np.minimum(gaps, np.abs(2.0 * np.pi - gaps)), gaps)
        return np.asarray(gaps.max(axis=-1))

    def _family(self, goal: Array, joints: Array) -> tuple[int, ...]:
        """Return the joints that can be moved while the tool stays, by trying it."""
        if not len(joints):
            return ()
        J = jacobian_batch(self._arm, np.ascontiguousarray(joints))[:, :, self._moving]
        _, s, vt = np.linalg.svd(J)
        idle = np.zeros((len(joints), len(self._moving)), dtype=bool)
        idle[:, : s.shape[1]] = s < _SINGULAR * s[:, :1]
        idle[:, s.shape[1] :] = True
        row, direction = np.nonzero(idle)
        if not len(row):
            return ()
        starts = joints[row]
        starts[:, self._moving] += _ALONG * vt[row, direction]
        done, moved = self._sharp(goal, starts, STEPS)
        gaps = np.abs(moved[:, :-2] - joints[row])
        real = done & (gaps.max(axis=1) > 0.2 * _ALONG)
        return tuple(int(j) + 1 for j in np.flatnonzero((gaps[real] > 0.02 * _ALONG).any(axis=0)))


def _within(rows: Array) -> Flags:
    """Return which rows of `refine` keep to tolerance. Shape (m,)."""
    limits = tolerances.SHARP * np.array([tolerances.POSITION, tolerances.ROTATION])
    return np.asarray((rows[:, -2:] <= limits).all(axis=1))


def _shaken(joints: Array) -> Array:
    """Return the configurations and neighbours of theirs, away from stationary points."""
    if not len(joints):
        return joints
    noise = np.random.default_rng(0).uniform(-_SHAKE, _SHAKE, (4, *joints.shape))
    return np.concatenate([joints, *(joints + noise)])
