"""What the command line says about robots and trigger processors; it wins over the file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from armwerk.cli.arguments import numbers
from armwerk.cli.run.armbot import Numbered, robot_numbers, split_numbers
from armwerk.language.keywords import PROGRAM_ENDINGS
from armwerk.scene.files import with_robot
from armwerk.scene.scene import Processor, RobotChanges, Scene

_ARMBOTS = tuple(range(10))  # ArmBot knows no others, so 0-9 means all there are
_CENTIMETRE = 0.01


@dataclass(frozen=True, slots=True)
class Change:
    """One change of robots.

    Args:
        option: That asked for it, for messages.
        robots: Their numbers; None: all the cell has, or robot 0 when it has none.
        fields: Of `Robot`, with their new values.
    """

    option: str
    robots: tuple[int, ...] | None
    fields: RobotChanges


def robot_changes(
    manipulators: Sequence[str],
    grippers: Sequence[str],
    controllers: Sequence[str],
    configs: Sequence[str],
    places: Sequence[str],
) -> list[Change]:
    """Return the changes that the values of the options mean, in their order.

    Raises:
        typer.BadParameter: For a value that cannot be read.
    """
    changes: list[Change] = []
    for value in manipulators:
        robots, name = _named("--manipulator", value)
        changes.append(Change("--manipulator", robots, {"manipulator": name}))
    for value in grippers:
        robots, name = _named("--gripper", value)
        changes.append(Change("--gripper", robots, {"gripper": name}))
    for value in controllers:
        robots, name = _named("--controller", value)
        if Path(name).suffix.lower() in PROGRAM_ENDINGS and Path(name).is_file():
            name = str(Path(name).resolve())  # here; else it is looked for beside the cell
        changes.append(Change("--controller", robots, {"controller": name}))
    for value in configs:
        robots, text = _numbered("--config", value, "one")
        changes.append(Change("--config", robots, {"config": text}))
    for value in places:
        robots, text = _numbered("--robot", value, "one")
        x, y, angle = numbers(text, "x y angle", "--robot")
        place: RobotChanges = {
            "position": (x * _CENTIMETRE, y * _CENTIMETRE),
            "angle": math.radians(angle),
        }
        changes.append(Change("--robot", robots, place))
    return changes


def _named(option: str, value: str) -> tuple[tuple[int, ...] | None, str]:
    robots, text = _numbered(option, value, "many")
    if not text.strip():
        raise typer.BadParameter(f"{option}: '{value}' names nothing")
    return robots, text.strip()


def _numbered(option: str, value: str, numbered: Numbered) -> tuple[tuple[int, ...] | None, str]:
    found, text = split_numbers(value, numbered)
    if found is None or found == "*":
        return ((0,) if numbered == "one" else None), text
    if numbered == "one":
        return (int(found),), text
    try:
        return robot_numbers(found), text
    except ValueError as error:
        raise typer.BadParameter(f"{option}: {error}") from None


def changed_robots(scene: Scene, changes: Sequence[Change]) -> Scene:
    """Return the scene with the changes made; a robot that is missing is put at the origin.

    Raises:
        DescriptionError: For a robot beyond what MULTIROBOT allows.
    """
    for change in changes:
        chosen = change.robots
        if chosen is None or (chosen == _ARMBOTS and scene.robot_count < len(_ARMBOTS)):
            chosen = tuple(robot.number for robot in scene.robots) or (0,)
        for number in chosen:
            scene = with_robot(scene, number, **change.fields)
    return scene


def changed_processors(scene: Scene, processors: Sequence[str], configs: Sequence[str]) -> Scene:
    """Return the scene with trigger processors put in and configured.

    Args:
        scene: The cell.
        processors: "INST:CLASS"; one that is there under the same number is replaced, and so is
            the only one of the file whatever its number. The file's text for it stays, as that of
            a controller does.
        configs: "TEXT" or "*=TEXT" for all processors, "INST=TEXT" for one.

    Raises:
        typer.BadParameter: For a value that cannot be read, or a processor that does not exist.
    """
    found = {processor.instance: processor for processor in scene.processors}
    given = [_processor(value) for value in processors]
    if len(found) == 1 and given and not {one.instance for one in given} & set(found):
        (only,) = found.values()
        found = {given[0].instance: only}
    for one in given:
        old = found.get(one.instance)
        found[one.instance] = one if old is None else replace(one, config=old.config)
    for value in configs:
        chosen, text = _processor_config(value, found)
        for instance in chosen:
            found[instance] = replace(found[instance], config=text)
    return replace(scene, processors=tuple(found[number] for number in sorted(found)))


def _processor(value: str) -> Processor:
    number, colon, name = value.partition(":")
    if not colon or not name.strip() or not number.strip().isdigit():
        raise typer.BadParameter(
            f"--trigger-processor: '{value}' is not INST:CLASS, as in 5:sorting.Counter"
        )
    return Processor(int(number), name.strip())


def _processor_config(value: str, found: dict[int, Processor]) -> tuple[list[int], str]:
    before, equals, text = value.partition("=")
    if equals and before == "*":
        before, value = "", text
    if equals and before.isdigit():
        if int(before) not in found:
            raise typer.BadParameter(
                f"--trigger-processor-config: no trigger processor listens under {before}"
            )
        return [int(before)], text
    if not found:
        raise typer.BadParameter("--trigger-processor-config: the cell has no trigger processor")
    return list(found), value
