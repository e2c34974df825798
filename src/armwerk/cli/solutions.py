"""The solutions of one inverse problem: found, measured, and set in a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from armwerk.arrays import Array
from armwerk.cli.arguments import kind_of
from armwerk.cli.console import add_column, add_row, table
from armwerk.cli.units import Units, short, small
from armwerk.errors import UnsupportedError
from armwerk.mechanics.inverse.interface import SolutionSet
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.mechanics.assembly.model import AssemblyModel
    from armwerk.mechanics.inverse.interface import Task
    from armwerk.mechanics.serial import SerialModel

_SLACK = 1e-9  # [rad or m], what rounding may add to a limit
_SAME = 1e-6  # [rad or m], within which two solutions are one


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """What was asked and what was found.

    Args:
        model: The model that solved it; ``arm`` is its description.
        target: T_world_tool that was asked for, or a point alone [m]. Shape (4, 4) or (3,).
        method: How it was solved.
        near: Where the nearest solution is measured from [rad or m]. Shape (n,).
        q: The solutions [rad or m]. Shape (k, n).
        position: How far each solution misses the target's place [m]. Shape (k,).
        rotation: And its orientation [rad]; nan when none was asked for. Shape (k,).
        nearest: Index of the solution within the limits nearest to ``near``; None: none is.
        names: What each configuration is called ("left up flipped"); empty: nobody asked.
        family: Names of the joints that can move together without leaving the target; the
            solutions are then some of infinitely many.
        idle: Names of the joints that move nothing of it and stay at ``near``.
        task: The part of the pose that counts.
    """

    model: SerialModel | AssemblyModel
    arm: Arm | Assembly
    target: Array
    method: str
    near: Array
    q: Array
    position: Array
    rotation: Array
    nearest: int | None
    names: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    task: str = "pose"


def solve(
    arm: Arm | Assembly,
    target: Array,
    method: str,
    near: Array | None,
    configuration: str | None = None,
    task: str = "pose",
) -> Solutions:
    """Solve for ``target`` and measure every solution with the direct kinematics.

    Args:
        arm: The arm.
        target: Pose or point.
        method: How to solve it.
        near: Where the nearest solution is measured from; None: zero, within the limits.
        configuration: Words that the name of a solution must have, none for all; None: solutions
            get no names.
        task: The part of a pose that counts, see `armwerk.mechanics.SerialModel.ik`.
    """
    model = _model(arm, method)
    chosen, target = _part(model, target, task)
    low, high = arm.limits.T
    start = np.clip(np.zeros(arm.dof), low, high) if near is None else near
    with np.errstate(over="ignore", invalid="ignore"):  # a pose at 1e300 m is just out of reach
        found, close = _found(model, target, start, configuration, chosen)
    q = turned(found.joints, arm, start)
    if close is not None:
        q = _with(q, np.asarray(close, dtype=np.float64), arm)
    position, rotation = _residuals(model, q, target, chosen)
    index = None if close is None else int(np.argmin(_apart(q, np.asarray(close), arm)))
    names = () if configuration is None else _names(model, q)
    family, idle = (
        tuple(arm.moving[joint - 1].name for joint in joints)
        for joints in (found.family, found.idle)
    )
    return Solutions(
        model,
        arm,
        target,
        method,
        start,
        q,
        position,
        rotation,
        index,
        names,
        family,
        idle,
        chosen,
    )


def _names(model: SerialModel | AssemblyModel, q: Array) -> tuple[str, ...]:
    from armwerk.mechanics.serial import SerialModel  # it loads kernels

    if not isinstance(model, SerialModel):
        raise UnsupportedError("an assembly of parts has no names for its solutions")
    return tuple(model.configurations(q)) if len(q) else ()


def _part(model: SerialModel | AssemblyModel, target: Array, task: str) -> tuple[Task, Array]:
    """Return the part of a pose that counts, and the pose with what an arm in a plane allows."""
    from armwerk.mechanics.inverse.partial import known_task, plane_pose
    from armwerk.mechanics.serial import SerialModel  # it loads kernels

    if task == "pose" or target.shape == (3,):
        return "pose", target
    if not isinstance(model, SerialModel):
        raise UnsupportedError("an assembly of parts is solved for whole poses or for points")
    chosen = model.task if task == "auto" else known_task(task)
    if chosen == "plane":
        return "pose", plane_pose(model, target)
    return (chosen, target[:3, 3]) if chosen == "position" else (chosen, target)


def _found(
    model: SerialModel | AssemblyModel,
    target: Array,
    start: Array,
    configuration: str | None,
    task: Task,
) -> tuple[SolutionSet, Array | None]:
    """Return the solutions, and of those within the limits the one nearest to ``start``."""
    from armwerk.mechanics.serial import SerialModel  # it loads kernels

    is_point = target.shape == (3,)
    if task != "pose" and isinstance(model, SerialModel):
        found = model.solutions(target, start, task)
        return found, model.ik_nearest(target, start, configuration or None, task=task)
    if configuration and isinstance(model, SerialModel) and not is_point:
        chosen = model.ik_nearest(target, start, configuration=configuration)
        return SolutionSet(model.ik(target, configuration=configuration)), chosen
    found = model.solutions(target, start)
    if is_point:
        return found, model.ik_position(target, start)
    return found, model.ik_nearest(target, start)


def turned(q: Array, arm: Arm | Assembly, start: Array) -> Array:
    """Shift angles by whole turns so that they break their limits least, then lie near ``start``.

    Args:
        q: Solutions [rad or m]. Shape (k, n).
        arm: Whose limits count.
        start: Shape (n,).
    """
    if isinstance(arm, Arm) and arm.is_coupled:
        return _turned_axes(q, arm, start)
    low, high = arm.limits.T
    result = q.copy()
    for index, joint in enumerate(arm.moving):
        if kind_of(joint) == "revolute":
            choices = q[:, index, None] + 2 * np.pi * np.arange(-2, 3)
            beyond = np.maximum(low[index] - choices, choices - high[index])
            beyond = np.where(beyond > _SLACK, beyond, 0.0)
            cost = 1e6 * beyond + np.abs(choices - start[index])
            result[:, index] = choices[np.arange(len(q)), np.argmin(cost, axis=1)]
    return result


def _turned_axes(q: Array, arm: Arm, start: Array) -> Array:
    """Return solutions of coupled axes within limits where whole turns help, else as they are."""
    from armwerk.mechanics.turning import AxisTurns

    turns, result = AxisTurns(arm), q.copy()
    for row, values in enumerate(q):
        kept = turns.within(arm.angles(values), start)
        result[row] = values if kept is None else kept
    return result


def _model(arm: Arm | Assembly, method: str) -> SerialModel | AssemblyModel:
    if isinstance(arm, Arm):
        from armwerk.mechanics import inverse_method
        from armwerk.modelling import model

        return model(arm, ik=inverse_method(method))
    if method != "pref":
        raise UnsupportedError(
            f"'{arm.name}' is built from parts and solved in its own way, not by '{method}'"
            " (allowed: pref)"
        )
    from armwerk.mechanics.assembly.model import AssemblyModel

    return AssemblyModel(arm)


def _residuals(
    model: SerialModel | AssemblyModel, q: Array, target: Array, task: Task
) -> tuple[Array, Array]:
    """Return how far solutions miss in place [m] and orientation [rad]; nan: none was asked."""
    from armwerk.geometry import separation

    if not len(q):
        return np.zeros(0), np.zeros(0)
    poses = model.fk(q)
    if target.shape == (3,):
        place = np.asarray(np.linalg.norm(poses[:, :3, 3] - target, axis=1))
        return place, np.full(len(q), np.nan)
    if task == "direction":
        place = np.asarray(np.linalg.norm(poses[:, :3, 3] - target[:3, 3], axis=1))
        chords = np.linalg.norm(poses[:, :3, 2] - target[:3, 2], axis=1)
        return place, np.asarray(2.0 * np.arcsin(np.minimum(chords / 2.0, 1.0)))
    return separation(poses, target)


def _with(q: Array, close: Array, arm: Arm | Assembly) -> Array:
    """Put the nearest solution among the others, in place of itself by whole turns."""
    away = _apart(q, close, arm)
    if len(q) and away.min() < _SAME:
        q = q.copy()
        q[int(np.argmin(away))] = close
        return q
    return np.vstack([q, close])


def _apart(q: Array, other: Array, arm: Arm | Assembly) -> Array:
    """Return the largest joint difference of each row from ``other``, whole turns left out."""
    difference = q - other
    turns = np.array([kind_of(joint) == "revolute" for joint in arm.moving])
    wrapped = (difference + np.pi) % (2 * np.pi) - np.pi
    return np.asarray(np.abs(np.where(turns, wrapped, difference)).max(axis=1, initial=0.0))


def beyond_limits(found: Solutions, row: int, units: Units) -> list[str]:
    """Return a text per joint out of its limits: + so much above, - so much below."""
    texts = []
    low, high = found.arm.limits.T
    for index, joint in enumerate(found.arm.moving):
        value, kind = found.q[row, index], kind_of(joint)
        under, over = low[index] - value, value - high[index]
        if max(under, over) > _SLACK:
            amount = short(float(max(under, over)) * units.scale(kind), 3)
            sign = "-" if under > over else "+"
            texts.append(f"{joint.name} {sign}{amount} {units.name(kind)}")
    return texts + _beyond_angles(found, row, units)


def _beyond_angles(found: Solutions, row: int, units: Units) -> list[str]:
    """Return the same of the angles of coupled joints, which have limits of their own."""
    arm = found.arm
    if not isinstance(arm, Arm) or not arm.is_coupled:
        return []
    texts = []
    turning = [joint for joint in arm.joints if joint.kind != "fixed"]
    for joint, angle in zip(turning, arm.angles(found.q[row]), strict=True):
        if joint.coupling is None or joint.coupling.limits is None:
            continue
        low, high = joint.coupling.limits
        if max(low - angle, angle - high) > _SLACK:
            amount = short(float(max(low - angle, angle - high)) * units.scale(joint.kind), 3)
            sign = "-" if low > angle else "+"
            texts.append(f"angle of {joint.name} {sign}{amount} {units.name(joint.kind)}")
    return texts


def solutions_table(found: Solutions, units: Units) -> Table:
    """Return one row per solution with its residual and how it stands to the limits."""
    count = len(found.q)
    inside = sum(not beyond_limits(found, row, units) for row in range(count))
    number = f"{count} of infinitely many" if found.family else str(count)
    plural = "s" * (count != 1 or bool(found.family))
    shown = table(
        f"{number} solution{plural} for {found.arm.name}, {inside} within the limits",
        caption=_caption(found, units),
    )
    add_column(shown, "#", number=True)
    for joint in found.arm.moving:
        unit = units.name(kind_of(joint))
        add_column(shown, f"{joint.name} [{unit}]", number=True, wrap=True)
    add_column(shown, "off [mm]", number=True, wrap=True)
    add_column(shown, f"off [{units.angle}]", number=True, wrap=True)
    add_column(shown, "limits", wrap=True)
    if found.names:
        add_column(shown, "configuration", wrap=True)
    for row in range(count):
        values = [
            units.text(float(value), kind_of(joint), fixed=True)
            for joint, value in zip(found.arm.moving, found.q[row], strict=True)
        ]
        off = float(found.position[row]) * 1000, float(found.rotation[row])
        limits = ", ".join(beyond_limits(found, row, units)) or "ok"
        mark = "*" if row == found.nearest else ""
        turn = small(off[1] * units.scale("revolute"))
        style = "bold" if row == found.nearest else None
        name = [found.names[row]] if found.names else []
        add_row(shown, f"{mark}{row + 1}", *values, small(off[0]), turn, limits, *name, style=style)
    return shown


def _caption(found: Solutions, units: Units) -> str:
    start = " ".join(
        units.text(float(value), kind_of(joint))
        for joint, value in zip(found.arm.moving, found.near, strict=True)
    )
    goal = "point" if found.target.shape == (3,) else "pose"
    words = _freedom(found, goal)
    if found.nearest is None:
        return "none is within the limits" + words
    if found.target.shape == (3,):
        goal = "point, the orientation being free"
    elif found.task == "direction":
        goal = "point and from the tool's direction"
    return (
        f"* nearest to {start} among those within the limits; off: distance from the {goal};"
        f" limits: ok, or how far a joint is above (+) or below (-) its own{words}"
    )


def _freedom(found: Solutions, goal: str) -> str:
    """Return what the solutions leave open, to be put behind other words."""
    words = ""
    if found.family:
        words += f"; {_list(found.family)} can move together without leaving the {goal}"
    if found.idle:
        verb = ("moves", "stays") if len(found.idle) == 1 else ("move", "stay")
        words += f"; {_list(found.idle)} {verb[0]} nothing of the {goal} and {verb[1]} where"
        words += " --near says, 0 without it"
    return words


def _list(names: tuple[str, ...]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def solutions_json(found: Solutions, reason: str) -> dict[str, object]:
    """Return everything as plain data in metres and radians."""
    si = Units(degrees=False, millimetres=False)
    rows = [
        {
            "q": found.q[row].tolist(),
            "position_error": float(found.position[row]),
            "rotation_error": None if np.isnan(found.rotation[row]) else found.rotation[row],
            "within_limits": not beyond_limits(found, row, si),
            "beyond_limits": beyond_limits(found, row, si),
        }
        | ({"configuration": found.names[row]} if found.names else {})
        for row in range(len(found.q))
    ]
    return {
        "arm": found.arm.name,
        "method": found.method,
        "task": found.task,
        "units": {"length": "m", "angle": "rad"},
        "joints": [joint.name for joint in found.arm.moving],
        "target": found.target.tolist(),
        "near": found.near.tolist(),
        "nearest": found.nearest,
        "solutions": rows,
        "infinitely_many": bool(found.family),
        "family": list(found.family),
        "idle": list(found.idle),
        "reason": reason or None,
    }
