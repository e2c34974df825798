"""Arms as TOML, the form that people write by hand.

A text comes in and an `Arm` goes out; `toml_writer` goes the other way. Angles and lengths may
carry units ("-90 deg", "660.4 mm") or symbols ("a1 + 0.1"); a plain number is SI.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.arm import Arm
from armwerk.robot.axes import zyx_matrix
from armwerk.robot.coupling import Coupling
from armwerk.robot.dimension import QUANTITIES, dimension_in, number_in
from armwerk.robot.formats.toml_writer import COUPLING_KEYS, LISTS, MOTION_KEYS, TEXTS
from armwerk.robot.joint import KINDS, LIMIT_FIELDS, Joint, Link
from armwerk.robot.reading import Fields, KeyPath, TomlDocument, parse_toml
from armwerk.robot.settings import MotionSettings

ARM_KEYS = (*TEXTS, *LISTS, "kind", "gravity", "base", "tool", "motion", "joint")
ROW_QUANTITIES = {"d": "length", "a": "length", "alpha": "angle", "offset": "angle"}
JOINT_KEYS = (
    "name",
    "kind",
    *ROW_QUANTITIES,
    "limits",
    *LIMIT_FIELDS,
    "armature",
    "viscous_friction",
    "coulomb_friction",
    *COUPLING_KEYS,
    "link",
)
_LINK_SIZES = {"mass": 1, "com": 3, "inertia": 6}
_LINK_QUANTITIES = {"mass": "mass", "com": "length", "inertia": "inertia"}
_POSE_KEYS = ("position", "rotation", "matrix")


def arm_from_toml(text: str, file: str | Path | None = None) -> Arm:
    """Return the arm that a TOML text describes.

    Args:
        text: The whole document.
        file: Its name, for error messages.

    Raises:
        DescriptionError: Naming file, line, element, value and what is allowed.
    """
    return arm_from_document(parse_toml(text, file))


def arm_from_document(document: TomlDocument) -> Arm:
    """Return the arm that a parsed TOML document describes."""
    table = document.table
    document.only((), table, ARM_KEYS)
    if table.get("kind", "arm") != "arm":
        raise document.error(
            "unknown kind of description", ("kind",), "kind", table["kind"], "arm, assembly"
        )
    if "name" not in table:
        raise document.error("missing", (), "name", allowed="a short name")
    given: Fields = {}
    for key in TEXTS:
        if key in table:
            given[key] = _text(document, (key,), table[key], key)
    for key in LISTS:
        if key in table:
            given[key] = _texts(document, (key,), table[key], key)
    if "gravity" in table:
        given["gravity"] = _numbers(
            document, ("gravity",), table["gravity"], "gravity", 3, "acceleration"
        )
    for key in ("base", "tool"):
        if key in table:
            given[key] = pose_from_table(document, (key,), table[key], key)
    if "motion" in table:
        given["motion"] = _motion(document, table["motion"])
    joints = _joints(document, table.get("joint"))
    try:
        return Arm(joints, **given)
    except DescriptionError as error:
        raise _arm_error(document, joints, error) from None


def pose_from_table(document: TomlDocument, path: KeyPath, table: object, element: str) -> Array:
    """Return the pose that a table with position and rotation, or with matrix, describes.

    The rotation is given by the angles about z, then the new y, then the new x [rad].
    Shape (4, 4).
    """
    document.only(path, table, _POSE_KEYS, element)
    given: Fields = table  # type: ignore[assignment]
    pose = np.eye(4)
    if "matrix" in given:
        if len(given) > 1:
            raise document.error(
                "matrix beside other keys", path, element, sorted(given), "matrix alone"
            )
        return _matrix(document, (*path, "matrix"), given["matrix"], f"{element}, matrix")
    if "position" in given:
        where, what = (*path, "position"), f"{element}, position"
        pose[:3, 3] = _numbers(document, where, given["position"], what, 3, "length")
    if "rotation" in given:
        where, what = (*path, "rotation"), f"{element}, rotation"
        z, y, x = _numbers(document, where, given["rotation"], what, 3, "angle")
        pose[:3, :3] = zyx_matrix(z, y, x)
    return pose


def _matrix(document: TomlDocument, path: KeyPath, value: object, element: str) -> Array:
    if not isinstance(value, list) or len(value) != 3:
        raise document.error("wrong shape", path, element, value, "three rows of four numbers")
    pose = np.eye(4)
    for row, numbers in enumerate(value):
        pose[row] = _numbers(document, (*path, row), numbers, f"{element} row {row + 1}", 4)
    return pose


def _joints(document: TomlDocument, tables: object) -> tuple[Joint, ...]:
    if tables is None:
        raise document.error("missing", (), "joint", allowed="one [[joint]] table per joint")
    if not isinstance(tables, list):
        raise document.error("wrong type", ("joint",), "joint", tables, "[[joint]] tables")
    return tuple(_joint(document, position, table) for position, table in enumerate(tables))


def _joint(document: TomlDocument, position: int, table: object) -> Joint:
    path: KeyPath = ("joint", position)
    within = f"joint {position + 1}"
    if isinstance(table, dict) and isinstance(table.get("name"), str) and table["name"]:
        within += f" '{table['name']}'"
    document.only(path, table, JOINT_KEYS, within)
    given: Fields = dict(table)  # type: ignore[call-overload]
    kind = given.get("kind")
    if kind is None:
        raise document.error("missing", path, f"{within}, kind", allowed=", ".join(KINDS))
    if not isinstance(kind, str) or kind not in KINDS:
        raise document.error(
            "unknown joint kind", (*path, "kind"), f"{within}, kind", kind, ", ".join(KINDS)
        )
    name = _text(document, (*path, "name"), given.pop("name", ""), f"{within}, name")
    if "link" in given:
        given["link"] = _link(document, (*path, "link"), given["link"], f"{within}, link")
    try:
        for key, value in given.items():
            given[key] = _in_si(key, value, kind)
        coupling = _coupling({key: given.pop(key) for key in COUPLING_KEYS if key in given})
        # the name is added afterwards because ``within`` already carries it into any error
        return replace(Joint(**given, coupling=coupling), name=name)
    except DescriptionError as error:
        raise document.place(error, path, within) from None


def _coupling(given: Fields) -> Coupling | None:
    """Return the coupling that the keys of a joint describe; None: there are none."""
    if not given:
        return None
    factors = given.get("coupled")
    if not isinstance(factors, dict):
        raise DescriptionError(
            "missing" if factors is None else "wrong type",
            element="coupled",
            value=factors,
            allowed="a table of axes and factors, such as {axis_2 = -1.0}",
        )
    return Coupling(factors, given.get("driven", True), given.get("angle_limits"))


def _in_si(key: str, value: object, kind: str) -> object:
    if key in ROW_QUANTITIES:
        return dimension_in(value, ROW_QUANTITIES[key], key)
    quantity = QUANTITIES.get(kind, {}).get(key, "number")
    if key in ("limits", "angle_limits", "coulomb_friction") and isinstance(value, list):
        change = dimension_in if key == "coulomb_friction" else number_in
        return tuple(change(one, quantity, key) for one in value)
    if key in LIMIT_FIELDS:
        return number_in(value, quantity, key)
    if key in ("armature", "viscous_friction"):
        return dimension_in(value, "number", key)
    return value


def _link(document: TomlDocument, path: KeyPath, table: object, within: str) -> Link:
    document.only(path, table, _LINK_SIZES, within)
    given: Fields = {}
    try:
        for key, value in table.items():  # type: ignore[attr-defined]
            quantity = _LINK_QUANTITIES[key]
            if key == "mass":
                given[key] = dimension_in(value, quantity, key)
            elif isinstance(value, list):
                given[key] = tuple(dimension_in(one, quantity, key) for one in value)
            else:
                given[key] = value
        return Link(**given)
    except DescriptionError as error:
        raise document.place(error, path, within) from None


def _motion(document: TomlDocument, table: object) -> MotionSettings:
    document.only(("motion",), table, MOTION_KEYS, "motion")
    given: Fields = dict(table)  # type: ignore[call-overload]
    for key in ("joint_motion", "profile"):
        if key in given:
            _text(document, ("motion", key), given[key], f"motion, {key}")
    if "cartesian_motions" in given:
        path = ("motion", "cartesian_motions")
        given["cartesian_motions"] = _texts(
            document, path, given["cartesian_motions"], "motion, cartesian_motions"
        )
    try:
        for key, quantity in (("clock", "time"), ("top_speed", "speed")):
            if key in given:
                given[key] = number_in(given[key], quantity, key)
        return MotionSettings(**given)
    except DescriptionError as error:
        raise document.place(error, ("motion",), "motion") from None


def _arm_error(
    document: TomlDocument, joints: Sequence[Joint], error: DescriptionError
) -> DescriptionError:
    """Put an error of the whole arm at the joint it names, or at its own key."""
    for position in reversed(range(len(joints))):
        name = joints[position].name
        if name and error.element == f"joint '{name}'":
            return document.place(error, ("joint", position))
    unnamed = _default_position(joints, error.element)
    path: KeyPath = () if unnamed is None else ("joint", unnamed)
    if error.element == "joints":
        path = ("joint",)
    return document.place(error, path)


def _default_position(joints: Sequence[Joint], element: str) -> int | None:
    """Find the joint that the arm has named itself: q1, q2, … count the moving ones."""
    found = re.fullmatch(r"joint 'q(\d+)'", element)
    if not found:
        return None
    moving = [position for position, joint in enumerate(joints) if joint.is_moving]
    count = int(found.group(1))
    return moving[count - 1] if 1 <= count <= len(moving) else None


def _text(document: TomlDocument, path: KeyPath, value: object, element: str) -> str:
    if not isinstance(value, str):
        raise document.error("not a text", path, element, value, "a text in quotes")
    return value


def _texts(document: TomlDocument, path: KeyPath, value: object, element: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise document.error("not a list", path, element, value, "a list of texts")
    return tuple(
        _text(document, (*path, position), one, f"{element} {position + 1}")
        for position, one in enumerate(value)
    )


def _numbers(
    document: TomlDocument,
    path: KeyPath,
    value: object,
    element: str,
    size: int,
    quantity: str = "number",
) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != size:
        raise document.error("wrong shape", path, element, value, f"{size} numbers")
    try:
        return tuple(number_in(one, quantity, element) for one in value)
    except DescriptionError as error:
        raise error.at(document.file, document.line(*path)) from None
