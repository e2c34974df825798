"""Assemblies of parts as TOML text, which `parts_reader` reads back equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.robot.formats.toml_writer import written
from armwerk.robot.joint import LIMIT_FIELDS
from armwerk.robot.loops import PartPlace, Platform, Union
from armwerk.robot.part import (
    LinearMotor,
    Part,
    Passive,
    RotoTranslation,
    Segment,
    Servo,
    TouchPoint,
    TouchSegment,
)

if TYPE_CHECKING:
    from armwerk.robot.parts import Assembly

TEXTS = ("name", "title", "source", "tip")
OWN_KEYS: dict[type[Part], tuple[str, ...]] = {
    Segment: ("length",),
    TouchSegment: ("length", "radius", "width"),
    TouchPoint: ("radius",),
    Servo: ("limits", *LIMIT_FIELDS),
    LinearMotor: ("limits", *LIMIT_FIELDS),
}


def assembly_to_toml(assembly: Assembly) -> str:
    """Return the assembly as TOML, always the same text for equal assemblies."""
    lines = ['kind = "assembly"']
    lines += [f"{key} = {written(value)}" for key in TEXTS if (value := getattr(assembly, key))]
    if assembly.assumed:
        lines.append(f"assumed = {written(assembly.assumed)}")
    before = ""
    for name, place in assembly.tree.items():
        if isinstance(place.part, Platform):
            continue
        lines += ["", "[[part]]", *_part_lines(assembly, place, before)]
        before = name
    for tie in assembly.unions:
        if isinstance(tie, Union):
            lines += ["", "[[union]]", f"name = {written(tie.name)}"]
            lines.append(f"points = {written(tie.points)}")
            lines += _unless("branch", tie.branch, 1)
        else:
            lines += ["", "[[platform]]", *_platform_lines(tie)]
    return "\n".join(lines) + "\n"


def _part_lines(assembly: Assembly, place: PartPlace, before: str) -> list[str]:
    part, at = place.part, place.at
    kind = part.freedom.lower() if isinstance(part, Passive) else part.kind
    lines = [f"kind = {written(kind)}", f"name = {written(part.name)}"]
    if place.fix not in (None, before):
        lines.append(f"on = {written(place.fix)}")
    carrier = assembly.tree[place.fix].part if place.fix is not None else part
    if any(at.position) and not _at_end(carrier, at):
        lines.append(f"position = {written(at.position)}")
    if any(at.turn):
        lines.append(f"turn = {written(at.turn)}")
    for key in OWN_KEYS.get(type(part), ()):
        value = getattr(part, key)
        if key == "length" and not _at_end(part, part.connections[0].at):
            continue
        if value is not None:
            lines.append(f"{key} = {written(value)}")
    return lines + _unless("mass", part.mass, 0.0)


def _at_end(part: Part, at: RotoTranslation) -> bool:
    """Whether a connection point is where a segment of that length has it."""
    return isinstance(part, Segment) and at.position == (part.length, 0.0, 0.0)


def _platform_lines(plate: Platform) -> list[str]:
    lines = [f"name = {written(plate.name)}", "legs = ["]
    for end, anchor in plate.legs:
        lines.append(f"  {{end = {written(end)}, anchor = {written(anchor)}}},")
    lines.append("]")
    if plate.start is not None:
        lines.append(f"start_position = {written(plate.start.position)}")
        lines.append(f"start_turn = {written(plate.start.turn)}")
    return lines + _unless("branch", plate.branch, 1) + _unless("mass", plate.mass, 0.0)


def _unless(key: str, value: object, default: object) -> list[str]:
    return [] if value == default else [f"{key} = {written(value)}"]
