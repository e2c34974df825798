"""What a map is made of: the parts of an arm, each on its link, and the bodies around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes, load_shapes, moving_links
from armwerk.collision.body import Body
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Shape
from armwerk.planning.arms import Described
from armwerk.robot.arm import Arm, row_matrix

ShapesLike: TypeAlias = ArmShapes | Mapping[str, Iterable[Shape] | Shape] | None


@dataclass(frozen=True, slots=True, eq=False)
class ArmPart:
    """One solid of the arm.

    Args:
        name: For messages and legends.
        link: Number of the moving joint that carries it, from 1.
        shape: What it is, in whatever frame it was given.
        pose: Its own coordinates seen from right behind that joint's motion. Shape (4, 4).
    """

    name: str
    link: int
    shape: Shape
    pose: Array


def shapes_of(arm: Described, given: ShapesLike, source: object = None) -> ArmShapes:
    """Return the shapes of an arm: those given, else those of its file, else made of its links.

    Args:
        arm: The description.
        given: Shapes, or None.
        source: What the arm was loaded from, a name or a file; else it does not matter.

    Raises:
        DescriptionError: When the shapes are another arm's, or there are none.
    """
    if given is None:
        named = source if isinstance(source, str | Path) else arm
        shapes = load_shapes(named, arm)
    elif isinstance(given, ArmShapes):
        shapes = given
        if shapes.arm is not arm and shapes.arm != arm:
            raise DescriptionError(
                f"they are those of arm '{shapes.arm.name}'",
                element="shapes",
                allowed=f"shapes of arm '{arm.name}'",
            )
    else:
        shapes = ArmShapes(arm, given)
    if not moving_parts(shapes):
        raise DescriptionError(
            f"arm '{arm.name}' has no part that could touch anything",
            element="shapes",
            allowed="at least one shape on a moving link",
        )
    return shapes


def moving_parts(shapes: ArmShapes) -> tuple[str, ...]:
    """Return the names of all parts but those of the base, which always stands where it stands."""
    arm = shapes.arm
    links = moving_links(arm) if isinstance(arm, Arm) else range(len(arm.tree))
    names = zip(shapes.names, shapes.frames, strict=True)
    return tuple(name for name, frame in names if links[frame] > 0)


def parts_of(shapes: ArmShapes) -> tuple[ArmPart, ...]:
    """Return the moving shapes of a serial arm, seen from right behind their joints' motions."""
    arm = shapes.arm
    if not isinstance(arm, Arm):
        raise DescriptionError("not a serial arm", value=arm, allowed="an Arm")
    links = moving_links(arm)
    behind = _rows_behind(arm)
    return tuple(
        ArmPart(name, links[frame], shape, behind[frame] @ pose_of(shape))
        for name, frame, shape in zip(shapes.names, shapes.frames, shapes.shapes, strict=True)
        if links[frame] > 0
    )


def pose_of(shape: Shape) -> Array:
    """Return the transform from a shape's own coordinates, which were checked when it was made.

    Shape (4, 4).
    """
    T = np.zeros((4, 4))
    T[:3, :3], T[:3, 3], T[3, 3] = shape.rotation, shape.position, 1.0
    return T


def _rows_behind(arm: Arm) -> list[Array]:
    """Return each frame, base to tool, seen from right behind the last motion before it."""
    T = np.array(arm.base)
    frames = [T]
    for joint in arm.joints:
        if joint.is_moving:
            T = np.eye(4)
        T = T @ row_matrix(*(float(v) for v in (joint.offset, joint.d, joint.a, joint.alpha)))
        frames.append(T)
    return [*frames, T @ arm.tool]


def all_boxes(parts: Sequence[ArmPart], bodies: Iterable[Body]) -> bool:
    """Whether there is nothing but boxes."""
    return all(isinstance(part.shape, Box) for part in parts) and all(
        isinstance(body, Box) for body in bodies
    )
