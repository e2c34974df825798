"""Breakpoints as an editor describes them: lines, conditions, hit counts, messages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from armwerk.editors.adapter.messages import Json, number_in, text_in
from armwerk.errors import DescriptionError, ProgramError
from armwerk.language.arithmetic import Fault
from armwerk.language.code import CheckedProgram
from armwerk.language.debugging.debugger import Breakpoint, Debugger, ProgramPlace
from armwerk.language.debugging.expressions import ProgramNames
from armwerk.language.running.process import Process

_HITS = re.compile(r"\s*(==|=|>=|>|<=|<|%)?\s*(\d+)\s*")


class PlacedBreakpoint(NamedTuple):
    """A breakpoint with what the editor is told of it.

    Attributes:
        breakpoint: None: it cannot be met.
        answer: For the editor.
    """

    breakpoint: Breakpoint | None
    answer: dict[str, Json]


def source_of(program: CheckedProgram, file: str) -> int | None:
    """Return the index of a text by its file; None: it is none of the program."""
    wanted = Path(file).resolve()
    for index, source in enumerate(program.sources):
        if source.file and Path(source.file).resolve() == wanted:
            return index
    return None


def routine_of(program: CheckedProgram, instruction: int) -> int:
    """Return the number of the routine that an instruction belongs to; 0: the program."""
    entries = sorted((one.entry, number) for number, one in enumerate(program.routines))
    return entries[bisect_right(entries, (instruction, len(entries))) - 1][1]


def placed(
    debugger: Debugger, names: ProgramNames, file: str, given: Mapping[str, Json], number: int
) -> PlacedBreakpoint:
    """Return a breakpoint at a line, or why there cannot be one."""
    line = number_in(given, "line", 1)
    answer: dict[str, Json] = {"id": number, "verified": False, "line": line}
    source = source_of(debugger.program, file)
    if source is None:
        return PlacedBreakpoint(None, {**answer, "message": "the program does not use this file"})
    found = debugger.breakpoint_at(ProgramPlace(source, line))
    if found is None:
        return PlacedBreakpoint(None, {**answer, "message": "no statement stands here or below"})
    instruction, place = found
    return _made(debugger, names, instruction, given, {**answer, "line": place.line})


def at_routine(
    debugger: Debugger, names: ProgramNames, given: Mapping[str, Json], number: int
) -> PlacedBreakpoint:
    """Return a breakpoint at the first statement of a routine, or why there cannot be one."""
    wanted = text_in(given, "name").lower()
    answer: dict[str, Json] = {"id": number, "verified": False}
    for routine in debugger.program.routines[1:]:
        if routine.name.lower() == wanted:
            line = debugger.places[routine.entry].line
            return _made(debugger, names, routine.entry, given, {**answer, "line": line})
    return PlacedBreakpoint(None, {**answer, "message": f"no routine is called '{wanted}'"})


def _made(
    debugger: Debugger,
    names: ProgramNames,
    instruction: int,
    given: Mapping[str, Json],
    answer: dict[str, Json],
) -> PlacedBreakpoint:
    routine = routine_of(debugger.program, instruction)
    made = Breakpoint(instruction)
    try:
        condition = text_in(given, "condition").strip()
        if condition:
            made.condition = _holds(names, condition, routine)
        hits = text_in(given, "hitCondition").strip()
        if hits:
            made.is_due = hit_rule(hits)
        message = text_in(given, "logMessage")
        if message:
            write = names.message(message, routine)
            made.message = lambda process: write(process.frame) + "\n"
    except ProgramError as error:
        return PlacedBreakpoint(None, {**answer, "message": error.problems[0].message})
    except DescriptionError as error:
        return PlacedBreakpoint(None, {**answer, "message": str(error)})
    return PlacedBreakpoint(made, {**answer, "verified": True})


def _holds(names: ProgramNames, text: str, routine: int) -> Callable[[Process], bool]:
    read = names.condition(text, routine)

    def holds(process: Process) -> bool:
        try:
            return read(process.frame)
        except Fault:  # it cannot be told: whoever set it should have a look
            return True

    return holds


def hit_rule(text: str) -> Callable[[int], bool]:
    """Return whether a breakpoint stops at its n-th time: ``5``, ``>= 5``, ``% 3``.

    Raises:
        DescriptionError: When the text is no such rule.
    """
    found = _HITS.fullmatch(text)
    if found is None or (found[1] == "%" and int(found[2]) == 0):
        raise DescriptionError(
            "is no hit count", element="breakpoint", value=text, allowed="5, >= 5, < 5 or % 3"
        )
    count = int(found[2])
    rules: dict[str, Callable[[int], bool]] = {
        "=": lambda times: times == count,
        "==": lambda times: times == count,
        ">": lambda times: times > count,
        ">=": lambda times: times >= count,
        "<": lambda times: times < count,
        "<=": lambda times: times <= count,
        "%": lambda times: times % count == 0,
    }
    return rules[found[1] or "="]
