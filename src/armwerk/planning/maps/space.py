"""Maps of anything: every part against every body in every cell, in three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.collision.kernels import layout
from armwerk.collision.scene_arrays import Scene, pack_scene
from armwerk.planning.maps.moves import Class, Moves

Cells = NDArray[np.unsignedinteger]


def packed(shapes: Any, bodies: Any) -> Scene:
    """Return parts and bodies as the rows of the collision room."""
    return pack_scene([shapes], bodies, True, np.zeros((0, 2), dtype=np.int64))


def fill_space(task: Any, moves: Moves, plain: bool) -> tuple[Cells, int]:
    """Return the cells and the number of contacts.

    Args:
        task: The map.
        moves: The motion of the arm over it.
        plain: Whether there are boxes only, which have a quicker kernel.
    """
    from armwerk.planning.maps.ways import finished, in_chunks

    a, b = task.inner_first
    values = a.values[::-1] if task.axes[0] is b else a.values
    out = np.zeros((a.count, b.count), task.dtype)
    scene = task.packed()
    kernel = _kernel(plain, scene)
    rows = {which: part_rows(scene, moves, which, b.values) for which in Class}
    back = backwards(moves.first.motions(np.ascontiguousarray(values)))
    hits = 0
    for which in (Class.STILL, Class.FIRST):
        if len(rows[which]):
            lines = back if which is Class.FIRST else backwards(np.eye(4)[None])
            sums = np.zeros((len(lines), 1), task.dtype)
            hits += kernel(lines, rows[which], sums) * (out.size // len(lines))
            out += sums
    on = rows[Class.BOTH]
    if len(on):
        tests = len(on) * len(task.bodies)
        hits += in_chunks(
            lambda some, part: kernel(back[some], on, part), out, tests, task.progress
        )
    return finished(task, out), hits


def _kernel(plain: bool, scene: Scene) -> Callable[[Array, Array, Any], int]:
    if plain:
        from armwerk.planning.kernels.spatial import fill_boxes

        return lambda back, on, out: int(fill_boxes(back, on, scene.bodies, out))
    from armwerk.planning.kernels.anything import fill_any

    tables = (scene.triangles, scene.nodes, scene.meshes, scene.points)
    return lambda back, on, out: int(fill_any(back, on, scene.bodies, *tables, out))


def part_rows(scene: Scene, moves: Moves, which: Class, values: Array) -> Array:
    """Return the rows of all moving parts of a class where the inner joint is at rest.

    Shape (parts, places, SIZE), with one place for parts that the outer joint does not move.
    """
    links = scene.shapes[:, layout.OWNER].astype(int)
    chosen = [k for k, link in enumerate(links) if link and moves.class_of(link) is which]
    motions = moves.second.motions(values) if which is Class.BOTH else np.eye(4)[None]
    out = np.empty((len(chosen), len(motions), layout.SIZE))
    for place, k in zip(out, chosen, strict=True):
        T = motions @ moves.rest_pose(int(links[k]))
        R, t = T[:, :3, :3], T[:, :3, 3]
        row = scene.shapes[k]
        place[:] = row
        turned = R @ row[layout.ROT : layout.POS].reshape(3, 3)
        place[:, layout.ROT : layout.POS] = turned.reshape(-1, 9)
        place[:, layout.POS : layout.DIM] = R @ row[layout.POS : layout.DIM] + t
        place[:, layout.MIDDLE : layout.REACH] = R @ row[layout.MIDDLE : layout.REACH] + t
    return out


def backwards(motions: Array) -> Array:
    """Return the inverses of rigid transforms, row by row. Shape (m, 12)."""
    out = np.empty((len(motions), 3, 4))
    R = np.swapaxes(motions[:, :3, :3], 1, 2)
    out[:, :, :3] = R
    out[:, :, 3] = -np.einsum("mij,mj->mi", R, motions[:, :3, 3])
    return np.ascontiguousarray(out.reshape(-1, 12))
