"""`fill`: from an arm, bodies and a grid to the cells of a map, by the quickest method that fits.

| method | when | what it does |
|---|---|---|
| scan lines | planar boxes, a joint that slides | the stretch of contact along a line, by formula |
| slabs | planar boxes, the outer joint turns | the angles of contact along a line, by formula |
| planar | planar boxes | every cell, separating axes of rectangles |
| boxes | boxes | every cell, separating axes of boxes |
| general | anything | every cell, the tests of the collision room |
| accelerator | planar boxes, when asked for | as planar, on an accelerator |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import get_args

import numpy as np

from armwerk.arrays import Array
from armwerk.caching import SameObject
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body import Body
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mechanics.chain import Chain, pack
from armwerk.planning.arms import Described
from armwerk.planning.maps.data import Filled, MapData, MapTask
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.methods import fill_assembly, fill_plane, fill_space, packed
from armwerk.planning.maps.parts import all_boxes, parts_of
from armwerk.planning.maps.plane import PlanarScene, planar_scene
from armwerk.planning.options import MapMethod, Progress
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

METHODS: tuple[MapMethod, ...] = get_args(MapMethod)
_FINEST = 1e-4  # [rad] below this step the uncertain places of the slabs would touch each other


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
    if isinstance(arm, Assembly) or arm.is_coupled:
        axes = (first, second)
        return lambda q, progress: fill_assembly(solids, bodies, axes, q, request.dtype, progress)
    chain = _chain(SameObject(arm))
    parts = parts_of(solids)
    rows = cache(lambda: packed(solids, bodies))

    def make(q: Array, progress: Progress | None) -> Filled:
        task = MapTask(chain, q, parts, bodies, (first, second), request.dtype, rows, progress)
        return fill_map(task, request.method)

    return make


@lru_cache(maxsize=8)
def _chain(same: SameObject[Arm]) -> Chain:
    return pack(same.value)


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


def fill_map(task: MapTask, method: MapMethod | None = None) -> Filled:
    """Return the cells of a serial arm, number of contacts, and the method taken.

    Row 0 of the cells is the largest value of the second axis; columns run with the first one.

    Args:
        task: What to fill.
        method: One of `METHODS`; None: the quickest that fits.

    Raises:
        DescriptionError: When the method is unknown or does not fit the scene.
        UnsupportedError: When an accelerator is asked for that is not there, or for a scene that
            is not one of planar boxes.
    """
    if method is not None and method not in METHODS:
        raise DescriptionError(
            "unknown", element="method", value=method, allowed=", ".join(METHODS)
        )
    motion = task.motion()
    boxes = all_boxes((*(part.shape for part in task.parts), *task.bodies))
    scene = planar_scene(motion, task.parts, task.bodies)
    possible = _possible(task, scene, boxes)
    chosen = possible[0] if method is None else method
    if chosen == "accelerator" and scene is None:
        raise UnsupportedError(
            "the accelerator maps planar scenes alone: boxes upright on the plane in which the "
            "joints move; use device='cpu'"
        )
    if chosen not in possible:
        raise DescriptionError(
            f"the scene does not allow the method '{chosen}'",
            element="method",
            value=method,
            allowed=", ".join(possible),
        )
    if scene is None or chosen in {"boxes", "general"}:
        cells, hits = fill_space(task, motion, plain=chosen == "boxes")
    else:
        cells, hits = fill_plane(task, scene, chosen)
    return Filled(cells, hits, chosen)


def _possible(task: MapTask, scene: PlanarScene | None, boxes: bool) -> list[MapMethod]:
    methods: list[MapMethod] = ["general"]
    if boxes:
        methods.insert(0, "boxes")
    if scene is not None:
        methods = ["planar", *methods, "accelerator"]
        second = task.inner_first[1]
        if second.kind == "revolute" and second.step >= _FINEST:
            methods.insert(0, "slabs")
        if second.kind == "prismatic":
            methods.insert(0, "scan lines")
    return methods
