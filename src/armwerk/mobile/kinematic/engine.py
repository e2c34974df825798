"""The engine without physics, as the old simulator was: robots pass through things.

Nothing falls, nothing is pushed and nobody collides. A robot drives exactly as it is told; it stays
level at its height, or keeps to the landscape below it. What is between its hands when they close
goes along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.geometry.arguments import transform_argument
from armwerk.geometry.transforms import inverse
from armwerk.mobile.bases import DifferentialBase, OmniBase
from armwerk.mobile.devices import RobotCamera
from armwerk.mobile.events import GripFailed, Gripped, MobileEvent, Released
from armwerk.mobile.kinematic.driving import BaseTwist, driven, possible, wheel_speeds_of
from armwerk.mobile.kinematic.surroundings import (
    StandingObject,
    ground,
    hull,
    nearest,
    standing,
    width_along,
)
from armwerk.mobile.program import GripperCommand, GroundPose, Picture
from armwerk.mobile.scene import MobileRobot, MobileScene

_STANDING = BaseTwist(0.0, 0.0, 0.0)


@dataclass(slots=True, eq=False)
class _Driver:
    """One robot at work."""

    robot: MobileRobot
    seen: StandingObject
    odometry: GroundPose
    twist: BaseTwist = _STANDING
    gripper: GripperCommand = "open"
    held: str = ""
    grip: Array | None = None  # T_robot_body of what is held

    @property
    def pose(self) -> Array:
        return self.seen.pose


class KinematicEngine:
    """Moves the robots of a scene without physics.

    Args:
        scene: What stands and drives.
        follow_landscape: Whether robots keep to the surface below them; else they stay level at
            the height they started from.
    """

    def __init__(self, scene: MobileScene, *, follow_landscape: bool = True) -> None:
        self.scene = scene
        self.follow_landscape = follow_landscape
        self._begin()

    def _begin(self) -> None:
        scene = self.scene
        self._time = 0.0
        self._events: list[MobileEvent] = []
        self._bodies = {
            body.name: standing(body.name, body.solids, body.pose) for body in scene.bodies
        }
        self._landscape = [
            self._bodies[body.name] for body in scene.bodies if body.kind == "immovable"
        ]
        self._drivers = {
            robot.name: _Driver(
                robot, standing(robot.name, hull(robot), robot.pose), GroundPose(0.0, 0.0, 0.0)
            )
            for robot in scene.robots
        }
        for driver in self._drivers.values():
            self._settle(driver)

    @property
    def time(self) -> float:
        """Simulated [s]."""
        return self._time

    def reset(self) -> None:
        """Go back to the beginning."""
        self._begin()

    def advance(self, seconds: float) -> None:
        """Let every robot drive for a while [s]."""
        for driver in self._drivers.values():
            if driver.twist != _STANDING:
                self._drive(driver, seconds)
        self._time += seconds

    def drive(self, robot: str, twist: Array) -> None:
        """Have a robot drive: forwards [m/s], to the left [m/s], turning [rad/s]. Shape (3,)."""
        driver = self._driver(robot)
        wanted = BaseTwist(*(float(value) for value in twist))
        driver.twist = possible(wanted, driver.robot.base)

    def grip(self, robot: str, command: GripperCommand) -> None:
        """Have the hands of a robot open or close, at once."""
        self._events += self._hands(self._driver(robot), command)

    def holding(self, robot: str) -> str:
        """Return the name of what a robot has in its hands; empty: nothing."""
        return self._driver(robot).held

    def pose(self, name: str) -> Array:
        """Return T_world_body of a body or robot. Shape (4, 4)."""
        if name in self._bodies:
            return self._bodies[name].pose.copy()
        return self._driver(name).pose.copy()

    def velocity(self, name: str) -> Array:
        """Return velocity and angular velocity in the world. Shape (6,)."""
        for driver in self._drivers.values():
            if name in (driver.robot.name, driver.held):
                turn, twist = driver.pose[:3, :3], driver.twist
                spin = turn[:, 2] * twist.turning
                arm = self.pose(name)[:3, 3] - driver.pose[:3, 3]
                ahead = turn[:, 0] * twist.forwards + turn[:, 1] * twist.sideways
                return np.concatenate([ahead + np.cross(spin, arm), spin])
        self.pose(name)  # refuses names that do not exist
        return np.zeros(6)

    def distances(self, robot: str) -> list[float]:
        """Return how far each of its sensors sees: to the nearest surface or its reach [m]."""
        driver = self._driver(robot)
        others = [one.seen for other, one in self._drivers.items() if other != robot]
        around = [*self._bodies.values(), *others]
        found = []
        for sensor in driver.robot.sensors:
            pose = driver.pose @ sensor.pose
            found.append(nearest(pose[:3, 3], pose[:3, 0], sensor.reach, around, self.scene.floor))
        return found

    def touched(self, robot: str, direction: float, width: float) -> bool:
        """Return that nothing touches: everything is passed through."""
        self._driver(robot)
        return False

    def picture(self, robot: str, camera: RobotCamera) -> Picture:
        """Refuse: pictures are taken of the world of physics.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(f"robot '{robot}' takes no pictures while physics is off")

    def odometry(self, robot: str) -> GroundPose:
        """Return where its wheels say it is, counted from its start."""
        return self._driver(robot).odometry

    def rim_speeds(self, robot: str) -> tuple[float, ...]:
        """Return how fast the rims of its wheels go [m/s]."""
        driver = self._driver(robot)
        return wheel_speeds_of(driver.twist, driver.robot.base)

    def take_events(self) -> list[MobileEvent]:
        """Return what has happened since this was last asked."""
        events, self._events = self._events, []
        return events

    def launch(self, name: str, velocity: Array) -> None:
        """Refuse: without physics nothing flies.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(f"'{name}' cannot be given a velocity while physics is off")

    def move(self, name: str, pose: Array) -> None:
        """Put a movable body or a robot somewhere by hand. Shape (4, 4).

        Raises:
            DescriptionError: For a body that cannot be moved.
        """
        target = transform_argument(pose, "pose").copy()
        if name not in self._bodies:
            driver = self._driver(name)
            driver.seen.pose = target
            self._settle(driver)
            self._carry(driver)
            return
        if self.scene.body(name).kind == "immovable":
            raise DescriptionError(
                "is immovable", element=f"body '{name}'", allowed="movable bodies and robots"
            )
        self._bodies[name].pose = target
        for driver in self._drivers.values():
            if driver.held == name:
                driver.held, driver.grip = "", None

    def _driver(self, name: str) -> _Driver:
        if name not in self._drivers:
            raise UnknownNameError("body or robot", name, self.scene.names())
        return self._drivers[name]

    def _drive(self, driver: _Driver, seconds: float) -> None:
        """Move a robot along its own plane, then put it on the ground."""
        step = driven(GroundPose(0.0, 0.0, 0.0), driver.twist, seconds)
        c, s = math.cos(step.heading), math.sin(step.heading)
        motion = np.array([[c, -s, 0, step.x], [s, c, 0, step.y], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        driver.seen.pose = driver.pose @ motion
        driver.odometry = driven(driver.odometry, driver.twist, seconds)
        self._settle(driver)
        self._carry(driver)

    def _carry(self, driver: _Driver) -> None:
        if driver.held and driver.grip is not None:
            self._bodies[driver.held].pose = driver.pose @ driver.grip

    def _settle(self, driver: _Driver) -> None:
        """Put a robot on the landscape: at rest on the plane through what its wheels stand on."""
        if not self.follow_landscape:
            return
        pose, feet = driver.pose, _feet(driver.robot)
        # What is higher than the robot's own middle is passed through, not climbed.
        low, high = width_along(driver.seen.solids, np.eye(4), np.array([0.0, 0.0, 1.0]))
        climb = (max(low, 0.0) + high) / 2
        points = []
        for x, y in feet:
            place = pose @ np.array([x, y, 0.0, 1.0])
            height = ground(
                *(float(place[0]), float(place[1]), float(place[2]) + climb),
                *(self._landscape, self.scene.floor),
            )
            if height is not None:
                points.append((float(place[0]), float(place[1]), height))
        if len(points) < len(feet):
            return  # beyond the edge of the world it stays as it is
        cloud = np.array(points)
        # a foot over an abyss does not tip it: it goes on level until all of them are over it
        borne = cloud[cloud[:, 2] > cloud[:, 2].max() - 2 * climb]
        if len(borne) < 3:
            borne = cloud * (1, 1, 0) + (0, 0, borne[:, 2].max())
        driver.seen.pose = _resting(pose, borne)

    def _hands(self, driver: _Driver, wanted: GripperCommand) -> list[MobileEvent]:
        robot, time = driver.robot, self._time
        driver.gripper = wanted
        if robot.gripper is None:
            return []
        if wanted == "open":
            held, driver.held, driver.grip = driver.held, "", None
            return [Released(time, robot.name, held)] if held else []
        frame = driver.pose @ robot.gripper.pose
        solids = [solid for hand in robot.gripper.hands for solid in hand.solids]
        low = np.min([solid.bounds[0] for solid in solids], axis=0)
        high = np.max([solid.bounds[1] for solid in solids], axis=0)
        for body in self.scene.bodies:
            thing = self._bodies[body.name]
            if body.kind != "movable":
                continue
            local = inverse(frame) @ thing.pose
            middle = local[:3, :3] @ thing.middle + local[:3, 3]
            if not ((low - 1e-9 <= middle) & (middle <= high + 1e-9)).all():
                continue
            start, end = width_along(thing.solids, local, np.array([0.0, 1.0, 0.0]))
            if end - start > robot.gripper.opening:
                return [GripFailed(time, robot.name, body.name, "too wide")]
            driver.held, driver.grip = body.name, inverse(driver.pose) @ thing.pose
            return [Gripped(time, robot.name, body.name)]
        return [GripFailed(time, robot.name, "", "nothing between the hands")]


def _feet(robot: MobileRobot) -> list[tuple[float, float]]:
    """Return three or more places below a robot that touch the ground [m]."""
    base = robot.base
    if isinstance(base, OmniBase):
        return [
            (base.distance * math.cos(angle), base.distance * math.sin(angle))
            for angle in base.angles
        ]
    half = base.track / 2
    if isinstance(base, DifferentialBase):
        ends = base.casters or (half, -half)
        return [(0.0, half), (0.0, -half), *((x, 0.0) for x in (max(ends), min(ends)))]
    long = base.wheelbase / 2
    return [(x, y) for x in (long, -long) for y in (half, -half)]


def _resting(pose: Array, points: Array) -> Array:
    """Return a pose turned and lifted onto the plane that fits points best. Shape (4, 4)."""
    middle = points.mean(axis=0)
    away = points - middle
    slope, *_ = np.linalg.lstsq(away[:, :2], away[:, 2], rcond=None)
    up = np.array([-slope[0], -slope[1], 1.0])
    up /= np.linalg.norm(up)
    x, y = float(pose[0, 3]), float(pose[1, 3])
    height = middle[2] + slope @ (pose[:2, 3] - middle[:2])
    ahead = pose[:3, 0] - up * float(pose[:3, 0] @ up)
    ahead /= np.linalg.norm(ahead)
    settled = np.eye(4)
    settled[:3, :3] = np.column_stack([ahead, np.cross(up, ahead), up])
    settled[:3, 3] = (x, y, height)
    return settled
