"""Editing an assembly of parts as it is written: parts, unions and platforms come, and are renamed.

A TOML text and what is wanted come in, the changed text goes out. A part hangs on the one above it
unless it says otherwise, so a part that is put in between takes over what hung there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from armwerk.errors import DescriptionError
from armwerk.robot.formats.parts_reader import KINDS
from armwerk.robot.formats.toml_edit import set_value, with_table
from armwerk.robot.formats.toml_writer import quoted, written
from armwerk.robot.loops import LEGS
from armwerk.robot.reading import Fields, KeyPath, parse_toml

_NEW = {
    "segment": "length = 0.2\n",
    "touch_segment": "length = 0.2\nradius = 0.01\n",
    "servo": 'limits = ["-90 deg", "90 deg"]\n',
    "linear_motor": "limits = [0.1, 0.3]\n",
    "touch_point": "radius = 0.01\n",
}
"""What a part of a kind has to begin with."""
_ANCHORS = 0.2  # [m] radius of the circle on which a new platform has its anchors
_ENDS = ("touch_point", "termination_point", "suction_cup", "magnet")


def with_part(text: str, after: int, kind: str) -> str:
    """Return a text with one more part, with a name of its own.

    Args:
        text: Valid TOML.
        after: Place of the part above it, counted from 0.
        kind: One of the kinds of parts.

    Raises:
        DescriptionError: When the text is no TOML, or for another kind.
    """
    if kind not in KINDS:
        raise DescriptionError("unknown kind of part", value=kind[:40], allowed=", ".join(KINDS))
    lines = f"kind = {quoted(kind)}\nname = {quoted(_free(text, kind))}\n{_NEW.get(kind, '')}"
    return with_table(text, "part", after, lines)


def with_union(text: str, after: int) -> str:
    """Return a text with one more union, of the ends of chains that nothing ties yet."""
    lines = f"name = {quoted(_free(text, 'union'))}\npoints = {written(_loose_ends(text)[:3])}\n"
    return with_table(text, "union", after, lines)


def with_platform(text: str, after: int) -> str:
    """Return a text with a platform on the ends of six chains, anchored on a circle."""
    lines = [f"name = {quoted(_free(text, 'platform'))}", "legs = ["]
    for number, end in enumerate(_loose_ends(text)[:LEGS]):
        angle = math.tau * number / LEGS
        anchor = [round(_ANCHORS * math.cos(angle), 6), round(_ANCHORS * math.sin(angle), 6), 0.0]
        lines.append(f"  {{end = {quoted(end)}, anchor = {written(anchor)}}},")
    return with_table(text, "platform", after, "\n".join([*lines, "]"]) + "\n")


def with_name(text: str, place: KeyPath, name: str) -> str:
    """Return a text with another name for a part or a platform; all that name it follow.

    They do not follow when the name is empty, or another one has it: that is a mistake, which the
    reader tells, and must not tie what was apart.

    Args:
        text: Valid TOML.
        place: Of the name, such as ("part", 2, "name").
        name: The new one.
    """
    table = parse_toml(text).table
    names = _names(table)
    before = _named(table, place)
    changed = set_value(text, place, name)
    if not before or not name.strip() or names.count(before) != 1 or name.strip() in names:
        return changed
    for path, typed in _mentions(table, before, name.strip()):
        changed = set_value(changed, path, typed)
    return changed


def _tables(table: Fields, array: str) -> list[Fields]:
    found = table.get(array)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _names(table: Fields) -> list[str]:
    arrays = ("part", "union", "platform")
    return [str(one.get("name", "")) for array in arrays for one in _tables(table, array)]


def _named(table: Fields, place: KeyPath) -> str:
    array, number = place[0], place[1]
    rows = _tables(table, str(array))
    inside = isinstance(number, int) and 0 <= number < len(rows)
    return str(rows[int(number)].get("name", "")) if inside else ""


def _mentions(table: Fields, before: str, name: str) -> Iterator[tuple[KeyPath, str]]:
    """Yield every field that names a part, and what is to stand there."""
    if table.get("tip") == before:
        yield ("tip",), name
    for number, part in enumerate(_tables(table, "part")):
        if part.get("on") == before:
            yield ("part", number, "on"), name
    for number, union in enumerate(_tables(table, "union")):
        points = union.get("points")
        if isinstance(points, list) and before in points:
            typed = ", ".join(name if one == before else str(one) for one in points)
            yield ("union", number, "points"), typed
    for number, plate in enumerate(_tables(table, "platform")):
        legs = plate.get("legs")
        if isinstance(legs, list) and any(
            isinstance(leg, dict) and leg.get("end") == before for leg in legs
        ):
            yield ("platform", number, "legs"), legs_typed(legs, before, name)


def legs_typed(legs: object, before: str = "", name: str = "") -> str:
    """Return the legs of a platform as a person types them, one of them perhaps renamed."""
    rows = []
    for leg in legs if isinstance(legs, list) else []:
        if isinstance(leg, dict):
            end, anchor = str(leg.get("end", "")), leg.get("anchor", [])
            numbers = ", ".join(str(one) for one in anchor) if isinstance(anchor, list) else ""
            rows.append(f"{name if before and end == before else end}: {numbers}")
    return "; ".join(rows)


def _free(text: str, kind: str) -> str:
    """Return a name that nothing has."""
    taken = _names(parse_toml(text).table)
    number = 1
    while f"{kind}{number}" in taken:
        number += 1
    return f"{kind}{number}"


def _loose_ends(text: str) -> list[str]:
    """Return the named ends of chains that no union and no platform ties."""
    table = parse_toml(text).table
    tied = {str(one) for union in _tables(table, "union") for one in union.get("points") or []}
    for plate in _tables(table, "platform"):
        tied |= {str(leg.get("end")) for leg in plate.get("legs") or [] if isinstance(leg, dict)}
    ends = [str(one.get("name", "")) for one in _tables(table, "part") if one.get("kind") in _ENDS]
    return [end for end in ends if end and end not in tied]
