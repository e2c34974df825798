"""What comes of a program: its problems, or its text, signals, motions, files and faults."""

from __future__ import annotations

from pathlib import Path

from armwerk.errors import ExecutionError, ProgramError
from armwerk.language import MotionCommand, Rehearsal, irl

INPUTS: dict[str, list[tuple[float, int | float | bool]]] = {
    "there": [(0.0, False), (2.0, True)],
    "level": [(1.0, 3), (3.0, 7)],
    "never": [(0.0, False)],
}


def outcome(text: str, folder: Path) -> str:
    """Return what comes of a program on two robots that only note what they are told."""
    try:
        program = irl.loads(text, folder=folder)
    except ProgramError as error:
        return "".join(f"{p.line}:{p.column} {p.message}\n" for p in error.problems)
    machine = Rehearsal(INPUTS, robots=2)
    interpreter = program.interpreter(machine)
    fault = ""
    try:
        while interpreter.run(1_000_000) == "paused" and interpreter.count < 1_000_000:
            pass
    except ExecutionError as error:
        fault = f"fault {error.problem.line}: {error.problem.message}\n"
    lines = [f"signal {name} = {value} at {time:g}\n" for time, name, value in machine.changes]
    lines += [f"{moved(command)}\n" for command in machine.commands]
    for path in sorted(folder.rglob("*")):
        lines.append(
            f"file {path.name}: {path.read_text(encoding='utf-8').replace(chr(10), '|')}\n"
        )
    return interpreter.output + "".join(lines) + fault


def moved(command: MotionCommand) -> str:
    """Return a command in one line; what is as usual is left out."""
    words = [f"move{'_inc' * command.is_relative} {command.kind} line {command.line}:"]
    if command.robot != 1:
        words.append(f"robot {command.robot}")
    for target in command.targets:
        if target.kind == "joint":
            words.append(f"joints ({_row(target.values[:6])})")
            continue
        turn = f"; {_row(target.values[3:])}" if target.kind == "pose" else ""
        words.append(f"({_row([1e3 * value for value in target.values[:3]])}{turn})")
    if abs(command.speed - 0.25) > 1e-9:
        words.append(f"speed {1e3 * command.speed:g}")
    if command.joint_speeds != (1.0,):
        words += [f"{100 * share:g}%" for share in command.joint_speeds]
    if command.blend:
        words.append(f"blend {1e3 * command.blend:g}")
    if command.joint_blend:
        words.append(f"blend {100 * command.joint_blend:g}%")
    if command.duration is not None:
        words.append(f"time {command.duration:g}")
    if command.weave is not None:
        words.append("weave")
    if command.until is not None:
        words.append("until")
    for name, frame in (("base", command.base), ("tool", command.tool)):
        if any(frame[:3]):
            words.append(f"{name} ({_row([1e3 * value for value in frame[:3]])})")
    return " ".join(words)


def _row(values: object) -> str:
    assert isinstance(values, list | tuple)
    return " ".join(f"{round(value, 3) + 0.0:g}" for value in values)
