"""What an arm looks like, for the commands that ask what it touches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from armwerk.collision import ArmShapes
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

LINKS = "links"
"""What stands for capsules along the links in place of a file."""

ShapesOption = Annotated[
    str | None,
    typer.Option(
        "--shapes",
        metavar="FILE|links",
        help="Table of the arm's solids, .toml; links: capsules along the links. Without it: "
        "those of a .urdf file, else capsules.",
    ),
]


def solids_of(name: str, arm: Arm | Assembly, given: str | None) -> ArmShapes:
    """Return the solids of an arm.

    Args:
        name: What the arm was loaded from, a library name or a file.
        arm: The arm that was loaded.
        given: A table of solids, or "links"; None: those of the description.
    """
    from armwerk.collision import ArmShapes, arm_shapes, load_shapes

    if given is None:
        return load_shapes(name, arm)
    return arm_shapes(arm) if given == LINKS else ArmShapes.load(Path(given), arm)
