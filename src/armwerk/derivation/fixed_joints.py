"""Fixed joints between moving ones: taken out, by numbers alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.mechanics.chain import pseudo_inertia
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.axes import place_frames, six_moments
from armwerk.robot.joint import Link


def without_inner_fixed_joints(arm: Arm) -> Arm:
    """Return an arm whose fixed joints stand at its ends only, with the same motion.

    A fixed joint between moving ones is no row of its own: the axes on both sides of it are
    described anew, which leaves every joint variable as it was.
    """
    kinds = [joint.is_moving for joint in arm.joints]
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    if all(kinds[first : last + 1]):
        return arm
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' has a fixed joint between moving ones and symbolic dimensions; "
            "put the fixed joint into the row before it"
        )
    pose, points, directions = arm.base, [], []
    moments: list[Array] = []  # of each moving body, in the world at zero
    for joint in arm.joints:
        if joint.is_moving:
            points.append(pose[:3, 3])
            directions.append(pose[:3, 2])
            moments.append(np.zeros((4, 4)))
        d, a, alpha, offset = (float(v) for v in (joint.d, joint.a, joint.alpha, joint.offset))
        pose = pose @ row_matrix(offset, d, a, alpha)
        if moments:
            moments[-1] += pose @ pseudo_inertia(joint) @ pose.T
    kinds_of_moving = [joint.kind for joint in arm.moving]
    placed = place_frames(kinds_of_moving, np.array(points), np.array(directions), pose @ arm.tool)
    joints = tuple(
        replace(joint, **row._asdict(), link=_link(moment, frame))
        for joint, row, moment, frame in zip(
            arm.moving, placed.rows, moments, placed.frames[1:], strict=True
        )
    )
    return replace(arm, joints=joints, base=placed.base, tool=placed.tool)


def _link(moment: Array, frame: Array) -> Link:
    """Return the body of a pseudo-inertia in the world, described in a frame."""
    back = np.linalg.inv(frame)
    local = back @ moment @ back.T
    mass = float(local[3, 3])
    centre = local[:3, 3] / mass if mass else np.zeros(3)
    second = local[:3, :3] - mass * np.outer(centre, centre)
    tensor = np.trace(second) * np.eye(3) - second
    return Link(mass, tuple(centre), six_moments(tensor))
