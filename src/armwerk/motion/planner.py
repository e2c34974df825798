"""From a path to a trajectory: branch, runs, time laws, checks.

Segments are gathered into blocks of Cartesian ones and single joint-space ones. Every block is
followed by joint values, everything between two stops becomes one run, every run gets its law, and
the finished motion is checked against all limits before anything is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError, UnsupportedError
from armwerk.geometry import separation
from armwerk.mechanics.model import ArmModel, model as model_of
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.branches import AT_START, Route, candidates, follow_route
from armwerk.motion.goals import numbers
from armwerk.motion.joining import Made, tracks_of
from armwerk.motion.limits import Limits, is_number
from armwerk.motion.linking import Block, Driven, Moves, runs_of
from armwerk.motion.path_piece import PathPiece
from armwerk.motion.segments import Segment
from armwerk.motion.settling import settled
from armwerk.motion.trajectory import Notice, Trajectory
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.motion.path import Path

SHORTEST_CYCLE = 1e-5  # [s] at which limits may be checked
_NO_MOTION = "start and goal are equal, so there is no motion"
_LEAST_JERK = 1.0  # [m/s³] that blends are made for, however near a singularity the arm starts


def plan(
    path: Path,
    model: ArmModel | Arm | str | FilePath,
    q0: ArrayLike | None,
    cycle: float | None,
    limits: Limits | None,
) -> Trajectory:
    """Plan a path; see `armwerk.motion.path.Path.plan`."""
    serial = _serial(model, path.tool)
    limits = _limits(serial, limits)
    if cycle is not None and (not is_number(cycle) or not SHORTEST_CYCLE <= cycle < np.inf):
        raise MotionError(
            f"the cycle must be finite and at least {SHORTEST_CYCLE:g} s, got {cycle!r}"
        )
    if not path.segments:
        raise MotionError("the path has no segments")
    start = None if q0 is None else _start(serial, path, q0)
    blocks = _blocks(serial, path, start)
    jerk = _tool_jerk(serial, path, start, limits)
    moves, notices = _followed(serial, path, blocks, start, jerk)
    pieces: list[PathPiece] = []
    for run, words in runs_of(serial, moves, notices):
        piece, slowed = settled(run, path.profile, limits, words, cycle)
        pieces.append(piece)
        began = sum(p.duration for p in pieces[:-1])
        notices += [replace(n, text=_at_time(n.text, began)) for n in slowed]
    return Trajectory(tuple(pieces), limits, serial, tuple(notices))


def _limits(model: SerialModel, limits: Limits | None) -> Limits:
    limits = Limits.wanted(limits, model.arm)
    if limits.dof != model.dof:
        raise MotionError(
            f"limits are for {limits.dof} axes, but '{model.arm.name}' has {model.dof}"
        )
    return limits


def _at_time(text: str, began: float) -> str:
    """Return a text with its times, "{12.5 s}", counted from the start of the whole motion."""
    words = text.split("{")
    out = words[0]
    for word in words[1:]:
        number, rest = word.split("}", 1)
        out += f"{float(number) + began:.3g}{rest}"
    return out


def _serial(model: ArmModel | Arm | str | FilePath, tool: ArrayLike | None) -> SerialModel:
    if isinstance(model, str | FilePath | Arm):
        model = model_of(model)
    if not isinstance(model, SerialModel):
        raise UnsupportedError(
            f"Cartesian paths need a serial arm with a model, got {type(model).__name__}"
        )
    if tool is None:
        return model
    return SerialModel(model.arm.with_tool(model.arm.tool @ np.asarray(tool)), model._method)


def _start(model: SerialModel, path: Path, q0: ArrayLike) -> Array:
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
    if path.start is not None:
        far, angle = separation(np.asarray(path.start), model.fk(q))
        if far > AT_START or angle > AT_START:
            raise MotionError(
                f"the arm does not stand at the start of the path: q0 is {1e3 * far:.6g} mm and "
                f"{angle:.6g} rad away from it"
            )
    return q


def _blocks(model: SerialModel, path: Path, q0: Array | None) -> list[Block]:
    """Return blocks of segments; the geometry is made from where the one before ends."""
    pose = None if path.start is None else np.asarray(path.start)
    if pose is None:
        if q0 is None:
            raise MotionError("a path without a start needs q0, where the arm stands")
        pose = model.fk(q0)
    blocks: list[Block] = []
    for segment in path.segments:
        if segment.kind == "ptp":
            assert segment.goal is not None
            blocks.append(Block(segment, (), ()))
            pose = _ptp_end(model, segment)
            continue
        geometry = segment.geometry(pose)
        made = Made(segment, geometry)
        if blocks and blocks[-1].joint is None:
            blocks[-1] = replace(blocks[-1], made=(*blocks[-1].made, made))
        else:
            blocks.append(Block(None, (made,), ()))
        pose = geometry.end
    return blocks


def _ptp_end(model: SerialModel, segment: Segment) -> Array:
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
    return np.asarray(model.fk(goal))


def _tool_jerk(model: SerialModel, path: Path, q0: Array | None, limits: Limits) -> float:
    """Return about what jerk of the tool the joints allow at the start [m/s³]."""
    q = q0
    if q is None:
        found = candidates(model, np.asarray(path.start), model.chain.home())
        if not found:
            return float("inf")
        q = found[0]
    rates = np.linalg.norm(np.linalg.pinv(model.jacobian(q))[:, :3], axis=1)
    return max(float((limits.jerk / np.maximum(rates, 1e-9)).min()), _LEAST_JERK)


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """How far a choice of configurations got."""

    moves: Moves | None
    error: MotionError | None


def _followed(
    model: SerialModel, path: Path, blocks: Sequence[Block], q0: Array | None, jerk: float
) -> tuple[Moves, list[Notice]]:
    """Return joint values for all blocks, the first choice of configuration with which all fit."""
    notices: list[Notice] = []
    ready: list[Block] = []
    for block in blocks:
        tracks, words = tracks_of(block.made, jerk)
        notices += words
        ready.append(replace(block, tracks=tuple(tracks)))
    if q0 is not None:
        trial = _try(model, ready, q0, [])
        if trial.moves is not None:
            return trial.moves, notices
        assert trial.error is not None
        raise _stands_wrong(model, path, ready, q0, trial.error)
    return _any_branch(model, path, ready), notices


def _any_branch(model: SerialModel, path: Path, blocks: Sequence[Block]) -> Moves:
    start = np.asarray(path.start)
    first: MotionError | None = None
    for q in candidates(model, start, model.chain.home()):
        trial = _try(model, blocks, q, [])
        if trial.moves is not None:
            return trial.moves
        first = first or trial.error
    raise first or MotionError(
        f"out of reach: no joint values of '{model.arm.name}' within their limits bring the tool "
        f"to the start of the path, {np.round(start[:3, 3], 6).tolist()} m"
    )


def _stands_wrong(
    model: SerialModel, path: Path, blocks: Sequence[Block], q0: Array, error: MotionError
) -> MotionError:
    """Return the error, with a configuration at the start that would do, if there is one."""
    if error.problem == _NO_MOTION:
        return error  # another configuration would only move the arm for nothing
    start = np.asarray(model.fk(q0))
    for q in candidates(model, start, q0):
        if np.abs(q - q0).max() > 1e-3 and _try(model, blocks, q, []).moves is not None:
            words = ", ".join(f"{value:.4g}" for value in q)
            return MotionError(
                f"{error.problem}; the path would fit with the configuration q = [{words}] at its "
                "start, but the arm stands in another",
                segment=error.segment,
                place=error.place,
                axis=error.axis,
            )
    return error


def _try(model: SerialModel, blocks: Sequence[Block], q: Array, done: list[Driven]) -> _Trial:
    """Follow the blocks from q; where a goal leaves a choice, try each in order."""
    if not blocks:
        return _Trial(Moves(tuple(done)), None)
    block = blocks[0]
    if block.joint is None:
        try:
            followers = follow_route(model, Route(block.tracks), q)
        except MotionError as error:
            return _Trial(None, error)
        last = followers[-1].table[-1, 0]
        return _try(model, blocks[1:], last, [*done, Driven(block, tuple(followers), None)])
    goal = block.joint.goal
    assert goal is not None
    choices = [goal] if goal.ndim == 1 else candidates(model, goal, q)
    if not choices:
        return _Trial(
            None,
            MotionError(
                f"out of reach: no joint values of '{model.arm.name}' within their limits bring "
                f"the tool to {np.round(goal[:3, 3], 6).tolist()} m",
                segment=block.joint.label,
            ),
        )
    first: MotionError | None = None
    for choice in choices:
        if np.abs(choice - q).max() < 1e-12:
            first = first or MotionError(_NO_MOTION, segment=block.joint.label)
            continue
        trial = _try(model, blocks[1:], choice, [*done, Driven(block, (), (q, choice))])
        if trial.moves is not None:
            return trial
        first = first or trial.error
    return _Trial(None, first)
