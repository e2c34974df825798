"""From a scene to an engine: finds arms and programs, builds the physics, configures programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from math import cos, pi, sin
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.cell.arms import motion_limits, station_model
from armwerk.cell.engine import Engine
from armwerk.cell.faults import Faults
from armwerk.cell.finding import Finder
from armwerk.cell.processor import Processor
from armwerk.cell.robot import Robot
from armwerk.cell.station import CellDesk, CellStation
from armwerk.cell.traces import error_text, last_line
from armwerk.control.controller import RobotController
from armwerk.control.processor import TriggerProcessor
from armwerk.control.skills import Skills
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.physics import Mounted, Settings, Simulation
from armwerk.physics.mechanism import mechanism
from armwerk.scene.scene import MOST_ROBOTS, Robot as Place, Scene

_PLACE = tuple(item.name for item in fields(Place) if item.name != "number")


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
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
        robots[number] = replace(robots.get(number, Place(number)), **texts)
    ordered = tuple(robots[number] for number in sorted(robots))
    return replace(scene, robots=ordered), objects


def assemble(plan: Plan, finder: Finder) -> Engine:
    """Return the engine of a world; nothing has moved yet, and every program is configured.

    Raises:
        DescriptionError: For what is missing or wrong, with the robot's number.
        SceneError: For everything of that kind that stands in the cell's file, all at once.
    """
    scene = plan.scene
    faults = Faults(scene)
    found = [_mounted(robot, plan, finder, faults) for robot in scene.robots]
    programs = [_controller(robot, plan, finder, faults) for robot in scene.robots]
    processors = _processors(plan, finder, faults)
    faults.tell()
    mounted = [one for one in found if one is not None]
    simulation = Simulation(scene, mounted, plan.settings)
    watcher: Any = None
    if scene.watches and scene.things:
        from armwerk.physics.zones import Watcher

        watcher = Watcher(scene)
    engine = Engine(scene, simulation, watcher, plan.patience)
    models: dict[Any, Any] = {}
    for k, place in enumerate(scene.robots):
        robot = Robot(place.number, simulation.robots[k], programs[k], engine.turns, engine.report)
        engine.robots[place.number] = robot
        engine.post.register(place.number, robot.receive, robot=True)
        if programs[k] is not None:
            _seat(engine, robot, mounted[k], plan, models)
            _configured(programs[k], place, plan, faults)
    texts = {one.instance: one.config for one in scene.processors}
    names = _processor_names(plan)
    for instance, program in processors.items():
        engine.processors[instance] = _placed(engine, instance, program)
        text, name = texts.get(instance), names[instance]
        give = partial(configure, program, text, _at(instance), "TPCONFIG")
        faults.made("processor config", instance, text, give, ("processor", name))
    faults.tell()
    return engine


def renew(engine: Engine, plan: Plan, finder: Finder) -> None:
    """Make new controllers for stuck robots, and new trigger processors for all."""
    for place in plan.scene.robots:
        robot = engine.robots[place.number]
        if robot.state != "stuck" or robot.controller is None:
            continue
        old = robot.controller
        fresh = type(old)()
        fresh._station = old._station
        configure(fresh, place.config, f"robot {place.number}", "CONFIG")
        robot.forget(fresh)
    texts = {one.instance: one.config for one in plan.scene.processors}
    for instance, processor in engine.processors.items():
        program = type(processor.program)()
        program._desk = processor.program._desk
        processor.forget(program)
        configure(program, texts.get(instance), _at(instance), "TPCONFIG")


def standing_at(robot: Place) -> Array:
    """Return T_world_base = Trans(x, y, 0) · Rz(angle + 90°). Shape (4, 4)."""
    turn = robot.angle + pi / 2.0
    pose = np.eye(4)
    pose[:2, :2] = [[cos(turn), -sin(turn)], [sin(turn), cos(turn)]]
    pose[:2, 3] = robot.position
    return pose


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


def _configured(program: RobotController | None, place: Place, plan: Plan, faults: Faults) -> None:
    number, text = place.number, place.config
    give = partial(configure, program, text, f"robot {number}", "CONFIG")
    faults.made("config", number, text, give, ("controller", _controller_name(place, plan)))


def _mounted(robot: Place, plan: Plan, finder: Finder, faults: Faults) -> Mounted | None:
    """Return an arm with its gripper in its place; None: a problem was noted."""
    number, objects = robot.number, plan.robots.get(robot.number, {})
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
    return Mounted(arm, gripper, standing_at(robot), start)


def _controller(robot: Place, plan: Plan, finder: Finder, faults: Faults) -> RobotController | None:
    number, what = robot.number, _controller_name(robot, plan)
    if what is None:
        return None
    find = partial(finder.controller, what, f"robot {number}, controller")
    return faults.made("controller", number, what, find)


def _processors(plan: Plan, finder: Finder, faults: Faults) -> dict[int, TriggerProcessor]:
    """Return the trigger processors by instance number, without those that have a problem."""
    found = {}
    for instance, what in _processor_names(plan).items():
        find = partial(finder.processor, what, _at(instance))
        program = faults.made("processor", instance, what, find)
        if program is not None:
            found[instance] = program
    return found


def _controller_name(robot: Place, plan: Plan) -> Any:
    return plan.robots.get(robot.number, {}).get("controller", robot.controller)


def _processor_names(plan: Plan) -> dict[int, Any]:
    return {one.instance: one.name for one in plan.scene.processors} | dict(plan.processors)


def _at(instance: int) -> str:
    return f"trigger processor {instance}"


def _seat(
    engine: Engine, robot: Robot, mounted: Mounted, plan: Plan, models: dict[Any, Any]
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
        model = station_model(mounted.arm, mounted.gripper, plan.ik)
        models[key] = (mounted.arm, mounted.gripper, model)
    whole = mechanism(mounted.arm, mounted.gripper)
    robot.controller._station = CellStation(
        engine,
        robot,
        model,
        np.array(mounted.base),
        motion_limits(whole, mounted.arm),
        plan.skills,
        tuple(whole.members[index].unit for index in whole.motors),
    )


def _placed(engine: Engine, instance: int, program: TriggerProcessor) -> Processor:
    program._desk = CellDesk(engine, instance)
    processor = Processor(instance, program, engine.turns, engine.report)
    engine.post.register(instance, processor.receive)
    return processor
