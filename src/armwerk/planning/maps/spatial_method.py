"""Maps of anything: every part against every body in every cell, in three dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.body import Body
from armwerk.collision.kernels import layout
from armwerk.collision.kernels.layout import PackedScene, named
from armwerk.collision.scene_arrays import pack_scene
from armwerk.planning.maps.data import Cells
from armwerk.planning.maps.motion import FrameMotion, MovedBy
from armwerk.planning.maps.task import MapTask, in_chunks


def packed(shapes: ArmShapes, bodies: Sequence[Body]) -> PackedScene:
    """Return parts and bodies as the rows of the collision room."""
    return pack_scene([shapes], bodies, True, np.zeros((0, 2), dtype=np.int64))


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
    kernel = _kernel(plain, scene)
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


def _kernel(plain: bool, scene: PackedScene) -> Callable[[Array, Array, Cells], int]:
    if plain:
        from armwerk.planning.kernels.spatial import fill_boxes

        return lambda back, on, out: int(fill_boxes(back, on, scene.bodies, out))
    from armwerk.planning.kernels.anything import fill_any

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
