"""From triangles to pixels for one camera; what never moves is drawn once and kept.

A picture is that of everything that never moves, in which the pixels are drawn again that show
something that moves or on which its shadow may fall. What comes out depends on the moment alone,
not on the moments drawn before.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell_scene import Floor
from armwerk.pictures.cell_solids import Triangles
from armwerk.pictures.cell_surface import Surface, joined, surface_of
from armwerk.pictures.palette import GROUND, SKY
from armwerk.pictures.raster import Ground, Sunlight, average, glaze, shade
from armwerk.pictures.raster_depth import (
    FINER,
    NOBODY,
    TILE,
    View,
    cast,
    changed,
    fill,
    shadow_tiles,
)
from armwerk.pictures.raster_points import seen_by_eye, seen_by_sun
from armwerk.pictures.solids import frame_along

Pixels = NDArray[np.uint8]
_SUN = np.array([-0.42, -0.55, 1.0])
_DOTS = 1400  # along each side of the sun's picture
_STEPS = 4  # in which the sun's picture grows by its own size, and how often at most
_KEPT = 3  # pictures of what never moves, each for one size of the sun's picture

Growth = tuple[int, ...]
"""By how many steps the sun's picture is larger than at first: low and high, three axes each."""


class _Still(NamedTuple):
    """What never moves in the light of one sun."""

    plan: Array  # world to column, row and nearness of the sun's picture
    slack: float
    shadows: NDArray[np.float32]
    tiles: NDArray[np.int32]
    pixels: Pixels


class CellPainter:
    """Paints one cell for one camera.

    Args:
        solid: What never moves.
        glass: What never moves and is seen through.
        floor: On which all stands.
        eye: Who looks.
        focal: Focal length [pixel].
        size: Width and height [pixel].
        room: Points between which shadows fall as finely as they can [m]; beyond they get
            coarser, and far beyond there are none. Shape (m, 3).
    """

    def __init__(
        self,
        solid: Triangles,
        glass: Triangles,
        floor: Floor,
        eye: Camera,
        focal: float,
        size: tuple[int, int],
        room: Array,
    ) -> None:
        width, height = (side * FINER for side in size)
        self.size = size
        self.eye = eye
        self.focal = focal * FINER
        self.view = View(
            np.vstack([eye.frame, eye.eye]), np.array([self.focal, width / 2, height / 2])
        )
        self._ground = Ground(
            floor.picture, np.array([*floor.bounds, 0.0]), np.array([*SKY, GROUND])
        )
        self._sun = _SUN / np.linalg.norm(_SUN)
        self._axes = frame_along(_SUN).T  # rows: across, across, towards the sun
        flat = room @ self._axes.T
        self._low, self._high = flat.min(axis=0), flat.max(axis=0)
        self._solid = surface_of(solid)
        self._solid_seen = self._seen(self._solid.points)
        self._glass = self._panes(glass)
        self._nearness = np.zeros((height, width), dtype=np.float32)
        self._ids = np.full((height, width), NOBODY, dtype=np.int32)
        fill(self._solid_seen, self._solid.faces, 0, self._nearness, self._ids)
        self._kept: dict[Growth, _Still] = {}
        # scratch paper; drawing a picture needs it for itself
        self._busy = Lock()
        self._paper = np.empty((height, width, 3), dtype=np.float32)
        self._near, self._who = np.empty_like(self._nearness), np.empty_like(self._ids)
        self._shadows = np.empty((_DOTS, _DOTS), dtype=np.float32)

    def paint(self, moving: Surface) -> Pixels:
        """Return the picture with what moves in it. Shape (height, width, 3)."""
        with self._busy:
            still = self._still(self._growth(moving.points))
            np.copyto(self._near, self._nearness)
            np.copyto(self._who, self._ids)
            seen = self._seen(moving.points)
            first = len(self._solid.faces)
            fill(seen, moving.faces, first, self._near, self._who)
            np.copyto(self._shadows, still.shadows)
            touched = _tiles()
            cast(_lit(moving.points, still.plan), moving.faces, self._shadows, touched)
            wanted = np.empty(self.size[::-1], dtype=np.uint8)
            changed(self._who, first, still.tiles, touched, wanted)
            pixels = still.pixels.copy()
            whole = joined([self._solid, moving])
            light = Sunlight(self._shadows, still.plan, self._sun, still.slack)
            self._colour(whole, np.concatenate([self._solid_seen, seen]), light, wanted, pixels)
            return pixels

    def _colour(
        self, whole: Surface, seen: Array, light: Sunlight, wanted: Pixels, pixels: Pixels
    ) -> None:
        """Draw the wanted pixels of what the buffers say is seen."""
        shade(
            *(seen, whole.arrows, whole.faces, whole.colours, self.view, light, self._ground),
            *(wanted, self._near, self._who, self._paper),
        )
        glaze(self._glass.corners, self._glass.colours, wanted, self._near, self._paper)
        average(self._paper, wanted, pixels)

    def _still(self, growth: Growth) -> _Still:
        """Return what never moves under the sun's picture of a size."""
        if growth not in self._kept:
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[growth] = self._drawn_still(growth)
        return self._kept[growth]

    def _drawn_still(self, growth: Growth) -> _Still:
        plan, slack = self._plan(growth)
        shadows = np.zeros((_DOTS, _DOTS), dtype=np.float32)
        cast(_lit(self._solid.points, plan), self._solid.faces, shadows, _tiles())
        np.copyto(self._near, self._nearness)
        np.copyto(self._who, self._ids)
        wanted = np.ones(self.size[::-1], dtype=np.uint8)
        pixels = np.empty((*wanted.shape, 3), dtype=np.uint8)
        light = Sunlight(shadows, plan, self._sun, slack)
        self._colour(self._solid, self._solid_seen, light, wanted, pixels)
        # the floor is in them now, the same for every sun
        np.copyto(self._nearness, self._near)
        np.copyto(self._ids, self._who)
        tiles = np.empty(wanted.shape, dtype=np.int32)
        shadow_tiles(self._nearness, self.view, plan, _DOTS, tiles)
        return _Still(plan, slack, shadows, tiles, pixels)

    def _growth(self, points: Array) -> Growth:
        """Return how far the sun's picture must grow to hold some points."""
        if not len(points):
            return (0,) * 6
        flat = points @ self._axes.T
        step = self._step()
        beyond = np.concatenate([self._low - flat.min(axis=0), flat.max(axis=0) - self._high])
        return tuple(int(count) for count in np.clip(np.ceil(beyond / step - 1e-9), 0, _STEPS))

    def _step(self) -> float:
        return max(float((self._high - self._low).max()), 1e-6) / _STEPS

    def _plan(self, growth: Growth) -> tuple[Array, float]:
        """Return world to column, row and nearness of the sun's picture, and the slack."""
        more = np.array(growth) * self._step()
        low, high = self._low - more[:3], self._high + more[3:]
        dots = (_DOTS - 8) / max(float((high - low)[:2].max()), 1e-6)
        plan = np.zeros((3, 4))
        plan[0, :3], plan[0, 3] = self._axes[0] * dots, 4 - low[0] * dots
        plan[1, :3], plan[1, 3] = -self._axes[1] * dots, 4 + high[1] * dots
        plan[2, :3], plan[2, 3] = self._axes[2], 1.0 - low[2]
        return plan, 2.5 / dots

    def _panes(self, glass: Triangles) -> Triangles:
        """Return panes as the eye sees them, the far ones first."""
        away = np.linalg.norm(glass.corners.mean(axis=1) - self.view.frame[3], axis=1)
        order = np.argsort(-away, kind="stable")
        corners = self._seen(np.ascontiguousarray(glass.corners[order].reshape(-1, 3)))
        colours = np.ascontiguousarray(glass.colours[order])
        return Triangles(corners.reshape(-1, 3, 3), glass.normals[order], colours)

    def _seen(self, points: Array) -> Array:
        seen = np.empty_like(points)
        seen_by_eye(points, self.view.frame, self.view.lens, seen)
        return seen


def _lit(points: Array, plan: Array) -> Array:
    seen = np.empty_like(points)
    seen_by_sun(points, plan, seen)
    return seen


def _tiles() -> NDArray[np.uint8]:
    across = -(-_DOTS // TILE)
    return np.zeros((across, across), dtype=np.uint8)
