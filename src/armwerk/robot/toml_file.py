"""Arms as TOML, the form that people write by hand.

A text comes in and an `Arm` goes out, or the other way round; what is written is read back
equal, number for number. Angles and lengths may carry units ("-90 deg", "660.4 mm") or symbols
("a1 + 0.1"); a plain number is SI.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import DescriptionError
from armwerk.robot.arm import STANDARD_GRAVITY, Arm, MotionSettings
from armwerk.robot.axes import zyx_matrix
from armwerk.robot.joint import KINDS, LIMIT_FIELDS, Joint
from armwerk.robot.link import Link
from armwerk.robot.reading import KeyPath, TomlDocument, parse_toml
from armwerk.robot.units import QUANTITIES, dimension_in, number_in

_TEXTS = ("name", "title", "source")
_LISTS = ("assumed", "tasks")
ARM_KEYS = (*_TEXTS, *_LISTS, "kind", "gravity", "base", "tool", "motion", "joint")
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
    "link",
)
_LINK_SIZES = {"mass": 1, "com": 3, "inertia": 6}
_LINK_QUANTITIES = {"mass": "mass", "com": "length", "inertia": "inertia"}
_MOTION_KEYS = ("joint_motion", "cartesian_motions", "profile", "clock")
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
    given: dict[str, Any] = {}
    for key in _TEXTS:
        if key in table:
            given[key] = _text(document, (key,), table[key], key)
    for key in _LISTS:
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


def pose_from_table(
    document: TomlDocument, path: KeyPath, table: object, element: str
) -> NDArray[np.float64]:
    """Return the pose that a table with position and rotation, or with matrix, describes.

    The rotation is given by the angles about z, then the new y, then the new x [rad].
    Shape (4, 4).
    """
    document.only(path, table, _POSE_KEYS, element)
    given: dict[str, Any] = table  # type: ignore[assignment]
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


def _matrix(document: TomlDocument, path: KeyPath, value: object, element: str) -> NDArray[Any]:
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
    given: dict[str, Any] = dict(table)  # type: ignore[call-overload]
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
        # the name is added afterwards because ``within`` already carries it into any error
        return replace(Joint(**given), name=name)
    except DescriptionError as error:
        raise document.place(error, path, within) from None


def _in_si(key: str, value: Any, kind: str) -> Any:
    if key in ROW_QUANTITIES:
        return dimension_in(value, ROW_QUANTITIES[key], key)
    quantity = QUANTITIES.get(kind, {}).get(key, "number")
    if key in ("limits", "coulomb_friction") and isinstance(value, list):
        change = number_in if key == "limits" else dimension_in
        return tuple(change(one, quantity, key) for one in value)
    if key in LIMIT_FIELDS:
        return number_in(value, quantity, key)
    if key in ("armature", "viscous_friction"):
        return dimension_in(value, "number", key)
    return value


def _link(document: TomlDocument, path: KeyPath, table: object, within: str) -> Link:
    document.only(path, table, _LINK_SIZES, within)
    given: dict[str, Any] = {}
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
    document.only(("motion",), table, _MOTION_KEYS, "motion")
    given: dict[str, Any] = dict(table)  # type: ignore[call-overload]
    for key in ("joint_motion", "profile"):
        if key in given:
            _text(document, ("motion", key), given[key], f"motion, {key}")
    if "cartesian_motions" in given:
        path = ("motion", "cartesian_motions")
        given["cartesian_motions"] = _texts(
            document, path, given["cartesian_motions"], "motion, cartesian_motions"
        )
    try:
        if "clock" in given:
            given["clock"] = number_in(given["clock"], "time", "clock")
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


def arm_to_toml(arm: Arm) -> str:
    """Return the arm as TOML, always the same text for equal arms.

    Only what differs from the default is written, in fixed order, numbers with all their
    digits; so the text serves as the arm's fingerprint.
    """
    lines = [f"{key} = {_quoted(getattr(arm, key))}" for key in _TEXTS if getattr(arm, key)]
    for key in _LISTS:
        if getattr(arm, key):
            lines.append(f"{key} = {_written(getattr(arm, key))}")
    if tuple(arm.gravity) != STANDARD_GRAVITY:
        lines.append(f"gravity = {_written(arm.gravity.tolist())}")
    for key in ("base", "tool"):
        lines += _pose_lines(key, getattr(arm, key))
    lines += _table_lines("[motion]", arm.motion, MotionSettings(), _MOTION_KEYS)
    for joint in arm.joints:
        lines += _joint_lines(joint)
    return "\n".join(lines) + "\n"


def _pose_lines(key: str, pose: NDArray[np.float64]) -> list[str]:
    if np.array_equal(pose, np.eye(4)):
        return []
    if np.array_equal(pose[:3, :3], np.eye(3)):
        return ["", f"[{key}]", f"position = {_written(pose[:3, 3].tolist())}"]
    rows = [f"  {_written(row)}," for row in pose[:3].tolist()]
    return ["", f"[{key}]", "matrix = [", *rows, "]"]


def _joint_lines(joint: Joint) -> list[str]:
    lines = ["", "[[joint]]", f"name = {_quoted(joint.name)}", f'kind = "{joint.kind}"']
    lines += [f"{key} = {_written(getattr(joint, key))}" for key in ROW_QUANTITIES]
    keys = ("limits", *LIMIT_FIELDS, "armature", "viscous_friction", "coulomb_friction")
    lines += _table_lines("", joint, Joint(joint.kind), keys)
    return lines + _table_lines("[joint.link]", joint.link, Link(), tuple(_LINK_SIZES))


def _table_lines(header: str, thing: object, default: object, keys: Iterable[str]) -> list[str]:
    values: Mapping[str, Any] = {key: getattr(thing, key) for key in keys}
    lines = [
        f"{key} = {_written(value)}"
        for key, value in values.items()
        if value != getattr(default, key)
    ]
    return [*([header] if header and lines else []), *lines]


def _written(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float):
        return repr(value + 0.0)  # -0.0 equals 0.0 and must therefore look the same
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(one) for one in value)}]"
    raise TypeError(f"no TOML for {value!r}")


def _quoted(text: str) -> str:
    """Return ``text`` as a basic string of TOML."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise DescriptionError(
            "half a character", element="text", value=text, allowed="Unicode text"
        ) from None
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    pieces = []
    for character in text:
        if character in escapes:
            pieces.append(escapes[character])
        elif not character.isprintable() and ord(character) < 0x10000:
            # also what XML forbids, because URDF files carry this text
            pieces.append(f"\\u{ord(character):04X}")
        else:
            pieces.append(character)
    return f'"{"".join(pieces)}"'
