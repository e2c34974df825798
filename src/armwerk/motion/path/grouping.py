"""Segments of a path in groups: Cartesian ones in a row, single ones in joint space."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.connect import SegmentGroup
from armwerk.motion.path.segments import Geometry, PathSegment
from armwerk.robot.single_precision import at_limits

if TYPE_CHECKING:
    from armwerk.motion.path.path import Path


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
            settled = _settled(model, segment)
            parts.append((settled, None))
            pose = _ptp_end(model, settled)
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


def _settled(model: SerialModel, segment: PathSegment) -> PathSegment:
    """Return a motion of the joints to a limit where rounding alone puts its goal beyond that."""
    goal = segment.goal
    if goal is None or goal.shape != (model.dof,):
        return segment
    return replace(segment, goal=at_limits(goal, model.chain.limits))


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
