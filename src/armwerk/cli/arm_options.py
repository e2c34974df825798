"""Options that say which arm is meant and what its joints may do, the same for every command."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armwerk.cli.arguments import joint_values, numbers
from armwerk.cli.units import Units
from armwerk.collision.open_mesh import OpenMesh
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.arrays import Array
    from armwerk.motion.limits import Limits

ArmArgument = Annotated[
    str,
    typer.Argument(
        metavar="ARM",
        help="Name from the library; a .toml, .xml, .urdf, .xacro or MJCF file, robot.urdf#tool0 "
        "for one arm of several; or a robot of an installed package, rtb-data:irb140.",
    ),
]
TipOption = Annotated[
    str | None,
    typer.Option(
        "--tip",
        metavar="LINK",
        help="Link, site or SRDF group at which the arm ends, of a file with several.",
    ),
]


class PartOfPose(StrEnum):
    """The part of a pose that counts."""

    pose = "pose"
    position = "position"
    direction = "direction"
    plane = "plane"
    auto = "auto"


TaskOption = Annotated[
    PartOfPose,
    typer.Option(
        "--task",
        help="The part of the pose that counts: all of it, the point, point and direction of the "
        "tool's z axis, the pose in the plane of an arm, or what the arm can choose.",
    ),
]
SrdfOption = Annotated[
    Path | None,
    typer.Option(
        "--srdf",
        metavar="FILE",
        help="Groups, named poses, and pairs of links that may touch; without it the one beside "
        "the arm's file.",
    ),
]
OpenMeshesOption = Annotated[
    OpenMesh,
    typer.Option(
        "--open-meshes",
        help="What is made of body meshes with holes: close spans them, hull takes the convex "
        "hull, surface keeps the triangles as a skin.",
    ),
]
MaxVelocityOption = Annotated[
    str | None,
    typer.Option(
        "--max-velocity",
        metavar='"v1 ... vn"',
        help="Of the joints [deg/s, m/s], one for all or one for each. Without it: as described.",
    ),
]
MaxAccelerationOption = Annotated[
    str | None,
    typer.Option(
        "--max-acceleration",
        metavar='"a1 ... an"',
        help="Likewise [deg/s², m/s²]. Where nothing is described: 4/s times the velocity.",
    ),
]
MaxJerkOption = Annotated[
    str | None,
    typer.Option(
        "--max-jerk",
        metavar='"j1 ... jn"',
        help="Likewise [deg/s³, m/s³]. Where nothing is described: 10/s times the acceleration.",
    ),
]
DrivesOption = Annotated[
    bool,
    typer.Option(
        "--drives",
        help="Torques (max_force of the joints) in place of limits of acceleration; least time.",
    ),
]


def with_tip(name: str, tip: str | None) -> str:
    """Return the words for an arm with its tip, "robot.urdf#tool0"."""
    return name if tip is None else f"{name}#{tip}"


def limits_of(
    arm: Arm | Assembly,
    units: Units,
    velocity: str | None,
    acceleration: str | None,
    jerk: str | None,
) -> Limits | None:
    """Return what the joints of an arm may do, from the words of three options.

    Args:
        arm: The description.
        units: Of the numbers.
        velocity: One number for all joints or one for each; None: as described.
        acceleration: Likewise.
        jerk: Likewise.

    Returns:
        None when no option is given.

    Raises:
        typer.BadParameter: For words that are no such numbers.
    """
    from armwerk.motion.limits import Limits

    if velocity is acceleration is jerk is None:
        return None
    return Limits.of(
        arm,
        velocity=_rates(velocity, arm, units, "--max-velocity"),
        acceleration=_rates(acceleration, arm, units, "--max-acceleration"),
        jerk=_rates(jerk, arm, units, "--max-jerk"),
    )


def _rates(text: str | None, arm: Arm | Assembly, units: Units, option: str) -> Array | None:
    from armwerk.motion.assumed import kind_of

    if text is None:
        return None
    kinds = {kind_of(joint) for joint in arm.moving}
    if len(text.replace(",", " ").split()) == 1 and arm.dof > 1:
        if len(kinds) > 1:
            raise typer.BadParameter(
                f"{option}: {text} alone cannot hold for joints that turn [{units.angle}] and "
                f"joints that slide [{units.length}]; give {arm.dof} numbers, one for each joint"
            )
        (value,) = numbers(text, "number", option)
        found = np.full(arm.dof, value / units.scale(kinds.pop()))
    else:
        found = joint_values(text, arm, units, option)
    if not (found > 0.0).all():
        raise typer.BadParameter(f"{option}: {text} must be above 0")
    return found
