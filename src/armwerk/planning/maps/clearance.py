"""How far the arm is from the nearest body in every cell of a map."""

from __future__ import annotations

from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.maps.grid import check_memory
from armwerk.planning.maps.loops import configurations
from armwerk.planning.maps.moves import Class, Moves
from armwerk.planning.maps.plane import PlanarScene, planar_scene
from armwerk.planning.maps.scene import all_boxes, parts_of
from armwerk.planning.maps.ways import composed
from armwerk.robot.arm import Arm

_CHUNK = 50_000  # cells at once


def clearance(space: Any) -> Array:
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


def _measure(space: Any, out: Array) -> None:
    if len(space.axes) == 2:
        out[:] = _slice(space, space.q)
        return
    q, third = space.q.copy(), space.axes[2]
    for number, value in enumerate(third.values):
        q[third.index] = value
        out[number] = _slice(space, q)


def _slice(space: Any, q: Array) -> Array:
    if isinstance(space.arm, Arm):
        scene = _planar(space, q)
        if scene is not None:
            return _clear_plane(space, scene)
    return _clear_any(space, q)


def _planar(space: Any, q: Array) -> PlanarScene | None:
    from armwerk.mechanics.chain import pack

    parts, bodies = parts_of(space.shapes), tuple(space.bodies)
    if not all_boxes(parts, bodies):
        return None
    a, b = sorted(axis.index for axis in space.axes[:2])
    return planar_scene(Moves(pack(space.arm), q, a, b), parts, bodies)


def _clear_plane(space: Any, scene: PlanarScene) -> Array:
    from armwerk.planning.kernels import planar

    a, b = sorted(space.axes[:2], key=lambda axis: axis.index)
    moves, bodies = scene.moves, scene.body_rows
    out = np.full((a.count, b.count), np.inf)
    still = np.array([[0.0, 0.0, 1.0, 0.0]])
    line = scene.lines(moves.first, a.values)
    second = scene.lines(moves.second, b.values)
    for which in Class:
        parts = scene.parts[which]
        if not len(parts):
            continue
        on = composed((second if which is Class.BOTH else still)[None], parts.pose[:, None])
        frame = still if which is Class.STILL else line
        found = out if which is Class.BOTH else np.full((len(frame), 1), np.inf)
        pairs = (scene.allowance(which), scene.rise[which])
        planar.clear(frame, on, parts.half, bodies, *pairs, found)
        np.minimum(out, found, out=out)
    return np.ascontiguousarray(out.T[::-1] if space.axes[0] is a else out[::-1])


def _clear_any(space: Any, q: Array) -> Array:
    from armwerk.collision.checker import Checker

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
