"""How cells are filled: maps of planar boxes, of anything in space, of arms built from parts.

Planar boxes go line by line, by formula or by separating axes; in space every part is put to the
test with every body in every cell; arms built from parts, closed chains included, go cell after
cell, from where their parts are. Beside contact, how far the arm is from the nearest body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body import Body
from armwerk.collision.checker import Checker
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.layout import PackedScene, named
from armwerk.collision.scene_arrays import pack_scene
from armwerk.planning.maps.data import Cells, Filled, MapData, MapTask, in_chunks
from armwerk.planning.maps.grid import GridAxis, check_memory
from armwerk.planning.maps.parts import FrameMotion, MovedBy
from armwerk.planning.maps.plane import PlanarScene, composed, scene_of
from armwerk.planning.options import MapMethod, Progress

_UNMOVED = np.array([[0.0, 0.0, 1.0, 0.0]])
_ROWS = 20_000  # cells at once
_CHUNK = 50_000  # cells at once


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
    line = scene.lines(scene.motion.first, a.values)
    if task.axes[0] is b:
        line = np.ascontiguousarray(line[::-1])
    if method == "accelerator":
        return _accelerated(task, scene, line, b)
    out = np.zeros((a.count, b.count), task.dtype)
    hits = _lines_of_first(task, scene, line, b, method, out)
    return task.as_rows(out), hits


def _lines_of_first(
    task: MapTask, scene: PlanarScene, line: Array, b: GridAxis, method: MapMethod, out: Cells
) -> int:
    """Fill lines along the outer joint, one for each value of the inner joint."""
    hits = 0
    parts = scene.parts[MovedBy.BOTH]
    if len(parts):
        kernel = _planar_kernel(scene, method, line, b)
        hits += in_chunks(kernel, out, len(parts) * len(scene.bodies), task.progress)
    base, found = _sums_of_lines(scene, line, task.dtype)
    if found:
        out += base
    return hits + found * b.count


def _sums_of_lines(
    scene: PlanarScene, line: Array, dtype: np.dtype[np.unsignedinteger]
) -> tuple[Cells, int]:
    """Return what is the same along each whole line, shape (lines, 1), and its contacts."""
    from armwerk.planning.kernels import planar

    base = np.zeros((len(line), 1), dtype)
    hits = 0
    for which, frame in ((MovedBy.STILL, _UNMOVED), (MovedBy.FIRST, line)):
        parts = scene.parts[which]
        if len(parts):
            sums = np.zeros((len(frame), 1), dtype)
            on = np.ascontiguousarray(parts.pose[:, None])
            found = planar.fill(frame, on, scene.pairs(which), sums)
            hits += int(found) * (len(line) // len(frame))
            base += sums
    return base, hits


def _accelerated(task: MapTask, scene: PlanarScene, line: Array, b: GridAxis) -> tuple[Cells, int]:
    """Fill, add and turn all on the accelerator; only the finished map is fetched."""
    from armwerk.accelerator import accelerator
    from armwerk.planning.gpu import launch

    memory = accelerator()
    base, hits = _sums_of_lines(scene, line, task.dtype)
    second = scene.lines(scene.motion.second, b.values)
    on = composed(second[None], scene.parts[MovedBy.BOTH].pose[:, None])
    kind = {1: "uint8", 2: "int16", 4: "int32"}[task.dtype.itemsize]  # the bits count alone
    cells, found = launch.planar_cells(
        memory, line, on, scene.pairs(MovedBy.BOTH), kind, base[:, 0].astype(np.int64)
    )
    if task.axes[0] is not b:
        cells = memory.columns_last_first(cells)
    return memory.get(cells).view(task.dtype), hits * b.count + found


def _planar_kernel(
    scene: PlanarScene, method: MapMethod, line: Array, b: GridAxis
) -> Callable[[slice, Cells], int]:
    """Return what fills a slice of the lines."""
    pose, second = scene.parts[MovedBy.BOTH].pose, scene.motion.second
    pairs = scene.pairs(MovedBy.BOTH)
    if method == "slabs":
        from armwerk.planning.kernels import slabs

        pivot, step = scene.pivot(second), scene.turn_sign(second) * b.step
        turns = scene.lines(second, b.values)
        return lambda some, out: int(
            slabs.fill_turning(line[some], turns, pose, pairs, pivot, step, out)
        )
    if method == "scan lines":
        from armwerk.planning.kernels import scan

        x, y = scene.slide(second)
        c, s = line[:, 2], line[:, 3]
        slides = np.stack([c * x - s * y, s * x + c * y], axis=1)
        return lambda some, out: int(
            scan.fill_sliding(line[some], pose, slides[some], pairs, b.values, out)
        )
    from armwerk.planning.kernels import planar

    on = composed(scene.lines(second, b.values)[None], pose[:, None])
    return lambda some, out: int(planar.fill(line[some], on, pairs, out))


def _slide_first(task: MapTask, scene: PlanarScene, a: GridAxis, b: GridAxis) -> tuple[Cells, int]:
    """Fill lines along the inner joint, which slides: they are the rows of the map."""
    filled = len(scene.parts[MovedBy.BOTH]) > 0
    out = (np.empty if filled else np.zeros)((b.count, a.count), task.dtype)
    rows = np.ascontiguousarray(scene.lines(scene.motion.second, b.values)[::-1])
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

    pairs, pose = scene.pairs(which), scene.parts[which].pose
    slides = np.zeros((len(frame), 2))
    if which is not MovedBy.STILL:
        slides[:] = scene.slide(scene.motion.first)
    return lambda some, out: int(
        scan.fill_sliding(frame[some], pose, slides[some], pairs, a.values, out)
    )


def packed(shapes: ArmShapes, bodies: Sequence[Body]) -> PackedScene:
    """Return parts and bodies as the rows of the collision room."""
    return pack_scene([shapes], bodies, np.zeros((0, 2), dtype=np.int64))


def fill_space(task: MapTask, motion: FrameMotion, plain: bool) -> tuple[Cells, int]:
    """Return the cells and the number of contacts.

    Args:
        task: The map.
        motion: The motion of the arm over it.
        plain: Whether there are boxes only, which have a quicker kernel.
    """
    a, b = task.inner_first
    values = a.values[::-1] if task.axes[0] is b else a.values
    out = np.zeros((a.count, b.count), task.dtype)
    scene = task.packed()
    kernel = _spatial_kernel(plain, scene)
    rows = {which: part_rows(scene, motion, which, b.values) for which in MovedBy}
    back = backwards(motion.first.motions(np.ascontiguousarray(values)))
    hits = 0
    for which in (MovedBy.STILL, MovedBy.FIRST):
        if len(rows[which]):
            lines = back if which is MovedBy.FIRST else backwards(np.eye(4)[None])
            sums = np.zeros((len(lines), 1), task.dtype)
            hits += kernel(lines, rows[which], sums) * (out.size // len(lines))
            out += sums
    on = rows[MovedBy.BOTH]
    if len(on):
        tests = len(on) * len(task.bodies)
        hits += in_chunks(
            lambda some, part: kernel(back[some], on, part), out, tests, task.progress
        )
    return task.as_rows(out), hits


def _spatial_kernel(plain: bool, scene: PackedScene) -> Callable[[Array, Array, Cells], int]:
    if plain:
        from armwerk.planning.kernels.spatial import fill_boxes

        return lambda back, on, out: int(fill_boxes(back, on, scene.bodies, out))
    from armwerk.planning.kernels.spatial import fill_any

    return lambda back, on, out: int(fill_any(back, on, scene.bodies, scene.meshes, out))


def part_rows(scene: PackedScene, motion: FrameMotion, which: MovedBy, values: Array) -> Array:
    """Return the rows of all moving parts of a class where the inner joint is at rest.

    Shape (parts, places, WIDTH), with one place for parts that the outer joint does not move.
    """
    links = scene.shapes[:, layout.OWNER].astype(int)
    chosen = [k for k, link in enumerate(links) if link and motion.moved_by(link) is which]
    motions = motion.second.motions(values) if which is MovedBy.BOTH else np.eye(4)[None]
    out = np.empty((len(chosen), len(motions), layout.WIDTH))
    for place, k in zip(out, chosen, strict=True):
        T = motions @ motion.rest_pose(int(links[k]))
        R, t = T[:, :3, :3], T[:, :3, 3]
        place[:] = scene.shapes[k]
        row, turned = named(scene.shapes[k]), named(place)
        turned["rotation"] = R @ row["rotation"]
        turned["position"] = R @ row["position"] + t
        turned["centre"] = R @ row["centre"] + t
    return out


def backwards(motions: Array) -> Array:
    """Return the inverses of rigid transforms, row by row. Shape (m, 12)."""
    out = np.empty((len(motions), 3, 4))
    R = np.swapaxes(motions[:, :3, :3], 1, 2)
    out[:, :, :3] = R
    out[:, :, 3] = -np.einsum("mij,mj->mi", R, motions[:, :3, 3])
    return np.ascontiguousarray(out.reshape(-1, 12))


def fill_assembly(
    shapes: ArmShapes,
    bodies: Sequence[Body],
    axes: tuple[GridAxis, GridAxis],
    q: Array,
    dtype: np.dtype[np.unsignedinteger],
    progress: Progress | None,
) -> Filled:
    """Return the map of an assembly, or of an arm with coupled joints, over two of its motors.

    Impossible is where a chain does not close, or a coupled joint would be beyond its own limits.

    Args:
        shapes: Its solids.
        bodies: What is around it.
        axes: The two motors that run.
        q: All motor values; those of the axes do not count. Shape (n,).
        dtype: Of the cells.
        progress: Called with the share done.
    """
    checker = Checker(shapes.arm, bodies, shapes, self_check=False)
    rows = configurations(axes, q)
    cells = np.zeros(len(rows), dtype)
    closed = np.ones(len(rows), dtype=bool)
    hits = 0
    for first in range(0, len(rows), _ROWS):
        some = slice(first, first + _ROWS)
        closed[some] = checker.closed(rows[some])
        good = np.flatnonzero(closed[some]) + first
        if len(good):
            cells[good], found = checker.sums(rows[good])
            hits += found
        if progress is not None:
            progress(min(1.0, (first + _ROWS) / len(rows)))
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


def clearance(space: MapData) -> Array:
    """Return the distance of the arm to the nearest body [m], 0 in contact. Shape as the cells.

    Infinite without bodies, nan where a closed chain of the arm cannot close.
    """
    check_memory(space.cells.shape, 8, "clearance")
    out = np.empty(space.cells.shape)
    _measure(space, out)
    out[space.cells > 0] = 0.0  # what rounding left of a touch
    if space.impossible is not None:
        out[space.impossible] = np.nan
    return out


def _measure(space: MapData, out: Array) -> None:
    if len(space.axes) == 2:
        out[:] = _slice(space, space.q)
        return
    q, third = space.q.copy(), space.axes[2]
    for number, value in enumerate(third.values):
        q[third.index] = value
        out[number] = _slice(space, q)


def _slice(space: MapData, q: Array) -> Array:
    scene = scene_of(space, q)
    return _clear_any(space, q) if scene is None else _clear_plane(space, scene)


def _clear_plane(space: MapData, scene: PlanarScene) -> Array:
    from armwerk.planning.kernels import planar

    a, b = sorted(space.axes[:2], key=lambda axis: axis.index)
    motion = scene.motion
    out = np.full((a.count, b.count), np.inf)
    still = np.array([[0.0, 0.0, 1.0, 0.0]])
    line = scene.lines(motion.first, a.values)
    second = scene.lines(motion.second, b.values)
    for which in MovedBy:
        parts = scene.parts[which]
        if not len(parts):
            continue
        on = composed((second if which is MovedBy.BOTH else still)[None], parts.pose[:, None])
        frame = still if which is MovedBy.STILL else line
        found = out if which is MovedBy.BOTH else np.full((len(frame), 1), np.inf)
        planar.clear(frame, on, scene.pairs(which), found)
        np.minimum(out, found, out=out)
    return np.ascontiguousarray(out.T[::-1] if space.axes[0] is a else out[::-1])


def _clear_any(space: MapData, q: Array) -> Array:
    shape = (space.axes[1].count, space.axes[0].count)
    if not len(space.bodies):
        return np.full(shape, np.inf)
    checker = Checker(space.arm, space.bodies, space.shapes, self_check=False)
    rows = configurations(space.axes[:2], q)
    out = np.empty(len(rows))
    for first in range(0, len(rows), _CHUNK):
        some = slice(first, first + _CHUNK)
        out[some] = np.maximum(checker.distances(rows[some]), 0.0)
    return out.reshape(shape)
