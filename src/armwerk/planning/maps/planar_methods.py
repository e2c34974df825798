"""Maps of planar boxes: lines of cells by formula, or every cell by separating axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.kernels.records import PlanarPairs
from armwerk.planning.maps.data import Cells
from armwerk.planning.maps.grid import GridAxis
from armwerk.planning.maps.motion import MovedBy
from armwerk.planning.maps.plane import PlanarScene, composed
from armwerk.planning.maps.task import MapTask, in_chunks
from armwerk.planning.options import MapMethod

_UNMOVED = np.array([[0.0, 0.0, 1.0, 0.0]])


def fill_plane(task: MapTask, scene: PlanarScene, method: MapMethod) -> tuple[Cells, int]:
    """Return the cells and the number of contacts.

    Args:
        task: The map.
        scene: Its planar scene.
        method: "scan lines", "slabs", "planar" or "accelerator".
    """
    a, b = task.inner_first
    if method == "scan lines" and a.kind == "prismatic" and task.axes[0] is a:
        return _slide_first(task, scene, a, b)
    lines = a.values[::-1] if task.axes[0] is b else a.values
    out = np.zeros((len(lines), b.count), task.dtype)
    hits = _lines_of_first(task, scene, np.ascontiguousarray(lines), b, method, out)
    return task.as_rows(out), hits


def _lines_of_first(
    task: MapTask, scene: PlanarScene, values: Array, b: GridAxis, method: MapMethod, out: Cells
) -> int:
    """Fill lines along the outer joint, one for each value of the inner joint."""
    from armwerk.planning.kernels import planar

    motion = scene.motion
    line = scene.lines(motion.first, values)
    hits = 0
    parts = scene.parts[MovedBy.BOTH]
    if len(parts):
        second = scene.lines(motion.second, b.values)
        on = composed(second[None], parts.pose[:, None])
        kernel = _kernel(scene, method, line, on, b)
        watched = None if method == "accelerator" else task.progress  # one launch does it all
        hits += in_chunks(kernel, out, len(parts) * len(scene.bodies), watched)
    for which, frame in ((MovedBy.STILL, _UNMOVED), (MovedBy.FIRST, line)):
        parts = scene.parts[which]
        if len(parts):  # the same along the whole line
            sums = np.zeros((len(frame), 1), task.dtype)
            on = np.ascontiguousarray(parts.pose[:, None])
            found = planar.fill(frame, on, scene.pairs(which), sums)
            hits += int(found) * (out.size // len(frame))
            out += sums
    return hits


def _kernel(
    scene: PlanarScene, method: MapMethod, line: Array, on: Array, b: GridAxis
) -> Callable[[slice, Cells], int]:
    """Return what fills a slice of the lines."""
    parts, second = scene.parts[MovedBy.BOTH], scene.motion.second
    pairs = scene.pairs(MovedBy.BOTH)
    if method == "slabs":
        from armwerk.planning.kernels import slabs

        pivot, step = scene.pivot(second), scene.turn_sign(second) * b.step
        return lambda some, out: int(slabs.fill_turning(line[some], on, pairs, pivot, step, out))
    if method == "scan lines":
        from armwerk.planning.kernels import scan

        start = composed(line[:, None], parts.pose[None])
        x, y = scene.slide(second)
        c, s = line[:, 2], line[:, 3]
        slide = np.stack([c * x - s * y, s * x + c * y], axis=1)
        slides = np.ascontiguousarray(np.repeat(slide[:, None], len(parts), axis=1))
        return lambda some, out: int(
            scan.fill_sliding(start[some], slides[some], pairs, b.values, out)
        )
    if method == "accelerator":
        return lambda some, out: _launch(line[some], on, pairs, out)
    from armwerk.planning.kernels import planar

    return lambda some, out: int(planar.fill(line[some], on, pairs, out))


def _launch(line: Array, on: Array, pairs: PlanarPairs, out: Cells) -> int:
    """Fill lines on the accelerator; arguments as for `armwerk.planning.kernels.planar.fill`."""
    from armwerk.planning.gpu import launch
    from armwerk.planning.gpu.planar import planar_cells

    memory = launch.accelerator()
    kind = {1: "uint8", 2: "int32", 4: "int64"}[out.dtype.itemsize]
    cells, hits = planar_cells(memory, line, on, pairs, kind)
    out += memory.get(cells).astype(out.dtype, copy=False)
    return hits


def _slide_first(task: MapTask, scene: PlanarScene, a: GridAxis, b: GridAxis) -> tuple[Cells, int]:
    """Fill lines along the inner joint, which slides: they are the rows of the map."""
    out = np.zeros((b.count, a.count), task.dtype)
    rows = scene.lines(scene.motion.second, np.ascontiguousarray(b.values[::-1]))
    hits = 0
    for which, frame in (
        (MovedBy.BOTH, rows),
        (MovedBy.STILL, _UNMOVED),
        (MovedBy.FIRST, _UNMOVED),
    ):
        if not len(scene.parts[which]):
            continue
        kernel = _sliding_kernel(scene, which, frame, a)
        if which is MovedBy.BOTH:
            tests = len(scene.parts[which]) * len(scene.bodies)
            hits += in_chunks(kernel, out, tests, task.progress)
        else:  # the same on every line
            sums = np.zeros((1, a.count), task.dtype)
            hits += kernel(slice(None), sums) * b.count
            out += sums
    return out, hits


def _sliding_kernel(
    scene: PlanarScene, which: MovedBy, frame: Array, a: GridAxis
) -> Callable[[slice, Cells], int]:
    """Return what fills a slice of the lines along the inner joint."""
    from armwerk.planning.kernels import scan

    pairs = scene.pairs(which)
    start = composed(frame[:, None], scene.parts[which].pose[None])
    slides = np.zeros((*start.shape[:2], 2))
    if which is not MovedBy.STILL:
        slides[:] = scene.slide(scene.motion.first)
    return lambda some, out: int(scan.fill_sliding(start[some], slides[some], pairs, a.values, out))
