"""From a scene to an runtime: finds arms and programs, builds the physics, configures programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from armwerk.cell.building.arm_model import base_pose, carrying_model, motion_limits
from armwerk.cell.building.faults import Faults
from armwerk.cell.building.finder import Finder
from armwerk.cell.programs.context import CellProgramContext, CellRobotContext
from armwerk.cell.programs.processor import CellProcessor
from armwerk.cell.programs.robot import CellRobot
from armwerk.cell.runtime import CellRuntime
from armwerk.cell.traces import error_text, last_line
from armwerk.control.controller import RobotController
from armwerk.control.processor import TriggerProcessor
from armwerk.control.skills import Skills
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.physics import Mounted, Settings, Simulation
from armwerk.physics.mechanism import mechanism
from armwerk.scene.scene import MOST_ROBOTS, Robot, Scene

_PLACE = tuple(item.name for item in fields(Robot) if item.name != "number")


@dataclass(frozen=True, slots=True, eq=False)
class CellSetup:
    """What a world is made of.

    Args:
        scene: The cell, with what the caller wants otherwise already in it.
        settings: Of the physics.
        ik: Inverse method of all arms.
        skills: The automatic kinematics that are on.
        robots: What stands in place of names: objects by robot number and field.
        processors: The same of trigger processors by instance number.
        patience: Real time for which a program may keep everybody waiting [s].
    """

    scene: Scene
    settings: Settings
    ik: str = "pref"
    skills: Skills = field(default_factory=Skills)
    robots: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    processors: Mapping[int, Any] = field(default_factory=dict)
    patience: float = 10.0


def with_robots(scene: Scene, given: Mapping[int, Any] | None) -> tuple[Scene, dict[int, Any]]:
    """Return a scene with some robots changed, and the objects that its texts cannot hold.

    Args:
        scene: The cell.
        given: By robot number a mapping with any of position, angle, manipulator, gripper,
            controller, config and q (start values of the motors); or just a controller.
    """
    robots = {robot.number: robot for robot in scene.robots}
    objects: dict[int, Any] = {}
    for number, changes in (given or {}).items():
        if number not in range(MOST_ROBOTS):
            raise DescriptionError(
                "no robot number", element="robots", value=number, allowed=f"0 to {MOST_ROBOTS - 1}"
            )
        wanted = dict(changes) if isinstance(changes, Mapping) else {"controller": changes}
        for name in wanted:
            if name not in {*_PLACE, "q"}:
                raise UnknownNameError(f"value of robot {number}", str(name), (*_PLACE, "q"))
        names = ("manipulator", "gripper", "controller")
        objects[number] = {
            key: value
            for key, value in wanted.items()
            if key == "q" or (key in names and not isinstance(value, str | None))
        }
        texts = {key: value for key, value in wanted.items() if key not in objects[number]}
        robots[number] = replace(robots.get(number, Robot(number)), **texts)
    ordered = tuple(robots[number] for number in sorted(robots))
    return replace(scene, robots=ordered), objects


def assemble(setup: CellSetup, finder: Finder) -> CellRuntime:
    """Return the runtime of a world; nothing has moved yet, and every program is configured.

    Raises:
        DescriptionError: For what is missing or wrong, with the robot's number.
        SceneError: For everything of that kind that stands in the cell's file, all at once.
    """
    scene = setup.scene
    faults = Faults(scene)
    found = [_mounted(robot, setup, finder, faults) for robot in scene.robots]
    programs = [_controller(robot, setup, finder, faults) for robot in scene.robots]
    processors = _processors(setup, finder, faults)
    faults.tell()
    mounted = [one for one in found if one is not None]
    simulation = Simulation(scene, mounted, setup.settings)
    watcher: Any = None
    if scene.watches and scene.things:
        from armwerk.physics.zones import Watcher

        watcher = Watcher(scene)
    runtime = CellRuntime(scene, simulation, watcher, setup.patience)
    models: dict[Any, Any] = {}
    for k, place in enumerate(scene.robots):
        robot = CellRobot(
            place.number, simulation.robots[k], programs[k], runtime.scheduler, runtime.report
        )
        runtime.robots[place.number] = robot
        runtime.bus.register(place.number, robot.receive, robot=True)
        if programs[k] is not None:
            _give_context(runtime, robot, mounted[k], setup, models)
            _configured(programs[k], place, setup, faults)
    texts = {one.instance: one.config for one in scene.processors}
    names = _processor_names(setup)
    for instance, program in processors.items():
        runtime.processors[instance] = _placed(runtime, instance, program)
        text, name = texts.get(instance), names[instance]
        give = partial(configure, program, text, _at(instance), "TPCONFIG")
        faults.made("processor config", instance, text, give, ("processor", name))
    faults.tell()
    return runtime


def renew(runtime: CellRuntime, setup: CellSetup, finder: Finder) -> None:
    """Make new controllers for stuck robots, and new trigger processors for all."""
    for place in setup.scene.robots:
        robot = runtime.robots[place.number]
        if robot.state != "stuck" or robot.controller is None:
            continue
        old = robot.controller
        fresh = type(old)()
        fresh._context = old._context
        configure(fresh, place.config, f"robot {place.number}", "CONFIG")
        robot.forget(fresh)
    texts = {one.instance: one.config for one in setup.scene.processors}
    for instance, processor in runtime.processors.items():
        program = type(processor.program)()
        program._context = processor.program._context
        processor.forget(program)
        configure(program, texts.get(instance), _at(instance), "TPCONFIG")


def configure(
    program: RobotController | TriggerProcessor | None, text: str | None, who: str, directive: str
) -> None:
    """Give a program its configuration, or say why that does not go.

    Raises:
        DescriptionError: When it needs one and has none, or refuses it.
    """
    if program is None:
        return
    name = type(program).__name__
    if text is None:
        if _needs_configuration(program, who):
            raise DescriptionError(
                f"'{name}' needs a configuration, and none was given",
                element=who,
                allowed=f"a text after {directive} in the cell or on the command line",
            )
        return
    try:
        program.configure(text)
    except (Exception, SystemExit) as error:
        told = last_line(error_text(error))
        raise DescriptionError(
            f"'{name}' refuses its configuration: {str(error) or told}", element=who, value=text
        ) from error


def _needs_configuration(program: RobotController | TriggerProcessor, who: str) -> bool:
    try:
        needed: Any = program.requires_configuration
        return bool(needed() if callable(needed) else needed)
    except (Exception, SystemExit) as error:
        told = last_line(error_text(error))
        raise DescriptionError(
            f"'{type(program).__name__}' cannot say whether it needs a configuration: {told}",
            element=who,
        ) from error


def _configured(
    program: RobotController | None, place: Robot, setup: CellSetup, faults: Faults
) -> None:
    number, text = place.number, place.config
    give = partial(configure, program, text, f"robot {number}", "CONFIG")
    faults.made("config", number, text, give, ("controller", _controller_name(place, setup)))


def _mounted(robot: Robot, setup: CellSetup, finder: Finder, faults: Faults) -> Mounted | None:
    """Return an arm with its gripper in its place; None: a problem was noted."""
    number, objects = robot.number, setup.robots.get(robot.number, {})
    what = objects.get("manipulator", robot.manipulator)
    arm = faults.made(
        "manipulator", number, what, lambda: finder.arm(what, f"robot {number}, manipulator")
    )
    held = objects.get("gripper", robot.gripper)
    gripper = faults.made(
        "gripper", number, held, lambda: finder.gripper(held, f"robot {number}, gripper")
    )
    if arm is None or (gripper is None and held is not None):
        return None
    if gripper is not None:
        both = faults.made("gripper", number, held, partial(mechanism, arm, gripper))
        if both is None:
            return None
    q = objects.get("q")
    start = None if q is None else np.array(q, dtype=np.float64)
    return Mounted(arm, gripper, base_pose(robot), start)


def _controller(
    robot: Robot, setup: CellSetup, finder: Finder, faults: Faults
) -> RobotController | None:
    number, what = robot.number, _controller_name(robot, setup)
    if what is None:
        return None
    find = partial(finder.controller, what, f"robot {number}, controller")
    return faults.made("controller", number, what, find)


def _processors(setup: CellSetup, finder: Finder, faults: Faults) -> dict[int, TriggerProcessor]:
    """Return the trigger processors by instance number, without those that have a problem."""
    found = {}
    for instance, what in _processor_names(setup).items():
        find = partial(finder.processor, what, _at(instance))
        program = faults.made("processor", instance, what, find)
        if program is not None:
            found[instance] = program
    return found


def _controller_name(robot: Robot, setup: CellSetup) -> Any:
    return setup.robots.get(robot.number, {}).get("controller", robot.controller)


def _processor_names(setup: CellSetup) -> dict[int, Any]:
    return {one.instance: one.name for one in setup.scene.processors} | dict(setup.processors)


def _at(instance: int) -> str:
    return f"trigger processor {instance}"


def _give_context(
    runtime: CellRuntime,
    robot: CellRobot,
    mounted: Mounted,
    setup: CellSetup,
    models: dict[Any, Any],
) -> None:
    """Give a controller its place; equal arms share one model."""
    assert robot.controller is not None
    key = (id(mounted.arm), id(mounted.gripper))
    for kept_key, (arm, gripper, found) in models.items():
        if arm == mounted.arm and gripper == mounted.gripper:
            key = kept_key
            model = found
            break
    else:
        model = carrying_model(mounted.arm, mounted.gripper, setup.ik)
        models[key] = (mounted.arm, mounted.gripper, model)
    whole = mechanism(mounted.arm, mounted.gripper)
    robot.controller._context = CellRobotContext(
        runtime,
        robot,
        model,
        np.array(mounted.base),
        motion_limits(whole, mounted.arm),
        setup.skills,
        tuple(whole.members[index].unit for index in whole.motors),
    )


def _placed(runtime: CellRuntime, instance: int, program: TriggerProcessor) -> CellProcessor:
    program._context = CellProgramContext(runtime, instance)
    processor = CellProcessor(instance, program, runtime.scheduler, runtime.report)
    runtime.bus.register(instance, processor.receive)
    return processor
