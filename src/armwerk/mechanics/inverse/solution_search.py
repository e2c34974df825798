"""Every solution of a pose or a point, and whether there are infinitely many.

In: direct kinematics and Jacobian of any arm, the goal, joint values to stay close to. Out: a
`SolutionSet`.

Damped least squares runs from starts spread evenly over the joint ranges, always the same ones,
then from what was found with one joint turned over, until a round brings nothing new. Joints that
cannot move the goal's part of the tool at all (the fingers of a gripper) stay where they are
wanted. Where the joints can move together without leaving the goal, each solution slides along
that self-motion until it is as near to the wanted joint values as its part of the family gets, so
that a family gives few members and always the same. What is found is right; that nothing else
exists is not proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.mechanics.inverse.interface import TOLERANCE, SolutionSet

SAME = 1e-4  # [m] or [rad], difference below which two solutions are one
SAME_MEMBER = 1e-2  # the same for members of a family, which slide only as near as this
STARTS = 40
HANDFUL = 8  # members given of an infinite family
MOST_STEPS = 100
_ROUNDS = 4  # of starts, each around what the one before has found
_MOST_TURNED = 120  # starts of such a round
_FREE_RANGE = np.pi  # spread of start values where a motor has no limits [rad or m]
_RANK = 1e-7  # singular values below this share of the largest count as zero
_SHARP = 1e-14  # [m] and [rad], error that no step makes smaller
_CLEAR = 1e6  # condition of normal equations up to which they leave no digits out that count
_SLIDES = 80  # steps along a self-motion towards the wanted joint values
_LONGEST = 0.3  # [rad or m] step of a slide
_PROBE = 1e-2  # [rad or m] step that tells a family from a solution at a standstill


class Kinematics(Protocol):
    """What the search asks of an arm."""

    @property
    def dof(self) -> int:
        """Number n of joints."""
        ...

    @property
    def limits(self) -> Array:
        """Smallest and largest joint values [rad or m]. Shape (n, 2)."""
        ...

    def fk(self, q: ArrayLike) -> Array:
        """Return poses of the tool, nan where there is none. Shape (m, 4, 4)."""
        ...

    def jacobian(self, q: ArrayLike) -> Array:
        """Return Jacobians, rows v then w. Shape (m, 6, n)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class GoalSearch:
    """The search for one goal.

    Args:
        arm: Its kinematics.
        goal: A pose (4, 4), or a point (3,) with the orientation free.
        turning: Which joints turn, so that whole turns do not count. Shape (n,).
        lengths: Which joints are distances, never below 0 unless their limits are. Shape (n,).
    """

    arm: Kinematics
    goal: Array
    turning: Flags
    lengths: Flags

    @classmethod
    def of(cls, arm: Kinematics, goal: Array, revolute: Flags) -> GoalSearch:
        """Return the search of an arm whose joints turn or slide, and none is a distance."""
        return cls(arm, goal, revolute, np.zeros_like(revolute))

    def solutions(self, near: Array) -> SolutionSet:
        """Return every solution found, limits not counted, angles in (-pi, pi].

        Args:
            near: Joint values to which members of a family are near, and at which joints stay
                that do not matter. Shape (n,).
        """
        starts = self.starts()
        idle = self.idle(starts)
        starts[:, idle] = near[idle]
        known = np.empty((0, self.arm.dof))
        endless = False
        for _ in range(_ROUNDS):
            found, slid = self._slide(self.descend(starts), near)
            endless = endless or slid
            before = len(known)
            known = self._distinct(np.vstack([known, found]), SAME_MEMBER if endless else SAME)
            starts = self._turned_over(known[before:], idle)[:_MOST_TURNED]
            if not len(starts):
                break
        known[:, idle] = near[idle]
        if endless:
            known = known[np.argsort(np.linalg.norm(known - near, axis=1))[:HANDFUL]]
        family = self.family(known)
        still = tuple(int(k) + 1 for k in np.flatnonzero(idle))
        from armwerk.mechanics.choice import in_order  # with its kernels, when first needed

        return SolutionSet(in_order(known), family, "numeric", still)

    def starts(self) -> Array:
        """Return the middle of the limits and points spread evenly over them. Shape (s, n)."""
        low, high = self.arm.limits.T
        low = np.where(np.isfinite(low), low, -_FREE_RANGE)
        high = np.where(np.isfinite(high), high, _FREE_RANGE)
        low = np.where(self.lengths, np.maximum(low, np.minimum(high, 0.0)), low)
        shares = np.random.default_rng(5489).random((STARTS, self.arm.dof))
        return np.concatenate([((low + high) / 2)[None], low + shares * (high - low)])

    def idle(self, rows: Array) -> Flags:
        """Return which joints move nothing that the goal asks for. Shape (n,)."""
        jacobian = np.nan_to_num(self.arm.jacobian(rows))[:, : self._size]
        return np.asarray(np.abs(jacobian).max(axis=(0, 1)) < 1e-12)

    def descend(self, starts: Array, bounded: bool = False) -> Array:
        """Return where damped least squares reaches the goal; those that do not are left out.

        Args:
            starts: Shape (s, n).
            bounded: Whether joint limits are kept on the way.

        Returns:
            Shape (k, n).
        """
        q = starts.copy()
        low, high = self.arm.limits.T
        error = self.error(q)
        damping = np.full(len(q), 1e-3)
        for _ in range(MOST_STEPS):
            size = np.linalg.norm(error, axis=1)
            active = np.flatnonzero((size > _SHARP) & (damping < 1e8))
            if not active.size:
                break
            jacobian = np.nan_to_num(self.arm.jacobian(q[active]))[:, : self._size]
            normal = np.swapaxes(jacobian, 1, 2) @ jacobian
            normal += damping[active, None, None] * np.eye(self.arm.dof)
            right = np.einsum("mij,mi->mj", jacobian, error[active])
            tried = q[active] + np.linalg.solve(normal, right[..., None])[..., 0]
            if bounded:
                tried = np.clip(tried, low, high)
            after = self.error(tried)
            better = np.linalg.norm(after, axis=1) < size[active]
            q[active[better]], error[active[better]] = tried[better], after[better]
            damping[active] = np.where(better, damping[active] * 0.1, damping[active] * 10)
            damping = np.maximum(damping, 1e-15)
        reached = np.linalg.norm(error, axis=1) < TOLERANCE
        return np.asarray(q[reached])

    def error(self, q: Array) -> Array:
        """Return how far the tool is from the goal; very far where it is nowhere. Shape (m, r)."""
        pose = self.arm.fk(q)
        if self.goal.shape == (3,):
            error = self.goal - pose[:, :3, 3]
        else:
            turn = self.goal[:3, :3] @ np.swapaxes(pose[:, :3, :3], 1, 2)
            place = self.goal[:3, 3] - pose[:, :3, 3]
            error = np.concatenate([place, _rotation_vector(turn)], axis=1)
        return np.where(np.isfinite(error), error, 1e3)

    @property
    def _size(self) -> int:
        return 3 if self.goal.shape == (3,) else 6

    def _free(self, q: Array) -> Array:
        """Return projections onto the directions that leave the goal. Shape (m, n, n)."""
        jacobian = np.nan_to_num(self.arm.jacobian(q))[:, : self._size]
        return np.asarray(np.eye(self.arm.dof) - _back(jacobian) @ jacobian)

    def _slide(self, q: Array, near: Array) -> tuple[Array, bool]:
        """Return solutions moved along their self-motion towards ``near``, and if any has moved."""
        if not len(q):
            return q, False
        q = self._wrapped(q)
        begin, share = q.copy(), np.ones(len(q))
        for _ in range(_SLIDES):
            step = np.einsum("mij,mj->mi", self._free(q), near - q)
            length = np.linalg.norm(step, axis=1)
            active = np.flatnonzero((length > 1e-5) & (share > 1e-3))
            if not active.size:
                break
            factor = share[active] * np.minimum(1.0, _LONGEST / length[active])
            tried = self._settled(q[active] + factor[:, None] * step[active])
            nearer = np.linalg.norm(tried - near, axis=1) < np.linalg.norm(q[active] - near, axis=1)
            q[active[nearer]] = tried[nearer]
            share[active] = np.where(nearer, np.minimum(1.0, 2 * share[active]), share[active] / 4)
        return q, bool(np.abs(q - begin).max() > SAME_MEMBER)

    def _settled(self, q: Array) -> Array:
        """Return configurations next to the goal put right; infinite where that fails."""
        for _ in range(8):
            error = self.error(q)
            if np.linalg.norm(error, axis=1).max() < 1e-12:
                break
            jacobian = np.nan_to_num(self.arm.jacobian(q))[:, : self._size]
            q = q + np.einsum("mij,mj->mi", _back(jacobian), error)
        bad = np.linalg.norm(self.error(q), axis=1) >= TOLERANCE
        return np.where(bad[:, None], np.inf, q)

    def family(self, known: Array) -> tuple[int, ...]:
        """Return the joints, counted from 1, that can move together while the goal is kept.

        Args:
            known: Solutions. Shape (k, n).
        """
        moving = np.zeros(self.arm.dof, dtype=bool)
        starts = self.starts()
        idle = self.idle(starts)
        for row in known:
            free = self._free(row[None])[0]
            free[idle] = free[:, idle] = 0.0
            values, vectors = np.linalg.eigh(free)
            for direction in vectors.T[values > 0.5]:
                aside = self._settled((row + _PROBE * direction)[None])[0]
                if np.isfinite(aside).all() and (aside - row) @ direction > _PROBE / 2:
                    moving |= np.abs(aside - row) > 1e-8  # also what moves at second order only
        return tuple(int(k) + 1 for k in np.flatnonzero(moving))

    def _turned_over(self, rows: Array, idle: Flags) -> Array:
        """Return rows with one joint at a time on its other side. Shape (k n, n)."""
        found = []
        for row in rows:
            for k in np.flatnonzero(~idle & self.turning):
                other = row.copy()
                other[k] += np.pi
                found.append(other)
                other = row.copy()
                other[k] = -other[k]
                found.append(other)
        return np.array(found).reshape(-1, self.arm.dof)

    def _wrapped(self, q: Array) -> Array:
        return np.where(self.turning, np.pi - np.mod(np.pi - q, 2 * np.pi), q)

    def _distinct(self, rows: Array, same: float) -> Array:
        """Return rows with angles in (-pi, pi], each once, without negative lengths."""
        lowest = np.minimum(
            0.0, np.where(np.isfinite(self.arm.limits[:, 0]), self.arm.limits[:, 0], 0.0)
        )
        possible = ((rows >= lowest - TOLERANCE) | ~self.lengths).all(axis=1)
        result: list[Array] = []
        for row in self._wrapped(rows[possible]):
            apart = [np.abs(self._wrapped(row - other)).max() for other in result]
            if not any(one < same for one in apart):
                result.append(row)
        return np.array(result).reshape(-1, self.arm.dof)


def _back(jacobian: Array) -> Array:
    """Return pseudo-inverses. Shapes (m, r, n) and (m, n, r).

    Those far from a singularity come from normal equations, at a fifth of the cost.
    """
    if jacobian.shape[1] > jacobian.shape[2]:
        return np.asarray(np.linalg.pinv(jacobian, _RANK))
    across = np.swapaxes(jacobian, 1, 2)
    square = jacobian @ across
    try:
        inverse = np.linalg.inv(square)
    except np.linalg.LinAlgError:  # one of them is singular to the last digit
        return np.asarray(np.linalg.pinv(jacobian, _RANK))
    out = across @ inverse
    sizes = np.linalg.norm(square, axis=(1, 2)) * np.linalg.norm(inverse, axis=(1, 2))
    near = ~(sizes < _CLEAR)
    if near.any():
        out[near] = np.linalg.pinv(jacobian[near], _RANK)
    return np.asarray(out)


def _rotation_vector(turn: Array) -> Array:
    """Return the axes of rotations times their angles [rad]. Shape (m, 3)."""
    double_sine = np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        axis=1,
    )
    size = np.linalg.norm(double_sine, axis=1, keepdims=True)
    angle = np.arctan2(size[:, 0], np.trace(turn, axis1=1, axis2=2) - 1)[:, None]
    # half a turn has no direction here; any axis leads away from it
    axis = np.where(size > 1e-12, double_sine / np.maximum(size, 1e-12), [[1.0, 0.0, 0.0]])
    return np.asarray(np.where(size > 1e-12, angle * axis, (angle > 1) * angle * axis))
