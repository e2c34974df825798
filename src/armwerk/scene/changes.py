"""Scenes made from scenes: what the command line says wins over the file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Unpack

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.scene.scene import Robot, RobotChanges, Scene

_FIELDS = tuple(field.name for field in fields(Robot) if field.name != "number")


def with_robot(scene: Scene, number: int, **changes: Unpack[RobotChanges]) -> Scene:
    """Return the scene with some values of one robot replaced.

    A robot that the file allows but does not mention is added: number 0, or any below MULTIROBOT.

    Args:
        scene: Stays as it is.
        number: Of the robot.
        changes: Fields of `Robot` in SI units: position, angle, manipulator, gripper, controller,
            config.

    Raises:
        DescriptionError: When the cell has no robot of that number.
        UnknownNameError: For a field that a robot does not have.
    """
    for name in changes:
        if name not in _FIELDS:
            raise UnknownNameError("value of a robot", name, _FIELDS)
    if number not in range(scene.robot_count):
        raise DescriptionError(
            "the cell has no such robot",
            element="robot",
            value=number,
            allowed=f"0 to {scene.robot_count - 1}; MULTIROBOT sets how many",
            file=scene.file,
        )
    robots = {robot.number: robot for robot in scene.robots}
    robots[number] = replace(robots.get(number, Robot(number)), **changes)
    return replace(scene, robots=tuple(robots[key] for key in sorted(robots)))
