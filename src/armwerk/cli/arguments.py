"""Words of the command line made into numbers, lengths, poses, joint values and solids."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armwerk.arrays import Array
from armwerk.cli.units import Units
from armwerk.errors import AssumedShapesWarning
from armwerk.robot.arm import Arm
from armwerk.robot.dimension import decimal_comma_hint
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly, Motor

if TYPE_CHECKING:
    from armwerk.collision import ArmShapes

_METRES = {"": 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}
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


def numbers(text: str, names: str, option: str) -> list[float]:
    """Return the finite numbers in ``text``, separated by blanks or commas.

    Args:
        text: What the user wrote.
        names: One name per expected number, blank between ("x y z a b c").
        option: Whose value it is, for the message.
    """
    expected = names.split()
    if (hint := _decimal_commas(text)) and len(expected) != 1:
        raise typer.BadParameter(f"{option}: {hint} (numbers are separated by blanks or commas)")
    words = text.replace(",", " ").split()
    values: list[float] = []
    for word in words:
        try:
            values.append(float(word))
        except ValueError:
            raise typer.BadParameter(
                f"{option}: '{word}' is not a number (wanted: {names})"
            ) from None
        if not math.isfinite(values[-1]):
            raise typer.BadParameter(f"{option}: '{word}' is not finite (wanted: {names})")
    if len(values) != len(expected):
        wanted = "1 number" if len(expected) == 1 else f"{len(expected)} numbers"
        hint = decimal_comma_hint(text) if len(expected) == 1 else ""
        raise typer.BadParameter(
            f"{option}: needs {wanted} ({names}), got {len(values)}" + (f"; {hint}" if hint else "")
        )
    return values


def _decimal_commas(text: str) -> str:
    """Return a hint when commas stand inside numbers and blanks between them, as in "0,5 0,2"."""
    words = text.replace(";", " ").split()
    if len(words) < 2:
        return ""  # "30,45": two numbers
    hints = (decimal_comma_hint(word) for word in words if word.count(",") == 1)
    return next((hint for hint in hints if hint), "")


def goal(text: str, units: Units) -> Array:
    """Return where the tool shall be, from "x y z a b c" in the given units.

    The angles are Z-Y'-X'': a about z, then b about the new y, then c about the new x. With
    "x y z" alone the orientation is free, since many arms cannot choose it.

    Returns:
        T_world_tool, shape (4, 4), or a point [m], shape (3,).
    """
    from armwerk.geometry import transform_from_pose

    if len(text.replace(",", " ").split()) == 3:
        point = np.array(numbers(text, "x y z", "--pose"))
        return np.asarray(point / units.scale("prismatic"), dtype=np.float64)
    given = np.array(numbers(text, "x y z a b c", "--pose"))
    scales = [units.scale("prismatic")] * 3 + [units.scale("revolute")] * 3
    return transform_from_pose(given / scales)


def joint_values(text: str, arm: Arm | Assembly, units: Units, option: str) -> Array:
    """Return one value per moving joint [rad or m]. Shape (n,).

    A word alone is the name of a pose in the SRDF beside the arm's file; joints that the pose
    does not name stand at zero.
    """
    pose = _named_pose(text.strip(), arm, option) if isinstance(arm, Arm) else None
    if pose is not None:
        return pose
    names = " ".join(joint.name.replace(" ", "_") for joint in arm.moving)
    given = np.array(numbers(text, names, option))
    return given / [units.scale(kind_of(joint)) for joint in arm.moving]


def _named_pose(text: str, arm: Arm, option: str) -> Array | None:
    """Return a pose that a file calls by name; None when the text is none."""
    if not arm.file or not re.fullmatch(r"[A-Za-z_]\w*", text):
        return None
    from armwerk.robot.formats.srdf_reader import srdf_of
    from armwerk.robot.references import arm_reference

    semantics = srdf_of(arm_reference(arm.file).path, arm.name, arm.srdf)
    known = {} if semantics is None else semantics.poses
    if text not in known:
        words = ", ".join(known) or "none: no SRDF lies beside its file, --srdf names another"
        raise typer.BadParameter(f"{option}: no pose is called '{text}' (known: {words})")
    return np.array([known[text].get(joint.name, 0.0) for joint in arm.moving])


def kind_of(joint: Joint | Motor) -> str:
    """Return "revolute" or "prismatic" for a joint of an arm or a motor of an assembly."""
    return joint.kind if isinstance(joint, Joint) else joint.joint_kind


def length(text: str, option: str) -> float:
    """Return a length such as "5cm", "50mm" or "0.05" in metres.

    Raises:
        typer.BadParameter: When it is none.
    """
    found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(m|cm|mm|)\s*", text)
    try:
        value = float(found.group(1)) * _METRES[found.group(2)] if found else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        hint = decimal_comma_hint(re.sub(r"\s*[cm]+\s*$", "", text))
        raise typer.BadParameter(
            f"{option}: '{text}' is not a length such as 5cm, 50mm or 0.05m"
            + (f"; {hint}" if hint else "")
        )
    return value


def whole_numbers(text: str, option: str) -> list[int]:
    """Return whole numbers between commas, crosses or blanks.

    Raises:
        typer.BadParameter: When they are none.
    """
    try:
        return [int(word) for word in re.split(r"[×,\s]+|(?<=\d)x(?=\d)", text.strip()) if word]
    except ValueError:
        raise typer.BadParameter(f"{option}: '{text}' is not a list of whole numbers") from None


def solids_of(arm: Arm | Assembly, given: str | None) -> ArmShapes:
    """Return the solids of an arm; says on stderr when those of its file cannot be found.

    Args:
        arm: The arm that was loaded.
        given: A table of solids, or "links"; None: those of the description.
    """
    from armwerk.cli.console import err
    from armwerk.collision import ArmShapes, arm_shapes, load_shapes

    if given is None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", AssumedShapesWarning)
            shapes = load_shapes(arm)
        for one in told:
            err().print(f"armwerk: notice: {one.message}", markup=False, highlight=False)
        return shapes
    return arm_shapes(arm) if given == LINKS else ArmShapes.load(Path(given), arm)
