"""Motor values from where the hand shall be.

Closed forms, chosen by the structure of the assembly:

- a platform on six legs that carries the hand: the length of each leg from foot to anchor;
- a tripod whose hand hangs on one of the legs: that leg's length from its foot to the hand, then
  the union point, then the lengths of the other two.

Everything else: damped least squares from several start values, the first in the middle of the
limits, the others spread evenly over them, always the same ones. All starts run together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.mechanics.assembly import stewart
from armwerk.mechanics.assembly.closed_chain import pointing
from armwerk.mechanics.assembly.loop_closing import stretch
from armwerk.robot.loops import ClosedChain, Platform
from armwerk.robot.part import LinearMotor

if TYPE_CHECKING:
    from armwerk.mechanics.assembly.model import AssemblyModel

REACHED = 1e-9  # [m] and [rad], error at which a pose counts as reached
SAME = 1e-6  # [m] or [rad], difference below which two solutions are one
STARTS = 40
MOST_STEPS = 100
_FREE_RANGE = np.pi  # spread of start values where a motor has no limits [rad or m]


def to_pose(model: AssemblyModel, pose: Array) -> Array:
    """Return the solutions (k, n) for the pose of the hand."""
    platform = _platform(model)
    if platform is not None:
        return _legs(model, platform, pose[None])[0]
    return numeric(model, pose, _starts(model))


def to_point(model: AssemblyModel, point: Array) -> Array:
    """Return the solutions (k, n) for the place of the hand."""
    loop = _tripod(model)
    if loop is None:
        return numeric(model, point, _starts(model))
    solutions = _tripod_legs(model, loop, point)
    if not len(solutions):
        return solutions
    away = np.linalg.norm(model.fk(solutions)[:, :3, 3] - point, axis=1)
    return np.asarray(solutions[away < REACHED])  # the other branch reaches the mirror image


def nearest(model: AssemblyModel, goal: Array, q: Array) -> Array | None:
    """Return the solution within the limits that is nearest to ``q``."""
    closed = _platform(model) if goal.shape == (4, 4) else _tripod(model)
    if closed is not None:
        solutions = to_pose(model, goal) if goal.shape == (4, 4) else to_point(model, goal)
    else:
        solutions = within(model, numeric(model, goal, q[None]))
        if not len(solutions):
            solutions = numeric(model, goal, _starts(model))
    solutions = within(model, solutions)
    if not len(solutions):
        return None
    return np.asarray(solutions[np.argmin(np.linalg.norm(solutions - q, axis=1))])


def miss(model: AssemblyModel, q: Array, goal: Array) -> tuple[float, float]:
    """Return how far motor values leave the hand from a pose or point: [m], [rad]."""
    error = _error(model, q[None], goal)[0]
    return float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))


def batch(model: AssemblyModel, poses: Array, within_limits: bool) -> tuple[Array, Integers]:
    """Return the solutions of many poses, padded with nan, and their numbers."""
    platform = _platform(model)
    if platform is not None:
        found = _legs(model, platform, poses)
    else:
        found = [to_pose(model, pose) for pose in poses]
    if within_limits:
        found = [within(model, solutions) for solutions in found]
    counts = np.array([len(solutions) for solutions in found], dtype=np.int64)
    result = np.full((len(poses), max(counts, default=0), model.dof), np.nan)
    for row, solutions in zip(result, found, strict=True):
        row[: len(solutions)] = solutions
    return result, counts


def within(model: AssemblyModel, solutions: Array) -> Array:
    """Return the solutions that keep the limits. Shape (k, n)."""
    low, high = model.limits.T
    good = (solutions >= low - REACHED) & (solutions <= high + REACHED)
    return np.asarray(np.clip(solutions[good.all(axis=1)], low, high))


def _own_motor(model: AssemblyModel, start: str, point: str) -> int | None:
    """Return the one motor between two parts, where it is linear and all else is rigid."""
    path = model.assembly.path(point)
    between = path[path.index(start) + 1 : -1]
    moving = [name for name in between if model.walk.nodes[name].motion]
    if len(moving) != 1 or not isinstance(model.assembly.tree[moving[0]].part, LinearMotor):
        return None
    return model.walk.nodes[moving[0]].motor


def _simple_legs(model: AssemblyModel, loop: ClosedChain) -> list[int] | None:
    """Return the motor of each chain when the legs are all that moves, else None."""
    motors = [_own_motor(model, chain.passives[0], chain.point) for chain in loop.chains]
    known = [motor for motor in motors if motor is not None]
    rigid_feet = all(
        not any(model.walk.nodes[name].motion for name in model.assembly.path(foot)[:-1])
        for foot in loop.passives
    )
    all_motors = sorted(known) == list(range(model.dof))
    return known if rigid_feet and all_motors and len(model.assembly.loops) == 1 else None


def _platform(model: AssemblyModel) -> ClosedChain | None:
    """Return the loop when the hand stands rigidly on a platform whose legs are all motors."""
    path = model.assembly.path(model.tip)
    plate = model.assembly.tree[path[0]].part
    if not isinstance(plate, Platform):
        return None
    loop = next(loop for loop in model.assembly.loops if loop.tie is plate)
    return loop if _simple_legs(model, loop) is not None else None


def _tripod(model: AssemblyModel) -> ClosedChain | None:
    """Return the loop when the hand hangs on a leg of a tripod whose legs are all motors."""
    path = model.assembly.path(model.tip)
    for loop in model.assembly.loops:
        if loop.pattern != "TRIPOD" or _simple_legs(model, loop) is None:
            continue
        for chain in loop.chains:
            foot = chain.passives[0]
            # the same motor must carry both, so that nothing moves between hand and union
            if foot in path and (
                _own_motor(model, foot, model.tip) == _own_motor(model, foot, chain.point)
            ):
                return loop
    return None


def _leg_line(model: AssemblyModel, foot: str, point: str, motor: int) -> tuple[Array, Array]:
    """Return where a point is seen from its foot at length 0, and how it moves per metre."""
    two = np.zeros((2, model.dof))
    two[1, motor] = 1.0
    reach = model.walk.reach(model.walk.begin(two), foot, point)
    return reach[:1], reach[1:] - reach[:1]


def _legs(model: AssemblyModel, loop: ClosedChain, poses: Array) -> list[Array]:
    """Return leg lengths for poses of a hand on a platform: none or one solution each."""
    plate, motors = loop.tie, _simple_legs(model, loop)
    if not isinstance(plate, Platform) or motors is None:
        raise TypeError(plate)
    relative = np.eye(4)
    for name in model.assembly.path(model.tip)[1:]:
        relative = relative @ model.assembly.tree[name].at.matrix()
    plates = poses @ np.linalg.inv(relative)
    found = model.walk_to(model.middle[None], loop.passives)
    feet = np.concatenate([found.frames[chain.passives[0]][1] for chain in loop.chains])
    anchors = np.array([anchor for _, anchor in plate.legs])
    distances = stewart.leg_lengths(feet, anchors, plates)
    q = np.full((len(poses), model.dof), np.nan)
    for k, (chain, motor) in enumerate(zip(loop.chains, motors, strict=True)):
        line = _leg_line(model, chain.passives[0], chain.point, motor)
        q[:, motor] = stretch(*line, distances[:, k])[:, 0]
    good = np.isfinite(q).all(axis=1) & (q >= 0).all(axis=1)
    return [q[k : k + 1] if good[k] else q[:0] for k in range(len(q))]


def _tripod_legs(model: AssemblyModel, loop: ClosedChain, point: Array) -> Array:
    """Return the leg lengths that may bring the hand to a point; branches are not checked."""
    motors = _simple_legs(model, loop) or []
    path = model.assembly.path(model.tip)
    index = next(k for k, chain in enumerate(loop.chains) if chain.passives[0] in path)
    carrier, motor = loop.chains[index], motors[index]
    foot = carrier.passives[0]
    found = model.walk_to(model.middle[None], loop.passives)
    away = np.linalg.norm(point - found.frames[foot][1], axis=1)
    solutions = []
    for length in stretch(*_leg_line(model, foot, model.tip, motor), away)[0]:
        if not length >= 0:
            continue
        union = _union_behind(model, carrier.point, foot, motor, length, point)
        row = np.zeros(model.dof)
        row[motor] = length
        for chain, other in zip(loop.chains, motors, strict=True):
            if chain is not carrier:
                line = _leg_line(model, chain.passives[0], chain.point, other)
                span = np.linalg.norm(union - found.frames[chain.passives[0]][1], axis=1)
                row[other] = stretch(*line, span)[0, 0]
        if np.isfinite(row).all() and (row >= 0).all():
            solutions.append(row)
    return np.array(solutions).reshape(-1, model.dof)


def _union_behind(
    model: AssemblyModel, point: str, foot: str, motor: int, length: float, goal: Array
) -> Array:
    """Return where the union point is when the leg's FULLROT points the hand at its goal."""
    q = np.zeros((1, model.dof))
    q[0, motor] = length
    found = model.walk_to(q, (foot,))
    rotation, position = found.frames[foot]
    hand = model.walk.reach(found, foot, model.tip)
    found.values[foot] = pointing(hand, (goal - position) @ rotation[0])[:, 0]
    turned, origin = model.walk.moved(found, foot)
    reach = model.walk.reach(found, foot, point)
    return np.asarray(origin[0] + turned[0] @ reach[0])


def numeric(model: AssemblyModel, goal: Array, starts: Array) -> Array:
    """Return the different solutions that damped least squares finds from the start values.

    Args:
        model: Of the assembly.
        goal: A pose (4, 4) or a point (3,).
        starts: Shape (s, n).

    Returns:
        Shape (k, n), angles of servos in (-pi, pi].
    """
    q = starts.copy()
    error = _error(model, q, goal)
    damping = np.full(len(q), 1e-3)
    for _ in range(MOST_STEPS):
        size = np.linalg.norm(error, axis=1)
        active = np.flatnonzero((size > 1e-14) & (damping < 1e8))
        if not active.size:
            break
        jacobian = np.nan_to_num(model.jacobian(q[active]))[:, : error.shape[1]]
        normal = np.swapaxes(jacobian, 1, 2) @ jacobian
        normal += damping[active, None, None] * np.eye(model.dof)
        right = np.einsum("mij,mi->mj", jacobian, error[active])
        tried = q[active] + np.linalg.solve(normal, right[..., None])[..., 0]
        after = _error(model, tried, goal)
        better = np.linalg.norm(after, axis=1) < size[active]
        q[active[better]], error[active[better]] = tried[better], after[better]
        damping[active] = np.where(better, damping[active] * 0.1, damping[active] * 10)
        damping = np.maximum(damping, 1e-15)
    reached = np.linalg.norm(error, axis=1) < REACHED
    return _distinct(model, q[reached])


def _error(model: AssemblyModel, q: Array, goal: Array) -> Array:
    """Return how far the hand is from the goal, in the body frame; infinite where it is nan."""
    pose = model.fk(q)
    if goal.shape == (3,):
        error = goal - pose[:, :3, 3]
    else:
        turn = goal[:3, :3] @ np.swapaxes(pose[:, :3, :3], 1, 2)
        error = np.concatenate([goal[:3, 3] - pose[:, :3, 3], _rotation_vector(turn)], axis=1)
    return np.where(np.isfinite(error), error, 1e3)


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


def _starts(model: AssemblyModel) -> Array:
    """Return the middle of the limits and points spread evenly over them. Shape (s, n)."""
    limits = model.limits
    low = np.where(np.isfinite(limits[:, 0]), limits[:, 0], -_FREE_RANGE)
    high = np.where(np.isfinite(limits[:, 1]), limits[:, 1], _FREE_RANGE)
    for k, motor in enumerate(model.assembly.moving):
        if isinstance(motor, LinearMotor):
            low[k] = max(low[k], 0.0)
    shares = np.random.default_rng(5489).random((STARTS, model.dof))
    return np.concatenate([((low + high) / 2)[None], low + shares * (high - low)])


def _distinct(model: AssemblyModel, solutions: Array) -> Array:
    """Return the solutions with servos in (-pi, pi], each once, motors off the chain included."""
    result: list[Array] = []
    turning = np.array([not isinstance(motor, LinearMotor) for motor in model.assembly.moving])
    wrapped = np.where(turning, np.pi - np.mod(np.pi - solutions, 2 * np.pi), solutions)
    for row in wrapped:
        if not any(np.abs(row - other).max() < SAME for other in result):
            result.append(row)
    return np.array(result).reshape(-1, model.dof)
