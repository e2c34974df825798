"""How far the arm is from the nearest body in every cell of a map."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.grid import check_memory
from armwerk.planning.maps.methods import configurations
from armwerk.planning.maps.parts import MovedBy
from armwerk.planning.maps.plane import PlanarScene, composed, scene_of

_CHUNK = 50_000  # cells at once


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
