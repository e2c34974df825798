"""An IRL program as the controller of a robot."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.control.controller import RobotController
from armwerk.control.irl.machine import CellMachine
from armwerk.control.irl.signals import SignalBoard, SignalDeclaration
from armwerk.control.skills import switched_off
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.language import irl
from armwerk.language.arithmetic import shown_value

if TYPE_CHECKING:
    from armwerk.language import RobotProgram
    from armwerk.language.running.interpreter import Interpreter
    from armwerk.language.types import Value

_CLOCK = re.compile(r"\br_time\b", re.IGNORECASE)  # what a program asks for the time
TURN = 2000  # operations after which a program that only computes lets a step pass


class ProgramController(RobotController):
    """Runs a robot program; its robot is robot 1 of the program.

    CONFIG gives first values of variables: ``CONFIG rows=4 gap=2.5 careful=true``. The commander
    may ask ``where`` and ``watch NAME``, sets ``break 12 30`` (pauses before these lines; none: no
    more), and says ``step`` or ``continue`` to a program that has paused.

    Args:
        program: The program.
        name: For messages: the name of its file.
    """

    _leads = True

    def __init__(self, program: RobotProgram, name: str = "") -> None:
        self.program = program
        self.name = name or program.name
        self.trace: Callable[[int, float], None] | None = None
        """Is called with each line that is begun, and the time [s]."""
        self.interpreter: Interpreter | None = None
        """The run under way, or the last one; None: there was none."""
        self.breakpoints: tuple[int, ...] = ()
        """Lines before which the program pauses; for the next run."""
        self._values: dict[str, Value] = {}
        self._machine: CellMachine | None = None
        self.say: Callable[[str], None] | None = None
        """Takes console output as it comes, beside debug-out."""
        self.output = ""
        """Console output of the run under way, or of the last one."""
        self.motions = 0
        """Motions that this run has driven to their ends."""
        self._text = ""
        self._order = ""

    @property
    def description(self) -> str:  # type: ignore[override]  # of this program
        """What the program is."""
        return f"robot program {self.program.name}"

    def configure(self, text: str) -> None:
        """Take first values of variables, ``name=value`` separated by blanks."""
        values: dict[str, Value] = {}
        for word in text.split():
            name, equals, value = word.partition("=")
            if not equals or not name:
                raise DescriptionError(
                    "is no first value of a variable",
                    element="CONFIG",
                    value=word,
                    allowed="name=value, as in rows=4",
                )
            values[name] = self._value(name.lower(), value)
        self._values = values

    def _value(self, name: str, text: str) -> Value:
        names = self.program.checked.names
        if name not in names:
            known = [one for one in names if one and not one.startswith("r_")]
            raise UnknownNameError(f"variable of {self.name}", name, known)
        kind = self.program.checked.kinds[names.index(name)].name
        try:
            if kind == "bool":
                return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
            read: dict[str, Callable[[str], Value]] = {"int": int, "real": float, "string": str}
            return read[kind](text)
        except (KeyError, ValueError):
            raise DescriptionError(
                f"cannot be the first value of '{name}'",
                element="CONFIG",
                value=text,
                allowed="of a variable of type bool, int, real or string, its value"
                if kind not in {"bool", "int", "real", "string"}
                else kind,
            ) from None

    # the run ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the program from its beginning, or on from where it was paused."""
        if self.interpreter is None or self._machine is None:
            self._begin()
        else:
            self._machine.resume()
        run, machine = self.interpreter, self._machine
        assert run is not None
        assert machine is not None
        while run.run(TURN) == "paused":
            if run.is_at_limit:
                machine.pass_step()
            elif not self._wait_to_go_on(run):
                break
        if self._text:
            self.debug(self._text)

    def _begin(self) -> None:
        context = self._active("run")
        skills = context.skills
        if not (skills.mandirkin and skills.maninvkin):
            switched_off(
                "maninvkin" if skills.mandirkin else "mandirkin", "run", "an IRL program needs both"
            )
        declared = {
            name: SignalDeclaration(kind, is_output, channel)
            for name, (kind, is_output, channel) in self.program.checked.signals.items()
        }
        robots = [context, *self._others]
        board = SignalBoard(declared, robots)
        self._machine = machine = CellMachine(robots, board)
        machine.uses_clock = any(_CLOCK.search(unit.source.text) for unit in self.program.units)
        self._text = self.output = ""
        self.interpreter = run = self._new_run(machine)
        if self.breakpoints:
            run.set_breakpoints(self.breakpoints)
        if self.trace is not None:
            trace = self.trace
            run.trace = lambda line: trace(line, context.time)

    def _new_run(self, machine: CellMachine) -> Interpreter:
        """Return a run that has not begun; a debugger gives one of its own."""
        return self.program.interpreter(machine, values=self._values, say=self._say)

    def _wait_to_go_on(self, run: Interpreter) -> bool:
        """Wait for the user, and step as he says; return whether the program goes on."""
        while True:
            self._order = ""
            text = self._text_of(run.line)
            self.debug(f"paused before line {run.line}: {text} (continue | step | watch NAME)")
            self.wait_until(lambda: bool(self._order))
            if self._order == "continue":
                return True
            if run.step() in {"done", "stopped", "failed"}:
                return False

    def _say(self, text: str) -> None:
        """Write console output to debug-out, line by line."""
        self.output += text
        if self.say is not None and text:
            self.say(text)
        *lines, self._text = (self._text + text).split("\n")
        for line in lines:
            self.debug(line)

    # the world around ------------------------------------------------------------------------

    def stop(self) -> None:
        """Forget the run; the next one begins at the beginning."""
        if self._machine is not None:
            self.motions = self._machine.driven
        self.interpreter = self._machine = None

    def pause(self) -> None:
        """Keep the run; the next start goes on with it."""
        if self._machine is not None:
            self._machine.interrupt()

    def receive_line(self, text: str) -> None:
        """Answer the commander: where, watch NAME, break LINE …, step, continue."""
        run = self.interpreter
        match text.split():
            case ["continue" | "step" as order]:
                self._order = order
            case ["break", *lines] if all(line.isdigit() for line in lines):
                self.breakpoints = tuple(map(int, lines))
                found = [] if run is None else run.set_breakpoints(self.breakpoints)
                self.debug(f"pauses before lines {', '.join(map(str, found)) or 'none'}")
            case ["where"] if run is not None:
                self.debug(self._place.removeprefix(", in "))
            case ["watch", name] if run is not None:
                self.debug(f"{name} = {shown_value(run.watch(name))}")
            case _:
                raise UnsupportedError(
                    "it understands: where | watch NAME | break LINE … | step | continue"
                )

    @property
    def line(self) -> int:
        """The line whose motion or wait is under way, or the next; 0: the program does not run."""
        if self.interpreter is None or self._machine is None:
            return 0
        return self._machine.line or self.interpreter.present_line

    @property
    def _place(self) -> str:
        line = self.line
        if not line:
            return ""
        return f", in {self._title} line {line}: {self._text_of(line)}"

    def _text_of(self, line: int) -> str:
        return self.program.units[-1].source.text.split("\n")[line - 1].strip()

    def _fresh(self) -> ProgramController:
        fresh = ProgramController(self.program, self.name)
        fresh._others, fresh.trace, fresh.say = self._others, self.trace, self.say
        return fresh

    @property
    def _title(self) -> str:
        return Path(self.name).name


def load_program(file: Path) -> ProgramController:
    """Return the controller of a program file, by its ending.

    Raises:
        ProgramError: With every problem of the text.
        OSError: When the file cannot be read.
    """
    return ProgramController(irl.load_any(file), str(file))
