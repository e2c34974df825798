"""A description of an arm as a form: its fields as they are written, and what is wrong."""

from __future__ import annotations

from typing import NamedTuple

from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.protocol.forming import ArmForm, ArmProblem, FormColumn, FormField, FormOffer
from armwerk.robot.arm import MOST_JOINTS, Arm
from armwerk.robot.formats.parts_reader import assembly_from_document
from armwerk.robot.formats.toml_edit import ARRAYS
from armwerk.robot.formats.toml_reader import arm_from_document
from armwerk.robot.joint import KINDS
from armwerk.robot.parts import Assembly
from armwerk.robot.reading import KeyPath, TomlDocument, parse_toml
from armwerk.robot.settings import CARTESIAN_MOTIONS, JOINT_MOTIONS, PROFILES
from armwerk.studio.desks.arm_form_parts import parts_form
from armwerk.studio.desks.arm_form_texts import fields_of, rows_of, table_of

_LENGTH = "m; also 400 mm, or a symbol such as a1"
_ANGLE = "rad; also 90 deg, pi/2, or a symbol"
_FIELDS = (
    FormField("name", "Name", "short, for files and commands", ""),
    FormField("title", "Title", "for people", ""),
    FormField("base/position", "Base at", "x, y, z [m]", ""),
    FormField("base/rotation", "Base turned", "about z, y, x [rad, or 90 deg]", ""),
    FormField("tool/position", "Tool at", "x, y, z from the last frame [m]", ""),
    FormField("tool/rotation", "Tool turned", "about z, y, x [rad, or 90 deg]", ""),
    FormField("gravity", "Gravity", "x, y, z [m/s²]; without: 0, 0, -9.81", ""),
    FormField("motion/joint_motion", "PTP motion", "of the joints", "", JOINT_MOTIONS),
    FormField(
        "motion/cartesian_motions",
        "Cartesian motion",
        f"any of {', '.join(CARTESIAN_MOTIONS)}",
        "",
    ),
    FormField("motion/profile", "Profile", "of speed", "", PROFILES),
    FormField("motion/clock", "Clock", "s; also 4 ms", ""),
    FormField(
        "motion/top_speed",
        "Top speed",
        "of the tool on paths [m/s]; also 250 mm/s; empty: none",
        "",
    ),
)
_OFFERS = (
    FormOffer("revolute", "Turn", "a revolute joint"),
    FormOffer("prismatic", "Slide", "a prismatic joint"),
    FormOffer("fixed", "Passive", "a fixed row: no variable, as between flange and tool"),
)
_TABLES = (
    (
        "Rows",
        (
            FormColumn("name", "Name", "a name of its own"),
            FormColumn("kind", "Kind", "fixed: passive, no variable", KINDS),
            FormColumn("offset", "θ₀", f"angle about z at zero: {_ANGLE}"),
            FormColumn("d", "d", f"along z: {_LENGTH}"),
            FormColumn("a", "a", f"along x: {_LENGTH}"),
            FormColumn("alpha", "α", f"about x: {_ANGLE}"),
        ),
    ),
    (
        "Limits",
        (
            FormColumn("limits", "min, max", "rad or m; also -90 deg, 90 deg; empty: free"),
            FormColumn("max_velocity", "Speed", "rad/s or m/s; also 180 deg/s"),
            FormColumn("max_acceleration", "Acceleration", "rad/s² or m/s²"),
            FormColumn("max_jerk", "Jerk", "rad/s³ or m/s³"),
            FormColumn("max_force", "Force", "N m or N"),
        ),
    ),
    (
        "Masses",
        (
            FormColumn("link/mass", "Mass", "kg; also 250 g"),
            FormColumn("link/com", "Centre of mass", "x, y, z in the joint's frame [m]"),
            FormColumn("link/inertia", "Inertia", "Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg m²]"),
        ),
    ),
    (
        "Drives",
        (
            FormColumn("armature", "Armature", "inertia of the motor at the joint [kg m² or kg]"),
            FormColumn("viscous_friction", "Viscous", "friction [N m s/rad or N s/m]"),
            FormColumn("coulomb_friction", "Dry", "friction forwards, backwards [N m or N]"),
        ),
    ),
)


class ReadArm(NamedTuple):
    """What became of a text.

    Args:
        arm: What it describes; None: something is wrong.
        form: Its fields; None: it is no TOML.
        problems: What is wrong.
    """

    arm: Arm | Assembly | None
    form: ArmForm | None
    problems: tuple[ArmProblem, ...]


def read_arm(text: str) -> ReadArm:
    """Read a description; what is wrong is told, not raised."""
    try:
        document = parse_toml(text)
    except DescriptionError as error:
        return ReadArm(None, None, (_problem(error, None),))
    is_assembly = document.table.get("kind") == "assembly"
    form = parts_form(document) if is_assembly else _form(document)
    try:
        read = assembly_from_document if is_assembly else arm_from_document
        return ReadArm(read(document), form, ())
    except DescriptionError as error:
        return ReadArm(None, form, (_problem(error, document), *_others(document, error)))
    except ArmwerkError as error:
        return ReadArm(None, form, (ArmProblem("", 0, str(error)),))


def _others(document: TomlDocument, first: DescriptionError) -> list[ArmProblem]:
    """Return what is wrong with further joints: each is looked at alone."""
    joints = document.table.get("joint")
    found: list[ArmProblem] = []
    if document.table.get("kind", "arm") != "arm" or not isinstance(joints, list):
        return found
    if len(joints) > MOST_JOINTS:
        return found
    for place, table in enumerate(joints):
        if not isinstance(table, dict):
            continue
        lines = {("joint", 0, *path[2:]): line for path, line in document.lines.items()
                 if path[:2] == ("joint", place)}  # fmt: skip
        moving = {"kind": "revolute"}
        alone = TomlDocument({"name": "a", "joint": [table, moving]}, lines)
        try:
            arm_from_document(alone)
        except DescriptionError as error:
            if error.line is not None and error.line not in {1, first.line}:
                found.append(_problem(error, document))
    return found


def _problem(error: DescriptionError, document: TomlDocument | None) -> ArmProblem:
    line = error.line or 0
    place = "" if document is None else _place(document, line)
    plain = DescriptionError(
        error.problem, element=error.element, value=error.value, allowed=error.allowed
    )
    return ArmProblem(place, line, str(plain))


def _place(document: TomlDocument, line: int) -> str:
    """Return the field in a line; the longest path is the most exact."""
    here = [path for path, at in document.lines.items() if at == line]
    fields = [path for path in here if not isinstance(path[-1], int) or path[0] in ARRAYS]
    if not fields:
        return ""
    return "/".join(str(part) for part in max(fields, key=_exactness))


def _exactness(path: KeyPath) -> int:
    return len(path) - (isinstance(path[-1], int) and len(path) > 2)


def _form(document: TomlDocument) -> ArmForm:
    table = document.table
    rows = rows_of(table, "joint")[:MOST_JOINTS]
    return ArmForm(
        fields_of(_FIELDS, table),
        tuple(table_of(title, "joint", columns, rows, _OFFERS) for title, columns in _TABLES),
    )
