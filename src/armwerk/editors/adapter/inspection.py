"""Values as an editor shows them: scopes, records that open, arrays page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from armwerk.editors.adapter.messages import Json, number_in, text_in
from armwerk.editors.hover import value_text
from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.language.arithmetic import Fault
from armwerk.language.checking.symbols import SYSTEM_VARIABLES, WORLD_VALUES
from armwerk.language.debugging.debugger import CallFrame, Debugger
from armwerk.language.debugging.expressions import ProgramNames, WatchedValue
from armwerk.language.types import ArrayType, IrlType, RecordType, SimpleType, Value

PAGE = 1000  # elements that are told at once where the editor does not ask for pages


class ShownPart(NamedTuple):
    """Something with parts that an editor may open.

    Attributes:
        expression: How a program names it; empty: it is a scope.
        frame: The call in which it is.
        kind: Its type; None: it is a scope.
        value: Its value; None: it is a scope.
        names: Those of a scope.
    """

    expression: str
    frame: CallFrame
    kind: IrlType | None = None
    value: Value | None = None
    names: tuple[str, ...] = ()


class Inspection:
    """What an editor has opened since the run stopped last.

    Args:
        debugger: The run.
        names: Reads expressions.
    """

    def __init__(self, debugger: Debugger, names: ProgramNames) -> None:
        self._debugger, self._names = debugger, names
        self._frames: list[CallFrame] = []
        self._parts: list[ShownPart] = []

    def forget(self) -> None:
        """Forget all: the run goes on."""
        self._frames.clear()
        self._parts.clear()

    def frame_number(self, frame: CallFrame) -> int:
        """Return a number for a call."""
        self._frames.append(frame)
        return len(self._frames)

    def frame(self, number: int) -> CallFrame:
        """Return the call of a number; 0: the present one of the program."""
        if not 1 <= number <= len(self._frames):
            return self._debugger.frames(self._debugger.processes[0])[0]
        return self._frames[number - 1]

    def scopes(self, number: int) -> list[Json]:
        """Return the groups of names in a call."""
        frame = self.frame(number)
        program = self._debugger.program
        own = program.routines[frame.routine].names if frame.routine else []
        outer = [name for name in program.names if name and name not in SYSTEM_VARIABLES]
        system = [*SYSTEM_VARIABLES, *WORLD_VALUES]
        groups = [
            ("Locals", "locals", own),
            ("Program", "globals", outer),
            ("Signals", "signals", list(program.signals)),
            ("Robot", "registers", system),
        ]
        found: list[Json] = []
        for title, hint, names in groups:
            given = tuple(name for name in names if name)
            if given:
                part = ShownPart("", frame, names=given)
                found.append(
                    {
                        "name": title,
                        "presentationHint": hint,
                        "variablesReference": self._reference(part),
                        "namedVariables": len(given),
                        "expensive": False,
                    }
                )
        return found

    def _reference(self, part: ShownPart) -> int:
        self._parts.append(part)
        return len(self._parts)

    def _part(self, given: Mapping[str, Json]) -> ShownPart:
        number = number_in(given, "variablesReference")
        if not 1 <= number <= len(self._parts):
            raise DescriptionError("the run has gone on; these values are gone")
        return self._parts[number - 1]

    def variables(self, given: Mapping[str, Json]) -> list[Json]:
        """Return the parts of what an editor opens."""
        part = self._part(given)
        start = number_in(given, "start")
        count = number_in(given, "count") or PAGE
        return list(self._shown(part, start, count))

    def _shown(self, part: ShownPart, start: int, count: int) -> Iterator[Json]:
        if part.kind is None:
            for name in part.names:
                try:
                    found = self.evaluate(name, part.frame)
                    yield self._variable(name, name, found.kind, found.value, part.frame)
                except (ArmwerkError, Fault) as fault:
                    yield {"name": name, "value": f"<{fault}>", "variablesReference": 0}
            return
        for name, expression, kind, value in _parts_of(part, start, count):
            yield self._variable(name, expression, kind, value, part.frame)

    def _variable(
        self, name: str, expression: str, kind: IrlType, value: Value, frame: CallFrame
    ) -> dict[str, Json]:
        return {
            "name": name,
            "evaluateName": expression,
            **self.shown(expression, kind, value, frame),
        }

    def shown(
        self, expression: str, kind: IrlType, value: Value, frame: CallFrame
    ) -> dict[str, Json]:
        """Return a value with its type and a number by which it can be opened."""
        answer: dict[str, Json] = {
            "value": value_text(kind, value),
            "type": kind.name,
            "variablesReference": 0,
        }
        if isinstance(value, list):
            answer["variablesReference"] = self._reference(
                ShownPart(expression, frame, kind, value)
            )
            many = "indexedVariables" if isinstance(kind, ArrayType) else "namedVariables"
            answer[many] = len(value)
        return answer

    def evaluate(self, text: str, frame: CallFrame) -> WatchedValue:
        """Return the value of an expression, or assign with ``a := b``.

        Raises:
            ProgramError: When the text is wrong.
            Fault: When there is no value.
        """
        target, sign, value = text.partition(":=")
        if sign:
            return self.assign(target, value, frame)
        return self._names.reader(text, frame.routine)(frame.variables)

    def assign(self, target: str, text: str, frame: CallFrame) -> WatchedValue:
        """Put a value into a variable, or a part of one."""
        found = self._names.assign(target, text, frame.routine, frame.variables)
        self._debugger.changed()
        return found

    def set_variable(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Set what an editor shows as a row."""
        part = self._part(given)
        name = text_in(given, "name")
        expression = name
        if part.kind is not None:
            expression = f"{part.expression}{name if name.startswith('[') else f'.{name}'}"
        found = self.assign(expression, text_in(given, "value"), part.frame)
        return self.shown(expression, found.kind, found.value, part.frame)


def _parts_of(part: ShownPart, start: int, count: int) -> Iterable[tuple[str, str, IrlType, Value]]:
    kind, value = part.kind, part.value
    if not isinstance(value, list) or kind is None or isinstance(kind, SimpleType):
        return
    if isinstance(kind, RecordType):
        for name, inner, one in zip(kind.fields, kind.types, value, strict=True):
            yield name, f"{part.expression}.{name}", inner, one
        return
    for index in range(start, min(start + count, len(value))):
        name = f"[{kind.low + index}]"
        yield name, part.expression + name, kind.element, value[index]
