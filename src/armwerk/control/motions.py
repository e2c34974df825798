"""Motions for a robot: planned by `armwerk.motion`, sampled once into rows of set points."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control.goals import goal_of, in_base
from armwerk.control.straight import straight
from armwerk.errors import MotionError, ShapeError
from armwerk.geometry.transforms import separation
from armwerk.mechanics.interface import SerialArmModel
from armwerk.motion.options import Profile, Sync
from armwerk.motion.point_to_point import ptp
from armwerk.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from armwerk.control.context import RobotContext
    from armwerk.control.kinematics import ControllerKinematics

_REST = 1e-6  # [rad/s or m/s] slower than this counts as at rest
_JOIN = 1e-3  # [rad or m] how far from the arm a trajectory may begin
NO_LENGTH, SAME_TURN = 1e-9, 1e-9  # [m], [rad] closer than this the tool is there
_EDGE = 1e-6  # [rad or m] beyond a stop: rounding of the simulation


class LineOptions(TypedDict, total=False):
    """What `RobotController.line_to` takes beside speed; the last ones for arms with six axes.

    Args:
        acceleration: [m/s²].
        jerk: [m/s³].
        rotation_speed: [rad/s].
        rotation_acceleration: [rad/s²].
        rotation_jerk: [rad/s³].
        profile: Of the acceleration.
    """

    acceleration: float
    jerk: float
    rotation_speed: float
    rotation_acceleration: float
    rotation_jerk: float
    profile: Profile


def present(context: RobotContext) -> tuple[Array, Array | None]:
    """Return where the arm should be, within its stops, and its rates; None: at rest, (n,)."""
    limits = context.limits
    q = context.body.setpoints[: limits.dof]
    inside = np.clip(q, limits.lowest, limits.highest)
    q = np.where(np.abs(inside - q) < _EDGE, inside, q)
    qd = context.body.setpoint_rates[: limits.dof]
    return q, (qd if np.abs(qd).max(initial=0.0) > _REST else None)


def planned(
    context: RobotContext,
    plan: Callable[[], Array],
    kinematics: ControllerKinematics | None = None,
) -> Array:
    """Return the set points of a motion that begins where the arm is now.

    In a paced run the world goes on while an arm at rest has its motion planned, unless functions
    of the controller itself are asked, which may do anything.

    Args:
        context: The robot.
        plan: Plans it from where the arm is when called.
        kinematics: What it asks; None: nothing.
    """
    if kinematics is not None and kinematics.has_own:
        return plan()
    dof = context.limits.dof
    before = np.array(context.body.setpoints[:dof])
    with context.plan():
        table = plan()
    if np.array_equal(before, context.body.setpoints[:dof]):
        return table
    with context.compute():  # a handler has moved the arm meanwhile
        return plan()


def point_to_point(
    context: RobotContext, q: ArrayLike, speed: float, sync: Sync, profile: Profile | None
) -> Array:
    """Return the set points of a PTP motion from where the arm is. Shape (steps, n)."""
    start, rate = present(context)
    goal = joint_values(q, len(start))
    motion = ptp(
        context.model.arm,
        start,
        goal,
        sync,
        profile,
        _within(rate, context, speed),
        speed=speed,
        limits=context.limits,
    )
    return rows(motion, context.dt)


def _within(rate: Array | None, context: RobotContext, speed: float) -> Array | None:
    """Return start velocities that the override allows; a quicker axis brakes first."""
    if rate is None:
        return None
    fastest = context.limits.velocity * float(speed)
    return np.clip(rate, -fastest, fastest)


def line(
    context: RobotContext,
    kinematics: ControllerKinematics,
    T: ArrayLike,
    speed: float,
    options: LineOptions,
) -> Array:
    """Return the set points of a straight line of the tool. Shape (steps, n).

    Args:
        context: The robot.
        kinematics: Its own or the automatic one.
        T: Goal in the world: pose (4, 4), or point (3,), which keeps the orientation of an arm
            with six axes or more and leaves it free for others.
        speed: Of the tool [m/s].
        options: Acceleration, jerk and whatever else `armwerk.motion.Path` takes.
    """
    goal = goal_of(T)
    start, rate = present(context)
    if rate is not None:
        raise MotionError(
            f"line_to: robot {context.number} is still moving; a straight line starts at rest "
            "(self.wait_motion() first)"
        )
    _refuse_unknown(options)
    kinematics.required(goal, start, "line_to")
    if _is_there(kinematics.direct(start, "line_to"), goal):
        return np.empty((0, len(start)))
    if isinstance(context.model, SerialArmModel) and not kinematics.is_own and len(start) >= 6:
        from armwerk.motion.path import Path

        path = Path(speed=speed, **options).lin(in_base(context.base, goal))
        return rows(path.plan(context.model, start, limits=context.limits), context.dt)
    unknown = [name for name in options if name not in {"acceleration", "jerk"}]
    if unknown:
        raise MotionError(
            f"line_to: {', '.join(unknown)} cannot be given for this arm (known: speed, "
            "acceleration, jerk)"
        )
    tool = (
        _positive(speed, "speed", "m/s"),
        _positive(options.get("acceleration", 1.0), "acceleration", "m/s²"),
        _positive(options.get("jerk", 10.0), "jerk", "m/s³"),
    )
    return straight(
        lambda point, near: kinematics.nearest(point, near, "line_to"),
        kinematics.direct(start, "line_to"),
        goal,
        start,
        context.limits,
        tool,
        context.dt,
    )


def _is_there(tool: Array, goal: Array) -> bool:
    """Whether the tool is at a goal already; what is left is no line."""
    if goal.ndim == 1:
        return bool(np.linalg.norm(goal - tool[:3, 3]) < NO_LENGTH)
    if np.linalg.norm(goal[:3, 3] - tool[:3, 3]) >= NO_LENGTH:
        return False
    return bool(separation(tool, goal)[1] < SAME_TURN)


def _refuse_unknown(options: LineOptions) -> None:
    known = ("speed", "wait", *LineOptions.__annotations__)
    for name in options:
        if name not in known:
            close = {"velocity": "speed"}.get(name) or next(
                iter(get_close_matches(name, known, n=1, cutoff=0.6)), ""
            )
            hint = f"; did you mean {close}?" if close else ""
            raise MotionError(f"line_to has no option '{name}'{hint} (known: {', '.join(known)})")


def trajectory_rows(context: RobotContext, trajectory: Trajectory) -> Array:
    """Return the set points of a ready trajectory that begins where the arm is."""
    if not isinstance(trajectory, Trajectory):
        raise MotionError(f"follow needs a Trajectory, got {trajectory!r:.60}")
    start, _ = present(context)
    if trajectory.dof != len(start):
        raise MotionError(
            f"follow: the trajectory has {trajectory.dof} axes, robot {context.number} has "
            f"{len(start)}"
        )
    away = trajectory.sample(0.0)[0] - start
    axis = int(np.abs(away).argmax())
    if abs(away[axis]) > _JOIN:
        limits = context.limits
        raise MotionError(
            f"follow: the trajectory begins {abs(away[axis]):.4g} {limits.unit(axis)} away from "
            "where the arm is",
            axis=limits.axis(axis),
        )
    table = rows(trajectory, context.dt)
    _refuse_beyond(context, table)
    return table


def rows(motion: Trajectory, dt: float) -> Array:
    """Return the set points at dt, 2 dt, … and the end; none where nothing moves."""
    if motion.duration == 0.0:
        return np.empty((0, motion.dof))
    _, q, _, _ = motion.sampled(dt)
    return np.ascontiguousarray(q[1:])


def joint_values(q: ArrayLike, n: int) -> Array:
    """Return motor values as an array of shape (n,), or say what is wrong with them."""
    try:
        values = np.array(q, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ShapeError(
            f"the values of the arm's motors must be {n} finite numbers [rad or m], got {q!r:.80}"
        )
    return values


def within_limits(context: RobotContext, q: ArrayLike) -> Array:
    """Return motor values that keep the limits, or raise an error that names the motor."""
    limits = context.limits
    values = joint_values(q, limits.dof)
    _refuse_beyond(context, values[None])
    return np.clip(values, limits.lowest, limits.highest)


def _refuse_beyond(context: RobotContext, table: Array) -> None:
    limits = context.limits
    beyond = np.maximum(limits.lowest - table, table - limits.highest)
    if beyond.size == 0 or beyond.max() <= _EDGE:
        return
    row, axis = np.unravel_index(int(beyond.argmax()), beyond.shape)
    unit = limits.unit(int(axis))
    raise MotionError(
        f"{table[row, axis]:.6g} {unit} is beyond its limits, {limits.lowest[axis]:.6g} to "
        f"{limits.highest[axis]:.6g} {unit}",
        axis=f"motor '{limits.names[axis]}'",
    )


def _positive(value: object, name: str, unit: str) -> float:
    if isinstance(value, int | float | np.floating) and 0.0 < float(value) < np.inf:
        return float(value)
    raise MotionError(f"{name} must be above 0 {unit}, got {value!r:.60}")
