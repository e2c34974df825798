"""Readings as sensors give them: characteristics, errors, and who is told what."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from armwerk.mobile.devices import DistanceSensor, SensorError
from armwerk.mobile.engine import MobileEngine
from armwerk.mobile.events import (
    Collision,
    GoalScored,
    GripFailed,
    Gripped,
    MobileEvent,
    Released,
    RobotMessage,
)
from armwerk.mobile.program import GripperCommand, Picture, SeenObject, Senses
from armwerk.mobile.scene import MobileRobot, MobileScene, Reports


def disturbed(
    value: float, error: SensorError, low: float, high: float, rng: np.random.Generator
) -> float:
    """Return a value with its error, within a range.

    As many numbers are drawn for every kind of error, so that a run changes only where an error
    is set.
    """
    first, second = float(rng.standard_normal()), float(rng.standard_normal())
    lost, wild, anything = float(rng.random()), float(rng.random()), float(rng.random())
    if lost < error.missing:
        return high
    if wild < error.wild:
        return low + anything * (high - low)
    found = value + error.bias + error.deviation * first + error.share * value * second
    return min(max(found, low), high)


def distance_reading(sensor: DistanceSensor, distance: float, rng: np.random.Generator) -> float:
    """Return what a distance sensor says of a distance [m]."""
    reading = sensor.reading(distance)
    if sensor.error is None:
        return reading
    if sensor.characteristic:
        readings = [pair[1] for pair in sensor.characteristic]
        return disturbed(reading, sensor.error, min(readings), max(readings), rng)
    return disturbed(reading, sensor.error, 0.0, sensor.reach, rng)


def noisy_picture(picture: Picture, error: SensorError, rng: np.random.Generator) -> Picture:
    """Return a picture with the errors of a camera; ``wild`` pixels are of any colour."""
    levels = picture.astype(np.float64)
    noise = error.deviation + error.share * levels
    levels += error.bias + noise * rng.standard_normal(picture.shape)
    anything = rng.integers(0, 256, picture.shape)
    wild = rng.random(picture.shape[:2]) < error.wild
    levels[wild] = anything[wild]
    lost = rng.random(picture.shape[:2]) < error.missing
    levels[lost] = 0.0
    noisy: Picture = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    return noisy


def wrapped(angle: float) -> float:
    """Return an angle in (-pi, pi]."""
    return -math.remainder(-angle, 2.0 * math.pi) if abs(angle) > math.pi else angle


def is_reported(event: MobileEvent, robot: str, reports: Reports) -> bool:
    """Whether the program of a robot wishes to be told of an event."""
    match event:
        case Collision():
            wishes = {
                "immovable": reports.immovable,
                "movable": reports.movable,
                "robot": reports.robots,
            }
            return event.robot == robot and wishes[event.other_kind]
        case Gripped() | GripFailed() | Released():
            return event.robot == robot and reports.gripper
        case GoalScored():
            return reports.goals
    return False


def seen_from_above(engine: MobileEngine, scene: MobileScene) -> dict[str, SeenObject]:
    """Return all movable bodies and all robots as a camera above them sees them."""
    names = [body.name for body in scene.bodies if body.kind == "movable"]
    names += [robot.name for robot in scene.robots]
    found: dict[str, SeenObject] = {}
    for name in names:
        pose, velocity = engine.pose(name), engine.velocity(name)
        x, y, z = pose[:3, 3].tolist()
        heading = math.atan2(pose[1, 0], pose[0, 0])
        found[name] = SeenObject((x, y, z), heading, (float(velocity[0]), float(velocity[1])))
    return found


def sense(
    engine: MobileEngine,
    robot: MobileRobot,
    step: float,
    gripper: GripperCommand,
    events: tuple[MobileEvent, ...],
    messages: tuple[RobotMessage, ...],
    rng: np.random.Generator,
    seen: Mapping[str, SeenObject] | None = None,
) -> Senses:
    """Return all that the program of a robot is told at the beginning of a step.

    Args:
        engine: What moves the scene.
        robot: Whose senses.
        step: Until the program is asked again [s].
        gripper: What the hands were last told.
        events: All that has happened since the last step.
        messages: For this robot.
        rng: Of the errors of its sensors.
        seen: Where everything that moves is, for robots to which that is reported.
    """
    measured = zip(robot.sensors, engine.distances(robot.name), strict=True)
    pose = engine.pose(robot.name)
    x, y, z = pose[:3, 3].tolist()
    heading = math.atan2(pose[1, 0], pose[0, 0])
    compass = None
    if robot.compass is not None:
        compass = heading
        if robot.compass.error is not None:
            compass = wrapped(disturbed(heading, robot.compass.error, -10.0, 10.0, rng))
    picture = None
    if robot.camera is not None and robot.reports.pictures:
        picture = engine.picture(robot.name, robot.camera)
        if robot.camera.error is not None:
            picture = noisy_picture(picture, robot.camera.error, rng)
    return Senses(
        time=engine.time,
        step=step,
        distances={one.name: distance_reading(one, far, rng) for one, far in measured},
        bumpers={
            bumper.name: engine.touched(robot.name, bumper.direction, bumper.width)
            for bumper in robot.bumpers
        },
        odometry=engine.odometry(robot.name),
        wheel_speeds=engine.rim_speeds(robot.name),
        compass=compass,
        picture=picture,
        holding=bool(engine.holding(robot.name)),
        gripper=gripper,
        place=(x, y, z) if robot.reports.place else None,
        heading=heading if robot.reports.place else None,
        seen=seen if seen is not None and robot.reports.seen else {},
        events=tuple(event for event in events if is_reported(event, robot.name, robot.reports)),
        messages=messages,
    )
