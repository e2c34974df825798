"""Arms and assemblies as TOML text.

What is written here `toml_reader` and `parts_reader` read back equal, number for number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.coupling import Coupling
from armwerk.robot.holding import Magnet, SuctionCup
from armwerk.robot.joint import LIMIT_FIELDS, LINK_FIELDS, ROW_FIELDS, Joint, Link
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
from armwerk.robot.settings import STANDARD_GRAVITY, MotionSettings

if TYPE_CHECKING:
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

TEXTS = ("name", "title", "source")
LISTS = ("assumed", "tasks")
MOTION_KEYS = ("joint_motion", "cartesian_motions", "profile", "clock", "top_speed")
COUPLING_KEYS = ("coupled", "driven", "angle_limits")
ASSEMBLY_TEXTS = ("name", "title", "source", "tip")
OWN_KEYS: dict[type[Part], tuple[str, ...]] = {
    Segment: ("length",),
    TouchSegment: ("length", "radius", "width"),
    TouchPoint: ("radius",),
    SuctionCup: ("radius", "pressure", "stiffness", "depth", "least_share", "switch_time"),
    Magnet: ("radius", "force", "gap", "switch_time"),
    Servo: ("limits", *LIMIT_FIELDS),
    LinearMotor: ("limits", *LIMIT_FIELDS),
}


def arm_to_toml(arm: Arm) -> str:
    """Return the arm as TOML, always the same text for equal arms.

    Only what differs from the default is written, in fixed order, numbers with all their
    digits; so the text serves as the arm's fingerprint.
    """
    lines = [f"{key} = {quoted(getattr(arm, key))}" for key in TEXTS if getattr(arm, key)]
    for key in LISTS:
        if getattr(arm, key):
            lines.append(f"{key} = {written(getattr(arm, key))}")
    if tuple(arm.gravity) != STANDARD_GRAVITY:
        lines.append(f"gravity = {written(arm.gravity.tolist())}")
    for key in ("base", "tool"):
        lines += _pose_lines(key, getattr(arm, key))
    lines += _table_lines("[motion]", arm.motion, MotionSettings(), MOTION_KEYS)
    for joint in arm.joints:
        lines += _joint_lines(joint)
    return "\n".join(lines) + "\n"


def _pose_lines(key: str, pose: Array) -> list[str]:
    if np.array_equal(pose, np.eye(4)):
        return []
    if np.array_equal(pose[:3, :3], np.eye(3)):
        return ["", f"[{key}]", f"position = {written(pose[:3, 3].tolist())}"]
    rows = [f"  {written(row)}," for row in pose[:3].tolist()]
    return ["", f"[{key}]", "matrix = [", *rows, "]"]


def _joint_lines(joint: Joint) -> list[str]:
    lines = ["", "[[joint]]", f"name = {quoted(joint.name)}", f'kind = "{joint.kind}"']
    lines += [f"{key} = {written(getattr(joint, key))}" for key in ROW_FIELDS]
    keys = ("limits", *LIMIT_FIELDS, "armature", "viscous_friction", "coulomb_friction")
    lines += _table_lines("", joint, Joint(joint.kind), keys)
    lines += _coupling_lines(joint.coupling)
    return lines + _table_lines("[joint.link]", joint.link, Link(), LINK_FIELDS)


def _coupling_lines(coupling: Coupling | None) -> list[str]:
    if coupling is None:
        return []
    factors = ", ".join(f"{quoted(name)} = {written(factor)}" for name, factor in coupling.factors)
    lines = [f"coupled = {{{factors}}}"]
    if not coupling.driven:
        lines.append("driven = false")
    if coupling.limits is not None:
        lines.append(f"angle_limits = {written(coupling.limits)}")
    return lines


def _table_lines(header: str, thing: object, default: object, keys: Iterable[str]) -> list[str]:
    values = {key: getattr(thing, key) for key in keys}
    lines = [
        f"{key} = {written(value)}"
        for key, value in values.items()
        if value != getattr(default, key)
    ]
    return [*([header] if header and lines else []), *lines]


def written(value: object) -> str:
    """Return a text, a number or a list of such as TOML."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return repr(value + 0.0)  # -0.0 equals 0.0 and must therefore look the same
    if isinstance(value, list | tuple):
        return f"[{', '.join(written(one) for one in value)}]"
    if isinstance(value, int):
        return repr(value)
    raise TypeError(f"no TOML for {value!r}")


def quoted(text: str) -> str:
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


def assembly_to_toml(assembly: Assembly) -> str:
    """Return the assembly as TOML, always the same text for equal assemblies."""
    lines = ['kind = "assembly"']
    lines += [
        f"{key} = {written(value)}" for key in ASSEMBLY_TEXTS if (value := getattr(assembly, key))
    ]
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
