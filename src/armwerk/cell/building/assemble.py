"""From a scene to an runtime: finds arms and programs, builds the physics, configures programs."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from armwerk.cell.building.arm_model import base_pose, carrying_model, motion_limits
from armwerk.cell.building.faults import Faults
from armwerk.cell.building.finder import Finder
from armwerk.cell.building.setup import CellSetup, ControllerSource, ProcessorSource
from armwerk.cell.programs.context import CellProgramContext, CellRobotContext
from armwerk.cell.programs.processor import CellProcessor
from armwerk.cell.programs.robot import CellRobot
from armwerk.cell.runtime import CellRuntime
from armwerk.cell.traces import error_text, last_line
from armwerk.control.controller import RobotController
from armwerk.control.processor import TriggerProcessor
from armwerk.errors import DescriptionError
from armwerk.mechanics import ArmModel
from armwerk.physics import RobotPlacement, Simulation
from armwerk.physics.mechanism import mechanism
from armwerk.physics.zones import ZoneWatcher
from armwerk.robot import Arm
from armwerk.robot.parts import Assembly
from armwerk.scene.scene import Robot


class _KnownModel(NamedTuple):
    arm: Arm | Assembly
    gripper: Assembly | None
    model: ArmModel


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
    watcher = ZoneWatcher(scene) if scene.watches and scene.things else None
    runtime = CellRuntime(scene, simulation, watcher, setup.patience)
    models: list[_KnownModel] = []
    for k, place in enumerate(scene.robots):
        robot = CellRobot(
            place.number, simulation.robots[k], programs[k], runtime.scheduler, runtime.report
        )
        runtime.robots[place.number] = robot
        runtime.bus.register(place.number, robot.receive, robot=True)
        if programs[k] is not None:
            _give_context(runtime, robot, mounted[k], setup, models)
            _configured(programs[k], place, setup, faults)
    _lead(runtime, mounted, setup, models)
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
    """Make new controllers for stuck robots and new trigger processors; all draw anew."""
    for context in runtime.contexts:
        context.reseed()
    for place in setup.scene.robots:
        robot = runtime.robots[place.number]
        if robot.state != "stuck" or robot.controller is None:
            continue
        old = robot.controller
        fresh = old._fresh()
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
    name = program._title if isinstance(program, RobotController) else type(program).__name__
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
        needed: object = program.requires_configuration
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


def _mounted(
    robot: Robot, setup: CellSetup, finder: Finder, faults: Faults
) -> RobotPlacement | None:
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
    drives = setup.drives.get(number)
    return RobotPlacement(arm, gripper, base_pose(robot), start, number, drives)


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


def _controller_name(robot: Robot, setup: CellSetup) -> ControllerSource | None:
    return setup.robots.get(robot.number, {}).get("controller", robot.controller)


def _processor_names(setup: CellSetup) -> dict[int, ProcessorSource]:
    return {one.instance: one.name for one in setup.scene.processors} | dict(setup.processors)


def _at(instance: int) -> str:
    return f"trigger processor {instance}"


def _lead(
    runtime: CellRuntime,
    mounted: list[RobotPlacement],
    setup: CellSetup,
    models: list[_KnownModel],
) -> None:
    """Give robots without a controller to the first robot program, which may move them too."""
    robots = runtime.robots.values()
    leader = next((one for one in robots if one.controller and one.controller._leads), None)
    if leader is None or leader.controller is None:
        return
    leader.controller._others = tuple(
        _context(runtime, robot, placement, setup, models).led_by(leader)
        for robot, placement in zip(robots, mounted, strict=True)
        if robot.controller is None
    )


def _give_context(
    runtime: CellRuntime,
    robot: CellRobot,
    mounted: RobotPlacement,
    setup: CellSetup,
    models: list[_KnownModel],
) -> None:
    """Give a controller its place."""
    assert robot.controller is not None
    robot.controller._context = context = _context(runtime, robot, mounted, setup, models)
    runtime.contexts.append(context)


def _context(
    runtime: CellRuntime,
    robot: CellRobot,
    mounted: RobotPlacement,
    setup: CellSetup,
    models: list[_KnownModel],
) -> CellRobotContext:
    """Return the place of a program; equal arms share one model."""
    for known in models:
        if known.arm == mounted.arm and known.gripper == mounted.gripper:
            model = known.model
            break
    else:
        model = carrying_model(mounted.arm, mounted.gripper, setup.ik)
        models.append(_KnownModel(mounted.arm, mounted.gripper, model))
    whole = mechanism(mounted.arm, mounted.gripper)
    return CellRobotContext(
        runtime,
        robot,
        model,
        np.array(mounted.base),
        motion_limits(whole, mounted.arm),
        setup.skills,
        tuple(whole.members[index].unit for index in whole.motors),
    )


def _placed(runtime: CellRuntime, instance: int, program: TriggerProcessor) -> CellProcessor:
    program._context = context = CellProgramContext(runtime, instance)
    runtime.contexts.append(context)
    processor = CellProcessor(instance, program, runtime.scheduler, runtime.report)
    runtime.bus.register(instance, processor.receive)
    return processor
