"""The option --safety: the rules of a cell, and what is done to motions under them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.collision.safety_rules import SafetyRules

SafetyOption = Annotated[
    Path | None,
    typer.Option(
        "--safety",
        metavar="FILE",
        help="Safe areas, joint areas and distances to slow down, .toml; a motion that breaks "
        "them is refused.",
    ),
]


def ruled(arm: Arm | Assembly, path: Path | None) -> tuple[Arm | Assembly, SafetyRules | None]:
    """Return an arm that keeps to the joint areas of a file, and the rules; None without a file.

    Raises:
        UnsupportedError: For an assembly.
        DescriptionError: When the file is wrong; says where.
    """
    if path is None:
        return arm, None
    from armwerk.collision.safety_rules import SafetyRules

    rules = SafetyRules.load(path)
    if not isinstance(arm, Arm):
        raise UnsupportedError(f"--safety is for serial arms; '{arm.name}' is built of parts")
    return rules.within(arm), rules
