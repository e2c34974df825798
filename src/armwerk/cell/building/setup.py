"""What a world is made of, and how a caller changes the robots of its scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.cell.arguments import require, require_finite
from armwerk.control.controller import RobotController
from armwerk.control.processor import TriggerProcessor
from armwerk.control.skills import Skills
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.physics import SimulationSettings
from armwerk.physics.drives import JointController
from armwerk.physics.settings import DriveKind
from armwerk.robot import Arm
from armwerk.robot.parts import Assembly
from armwerk.scene.scene import MOST_ROBOTS, Robot, Scene

ArmSource: TypeAlias = str | Arm | Assembly
"""A name or file as in a cell, or the description itself."""
ControllerSource: TypeAlias = str | type[RobotController] | RobotController
"""Text as in a cell ("module.Class"), a class, or an instance."""
ProcessorSource: TypeAlias = str | type[TriggerProcessor] | TriggerProcessor
DrivesSource: TypeAlias = DriveKind | Mapping[int, JointController]
"""How strong all arms are, or by robot number what computes the forces of its motors."""


class RobotOptions(TypedDict, total=False):
    """What a caller may say about a robot; it wins over the scene.

    Args:
        position: Where it stands, x and y [m].
        angle: About the vertical [rad]; 0 looks along +y.
        manipulator: Its arm; None: the default arm.
        gripper: What it carries; None: nothing.
        controller: Its program; None: nobody steers.
        config: Text for the controller.
        q: Start values of the motors [rad or m]. Shape (motors,).
    """

    position: tuple[float, float]
    angle: float
    manipulator: ArmSource | None
    gripper: str | Assembly | None
    controller: ControllerSource | None
    config: str | None
    q: ArrayLike | None


_NAMES = tuple(RobotOptions.__annotations__)


@dataclass(frozen=True, slots=True, eq=False)
class CellSetup:
    """What a world is made of.

    Args:
        scene: The cell, with what the caller wants otherwise already in it.
        settings: Of the physics.
        ik: Inverse method of all arms.
        skills: The automatic kinematics that are on.
        robots: What the texts of a scene cannot hold: objects by robot number and field.
        processors: The same of trigger processors by instance number.
        patience: Real time for which a program may keep everybody waiting [s].
        drives: What computes the forces of motors, by robot number.
    """

    scene: Scene
    settings: SimulationSettings
    ik: str = "pref"
    skills: Skills = field(default_factory=Skills)
    robots: Mapping[int, RobotOptions] = field(default_factory=dict)
    processors: Mapping[int, ProcessorSource] = field(default_factory=dict)
    patience: float = 10.0
    drives: Mapping[int, JointController] = field(default_factory=dict)


def with_drives(
    scene: Scene, settings: SimulationSettings, drives: DrivesSource | None
) -> tuple[SimulationSettings, dict[int, JointController]]:
    """Return settings with the kind of drives wanted, and controllers by robot number."""
    if drives is None:
        return settings, {}
    if isinstance(drives, str):
        return replace(settings, drives=drives), {}
    require(drives, Mapping, "drives", "'limited', 'stiff', or joint controllers by robot number")
    numbers = [robot.number for robot in scene.robots]
    for number, controller in drives.items():
        if number not in numbers:
            raise UnknownNameError("robot of drives", str(number), [str(one) for one in numbers])
        able = all(callable(getattr(controller, name, None)) for name in ("forces", "reset"))
        if not able or isinstance(controller, type):
            raise DescriptionError(
                "is no JointController",
                element=f"drives of robot {number}",
                value=controller,
                allowed="an object with forces(feedback) and reset()",
            )
    return settings, dict(drives)


def with_robots(
    scene: Scene, given: Mapping[int, RobotOptions | ControllerSource] | None
) -> tuple[Scene, dict[int, RobotOptions]]:
    """Return a scene with some robots changed, and the objects that its texts cannot hold.

    Args:
        scene: The cell.
        given: By robot number its options, or just a controller.
    """
    if given is not None:
        require(given, Mapping, "robots", "options or controllers by robot number")
    robots = {robot.number: robot for robot in scene.robots}
    objects: dict[int, RobotOptions] = {}
    for number, changes in (given or {}).items():
        if isinstance(number, bool) or number not in range(MOST_ROBOTS):
            raise DescriptionError(
                "no robot number", element="robots", value=number, allowed=f"0 to {MOST_ROBOTS - 1}"
            )
        options: RobotOptions = changes if isinstance(changes, Mapping) else {"controller": changes}
        for name in options:
            if name not in _NAMES:
                raise UnknownNameError(f"value of robot {number}", str(name), _NAMES)
        robots[number], objects[number] = _changed(robots.get(number, Robot(number)), options)
    ordered = tuple(robots[number] for number in sorted(robots))
    return replace(scene, robots=ordered), objects


def _changed(robot: Robot, options: RobotOptions) -> tuple[Robot, RobotOptions]:
    """Return a robot with the texts and numbers of its options, and the objects among them."""
    objects: RobotOptions = {}
    who = f"robot {robot.number}"
    if "position" in options:
        x, y = _numbers(options["position"], f"{who}, position", (2,)).tolist()
        robot = replace(robot, position=(x, y))
    if "angle" in options:
        require_finite(options["angle"], f"{who}, angle", "rad")
        robot = replace(robot, angle=options["angle"])
    if "config" in options:
        robot = replace(robot, config=options["config"])
    if "q" in options:
        q = options["q"]
        objects["q"] = None if q is None else _numbers(q, f"{who}, q")
    if "manipulator" in options:
        arm = options["manipulator"]
        if isinstance(arm, str | None):
            robot = replace(robot, manipulator=arm)
        else:
            objects["manipulator"] = arm
    if "gripper" in options:
        gripper = options["gripper"]
        if isinstance(gripper, str | None):
            robot = replace(robot, gripper=gripper)
        else:
            objects["gripper"] = gripper
    if "controller" in options:
        controller = options["controller"]
        if isinstance(controller, str | None):
            robot = replace(robot, controller=controller)
        else:
            objects["controller"] = controller
    return robot, objects


def _numbers(given: object, element: str, shape: tuple[int, ...] | None = None) -> Array:
    """Return finite numbers as a row, or of one shape."""
    try:
        numbers = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.ndim != 1 or shape not in {None, numbers.shape} or not np.isfinite(numbers).all():
        count = "" if shape is None else f"{shape[0]} "
        raise DescriptionError(
            "is of the wrong kind",
            element=element,
            value="None" if given is None else given,
            allowed=f"{count}finite numbers [m or rad]",
        )
    return numbers
