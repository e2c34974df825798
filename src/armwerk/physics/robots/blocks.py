"""Why an arm is blocked: which motor stood at its limit, and what is in the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import BlockedError
from armwerk.physics.robots.body import RobotBody
from armwerk.physics.robots.motor_table import FORCE, LIMIT
from armwerk.protocol.contacts import ContactPoint, ContactSide, SideKind, Vector

LEAST_PUSH = 1e-3  # [N] below which a contact blocks nobody


class _Push(NamedTuple):
    mine: ContactSide
    by: ContactSide
    point: Vector
    normal: Vector
    force: float


def why_blocked(
    robot: RobotBody, called: str, points: Sequence[ContactPoint], time: float
) -> BlockedError:
    """Return what an arm that has just become blocked is to be told; call before it lets go.

    Args:
        robot: The arm.
        called: Its name among the sides of contacts ("robot 0").
        points: All contacts of the step last made.
        time: Simulated [s].
    """
    motors = robot.drive.motors[robot.arm_rows]
    worst = int(np.argmax(np.abs(motors[:, FORCE]) / motors[:, LIMIT]))
    member = robot.member(worst)
    unit = "N" if member.unit == "m" else "N m"
    limit = float(motors[worst, LIMIT])
    push = _hardest(points, "robot", called)
    if push is None:
        return BlockedError(called, joint=member.name, limit=limit, unit=unit, time=time)
    return BlockedError(
        called,
        joint=member.name,
        limit=limit,
        unit=unit,
        link=push.mine.part,
        by=_chain(push.by, points),
        point=push.point,
        normal=push.normal,
        force=push.force,
        time=time,
    )


def _hardest(points: Sequence[ContactPoint], kind: SideKind, name: str) -> _Push | None:
    """Return the hardest push that something gets from anything else but itself.

    A push is the resultant of all points where the same two touch, at the middle of the forces.
    """
    pushes: dict[tuple[ContactSide, ContactSide], tuple[Array, Array, float]] = {}
    for one in points:
        for own, other, sign in ((0, 1, 1.0), (1, 0, -1.0)):
            mine, by = one.sides[own], one.sides[other]
            if (mine.kind, mine.name) != (kind, name) or (by.kind, by.name) == (kind, name):
                continue
            push, middle, total = pushes.get((mine, by), (np.zeros(3), np.zeros(3), 0.0))
            pushes[mine, by] = (
                push + sign * one.force * np.array(one.normal),
                middle + one.force * np.array(one.point),
                total + one.force,
            )
    found: _Push | None = None
    for (mine, by), (push, middle, total) in pushes.items():
        force = float(np.linalg.norm(push))
        if force > (LEAST_PUSH if found is None else found.force):
            found = _Push(mine, by, _vector(middle / total), _vector(push / force), force)
    return found


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return x, y, z


def _chain(side: ContactSide, points: Sequence[ContactPoint]) -> str:
    """Return what is in the way, and what that is pressed against in turn."""
    words = [str(side)]
    while side.kind == "thing":
        behind = _hardest([one for one in points if not _robot(one)], "thing", side.name)
        if behind is None or str(behind.by) in words:
            break
        side = behind.by
        words.append(str(side))
    return ", against ".join(words)


def _robot(point: ContactPoint) -> bool:
    return any(side.kind == "robot" for side in point.sides)
