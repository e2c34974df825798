"""The stage a mechanism stands on: a floor with a grid, and rulers in metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.pictures.camera import Camera
from armwerk.pictures.palette import FLOOR, GRID, INK, MUTED, Colour

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
STEEP = np.deg2rad(80.0)  # from so far above heights cannot be seen
_LINES = 7  # about how many grid lines a side of the floor should have


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Floor and space above it.

    Args:
        low: Smallest x, y, z [m]; the floor lies at z. Shape (3,).
        high: Largest x, y, z [m]. Shape (3,).
        step: Between grid lines [m].
    """

    low: Array
    high: Array
    step: float

    def corners(self) -> Array:
        """Return the corners of the floor and of the space above. Shape (8, 3)."""
        ends = np.stack([self.low, self.high])
        return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])

    def near_and_far(self, camera: Camera) -> tuple[Array, Array]:
        """Return the corner (x, y) of the floor next to the eye, and the one across it."""
        low, high = self.low[:2], self.high[:2]
        near = np.where(camera.eye[:2] < (low + high) / 2, low, high)
        return near, low + high - near

    def post(self, camera: Camera) -> Array:
        """Return foot and head of the upright ruler, at the left of the picture. Shape (2, 3)."""
        near, far = self.near_and_far(camera)
        sides = np.array([[near[0], far[1], self.low[2]], [far[0], near[1], self.low[2]]])
        foot = sides[int(np.argmin(camera.project(sides)[:, 0]))]
        return np.stack([foot, [foot[0], foot[1], self.high[2]]])

    def ticks(self, axis: int) -> Array:
        """Return the grid values along x (0), y (1) or z (2)."""
        first = np.ceil(self.low[axis] / self.step - 1e-6)
        last = np.floor(self.high[axis] / self.step + 1e-6)
        return np.asarray(np.arange(first, last + 1) * self.step, dtype=np.float64)


def stage_for(points: Array, size: float) -> Stage:
    """Return the stage that holds ``points`` [m] (m, 3) of a mechanism of ``size`` [m]."""
    low, high = points.min(axis=0), points.max(axis=0)
    # Arms stand on z = 0 unless they reach clearly below it.
    floor = 0.0 if -0.04 * size < low[2] < 0.6 * size else low[2] - 0.04 * size
    if low[2] >= 0.6 * size:
        floor = low[2] - 0.2 * size
    middle, half = (low + high) / 2, (high - low) / 2 + 0.1 * size
    half[:2] = np.maximum(half[:2], 0.38 * float(half.max()))
    step = _step(2 * float(half[:2].max()) / _LINES)
    low = np.floor((middle - half) / step + 1e-6) * step
    high = np.ceil((middle + half) / step - 1e-6) * step
    low[2] = floor
    high[2] = max(points[:, 2].max() + 0.08 * size, floor + 0.25 * size)
    return Stage(low, high, step)


def _step(about: float) -> float:
    scale = 10.0 ** np.floor(np.log10(about))
    return float(scale * next(step for step in _STEPS if step * scale >= about * 0.999))


def draw_floor(
    axes: Axes, camera: Camera, stage: Stage, shadows: list[Array], tint: Colour
) -> None:
    """Draw floor, shadows (outlines in the floor plane, each (k, 3)) and grid."""
    x, y, z = stage.low[0], stage.low[1], stage.low[2]
    right, back = stage.high[0], stage.high[1]
    outline = np.array([[x, y, z], [right, y, z], [right, back, z], [x, back, z]])
    axes.add_collection(PolyCollection([camera.project(outline)], facecolors=[FLOOR], zorder=0))
    if shadows:
        flat = [camera.project(shadow) for shadow in shadows]
        axes.add_collection(
            PolyCollection(flat, facecolors=[tint], edgecolors=[tint], linewidths=0.5, zorder=1)
        )
    lines = [np.array([[t, y, z], [t, back, z]]) for t in stage.ticks(0)]
    lines += [np.array([[x, t, z], [right, t, z]]) for t in stage.ticks(1)]
    lines = [camera.project(line) for line in lines]
    axes.add_collection(LineCollection(lines, colors=[GRID], linewidths=0.7, zorder=2))


def draw_rulers(axes: Axes, camera: Camera, stage: Stage, fontsize: float) -> None:
    """Write the metres along the two near edges of the floor and up the leftmost corner."""
    (near_x, near_y), far = stage.near_and_far(camera)
    floor, post = stage.low[2], stage.post(camera)
    out = np.sign([near_x - far[0], near_y - far[1]]) * 0.1 * stage.step
    x, y, z = (_readable(stage, axis, fontsize) for axis in range(3))
    upright = camera.elevation < STEEP
    if upright:
        line = camera.project(post)
        axes.plot(line[:, 0], line[:, 1], color=MUTED, linewidth=0.8, zorder=3)
    middle = (stage.low + stage.high) / 2
    _ruler(axes, camera, [(t, near_y, floor) for t in x], (0.0, out[1], 0.0), x, fontsize)
    _ruler(axes, camera, [(near_x, t, floor) for t in y], (out[0], 0.0, 0.0), y, fontsize)
    left = -0.1 * stage.step * camera.frame[0]
    if upright:
        _ruler(axes, camera, [(*post[0][:2], t) for t in z], left, z, fontsize)
    for name, place, away in (
        ("x", (middle[0], near_y, floor), (0.0, out[1], 0.0)),
        ("y", (near_x, middle[1], floor), (out[0], 0.0, 0.0)),
        ("z", post[1], (0.0, 0.0, 1.0)),
    ):
        if name == "z" and not upright:
            continue
        spot, direction = _outwards(camera, place, away)
        points = (3.6 if name != "z" else 1.2) * fontsize * direction
        _figures(axes, f"{name} [m]", spot, points, fontsize + 1, INK)


def _readable(stage: Stage, axis: int, fontsize: float) -> Array:
    """Return the grid values to be written: not at corners, where two rulers meet, nor crowded."""
    ticks = stage.ticks(axis)
    room = 0.5 * stage.step
    ticks = ticks[ticks > stage.low[axis] + room]
    if axis < 2:
        ticks = ticks[ticks < stage.high[axis] - room]
    most = 9 if fontsize > 7 else 4
    every = -(-len(ticks) // most) if len(ticks) else 1
    return np.asarray(ticks[np.round(ticks / stage.step) % every == 0], dtype=np.float64)


def _ruler(
    axes: Axes,
    camera: Camera,
    places: Sequence[ArrayLike],
    out: ArrayLike,
    values: Array,
    fontsize: float,
) -> None:
    for place, value in zip(places, values, strict=True):
        text = f"{value + 0.0:.3f}".rstrip("0").rstrip(".").replace("-", "\N{MINUS SIGN}")
        spot, direction = _outwards(camera, place, out)
        # upright figures are wider than high, so they move further to the side than down
        points = (1.55 * direction * (1.1, 1.0)) * fontsize
        _figures(axes, text, spot, points, fontsize, MUTED)
        stub = camera.project(np.stack([place, np.add(place, out)]))
        axes.plot(stub[:, 0], stub[:, 1], color=MUTED, linewidth=0.8, zorder=3)


def _figures(
    axes: Axes, text: str, spot: Array, away: Array, fontsize: float, colour: Colour
) -> None:
    """Write a text ``away`` from a place of the picture [points]."""
    axes.annotate(
        text,
        (spot[0], spot[1]),
        (away[0], away[1]),
        textcoords="offset points",
        ha="center",
        va="center",
        zorder=3,
        fontsize=fontsize,
        color=colour,
    )


def _outwards(camera: Camera, place: ArrayLike, out: ArrayLike) -> tuple[Array, Array]:
    """Return a place in the picture, and the unit direction in which figures stand off there.

    Where ``out`` points along the floor it is the normal of the floor's edge as it is seen, so
    that figures along the edge keep clear of its name.
    """
    out = np.asarray(out, dtype=np.float64)
    spot, outside = camera.project(np.stack([place, place + out]))
    away = outside - spot
    if np.count_nonzero(out) == 1 and out[2] == 0:
        edge = np.array([out[1], out[0], 0.0])
        _, beside = camera.project(np.stack([place, place + edge])) - spot
        normal = np.array([-beside[1], beside[0]])
        away = normal * np.sign(normal @ away)
    return spot, away / max(float(np.linalg.norm(away)), 1e-12)
