"""Pictures of a mobile scene: where everything is comes in, pixels go out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.mesh import Mesh
from armwerk.geometry.round_shapes import Cylinder
from armwerk.geometry.shape import Shape
from armwerk.geometry.shapes import Box, HalfSpace, Sphere
from armwerk.mobile.files.overlaps import surface_points
from armwerk.mobile.kinematic.surroundings import hull
from armwerk.mobile.scene import MobileRobot, MobileScene
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell import AZIMUTH, ELEVATION, SIZE, VIEW, Pixels, camera_of
from armwerk.pictures.cell_scene import DARK, LIGHT, Floor, hexed
from armwerk.pictures.cell_solids import Solid, pose_at, rod, triangles
from armwerk.pictures.palette import Colour
from armwerk.scene.scene import TILE_SIZE, Scene

if TYPE_CHECKING:
    from armwerk.pictures.cell_painter import CellPainter

WHEEL: Colour = (0.13, 0.13, 0.14)
NOSE: Colour = (0.95, 0.95, 0.95)
RAY: Colour = (0.95, 0.3, 0.2)
_MARGIN = 0.3  # [m] of floor around everything


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPiece:
    """A solid that goes with a body or robot."""

    owner: str
    shape: Shape
    colour: Colour


class MobilePicture:
    """Draws moments of one mobile scene.

    Args:
        scene: What stands and drives.
        size: Width and height [pixel].
        azimuth: Of the eye about z from the x axis [rad].
        elevation: Of the eye above the floor [rad].
        distance: From the eye to the middle [m]; None: as far as needed to see everything.

    Attributes:
        still: What never moves.
        moving: What goes with movable bodies and robots.
        eye: Who looks.
    """

    def __init__(
        self,
        scene: MobileScene,
        size: tuple[int, int] = SIZE,
        *,
        azimuth: float = AZIMUTH,
        elevation: float = ELEVATION,
        distance: float | None = None,
    ) -> None:
        self.scene, self.size = scene, size
        self.still = [
            DrawnPiece(body.name, solid, hexed(body.colour))
            for body in scene.bodies
            if body.kind == "immovable"
            for solid in body.solids
        ]
        self.moving = [
            DrawnPiece(body.name, solid, hexed(body.colour))
            for body in scene.bodies
            if body.kind == "movable"
            for solid in body.solids
        ]
        for robot in scene.robots:
            self.moving += _robot_pieces(robot)
        poses = {body.name: body.pose for body in scene.bodies}
        poses |= {robot.name: robot.pose for robot in scene.robots}
        points = _points(self.still + self.moving, poses)
        self._room = points
        self._painter: CellPainter | None = None
        self.eye: Camera = camera_of(Scene(), (), size, azimuth, elevation, distance, points)
        self._poses = poses

    def draw(self, poses: Mapping[str, Array], rays: Sequence[tuple[Array, Array]] = ()) -> Pixels:
        """Return the picture of a moment. Shape (height, width, 3).

        Args:
            poses: T_world_body of bodies and robots by name; those left out are where the scene
                has them.
            rays: Start and end of lines to be drawn, as of sensors [m].
        """
        from armwerk.pictures.cell_surface import surface

        painter = self._paint()
        here = {**self._poses, **poses}
        solids = [one for piece in self.moving for one in piece_solids(piece, here[piece.owner])]
        thin = 0.0015 * float(np.ptp(self._room, axis=0).max())
        for start, end in rays:
            solids += rod(start, end, thin, RAY)
        return painter.paint(surface(solids, painter.view.frame[3], painter.focal))

    def _paint(self) -> CellPainter:
        from armwerk.pictures.cell_painter import CellPainter

        if self._painter is None:
            still = [one for p in self.still for one in piece_solids(p, self._poses[p.owner])]
            focal = float(min(self.size) / 2 / np.tan(VIEW / 2))
            self._painter = CellPainter(
                triangles(still),
                triangles([]),
                self.floor(),
                self.eye,
                focal,
                self.size,
                self._room,
            )
        return self._painter

    def floor(self) -> Floor:
        """Return the floor below everything."""
        low = np.floor((self._room[:, :2].min(axis=0) - _MARGIN) / TILE_SIZE) * TILE_SIZE
        high = np.ceil((self._room[:, :2].max(axis=0) + _MARGIN) / TILE_SIZE) * TILE_SIZE
        columns, rows = (max(1, round(side / TILE_SIZE)) for side in high - low)
        dots = max(1, min(24, 1500 // max(columns, rows)))
        odd = (np.arange(columns)[None, :] + np.arange(rows)[:, None]) % 2 == 1
        tiles = np.where(odd[..., None], DARK, LIGHT).astype(np.float32)
        picture = np.repeat(np.repeat(tiles, dots, axis=0), dots, axis=1)
        return Floor(np.concatenate([low, high]), np.ascontiguousarray(picture))


def _robot_pieces(robot: MobileRobot) -> list[DrawnPiece]:
    """Return hull, hands, wheels, and a mark that shows where it looks."""
    name, colour = robot.name, hexed(robot.colour)
    solids = hull(robot)
    pieces = [DrawnPiece(name, solid, colour) for solid in solids]
    for hand in robot.gripper.hands if robot.gripper is not None else ():
        assert robot.gripper is not None
        for solid in hand.solids:
            pieces.append(DrawnPiece(name, solid.moved(robot.gripper.pose), (0.55, 0.57, 0.6)))
    radius = robot.base.wheel_radius
    track = getattr(robot.base, "track", None)
    if track is not None:
        side = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
        base = getattr(robot.base, "wheelbase", 0.0) / 2
        for x in {base, -base}:
            for y in (track / 2, -track / 2):
                wheel = Cylinder(radius, 0.4 * radius, (x, y, radius), side)
                pieces.append(DrawnPiece(name, wheel, WHEEL))
    boxes = np.stack([solid.bounds for solid in solids])
    top, front = float(boxes[:, 1, 2].max()), float(boxes[:, 1, 0].max())
    mark = Box((0.5 * front, 0.16 * front, 0.04 * front), (0.6 * front, 0.0, top))
    pieces.append(DrawnPiece(name, mark, NOSE))
    return pieces


def piece_solids(piece: DrawnPiece, pose: Array) -> list[Solid]:
    """Return a piece where its owner is, as it is drawn."""
    shape = piece.shape
    at = pose @ shape.pose
    if isinstance(shape, Box):
        x, y, z = (float(side) for side in shape.size)
        return [Solid("box", at, (x, y, z), piece.colour)]
    if isinstance(shape, Sphere):
        return [Solid("ball", at, (shape.radius,) * 3, piece.colour)]
    if isinstance(shape, Cylinder):
        return [Solid("cylinder", at, (shape.radius, shape.radius, shape.length), piece.colour)]
    if isinstance(shape, Mesh):
        corners = shape.triangles @ at[:3, :3].T + at[:3, 3]
        return [Solid("mesh", np.eye(4), (1.0, 1.0, 1.0), piece.colour, mesh=corners)]
    if isinstance(shape, HalfSpace):
        return []
    low, high = shape.bounds
    middle = pose_at(pose[:3, :3] @ ((low + high) / 2) + pose[:3, 3], pose[:3, :3])
    x, y, z = (float(side) for side in high - low)
    return [Solid("box", middle, (x, y, z), piece.colour)]


def _points(pieces: Sequence[DrawnPiece], poses: Mapping[str, Array]) -> Array:
    rows = []
    for piece in pieces:
        if not isinstance(piece.shape, HalfSpace):
            pose = poses[piece.owner]
            rows.append(surface_points(piece.shape) @ pose[:3, :3].T + pose[:3, 3])
    return np.vstack(rows) if rows else np.array([(-0.5, -0.5, 0.0), (0.5, 0.5, 0.3)])
