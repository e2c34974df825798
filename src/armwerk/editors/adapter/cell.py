"""A program under a debugger in a cell: the world stands still while the program does."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from armwerk.control.irl.controller import ProgramController
from armwerk.control.irl.machine import CellMachine
from armwerk.errors import ArmwerkError, UnsupportedError
from armwerk.language.debugging.debugger import Debugger
from armwerk.language.irl import RobotProgram
from armwerk.language.running.interpreter import Interpreter

Act: TypeAlias = Callable[[], None]
_FOR_EVER = 1e9  # [s] that a program may stand still
_PATIENCE = 10.0  # [s] that a world has to end


class DebuggedController(ProgramController):
    """Does what a debugger orders, in the thread of the program.

    Args:
        program: The program.
        name: For messages: the name of its file.
        log: Takes messages of breakpoints.
    """

    def __init__(self, program: RobotProgram, name: str, log: Callable[[str], None]) -> None:
        super().__init__(program, name)
        self.acts: queue.Queue[Act | None] = queue.Queue()
        self.begun: queue.Queue[Debugger | ArmwerkError] = queue.Queue()
        self._log = log

    def _new_run(self, machine: CellMachine) -> Interpreter:
        run = self.program.debugger(machine, values=self._values, say=self._say, log=self._log)
        run.each_round = machine.pass_step
        return run

    def run(self) -> None:
        """Take orders until the debugger goes."""
        if self.interpreter is None:
            self._begin()
        assert isinstance(self.interpreter, Debugger)
        self.begun.put(self.interpreter)
        while (act := self.acts.get()) is not None:
            act()


class CellRun:
    """A cell in which one robot is debugged.

    Args:
        program: The program.
        file: Where it is from.
        cell: Environment file, or the name of a shipped cell.
        robot: Number of the robot in the cell.
        say: Takes console output.
        log: Takes messages of breakpoints.

    Raises:
        ArmwerkError: When the cell cannot be built, or the robot cannot run a program.
        OSError: When a file cannot be read.
    """

    def __init__(
        self,
        program: RobotProgram,
        file: Path,
        cell: str,
        robot: int,
        say: Callable[[str], None],
        log: Callable[[str], None],
    ) -> None:
        from armwerk.cell.world import World
        from armwerk.scene import read_scene

        scene = read_scene(cell)
        kept = [replace(one, config=None) if one.number == robot else one for one in scene.robots]
        self._controller = DebuggedController(program, str(file), log)
        self._controller.say = say
        self._robot = robot
        self._world = World(
            replace(scene, robots=tuple(kept)),
            robots={robot: self._controller},
            patience=_FOR_EVER,
        )
        self._thread = threading.Thread(target=self._pass_time, name="world", daemon=True)
        self._thread.start()
        found = self._controller.begun.get()
        if isinstance(found, ArmwerkError):
            self._thread.join(timeout=_PATIENCE)
            raise found
        self.debugger = found

    def _pass_time(self) -> None:
        with self._world as world:
            try:
                world.run(until=lambda one: one.robots[self._robot].state != "running")
                why = world.robots[self._robot].error or "the program has not begun"
                self._controller.begun.put(UnsupportedError(why))
            except ArmwerkError as error:
                self._controller.begun.put(error)

    def post(self, act: Act) -> None:
        """Let the thread of the program act."""
        self._controller.acts.put(act)

    def close(self) -> None:
        """End the world."""
        self._controller.acts.put(None)
        self._thread.join(timeout=_PATIENCE)
