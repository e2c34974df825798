"""What stands in a scene, as coloured solids: obstacles, belts, borders, zones, things.

The floor is one picture: checkerboard, coloured tiles, painted patches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.pictures.cell_solids import Solid, globe, pose_at, prism
from armwerk.pictures.palette import Colour, colour, mixed
from armwerk.scene.scene import (
    TILE_SIZE,
    Ball,
    Barrier,
    Border,
    Circle,
    Conveyor,
    FixedSphere,
    Obstacle,
    Outline,
    Polygon,
    Rectangle,
    Scene,
    Slice,
    Slope,
    Step,
    Thing,
    Watch,
    Wedge,
    Zone,
)

BLACK: Colour = (0.0, 0.0, 0.0)
RIM = colour("#8d99a6")
GLASS = colour("#1f8fd6")
_RIM_WIDTH, _RIM_HEIGHT = 0.015, 0.02  # [m]
BELT_MARK = 0.12  # length of the marks on a belt [m]
_CHEVRON = np.array([(-0.5, 1), (0.1, 0), (-0.5, -1), (-0.15, -1), (0.45, 0), (-0.15, 1)])
_SKIN = 8e-4  # how far marks lie above a belt [m]
_POST = 0.012  # radius of the posts of a light barrier [m]
LIGHT, DARK, SEAM = colour("#eef1f4"), colour("#dde3e9"), colour("#cfd6dd")
_DOTS = 96  # per tile at most
_MOST = 3000  # dots along a side of the picture
_FINER = 2  # patches are drawn this much finer and averaged


def hexed(text: str) -> Colour:
    """Return red, green, blue, 0 to 1, of six hexadecimal digits."""
    return colour(f"#{text}")


def corners_of(outline: Outline, around: int = 48) -> Array:
    """Return the corners of an outline [m]; a circle gets ``around`` of them. Shape (k, 2)."""
    if isinstance(outline, Rectangle):
        half = np.array(outline.size) / 2
        signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        return np.asarray(outline.centre + signs * half, dtype=np.float64)
    if isinstance(outline, Circle):
        angles = 2 * np.pi * np.arange(around) / around
        ring = np.column_stack([np.cos(angles), np.sin(angles)])
        return np.asarray(outline.centre + outline.radius * ring, dtype=np.float64)
    return np.array(outline.corners, dtype=np.float64)


def obstacle_solids(obstacle: Obstacle) -> list[Solid]:
    """Return the solids of one fixed body; a belt comes without the marks that move on it."""
    tint = hexed(obstacle.colour)
    if isinstance(obstacle, FixedSphere):
        return [globe(obstacle.centre, obstacle.radius, tint)]
    if isinstance(obstacle, Step):
        return [_upright(obstacle.outline, 0.0, obstacle.height, tint)]
    if isinstance(obstacle, Slice):
        return [_upright(obstacle.outline, obstacle.bottom, obstacle.top, tint)]
    outline = corners_of(obstacle.outline)
    if isinstance(obstacle, Wedge):
        lower = _heights(obstacle.outline, obstacle.lower, obstacle.direction)
        upper = _heights(obstacle.outline, obstacle.upper, obstacle.direction)
        return [prism(outline, lower, upper, tint)]
    upper = _heights(obstacle.outline, obstacle.heights, obstacle.direction)
    if isinstance(obstacle, Slope):
        return [prism(outline, np.zeros(4), upper, tint)]
    skin = min(0.02, 0.5 * max(obstacle.heights))
    frame = mixed(tint, BLACK, 0.45)
    body = np.maximum(upper - skin, 0.0)
    return [prism(outline, np.zeros(4), body, frame), prism(outline, body, upper, tint)]


def _upright(outline: Outline, bottom: float, top: float, tint: Colour) -> Solid:
    if isinstance(outline, Polygon):
        corners = corners_of(outline)
        count = len(corners)
        return prism(corners, np.full(count, bottom), np.full(count, top), tint)
    pose = pose_at((*outline.centre, (bottom + top) / 2))
    if isinstance(outline, Circle):
        return Solid("cylinder", pose, (outline.radius, outline.radius, top - bottom), tint)
    return Solid("box", pose, (*outline.size, top - bottom), tint)


def _heights(outline: Rectangle, ends: tuple[float, float], direction: str) -> Array:
    axis = 0 if direction == "x" else 1
    corners = corners_of(outline)[:, axis] - outline.centre[axis]
    return np.where(corners < 0, ends[0], ends[1]).astype(np.float64)


def belt_marks(belt: Conveyor, travel: float) -> list[Solid]:
    """Return the arrows on a belt that has moved by ``travel`` [m] since the start."""
    span, step = belt_span(belt), belt_pitch(belt)
    behind, ahead = (-_CHEVRON[:, 0].min(), _CHEVRON[:, 0].max())
    if belt.speed < 0:
        behind, ahead = ahead, behind
    first, last = behind * BELT_MARK, span - ahead * BELT_MARK
    places = np.arange((travel % step) - step, span + step, step)
    return [belt_mark(belt, place) for place in places if first <= place <= last]


def belt_span(belt: Conveyor) -> float:
    """Return how long a belt is, along the way it runs [m]."""
    return belt.outline.size[0 if belt.direction == "x" else 1]


def belt_pitch(belt: Conveyor) -> float:
    """Return the distance from mark to mark on a belt [m]."""
    return max(3 * BELT_MARK, belt_span(belt) / 12)


def belt_mark(belt: Conveyor, place: float) -> Solid:
    """Return the arrow that stands ``place`` [m] behind the beginning of a belt."""
    along, across = (0, 1) if belt.direction == "x" else (1, 0)
    span, width = belt.outline.size[along], belt.outline.size[across]
    way = np.sign(belt.speed) or 1.0
    tint = mixed(hexed(belt.colour), (1.0, 1.0, 1.0), 0.35)
    if sum(hexed(belt.colour)) > 2.0:
        tint = mixed(hexed(belt.colour), BLACK, 0.3)
    half = min(0.3 * width, BELT_MARK)
    u = place - span / 2 + way * _CHEVRON[:, 0] * BELT_MARK
    corners = np.zeros((len(_CHEVRON), 2))
    corners[:, along] = belt.outline.centre[along] + u
    corners[:, across] = belt.outline.centre[across] + _CHEVRON[:, 1] * half
    low, high = belt.heights
    height = low + (high - low) * (u / span + 0.5)
    return prism(corners, height - _SKIN, height + _SKIN, tint)


def border_solids(border: Border) -> list[Solid]:
    """Return a low rim around the floor."""
    (x0, y0), (x1, y1) = border.low, border.high
    width, height = x1 - x0, y1 - y0
    rows = (
        ((x0 + x1) / 2, y0 - _RIM_WIDTH / 2, width + 2 * _RIM_WIDTH, _RIM_WIDTH),
        ((x0 + x1) / 2, y1 + _RIM_WIDTH / 2, width + 2 * _RIM_WIDTH, _RIM_WIDTH),
        (x0 - _RIM_WIDTH / 2, (y0 + y1) / 2, _RIM_WIDTH, height),
        (x1 + _RIM_WIDTH / 2, (y0 + y1) / 2, _RIM_WIDTH, height),
    )
    return [
        Solid("box", pose_at((x, y, _RIM_HEIGHT / 2)), (sx, sy, _RIM_HEIGHT), RIM)
        for x, y, sx, sy in rows
    ]


def watch_solids(watch: Watch) -> list[Solid]:
    """Return a trigger zone or a light barrier: glass walls, and posts at a barrier's ends."""
    tint = GLASS if watch.colour is None else hexed(watch.colour)
    height = max(watch.height, 0.02)
    if isinstance(watch, Zone):
        ring = corners_of(Circle(watch.centre, watch.radius))
        walls = _curtain(np.vstack([ring, ring[:1]]), height)
        return [Solid("mesh", np.eye(4), (1.0, 1.0, 1.0), tint, 0.22, walls)]
    ends = np.array([watch.start, watch.end])
    pane = Solid("mesh", np.eye(4), (1.0, 1.0, 1.0), tint, 0.3, _curtain(ends, height))
    posts = [
        Solid(
            "cylinder", pose_at((x, y, height / 2)), (_POST, _POST, height), mixed(tint, BLACK, 0.3)
        )
        for x, y in ends
    ]
    return [pane, *posts]


def _curtain(line: Array, height: float) -> Array:
    """Return upright triangles over a line on the floor. (k, 2) to (2 (k - 1), 3, 3)."""
    low = np.column_stack([line, np.full(len(line), 1e-3)])
    high = np.column_stack([line, np.full(len(line), height)])
    one = np.stack([low[:-1], low[1:], high[1:]], axis=1)
    two = np.stack([low[:-1], high[1:], high[:-1]], axis=1)
    return np.concatenate([one, two])


def thing_solid(thing: Thing, position: ArrayLike, rotation: ArrayLike | None) -> Solid:
    """Return a ball or cuboid where it is; ``rotation`` None: as at the start."""
    pose = pose_at(position, rotation)
    if isinstance(thing, Ball):
        return Solid("ball", pose, (thing.radius,) * 3, hexed(thing.colour))
    return Solid("box", pose, thing.size, hexed(thing.colour))


def still_solids(scene: Scene, zones: bool = True) -> list[Solid]:
    """Return everything in a scene that never moves; ``zones``: with what sends triggers."""
    solids = [solid for obstacle in scene.obstacles for solid in obstacle_solids(obstacle)]
    if scene.border is not None:
        solids += border_solids(scene.border)
    if zones:
        solids += [solid for watch in scene.watches for solid in watch_solids(watch)]
    return solids


def scene_points(scene: Scene, robots: Sequence[ArrayLike] = ()) -> Array:
    """Return points that a picture of the scene must hold [m]. Shape (m, 3)."""
    rows: list[Array] = [np.asarray(points, dtype=np.float64) for points in robots]
    for obstacle in scene.obstacles:
        for solid in obstacle_solids(obstacle):
            if solid.mesh is not None:
                rows.append(solid.mesh.reshape(-1, 3))
            else:
                rows.append(_box_corners(solid))
    rows += [_box_corners(thing_solid(thing, thing.centre, None)) for thing in scene.things]
    for watch in scene.watches:
        if isinstance(watch, Barrier):
            rows.append(np.array([(*watch.start, 0.0), (*watch.end, watch.height)]))
        else:
            ring = corners_of(Circle(watch.centre, watch.radius), 12)
            rows.append(np.column_stack([ring, np.zeros(len(ring))]))
    rows += [
        np.column_stack([corners_of(paint.outline), _zeros(paint.outline)])
        for paint in scene.paints
    ]
    rows += [np.array([(*robot.position, 0.0)]) for robot in scene.robots]
    return np.vstack(rows) if rows else np.array([(-0.5, -0.5, 0.0), (0.5, 0.5, 0.5)])


def _zeros(outline: Outline) -> Array:
    return np.zeros(len(corners_of(outline)))


def _box_corners(solid: Solid) -> Array:
    half = np.array(solid.size) * (0.5 if solid.kind == "box" else 1.0)
    if solid.kind == "cylinder":
        half[2] /= 2
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners: Array = signs * half @ solid.pose[:3, :3].T + solid.pose[:3, 3]
    return corners


class Floor(NamedTuple):
    """A floor.

    Args:
        bounds: Smallest x and y, largest x and y [m]. Shape (4,).
        picture: Red, green, blue, 0 to 1, first row at the smallest y. Shape (rows, columns, 3).
    """

    bounds: Array
    picture: NDArray[np.float32]


def floor_bounds(scene: Scene, margin: float = 0.25) -> Array:
    """Return the floor's smallest x and y, largest x and y [m]: the border, or whole tiles."""
    if scene.border is not None:
        return np.array([*scene.border.low, *scene.border.high])
    points = scene_points(scene)[:, :2]
    low = np.floor((points.min(axis=0) - margin) / TILE_SIZE) * TILE_SIZE
    high = np.ceil((points.max(axis=0) + margin) / TILE_SIZE) * TILE_SIZE
    return np.concatenate([low, high])


def floor_of(scene: Scene) -> Floor:
    """Return the floor of a scene, with its tiles and patches."""
    bounds = floor_bounds(scene)
    size = bounds[2:] - bounds[:2]
    dots = min(_DOTS / TILE_SIZE, _MOST / float(size.max()))
    columns, rows = (max(2, round(float(side) * dots)) for side in size)
    x = (np.arange(columns) + 0.5) / columns * size[0]
    y = (np.arange(rows) + 0.5) / rows * size[1]
    # tiles are counted from the front left corner of the border
    column, row = np.floor(x / TILE_SIZE).astype(int), np.floor(y / TILE_SIZE).astype(int)
    odd = (column[None, :] + row[:, None]) % 2 == 1
    picture = np.where(odd[..., None], DARK, LIGHT).astype(np.float32)
    for tile in scene.tiles:
        across = (column >= tile.columns[0]) & (column <= tile.columns[1])
        along = (row >= tile.rows[0]) & (row <= tile.rows[1])
        picture[along[:, None] & across[None, :]] = hexed(tile.colour)
    _add_seams(picture, x, y)
    if scene.paints:
        picture = _painted(picture, scene, bounds)
    return Floor(bounds, np.ascontiguousarray(picture, dtype=np.float32))


def _add_seams(picture: NDArray[np.float32], x: Array, y: Array) -> None:
    width = 0.004  # [m]
    for index, places in ((1, x), (0, y)):
        near = np.abs((places + TILE_SIZE / 2) % TILE_SIZE - TILE_SIZE / 2) < width
        lines = (slice(None), near) if index else (near, slice(None))
        picture[lines] = 0.6 * picture[lines] + 0.4 * np.asarray(SEAM, dtype=np.float32)


def _painted(picture: NDArray[np.float32], scene: Scene, bounds: Array) -> NDArray[np.float32]:
    if not scene.paints:
        return picture
    from PIL import Image, ImageDraw

    rows, columns, _ = picture.shape
    size = bounds[2:] - bounds[:2]
    scale = np.array([columns, rows]) / size * _FINER
    for paint in scene.paints:
        stencil = Image.new("L", (columns * _FINER, rows * _FINER))
        corners = (corners_of(paint.outline, 96) - bounds[:2]) * scale
        ImageDraw.Draw(stencil).polygon([tuple(corner) for corner in corners], fill=255)
        small = stencil.reduce(_FINER)
        share = np.asarray(small, dtype=np.float32)[..., None] / 255 * paint.alpha
        tint = np.asarray(mixed(hexed(paint.colour), LIGHT, 0.06), dtype=np.float32)
        picture = picture + share * (tint - picture)
    return picture
