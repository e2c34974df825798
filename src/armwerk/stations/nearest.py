"""The solution of a pose nearest to given joint values, where infinitely many reach it.

In: a chain with more joints than a pose has freedoms, joint values to be near, and solutions to
start from. Out: the one on the same self-motion whose weighted distance is least, within limits.

With D the weights, steps of

    min |D (q + dq - q0)|²   so that   J dq = pose error

are taken, joints that would pass a limit held at it, until nothing moves any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.serial import SerialModel

FREEDOMS = 6  # of a pose
_ROUNDS = 120
_NEWTON = 40  # steps from joint values that are not on the pose
_LONGEST = 0.25
"""[rad or scales of the chain] by which joints move in one round; poses bend that far."""
_STILL = 1e-10
_ON_POSE = 1e-10  # [m, rad] within which a pose must be met
_ON_STOP = 1e-12  # [rad or m] beyond a limit that is rounding
_RANK = 1e-9  # singular values below that count as no motion
_SINGULAR = 1e-13  # share of the largest singular value below which a direction does not count


class NearestGoal(NamedTuple):
    """What is looked for.

    Args:
        pose: T_piece_tool. Shape (4, 4).
        near: Joint values to be near [rad, m]. Shape (n,).
        weights: What each joint counts in the distance, by its unit. Shape (n,).
        held: Joints that stay where a start has them. Shape (n,).
    """

    pose: Array
    near: Array
    weights: Array
    held: Flags

    def distance(self, q: Array) -> float:
        """Return the weighted distance of joint values to those wanted."""
        return float(np.linalg.norm(self.weights * (q - self.near)))


def relaxed(model: SerialModel, goal: NearestGoal, start: Array) -> Array | None:
    """Return the nearest solution on the self-motion of a start; None when the pose is lost.

    Args:
        model: Of the whole chain.
        goal: What is looked for.
        start: A solution within limits. Shape (n,).
    """
    q, length = start.copy(), _LONGEST
    best, least = start, goal.distance(start)
    for _ in range(_ROUNDS):
        step = _step(model, goal, q)
        size = float(np.abs(step * model.chain.metric).max())
        trial = _on_pose(model, goal, q + step * min(1.0, length / max(size, 1e-300)))
        if trial is None or goal.distance(trial) > least + 1e-13:
            length *= 0.25
            if length < _STILL:
                break
            continue
        moved = float(np.abs((trial - best) * model.chain.metric).max())
        q = best = trial
        least = goal.distance(trial)
        length = min(2.0 * length, _LONGEST)
        if moved < _STILL or size < _STILL:
            break
    return best


def projected(model: SerialModel, goal: NearestGoal) -> Array | None:
    """Return a solution within limits to which steps of least size lead; None: they lead nowhere.

    From joint values next to a solution it is the one they belong to, also at the edge of reach,
    where the arm alone has no solution for the places that the external axes have.
    """
    low, high = model.limits.T
    q = np.clip(goal.near, low, high)
    for _ in range(_NEWTON):
        step = _step(model, goal, q, towards=False)
        size = float(np.abs(step * model.chain.metric).max())
        q = np.clip(q + step * min(1.0, _LONGEST / max(size, 1e-300)), low, high)
        if size < _STILL:
            break
    return _on_pose(model, goal, q)


def _error(model: SerialModel, goal: NearestGoal, q: Array) -> Array:
    """Return how far the tool is off, as (v, w) in the axes of the work piece. Shape (6,)."""
    pose = model.fk(q)
    turn = goal.pose[:3, :3] @ pose[:3, :3].T
    # the sine of the angle is as good as the angle: all that is looked at lies near the pose
    skew = 0.5 * (turn - turn.T)
    out = np.empty(6)
    out[:3] = goal.pose[:3, 3] - pose[:3, 3]
    out[3:] = skew[2, 1], skew[0, 2], skew[1, 0]
    return out


def _step(model: SerialModel, goal: NearestGoal, q: Array, towards: bool = True) -> Array:
    """Return the step to the nearest configuration on the tangent, limits kept. Shape (n,).

    A joint that follows several axes and would leave its limits adds the row that holds it there.
    """
    low, high = model.limits.T
    follow, stops = _joint_bounds(model)
    rows, rest = model.jacobian(q), _error(model, goal, q)
    freedoms = _freedoms(model, rows)
    held, active = goal.held.copy(), np.zeros(len(follow), dtype=bool)
    step = np.zeros_like(q)
    for _ in range(len(q) + len(follow)):
        free = ~held
        if free.sum() < freedoms:
            break  # nothing is left to choose: the caller sees that the pose is not met
        wanted = (goal.near - q)[free] if towards else np.zeros(int(free.sum()))
        scaled = rows[:, free] / goal.weights[free] ** 2
        system = scaled @ rows[:, free].T
        missing = rest - rows[:, free] @ wanted - rows[:, held] @ step[held]
        step[free] = wanted + scaled.T @ _solved(system, missing, freedoms)
        beyond = free & ((q + step < low) | (q + step > high))
        step[beyond] = np.clip(q[beyond] + step[beyond], low[beyond], high[beyond]) - q[beyond]
        held |= beyond
        angles = follow @ (q + step)
        left = ~active & ((angles < stops[:, 0] - _ON_STOP) | (angles > stops[:, 1] + _ON_STOP))
        if not beyond.any() and not left.any():
            break
        active |= left
        reached = np.clip(angles[left], stops[left, 0], stops[left, 1])
        rows = np.vstack([rows, follow[left]])
        rest = np.append(rest, reached - follow[left] @ q)
    return step


def _joint_bounds(model: SerialModel) -> tuple[Array, Array]:
    """Return what axes do to joints with limits of their own (b, n), and these (b, 2)."""
    if isinstance(model, CoupledModel):
        return model.joint_bounds
    return np.zeros((0, model.dof)), np.zeros((0, 2))


def _freedoms(model: SerialModel, jacobian: Array) -> int:
    """Return in how many ways the tool can move: fewer than six where rods keep it level."""
    if isinstance(model, CoupledModel) and not model.is_square:
        return int(np.linalg.matrix_rank(jacobian, tol=_RANK))
    return FREEDOMS


def _solved(system: Array, rest: Array, freedoms: int) -> Array:
    try:
        if freedoms == FREEDOMS:
            return np.asarray(np.linalg.solve(system, rest))
    except np.linalg.LinAlgError:  # at a singularity of the whole chain
        pass
    return np.asarray(np.linalg.lstsq(system, rest, rcond=_SINGULAR)[0])


def _on_pose(model: SerialModel, goal: NearestGoal, q: Array) -> Array | None:
    """Return joint values put onto the pose by steps of least size; None where that fails."""
    low, high = model.limits.T
    q = np.clip(q, low, high)
    for _ in range(12):
        if np.abs(_error(model, goal, q)).max() < 1e-14:
            break
        step = _step(model, goal, q, towards=False)
        if np.abs(step * model.chain.metric).max() > _LONGEST:
            return None
        q = np.clip(q + step, low, high)
        if np.abs(step).max() < 1e-15:
            break
    if not model.arm.keeps_limits(q):  # of a joint that follows several axes
        return None
    return q if np.abs(_error(model, goal, q)).max() < _ON_POSE else None
