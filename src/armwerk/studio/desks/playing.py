"""Trajectories as samples that a page plays: positions, rates, forces, poses, marks, remarks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Flags
from armwerk.collision.motion_check import Verdict
from armwerk.collision.slow_law import SlowedPiece
from armwerk.errors import ArmwerkError
from armwerk.motion.path.stop_to_stop import JointCurve
from armwerk.motion.pieces.piece import TrajectoryPiece
from armwerk.motion.retiming.time_run import PathPiece
from armwerk.motion.trajectory import Trajectory
from armwerk.protocol.moving import MotionRemark, MotionTouch, SampledMotion
from armwerk.studio.desks.stages import StagedArm
from armwerk.wire.arm_stage import packed_numbers

PLANNED, BLENDED, HELD_BACK, NEAR_BODY = range(4)
"""Marks of samples, see `SampledMotion`."""
_STEP = 0.02  # [s] between samples
_FEWEST, _MOST = 40, 900  # samples
_SLOWER = 0.995  # of the speed, below which a sample counts as slowed
_BENT = 1e-9  # of the second derivative, above which a line in joint space is a blend


def played(
    staged: StagedArm,
    trajectory: Trajectory,
    verdict: Verdict | None = None,
    remarks: Sequence[str] = (),
) -> SampledMotion:
    """Return a trajectory in samples.

    Args:
        staged: The arm that moves.
        trajectory: Its motion.
        verdict: What a check said about it; None: it was not checked.
        remarks: What is to be said besides its notices.
    """
    duration = trajectory.duration
    count = int(np.clip(np.ceil(duration / _STEP) + 1, _FEWEST, _MOST))
    times = np.linspace(0.0, duration, count)
    samples = trajectory.evaluate(times)
    tool = np.array([staged.model.fk(row)[:3, 3] for row in samples.q])
    touch, clearance = None, None
    if verdict is not None and verdict.contact is not None:
        x, y, z = (float(value) for value in verdict.contact.point)
        touch = MotionTouch(str(verdict), float(verdict.contact.time), (x, y, z))
    elif verdict is not None and len(staged.bodies) and np.isfinite(verdict.distance.value):
        clearance = float(verdict.distance.value)
    said = [MotionRemark(text) for text in remarks]
    for notice in trajectory.notices:
        begin, end = (None, None) if notice.span is None else notice.span
        said.append(MotionRemark(str(notice), begin, end))
    return SampledMotion(
        duration,
        count,
        position=packed_numbers(samples.q),
        velocity=packed_numbers(samples.qd),
        acceleration=packed_numbers(samples.qdd),
        jerk=packed_numbers(samples.qddd),
        force=_force(staged, samples.q, samples.qd, samples.qdd),
        tool=packed_numbers(tool),
        poses=staged.stage.packed(samples.q),
        marks=packed_numbers(_marks(trajectory, times)),
        remarks=tuple(said),
        touch=touch,
        clearance=clearance,
    )


def _force(staged: StagedArm, q: Array, qd: Array, qdd: Array) -> str:
    """Return forces of the joints; empty: the arm's masses are not known."""
    try:
        if not staged.model.mass_matrix(q[0]).any():
            return ""
        return packed_numbers(staged.model.inverse_dynamics(q, qd, qdd))
    except ArmwerkError:
        return ""


def _marks(trajectory: Trajectory, times: Array) -> NDArray[np.uint8]:
    marks = np.full(len(times), PLANNED, dtype=np.uint8)
    starts = trajectory.starts
    last = len(trajectory.pieces) - 1
    which = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, last)
    for number in np.unique(which):
        here = np.flatnonzero(which == number)
        piece = trajectory.pieces[number]
        blended, near = _looked_at(piece, np.clip(times[here] - starts[number], 0, piece.duration))
        marks[here[blended]] = BLENDED
        marks[here[near]] = NEAR_BODY
    for notice in trajectory.notices:
        if notice.span is not None:
            held = (times >= notice.span[0]) & (times <= notice.span[1])
            marks[held & (marks != NEAR_BODY)] = HELD_BACK
    return marks


def _looked_at(piece: TrajectoryPiece, local: Array) -> tuple[Flags, Flags]:
    """Return where a piece is in a blend, and where it is slowed near a body."""
    near = np.zeros(len(local), dtype=bool)
    while isinstance(piece, SlowedPiece):
        step = min(1e-4, piece.duration / 2)
        ends = np.clip([local - step, local + step], 0.0, piece.duration)
        old = np.array([piece.old(one) for one in ends])
        near |= (old[1] - old[0]) < _SLOWER * (ends[1] - ends[0])
        local, piece = piece.old(local), piece.piece
    blended = np.zeros(len(local), dtype=bool)
    if isinstance(piece, PathPiece):
        parts = piece.run.parts
        along = piece.law.evaluate(local)[:, 0]
        for k, s in enumerate(along):
            number = int(np.searchsorted(piece.run.starts, s, "right")) - 1
            number = max(0, min(number, len(parts) - 1))
            part = parts[number]
            inner = (
                part.first + s - float(piece.run.starts[int(np.clip(number, 0, len(parts) - 1))])
            )
            if isinstance(part.source, JointCurve):
                bent = part.source.polynomial.derivatives(np.array([inner]))[0, 2]
                blended[k] = bool(np.abs(bent).max() > _BENT)
            else:
                blended[k] = part.source.track.owner(inner)[0].is_blend
    return blended, near
