"""Real links in place of drawn ones: the visual elements of an arm's URDF.

A picture of an arm and its solids by link come in, the picture with these solids goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from armwerk.errors import UnsupportedError
from armwerk.geometry import Mesh, Shape, transform
from armwerk.modelling import model
from armwerk.pictures.palette import BASE, LINK, WHITE, mixed
from armwerk.protocol.viewing import FIXED, ViewedGeometry, ViewedSolid
from armwerk.robot.arm import Arm
from armwerk.wire.arm_stage import ROBOT, ArmStage
from armwerk.wire.body_solids import body_solids
from armwerk.wire.geometry import viewed_solid

MOST_TRIANGLES = 150_000
"""Of all links together; more would keep a browser waiting."""


def with_meshes(
    geometry: ViewedGeometry, stage: ArmStage, shapes: Mapping[str, Sequence[Shape]]
) -> ViewedGeometry:
    """Return a geometry with real links.

    Args:
        geometry: Of an arm.
        stage: The same arm.
        shapes: By link, "base", "link1", …, in the frame behind the joint's row, as
            `armwerk.collision.urdf_shapes` returns them.

    Raises:
        UnsupportedError: For too many triangles.
    """
    arm = stage.arm
    assert isinstance(arm, Arm)
    count = sum(len(one.faces) for row in shapes.values() for one in row if isinstance(one, Mesh))
    if count > MOST_TRIANGLES:
        raise UnsupportedError(
            f"the meshes have {count:,} triangles; the drawn links are shown instead (at most "
            f"{MOST_TRIANGLES:,})"
        )
    mechanism = stage.mechanism
    zero = np.zeros(arm.dof)
    members = mechanism.poses(mechanism.start(zero))
    frames = model(arm).frames(zero)
    moving = [place for place, joint in enumerate(arm.joints, start=1) if joint.is_moving]
    solids: list[ViewedSolid] = []
    for number, place in enumerate((0, *moving)):
        body = FIXED if number == 0 else mechanism.motors[number - 1]
        own = frames[place] if body == FIXED else np.linalg.inv(members[body]) @ frames[place]
        rigid = transform(own[:3, :3], own[:3, 3])
        colour = BASE if number == 0 else mixed(LINK, WHITE, 0.25 * (number % 2))
        for shape in shapes.get(f"link{number}" if number else "base", ()):
            for solid in body_solids(shape.moved(rigid), colour, 1.0):
                solids.append(viewed_solid(solid, "robot", ROBOT, body))
    others = [one for one in geometry.solids if one.role != "robot"]
    return replace(geometry, solids=(*others, *solids))
