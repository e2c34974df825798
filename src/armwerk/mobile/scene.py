"""What stands and drives in a world of mobile robots. Plain frozen data, SI units and radians."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Literal, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry.shape import Shape
from armwerk.mobile.bases import Base, DifferentialBase
from armwerk.mobile.devices import (
    Bumper,
    Compass,
    DistanceSensor,
    HandGripper,
    RobotCamera,
    frozen_pose,
    unmoved,
    within,
)
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

BodyKind: TypeAlias = Literal["immovable", "movable"]
ImpactLaw: TypeAlias = Literal["contact", "source"]
DENSITY = 1000.0  # [kg/m³] of bodies that state neither mass nor density


@dataclass(frozen=True, slots=True, eq=False)
class MobileBody:
    """A body of a scene: a piece of the landscape, or something that can be pushed and taken.

    Args:
        name: Unique in its scene.
        solids: What it is made of, in its own frame; meshes or shapes of `armwerk.geometry`.
        kind: Whether it moves.
        pose: T_world_body. Shape (4, 4).
        mass: [kg]; None: from its density.
        density: [kg/m³]; None: from its mass, or 1000 where neither is given.
        friction: 0 to 1; of two that touch the product counts.
        bounce: Share of the normal speed kept at a rebound, 0 to 1; None: by the scene's impact
            law, that is 0 for "contact" and 1 for "source".
        rolling: By how much a rolling ball gets slower on level ground [m/s²].
        colour: Six hex digits.
        is_group: Whether it was a group of a scene file; groups cannot be movable.
    """

    name: str
    solids: tuple[Shape, ...]
    kind: BodyKind = "movable"
    pose: Array = field(default_factory=unmoved)
    mass: float | None = None
    density: float | None = None
    friction: float = 0.7
    bounce: float | None = None
    rolling: float = 0.0
    colour: str = "B0B0B0"
    is_group: bool = False

    def __post_init__(self) -> None:
        element = f"body '{self.name}'"
        object.__setattr__(self, "pose", frozen_pose(self.pose, f"{element}, pose"))
        if self.kind not in ("immovable", "movable"):
            raise DescriptionError(
                "unknown kind",
                element=element,
                value=self.kind,
                allowed="immovable, movable",
            )
        if self.is_group and self.kind == "movable":
            raise DescriptionError(
                "a group of several objects cannot be movable",
                element=element,
                allowed="single objects, or the kind immovable",
            )
        if not self.solids:
            raise DescriptionError("has no solid", element=element, allowed="one or more")
        check_mass(element, self.mass, self.density)
        within(f"{element}, friction", self.friction, 0.0, 1.0, "")
        within(f"{element}, rolling", self.rolling, 0.0, 1e3, "m/s²")
        if self.bounce is not None:
            within(f"{element}, bounce", self.bounce, 0.0, 1.0, "")


@dataclass(frozen=True, slots=True)
class Reports:
    """What the program of a robot is told in each step, beside its sensors.

    Args:
        place: Position and heading.
        immovable: Collisions with bodies that do not move.
        movable: Collisions with bodies that do.
        robots: Collisions with other robots.
        gripper: What was gripped, released or not gripped.
        goals: Goals.
        pictures: Whether the camera takes a picture in every step.
        seen: Where movable bodies and robots are, as a camera above all of them sees it.
    """

    place: bool = True
    immovable: bool = True
    movable: bool = True
    robots: bool = True
    gripper: bool = True
    goals: bool = True
    pictures: bool = False
    seen: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CarriedArm:
    """An arm on a mobile robot.

    Args:
        arm: By joints or by parts.
        pose: T_robot_base: where it stands on the robot. Shape (4, 4).
        gripper: At the arm's hand; None: none.
        q: Values of its motors at the start; None: its home.
    """

    arm: Arm | Assembly
    pose: Array = field(default_factory=unmoved)
    gripper: Assembly | None = None
    q: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", frozen_pose(self.pose, "carried arm, pose"))


@dataclass(frozen=True, slots=True, eq=False)
class MobileRobot:
    """A robot on wheels.

    Args:
        name: Unique in its scene.
        base: Its wheels.
        pose: T_world_robot: on the ground below the middle of the wheels, x forwards, z up.
            Shape (4, 4).
        solids: Its hull without wheels, in its own frame; empty: a cylinder over the wheels.
        sensors: Of distance.
        bumpers: What feels contact.
        camera: None: it has none.
        compass: None: it has none.
        gripper: None: it has none.
        arm: That it carries; None: none. Its mass comes to that of the robot.
        mass: With everything [kg]; None: from its density.
        density: [kg/m³]; None: from its mass, or 1000 where neither is given.
        friction: Of hull and wheels, 0 to 1; of two that touch the product counts.
        colour: Six hex digits.
        active: Whether it does what its program says.
        program: Name of its program; empty: none is assigned.
        reports: What its program is told.
    """

    name: str
    base: Base = field(default_factory=DifferentialBase)
    pose: Array = field(default_factory=unmoved)
    solids: tuple[Shape, ...] = ()
    sensors: tuple[DistanceSensor, ...] = ()
    bumpers: tuple[Bumper, ...] = ()
    camera: RobotCamera | None = None
    compass: Compass | None = None
    gripper: HandGripper | None = None
    arm: CarriedArm | None = None
    mass: float | None = None
    density: float | None = None
    friction: float = 1.0
    colour: str = "3A6EA5"
    active: bool = True
    program: str = ""
    reports: Reports = field(default_factory=Reports)

    def __post_init__(self) -> None:
        element = f"robot '{self.name}'"
        object.__setattr__(self, "pose", frozen_pose(self.pose, f"{element}, pose"))
        check_mass(element, self.mass, self.density)
        within(f"{element}, friction", self.friction, 0.0, 1.0, "")
        _once(element, "sensors", (sensor.name for sensor in self.sensors))
        _once(element, "bumpers", (bumper.name for bumper in self.bumpers))


@dataclass(frozen=True, slots=True, eq=False)
class GoalArea:
    """A box in which a body counts as a goal.

    Args:
        name: For the event.
        low: Lowest corner in the world [m].
        high: Highest corner in the world [m].
        bodies: Names of the bodies that count.
        back_to: Where the middle of such a body is put when it has come in, at rest [m]; None: it
            stays.
    """

    name: str
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    bodies: tuple[str, ...]
    back_to: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MobileScene:
    """A world of bodies and mobile robots, at its beginning.

    Args:
        name: What it is called.
        bodies: Each name once among bodies and robots.
        robots: Each name once among bodies and robots.
        goals: Where bodies count as goals.
        gravity: Downwards [m/s²].
        floor: Whether an endless floor lies at height 0.
        floor_friction: Of that floor, 0 to 1.
        impact: "contact": real contact, in which bodies bounce as they state. "source": movables
            are fully elastic unless they state otherwise, they do not push robots, and a robot
            that drove into something keeps the heading it then has.
        step: Between two steps of the programs [s].
        unit: Length of one unit of the file it came from [m].
        problems: What is doubtful in it, in sentences, for the log.
        origin: Digest of the mesh file it was read from; empty: it was made in Python.
    """

    name: str = "scene"
    bodies: tuple[MobileBody, ...] = ()
    robots: tuple[MobileRobot, ...] = ()
    goals: tuple[GoalArea, ...] = ()
    gravity: float = 9.81
    floor: bool = True
    floor_friction: float = 1.0
    impact: ImpactLaw = "contact"
    step: float = 0.05
    unit: float = 1.0
    problems: tuple[str, ...] = ()
    origin: str = ""

    def __post_init__(self) -> None:
        _once("scene", "bodies and robots", self.names())
        within("scene, gravity", self.gravity, 0.0, 1e3, "m/s²")
        within("scene, friction of the floor", self.floor_friction, 0.0, 1.0, "")
        within("scene, step", self.step, 1e-3, 10.0, "s")
        within("scene, unit", self.unit, 1e-6, 1e6, "m")
        if self.impact not in ("contact", "source"):
            raise DescriptionError(
                "unknown impact law",
                element="scene, impact",
                value=self.impact,
                allowed="contact, source",
            )

    def names(self) -> list[str]:
        """Return the names of all bodies and robots."""
        return [body.name for body in self.bodies] + [robot.name for robot in self.robots]

    def body(self, name: str) -> MobileBody:
        """Return the body of a name.

        Raises:
            UnknownNameError: When there is none.
        """
        for body in self.bodies:
            if body.name == name:
                return body
        raise UnknownNameError("body", name, [body.name for body in self.bodies])

    def robot(self, name: str) -> MobileRobot:
        """Return the robot of a name.

        Raises:
            UnknownNameError: When there is none.
        """
        for robot in self.robots:
            if robot.name == name:
                return robot
        raise UnknownNameError("robot", name, [robot.name for robot in self.robots])

    @property
    def digest(self) -> str:
        """SHA-256 of names and geometry: what settings of this scene are bound to.

        Poses, kinds, masses and frictions are no part of it, since settings change them.
        """
        if self.origin:
            return self.origin
        total = hashlib.sha256()
        for body in self.bodies:
            _feed(total.update, "body", body.name, body.solids)
        for robot in self.robots:
            _feed(total.update, "robot", robot.name, robot.solids)
        return total.hexdigest()


def check_mass(element: str, mass: float | None, density: float | None) -> None:
    """Refuse masses and densities that cannot be, or both at once.

    Raises:
        DescriptionError: Naming the element.
    """
    if mass is not None and density is not None:
        raise DescriptionError(
            "has both a mass and a density",
            element=element,
            value=f"{mass:g} kg, {density:g} kg/m³",
            allowed="one of the two",
        )
    if mass is not None:
        within(f"{element}, mass", mass, 1e-6, 1e5, "kg")
    if density is not None:
        within(f"{element}, density", density, 1e-3, 1e5, "kg/m³")


def _once(element: str, what: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if not name or not name.isprintable():
            raise DescriptionError(
                "a name is empty or holds characters that cannot be written",
                element=f"{element}, {what}",
                value=ascii(name),
            )
        if count > 1:
            raise DescriptionError(
                f"{count} have this name",
                element=f"{element}, {what}",
                value=name,
                allowed="every name once",
            )


def _feed(
    update: Callable[[bytes], object], kind: str, name: str, solids: tuple[Shape, ...]
) -> None:
    update(f"{kind} {name}\n".encode())
    for solid in solids:
        update(type(solid).__name__.encode())
        names: list[str] = [item.name for item in fields(solid)] if is_dataclass(solid) else []
        for value in (getattr(solid, name) for name in names):
            array = isinstance(value, np.ndarray)
            update((value + 0).tobytes() if array else repr(value).encode())
