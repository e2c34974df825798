"""An arm in the form that the derivation works on: fixed joints at its ends only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.axes import rows_from_lines


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
    for joint in arm.joints:
        if joint.is_moving:
            points.append(pose[:3, 3])
            directions.append(pose[:3, 2])
        d, a, alpha, offset = (float(v) for v in (joint.d, joint.a, joint.alpha, joint.offset))
        pose = pose @ row_matrix(offset, d, a, alpha)
    base, rows, tool = rows_from_lines(
        [joint.kind for joint in arm.moving],
        np.array(points),
        np.array(directions),
        pose @ arm.tool,
    )
    joints = tuple(
        replace(joint, offset=row.offset, d=row.d, a=row.a, alpha=row.alpha)
        for joint, row in zip(arm.moving, rows, strict=True)
    )
    return replace(arm, joints=joints, base=base, tool=tool)
