"""Motor values from where the hand shall be.

Closed forms, chosen by the structure of the assembly:

- a platform on six legs that carries the hand: the length of each leg from foot to anchor;
- a tripod whose hand hangs on one of the legs: that leg's length from its foot to the hand, then
  the union point, then the lengths of the other two.

Everything else by iteration from many starts, see `armwerk.mechanics.inverse.solution_search`.
Motors that do not move the hand, such as fingers, stay where they are wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.mechanics.assembly import stewart
from armwerk.mechanics.assembly.closed_chain import pointing
from armwerk.mechanics.assembly.loop_closing import stretch
from armwerk.mechanics.inverse.interface import TOLERANCE, SolutionSet
from armwerk.mechanics.inverse.solution_search import GoalSearch
from armwerk.robot.loops import ClosedChain, Platform
from armwerk.robot.part import LinearMotor

if TYPE_CHECKING:
    from armwerk.mechanics.assembly.model import AssemblyModel

CLOSE_BY = 0.5  # [rad and m] a solution this near is taken without looking for others


def solutions(model: AssemblyModel, goal: Array, near: Array) -> SolutionSet:
    """Return every solution for a pose (4, 4) of the hand, or for its place (3,).

    Args:
        model: Of the assembly.
        goal: Pose or point, in the frame of the body.
        near: Motor values at which those stay that do not move the hand, and to which members of
            an infinite family are near. Shape (n,).
    """
    if goal.shape == (4, 4):
        platform = _platform(model)
        if platform is not None:
            return SolutionSet(_legs(model, platform, goal[None])[0])
        return search(model, goal).solutions(near)
    loop = _tripod(model)
    if loop is None:
        return search(model, goal).solutions(near)
    found = _tripod_legs(model, loop, goal)
    if len(found):
        away = np.linalg.norm(model.fk(found)[:, :3, 3] - goal, axis=1)
        found = found[away < TOLERANCE]  # the other branch reaches the mirror image
    return SolutionSet(np.asarray(found))


def nearest(model: AssemblyModel, goal: Array, q: Array) -> Array | None:
    """Return the solution within the limits that is nearest to ``q``."""
    closed = _platform(model) if goal.shape == (4, 4) else _tripod(model)
    if closed is None:
        descent = search(model, goal)
        found = within(model, descent.descend(q[None]), q)
        if not len(found) or np.linalg.norm(found[0] - q) > CLOSE_BY:
            starts = descent.starts()
            idle = descent.idle(starts)
            starts[:, idle] = np.clip(q, *model.limits.T)[idle]
            others = descent.solutions(np.where(idle, starts[0], q)).joints
            found = np.vstack([found, others, descent.descend(starts, bounded=True)])
    else:
        found = solutions(model, goal, q).joints
    found = within(model, found, q)
    if not len(found):
        return None
    return np.asarray(found[np.argmin(np.linalg.norm(found - q, axis=1))])


def miss(model: AssemblyModel, q: Array, goal: Array) -> tuple[float, float]:
    """Return how far motor values leave the hand from a pose or point: [m], [rad]."""
    error = search(model, goal).error(q[None])[0]
    return float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))


def batch(model: AssemblyModel, poses: Array, within_limits: bool) -> tuple[Array, Integers]:
    """Return the solutions of many poses, padded with nan, and their numbers."""
    platform = _platform(model)
    if platform is not None:
        found = _legs(model, platform, poses)
    else:
        found = [solutions(model, pose, model.rest).joints for pose in poses]
    if within_limits:
        found = [within(model, rows, model.rest) for rows in found]
    counts = np.array([len(rows) for rows in found], dtype=np.int64)
    result = np.full((len(poses), max(counts, default=0), model.dof), np.nan)
    for row, rows in zip(result, found, strict=True):
        row[: len(rows)] = rows
    return result, counts


def within(model: AssemblyModel, rows: Array, near: Array) -> Array:
    """Return the solutions that keep the limits, servos turned whole turns near ``near``.

    Shape (k, n).
    """
    low, high = model.limits.T
    turning = np.array([not isinstance(motor, LinearMotor) for motor in model.assembly.moving])
    from armwerk.mechanics.choice import JointSpace, fit  # with its kernels, when first needed

    joints = JointSpace(
        np.column_stack([low - TOLERANCE, high + TOLERANCE]), turning, np.ones(model.dof)
    )
    if not len(rows):
        return rows
    shifted, inside = fit(joints, rows, near)
    return np.asarray(np.clip(shifted[inside], low, high))


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


def search(model: AssemblyModel, goal: Array) -> GoalSearch:
    """Return the search by iteration for a pose (4, 4) or a point (3,)."""
    lengths = np.array([isinstance(motor, LinearMotor) for motor in model.assembly.moving])
    return GoalSearch(model, goal, ~lengths, lengths)
