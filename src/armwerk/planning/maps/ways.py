"""The ways to fill a map, from the quickest to the most general.

| way | when | what it does |
|---|---|---|
| scan lines | planar boxes, a joint that slides | the stretch of contact along a line, by formula |
| slabs | planar boxes, the outer joint turns | the angles of contact along a line, by formula |
| planar | planar boxes | every cell, separating axes of rectangles |
| boxes | boxes | every cell, separating axes of boxes |
| general | anything | every cell, the tests of the collision room |
| accelerator | planar boxes, when asked for | as planar, on an accelerator |

A way fills lines: along each one joint runs, from line to line the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.moves import Class, Moves
from armwerk.planning.maps.plane import PlanarScene, planar_scene
from armwerk.planning.maps.scene import Part, all_boxes

Cells = NDArray[np.unsignedinteger]
Progress = Callable[[float], None]

METHODS = ("scan lines", "slabs", "planar", "boxes", "general", "accelerator")
_FINEST = 1e-4  # [rad] below this step the uncertain places of the slabs would touch each other
_CHUNK = 2_000_000  # tests between two calls of progress
_UNMOVED = np.array([[0.0, 0.0, 1.0, 0.0]])


@dataclass(frozen=True, eq=False)
class MapTask:
    """One map to be filled.

    Args:
        chain: The packed arm.
        q: All joint values; those of the axes do not count. Shape (n,).
        parts: The arm's moving parts.
        bodies: What is around it.
        axes: The two joints that run; the first one along the rows.
        dtype: Of the cells.
        packed: Returns parts and bodies as rows of the collision room; asked only when needed.
        progress: Called with the share done, 0 to 1, once in a while.
    """

    chain: Any
    q: Array
    parts: Sequence[Part]
    bodies: Sequence[Any]
    axes: tuple[GridAxis, GridAxis]
    dtype: np.dtype[Any]
    packed: Callable[[], Any]
    progress: Progress | None = field(default=None)

    @property
    def inner_first(self) -> tuple[GridAxis, GridAxis]:
        """The axes in the order of the chain."""
        one, two = sorted(self.axes, key=lambda axis: axis.index)
        return one, two

    def moves(self) -> Moves:
        """Return how the arm moves over this map."""
        a, b = self.inner_first
        return Moves(self.chain, self.q, a.index, b.index)


@dataclass(frozen=True, eq=False)
class Filled:
    """A map that is done.

    Args:
        cells: Sums of body number + 1. Shape (ny, nx).
        hits: Number of contacts.
        method: The way taken.
        impossible: Where a closed chain of the arm cannot close; None: nowhere.
    """

    cells: Cells
    hits: int
    method: str
    impossible: NDArray[np.bool_] | None = None


def fill_map(task: MapTask, method: str | None = None) -> Filled:
    """Return the cells of a serial arm, number of contacts, and the way taken.

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
            "unknown way", element="method", value=method, allowed=", ".join(METHODS)
        )
    moves = task.moves()
    boxes = all_boxes(task.parts, task.bodies)
    scene = planar_scene(moves, task.parts, task.bodies) if boxes else None
    possible = _possible(task, scene, boxes)
    chosen = possible[0] if method is None else method
    if chosen == "accelerator" and scene is None:
        raise UnsupportedError(
            "the accelerator maps planar scenes alone: boxes upright on the plane in which the "
            "joints move; use device='cpu'"
        )
    if chosen not in possible:
        raise DescriptionError(
            f"the scene does not allow the way '{chosen}'",
            element="method",
            value=method,
            allowed=", ".join(possible),
        )
    if scene is None or chosen in {"boxes", "general"}:
        from armwerk.planning.maps.space import fill_space

        cells, hits = fill_space(task, moves, plain=chosen == "boxes")
    else:
        cells, hits = _fill_plane(task, scene, chosen)
    return Filled(cells, hits, chosen)


def _possible(task: MapTask, scene: PlanarScene | None, boxes: bool) -> list[str]:
    ways = ["general"]
    if boxes:
        ways.insert(0, "boxes")
    if scene is not None:
        ways = ["planar", *ways, "accelerator"]
        second = task.inner_first[1]
        if second.kind == "revolute" and second.step >= _FINEST:
            ways.insert(0, "slabs")
        if second.kind == "prismatic":
            ways.insert(0, "scan lines")
    return ways


def _fill_plane(task: MapTask, scene: PlanarScene, way: str) -> tuple[Cells, int]:
    a, b = task.inner_first
    if way == "scan lines" and a.kind == "prismatic" and task.axes[0] is a:
        return _slide_first(task, scene, a, b)
    lines = a.values[::-1] if task.axes[0] is b else a.values
    out = np.zeros((len(lines), b.count), task.dtype)
    hits = _lines_of_first(task, scene, np.ascontiguousarray(lines), b, way, out)
    return finished(task, out), hits


def finished(task: MapTask, out: Cells) -> Cells:
    """Return lines over the joint nearer to the base as the rows of a map."""
    if task.axes[0] is task.inner_first[1]:
        return out
    return np.ascontiguousarray(out.T[::-1])


def _lines_of_first(
    task: MapTask, scene: PlanarScene, values: Array, b: GridAxis, way: str, out: Cells
) -> int:
    """Fill lines along the outer joint, one for each value of the inner joint."""
    from armwerk.planning.kernels import planar

    bodies, moves = scene.body_rows, scene.moves
    line = scene.lines(moves.first, values)
    hits = 0
    parts = scene.parts[Class.BOTH]
    if len(parts):
        second = scene.lines(moves.second, b.values)
        on = composed(second[None], parts.pose[:, None])
        kernel = _kernel(scene, way, line, on, b)
        watched = None if way == "accelerator" else task.progress  # one launch does it all
        hits += in_chunks(kernel, out, len(parts) * len(bodies), watched)
    for which, frame in ((Class.STILL, _UNMOVED), (Class.FIRST, line)):
        parts = scene.parts[which]
        if len(parts):  # the same along the whole line
            sums = np.zeros((len(frame), 1), task.dtype)
            pairs = (scene.allowance(which), scene.rise[which] == 0.0)
            on = np.ascontiguousarray(parts.pose[:, None])
            found = planar.fill(frame, on, parts.half, bodies, *pairs, sums)
            hits += int(found) * (out.size // len(frame))
            out += sums
    return hits


def _kernel(
    scene: PlanarScene, way: str, line: Array, on: Array, b: GridAxis
) -> Callable[[slice, Cells], int]:
    """Return what fills a slice of the lines."""
    parts, bodies, second = scene.parts[Class.BOTH], scene.body_rows, scene.moves.second
    pairs = (scene.allowance(Class.BOTH), scene.rise[Class.BOTH] == 0.0)
    if way == "slabs":
        from armwerk.planning.kernels import slabs

        pivot, step = scene.pivot(second), scene.turn_sign(second) * b.step
        return lambda some, out: int(
            slabs.fill_turning(line[some], on, parts.half, bodies, *pairs, pivot, step, out)
        )
    if way == "scan lines":
        from armwerk.planning.kernels import scan

        start = composed(line[:, None], parts.pose[None])
        x, y = scene.slide(second)
        c, s = line[:, 2], line[:, 3]
        way_of = np.stack([c * x - s * y, s * x + c * y], axis=1)
        slides = np.ascontiguousarray(np.repeat(way_of[:, None], len(parts), axis=1))
        return lambda some, out: int(
            scan.fill_sliding(start[some], slides[some], parts.half, bodies, *pairs, b.values, out)
        )
    if way == "accelerator":
        return lambda some, out: _launch((line[some], on, parts.half, bodies, *pairs), out)
    from armwerk.planning.kernels import planar

    return lambda some, out: int(planar.fill(line[some], on, parts.half, bodies, *pairs, out))


def _launch(arrays: tuple[Any, Any, Any, Any, Any, Any], out: Any) -> int:
    """Fill lines on the accelerator; arguments as for `armwerk.planning.kernels.planar.fill`."""
    from armwerk.planning.gpu import launch
    from armwerk.planning.gpu.planar import planar_cells

    carrier = launch.accelerator()
    kind = {1: "uint8", 2: "int32", 4: "int64"}[out.dtype.itemsize]
    cells, hits = planar_cells(carrier, *arrays, dtype=kind)
    out += carrier.get(cells).astype(out.dtype, copy=False)
    return hits


def _slide_first(task: MapTask, scene: PlanarScene, a: GridAxis, b: GridAxis) -> tuple[Cells, int]:
    """Fill lines along the inner joint, which slides: they are the rows of the map."""
    out = np.zeros((b.count, a.count), task.dtype)
    rows = scene.lines(scene.moves.second, np.ascontiguousarray(b.values[::-1]))
    hits = 0
    for which, frame in ((Class.BOTH, rows), (Class.STILL, _UNMOVED), (Class.FIRST, _UNMOVED)):
        if not len(scene.parts[which]):
            continue
        kernel = _sliding_kernel(scene, which, frame, a)
        if which is Class.BOTH:
            tests = len(scene.parts[which]) * len(scene.bodies)
            hits += in_chunks(kernel, out, tests, task.progress)
        else:  # the same on every line
            sums = np.zeros((1, a.count), task.dtype)
            hits += kernel(slice(None), sums) * b.count
            out += sums
    return out, hits


def _sliding_kernel(
    scene: PlanarScene, which: Class, frame: Array, a: GridAxis
) -> Callable[[slice, Any], int]:
    """Return what fills a slice of the lines along the inner joint."""
    from armwerk.planning.kernels import scan

    parts, bodies = scene.parts[which], scene.body_rows
    pairs = (scene.allowance(which), scene.rise[which] == 0.0)
    start = composed(frame[:, None], parts.pose[None])
    ways = np.zeros((*start.shape[:2], 2))
    if which is not Class.STILL:
        ways[:] = scene.slide(scene.moves.first)
    return lambda some, out: int(
        scan.fill_sliding(start[some], ways[some], parts.half, bodies, *pairs, a.values, out)
    )


def in_chunks(
    kernel: Callable[[slice, Any], int], out: Any, tests: int, progress: Progress | None
) -> int:
    """Run a kernel over the lines of ``out``, in pieces when somebody watches.

    Args:
        kernel: Takes a slice of the lines and their part of ``out``, returns contacts.
        out: Shape (lines, places).
        tests: For one cell.
        progress: Called with the share done.
    """
    if progress is None:
        return kernel(slice(None), out)
    hits = 0
    lines = max(1, _CHUNK // max(1, out.shape[1] * tests))
    for first in range(0, len(out), lines):
        some = slice(first, first + lines)
        hits += kernel(some, out[some])
        progress(min(1.0, (first + lines) / len(out)))
    return hits


def composed(one: Array, two: Array) -> Array:
    """Return planar poses one after the other, broadcast. Shape (..., 4)."""
    c, s = one[..., 2], one[..., 3]
    x, y, k, n = (two[..., i] for i in range(4))
    moved = (one[..., 0] + c * x - s * y, one[..., 1] + s * x + c * y, c * k - s * n, s * k + c * n)
    return np.ascontiguousarray(np.stack(np.broadcast_arrays(*moved), axis=-1))
