"""Programs as users hold them: loaded from a file, checked, run, stepped through.

program = aw.irl.load("pick.irl")
program.run()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.errors import DescriptionError, Problem, ProgramError
from armwerk.language.checking.units import check as check_units, in_order
from armwerk.language.code import CheckedProgram
from armwerk.language.linting.text import text_lints
from armwerk.language.linting.warning import Lint
from armwerk.language.parsing.units import ParsedUnit, parse
from armwerk.language.running.interpreter import Interpreter, Status
from armwerk.language.running.machine import Machine, Rehearsal
from armwerk.language.source import MOST_CHARACTERS
from armwerk.language.syntax import ImportSection
from armwerk.language.types import Value

if TYPE_CHECKING:
    from armwerk.collision import Bodies
    from armwerk.language.debugging.debugger import Debugger
    from armwerk.language.exporting.export import ExportTarget
    from armwerk.language.importing.reader import ProgramReader
    from armwerk.mechanics import ArmModel

DECLARATIONS = ".decl"
"""Ending of the module that is loaded beside a program of the same name."""
MOST_MODULES = 50


@dataclass(frozen=True, slots=True, eq=False)
class RunResult:
    """What a run has left.

    Args:
        status: How it ended.
        output: What was written to the console.
        machine: With what it was told to do.
        time: How long it took [s].
    """

    status: Status
    output: str
    machine: Machine
    time: float


@dataclass(frozen=True, slots=True, eq=False)
class RobotProgram:
    """A checked program.

    Args:
        name: As its head says.
        checked: Types and instructions.
        folder: Where it may write files; None: nowhere.
        units: Texts and trees: modules first, the program last.
    """

    name: str
    checked: CheckedProgram
    folder: Path | None
    units: tuple[ParsedUnit, ...]

    def run(
        self,
        machine: Machine | None = None,
        *,
        values: Mapping[str, Value] | None = None,
        say: Callable[[str], None] | None = None,
        limit: int | None = None,
    ) -> RunResult:
        """Run the program to its end.

        Args:
            machine: Robots, signals and clock; None: a `Rehearsal`, which only notes.
            values: First values of variables, by name: records and arrays as lists, lengths in
                millimetres, angles in degrees.
            say: Takes console output as it comes; None: it is in the result.
            limit: Operations after which it is left; None: no limit.

        Raises:
            ExecutionError: When a statement cannot be carried out; names line and reason.
        """
        used: Machine = Rehearsal() if machine is None else machine
        interpreter = self.interpreter(used, values=values, say=say)
        status = interpreter.run(limit)
        while status == "paused" and limit is None:
            status = interpreter.run()
        return RunResult(status, interpreter.output, used, used.time)

    def lint(
        self,
        models: Sequence[ArmModel] = (),
        bodies: Bodies | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> list[Lint]:
        """Return what runs and yet is a danger.

        Args:
            models: Arms on which the program is tried, one for each robot; none: only its text is
                looked at.
            bodies: What stands around the arms; None: nothing.
            values: First values of variables, by name.
        """
        found = text_lints(self.checked)
        if models:
            from armwerk.language.linting.motion import motion_lints

            found += motion_lints(self.checked, list(models), bodies, dict(values or {}))
        return sorted(found, key=lambda lint: lint.problem.line)

    def export(self, target: ExportTarget) -> dict[str, str]:
        """Return the program in a maker's language: texts by the names of their files.

        Args:
            target: "krl" (KUKA), "rapid" (ABB) or "urscript" (Universal Robots).

        Raises:
            ProgramError: With every statement that the language cannot say, and its place.
        """
        from armwerk.language.exporting.export import exported

        return exported(self.units, target)

    def interpreter(
        self,
        machine: Machine | None = None,
        *,
        values: Mapping[str, Value] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> Interpreter:
        """Return a run that has not begun, to be stepped, paused and watched."""
        return Interpreter(self.checked, machine, folder=self.folder, values=values, say=say)

    def debugger(
        self,
        machine: Machine | None = None,
        *,
        values: Mapping[str, Value] | None = None,
        say: Callable[[str], None] | None = None,
        log: Callable[[str], None] | None = None,
    ) -> Debugger:
        """Return a run that has not begun, to be stopped anywhere and turned back.

        Args:
            machine: Robots, signals and clock; None: a `Rehearsal`.
            values: First values of variables, by name.
            say: Takes console output.
            log: Takes messages of breakpoints; None: they go to ``say``.
        """
        from armwerk.language.debugging.debugger import Debugger

        return Debugger(self.checked, machine, folder=self.folder, values=values, say=say, log=log)


def load(
    file: str | Path, declarations: Iterable[str | Path] = (), folder: str | Path | None = None
) -> RobotProgram:
    """Return the program in a file.

    A module of the same name that ends in ``.decl`` is loaded beside it, then the modules given,
    then those that any of them imports.

    Args:
        file: The program.
        declarations: Files of modules that belong to it.
        folder: Where it may write files; None: the folder of the program.

    Raises:
        ProgramError: With every problem of the text.
        OSError: When a file cannot be read.
    """
    path = Path(file)
    beside = path.parent / f"{path.stem}{DECLARATIONS}"
    given = [Path(one) for one in declarations]
    if beside.exists() and beside not in given:
        given.insert(0, beside)
    units = [read_unit(one) for one in given]
    main = read_unit(path)
    return _checked([*units, main], path, Path(folder) if folder else path.parent)


def loads(
    text: str, declarations: Iterable[str] = (), folder: str | Path | None = None
) -> RobotProgram:
    """Return the program that a text holds.

    Args:
        text: The program.
        declarations: Texts of modules that belong to it.
        folder: Where it may write files and finds imports; None: nowhere.

    Raises:
        ProgramError: With every problem of the text.
    """
    units = [*(parse(one) for one in declarations), parse(text)]
    return _checked(units, None, None if folder is None else Path(folder))


def load_rapid(file: str | Path) -> RobotProgram:
    """Return the program in a file of ABB RAPID, in the subset that `RobotProgram.export` writes.

    Args:
        file: The module, .mod.

    Raises:
        ProgramError: With every line that is not understood.
        OSError: When the file cannot be read.
    """
    from armwerk.language.importing.rapid import RapidReader

    path = Path(file)
    return _imported(RapidReader(_text(path), str(path)), path.parent)


def load_krl(file: str | Path) -> RobotProgram:
    """Return the program in a file of KUKA KRL, in the subset that `RobotProgram.export` writes.

    Args:
        file: The source, .src; its data, .dat, lies beside it.

    Raises:
        ProgramError: With every line that is not understood.
        OSError: When the file cannot be read.
    """
    from armwerk.language.importing.krl import KrlReader

    path = Path(file)
    beside = path.parent / f"{path.stem}.dat"
    data = _text(beside) if beside.exists() else ""
    return _imported(KrlReader(_text(path), str(path), data), path.parent)


def load_urscript(file: str | Path) -> RobotProgram:
    """Return the program in a file of URScript, in the subset that `RobotProgram.export` writes.

    Args:
        file: The script, .script.

    Raises:
        ProgramError: With every line that is not understood.
        OSError: When the file cannot be read.
    """
    from armwerk.language.importing.urscript import UrScriptReader

    path = Path(file)
    return _imported(UrScriptReader(_text(path), str(path)), path.parent)


def load_any(file: str | Path) -> RobotProgram:
    """Return the program in a file of any language that is read, by its ending.

    Args:
        file: .irl; .src with its .dat (KUKA KRL), .mod (ABB RAPID), .script (URScript).

    Raises:
        ProgramError: With every problem of the text.
        OSError: When the file cannot be read.
    """
    path = Path(file)
    readers = {".mod": load_rapid, ".src": load_krl, ".script": load_urscript}
    return readers.get(path.suffix.lower(), load)(path)


def problems(text: str, declarations: Iterable[str] = ()) -> list[Problem]:
    """Return every problem of a program, without raising.

    Args:
        text: The program.
        declarations: Texts of modules that belong to it.
    """
    units = [*(parse(one) for one in declarations), parse(text)]
    if any(parsed.source.problems for parsed in units):
        return [problem for parsed in units for problem in in_order(parsed)]
    return check_units(units)[1]


def _imported(reader: ProgramReader, folder: Path) -> RobotProgram:
    """Return the program that a reader gives; problems have their places in what it has read."""
    text = reader.program()
    try:
        return loads(text, folder=folder)
    except ProgramError as error:
        problems = [reader.located(problem) for problem in error.problems]
    raise ProgramError(problems, reader.file or None)


def read_unit(path: Path) -> ParsedUnit:
    """Return what a file holds; problems are noted in its source."""
    return parse(_text(path), str(path))


def _text(path: Path) -> str:
    """Return the text of a file, however old its editor was."""
    data = path.read_bytes()
    if len(data) > 4 * MOST_CHARACTERS:
        raise DescriptionError("the file is too long for a program", file=path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _checked(units: list[ParsedUnit], path: Path | None, folder: Path | None) -> RobotProgram:
    units = with_imports(units, path.parent if path is not None else folder)
    for parsed in units:
        if parsed.source.problems:
            raise ProgramError(in_order(parsed), parsed.source.file or None)
    main = units[-1]
    if main.unit.kind != "program":
        main.source.report(main.unit.at, "this is a module, not a program", "'program'")
    for parsed in units[:-1]:
        if parsed.unit.kind != "module":
            parsed.source.report(parsed.unit.at, "only modules are loaded beside it", "'module'")
        elif parsed.unit.body:
            parsed.source.report(parsed.unit.body[0].at, "a module has no statements of its own")
    checked, _ = check_units(units)
    if checked is None:
        wrong = next(parsed for parsed in units if parsed.source.problems)
        raise ProgramError(in_order(wrong), wrong.source.file or None)
    return RobotProgram(checked.name, checked, folder, tuple(units))


def with_imports(
    units: list[ParsedUnit],
    folder: Path | None,
    read: Callable[[Path], ParsedUnit] | None = None,
) -> list[ParsedUnit]:
    """Return units with the modules they import before them, each once.

    Args:
        units: Modules first, the program last; a file that is not there is noted in their sources.
        folder: Where files are looked for; None: nowhere.
        read: Reads a file; None: from the disk.
    """
    known = {parsed.source.file for parsed in units if parsed.source.file}
    found: list[ParsedUnit] = []
    waiting = list(units)
    while waiting:
        parsed = waiting.pop()
        for section in parsed.unit.sections:
            if not isinstance(section, ImportSection):
                continue
            path = None if folder is None else _inside(folder, section.file)
            if path is None or not path.is_file():
                parsed.source.report(
                    section.file_at, f"there is no file '{section.file[:60]}' here"
                )
            elif str(path) not in known and len(known) < MOST_MODULES:
                known.add(str(path))
                module = (read or read_unit)(path)
                found.insert(0, module)
                waiting.append(module)
    return [*found, *units]


def _inside(folder: Path, name: str) -> Path | None:
    """Return a file below a folder; None: it is not below it."""
    path = (folder / name).resolve()
    return path if path.is_relative_to(folder.resolve()) else None
