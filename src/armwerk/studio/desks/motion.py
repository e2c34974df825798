"""Motions: tables, single moves, jogging and taught positions are planned, checked and sampled."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.motion_check import check
from armwerk.collision.safety import SafetySettings
from armwerk.collision.slowing import slowed
from armwerk.errors import DescriptionError, MotionError, UnsupportedError
from armwerk.mechanics.serial import SerialModel
from armwerk.motion import Path, Trajectory, ptp
from armwerk.motion.table import Table
from armwerk.motion.table.file import parse
from armwerk.protocol.moving import (
    MotionCommand,
    MotionResult,
    MotionRules,
    PlanJog,
    PlanMove,
    PlanTable,
    PlanTaught,
    ReadBodies,
    ReadTable,
    SampledMotion,
    WriteTable,
)
from armwerk.studio.desks.jogging import jogged
from armwerk.studio.desks.playing import played
from armwerk.studio.desks.stages import StagedArm, Stages
from armwerk.studio.desks.tables import body_rows, table_contents, table_text

MOST_POSITIONS = 500
"""That are taught or recorded."""
_SAME = 1e-9  # [rad or m] between two positions that are one


class MotionDesk:
    """Plans motions.

    Args:
        stages: Where arms are looked up.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    def obey(self, command: MotionCommand) -> MotionResult:
        """Carry out a command.

        Raises:
            ArmwerkError: When something asked for is wrong, or cannot be driven at any speed. A
                motion that touches something is returned, with its contact.
        """
        match command:
            case ReadTable(text, ending):
                return table_contents(text, ending)
            case WriteTable(text, ending):
                return table_text(text, ending)
            case ReadBodies(text):
                return body_rows(self._stages.bodies(text))
            case _:
                return self._planned(command)

    def _planned(self, command: PlanTable | PlanMove | PlanJog | PlanTaught) -> SampledMotion:
        staged = self._stages.get(command.arm, command.bodies)
        rules = _checked(command.rules)
        q = staged.values(command.q)
        match command:
            case PlanTable(table=table):
                approach, path = _table(staged, Table(*parse(table, ".toml")), q, rules.speed)
                if approach is not None:
                    way = _safe(staged, approach, rules)
                    if way.touch is not None:  # its segments are none of the table's
                        return _on_the_way(way)
                motion = path if approach is None else approach + path
            case PlanMove(goal=goal):
                motion = _move(staged, q, staged.values(goal, "goal"), rules.speed)
            case PlanJog(frame=frame, axis=axis, step=step):
                motion = jogged(staged, q, frame, axis, step, rules.speed)
            case PlanTaught(positions=positions, blend=blend):
                motion = _taught(staged, q, _rows(staged, positions), blend, rules.speed)
        return _safe(staged, motion, rules)


def _checked(rules: MotionRules) -> MotionRules:
    for name in ("speed", "near_speed", "far_speed"):
        value = getattr(rules, name)
        if not 0.0 < value <= 1.0:
            raise DescriptionError(
                "out of range", element=name, value=value, allowed="above 0, at most 1"
            )
    return rules


def _safe(staged: StagedArm, motion: Trajectory, rules: MotionRules) -> SampledMotion:
    """Check a motion, slow it down near bodies, and sample it."""
    settings = SafetySettings(
        margin=rules.margin,
        speeds=((rules.near, rules.near_speed), (rules.far, rules.far_speed)),
    )
    checker = staged.checker if rules.self_check else staged.lone_checker
    verdict = check(motion, checker, settings=settings)
    if verdict.free and rules.slow and len(staged.bodies):
        motion = slowed(motion, checker, settings=settings)
    return played(staged, motion, verdict, staged.assumed)


def _move(staged: StagedArm, q: Array, goal: Array, speed: float) -> Trajectory:
    if np.abs(goal - q).max() < _SAME:
        raise MotionError("the arm stands there already")
    return ptp(staged.arm, q, goal, speed=speed, acceleration=speed, limits=staged.limits)


def _on_the_way(motion: SampledMotion) -> SampledMotion:
    """Return a motion to the start of a table with its contact said so."""
    assert motion.touch is not None
    text = motion.touch.text.replace("segment 1", "on the way to the start")
    return replace(motion, touch=replace(motion.touch, text=text))


def _table(
    staged: StagedArm, table: Table, q: Array, speed: float
) -> tuple[Trajectory | None, Trajectory]:
    """Return the motion to the start of a table, in joint space, and that of the table.

    None: the arm stands there, or the table has no start.
    """
    model = _serial(staged)
    first = table.rows[0]
    if first.kind != "start":
        return None, table.path().plan(model, q, limits=staged.limits)
    if first.goal.shape == (3,):
        raise MotionError("needs an inclination or angles", segment="row 1 'start'")
    at = model.ik_nearest(first.goal, q)
    if at is None:
        raise MotionError(
            f"out of reach: {model.solve(first.goal).reason}", segment="row 1 'start'"
        )
    if len(table.rows) == 1:
        return None, _move(staged, q, at, speed)
    try:
        path = table.path().plan(model, at, limits=staged.limits)
    except MotionError:
        path = table.path().plan(
            model, limits=staged.limits
        )  # from another configuration it may fit
        at = path.sample(0.0)[0]
    if np.abs(at - q).max() < _SAME:
        return None, path
    return _move(staged, q, at, speed), path


def _serial(staged: StagedArm) -> SerialModel:
    if not isinstance(staged.model, SerialModel):
        raise UnsupportedError(
            f"'{staged.arm.name}' is an assembly: it moves from joint values to joint values; "
            "paths of the tool need a serial arm"
        )
    return staged.model


def _rows(staged: StagedArm, text: str) -> list[Array]:
    """Return taught positions, each of which differs from the one before it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST_POSITIONS:
        raise DescriptionError(
            "too few or too many",
            element="positions",
            value=len(lines),
            allowed=f"1 to {MOST_POSITIONS}",
        )
    rows: list[Array] = []
    for number, line in enumerate(lines, start=1):
        try:
            values = tuple(float(word) for word in line.split())
        except ValueError:
            raise DescriptionError(
                "not numbers", element=f"position {number}", value=line[:60]
            ) from None
        row = staged.values(values, f"position {number}")
        if not rows or np.abs(row - rows[-1]).max() > _SAME:
            rows.append(row)
    return rows


def _taught(
    staged: StagedArm, q: Array, rows: list[Array], blend: float, speed: float
) -> Trajectory:
    """Return the motion through taught positions; of an assembly it stops at each."""
    if not 0.0 <= blend < 10.0:
        raise DescriptionError("out of range", element="blend", value=blend, allowed="0 to 10 m")
    goals = rows if np.abs(rows[0] - q).max() > _SAME else rows[1:]
    if not goals:
        raise MotionError("the arm stands there already")
    if isinstance(staged.model, SerialModel) and len(goals) > 1 and blend > 0.0:
        path = Path()
        for number, goal in enumerate(goals, start=1):
            radius = blend if number < len(goals) else 0.0
            path = path.ptp(goal, fraction=speed, blend=radius)
        return path.plan(staged.model, q, limits=staged.limits)
    motion = _move(staged, q, goals[0], speed)
    for before, goal in pairwise(goals):
        motion += _move(staged, before, goal, speed)
    return motion
