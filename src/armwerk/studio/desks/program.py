"""Robot programs: checked, run line by line on an arm, formatted, exported."""

from __future__ import annotations

import re

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, ExecutionError, Problem, ProgramError
from armwerk.language import formatted, irl
from armwerk.language.arithmetic import shown_value
from armwerk.language.linting.text import text_lints
from armwerk.language.running.arms import ArmMachine, DrivenMotion
from armwerk.language.running.interpreter import Interpreter
from armwerk.language.running.signals import SignalState
from armwerk.protocol.moving import SampledMotion
from armwerk.protocol.programming import (
    CheckProgram,
    ExportProgram,
    FormatProgram,
    ProgramChecked,
    ProgramCommand,
    ProgramProblem,
    ProgramResult,
    ProgramRun,
    ProgramStep,
    ProgramText,
    RunProgram,
    VariableChange,
)
from armwerk.studio.desks.stages import StagedArm, Stages
from armwerk.wire.arm_stage import packed_numbers

MOST_STEPS = 4000
"""Lines of a run that are told."""
_MOST_TEXT = 400_000  # letters of a program
_TURN = 2000  # operations between two looks at how long a run is
_LONGEST = 3600.0  # [s] of simulated time
_DUST = 1e-12  # millimetres or degrees that are shown as zero
_LONGEST_VALUE = 200  # letters of a value that is shown
_SAMPLE = 0.02  # [s] between samples
_FEWEST, _MOST = 40, 2500  # samples
_INPUT = re.compile(r"(\w+)=([\w.+-]+)@(\d+(?:\.\d*)?)")
_WORDS: dict[str, SignalState] = {"true": True, "false": False}


class ProgramDesk:
    """Checks and runs programs.

    Args:
        stages: Where arms are looked up.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    def obey(self, command: ProgramCommand) -> ProgramResult:
        """Carry out a command.

        Raises:
            ArmwerkError: When something asked for is wrong.
        """
        if len(command.text) > _MOST_TEXT:
            raise DescriptionError(
                "too long", element="program", value=len(command.text), allowed=f"{_MOST_TEXT}"
            )
        if isinstance(command, CheckProgram):
            return ProgramChecked(_problems(command.text))
        if isinstance(command, RunProgram):
            return self._run(command)
        if isinstance(command, FormatProgram):
            return ProgramText("", formatted(command.text))
        return _exported(command)

    def _run(self, command: RunProgram) -> ProgramRun:
        staged = self._stages.get(command.arm, "")
        try:
            program = irl.loads(command.text)
        except ProgramError as error:
            return ProgramRun((), "", "the program has mistakes", _problem(error.problems[0]), None)
        machine = ArmMachine([staged.model], [staged.stage.rest], inputs=_inputs(command.inputs))
        run = program.interpreter(machine)
        teller = _Teller(run, machine)
        ending, problem = "", None
        try:
            ending = teller.run()
        except ExecutionError as error:
            problem, ending = _problem(error.problem), "it cannot go on"
        teller.end()
        motion = _sampled(staged, machine, teller.steps[-1].time)
        return ProgramRun(tuple(teller.steps), run.output, ending, problem, motion)


def seen_value(value: object, dust: float = _DUST) -> str:
    """Return a value for people: six digits, and none of the dust that sines leave at zero.

    Args:
        value: Of a variable.
        dust: Numbers up to it are zero; beside larger ones in a list, larger ones are.
    """
    if isinstance(value, float):
        text = f"{0.0 if abs(value) <= dust else value:.6g}"
        return text if "." in text or "e" in text or "n" in text else f"{text}.0"
    if isinstance(value, list):
        sizes = [abs(one) for one in value if isinstance(one, float)]
        grain = _DUST * max(1.0, *sizes) if sizes else _DUST
        return "(" + ", ".join(seen_value(one, grain) for one in value) + ")"
    return shown_value(value)


class _Teller:
    """Notes the lines of a run, with what the variables hold before each."""

    def __init__(self, run: Interpreter, machine: ArmMachine) -> None:
        self.steps: list[ProgramStep] = []
        self._run, self._machine = run, machine
        self._known: dict[str, str] = {}
        self._moves: list[tuple[int, int]] = []
        run.trace = self._begun

    def run(self) -> str:
        """Run to the end, or as far as it is told; return how it ended."""
        while len(self.steps) < MOST_STEPS and self._machine.time < _LONGEST:
            if self._run.run(_TURN) == "done":
                return f"done after {self._machine.time:.2f} s"
        if len(self.steps) >= MOST_STEPS:
            return f"left after {MOST_STEPS} lines"
        return f"left after {_LONGEST:g} s"

    def _begun(self, line: int) -> None:
        if len(self.steps) < MOST_STEPS:
            self._note(line, self._machine.time)

    def end(self) -> None:
        """Note where the run has ended."""
        self._note(self._run.line, self._machine.time)
        self.steps = _in_time(self.steps, self._machine.motions)

    def _note(self, line: int, time: float) -> None:
        changes = []
        for name, value in self._values().items():
            if self._known.get(name) != value:
                self._known[name] = value
                changes.append(VariableChange(name, value))
        self.steps.append(ProgramStep(line, time, tuple(changes), len(self._run.output)))

    def _values(self) -> dict[str, str]:
        """Return what the variables of the program and of the present call hold."""
        program, main = self._run.program, self._run.processes[0]
        names = [one for one in program.names if one and not one.startswith("r_")]
        names += [one for one in program.routines[main.routine].names if one and main.calls]
        return {one: seen_value(self._run.watch(one))[:_LONGEST_VALUE] for one in names}


def _in_time(steps: list[ProgramStep], motions: list[DrivenMotion]) -> list[ProgramStep]:
    """Return steps with the times at which what was ordered before them is done.

    A program runs ahead of its motions: a step behind a move is shown when that has ended, a step
    inside of motions without a stop when its share of them has passed.
    """
    ends: list[tuple[int, float]] = []
    for motion in motions:
        count = len(motion.commands)
        ends += [
            (command.line, motion.start + motion.trajectory.duration * (k + 1) / count)
            for k, command in enumerate(motion.commands)
        ]
    found, latest, at = [], 0.0, 0
    for step in steps:
        latest = max(latest, step.time)
        found.append(ProgramStep(step.line, latest, step.changes, step.letters))
        if at < len(ends) and ends[at][0] == step.line:
            latest = max(latest, ends[at][1])
            at += 1
    return found


def _sampled(staged: StagedArm, machine: ArmMachine, duration: float) -> SampledMotion | None:
    """Return what the arm has done, in samples."""
    motions = [one for one in machine.motions if one.trajectory.duration > 0.0]
    if not motions:
        return None
    count = int(np.clip(np.ceil(duration / _SAMPLE) + 1, _FEWEST, _MOST))
    times = np.linspace(0.0, duration, count)
    rows = np.zeros((4, count, staged.model.dof))
    starts = np.array([one.start for one in motions])
    which = np.searchsorted(starts, times, side="right") - 1
    rows[0, which < 0] = motions[0].trajectory.sample(0.0)[0]
    for number, motion in enumerate(motions):
        here = np.flatnonzero(which == number)
        if len(here):
            local = np.minimum(times[here] - motion.start, motion.trajectory.duration)
            samples = motion.trajectory.evaluate(local)
            moving = (local < motion.trajectory.duration)[:, None]
            rows[0, here] = samples.q
            for k, rate in enumerate((samples.qd, samples.qdd, samples.qddd), start=1):
                rows[k, here] = np.where(moving, rate, 0.0)
    q: Array = rows[0]
    tool = np.array([staged.model.fk(row)[:3, 3] for row in q])
    position, velocity, acceleration, jerk = (packed_numbers(one) for one in rows)
    return SampledMotion(
        duration,
        count,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        jerk=jerk,
        force="",
        tool=packed_numbers(tool),
        poses=staged.stage.packed(q),
        marks=packed_numbers(np.zeros(count)),
    )


def _problems(text: str) -> tuple[ProgramProblem, ...]:
    wrong = irl.problems(text)
    if wrong:
        return tuple(map(_problem, wrong))
    try:
        program = irl.loads(text)
    except ProgramError as error:  # an import, or a module instead of a program
        return tuple(map(_problem, error.problems))
    lints = sorted(text_lints(program.checked), key=lambda lint: lint.problem.line)
    return tuple(_problem(lint.problem, is_warning=True) for lint in lints)


def _problem(problem: Problem, is_warning: bool = False) -> ProgramProblem:
    return ProgramProblem(
        problem.line,
        problem.column,
        problem.length,
        problem.message,
        problem.expected,
        is_warning,
    )


def _inputs(text: str) -> dict[str, list[tuple[float, SignalState]]]:
    """Return when inputs take which values.

    Raises:
        DescriptionError: For words of another form.
    """
    found: dict[str, list[tuple[float, SignalState]]] = {}
    for word in text.replace(",", " ").split():
        given = _INPUT.fullmatch(word)
        value = None if given is None else _value(given[2])
        if given is None or value is None:
            raise DescriptionError(
                "no input", element="inputs", value=word, allowed="name=value@seconds"
            )
        found.setdefault(given[1].lower(), []).append((float(given[3]), value))
    return {name: sorted(rows, key=lambda row: row[0]) for name, rows in found.items()}


def _value(text: str) -> SignalState | None:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return None
    if not np.isfinite(number):
        return None
    return int(number) if number.is_integer() and "." not in text else number


def _exported(command: ExportProgram) -> ProgramText:
    files = irl.loads(command.text).export(command.maker)
    return ProgramText(", ".join(files), "\n".join(files.values()))
