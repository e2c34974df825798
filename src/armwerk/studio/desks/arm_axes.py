"""An arm by the axes of its joints: as a table, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.modelling import model
from armwerk.protocol.configuring import AxisRow
from armwerk.robot.arm import Arm
from armwerk.robot.axes import Axis
from armwerk.robot.dimension import number_in
from armwerk.robot.joint import KINDS, Joint, Link
from armwerk.robot.parts import Assembly

_PARTS = 3  # of a line: kind, direction, place


def axis_rows(arm: Arm | Assembly) -> tuple[AxisRow, ...]:
    """Return the axes of an arm in the world, all joints at zero.

    Raises:
        UnsupportedError: For an assembly of parts.
    """
    serial = _serial(arm)
    frames = _frames(serial)
    return tuple(
        AxisRow(joint.name, joint.kind, _written(frame[:3, 2]), _written(frame[:3, 3]))
        for joint, frame in zip(serial.joints, frames, strict=False)
    )


def with_axes(arm: Arm | Assembly, lines: str) -> Arm:
    """Return an arm with other axes; its tool, limits, drives and masses stay where they are.

    Args:
        arm: With numbers for all symbols.
        lines: As in `WriteAxes`; further joints than the arm has get no limits.

    Raises:
        DescriptionError: For what is wrong with a line, or with the axes.
        UnsupportedError: For an assembly of parts.
    """
    serial = _serial(arm)
    frames = _frames(serial)
    axes: list[Axis] = []
    before = np.zeros(3)
    for place, line in enumerate(one for one in lines.splitlines() if one.strip()):
        kind, direction, point = _read(line, place)
        old = serial.joints[place] if place < len(serial.joints) else Joint("revolute")
        link = Link() if place >= len(serial.joints) else _link(old.link, frames[place + 1], point)
        x, y, z = direction
        dx, dy, dz = point - before
        known = next(one for one in KINDS if one == kind)
        made = Axis(known, (x, y, z), (float(dx), float(dy), float(dz)), name=old.name, link=link)
        axes.append(made if known != old.kind else _with_drive(made, old))
        before = point
    made_arm = Arm.from_axes(axes, serial.name, frames[-1])
    return replace(
        made_arm,
        gravity=serial.gravity,
        title=serial.title,
        source=serial.source,
        assumed=serial.assumed,
        tasks=serial.tasks,
        motion=serial.motion,
    )


def _serial(arm: Arm | Assembly) -> Arm:
    if not isinstance(arm, Arm):
        raise UnsupportedError("an assembly of parts has no table of axes: only serial arms")
    return arm


def _frames(arm: Arm) -> Array:
    """Return the frames at zero: base, behind each joint, tool. Shape (joints + 2, 4, 4)."""
    return model(arm, ik="numeric").frames(np.zeros(arm.dof))


def _read(line: str, place: int) -> tuple[str, tuple[float, float, float], Array]:
    parts = [part.strip() for part in line.split(";")]
    if len(parts) != _PARTS or parts[0] not in KINDS:
        raise DescriptionError(
            "no axis",
            element=f"joint {place + 1}",
            value=line[:80],
            allowed=f"one of {', '.join(KINDS)}; direction; place",
        )
    x, y, z = _three(parts[1], f"joint {place + 1}, direction", "number")
    return parts[0], (x, y, z), np.array(_three(parts[2], f"joint {place + 1}, place", "length"))


def _three(text: str, element: str, quantity: str) -> list[float]:
    words = [word.strip() for word in text.strip("[]() ").split(",")]
    if len(words) != 3:
        raise DescriptionError("wrong shape", element=element, value=text, allowed="x, y, z")
    return [number_in(_number(word), quantity, element) for word in words]


def _number(word: str) -> float | str:
    try:
        return float(word)
    except ValueError:
        return word


def _link(link: Link, frame: Array, point: Array) -> Link:
    """Return a link of a joint's frame as an axis has it: from its point, along the world."""
    turn = frame[:3, :3]
    com = turn @ np.array([float(value) for value in link.com]) + frame[:3, 3] - point
    tensor = turn @ link.inertia_matrix() @ turn.T
    x, y, z = (float(value) for value in com)
    moments = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    xx, yy, zz, xy, xz, yz = (float(value) for value in moments)
    return Link(link.mass, (x, y, z), (xx, yy, zz, xy, xz, yz))


def _with_drive(axis: Axis, old: Joint) -> Axis:
    forward, backward = old.coulomb_friction
    return replace(
        axis,
        limits=old.limits,
        max_velocity=old.max_velocity,
        max_acceleration=old.max_acceleration,
        max_jerk=old.max_jerk,
        max_force=old.max_force,
        armature=float(old.armature),
        viscous_friction=float(old.viscous_friction),
        coulomb_friction=(float(forward), float(backward)),
    )


def _written(values: Array) -> str:
    return ", ".join(f"{round(float(value), 9) + 0.0:.9g}" for value in values)
