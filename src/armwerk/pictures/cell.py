"""Pictures of a cell: what comes in is a scene with its robots and one moment, out come pixels.

Drawn without any graphics library by the loops in `raster`: a depth buffer, a sun with soft
shadows, see-through trigger zones. The same moment gives the same pixels everywhere. What a camera
looks at is a point, a thing or a robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell_robot import FAST, MOVING, DrawnRobot, robot_solids
from armwerk.pictures.cell_scene import (
    Floor,
    belt_marks,
    floor_of,
    scene_points,
    still_solids,
    thing_solid,
)
from armwerk.pictures.cell_solids import Solid, triangles
from armwerk.pictures.palette import Colour
from armwerk.scene.scene import Conveyor, Scene

if TYPE_CHECKING:
    from armwerk.pictures.cell_painter import CellPainter

Pixels = NDArray[np.uint8]
SIZE = (640, 480)  # width and height [pixel]
AZIMUTH, ELEVATION = np.deg2rad(-62.0), np.deg2rad(27.0)
VIEW = np.deg2rad(32.0)  # of the picture's smaller side
Wanted: TypeAlias = str | Sequence[float] | Array
"""A point [m], or a name: of a thing, of a fixed body, or ``robot 0``."""


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
        follow: What the camera goes with, at its distance and from its side; None: it stands.
    """

    scene: Scene
    robots: Sequence[DrawnRobot] = ()
    size: tuple[int, int] = SIZE
    camera: Camera | None = None
    flags: Flags = Flags()
    follow: Target | None = None
    floor: Floor = field(init=False)
    eye: Camera = field(init=False)
    _painter: CellPainter | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.floor = floor_of(self.scene)
        self.eye = self.camera or camera_of(self.scene, self.robots, self.size)

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
        from armwerk.pictures.cell_surface import surface

        painter = self._painter_for(self.eye_at(moment))
        eye = painter.view.frame[3]
        return painter.paint(surface(self.solids(moment), eye, painter.focal))

    def eye_at(self, moment: Moment) -> Camera:
        """Return who looks at a moment: a camera that follows has gone along."""
        return self.eye if self.follow is None else replace(self.eye, target=self.follow.at(moment))

    def _painter_for(self, eye: Camera) -> CellPainter:
        """Return who paints for a camera; what is kept serves as long as that stands still."""
        from armwerk.pictures.cell_painter import CellPainter

        if self._painter is not None and (self._painter.eye.target == eye.target).all():
            return self._painter
        still = still_solids(self.scene, self.flags.zones)
        room = scene_points(self.scene, [_space(robot) for robot in self.robots])
        self._painter = CellPainter(
            triangles([solid for solid in still if solid.alpha >= 1]),
            triangles([solid for solid in still if solid.alpha < 1]),
            *(self.floor, eye, _focal(self.size), self.size, room),
        )
        return self._painter


def _focal(size: tuple[int, int]) -> float:
    """Return the focal length [pixel]."""
    return float(min(size) / 2 / np.tan(VIEW / 2))


def camera_of(
    scene: Scene,
    robots: Sequence[DrawnRobot] = (),
    size: tuple[int, int] = SIZE,
    azimuth: float = AZIMUTH,
    elevation: float = ELEVATION,
    distance: float | None = None,
    seen: Array | None = None,
    target: Array | None = None,
) -> Camera:
    """Return the camera that has the whole cell in its picture.

    Args:
        scene: The cell.
        robots: Its robots.
        size: Of the picture [pixel].
        azimuth: Of the eye about z from the x axis [rad].
        elevation: Of the eye above the floor [rad].
        distance: From the eye to what it looks at [m]; None: as far as needed to see the whole
            cell, half of that with a ``target``.
        seen: More points that must be in the picture [m]. Shape (m, 3).
        target: What the eye looks at [m]; None: the middle of the cell. Shape (3,).
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
    if target is not None:
        camera = replace(camera, target=target, distance=camera.distance / 2)
    return camera if distance is None else replace(camera, distance=distance)


def _reach(robot: DrawnRobot) -> Array:
    """Return points of a robot as it stands, and above it as far as it often reaches."""
    skeletons = robot.skeletons({})
    points = triangles(robot_solids(robot, {})).corners.reshape(-1, 3)
    height = 0.75 * skeletons[0].size
    return np.vstack([points, robot.base[:3, 3] + [0.0, 0.0, height]])


def _space(robot: DrawnRobot) -> Array:
    """Return points around a robot between which it moves most of the time."""
    size = robot.skeletons({})[0].size
    half = 0.5 * size
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (0.0, 1.5 * half)]
    return np.asarray(robot.base[:3, 3] + corners, dtype=np.float64)


def _fitted(camera: Camera, points: Array, size: tuple[int, int]) -> Camera:
    """Return the camera at a better distance, aimed at the middle of what it sees."""
    half = np.array(size) / 2 / _focal(size) * 0.92  # tangents of half the field, with a margin
    seen = (points - camera.target) @ camera.frame.T
    distance = float((seen[:, 2:] + np.abs(seen[:, :2]) / half).max())
    flat = seen[:, :2] / (distance - seen[:, 2:])
    shift = (flat.min(axis=0) + flat.max(axis=0)) / 2 * distance
    target = camera.target + shift @ camera.frame[:2]
    return Camera(target, max(distance, 0.05), camera.azimuth, camera.elevation)


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Something that is looked at.

    Args:
        start: Where it is in the cell as its file describes it [m]. Shape (3,).
        thing: Its place among the things; None: it is none.
        robot: Whose hand it is; None: of none.
    """

    start: Array
    thing: int | None = None
    robot: DrawnRobot | None = None

    def at(self, moment: Moment) -> Array:
        """Return where it is: the middle of a thing, the hand of a robot [m]. Shape (3,)."""
        place = self.start
        if self.thing is not None:
            place = moment.positions[self.thing]
        elif self.robot is not None and self.robot.index < len(moment.motors):
            skeleton = self.robot.arm_skeleton(moment.motors[self.robot.index])
            place = skeleton.tools[0][:3, 3]
        return np.array(place, dtype=np.float64) if np.isfinite(place).all() else self.start


def target_of(scene: Scene, robots: Sequence[DrawnRobot], wanted: Wanted) -> Target:
    """Return what is meant by a point or a name.

    Args:
        scene: The cell.
        robots: Its robots.
        wanted: A point [m], or the name of a thing, of a fixed body, or "robot 0".

    Raises:
        DescriptionError: When it is no point and nothing has that name.
    """
    if not isinstance(wanted, str):
        return Target(_point(wanted))
    things = list(scene.names())
    if wanted in things:
        number = things.index(wanted)
        return Target(np.array(scene.things[number].centre, dtype=np.float64), number)
    obstacles = scene.obstacle_names()
    if wanted in obstacles:
        return Target(_middle(scene_points(Scene(obstacles=(obstacles[wanted],)))))
    named = {f"robot {scene.robots[robot.index].number}": robot for robot in robots}
    called = f"robot {wanted[5:].strip()}" if wanted.startswith("robot") else wanted
    if called in named:
        robot = named[called]
        return Target(_middle(robot.skeletons({})[0].points()), None, robot)
    raise DescriptionError(
        "nothing in the cell has this name",
        element="target of the camera",
        value=wanted,
        allowed=", ".join([*things, *obstacles, *named]) or "a point x y z [m]",
    )


def _point(wanted: Sequence[float] | Array) -> Array:
    try:
        point = np.array(wanted, dtype=np.float64)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise DescriptionError(
            "not a point",
            element="target of the camera",
            value=wanted,
            allowed="three finite numbers x, y, z [m], or a name",
        )
    return point


def _middle(points: Array) -> Array:
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2, dtype=np.float64)
