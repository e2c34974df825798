"""From a path to a trajectory: joint values, runs, time laws, checks.

Every group of segments is followed by joint values, everything between two stops becomes one run,
every run gets its law, and the finished motion is checked against all limits before anything is
handed out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.errors import MotionError, UnsupportedError
from armwerk.mechanics.interface import ArmModel
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model as model_of
from armwerk.motion.limits import Limits, is_number
from armwerk.motion.path.branches import InTheWayError
from armwerk.motion.path.connect import NamePlace, connect
from armwerk.motion.path.driven_line import with_drives
from armwerk.motion.path.driving import AskedPath, drive
from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.path.turn_notice import turn_notice
from armwerk.motion.path.wishes import ArmSurroundings, SpareJoints, Wishes
from armwerk.motion.point_to_point import ptp
from armwerk.motion.retiming.drive_loads import drive_loads
from armwerk.motion.retiming.time_run import PathPiece, Quickness, time_run
from armwerk.motion.trajectory.summary import Notice, assumed_notices, later
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
_LOOKS = 101  # configurations of a run whose coupled joints are looked at
_WIDEST_WRIST = 0.5  # [rad]
_PLAIN = Quickness(optimal=False)  # a turn on the spot is short: near the least time, no torques


def plan(
    path: Path,
    model: ArmModel | Arm | str | FilePath,
    q0: ArrayLike | None,
    cycle: float | None,
    limits: Limits | None,
    near: ArrayLike | None = None,
    bodies: ArmSurroundings | None = None,
    close: bool = False,
    optimal: bool | None = None,
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
    found = drive(serial, AskedPath(path, limits, q0, near, bodies, close, wishes))
    notices = found.notices
    runs = connect(serial, found.groups, notices)
    if not runs:
        return ptp(serial, found.start, found.start, limits=limits)
    pieces: list[PathPiece] = []
    began = 0.0
    turned: list[Notice] = []
    for run, words, turn in runs:
        _refuse_angles(serial.arm, run, words)
        profile, quick = path.profile or "trapezoid", wish if turn is None else _PLAIN
        piece, slowed = time_run(run, profile, limits, words, cycle, quick)
        pieces.append(piece)
        notices += [later(notice, began) for notice in slowed]
        if turn is not None:
            turned.append(turn_notice(serial, *turn, (began, began + piece.duration)))
        began += piece.duration
    if drives:
        limits, widened = with_drives(limits, pieces)
        notices += widened
    told = (*turned, *assumed_notices(limits), *described, *notices)
    return Trajectory(tuple(pieces), limits, serial, told)


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


def _limits(model: SerialModel, limits: Limits | None) -> Limits:
    limits = Limits.wanted(limits, model.arm)
    if limits.dof != model.dof:
        raise MotionError(
            f"limits are for {limits.dof} axes, but '{model.arm.name}' has {model.dof}"
        )
    return limits


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
