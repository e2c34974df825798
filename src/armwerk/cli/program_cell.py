"""``armwerk program FILE --cell CELL``: a robot program in a simulated cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from armwerk.cli.console import put, put_json, working
from armwerk.errors import UnknownNameError

if TYPE_CHECKING:
    from armwerk.cell.world import World
    from armwerk.control.irl.controller import ProgramController
    from armwerk.language import RobotProgram
    from armwerk.scene.scene import Scene


def run_in_cell(
    loaded: RobotProgram,
    file: Path,
    cell: str,
    robot: int,
    seconds: float,
    *,
    trace: bool,
    as_json: bool,
) -> None:
    """Run a program as the controller of a robot, until it ends.

    Args:
        loaded: The program.
        file: Where it is from.
        cell: Environment file, or the name of a shipped cell.
        robot: Number of the robot in the cell.
        seconds: Simulated time after which it is left [s].
        trace: Whether to show each line as it is begun.
        as_json: Whether to write JSON.

    Raises:
        typer.Exit: With 1 when the program has failed, or has not ended in time.
    """
    from armwerk.cell.standstill import Standstill
    from armwerk.cell.world import World
    from armwerk.control.irl.controller import ProgramController

    controller = ProgramController(loaded, str(file))
    if not as_json:
        controller.say = lambda text: typer.echo(text, nl=False)
        if trace:
            lines = loaded.units[-1].source.text.split("\n")
            controller.trace = lambda line, time: put(
                f"{time:9.3f} s {line:5d} | {lines[line - 1].rstrip()}"
            )
    with working("loading (the first run on a machine compiles kernels, once)"):
        world = World(_scene(cell, file, robot), robots={robot: controller})
    with world:
        standstill = Standstill(world._runtime)
        world.run(
            seconds,
            until=lambda one: one.robots[robot].state != "running" or standstill.look(),
        )
        _tell(world, controller, robot, as_json)


def _waits(world: World, robot: int) -> str:
    """Return what the program waits for, with its line; empty: for nothing."""
    found = world.report.robots[sorted(world.robots).index(robot)].waits
    return f": it {found}" if found else ""


def _scene(cell: str, file: Path, robot: int) -> Scene:
    """Return the scene of a cell, without what it says to another controller of the robot.

    Raises:
        UnknownNameError: When the cell has no such robot.
    """
    from armwerk.scene import read_scene

    scene = read_scene(cell)
    numbers = [one.number for one in scene.robots]
    if robot not in numbers:
        raise UnknownNameError("robot of the cell", str(robot), map(str, numbers))
    folder = None if scene.file is None else Path(scene.file).parent
    kept = []
    for one in scene.robots:
        is_same = (
            folder is not None
            and one.controller is not None
            and (folder / one.controller).resolve() == file.resolve()
        )
        kept.append(one if one.number != robot or is_same else replace(one, config=None))
    return replace(scene, robots=tuple(kept))


def _tell(world: World, controller: ProgramController, robot: int, as_json: bool) -> None:
    one = world.robots[robot]
    if as_json:
        put_json(
            {
                "state": one.state,
                "error": one.error,
                "time": world.time,
                "output": controller.output,
                "motions": controller.motions,
                "things": {name: thing.position.tolist() for name, thing in world.objects.items()},
            }
        )
    elif one.state == "done":
        put(f"{controller.program.name}: {world.time:.3f} s, {controller.motions} motions")
    elif one.state == "running":
        put(f"not ended after {world.time:.3f} s{_waits(world, robot) or one.place}")
    else:
        put(one.error)
    if one.state != "done":
        raise typer.Exit(1)
