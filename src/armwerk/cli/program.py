"""``armwerk program``: check a robot program, or run it on arms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from armwerk.cli.arguments import joint_values, numbers
from armwerk.cli.arm_options import (
    MaxAccelerationOption,
    MaxJerkOption,
    MaxVelocityOption,
    TipOption,
    limits_of,
    with_tip,
)
from armwerk.cli.console import add_column, add_row, put, put_json, table, working
from armwerk.cli.units import Units
from armwerk.errors import ExecutionError, Problem, ProgramError
from armwerk.files import write_texts

if TYPE_CHECKING:
    from armwerk.language import Machine, RobotProgram
    from armwerk.language.running.arms import ArmMachine
    from armwerk.language.types import Value


def program(
    file: Annotated[
        Path,
        typer.Argument(
            help="Robot program, .irl; or of a maker: .src (KRL), .mod (RAPID), .script (URScript)."
        ),
    ],
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm",
            help="Name from the library, or a file; once for each robot. Without it: the program "
            "is rehearsed, each motion takes a second.",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only look for mistakes; nothing is run.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show each line and each motion as it is begun.")
    ] = False,
    declarations: Annotated[
        list[Path] | None,
        typer.Option(
            "--declarations",
            metavar="FILE",
            help="Module that belongs to it; may stand repeatedly.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from", metavar='"q1 ... qn"', help="Joint values [deg, m] the first arm stands at."
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar='"x y z a b c"',
            help="Frame in which targets are given [mm, deg], the first value of r_base.",
        ),
    ] = None,
    tidy: Annotated[
        bool,
        typer.Option("--format", help="Write the program in one form to stdout; nothing is run."),
    ] = False,
    lint: Annotated[
        bool,
        typer.Option(
            "--lint",
            help="Show what runs and yet is a danger; with --arm every motion is looked at too.",
        ),
    ] = False,
    bodies: Annotated[
        Path | None,
        typer.Option("--bodies", metavar="FILE", help="Table of what stands around, .toml."),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", metavar="DIR", help="Draw the place of each warning there."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="DIR",
            help="Write it for a maker's controller into this folder; see --for.",
        ),
    ] = None,
    maker: Annotated[
        Literal["krl", "rapid", "urscript"], typer.Option("--for", help="Language of --export.")
    ] = "krl",
    cell: Annotated[
        str | None,
        typer.Option(
            "--cell",
            metavar="CELL",
            help="Run it in a simulated cell: environment file, or name of a shipped one.",
        ),
    ] = None,
    robot: Annotated[
        int, typer.Option("--robot", metavar="NR", help="Robot of the cell that it moves.", min=0)
    ] = 0,
    seconds: Annotated[
        float,
        typer.Option("--seconds", help="Simulated time after which --cell leaves it [s].", min=0.0),
    ] = 600.0,
    tip: TipOption = None,
    max_velocity: MaxVelocityOption = None,
    max_acceleration: MaxAccelerationOption = None,
    max_jerk: MaxJerkOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, in seconds.")] = False,
) -> None:
    """Run a robot program in IRL, or look for its mistakes.

    All mistakes are shown at once, each with line, column and what would have been right. On an arm
    every motion is planned within its limits; what cannot be driven ends the program with line and
    reason. Programs are written in millimetres and degrees. docs/irl.md describes the language.

    \b
    Examples:
      armwerk program pick.irl --check
      armwerk program pick.irl --arm puma560
      armwerk program pick.irl --arm puma560 --trace
      armwerk program pick.irl --cell cell.env
      armwerk program pick.irl --arm puma560 --lint --bodies cell.toml --pictures places
      armwerk program pick.irl --export out --for rapid
      armwerk program pick.irl --format
    """
    from armwerk.language import formatted, irl
    from armwerk.language.keywords import PROGRAM_ENDINGS

    if tidy:
        put(formatted(file.read_text(encoding="utf-8"), str(file)).rstrip("\n"))
        return
    try:
        if file.suffix.lower() in PROGRAM_ENDINGS[1:]:
            loaded = irl.load_any(file)
        else:
            loaded = irl.load(file, declarations or ())
        if export is not None:
            written = write_texts(export, loaded.export(maker))
            if as_json:
                put_json({"files": [str(path) for path in written]})
            else:
                put(*(f"written: {path}" for path in written))
            return
    except ProgramError as error:
        if as_json:
            put_json({"mistakes": [_place(problem) for problem in error.problems]})
        else:
            put(*(problem.shown(error.file) for problem in error.problems))
        raise typer.Exit(1) from None
    if check:
        if as_json:
            put_json({"mistakes": []})
        else:
            put(f"{file}: no mistakes")
        return
    arm = [with_tip(name, tip) for name in arm or []]
    values: dict[str, Value] = {}
    if base is not None:
        values["r_base"] = _base(base)
    if lint:
        _lint(loaded, arm or [], values, bodies, pictures, as_json)
        return
    if cell is not None:
        from armwerk.cli.program_cell import run_in_cell

        run_in_cell(loaded, file, cell, robot, seconds, trace=trace, as_json=as_json)
        return
    rates = (max_velocity, max_acceleration, max_jerk)
    _run(loaded, arm or [], rates, start, values, trace, as_json)


def _run(
    loaded: RobotProgram,
    arms: list[str],
    rates: tuple[str | None, str | None, str | None],
    start: str | None,
    values: dict[str, Value],
    trace: bool,
    as_json: bool,
) -> None:
    from armwerk.language import Rehearsal

    machine: Machine = Rehearsal()
    driven: ArmMachine | None = None
    if arms:
        with working("loading (the first run on a machine compiles kernels, once)"):
            machine = driven = _arms(arms, start, rates)
    run = loaded.interpreter(machine, values=values, say=None if as_json else _say)
    if trace and not as_json:
        text = loaded.units[-1].source.text.split("\n")
        run.trace = lambda line: put(f"{machine.time:9.3f} s {line:5d} | {text[line - 1].rstrip()}")
    try:
        while run.run() == "paused":
            pass
    except ExecutionError as error:
        if as_json:
            put_json(_json(run.output, machine, driven) | {"error": str(error)})
        else:
            put(str(error))
        raise typer.Exit(1) from None
    if as_json:
        put_json(_json(run.output, machine, driven))
        return
    if driven is not None and driven.motions:
        put(_table(loaded.name, driven))
    for words in () if driven is None else driven.assumed:
        put(f"notice: {words}")
    put(f"{loaded.name}: {machine.time:.3f} s")


def _lint(
    loaded: RobotProgram,
    arms: list[str],
    values: dict[str, Value],
    bodies: Path | None,
    pictures: Path | None,
    as_json: bool,
) -> None:
    from armwerk.collision import Bodies
    from armwerk.modelling import model

    around = None if bodies is None else Bodies.load(bodies)
    found = loaded.lint([model(name) for name in arms], around, values)
    rows: list[dict[str, object]] = []
    for number, one in enumerate(found, start=1):
        rows.append(_place(one.problem))
        if not as_json:
            put(one.shown())
        if pictures is not None and one.q is not None:
            drawn = one.draw(pictures / f"{number}-line{one.problem.line}.png")
            rows[-1]["picture"] = str(drawn)
            if not as_json:
                put(f"picture: {drawn}")
    if as_json:
        put_json({"warnings": rows})
    else:
        put(f"{loaded.name}: {len(found)} warning{'s' * (len(found) != 1)}")
    if found:
        raise typer.Exit(1)


def _place(problem: Problem) -> dict[str, object]:
    """Return a mistake or a warning as plain data; line and column are counted from 1."""
    return {"line": problem.line, "column": problem.column, "message": problem.message}


def _say(text: str) -> None:
    typer.echo(text, nl=False)


def _arms(
    names: list[str], start: str | None, rates: tuple[str | None, str | None, str | None]
) -> ArmMachine:
    from armwerk.language.running.arms import ArmMachine
    from armwerk.modelling import model
    from armwerk.robot import load

    described = [load(name) for name in names]
    limits = [limits_of(one, Units(), *rates) for one in described]
    machine = ArmMachine([model(one) for one in described], limits=limits)
    if start is not None:
        machine.place(1, joint_values(start, described[0], Units(), "--from"))
    return machine


def _base(text: str) -> Value:
    from armwerk.language.frames import euler

    x, y, z, a, b, c = numbers(text, "x y z a b c", "--base")
    position: list[Value] = [x, y, z]
    turn: list[Value] = [*euler("zyx", a, b, c)]
    return [position, turn]


def _table(name: str, machine: ArmMachine) -> Table:
    shown = table(f"{name}: motions")
    for heading in ("lines", "robot", "paths"):
        add_column(shown, heading)
    for heading in ("start [s]", "takes [s]"):
        add_column(shown, heading, number=True)
    for motion in machine.motions:
        lines = sorted({command.line for command in motion.commands})
        kinds = ", ".join(command.kind for command in motion.commands)
        add_row(
            shown,
            ", ".join(map(str, lines)),
            str(motion.robot),
            kinds if len(kinds) < 40 else f"{len(motion.commands)} without a stop",
            f"{motion.start:.3f}",
            f"{motion.trajectory.duration:.3f}",
        )
    return shown


def _json(output: str, machine: Machine, driven: ArmMachine | None) -> dict[str, object]:
    motions = [] if driven is None else driven.motions
    return {
        "output": output,
        "time": machine.time,
        "motions": [
            {
                "lines": sorted({command.line for command in motion.commands}),
                "robot": motion.robot,
                "start": motion.start,
                "duration": motion.trajectory.duration,
                "end": motion.trajectory.sample(motion.trajectory.duration)[0].tolist(),
            }
            for motion in motions
        ],
    }
