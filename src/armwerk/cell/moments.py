"""From a running world, or a recording, to what can be drawn and recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwerk import __version__
from armwerk.cell.arguments import require_finite, require_path
from armwerk.cell.building.arm_model import base_pose
from armwerk.cell.building.finder import Finder
from armwerk.cell.record import RATE, Header, RecordedRobot
from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.pictures.cell import (
    AZIMUTH,
    ELEVATION,
    CellPicture,
    Moment,
    Wanted,
    camera_of,
    target_of,
)
from armwerk.pictures.cell_robot import DrawnRobot
from armwerk.pictures.palette import REVOLUTE, solution_colour
from armwerk.scene.scene import Conveyor, Scene
from armwerk.scene.writer import write_scene

if TYPE_CHECKING:
    from armwerk.cell.world import World

_MAX_SIDE = 16_384  # [pixel]


def drawn_robots(scene: Scene) -> tuple[list[DrawnRobot], list[str]]:
    """Return the robots of a scene to be drawn, and a sentence for each that cannot be found.

    A recording may be shown where the files of its cell are not; the robots are left out then.
    """
    finder = Finder(None if scene.file is None else Path(scene.file).parent)
    robots: list[DrawnRobot] = []
    missing: list[str] = []
    try:
        for index, robot in enumerate(scene.robots):
            name = f"robot {robot.number}"
            try:
                arm = finder.arm(robot.manipulator, f"{name}, manipulator")
                gripper = finder.gripper(robot.gripper, f"{name}, gripper")
            except ArmwerkError as error:
                missing.append(f"{name} is not drawn: {error}")
                continue
            tint = REVOLUTE if len(scene.robots) == 1 else solution_colour(index)
            robots.append(DrawnRobot(arm, gripper, base_pose(robot), tint, index))
    finally:
        finder.close()
    return robots, missing


class Moments:
    """Takes moments of a world; belts are followed from the first look on.

    Args:
        world: A `World`.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.names: tuple[str, ...] = tuple(world.scene.names())
        self.numbers: tuple[int, ...] = tuple(robot.number for robot in world.scene.robots)
        self._speeds = [body.speed for body in world.scene.obstacles if isinstance(body, Conveyor)]
        self._travels = np.zeros(len(self._speeds))
        self._time: float | None = None

    def follow(self) -> None:
        """Add up how far the belts have moved since the last look."""
        time = float(self.world.time)
        if self._time is not None and time > self._time:
            running = np.array(
                [belt.running for belt in self.world.simulation.belts], dtype=np.float64
            )
            self._travels += running * self._speeds * (time - self._time)
        self._time = time

    def now(self) -> Moment:
        """Return where everything is."""
        self.follow()
        things = [self.world.objects[name] for name in self.names]
        positions = np.array([thing.position for thing in things]).reshape(-1, 3)
        rotations = np.array([thing.rotation for thing in things]).reshape(-1, 3, 3)
        robots = [self.world.robots[number].body for number in self.numbers]
        return Moment(
            float(self.world.time),
            positions,
            rotations,
            [dict(zip(robot.motors, robot.values.tolist(), strict=True)) for robot in robots],
            [dict(zip(robot.motors, robot.rates.tolist(), strict=True)) for robot in robots],
            self._travels.tolist(),
        )


def draw_world(
    world: World,
    path: str | Path,
    *,
    azimuth: float | None = None,
    elevation: float | None = None,
    distance: float | None = None,
    target: Wanted | None = None,
    follow: Wanted | None = None,
    size: tuple[int, int] = (640, 480),
) -> Path:
    """Draw a world and return where the picture is; its folder is made when it is missing.

    Args:
        world: A `World`.
        path: Ends in .png.
        azimuth: Of the eye about z from the x axis [rad]; None: from the front.
        elevation: Of the eye above the floor [rad]; None: a little from above.
        distance: From the eye to what it looks at [m]; None: so that the whole cell is seen,
            half of that with a target.
        target: What it looks at: a point [m], or the name of a thing or of a robot
            ("robot 0"), where that is in the cell's file; None: the middle of the cell.
        follow: The same, but where that is now; of a robot it is the hand.
        size: Width and height [pixel].
    """
    from PIL import Image

    require_path(path, "picture")
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise DescriptionError(
            "unknown picture format", element=f"picture '{path}'", value=path.suffix, allowed=".png"
        )
    if target is not None and follow is not None:
        raise DescriptionError(
            "two targets", element="camera", value=f"{target}, {follow}", allowed="target or follow"
        )
    if distance is not None:
        require_finite(distance, "distance", "m")
        if distance <= 0:
            raise DescriptionError(
                "not above 0", element="distance", value=distance, allowed="a distance [m]"
            )
    for name, angle in (("azimuth", azimuth), ("elevation", elevation)):
        if angle is not None:
            require_finite(angle, name, "rad")
    if not (
        isinstance(size, tuple | list)
        and len(size) == 2
        and all(isinstance(one, int) and 1 <= one <= _MAX_SIDE for one in size)
    ):
        raise DescriptionError(
            "out of range",
            element="size",
            value="None" if size is None else size,
            allowed=f"width and height, 1 to {_MAX_SIDE} pixels each",
        )
    robots, _ = drawn_robots(world.scene)
    wanted = target if follow is None else follow
    looked_at = None if wanted is None else target_of(world.scene, robots, wanted)
    eye = camera_of(
        world.scene,
        robots,
        size,
        azimuth=AZIMUTH if azimuth is None else azimuth,
        elevation=ELEVATION if elevation is None else elevation,
        distance=distance,
        target=None if looked_at is None else looked_at.start,
    )
    going_with = None if follow is None else looked_at
    picture = CellPicture(world.scene, robots, size, eye, follow=going_with)
    pixels = picture.draw(Moments(world).now())
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, optimize=True)
    return path


def header_of(world: World, cell: str, rate: float = RATE) -> Header:
    """Return the header of a recording of a world."""
    import mujoco

    scene = world.scene
    robots = []
    for robot in scene.robots:
        body = world.robots[robot.number].body
        units = tuple(body.member(index).unit for index in range(len(body.motors)))
        robots.append(
            RecordedRobot(robot.number, robot.manipulator, robot.gripper, tuple(body.motors), units)
        )
    belts = [name for name, body in scene.obstacle_names().items() if isinstance(body, Conveyor)]
    return Header(
        cell=cell,
        environment=write_scene(scene),
        things=tuple(scene.names()),
        robots=tuple(robots),
        belts=tuple(belts),
        file=None if scene.file is None else str(scene.file),
        rate=rate,
        dt=float(world.dt),
        seed=world.simulation.settings.seed,
        versions={"armwerk": __version__, "mujoco": mujoco.__version__},
    )
