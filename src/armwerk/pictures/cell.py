"""Pictures of a cell: what comes in is a scene with its robots and one moment, out come pixels.

Drawn without any graphics library by the loops in `raster`: a depth buffer, a sun with soft
shadows, see-through trigger zones. The same moment gives the same pixels everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell_floor import Floor, floor_of
from armwerk.pictures.cell_robot import FAST, MOVING, DrawnRobot, robot_solids
from armwerk.pictures.cell_scene import belt_marks, scene_points, still_solids, thing_solid
from armwerk.pictures.cell_solids import Solid, Triangles, together, triangles
from armwerk.pictures.palette import Colour, colour
from armwerk.scene.scene import Conveyor, Scene

Pixels = NDArray[np.uint8]
SIZE = (640, 480)  # width and height [pixel]
AZIMUTH, ELEVATION = np.deg2rad(-62.0), np.deg2rad(27.0)
VIEW = np.deg2rad(32.0)  # of the picture's smaller side
SKY = (colour("#f4f6f8"), colour("#c9d6e2"))  # bottom and top of the background
GROUND = colour("#e4e9ee")
_SUN = np.array([-0.42, -0.55, 1.0])
_SHADOW_DOTS = 1400
_FINER = 2  # drawn this much finer and averaged


@dataclass(frozen=True, slots=True)
class Flags:
    """What is made to stand out, in the order of ArmBot's ``-renderflags``.

    Args:
        moving: Motors that move.
        fast: Motors at 95 % of their greatest speed or more.
        zones: Trigger zones and light barriers.
    """

    moving: bool = False
    fast: bool = False
    zones: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Where everything is at one time.

    Args:
        time: Simulated [s].
        positions: Of the things' middles, in the scene's order [m]. Shape (n, 3).
        rotations: Of the things. Shape (n, 3, 3).
        motors: For each robot the values of its motors by name [rad or m].
        rates: The same of their speeds; used to mark motors that move. Empty: none move.
        travels: How far each belt has moved, in the scene's order [m]. Empty: not at all.
    """

    time: float
    positions: Array
    rotations: Array
    motors: Sequence[Mapping[str, float]] = ()
    rates: Sequence[Mapping[str, float]] = ()
    travels: Sequence[float] = ()


def start_of(scene: Scene) -> Moment:
    """Return a scene as its file describes it, motors in their middle."""
    positions = np.array([thing.centre for thing in scene.things], dtype=np.float64).reshape(-1, 3)
    rotations = np.tile(np.eye(3), (len(positions), 1, 1))
    return Moment(0.0, positions, rotations, [{} for _ in scene.robots])


@dataclass(slots=True, eq=False)
class CellPicture:
    """Draws moments of one cell.

    Args:
        scene: The cell.
        robots: Those to be drawn.
        size: Width and height [pixel].
        camera: Who looks; None: sees the whole cell from the front, `camera_of`.
        flags: What stands out.
    """

    scene: Scene
    robots: Sequence[DrawnRobot] = ()
    size: tuple[int, int] = SIZE
    camera: Camera | None = None
    flags: Flags = Flags()
    floor: Floor = field(init=False)
    eye: Camera = field(init=False)
    _solid: Triangles = field(init=False)
    _glass: Triangles = field(init=False)

    def __post_init__(self) -> None:
        self.floor = floor_of(self.scene)
        self.eye = self.camera or camera_of(self.scene, self.robots, self.size)
        still = still_solids(self.scene, self.flags.zones)
        self._solid = triangles([solid for solid in still if solid.alpha >= 1])
        self._glass = triangles([solid for solid in still if solid.alpha < 1])

    def solids(self, moment: Moment) -> list[Solid]:
        """Return what can move, where it is."""
        things = zip(self.scene.things, moment.positions, moment.rotations, strict=True)
        solids = [thing_solid(thing, place, turn) for thing, place, turn in things]
        for robot in self.robots:
            motors = moment.motors[robot.index] if robot.index < len(moment.motors) else {}
            solids += robot_solids(robot, motors, self._marks(robot, moment))
        belts = [body for body in self.scene.obstacles if isinstance(body, Conveyor)]
        for number, belt in enumerate(belts):
            travel = moment.travels[number] if number < len(moment.travels) else 0.0
            solids += belt_marks(belt, travel)
        return solids

    def _marks(self, robot: DrawnRobot, moment: Moment) -> dict[str, Colour]:
        rates = moment.rates[robot.index] if robot.index < len(moment.rates) else {}
        marks: dict[str, Colour] = {}
        for source in (robot.arm, robot.gripper):
            for motor in () if source is None else source.moving:
                rate, most = abs(rates.get(motor.name, 0.0)), motor.max_velocity
                if self.flags.moving and rate > 1e-3:
                    marks[motor.name] = MOVING
                if self.flags.fast and most and rate >= 0.95 * most:
                    marks[motor.name] = FAST
        return marks

    def draw(self, moment: Moment) -> Pixels:
        """Return the picture of a moment. Shape (height, width, 3)."""
        from armwerk.pictures.raster import NOBODY, fill, glaze, shade

        width, height = (side * _FINER for side in self.size)
        seen = together(self._solid, triangles(self.solids(moment)))
        frame = np.vstack([self.eye.frame, self.eye.eye])
        lens = np.array([_focal(self.size) * _FINER, width / 2, height / 2])
        corners = _projected(seen.corners, frame, lens)
        nearness = np.zeros((height, width), dtype=np.float32)
        ids = np.full((height, width), NOBODY, dtype=np.int32)
        fill(corners, nearness, ids)
        shadows, light, slack = self._shadows(seen)
        image = np.zeros((height, width, 3), dtype=np.float32)
        tints = np.ascontiguousarray(seen.colours[:, :3])
        sky = np.array([*SKY, GROUND])
        bounds = np.array([*self.floor.bounds, 0.0])
        sun = _SUN / np.linalg.norm(_SUN)
        shade(
            *(corners, seen.normals, tints, nearness, ids, shadows, light, sun, frame, lens),
            *(self.floor.picture, bounds, sky, slack, image),
        )
        self._glaze(glaze, frame, lens, nearness, image)
        return _averaged(image)

    def _glaze(
        self, glaze: object, frame: Array, lens: Array, nearness: object, image: object
    ) -> None:
        if not len(self._glass.corners):
            return
        away = np.linalg.norm(self._glass.corners.mean(axis=1) - frame[3], axis=1)
        order = np.argsort(-away, kind="stable")
        corners = _projected(self._glass.corners[order], frame, lens)
        glaze(corners, np.ascontiguousarray(self._glass.colours[order]), nearness, image)  # type: ignore[operator]

    def _shadows(self, seen: Triangles) -> tuple[NDArray[np.float32], Array, float]:
        """Return what the sun sees: nearness, world to its columns and rows, and slack."""
        from armwerk.pictures.raster import NOBODY, fill
        from armwerk.pictures.solids import frame_along

        axes = frame_along(_SUN).T  # rows: across, across, towards the sun
        points = seen.corners.reshape(-1, 3) if len(seen.corners) else np.zeros((1, 3))
        flat = points @ axes.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        dots = (_SHADOW_DOTS - 8) / max(float((high - low)[:2].max()), 1e-6)
        light = np.zeros((3, 4))
        light[0, :3], light[0, 3] = axes[0] * dots, 4 - low[0] * dots
        light[1, :3], light[1, 3] = -axes[1] * dots, 4 + high[1] * dots
        light[2, :3], light[2, 3] = axes[2], 1.0 - low[2]
        corners = np.ascontiguousarray(seen.corners @ light[:, :3].T + light[:, 3])
        nearness = np.zeros((_SHADOW_DOTS, _SHADOW_DOTS), dtype=np.float32)
        fill(corners, nearness, np.full(nearness.shape, NOBODY, dtype=np.int32))
        return nearness, light, 2.5 / dots


def _focal(size: tuple[int, int]) -> float:
    """Return the focal length [pixel]."""
    return float(min(size) / 2 / np.tan(VIEW / 2))


def _projected(corners: Array, frame: Array, lens: Array) -> Array:
    """Return picture x, y and nearness of world points. Shape (n, 3, 3)."""
    seen = (corners - frame[3]) @ frame[:3].T
    depth = -seen[..., 2]
    near = np.where(depth > 1e-2, 1.0 / np.where(depth > 1e-2, depth, 1.0), -1.0)
    x = lens[1] + lens[0] * seen[..., 0] * near
    y = lens[2] - lens[0] * seen[..., 1] * near
    return np.ascontiguousarray(np.stack([x, y, near], axis=-1))


def _averaged(image: NDArray[np.float32]) -> Pixels:
    total = np.zeros(np.array(image.shape) // (_FINER, _FINER, 1), dtype=np.float32)
    for row, column in np.ndindex(_FINER, _FINER):
        total += image[row::_FINER, column::_FINER]
    total *= 255 / _FINER**2
    total += 0.5
    return np.asarray(np.clip(total, 0, 255, out=total), dtype=np.uint8)


def camera_of(
    scene: Scene,
    robots: Sequence[DrawnRobot] = (),
    size: tuple[int, int] = SIZE,
    azimuth: float = AZIMUTH,
    elevation: float = ELEVATION,
    distance: float | None = None,
    seen: Array | None = None,
) -> Camera:
    """Return the camera that has the whole cell in its picture.

    Args:
        scene: The cell.
        robots: Its robots.
        size: Of the picture [pixel].
        azimuth: Of the eye about z from the x axis [rad].
        elevation: Of the eye above the floor [rad].
        distance: From the eye to the middle of the cell [m]; None: as far as needed.
        seen: More points that must be in the picture [m]. Shape (m, 3).
    """
    arms = [_reach(robot) for robot in robots]
    points = scene_points(scene, arms if seen is None else [*arms, seen])
    if scene.border is not None:
        low, high = np.array(scene.border.low), np.array(scene.border.high)
        inside = points[:, :2].max(axis=0) - points[:, :2].min(axis=0)
        if (high - low).max() < 1.8 * inside.max():
            corners = [(x, y, 0.0) for x in (low[0], high[0]) for y in (low[1], high[1])]
            points = np.vstack([points, corners])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    camera = Camera(middle, 1.0, azimuth, elevation)
    for _ in range(4):
        camera = _fitted(camera, points, size)
    return camera if distance is None else replace(camera, distance=distance)


def _reach(robot: DrawnRobot) -> Array:
    """Return points of a robot as it stands, and above it as far as it often reaches."""
    skeletons = robot.skeletons({})
    points = np.vstack([skeleton.points() for skeleton in skeletons])
    height = 0.75 * skeletons[0].size
    return np.vstack([points, robot.base[:3, 3] + [0.0, 0.0, height]])


def _fitted(camera: Camera, points: Array, size: tuple[int, int]) -> Camera:
    """Return the camera at a better distance, aimed at the middle of what it sees."""
    half = np.array(size) / 2 / _focal(size) * 0.92  # tangents of half the field, with a margin
    seen = (points - camera.target) @ camera.frame.T
    distance = float((seen[:, 2:] + np.abs(seen[:, :2]) / half).max())
    flat = seen[:, :2] / (distance - seen[:, 2:])
    shift = (flat.min(axis=0) + flat.max(axis=0)) / 2 * distance
    target = camera.target + shift @ camera.frame[:2]
    return Camera(target, max(distance, 0.05), camera.azimuth, camera.elevation)
