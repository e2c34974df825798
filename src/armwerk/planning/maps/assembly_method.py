"""Maps of arms built from parts, closed chains included: cell after cell, from where parts are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body import Body
from armwerk.collision.checker import Checker
from armwerk.errors import DescriptionError
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.task import Filled
from armwerk.planning.options import Progress
from armwerk.robot.parts import Assembly

_CHUNK = 20_000  # cells at once


def fill_assembly(
    shapes: ArmShapes,
    bodies: Sequence[Body],
    axes: tuple[GridAxis, GridAxis],
    q: Array,
    dtype: np.dtype[np.unsignedinteger],
    progress: Progress | None,
) -> Filled:
    """Return the map of an assembly over two of its motors.

    Args:
        shapes: Its solids.
        bodies: What is around it.
        axes: The two motors that run.
        q: All motor values; those of the axes do not count. Shape (n,).
        dtype: Of the cells.
        progress: Called with the share done.
    """
    arm = shapes.arm
    if not isinstance(arm, Assembly):
        raise DescriptionError("not an assembly", value=arm, allowed="an Assembly")
    checker = Checker(arm, bodies, shapes, self_check=False)
    moving = AssemblyModel(arm)
    rows = configurations(axes, q)
    cells = np.zeros(len(rows), dtype)
    closed = np.ones(len(rows), dtype=bool)
    hits = 0
    for first in range(0, len(rows), _CHUNK):
        some = slice(first, first + _CHUNK)
        closed[some] = moving.state(rows[some]).closed
        good = np.flatnonzero(closed[some]) + first
        if len(good):
            cells[good], found = checker.sums(rows[good])
            hits += found
        if progress is not None:
            progress(min(1.0, (first + _CHUNK) / len(rows)))
    shape = (axes[1].count, axes[0].count)
    impossible = None if closed.all() else ~closed.reshape(shape)
    return Filled(cells.reshape(shape), hits, "general", impossible)


def configurations(axes: tuple[GridAxis, ...], q: Array) -> Array:
    """Return all joint values of the cells of a map, row by row. Shape (cells, n)."""
    x, y = axes[0].values, axes[1].values[::-1]
    rows = np.tile(q, (len(x) * len(y), 1))
    rows[:, axes[0].index] = np.tile(x, len(y))
    rows[:, axes[1].index] = np.repeat(y, len(x))
    return rows
