"""A mobile scene moved by physics, together with arms, belts and things of an environment."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry.arguments import transform_argument
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.geometry.transforms import inverse
from armwerk.mobile.devices import RobotCamera
from armwerk.mobile.events import Collision, MobileEvent, OtherKind
from armwerk.mobile.physical.addition import MobileAddition
from armwerk.mobile.physical.chassis import limited_twist, rim_speeds
from armwerk.mobile.physical.hands import HandControl
from armwerk.mobile.physical.kernels import SECTOR_COUNT
from armwerk.mobile.physical.rays import Rays
from armwerk.mobile.program import GripperCommand, GroundPose, Picture
from armwerk.mobile.scene import CarriedArm, MobileRobot, MobileScene
from armwerk.physics.names import mobile_name
from armwerk.physics.robots.body import RobotBody
from armwerk.physics.settings import COARSE_STEP, RobotPlacement, SimulationSettings
from armwerk.physics.simulation import Simulation
from armwerk.scene.scene import Scene


class PhysicalEngine:
    """Moves a mobile scene by MuJoCo.

    Args:
        scene: Bodies and robots.
        surroundings: What else stands in the world; None: nothing.
        arms: Arms that stand in it.
        dt: Step of time inside a step of the programs [s]; None: 2 ms.

    Attributes:
        simulation: The world, in which arms and belts can be moved too.
        arms: Those that mobile robots carry, by the names of these.
    """

    def __init__(
        self,
        scene: MobileScene,
        surroundings: Scene | None = None,
        arms: Sequence[RobotPlacement] = (),
        dt: float | None = None,
    ) -> None:
        self.scene = scene
        self._addition = MobileAddition(scene, surroundings or Scene())
        settings = SimulationSettings(dt=dt or COARSE_STEP, gravity=scene.gravity)
        carried = {robot.name: robot.arm for robot in scene.robots if robot.arm is not None}
        standing = [_placement(scene.robot(name), arm) for name, arm in carried.items()]
        self.simulation = Simulation(
            self._addition.surroundings, [*arms, *standing], settings, self._addition
        )
        self.arms: dict[str, RobotBody] = dict(
            zip(carried, self.simulation.robots[len(arms) :], strict=True)
        )
        self.tables = self._addition.tables
        self._rays = Rays(self.simulation.model, self.simulation.data, self.tables)
        self._robots = {robot.name: number for number, robot in enumerate(scene.robots)}
        self._things = {name: number for number, name in enumerate(self.simulation.names)}
        self._still = {body.name: body.pose for body in scene.bodies if body.kind == "immovable"}
        self._kinds: list[OtherKind] = ["robot"] * len(scene.robots)
        self._kinds += [body.kind for body in scene.bodies]
        self._hands = self._controls()
        self._told: list[MobileEvent] = []
        self._back = {name: inverse(main) for name, main in self._addition.main.items()}
        self._began = 0.0
        self._start = self.simulation.capture()

    def _controls(self) -> dict[str, HandControl]:
        model, scene = self.simulation.model, self.scene
        owner = self.tables.owner
        movable = [body.name for body in scene.bodies if body.kind == "movable"]
        geoms = {name: owner == self.tables.owners.index(name) for name in movable}
        found: dict[str, HandControl] = {}
        for robot in scene.robots:
            if robot.gripper is not None:
                row = self.tables.hands[len(found)]
                found[robot.name] = HandControl(
                    robot, robot.gripper, row, model, self.simulation.data, geoms
                )
        return found

    @property
    def time(self) -> float:
        """Simulated [s]."""
        return self.simulation.time

    def advance(self, seconds: float) -> None:
        """Go on for some time, in whole steps."""
        self._began = self.simulation.time
        self.tables.sectors[:] = 0.0
        for _ in range(max(1, round(seconds / self.simulation.dt))):
            self.simulation.step()
        mujoco.mj_kinematics(self.simulation.model, self.simulation.data)  # for rays of now
        for control in self._hands.values():
            self._told += control.look()

    def reset(self) -> None:
        """Go back to the beginning."""
        self.simulation.restore(self._start)
        self.tables.reset()
        self._told.clear()
        for control in self._hands.values():
            control.reset()

    def pose(self, name: str) -> Array:
        """Return T_world_body of a body or robot. Shape (4, 4)."""
        if name in self._still:
            return self._still[name]
        data = self.simulation.data
        if name in self._robots:
            place = self.tables.place[self._robots[name]]
            return _pose(data.qpos[place : place + 7])
        if name in self._things:
            body = self._things[name]
            pose = _pose(data.qpos[7 * body : 7 * body + 7])
            main = self._addition.main.get(name)
            return pose if main is None else pose @ self._back[name]
        raise UnknownNameError("body or robot", name, self._known())

    def _known(self) -> list[str]:
        return [*self._robots, *self._things, *self._still]

    def velocity(self, name: str) -> Array:
        """Return the velocity of its origin and its angular velocity, in the world. Shape (6,)."""
        if name in self._still:
            return np.zeros(6)
        pose, data = self.pose(name), self.simulation.data
        if name in self._robots:
            dof = self.tables.dof[self._robots[name]]
            found = np.array(data.qvel[dof : dof + 6])
            found[3:] = pose[:3, :3] @ found[3:]
            return found
        state = self.simulation.thing(self._things[name])
        arm = pose[:3, 3] - state.position
        return np.concatenate([state.velocity + np.cross(state.spin, arm), state.spin])

    def move(self, name: str, pose: Array) -> None:
        """Put a movable body or a robot somewhere, at rest."""
        goal = transform_argument(pose, f"'{name}', pose")
        if name in self._still:
            raise DescriptionError(
                "is immovable", element=f"body '{name}'", allowed="movable bodies and robots"
            )
        data = self.simulation.data
        if name in self._robots:
            number = self._robots[name]
            place, dof = self.tables.place[number], self.tables.dof[number]
            data.qpos[place : place + 3] = goal[:3, 3]
            data.qpos[place + 3 : place + 7] = quaternion_from_rotation(goal[:3, :3])
            data.qvel[dof : dof + 6] = 0.0
            self.tables.twist[number] = 0.0
        elif name in self._things:
            main = self._addition.main.get(name)
            goal = goal if main is None else goal @ main
            self.simulation.place(self._things[name], goal[:3, 3], goal[:3, :3])
        else:
            raise UnknownNameError("body or robot", name, self._known())
        mujoco.mj_kinematics(self.simulation.model, data)  # for rays of now

    def launch(self, name: str, velocity: Array) -> None:
        """Give a movable body a velocity and an angular velocity, in the world. Shape (6,)."""
        if name not in self._things:
            raise UnknownNameError("movable body", name, list(self._things))
        number = self._things[name]
        state = self.simulation.thing(number)
        arm = state.position - self.pose(name)[:3, 3]
        speed = velocity[:3] + np.cross(velocity[3:], arm)
        self.simulation.place(number, state.position, None, speed, velocity[3:])

    def drive(self, robot: str, twist: Array) -> None:
        """Have a robot drive: forwards [m/s], to the left [m/s], turning [rad/s]. Shape (3,)."""
        number = self._number(robot)
        base = self.scene.robots[number].base
        forwards, sideways, turning = twist.tolist()
        self.tables.goal[number] = limited_twist(base, forwards, sideways, turning)

    def grip(self, robot: str, command: GripperCommand) -> None:
        """Have the hands of a robot open or close."""
        self._number(robot)
        control = self._hands.get(robot)
        if control is None:
            raise DescriptionError("has no gripper", element=f"robot '{robot}'")
        if command == "close":
            control.close()
        else:
            control.open()

    def holding(self, robot: str) -> str:
        """Return the name of what a robot has in its hands; empty: nothing."""
        self._number(robot)
        return self._hands[robot].held if robot in self._hands else ""

    def distances(self, robot: str) -> list[float]:
        """Return how far each of its sensors sees: to the nearest surface or its reach [m]."""
        number = self._number(robot)
        return self._rays.distances(self.scene.robots[number], number)

    def picture(self, robot: str, camera: RobotCamera) -> Picture:
        """Return what its camera sees. Shape (rows, columns, 3)."""
        return self._rays.picture(camera, self._number(robot))

    def touched(self, robot: str, direction: float, width: float) -> bool:
        """Whether a sector of its outline [rad] was touched since the last step of the programs."""
        sectors = self.tables.sectors[self._number(robot)]
        middles = (np.arange(SECTOR_COUNT) + 0.5) * (2.0 * math.pi / SECTOR_COUNT)
        away = np.abs((middles - direction + math.pi) % (2.0 * math.pi) - math.pi)
        return bool(sectors[away <= 0.5 * width].any())

    def odometry(self, robot: str) -> GroundPose:
        """Return where its wheels say it is, counted from its start."""
        x, y, heading = self.tables.odometry[self._number(robot)].tolist()
        return GroundPose(x, y, math.atan2(math.sin(heading), math.cos(heading)))

    def rim_speeds(self, robot: str) -> tuple[float, ...]:
        """Return how fast the rims of its wheels go [m/s]."""
        number = self._number(robot)
        return rim_speeds(self.scene.robots[number].base, self.tables.twist[number, 3:])

    def take_events(self) -> list[MobileEvent]:
        """Return what has happened since this was last asked, in the order of time."""
        found, self._told = self._told, []
        tables = self.tables
        for time, robot, owner, x, y, z, speed, _ in tables.records[: tables.count[0]].tolist():
            name, other = tables.owners[int(robot)], tables.owners[int(owner)]
            kind = self._kinds[int(owner)]
            within = max(time - self._began, 0.0)
            found.append(Collision(time, within, name, other, kind, (x, y, z), speed))
        tables.count[0] = 0
        return sorted(found, key=lambda event: event.time)

    def _number(self, robot: str) -> int:
        if robot not in self._robots:
            raise UnknownNameError("robot", robot, self._robots)
        return self._robots[robot]


def _placement(robot: MobileRobot, arm: CarriedArm) -> RobotPlacement:
    base = robot.pose @ arm.pose
    return RobotPlacement(arm.arm, arm.gripper, base, arm.q, carrier=mobile_name(robot.name))


def _pose(coordinates: Array) -> Array:
    """Return the pose of a free joint's coordinates; the quick way, for they are right. (4, 4)."""
    pose, turn = np.eye(4), np.empty(9)
    mujoco.mju_quat2Mat(turn, coordinates[3:7])
    pose[:3, :3] = turn.reshape(3, 3)
    pose[:3, 3] = coordinates[:3]
    return pose
