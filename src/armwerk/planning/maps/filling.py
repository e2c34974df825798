"""`fill`: from an arm, bodies and a grid to the cells of a map, for two axes or three."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body import Body
from armwerk.errors import DescriptionError
from armwerk.mechanics.chain import pack
from armwerk.planning.arms import Described
from armwerk.planning.maps.assembly_method import fill_assembly
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.methods import fill_map
from armwerk.planning.maps.parts import parts_of
from armwerk.planning.maps.spatial_method import packed
from armwerk.planning.maps.task import Filled, MapTask
from armwerk.planning.options import MapMethod, Progress
from armwerk.robot.parts import Assembly


@dataclass(frozen=True, slots=True, eq=False)
class MapRequest:
    """A map that is wanted, after all checks.

    Args:
        arm: The arm.
        solids: Its shapes.
        bodies: What is around it.
        grid: The two or three axes.
        held: Values of all joints; those of the axes do not count. Shape (n,).
        dtype: Of the cells.
        method: How to fill it; None: the quickest method that fits.
    """

    arm: Described
    solids: ArmShapes
    bodies: tuple[Body, ...]
    grid: tuple[GridAxis, ...]
    held: Array
    dtype: np.dtype[np.unsignedinteger]
    method: MapMethod | None = None


def request_of(made: MapData) -> MapRequest:
    """Return the request that makes a map again, by the quickest method."""
    dtype = cell_dtype(len(made.parts), len(made.bodies))
    return MapRequest(made.arm, made.shapes, tuple(made.bodies), made.axes, made.q, dtype)


def cell_dtype(parts: int, bodies: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest kind of cell that holds the largest sum.

    Raises:
        DescriptionError: When there are too many bodies for any.
    """
    largest = parts * bodies * (bodies + 1) // 2
    kinds: tuple[type[np.unsignedinteger], ...] = (np.uint8, np.uint16, np.uint32)
    for kind in kinds:
        if largest <= np.iinfo(kind).max:
            return np.dtype(kind)
    raise DescriptionError(
        "too many for one map",
        element="bodies",
        value=bodies,
        allowed=f"about {int((2**33 / max(parts, 1)) ** 0.5)} with {parts} parts",
    )


def fill(request: MapRequest, progress: Progress | None = None) -> Filled:
    """Return the cells; of three axes one map for each value of the third."""
    make = _maker(request)
    grid, held = request.grid, request.held
    if len(grid) == 2:
        return make(held, progress)
    third = grid[2]
    cells = np.zeros((third.count, grid[1].count, grid[0].count), request.dtype)
    slices = []
    q = held.copy()
    for number, value in enumerate(third.values):
        q[third.index] = value
        slices.append(make(q, None))
        cells[number] = slices[-1].cells
        if progress is not None:
            progress((number + 1) / third.count)
    impossible = None
    if any(one.impossible is not None for one in slices):
        nowhere = np.zeros(cells.shape[1:], dtype=bool)
        impossible = np.stack(
            [nowhere if one.impossible is None else one.impossible for one in slices]
        )
    return Filled(cells, sum(one.hits for one in slices), slices[0].method, impossible)


def _maker(request: MapRequest) -> Callable[[Array, Progress | None], Filled]:
    """Return what makes the map of the first two axes for given joint values."""
    arm, solids, bodies = request.arm, request.solids, request.bodies
    first, second = request.grid[:2]
    if isinstance(arm, Assembly):
        axes = (first, second)
        return lambda q, progress: fill_assembly(solids, bodies, axes, q, request.dtype, progress)
    chain = pack(arm)
    parts = parts_of(solids)
    rows = cache(lambda: packed(solids, bodies))

    def make(q: Array, progress: Progress | None) -> Filled:
        task = MapTask(chain, q, parts, bodies, (first, second), request.dtype, rows, progress)
        return fill_map(task, request.method)

    return make


_loaded: set[tuple[object, ...]] = set()


def load_kernels(request: MapRequest) -> None:
    """Have numba compile or load what a map needs, so that the clock runs for the map alone.

    That is done by a map of the same kind with two values along each axis.
    """
    kinds = frozenset(type(shape) for shape in (*request.solids.shapes, *request.bodies))
    axes = tuple(axis.kind for axis in request.grid)
    key = (type(request.arm), kinds, axes, request.dtype, request.method)
    if key not in _loaded:
        fill(replace(request, grid=tuple(replace(axis, count=2) for axis in request.grid)))
        _loaded.add(key)
