"""Where a path shall end: joint values, or every configuration that brings the tool there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.errors import PlanningError, ShapeError
from armwerk.geometry import is_transform
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.mechanics.choice import SAME, fit
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model
from armwerk.planning.arms import Described
from armwerk.robot.parts import Assembly

POINT_STARTS = 16
"""Starts of the search for configurations that bring the tool to a point; a point alone has more
solutions than can be listed."""
_SLACK = 1e-9  # [rad or m] by which a joint may be beyond its limit, being rounded


def joint_row(values: ArrayLike, checker: Checker, name: str) -> Array:
    """Return joint values after checking shape and limits. Shape (n,).

    Raises:
        ShapeError: For another shape, nan or infinity, or a value beyond the joint's limits.
    """
    try:
        row = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be numbers, got {values!r:.80}") from None
    if row.shape != (checker.dof,):
        raise ShapeError(
            f"{name} must be {checker.dof} joint values, shape ({checker.dof},), got {row.shape}"
        )
    if not np.isfinite(row).all():
        raise ShapeError(f"{name} must be finite, got {row.tolist()}")
    low, high = checker.limits.T
    beyond = np.maximum(low - row, row - high)
    axis = int(np.argmax(beyond))
    if beyond[axis] > _SLACK:
        joints = [joint for arm in checker.arms for joint in arm.moving]
        raise ShapeError(
            f"{name}: joint '{joints[axis].name}' at {row[axis]:.6g} is beyond its limits, "
            f"{low[axis]:.6g} to {high[axis]:.6g} [rad or m]"
        )
    return row


def goal_rows(goal: ArrayLike, start: Array, checker: Checker) -> Array:
    """Return the configurations that are a goal, the nearest to the start first. Shape (k, n).

    Args:
        goal: Joint values (n,), a pose T_world_tool (4, 4), or a point of the tool (3,) [m]. Of an
            arm with three joints three numbers are joint values.
        start: Shape (n,).
        checker: Whose arm it is.

    Raises:
        ShapeError: For anything else, nan or infinity, a matrix that is no rigid transform.
        PlanningError: When no configuration within the limits brings the tool there.
    """
    try:
        given = np.array(goal, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"goal must be numbers, got {goal!r:.80}") from None
    if given.shape == (checker.dof,):
        return joint_row(given, checker, "goal")[None]
    if given.shape not in {(4, 4), (3,)}:
        raise ShapeError(
            f"goal must be joint values ({checker.dof},), a pose (4, 4) or a point (3,), "
            f"got shape {given.shape}"
        )
    if not np.isfinite(given).all() or (given.shape == (4, 4) and not is_transform(given)):
        raise ShapeError(f"goal must be a finite rigid transform or point, got {given.tolist()}")
    if len(checker.arms) > 1:
        raise ShapeError("several arms need joint values as a goal, not a pose")
    rows = _solutions(checker.arms[0], given, start)
    if not len(rows):
        place = np.round(given[:3, 3] if given.ndim == 2 else given, 6).tolist()
        what = "pose" if given.ndim == 2 else "point"
        raise PlanningError(
            f"no inverse solution: no joint values of '{checker.arms[0].name}' within their limits "
            f"bring the tool to the {what} at {place} m",
            reason="no inverse solution",
        )
    order = np.argsort(np.linalg.norm(rows - start, axis=1), kind="stable")
    return np.asarray(rows[order])


def _solutions(arm: Described, given: Array, start: Array) -> Array:
    """Return what brings the tool there within the limits, turns nearest to the start."""
    if isinstance(arm, Assembly):
        closed = AssemblyModel(arm)
        found = closed.ik(given) if given.ndim == 2 else closed.ik_position(given)
        rows = np.asarray(found, dtype=np.float64).reshape(-1, arm.dof)
        low, high = arm.limits.T
        return np.asarray(rows[((rows >= low - _SLACK) & (rows <= high + _SLACK)).all(axis=1)])
    solver = model(arm)
    if given.ndim == 2:
        rows = np.asarray(solver.ik(given), dtype=np.float64).reshape(-1, arm.dof)
    else:
        rows = _to_point(solver, given, start)
    shifted, inside = fit(solver.chain, rows, start)
    return np.asarray(np.clip(shifted[inside], *arm.limits.T))


def _to_point(solver: SerialModel, point: Array, start: Array) -> Array:
    """Return different configurations with the tool at a point, found from several starts."""
    starts = [start, *solver.chain.spread(POINT_STARTS - 1)]
    found: list[Array] = []
    for q in starts:
        row = solver.ik_position(point, q)
        if row is not None and all(np.abs(row - other).max() > SAME for other in found):
            found.append(np.asarray(row))
    return np.array(found).reshape(-1, len(start))
