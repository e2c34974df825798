"""Configuration spaces: for which joint values does which arm part hit which body?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies, Body, as_bodies
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.planning.cspace_result import ConfigurationSpace
from armwerk.planning.engines import check_engine
from armwerk.planning.maps.grid import GridAxis, check_memory, grid_axes, held_values
from armwerk.planning.maps.scene import ShapesLike, moving_parts, shapes_of
from armwerk.planning.maps.ways import Filled, MapTask, Progress, fill_map
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly


def cspace(
    arm: Arm | Assembly | str | Path,
    bodies: Bodies | Iterable[Body],
    axes: Sequence[int] = (0, 1),
    shape: Sequence[int] = (360, 360),
    q: ArrayLike | None = None,
    *,
    shapes: ShapesLike = None,
    ranges: Sequence[Any] | None = None,
    method: str | None = None,
    device: str = "cpu",
    engine: str = "local",
    workers: int | None = None,
    progress: Progress | None = None,
) -> ConfigurationSpace:
    """Return the configuration space of an arm among bodies over two or three of its joints.

    Every part of the arm is tested against every body in every cell. A cell holds the sum of body
    number + 1 over all contacts, so 0 is free; touching is contact. ``cells`` has one column per
    value of the first axis, ascending, and one row per value of the second, *descending*: row 0
    is the top of the picture. A third axis comes first, ascending: Shape (nz, ny, nx).

    Args:
        arm: A description, the name of a library arm, or a file.
        bodies: What is around it, in world coordinates.
        axes: Two or three different joints, counted from 0.
        shape: Number of values along each axis; the upper end of a range is left out.
        q: Values of all joints [rad or m], of which those of ``axes`` do not count. None: zeros,
            or the limit next to zero. Shape (n,).
        shapes: Solids of the arm, as `armwerk.collision.ArmShapes` takes them. None: those
            of a URDF file, else capsules along the links.
        ranges: (low, high) along each axis [rad or m]; None, or None in place of one: the joint's
            limits, -π to π where they allow more than a turn.
        method: The way to fill the map, see `armwerk.planning.maps.ways`; None: the quickest.
        device: "cpu", or "gpu" for a map of planar boxes on an accelerator, with the same result.
        engine: "local": this process; "dask", or the address of a dask scheduler: pieces of the
            map on many, with the same result. See `armwerk.planning.engines`.
        workers: Number of threads or processes; None: one thread, or one process per core.
        progress: Called with the share done, 0 to 1, once in a while.

    Raises:
        DescriptionError: For axes, a shape, ranges or bodies that make no map; the message says
            what is allowed.
        UnsupportedError: When the arm still has symbols, or the device cannot make this map.
    """
    check_engine(engine, workers)
    described = _arm(arm)
    method = _on_device(described, method, device)
    around = as_bodies(bodies)
    grid = grid_axes(described, axes, shape, ranges)
    held = held_values(described, q)
    solids = shapes_of(described, shapes, arm)
    parts = moving_parts(solids)
    dtype = _dtype(len(parts), len(around))
    check_memory([axis.count for axis in grid], dtype.itemsize)
    _load_kernels(described, solids, tuple(around), grid, held, dtype, method)
    begin = time.perf_counter()
    if engine == "local" and workers in {None, 1}:
        filled = fill(described, solids, tuple(around), grid, held, dtype, method, progress)
    else:
        from armwerk.planning.maps.pieces import PiecesTask, fill_in_pieces

        task = PiecesTask(described, solids, tuple(around), grid, held, dtype, method)
        filled = fill_in_pieces(task, engine, workers, progress)
    seconds = time.perf_counter() - begin
    filled.cells.setflags(write=False)
    return ConfigurationSpace(
        arm=described,
        shapes=solids,
        parts=parts,
        bodies=around,
        axes=grid,
        q=held,
        cells=filled.cells,
        hits=filled.hits,
        seconds=seconds,
        method=filled.method,
        impossible=filled.impossible,
    )


def _arm(arm: Any) -> Arm | Assembly:
    if isinstance(arm, str | Path):
        from armwerk.robot import load

        arm = load(arm)
    described = getattr(arm, "arm", arm)  # a model knows its description
    if not isinstance(described, Arm | Assembly):
        raise DescriptionError(
            "no arm", element="arm", value=arm, allowed="an Arm, an Assembly, a name or a file"
        )
    return described


def _on_device(arm: Arm | Assembly, method: str | None, device: str) -> str | None:
    """Return the way that a device takes; None: any."""
    if device not in {"cpu", "gpu"}:
        raise DescriptionError("unknown", element="device", value=device, allowed="cpu, gpu")
    if device == "cpu":
        return method
    if method not in {None, "accelerator"}:
        raise DescriptionError(
            "not a way of device 'gpu'", element="method", value=method, allowed="None"
        )
    if isinstance(arm, Assembly):
        raise UnsupportedError(
            f"the accelerator maps serial arms among planar boxes alone, and '{arm.name}' is an "
            "assembly; use device='cpu'"
        )
    return "accelerator"


def _dtype(parts: int, bodies: int) -> np.dtype[Any]:
    """Return the smallest kind of cell that holds the largest sum."""
    largest = parts * bodies * (bodies + 1) // 2
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(kind).max:
            return np.dtype(kind)
    raise DescriptionError(
        "too many for one map",
        element="bodies",
        value=bodies,
        allowed=f"about {int((2**33 / max(parts, 1)) ** 0.5)} with {parts} parts",
    )


_loaded: set[tuple[Any, ...]] = set()


def _load_kernels(
    arm: Arm | Assembly,
    solids: Any,
    bodies: tuple[Body, ...],
    grid: tuple[GridAxis, ...],
    held: Array,
    dtype: np.dtype[Any],
    method: str | None,
) -> None:
    """Have numba compile or load what a map needs, so that the clock runs for the map alone.

    That is done by a map of the same kind with two values along each axis.
    """
    kinds = {type(shape) for shape in (*solids.shapes, *bodies)}
    key = (type(arm), frozenset(kinds), tuple(axis.kind for axis in grid), dtype, method)
    if key not in _loaded:
        small = tuple(replace(axis, count=2) for axis in grid)
        fill(arm, solids, bodies, small, held, dtype, method, None)
        _loaded.add(key)


def fill(
    arm: Arm | Assembly,
    solids: Any,
    bodies: tuple[Body, ...],
    grid: tuple[GridAxis, ...],
    held: Array,
    dtype: np.dtype[Any],
    method: str | None,
    progress: Progress | None,
) -> Filled:
    """Return the cells; of three axes one map for each value of the third."""
    make = _maker(arm, solids, bodies, grid, dtype, method)
    if len(grid) == 2:
        return make(held, progress)
    third = grid[2]
    cells = np.zeros((third.count, grid[1].count, grid[0].count), dtype)
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


def _maker(
    arm: Arm | Assembly,
    solids: Any,
    bodies: tuple[Body, ...],
    grid: tuple[GridAxis, ...],
    dtype: np.dtype[Any],
    method: str | None,
) -> Callable[[Array, Progress | None], Filled]:
    """Return what makes the map of the first two axes for given joint values."""
    if isinstance(arm, Assembly):
        from armwerk.planning.maps.loops import fill_assembly

        return lambda q, progress: fill_assembly(solids, bodies, grid[:2], q, dtype, progress)
    from armwerk.mechanics.chain import pack
    from armwerk.planning.maps.scene import parts_of
    from armwerk.planning.maps.space import packed

    chain = pack(arm)
    parts = parts_of(solids)
    first, second = grid[:2]
    rows = cache(lambda: packed(solids, bodies))

    def make(q: Array, progress: Progress | None) -> Filled:
        task = MapTask(chain, q, parts, bodies, (first, second), dtype, rows, progress)
        return fill_map(task, method)

    return make
