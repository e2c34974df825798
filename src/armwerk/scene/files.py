"""Environment files on disk, the cells that come with the project, and scenes made from scenes."""

from __future__ import annotations

import contextlib
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Unpack

from armwerk.errors import DescriptionError, Problem, SceneError, UnknownNameError
from armwerk.files import write_text
from armwerk.scene.reader import MOST_BYTES, parse_scene
from armwerk.scene.scene import Robot, RobotChanges, Scene
from armwerk.scene.writer import write_scene

ENDING = ".env"
_FIELDS = tuple(field.name for field in fields(Robot) if field.name != "number")


def cells() -> list[str]:
    """Return the names of the cells that come with the project, such as ``mobile/football``."""
    return sorted(_shipped())


def read_scene(path_or_name: str | Path) -> Scene:
    """Return the scene of an environment file or of a cell that comes with the project.

    Args:
        path_or_name: A file; or a name that `cells` lists, where there is no such file.

    Raises:
        UnknownNameError: For a name that is neither; lists the cells.
        DescriptionError: For a file that is missing or cannot be read.
        SceneError: For a file that is wrong, with all of its problems.
    """
    path = find_cell(path_or_name)
    return parse_scene(_decoded(_content(path), path), path)


def find_cell(path_or_name: str | Path) -> Path:
    """Return the file that `read_scene` reads; it need not exist when its name ends in .env."""
    path = Path(path_or_name)
    with contextlib.suppress(OSError, ValueError):
        if path.is_file():
            return path
    shipped = _shipped()
    name = str(path_or_name).removesuffix(ENDING)
    if name in shipped:
        return shipped[name]
    if isinstance(path_or_name, Path) or path.suffix == ENDING or path.is_absolute():
        return path
    raise UnknownNameError("cell", str(path_or_name), shipped)


def save_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene to an environment file, which is complete or untouched.

    Raises:
        DescriptionError: When the place cannot be written to, or see `write_scene`.
    """
    write_text(path, write_scene(scene))


def _shipped() -> dict[str, Path]:
    folder = Path(str(files("armwerk"))) / "cells"
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in folder.rglob(f"*{ENDING}")
    }


def _content(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise DescriptionError("is no file", element="cell", allowed="a text file", file=path)
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise DescriptionError(
            "does not exist", element="cell", allowed="an existing file", file=path
        ) from None
    except (OSError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(
            f"cannot be read ({error})", element="cell", allowed="a readable file", file=path
        ) from None
    if len(content) > MOST_BYTES:
        problem = Problem("the file is too large", 1, 1, "", f"at most {MOST_BYTES} bytes")
        raise SceneError([problem], path)
    return content


def _decoded(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        rest = content[error.start :].splitlines() or [b""]
        source = lines[-1] + rest[0].decode(errors="replace")
        message = f"byte {content[error.start]:#04x} is no UTF-8"
        column = len(lines[-1]) + 1
        problem = Problem(message, len(lines), column, source, "a file saved as UTF-8")
        raise SceneError([problem], path) from None


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
