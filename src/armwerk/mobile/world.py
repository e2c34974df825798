"""A world of mobile robots and their programs, step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry.rotation import rotation_z
from armwerk.mobile.bases import OmniBase
from armwerk.mobile.engine import MobileEngine
from armwerk.mobile.events import GoalScored, MobileEvent, RobotMessage, SceneNotice, Tipped
from armwerk.mobile.free_place import disc_radius, free_place
from armwerk.mobile.kinematic.surroundings import hull
from armwerk.mobile.program import (
    Answer,
    BaseVelocity,
    Displacement,
    GripperCommand,
    MobileProgram,
    SeenObject,
    Senses,
    WheelSpeeds,
)
from armwerk.mobile.scene import GoalArea, MobileRobot, MobileScene
from armwerk.mobile.senses import seen_from_above, sense
from armwerk.physics.settings import RobotPlacement
from armwerk.scene.scene import Scene

TILT = math.cos(math.radians(60.0))  # cosine between a robot's z and upwards where it lies
GOAL_LOOKS = 8  # places on its way within a step at which a body is looked for in a goal


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRay:
    """What a distance sensor sees.

    Args:
        robot: Whose sensor.
        sensor: Its name.
        start: Where it is in the world [m]. Shape (3,).
        end: The point it measures, or the end of its reach [m]. Shape (3,).
        met: Whether there is something at the end.
    """

    robot: str
    sensor: str
    start: Array
    end: Array
    met: bool


@dataclass(frozen=True, slots=True, eq=False)
class MobileState:
    """Where everything is at a moment.

    Args:
        time: Simulated [s].
        poses: T_world_body of every body and robot, by name.
        holding: What each robot has in its hands, by its name; only those that hold something.
    """

    time: float
    poses: Mapping[str, Array]
    holding: Mapping[str, str]


class MobileWorld:
    """A scene with its robots at work.

    Args:
        scene: Bodies and robots.
        programs: What steers the robots, by their names; a robot without one stands.
        seed: Of the errors of sensors.
        engine: What moves the scene; None: physics.
        surroundings: Things, belts and obstacles of an environment in the same world.
        arms: Arms in the same world.
        dt: Step of time inside a step of the programs [s].

    Attributes:
        events: All that has happened, in the order of time.
    """

    def __init__(
        self,
        scene: MobileScene,
        programs: Mapping[str, MobileProgram] | None = None,
        seed: int = 0,
        engine: MobileEngine | None = None,
        surroundings: Scene | None = None,
        arms: Sequence[RobotPlacement] = (),
        dt: float | None = None,
    ) -> None:
        self.scene, self._seed = scene, seed
        if engine is None:
            from armwerk.mobile.physical.engine import PhysicalEngine  # loads MuJoCo

            engine = PhysicalEngine(scene, surroundings, arms, dt)
        self.engine = engine
        self._active = {robot.name: robot.active for robot in scene.robots}
        self._programs: dict[str, MobileProgram] = {}
        self.events: list[MobileEvent] = []
        self._begin()
        for name, program in (programs or {}).items():
            self.assign(name, program)

    def _begin(self) -> None:
        robots = self.scene.robots
        self._random = [np.random.default_rng([self._seed, k]) for k in range(len(robots))]
        self._messages: list[RobotMessage] = []
        self._above: tuple[float, Mapping[str, SeenObject]] | None = None
        self._last: tuple[MobileEvent, ...] = ()
        self._gripper: dict[str, GripperCommand] = {robot.name: "open" for robot in robots}
        self._fallen: set[str] = set()
        self._inside: set[tuple[str, str]] = set()
        self._before = {
            name: self._middle(name) for goal in self.scene.goals for name in goal.bodies
        }
        self.events.clear()
        self.events += [SceneNotice(self.time, text) for text in self.scene.problems]

    @property
    def time(self) -> float:
        """Simulated [s]."""
        return self.engine.time

    @property
    def state(self) -> MobileState:
        """Where everything is now."""
        names = self.scene.names()
        held = {robot.name: self.engine.holding(robot.name) for robot in self.scene.robots}
        return MobileState(
            self.time,
            {name: self.engine.pose(name).copy() for name in names},
            {robot: body for robot, body in held.items() if body},
        )

    def assign(self, robot: str, program: MobileProgram | None) -> None:
        """Give a robot a program; None: it stands from now on."""
        described = self.scene.robot(robot)
        if program is None:
            self._programs.pop(robot, None)
            self.engine.drive(robot, np.zeros(3))
            return
        self._programs[robot] = program
        program.start(described)

    def activate(self, robot: str, active: bool = True) -> None:
        """Let a robot do what its program says, or stand."""
        self.scene.robot(robot)
        self._active[robot] = active
        if not active:
            self.engine.drive(robot, np.zeros(3))

    def pose(self, name: str) -> Array:
        """Return T_world_body of a body or robot. Shape (4, 4)."""
        return self.engine.pose(name).copy()

    def velocity(self, name: str) -> Array:
        """Return velocity [m/s] and angular velocity [rad/s] in the world. Shape (6,)."""
        return self.engine.velocity(name)

    def move(self, name: str, place: ArrayLike, heading: float | None = None) -> None:
        """Put a movable body or a robot somewhere by hand, at rest; also while the world runs.

        Args:
            name: Of the body or robot.
            place: Of its origin [m], Shape (3,), or its whole pose, Shape (4, 4).
            heading: Turn about the upward axis, 0: x along +x of the world [rad]; None: as it is.
        """
        given = np.asarray(place, dtype=np.float64)
        pose = self.pose(name)
        if given.shape == (4, 4):
            pose = given
        elif given.shape == (3,) and np.isfinite(given).all():
            pose[:3, 3] = given
        else:
            raise DescriptionError(
                "not a place",
                element=f"'{name}'",
                value=given.tolist(),
                allowed="three finite numbers [m], or a pose (4, 4)",
            )
        if heading is not None:
            pose[:3, :3] = rotation_z(heading)
        self.engine.move(name, pose)
        self._above = None
        if name in self._before:
            self._before[name] = self._middle(name)

    def launch(self, name: str, velocity: ArrayLike, spin: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Give a movable body a velocity [m/s] and an angular velocity [rad/s] in the world."""
        both = np.concatenate([np.asarray(velocity, float), np.asarray(spin, float)])
        if both.shape != (6,) or not np.isfinite(both).all():
            raise DescriptionError(
                "not a velocity", element=f"'{name}'", allowed="twice three finite numbers"
            )
        self.engine.launch(name, both)

    def rays(self) -> tuple[MeasuredRay, ...]:
        """Return how far the distance sensors of all robots see now, without their errors."""
        found: list[MeasuredRay] = []
        for robot in self.scene.robots:
            if not robot.sensors:
                continue
            pose = self.engine.pose(robot.name)
            for sensor, far in zip(robot.sensors, self.engine.distances(robot.name), strict=True):
                place = pose @ sensor.pose
                start = place[:3, 3]
                end = start + far * place[:3, 0]
                found.append(MeasuredRay(robot.name, sensor.name, start, end, far < sensor.reach))
        return tuple(found)

    def senses(self, robot: str) -> Senses:
        """Return what the program of a robot would be told now, without errors of its sensors.

        Asking changes nothing.
        """
        described = self.scene.robot(robot)
        number = self.scene.robots.index(described)
        kept = self._random[number].bit_generator.state
        found = self._sense(described, number)
        self._random[number].bit_generator.state = kept
        return found

    def _sense(self, robot: MobileRobot, number: int) -> Senses:
        mine = (robot.name, "*")
        messages = tuple(
            one for one in self._messages if one.receiver in mine and one.sender != robot.name
        )
        return sense(
            self.engine,
            robot,
            self.scene.step,
            self._gripper[robot.name],
            self._last,
            messages,
            self._random[number],
            self._seen(),
        )

    def _seen(self) -> Mapping[str, SeenObject] | None:
        """Return what a camera above all sees, taken once in a step; None: nobody is told."""
        if not any(robot.reports.seen for robot in self.scene.robots):
            return None
        if self._above is None or self._above[0] != self.time:
            self._above = (self.time, seen_from_above(self.engine, self.scene))
        return self._above[1]

    def step(self) -> None:
        """Ask every program once, then let the time of a step pass."""
        answers: list[tuple[MobileRobot, Answer]] = []
        for number, robot in enumerate(self.scene.robots):
            program = self._programs.get(robot.name)
            if program is None:
                continue
            senses = self._sense(robot, number)
            try:
                answer = program.step(senses)
            except Exception as error:
                error.add_note(f"in the program of robot '{robot.name}' at {self.time:.3f} s")
                raise
            if answer is not None:
                answers.append((robot, answer))
        self._messages.clear()
        for robot, answer in answers:
            self._send(robot, answer)
            if self._active[robot.name]:
                self._obey(robot, answer)
        began = len(self.events)
        self.engine.advance(self.scene.step)
        self.events += self.engine.take_events()
        self._look_for_goals()
        self._look_for_fallen()
        self._last = tuple(self.events[began:])

    def run(self, seconds: float, until: Callable[[MobileWorld], bool] | None = None) -> None:
        """Go on for some time, rounded to whole steps, or until something is so."""
        for _ in range(round(seconds / self.scene.step)):
            self.step()
            if until is not None and until(self):
                break

    def reset(self) -> None:
        """Go back to the beginning; programs are started anew."""
        self.engine.reset()
        self._begin()
        for name, program in self._programs.items():
            program.start(self.scene.robot(name))

    def clear_events(self) -> None:
        """Empty the list of events."""
        self.events.clear()

    def _send(self, robot: MobileRobot, answer: Answer) -> None:
        names = {one.name for one in self.scene.robots}
        for message in answer.messages:
            if message.receiver != "*" and message.receiver not in names:
                known = UnknownNameError("robot", message.receiver, sorted(names))
                text = f"robot '{robot.name}' sent a message to nobody: {known}"
                self.events.append(SceneNotice(self.time, text))
                continue
            sent = RobotMessage(self.time, robot.name, message.receiver, message.text)
            self._messages.append(sent)
            self.events.append(sent)

    def _obey(self, robot: MobileRobot, answer: Answer) -> None:
        twist = twist_of(robot, answer, self.scene.step)
        self.engine.drive(robot.name, twist)
        if answer.gripper is not None and robot.gripper is not None:
            if answer.gripper != self._gripper[robot.name]:
                self.engine.grip(robot.name, answer.gripper)
            self._gripper[robot.name] = answer.gripper

    def _middle(self, name: str) -> Array:
        body, pose = self.scene.body(name), self.engine.pose(name)
        low = np.min([solid.bounds[0] for solid in body.solids], axis=0)
        high = np.max([solid.bounds[1] for solid in body.solids], axis=0)
        middle: Array = pose[:3, :3] @ (0.5 * (low + high)) + pose[:3, 3]
        return middle

    def _look_for_goals(self) -> None:
        for goal in self.scene.goals:
            for name in goal.bodies:
                now = self._middle(name)
                way = self._before[name] + np.linspace(0.0, 1.0, GOAL_LOOKS + 1)[:, None] * (
                    now - self._before[name]
                )
                inside = any(_within(place, goal) for place in way[1:].tolist())
                if inside and (goal.name, name) not in self._inside:
                    self._score(goal, name)
                elif not inside:
                    self._inside.discard((goal.name, name))
        for goal in self.scene.goals:
            for name in goal.bodies:
                self._before[name] = self._middle(name)

    def _score(self, goal: GoalArea, name: str) -> None:
        self.events.append(GoalScored(self.time, goal.name, name))
        if goal.back_to is None:
            self._inside.add((goal.name, name))
            return
        pose = self.pose(name)
        pose[:3, 3] += np.asarray(self._kick_off(goal.back_to, name)) - self._middle(name)
        self.engine.move(name, pose)

    def _kick_off(self, wanted: Sequence[float], name: str) -> tuple[float, float, float]:
        """Return where a body is put back: where it is wanted, or beside the robot there."""
        taken = []
        for robot in self.scene.robots:
            place = self.engine.pose(robot.name)
            taken.append((float(place[0, 3]), float(place[1, 3]), disc_radius(hull(robot))))
        boxes = np.stack([solid.bounds for solid in self.scene.body(name).solids])
        size = float(np.ptp(boxes[:, :, :2], axis=(0, 1)).max())
        x, y = free_place(wanted[0], wanted[1], size / 2, taken)
        return x, y, wanted[2]

    def _look_for_fallen(self) -> None:
        for robot in self.scene.robots:
            upright = float(self.engine.pose(robot.name)[2, 2]) > TILT
            if upright:
                self._fallen.discard(robot.name)
            elif robot.name not in self._fallen:
                self._fallen.add(robot.name)
                self.events.append(Tipped(self.time, robot.name))


def _within(place: Sequence[float], goal: GoalArea) -> bool:
    return all(goal.low[k] <= place[k] <= goal.high[k] for k in range(3))


def twist_of(robot: MobileRobot, answer: Answer, step: float) -> Array:
    """Return the velocity of a base that an answer means. Shape (3,).

    Raises:
        DescriptionError: When a number is not finite, or the base has no such wheels.
    """
    match answer:
        case WheelSpeeds():
            numbers: tuple[float, ...] = (answer.left, answer.right)
        case BaseVelocity() | Displacement():
            numbers = (answer.forwards, answer.sideways, answer.turning)
    if not all(math.isfinite(number) for number in numbers):
        raise DescriptionError(
            "an answer that is no number",
            element=f"program of robot '{robot.name}'",
            value=numbers,
            allowed="finite speeds",
        )
    if isinstance(answer, WheelSpeeds):
        if isinstance(robot.base, OmniBase):
            raise DescriptionError(
                "an omnidirectional base has no left and right wheels",
                element=f"program of robot '{robot.name}'",
                allowed="BaseVelocity or Displacement as an answer",
            )
        turning = (answer.right - answer.left) / robot.base.track
        return np.array([0.5 * (answer.left + answer.right), 0.0, turning])
    twist = np.array([answer.forwards, answer.sideways, answer.turning])
    return twist / step if isinstance(answer, Displacement) else twist
