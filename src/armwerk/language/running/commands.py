"""Moves of a program become commands in metres and radians."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from armwerk.language import frames
from armwerk.language.arithmetic import Fault
from armwerk.language.checking.symbols import SYSTEM_VARIABLES
from armwerk.language.code import CheckedProgram, CheckedValue, ListValue, MoveRobot
from armwerk.language.running.closures import Frame, Reader, ValueCompiler
from armwerk.language.running.machine import MotionCommand, MotionTarget, Pose
from armwerk.language.types import (
    JOINT,
    POSE,
    POSITION,
    ROBTARGET,
    ArrayType,
    IrlType,
    Value,
)

MILLIMETRE = 1e-3
PER_CENT = 1e-2


def command_maker(
    given: MoveRobot, place: int, program: CheckedProgram, values: ValueCompiler
) -> Callable[[Frame], MotionCommand]:
    """Return what makes the command of a move.

    Args:
        given: The move.
        place: Its instruction.
        program: The program.
        values: Makes readers.
    """
    source, at = program.places[place]
    line = program.sources[source].line(at)
    points = [one for target in given.targets for one in _points(target, values)]
    parameters = {name: [values.reader(value) for value in row] for name, row in given.parameters}
    slots = {name: program.names.index(name) for name in SYSTEM_VARIABLES}
    until = None if given.until is None else values.reader(given.until)
    g = values.variables

    def number(frame: Frame, name: str, default: str) -> float:
        row = parameters.get(name)
        value = row[0](frame) if row else g[slots[default]]
        assert isinstance(value, int | float)
        return float(value)

    def given_number(frame: Frame, name: str) -> float | None:
        row = parameters.get(name)
        return None if not row else float(row[0](frame))  # type: ignore[arg-type]

    def positive(frame: Frame, name: str, default: str) -> float:
        value = number(frame, name, default)
        if value <= 0.0:
            raise Fault(f"'{name}' must be above 0, got {value:g}")
        return value

    def is_set(frame: Frame, name: str) -> bool:
        row = parameters.get(name)
        return row is not None and (not row or bool(row[0](frame)))

    def fractions(frame: Frame, name: str, default: str) -> tuple[float, ...]:
        row = parameters.get(name)
        found = [read(frame) for read in row] if row else [g[slots[default]]]
        shares = tuple(float(value) * PER_CENT for value in found)  # type: ignore[arg-type]
        if not all(0.0 < share <= 1.0 for share in shares):
            raise Fault(f"'{name}' must be above 0 and at most 100 per cent")
        return shares

    def blend(frame: Frame, name: str, default: str) -> float:
        if name in parameters or is_set(frame, "c_pass"):
            value = number(frame, name, default)
            if value < 0.0:
                raise Fault(f"'{name}' must not be negative, got {value:g}")
            return value
        return 0.0

    def make(frame: Frame) -> MotionCommand:
        targets = [point for read in points for point in read(frame)]
        if "alter_by" in parameters:
            targets = [_altered(target, g[slots["r_alter"]]) for target in targets]
        robot = parameters.get("act_rob")
        is_ptp = given.kind == "ptp"
        duration = given_number(frame, "time")
        if duration is not None and duration <= 0.0:
            raise Fault(f"'time' must be above 0, got {duration:g}")
        blend_speed = number(frame, "c_speed", "r_c_speed")
        weave = None
        if is_set(frame, "wobble"):
            weave = (
                number(frame, "", "r_wobble_width") * MILLIMETRE,
                positive(frame, "", "r_wobble_length") * MILLIMETRE,
            )
        return MotionCommand(
            line=line,
            robot=int(robot[0](frame) if robot else g[slots["r_act_rob"]]),  # type: ignore[arg-type]
            kind=given.kind,
            is_relative=given.is_relative,
            targets=tuple(targets),
            speed=positive(frame, "speed", "r_speed") * MILLIMETRE,
            acceleration=positive(frame, "acc", "r_acc") * MILLIMETRE,
            rotation_speed=math.radians(positive(frame, "speed_ori", "r_speed_ori")),
            joint_speeds=fractions(frame, "speed_ptp", "r_speed_ptp"),
            joint_accelerations=fractions(frame, "acc_ptp", "r_acc_ptp"),
            blend=0.0 if is_ptp else blend(frame, "c_cp", "r_c_cp") * MILLIMETRE,
            joint_blend=min(1.0, blend(frame, "c_ptp", "r_c_ptp") * PER_CENT) if is_ptp else 0.0,
            blend_speed=blend_speed * MILLIMETRE if blend_speed > 0.0 else None,
            duration=duration,
            weave=weave,
            base=_pose(g[slots["r_base"]]),
            tool=_pose(g[slots["r_tool"]]),
            until=None if until is None else (lambda: bool(until(frame))),
        )

    return make


def _points(
    target: CheckedValue, values: ValueCompiler
) -> list[Callable[[Frame], list[MotionTarget]]]:
    """Return what gives the points of a target, one function for each part of it."""
    if isinstance(target, ListValue) and isinstance(target.kind, ArrayType):
        return [one for item in target.items for one in _points(item, values)]
    read = values.reader(target)
    kind: IrlType = target.kind
    if isinstance(kind, ArrayType):
        element = kind.element
        return [lambda frame: [_target(element, value) for value in read(frame)]]  # type: ignore[union-attr]
    return [_one(kind, read)]


def _one(kind: IrlType, read: Reader) -> Callable[[Frame], list[MotionTarget]]:
    return lambda frame: [_target(kind, read(frame))]


def _target(kind: IrlType, value: Value) -> MotionTarget:
    assert isinstance(value, list)
    if kind is POSE:
        return MotionTarget("pose", _pose(value))
    if kind is POSITION:
        return MotionTarget("position", _metres(value))
    if kind is JOINT:
        main = value[0]
        assert isinstance(main, list)
        return MotionTarget("joint", tuple(float(axis) for axis in main))  # type: ignore[arg-type]
    assert kind is ROBTARGET
    status = value[1]
    assert isinstance(status, int)
    return MotionTarget("pose", _pose(value[0]), status)


def _metres(row: Value | frames.Row) -> tuple[float, float, float]:
    x, y, z = cast("frames.Row", row)
    return (x * MILLIMETRE, y * MILLIMETRE, z * MILLIMETRE)


def _pose(value: Value) -> Pose:
    position, turn = cast("frames.Pose", value)
    x, y, z = _metres(position)
    w, a, b, c = frames.unit_quaternion(*turn)
    return (x, y, z, w, a, b, c)


def _altered(target: MotionTarget, alter: Value) -> MotionTarget:
    """Return a target moved by a pose in its own frame."""
    if target.kind == "joint":
        return target
    shift, turn = cast("frames.Pose", alter)
    metres = list(_metres(shift))
    if target.kind == "position":
        moved = frames.add_rows(list(target.values), metres)
        return MotionTarget("position", tuple(moved))
    old = [list(target.values[:3]), list(target.values[3:])]
    position, orientation = frames.composed(old, [metres, list(turn)])
    return MotionTarget("pose", (*position, *orientation), target.status)
