"""``armwerk derive``: the closed-form models of an arm, shown and written as files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from armwerk.cli.arm_options import ArmArgument, PartOfPose, TaskOption, TipOption, with_tip
from armwerk.cli.console import add_column, add_row, err, put, put_json, table
from armwerk.errors import UnsupportedError

if TYPE_CHECKING:
    from armwerk.derivation.axis_coupling import AxisCoupling
    from armwerk.derivation.derived import Derivation
    from armwerk.derivation.emit import Format
    from armwerk.mechanics.inverse.interface import Task
    from armwerk.robot.arm import Arm

FORMATS: tuple[Format, ...] = ("latex", "c", "python")
KNOWN_FORMATS: tuple[Format, ...] = (*FORMATS, "short", "motion")


class DerivationMethod(StrEnum):
    """How the inverse kinematics is derived."""

    rules = "rules"
    elimination = "elimination"
    twists = "twists"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one model.

    Args:
        model: Its name.
        result: A few words about it.
        operations: Number of operations with shared sub-expressions; None: not counted.
        seconds: What it took.
    """

    model: str
    result: str
    operations: int | None
    seconds: float


def derive(
    name: ArmArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write files into this folder."),
    ] = None,
    method: Annotated[
        DerivationMethod | None,
        typer.Option("--method", help="Of the inverse kinematics. Without it: each in turn."),
    ] = None,
    formats: Annotated[
        str, typer.Option("--formats", metavar="LIST", help="Any of latex,short,c,python,motion.")
    ] = ",".join(FORMATS),
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also make a PDF of each document (needs pdflatex).")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every step of the inverse kinematics.")
    ] = False,
    task: TaskOption = PartOfPose.pose,
    tip: TipOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON instead of a table, times in seconds.")
    ] = False,
) -> None:
    """Derive direct and inverse kinematics, Jacobian and dynamics of an arm in closed form.

    The document explains every step, "short" has the inverse kinematics on two pages as a book
    would; the C and Python sources need nothing but libm and numpy.
    Their lengths are metres, their angles radians. With --task position or direction the inverse
    kinematics is that of an arm with joints behind its tool, which do what the task leaves free.

    \b
    Examples:
      armwerk derive puma560 --explain
      armwerk derive ur5e --out ur5e --formats c,python
      armwerk derive scara --out scara --pdf
      armwerk derive puma560 --out puma --formats short --pdf
      armwerk derive planar_rr --task position --explain
    """
    chosen = _formats(formats)
    if pdf:
        _check_pdf(out, chosen)
    from armwerk.derivation import derive as start

    arm = with_tip(name, tip)
    derivation = start(arm, None if method is None else method.value, _task(arm, task))
    outcomes, files = _work(derivation, out, chosen, pdf)
    if as_json:
        put_json(_json(derivation, outcomes, files, explain))
        return
    if explain:
        put(derivation.inverse.explain(), "")
    put(_summary(derivation, outcomes))
    for path in files:
        put(f"file: {path}")


def _task(arm: str | Arm, task: PartOfPose) -> Task:
    from armwerk.mechanics.inverse.partial import known_task, own_task

    if task is not PartOfPose.auto:
        return known_task(task.value)
    from armwerk.mechanics.serial import SerialModel  # compiled code
    from armwerk.robot import load_arm

    return own_task(SerialModel(load_arm(arm).free_chain))


def _formats(text: str) -> tuple[Format, ...]:
    words = [word for word in text.replace(",", " ").split() if word]
    for word in words:
        if word not in KNOWN_FORMATS:
            raise typer.BadParameter(
                f"--formats: no '{word}' (allowed: {', '.join(KNOWN_FORMATS)})"
            )
    if not words:
        raise typer.BadParameter(f"--formats: empty (allowed: {', '.join(KNOWN_FORMATS)})")
    return tuple(word for word in KNOWN_FORMATS if word in words)


def _check_pdf(out: Path | None, formats: tuple[Format, ...]) -> None:
    if out is None:
        raise typer.BadParameter("--pdf needs --out DIR")
    if not {"latex", "short"} & set(formats):
        raise typer.BadParameter("--pdf needs latex or short among the --formats")
    from armwerk.derivation.emit.printing import pdflatex

    pdflatex()


def _work(
    derivation: Derivation, out: Path | None, formats: tuple[Format, ...], pdf: bool
) -> tuple[list[Outcome], list[Path]]:
    """Derive model after model, then write; a bar on stderr shows how far it is."""
    stages = _stages(derivation)
    files: list[Path] = []
    outcomes: list[Outcome] = []
    with _bar(len(stages) + (out is not None) + pdf) as step:
        results: list[tuple[str, str, float]] = []
        for model, find in stages:
            with step(model):
                begin = time.perf_counter()
                results.append((model, find(), time.perf_counter() - begin))
        counts = _operation_counts(derivation)
        outcomes = [Outcome(m, text, counts.get(m), seconds) for m, text, seconds in results]
        if out is not None:
            with step("writing"):
                files = derivation.write(out, formats)
        if pdf:
            from armwerk.derivation.emit.printing import make_pdf

            with step("pdflatex"):
                files += [make_pdf(path) for path in files if path.suffix == ".tex"]
    return outcomes, files


def _coupled(coupling: AxisCoupling) -> str:
    """Return how joint angles q, in which all else is written, follow axis values m."""
    forth, back = coupling.explain().splitlines()
    return f"{forth.partition(': ')[2]}; back: {back.partition(': ')[2]}"


def _stages(derivation: Derivation) -> list[tuple[str, Callable[[], str]]]:
    """Return the models in order, each with what finds it and says a few words about it."""
    coupling = derivation.coupling
    first: list[tuple[str, Callable[[], str]]] = []
    if coupling is not None:
        first.append(("coupled axes", lambda: _coupled(coupling)))
    return [
        *first,
        ("direct kinematics", lambda: _direct(derivation)),
        ("kinematic equations", lambda: _equations(derivation)),
        ("inverse kinematics", lambda: _inverse(derivation)),
        ("Jacobian", lambda: _jacobian(derivation)),
        ("singularities", lambda: _singularities(derivation)),
        ("dynamics", lambda: _dynamics(derivation)),
    ]


def _direct(derivation: Derivation) -> str:
    terms = sum(len(entry) for row in derivation.forward_polynomials for entry in row)
    return f"{terms} terms; {len(derivation.twists)} twists"


def _equations(derivation: Derivation) -> str:
    counts = derivation.equation_counts
    listed = " ".join(str(count) for count in counts)
    return f"{sum(counts)}; with 0 to {len(counts) - 1} unknown joints: {listed}"


def _jacobian(derivation: Derivation) -> str:
    from armwerk.derivation.jacobian import jacobian

    terms = sum(len(entry) for row in jacobian(derivation.ring) for entry in row)
    return f"6 by {derivation.arm.dof}, {terms} terms"


def _inverse(derivation: Derivation) -> str:
    inverse = derivation.inverse
    if inverse.program is None:
        return inverse.reason
    count = "1 solution" if inverse.branches == 1 else f"{inverse.branches} solutions"
    given = inverse.program.given
    free = f", {', '.join(f'q{joint}' for joint in given)} free" if given else ""
    return f"{count} by {inverse.method}{free}"


def _singularities(derivation: Derivation) -> str:
    try:
        found = derivation.singularities
    except UnsupportedError:
        return "no determinant to factor"
    kinds = [f"{one.name or 'unnamed'} ({one.kind or 'never reached'})" for one in found]
    return ", ".join(kinds) or "none"


def _dynamics(derivation: Derivation) -> str:
    found = derivation.dynamics().polynomials
    terms = [sum(len(entry) for row in part for entry in row) for part in found.parts()]
    return "terms: {} mass, {} Coriolis, {} centrifugal, {} gravity".format(*terms)


def _operation_counts(derivation: Derivation) -> dict[str, int]:
    """Return the operations of the models; of the dynamics those of the recursion, if any."""
    from armwerk.derivation.emit.counts import formula_operations, recursion_operations

    names = {"direct": "direct kinematics", "inverse": "inverse kinematics", "jacobian": "Jacobian"}
    counts = {model: sum(one.values()) for model, one in formula_operations(derivation).items()}
    found = {names[model]: count for model, count in counts.items() if model in names}
    recursion = list(recursion_operations(derivation).values())
    if recursion:
        found["dynamics"] = sum(recursion[0].values())
    return found


def _summary(derivation: Derivation, outcomes: list[Outcome]) -> Table:
    arm = derivation.arm
    shown = table(
        f"{arm.title or arm.name} ({arm.structure})",
        caption="operations: with shared sub-expressions, inverse kinematics for one solution, "
        "dynamics by recursion",
    )
    add_column(shown, "model")
    add_column(shown, "result", wrap=True)
    add_column(shown, "operations", number=True)
    add_column(shown, "seconds", number=True)
    for one in outcomes:
        count = "-" if one.operations is None else str(one.operations)
        add_row(shown, one.model, one.result, count, f"{one.seconds:.2f}")
    return shown


def _json(
    derivation: Derivation, outcomes: list[Outcome], files: list[Path], explain: bool
) -> dict[str, object]:
    data: dict[str, object] = {
        "arm": derivation.arm.name,
        "structure": derivation.arm.structure,
        "method": derivation.inverse.method,
        "solutions": derivation.inverse.branches,
        "models": [asdict(one) for one in outcomes],
        "files": [str(path) for path in files],
    }
    if explain:
        data["explanation"] = derivation.inverse.explain()
    return data


@contextmanager
def _bar(total: int) -> Iterator[Callable[[str], AbstractContextManager[None]]]:
    """Give a context for each step; shows a bar on stderr when that is a terminal."""
    console = err()
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        task = progress.add_task("", total=total)

        @contextmanager
        def step(what: str) -> Iterator[None]:
            progress.update(task, description=what)
            yield
            progress.advance(task)

        yield step
