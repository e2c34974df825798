"""From a path to a trajectory: branch, runs, time laws, checks.

Segments are gathered into groups of Cartesian ones and single joint-space ones. Every group is
followed by joint values, everything between two stops becomes one run, every run gets its law, and
the finished motion is checked against all limits before anything is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError, UnsupportedError
from armwerk.geometry import separation
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.extent import millimetre_hint
from armwerk.mechanics.interface import ArmModel
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model as model_of
from armwerk.motion.limits import Limits, is_number
from armwerk.motion.options import DEMANDS, Demand, OrientationKind
from armwerk.motion.path.blend_tracks import BuiltSegment, blend_tracks
from armwerk.motion.path.branches import (
    AT_START,
    PART_OF,
    SPATIAL,
    InTheWayError,
    OutOfReachError,
    candidates,
    place_words,
)
from armwerk.motion.path.connect import DrivenGroup, NamePlace, SegmentGroup, connect
from armwerk.motion.path.driven_line import with_drives
from armwerk.motion.path.goals import numbers
from armwerk.motion.path.search import BranchSearch
from armwerk.motion.path.segments import Geometry, PathSegment
from armwerk.motion.path.spot_turn import exits
from armwerk.motion.path.start_choice import StartChoice, choose_start
from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.path.wishes import ArmSurroundings, SpareJoints, Wishes
from armwerk.motion.path.wrist import deviations
from armwerk.motion.point_to_point import ptp
from armwerk.motion.retiming.drive_loads import drive_loads
from armwerk.motion.retiming.time_run import PathPiece, Quickness, time_run
from armwerk.motion.trajectory.summary import Notice, assumed_notices
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.robot.arm import Arm
from armwerk.robot.settings import CartesianMotion, MotionSettings

if TYPE_CHECKING:
    from armwerk.motion.path.path import Path

_KINDS: dict[str, CartesianMotion] = {
    "lin": "linear",
    "circ": "circular",
    "spiral": "circular",
    "bezier": "spline",
    "spline": "spline",
}
SHORTEST_CYCLE = 1e-5  # [s] at which limits may be checked
_TRIED_AGAIN = 8  # stretches between stops of a path that is tried from other configurations too
_LOOKS = 101  # configurations of a motion in joint space that are held against bodies
_KIND_OF: dict[Demand, OrientationKind] = {
    "direction": "direction",
    "inclination": "free",
    "position": "free",
}
_KEPT: dict[Demand, str] = {
    "direction": "the direction of the tool is met, its turn about that is free",
    "inclination": "the tool keeps its inclination and roll, its heading is free",
    "position": "only the place of the tool is met, its orientation is free",
}
_WIDEST_WRIST = 0.5  # [rad]
_MIN_JERK = 1.0  # [m/s³] that blends are made for, however near a singularity the arm starts


def plan(
    path: Path,
    model: ArmModel | Arm | str | FilePath,
    q0: ArrayLike | None,
    cycle: float | None,
    limits: Limits | None,
    near: ArrayLike | None = None,
    bodies: ArmSurroundings | None = None,
    close: bool = False,
    optimal: bool = False,
    drives: bool = False,
    wrist: float = 0.0,
    spare: SpareJoints | None = None,
) -> Trajectory:
    """Plan a path; see `armwerk.motion.path.Path.plan`."""
    serial = _serial(model, path.tool)
    limits = _limits(serial, limits)
    path, described = as_described(path, serial.arm.motion)
    if cycle is not None and (not is_number(cycle) or not SHORTEST_CYCLE <= cycle < np.inf):
        raise MotionError(
            f"the cycle must be finite and at least {SHORTEST_CYCLE:g} s, got {cycle!r}"
        )
    if not path.segments:
        raise MotionError("the path has no segments")
    if (optimal or drives) and path.profile not in {None, "trapezoid"}:
        raise MotionError(
            f"the profile {path.profile!r} fixes how speed is gained; the least time "
            "(optimal, drives) needs profile='trapezoid'"
        )
    wish = Quickness(optimal, drive_loads(serial) if drives else None)
    if not is_number(wrist) or not 0.0 <= wrist <= _WIDEST_WRIST:
        raise MotionError(
            f"wrist must be an angle from 0 to {_WIDEST_WRIST:g} rad by which the orientation may "
            f"differ, got {wrist!r}"
        )
    if spare is not None and not isinstance(spare, SpareJoints):
        raise MotionError(f"spare must be SpareJoints(…), got {spare!r:.60}")
    wishes = Wishes(float(wrist), spare or SpareJoints(), bodies)
    asked = _Asked(path, limits, q0, near, bodies, close, wishes)
    turned: Array | None = None
    try:
        driven, notices, choice, start = _driven(serial, asked, "pose")
    except OutOfReachError as error:
        driven, notices, choice, start = _driven_loosely(serial, asked, error)
    except MotionError as error:
        found = _driven_after_a_turn(serial, asked)
        if found is not None:
            turned = np.asarray(q0, dtype=np.float64)
        driven, notices, choice, start = found or _driven_loosely(serial, asked, error)
    runs = connect(serial, driven, notices)
    if not runs:
        return _standing(serial, choice, start, limits)
    pieces: list[PathPiece] = []
    began = 0.0
    for run, words in runs:
        _refuse_angles(serial.arm, run, words)
        piece, slowed = time_run(run, path.profile or "trapezoid", limits, words, cycle, wish)
        pieces.append(piece)
        notices += [later(notice, began) for notice in slowed]
        began += piece.duration
    if drives:
        limits, widened = with_drives(limits, pieces)
        notices += widened
    told = (*assumed_notices(limits), *described, *notices)
    motion = Trajectory(tuple(pieces), limits, serial, told)
    return motion if turned is None else _turn_first(serial, motion, turned, limits)


def _turn_first(model: SerialModel, motion: Trajectory, q0: Array, limits: Limits) -> Trajectory:
    """Return a motion after a turn of joints, the tool standing, from where the arm stands."""
    goal = motion.sample(0.0)[0]
    turn = ptp(model, q0, goal, "full", "trapezoid", limits=limits)
    axis = int(np.argmax(np.abs(goal - q0)))
    joint = model.arm.moving[axis]
    notice = Notice(
        "start",
        "",
        f"joint '{joint.name}'",
        f"turned by {goal[axis] - q0[axis]:.4g} {joint.unit} while the tool stands: the arm is at "
        "a singularity, and the path leaves it with these joint values only",
        (0.0, turn.duration),
    )
    told = (notice, *(later(one, turn.duration) for one in motion.notices))
    return Trajectory(turn.pieces + motion.pieces, limits, model, told)


class _Asked(NamedTuple):
    """What a path is to be planned with; see `plan`."""

    path: Path
    limits: Limits
    q0: ArrayLike | None
    near: ArrayLike | None
    bodies: ArmSurroundings | None
    close: bool
    wishes: Wishes


class _Driven(NamedTuple):
    """Joint values for all groups, with what was noticed and where the arm starts."""

    groups: list[DrivenGroup]
    notices: list[Notice]
    choice: StartChoice | None
    start: Array | None


def _driven(model: SerialModel, asked: _Asked, demand: Demand) -> _Driven:
    """Return joint values along a path whose poses are met as far as demanded."""
    path, bodies = asked.path, asked.bodies
    start = None if asked.q0 is None else _start(model, path, asked.q0, demand)
    groups = segment_groups(model, path, start)
    choice = None
    if start is None:
        wanted = None if asked.near is None else _wanted(model, asked.near)
        part = PART_OF[demand]
        choice = choose_start(model, np.asarray(path.start), wanted, bodies, part)
    jerk = tool_jerk(model, choice, start, asked.limits)
    driven, notices = _followed(model, path, groups, choice, start, jerk, asked, demand)
    if asked.close and driven:
        _refuse_open(model, driven)
    return _Driven(driven, notices + _wrist_notices(driven), choice, start)


def _driven_after_a_turn(model: SerialModel, asked: _Asked) -> _Driven | None:
    """Return joint values from a configuration that the arm can turn to on the spot; None: none."""
    if asked.q0 is None or asked.close or isinstance(model, CoupledModel):
        return None
    start = _start(model, asked.path, asked.q0, "pose")
    first = segment_groups(model, asked.path, start)[0]
    if first.joint is not None:
        return None
    tracks, _ = blend_tracks(first.built, np.inf)
    for goal in exits(model, tracks[0][0], start):
        with suppress(MotionError):
            return _driven(model, asked._replace(q0=goal), "pose")
    return None


def _wrist_notices(driven: Sequence[DrivenGroup]) -> list[Notice]:
    """Say where the orientation differs so that a wrist passes its singularity straight."""
    told = []
    for group in driven:
        for (track, built), follower in zip(group.group.tracks, group.followers, strict=False):
            found = deviations(track, follower.track)
            if found is not None:
                segment, place = place_words(track, built, found[0])
                text = (
                    f"the tool's orientation differs by up to {found[1]:.3g} rad, since the wrist "
                    "passes its singularity straight"
                )
                told.append(Notice(segment, place, "", text))
    return told


def _refuse_open(model: SerialModel, driven: Sequence[DrivenGroup]) -> None:
    """Refuse joint values that do not end as they begin."""
    first, last = driven[0].ends_of()[0], driven[-1].ends_of()[1]
    off = np.abs(last - first)
    if off.max() <= AT_START:
        return
    far, angle = separation(model.fk(first), model.fk(last))
    segment = driven[-1].group.end.label
    if far > AT_START or angle > AT_START:
        raise MotionError(
            f"a path that is to be closed must end where it begins: its end is {1e3 * far:.6g} mm "
            f"and {angle:.6g} rad away from that",
            segment=segment,
        )
    axis = int(np.argmax(off))
    joint = model.arm.moving[axis]
    raise MotionError(
        f"the path cannot be closed in its joints: it ends {off[axis]:.4g} {joint.unit} away from "
        "where it began",
        segment=segment,
        axis=f"joint '{joint.name}'",
    )


def _driven_loosely(model: SerialModel, asked: _Asked, error: MotionError) -> _Driven:
    """Return joint values of an arm with few freedoms that meet as much of the poses as it can.

    Raises:
        MotionError: For an arm with all freedoms, and where less was not allowed; then it says
            which orientation would do.
    """
    from armwerk.mechanics.inverse.partial import freedoms

    if isinstance(model, CoupledModel) and model.free.dof > model.dof:
        raise error  # its rods leave no choice of orientations
    count = SPATIAL if model.dof >= SPATIAL else freedoms(model)
    if count >= SPATIAL or isinstance(error, InTheWayError):
        raise error
    last = error
    for demand in DEMANDS[1:]:
        try:
            found = _driven(model, asked, demand)
        except InTheWayError:
            raise  # it could be met but for that
        except MotionError as other:
            last = other
            continue
        groups = (one.group for one in found.groups)
        strict = any(not one.geometry.adapts for group in groups for one in group.built)
        if strict:
            raise MotionError(
                f"{error.problem}; orientation='{_KIND_OF[demand]}' would do",
                segment=error.segment,
                place=error.place,
                axis=error.axis,
            )
        text = (
            f"{_KEPT[demand]}, since '{model.arm.name}' has {count} freedoms "
            f"(orientation='{_KIND_OF[demand]}')"
        )
        found.notices.append(Notice("orientation", "", "", text))
        return found
    raise last


def as_described(path: Path, motion: MotionSettings) -> tuple[Path, list[Notice]]:
    """Return the path with what it leaves to the arm's description, and what does not fit to it."""
    segments = path.segments
    if motion.top_speed is not None:
        segments = tuple(
            replace(one, limits=one.limits.changed(speed=motion.top_speed))
            if one.usual_speed
            else one
            for one in segments
        )
    notices = []
    named = motion.cartesian_motions
    for one in segments:
        kind = _KINDS.get(one.kind)
        if kind and kind not in named and named != MotionSettings().cartesian_motions:
            words = " and ".join(named) or "no"
            text = f"the arm's description names {words} paths of the tool, not {kind} ones"
            notices.append(Notice(one.label, "", "", text))
    return replace(path, segments=segments, profile=path.profile or motion.profile), notices


def _standing(
    model: SerialModel, choice: StartChoice | None, q0: Array | None, limits: Limits
) -> Trajectory:
    """Return no motion: the arm is at every goal from the start."""
    q = choice.candidates[0].q if choice is not None else q0
    assert q is not None
    return ptp(model, q, q, limits=limits)


def _limits(model: SerialModel, limits: Limits | None) -> Limits:
    limits = Limits.wanted(limits, model.arm)
    if limits.dof != model.dof:
        raise MotionError(
            f"limits are for {limits.dof} axes, but '{model.arm.name}' has {model.dof}"
        )
    return limits


def later(notice: Notice, began: float) -> Notice:
    """Return a notice with its times counted from the start of the whole motion."""
    span = notice.span and (notice.span[0] + began, notice.span[1] + began)
    return replace(notice, span=span)


def _refuse_angles(arm: Arm, run: Run, words: NamePlace) -> None:
    """Refuse a run on which a coupled joint leaves its own limits, in a blend for instance."""
    if not arm.is_coupled:
        return
    s = np.linspace(0.0, run.length, _LOOKS)
    rows = run.joints(s)[:, 0]
    breach = arm.angle_breach(rows)
    if breach:
        segment, place = words(float(s[int(np.argmin(arm.keeps_limits(rows)))]))
        raise InTheWayError(breach, segment=segment, place=place)


def _serial(model: ArmModel | Arm | str | FilePath, tool: ArrayLike | None) -> SerialModel:
    if isinstance(model, str | FilePath | Arm):
        model = model_of(model)
    if not isinstance(model, SerialModel):
        raise UnsupportedError(
            f"Cartesian paths need a serial arm with a model, got {type(model).__name__}"
        )
    if tool is None:
        return model
    return model.with_arm(model.arm.with_tool(model.arm.tool @ np.asarray(tool)))


def _start(model: SerialModel, path: Path, q0: ArrayLike, demand: Demand) -> Array:
    q = numbers(q0, "q0")
    if q.shape != (model.dof,):
        raise MotionError(f"q0 must have shape ({model.dof},), got {q.shape}")
    low, high = model.chain.limits.T
    beyond = (q < low - 1e-9) | (q > high + 1e-9)
    if beyond.any():
        axis = int(np.argmax(beyond))
        joint = model.arm.moving[axis]
        raise MotionError(
            f"q0 is out of the joint's range {low[axis]:.6g} to {high[axis]:.6g} {joint.unit}: "
            f"{q[axis]:.6g}",
            axis=f"joint '{joint.name}'",
        )
    breach = model.arm.angle_breach(q)
    if breach:
        raise MotionError(f"at q0 {breach}")
    if path.start is not None:
        wanted, pose = np.asarray(path.start), model.fk(q)
        far, angle = separation(wanted, pose)
        if demand == "direction":
            angle = np.asarray(np.linalg.norm(wanted[:3, 2] - pose[:3, 2]))
        elif demand != "pose":
            angle = np.zeros(())
        if far > AT_START or angle > AT_START:
            raise MotionError(
                f"the arm does not stand at the start of the path: q0 is {1e3 * far:.6g} mm and "
                f"{angle:.6g} rad away from it"
            )
    return q


def segment_groups(model: SerialModel, path: Path, q0: Array | None) -> list[SegmentGroup]:
    """Return groups of segments; the geometry is made from where the one before ends."""
    pose = None if path.start is None else np.asarray(path.start)
    if pose is None:
        if q0 is None:
            raise MotionError("a path without a start needs q0, where the arm stands")
        pose = model.fk(q0)
    parts: list[tuple[PathSegment, Geometry | None]] = []
    for segment in path.segments:
        if segment.kind == "ptp":
            parts.append((segment, None))
            pose = _ptp_end(model, segment)
            continue
        geometry = segment.geometry(pose)
        if not geometry.stands:
            parts.append((segment, geometry))
        elif parts and parts[-1][0].blend.radius > segment.blend.radius:
            last, way = parts[-1]  # it ends there too, and may ask for a stop
            parts[-1] = (replace(last, blend=segment.blend), way)
        pose = geometry.end
    groups: list[SegmentGroup] = []
    for joint, run in groupby(parts, lambda part: part[1] is None):
        if joint:
            groups += [SegmentGroup(segment, (), ()) for segment, _ in run]
        else:
            built = (BuiltSegment(segment, way) for segment, way in run if way is not None)
            groups.append(SegmentGroup(None, tuple(built), ()))
    return groups


def _ptp_end(model: SerialModel, segment: PathSegment) -> Array:
    goal = segment.goal
    assert goal is not None
    if goal.ndim == 2:
        return goal
    if goal.shape != (model.dof,):
        raise MotionError(
            f"the goal must have one value per joint, {model.dof}, got {len(goal)}",
            segment=segment.label,
        )
    low, high = model.chain.limits.T
    beyond = (goal < low - 1e-9) | (goal > high + 1e-9)
    if beyond.any():
        axis = int(np.argmax(beyond))
        joint = model.arm.moving[axis]
        raise MotionError(
            f"the goal {goal[axis]:.6g} is out of the range {low[axis]:.6g} to {high[axis]:.6g} "
            f"{joint.unit}",
            segment=segment.label,
            axis=f"joint '{joint.name}'",
        )
    breach = model.arm.angle_breach(goal)
    if breach:
        raise MotionError(f"at the goal {breach}", segment=segment.label)
    return np.asarray(model.fk(goal))


def _wanted(model: SerialModel, near: ArrayLike) -> Array:
    q = numbers(near, "near")
    if q.shape != (model.dof,):
        raise MotionError(f"near must have shape ({model.dof},), got {q.shape}")
    return q


def tool_jerk(
    model: SerialModel, choice: StartChoice | None, q0: Array | None, limits: Limits
) -> float:
    """Return about what jerk of the tool the joints allow at the start [m/s³]."""
    q = q0
    if q is None:
        if choice is None or not choice.candidates:
            return float("inf")
        q = choice.candidates[0].q
    rates = np.linalg.norm(np.linalg.pinv(model.jacobian(q))[:, :3], axis=1)
    return max(float((limits.jerk / np.maximum(rates, 1e-9)).min()), _MIN_JERK)


def _followed(
    model: SerialModel,
    path: Path,
    groups: Sequence[SegmentGroup],
    choice: StartChoice | None,
    q0: Array | None,
    jerk: float,
    asked: _Asked,
    demand: Demand,
) -> tuple[list[DrivenGroup], list[Notice]]:
    """Return joint values for all groups, the first choice of configuration with which all fit."""
    notices: list[Notice] = []
    ready: list[SegmentGroup] = []
    for group in groups:
        tracks, words = blend_tracks(group.built, jerk)
        notices += words
        ready.append(replace(group, tracks=tuple(tracks)))
    if choice is not None:
        driven, told = _any_branch(model, asked, ready, choice, demand)
        return driven, [told, *notices]
    assert q0 is not None
    search = BranchSearch(model, ready, demand, asked.close, asked.wishes)
    try:
        driven = search.run(q0)
    except OutOfReachError:
        raise
    except MotionError as error:
        raise _stands_wrong(model, ready, search, q0, error) from None
    touched = _touched(model, driven, asked.bodies)
    if touched is not None:
        raise touched
    return driven, notices


def _any_branch(
    model: SerialModel,
    asked: _Asked,
    groups: Sequence[SegmentGroup],
    choice: StartChoice,
    demand: Demand,
) -> tuple[list[DrivenGroup], Notice]:
    """Return the motion from the most sensible start with which the path fits, and which it is."""
    first: MotionError | None = None
    if not choice.touching:
        search = BranchSearch(model, groups, demand, asked.close, asked.wishes)
        for tried, candidate in enumerate(choice.candidates):
            try:
                driven = search.run(candidate.q)
                touched = _touched(model, driven, asked.bodies)
                if touched is None:
                    return driven, Notice("start", "", "", choice.words(candidate, tried))
                raise touched
            except OutOfReachError:
                raise
            except MotionError as error:
                first = first or error
    elif choice.candidates:
        first = MotionError(
            f"every configuration within the limits at the start of the path is {choice.touching}"
        )
    start = np.asarray(asked.path.start)
    raise first or MotionError(
        f"out of reach: no joint values of '{model.arm.name}' within their limits bring the tool "
        f"to the start of the path, {np.round(start[:3, 3], 6).tolist()} m"
        f"{millimetre_hint(model.arm, start[:3, 3])}"
    )


def _touched(
    model: SerialModel, driven: Sequence[DrivenGroup], bodies: ArmSurroundings | None
) -> MotionError | None:
    """Return which body is touched first on the way, as far as the points of the path tell."""
    if bodies is None:
        return None
    for one in driven:
        if one.ends is not None:
            shares = np.linspace(0.0, 1.0, _LOOKS)[:, None]
            rows = one.ends[0] + shares * (one.ends[1] - one.ends[0])
        else:
            rows = np.vstack([follower.table[:, 0] for follower in one.followers])
        for k, body in enumerate(bodies.touched(model.arm, rows)):
            if body:
                segment, place = _row_words(one, k)
                return InTheWayError(f"the arm touches '{body}'", segment=segment, place=place)
    return None


def _row_words(one: DrivenGroup, row: int) -> tuple[str, str]:
    """Return segment and place of a row of all joint values of a group, in words."""
    if one.group.joint is not None:
        return one.group.joint.label, ""
    for follower, (_, built) in zip(one.followers, one.group.tracks, strict=True):
        if row < len(follower.grid):
            return place_words(follower.track, built, float(follower.arcs[row, 0, 0]))
        row -= len(follower.grid)
    return "", ""


def _stands_wrong(
    model: SerialModel,
    groups: Sequence[SegmentGroup],
    search: BranchSearch,
    q0: Array,
    error: MotionError,
) -> MotionError:
    """Return the error, with a configuration at the start that would do, if there is one.

    A long path is not driven again for each of them: whoever gave it has waited long enough.
    """
    if sum(max(len(group.tracks), 1) for group in groups) > _TRIED_AGAIN:
        return error
    start = np.asarray(model.fk(q0))
    for q in candidates(model, start, q0):
        if np.abs(q - q0).max() > 1e-3:
            with suppress(MotionError):
                search.run(q)
                words = ", ".join(f"{value:.4g}" for value in q)
                return type(error)(
                    f"{error.problem}; the path would fit with the configuration q = [{words}] at "
                    "its start, but the arm stands in another",
                    segment=error.segment,
                    place=error.place,
                    axis=error.axis,
                )
    return error
