"""From what an editor asks to be debugged to a run that can begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.editors.adapter.messages import Json, number_in, text_in, texts_in
from armwerk.errors import DescriptionError
from armwerk.language import irl
from armwerk.language.debugging.debugger import Debugger
from armwerk.language.debugging.expressions import ProgramNames
from armwerk.language.irl import RobotProgram
from armwerk.language.running.machine import Machine, Rehearsal

if TYPE_CHECKING:
    from armwerk.editors.adapter.cell import CellRun


@dataclass(frozen=True, slots=True, eq=False)
class LaunchedRun:
    """A run that has not begun.

    Args:
        program: The program.
        debugger: Its run.
        names: Reads expressions.
        cell: In which it runs; None: in none.
    """

    program: RobotProgram
    debugger: Debugger
    names: ProgramNames
    cell: CellRun | None = None


def launched(
    given: Mapping[str, Json], say: Callable[[str], None], log: Callable[[str], None]
) -> LaunchedRun:
    """Load a program and set up its machine.

    Args:
        given: ``program``: the file; ``arms``: from the library, or files, one for each robot;
            none: each motion takes a second; ``declarations``: files of modules; ``robots``: how
            many there are where no arms are given; ``cell``: an environment file, or the name of
            a shipped cell, in which it is run instead; ``robot``: which of its robots it moves.
        say: Takes console output.
        log: Takes messages of breakpoints.

    Raises:
        ProgramError: When the program is wrong.
        ArmwerkError: When an arm is unknown.
        OSError: When a file cannot be read.
    """
    file = text_in(given, "program")
    if not file:
        raise DescriptionError(
            "no program is given", element="launch", allowed='"program": "a.irl"'
        )
    path = Path(file)
    if path.suffix.lower() == ".mod":
        program = irl.load_any(path)
    else:
        program = irl.load(path, texts_in(given, "declarations"))
    cell = text_in(given, "cell")
    if cell:
        from armwerk.editors.adapter.cell import CellRun

        found = CellRun(
            program, path, _beside(cell, path.parent), number_in(given, "robot"), say, log
        )
        names = ProgramNames(program.units, found.debugger.values)
        return LaunchedRun(program, found.debugger, names, found)
    debugger = program.debugger(_machine(given, path.parent), say=say, log=log)
    return LaunchedRun(program, debugger, ProgramNames(program.units, debugger.values))


def _machine(given: Mapping[str, Json], folder: Path) -> Machine:
    arms = texts_in(given, "arms") or texts_in(given, "arm")
    if not arms:
        robots = given.get("robots")
        return Rehearsal(robots=robots if isinstance(robots, int) and robots > 0 else 1)
    from armwerk.language.running.arms import ArmMachine
    from armwerk.modelling import model

    return ArmMachine([model(_beside(name, folder)) for name in arms])


def _beside(name: str, folder: Path) -> str:
    """Return a file beside the program, where there is one; else the name."""
    path = folder / name
    return str(path) if Path(name).suffix and path.is_file() else name
