"""Point to point: joints from here to there, each on its own, together, or on a straight line."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.errors import MotionError, ShapeError, UnknownNameError
from armwerk.motion.laws.families import AxisProfile, AxisTask, axes_of, common_duration
from armwerk.motion.laws.ruckig_piece import (
    AT_STOP,
    Planner,
    PointToPoint,
    RuckigPiece,
    planner_for,
)
from armwerk.motion.limits import Limits, description_of
from armwerk.motion.options import (
    PROFILE_OF,
    PROFILES,
    SYNC_OF,
    SYNCS,
    Profile,
    Sync,
)
from armwerk.motion.pieces.piece import LinePiece, TrajectoryPiece
from armwerk.motion.trajectory.summary import Notice, assumed_notices
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.robot.arm import Arm
from armwerk.robot.files import load
from armwerk.robot.settings import JointMotion
from armwerk.robot.single_precision import at_limits

if TYPE_CHECKING:
    from armwerk.mechanics.interface import ArmModel
    from armwerk.robot.parts import Assembly

Row: TypeAlias = list[float]
_NAMES = (str, Path)  # a union would be made anew in every call
_FAST = 1e-9  # fraction by which a given velocity may pass its limit, being rounded
_LOOKS = 201  # configurations of a motion at which coupled joints are held against their limits
_SAME = 1e-9  # fraction by which a duration may differ from the wished one
_PARALLEL = 1e-10  # [rad/s or m/s] how far velocities may be off the straight line


def ptp(
    model: ArmModel | Arm | Assembly | str | Path | None,
    q0: ArrayLike,
    q1: ArrayLike,
    sync: Sync | JointMotion | None = None,
    profile: Profile | None = None,
    v0: ArrayLike | None = None,
    v1: ArrayLike | None = None,
    *,
    speed: float = 1.0,
    acceleration: float = 1.0,
    duration: float | None = None,
    limits: Limits | None = None,
    drives: bool = False,
) -> Trajectory:
    """Return the quickest motion between two joint positions within every limit.

    Args:
        model: An `ArmModel`, an arm, an assembly, or the name or file of one. None: no arm in
            particular; then ``limits`` must be given.
        q0: Start [rad or m]. Shape (n,).
        q1: Goal [rad or m]. Shape (n,).
        sync: "async": each axis as quick as it can. "sync": all arrive together, as soon as the
            slowest can. "full": one law for all, on the straight line between q0 and q1. None:
            as the arm's description says.
        profile: Of the acceleration: "trapezoid" (jerk-limited, time-optimal), "sine" (sin²) or
            "quintic" (one polynomial). None: as the arm's description says.
        v0: Velocity at the start [rad/s or m/s]. Shape (n,). None: at rest.
        v1: Velocity at the goal, likewise. An asynchronous axis that arrives before the last one
            with a velocity cannot wait: it runs on with that velocity, and a notice says so.
        speed: Fraction of the velocity limits, above 0, at most 1.
        acceleration: Fraction of the acceleration and jerk limits, above 0, at most 1.
        duration: Wished duration [s]; every axis then takes exactly that. None: the shortest.
        limits: In place of those in the arm's description.
        drives: Whether torques take the place of the limits of acceleration: every joint may use
            all of its ``max_force`` [N m or N] against inertia, weight and friction. The motion
            runs on the straight line between q0 and q1, from rest to rest, in the least time.

    Raises:
        MotionError: When a limit is missing, q0 or q1 is beyond a joint stop, a velocity beyond
            its limit, the motion would run through a stop, the duration cannot be kept, or, for
            "full", a velocity points off the straight line. The message names the axis.
        ShapeError: For joint values of another shape, nan or infinity.
        UnknownNameError: For an unknown sync, profile or arm.
    """
    source = load(model) if isinstance(model, _NAMES) else model
    arm = description_of(source)
    together = _sync(arm, sync)
    shape = _profile(arm, profile)
    allowed = Limits.wanted(limits, arm).scaled(speed, acceleration)
    planner = planner_for(allowed)
    start = _position(q0, "q0", planner)
    goal = _position(q1, "q1", planner)
    if drives and start != goal:
        _refuse_with_drives(
            sync=sync not in {None, "full"},
            profile=profile not in {None, "trapezoid"},
            v0=v0 is not None,
            v1=v1 is not None,
            duration=duration is not None,
        )
        return _by_drives(source, start, goal, allowed)
    first = planner.rest if v0 is None else _velocity(v0, "v0", planner)
    last = planner.rest if v1 is None else _velocity(v1, "v1", planner)
    duration = None if duration is None else _wished(duration)
    problem = PointToPoint(start, goal, first, last)
    times: Row | None = None
    piece: TrajectoryPiece
    if together == "full":
        piece = _straight(planner, problem, shape, duration)
    elif shape == "trapezoid":
        piece = _quickest(planner, problem, together == "sync" or duration is not None, duration)
        times = piece.times
    else:
        piece, times = _by_formula(planner, problem, shape, together, duration)
    notices = assumed_notices(allowed)
    if v0 is not None or v1 is not None:
        notices += _run_on(allowed, last, times, piece.duration)
        _refuse_stops(allowed, piece)
    if isinstance(arm, Arm) and arm.is_coupled:
        _refuse_angles(arm, start, goal, piece)
    arrivals = None if times is None else np.array(times)
    return Trajectory((piece,), allowed, source, notices, arrivals)


def _refuse_angles(arm: Arm, start: Row, goal: Row, piece: TrajectoryPiece) -> None:
    """Refuse a motion on which a coupled joint leaves its own limits.

    Between two configurations that keep them the straight line does too; axes that do not keep
    step leave it.
    """
    for name, row in (("q0", start), ("q1", goal)):
        breach = arm.angle_breach(row)
        if breach:
            raise MotionError(f"at {name} {breach}")
    breach = arm.angle_breach(piece.evaluate(np.linspace(0.0, piece.duration, _LOOKS)).q)
    if breach:
        raise MotionError(f"on the way {breach}; sync='full' keeps to the straight line")


def _refuse_with_drives(**given: bool) -> None:
    """Refuse what a motion by torque leaves no choice of."""
    for name, is_given in given.items():
        if is_given:
            raise MotionError(
                f"drives=True drives from rest to rest on the straight line of joint space, all "
                f"axes under one law (sync='full'), in the least time: it takes no other {name}"
            )


def _by_drives(
    model: ArmModel | Arm | Assembly | None, start: Row, goal: Row, limits: Limits
) -> Trajectory:
    """Return the straight line in joint space in the least time that the drives allow."""
    from armwerk.mechanics.serial import SerialModel
    from armwerk.modelling import model as model_of
    from armwerk.motion.path.driven_line import driven_line

    known = model_of(model) if isinstance(model, Arm) else model
    if not isinstance(known, SerialModel):
        raise MotionError("drives=True needs a serial arm, whose masses and max_force are known")
    return driven_line(known, np.array(start), np.array(goal), limits)


def _quickest(
    planner: Planner, problem: PointToPoint, together: bool, duration: float | None
) -> RuckigPiece:
    piece = planner.plan(problem, together, duration)
    if duration is not None and abs(piece.duration - duration) > _SAME * duration:
        _refuse_duration(planner.axes(problem), planner.limits, duration)
    return piece


def _by_formula(
    planner: Planner, problem: PointToPoint, profile: Profile, sync: Sync, duration: float | None
) -> tuple[TrajectoryPiece, Row | None]:
    profiled = axes_of(profile, planner.tasks(problem))
    axes = profiled.each
    times: Row | None = None
    if duration is None and sync == "async":
        times = [axis.next_duration(0.0) for axis in axes]
    else:
        time = common_duration(axes, duration or 0.0)
        if duration is not None and time > duration * (1.0 + _SAME):
            _refuse_duration(axes, planner.limits, duration)
    each = times or [time if duration is None else duration] * len(axes)
    q0, v0 = np.array(problem.start), np.array(problem.start_velocity)
    return profiled.piece(q0, v0, each), times


def _straight(
    planner: Planner, problem: PointToPoint, profile: Profile, duration: float | None
) -> TrajectoryPiece:
    """Return one law on the straight line q0 + direction · s, s from 0 to its length."""
    q0, q1, v0, v1 = (np.array(row) for row in problem)
    limits = planner.limits
    way = q1 - q0
    along = next((d for d in (way, v0, v1) if d.any()), None)
    if along is None:
        along = np.ones(limits.dof)
    direction = along / np.abs(along).max()
    length = float(np.abs(way).max())
    moving = direction != 0.0
    size = np.abs(direction[moving])
    rates = (limits.velocity, limits.acceleration, limits.jerk)
    max_rates = [float((rate[moving] / size).min()) for rate in rates]
    ends = []
    for name, velocity in (("v0", v0), ("v1", v1)):
        fraction = float(velocity @ direction / (direction @ direction))
        off = np.abs(velocity - fraction * direction)
        axis = int(off.argmax())
        if off[axis] > _PARALLEL * max(1.0, float(np.abs(velocity).max())):
            raise MotionError(
                f"{name} = {velocity[axis]:.6g} {limits.unit(axis, 'velocity')} leaves the straight"
                f" line from q0 to q1, which would need {fraction * direction[axis]:.6g}; a fully"
                " synchronous motion starts and ends along it (use sync='sync')",
                axis=limits.axis(axis),
            )
        ends.append(min(max(fraction, -max_rates[0]), max_rates[0]))
    line = AxisTask(length, *ends, *max_rates)
    if profile == "trapezoid":
        one = planner_for(_line_limits(*max_rates))
        law: TrajectoryPiece = one.plan(
            PointToPoint([0.0], [length], ends[:1], ends[1:]), True, duration
        )
        time = law.duration
    else:
        profiled = axes_of(profile, [line])
        time = profiled.each[0].next_duration(duration or 0.0)
        law = profiled.piece(np.zeros(1), np.array(ends[:1]), [time])
    if duration is not None and time > duration * (1.0 + _SAME):
        _refuse_duration(axes_of(profile, [line]).each, limits, duration)
    return LinePiece(q0, direction, law)


def _line_limits(velocity: float, acceleration: float, jerk: float) -> Limits:
    return Limits(np.array([velocity]), np.array([acceleration]), np.array([jerk]))


def _sync(arm: object, sync: Sync | JointMotion | None) -> Sync:
    if sync is None:
        return SYNC_OF[arm.motion.joint_motion] if isinstance(arm, Arm) else "sync"
    if isinstance(sync, str) and sync in SYNC_OF:
        return SYNC_OF[sync]
    raise UnknownNameError("synchronisation", str(sync), SYNCS)


def _profile(arm: object, profile: str | None) -> Profile:
    if profile is None:
        return PROFILE_OF[arm.motion.profile] if isinstance(arm, Arm) else "trapezoid"
    if isinstance(profile, str) and profile in PROFILE_OF:
        return PROFILE_OF[profile]
    raise UnknownNameError("profile", str(profile), PROFILES)


def _row(values: ArrayLike, name: str, dof: int) -> Row:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.shape != (dof,):
        raise ShapeError(f"{name} must be numbers of shape ({dof},), got {values!r:.80}")
    row: Row = array.tolist()
    return row


def _position(values: ArrayLike, name: str, planner: Planner) -> Row:
    row = _row(values, name, len(planner.rest))
    for value, (low, high) in zip(row, planner.stops, strict=True):
        if not low <= value <= high:
            limits = np.array([planner.lowest, planner.highest]).T
            kept: Row = at_limits(np.array(row), limits).tolist()
            _refuse_position(kept, name, planner)
            return kept
    return row


def _refuse_position(row: Row, name: str, planner: Planner) -> None:
    limits = planner.limits
    for axis, value in enumerate(row):
        if not isfinite(value):
            raise ShapeError(f"{name} must be finite, got {value} for {limits.axis(axis)}")
        low, high = planner.stops[axis]
        if not low <= value <= high:
            raise MotionError(
                f"{name} = {value:.6g} is beyond its stops, {planner.lowest[axis]:.6g} to "
                f"{planner.highest[axis]:.6g} {limits.unit(axis)}",
                axis=limits.axis(axis),
            )


def _velocity(values: ArrayLike, name: str, planner: Planner) -> Row:
    row = _row(values, name, len(planner.rest))
    for axis, value in enumerate(row):
        max_rates = planner.velocity[axis]
        if -max_rates <= value <= max_rates:
            continue
        limits = planner.limits
        if not isfinite(value):
            raise ShapeError(f"{name} must be finite, got {value} for {limits.axis(axis)}")
        if abs(value) > max_rates * (1.0 + _FAST):
            raise MotionError(
                f"{name} = {value:.6g} {limits.unit(axis, 'velocity')} is beyond its limit of "
                f"{max_rates:.6g}",
                axis=limits.axis(axis),
            )
        row[axis] = max_rates if value > 0.0 else -max_rates
    return row


def _wished(duration: float) -> float:
    try:
        seconds = float(duration)
    except (TypeError, ValueError):
        seconds = inf
    if not 0.0 <= seconds < inf:
        raise MotionError(f"the duration must be finite and not negative, got {duration!r} s")
    return seconds


def _run_on(limits: Limits, v1: Row, times: Row | None, duration: float) -> tuple[Notice, ...]:
    """Return what is to be said of axes that arrive early and cannot wait."""
    if times is None:
        return ()
    notices = []
    for axis, (speed, time) in enumerate(zip(v1, times, strict=True)):
        beyond = speed * (duration - time)
        if abs(beyond) > AT_STOP:
            text = (
                f"passes its goal at {time:.6g} s with {speed:.6g} {limits.unit(axis, 'velocity')}"
                f" and is {beyond:.6g} {limits.unit(axis)} beyond it at the end"
            )
            notices.append(Notice("", f"at {time:.6g} s", limits.axis(axis), text))
    return tuple(notices)


def _refuse_stops(limits: Limits, piece: TrajectoryPiece) -> None:
    """Refuse a motion that start or end velocities carry beyond a joint stop."""
    if np.isinf(limits.lowest).all() and np.isinf(limits.highest).all():
        return
    found = piece.extremes()
    for beyond, place, stop in (
        (limits.lowest - found.lowest, found.lowest, limits.lowest),
        (found.highest - limits.highest, found.highest, limits.highest),
    ):
        axis = int(beyond.argmax())
        if beyond[axis] > 2 * AT_STOP:
            raise MotionError(
                f"would run through its stop at {stop[axis]:.6g} {limits.unit(axis)} to "
                f"{place[axis]:.6g}, since its start or end velocity leaves too little way to "
                "brake or turn",
                axis=limits.axis(axis),
            )


def _refuse_duration(axes: Sequence[AxisProfile], limits: Limits, duration: float) -> None:
    minimum = common_duration(axes)
    following = common_duration(axes, duration)
    if following <= minimum * (1.0 + _SAME):
        raise MotionError(
            f"a duration of {duration:.9g} s is too short; the shortest possible is {minimum:.9g} s"
        )
    blocked = [i for i, axis in enumerate(axes) if axis.next_duration(duration) > duration]
    index = blocked[0]
    raise MotionError(
        f"cannot take {duration:.9g} s with these start and end velocities; the motion can take"
        f" {minimum:.9g} s, or {following:.9g} s",
        axis=limits.axis(index) if len(axes) > 1 else "",
    )
