"""Whole programs: declarations, routines, and the modules that are loaded beside a program."""

from __future__ import annotations

from collections.abc import Sequence

from armwerk.errors import Problem
from armwerk.language.checking.statements import StatementChecker
from armwerk.language.checking.symbols import (
    SYSTEM_VARIABLES,
    TRUTHS,
    WORLD_VALUES,
    ConstantSymbol,
    RoutineSymbol,
    Scope,
    SignalSymbol,
    Symbol,
    TypeSymbol,
    VariableSymbol,
)
from armwerk.language.code import (
    CheckedProgram,
    CheckedRoutine,
    ConstantValue,
    Instruction,
    NoReturn,
    Rest,
    ReturnValue,
    Settle,
    Store,
)
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.syntax import (
    ArrayForm,
    ConstantSection,
    DeclaredName,
    RecordForm,
    Routine,
    Section,
    SignalSection,
    TypeForm,
    TypeName,
    TypeSection,
    VariableSection,
)
from armwerk.language.types import (
    BOOL,
    FILE,
    INT,
    MOST_ELEMENTS,
    PREDEFINED,
    REAL,
    SEMAPHORE,
    UNKNOWN,
    IrlType,
    RecordType,
    array_of,
    size,
)

_RESERVED = {*PREDEFINED, *SYSTEM_VARIABLES, *WORLD_VALUES, *TRUTHS}
_SIGNALS = (BOOL, INT, REAL)


def check(units: Sequence[ParsedUnit]) -> tuple[CheckedProgram | None, list[Problem]]:
    """Check a program with the modules beside it.

    Args:
        units: Modules first, the program last.

    Returns:
        The program, None where it has problems, and the problems of all texts.
    """
    checker = UnitChecker()
    for index, parsed in enumerate(units):
        checker.declare(index, parsed)
    checker.finish(units)
    problems = [problem for parsed in units for problem in in_order(parsed)]
    return (None, problems) if problems else (checker.checked(units), [])


def in_order(parsed: ParsedUnit) -> list[Problem]:
    """Return the problems of a text from its beginning to its end."""
    return sorted(parsed.source.problems, key=lambda one: (one.line, one.column))


class UnitChecker(StatementChecker):
    """Checks programs and modules into one list of instructions."""

    def __init__(self) -> None:
        super().__init__()
        self.routines: list[CheckedRoutine] = [
            CheckedRoutine("", "program", 0, (), [], [], None, 0, 0)
        ]
        self.signals: dict[str, tuple[IrlType, bool, int | None]] = {}
        self._bodies: list[tuple[int, ParsedUnit, Routine, Scope, int]] = []
        self.scopes: dict[str, Scope] = {}
        """Names of routines, by the routine's name."""

    def declare(self, index: int, parsed: ParsedUnit) -> None:
        """Declare what a program or module declares, up to the heads of its routines."""
        self._enter(index, parsed)
        for section in parsed.unit.sections:
            self._section(section)
        for routine in parsed.unit.routines:
            self._head(index, parsed, routine)

    def _enter(self, index: int, parsed: ParsedUnit) -> None:
        self.source, self.source_index = parsed.source, index

    def finish(self, units: Sequence[ParsedUnit]) -> None:
        """Check statements: those of the program first, then those of routines."""
        parsed = units[-1]
        self._enter(len(units) - 1, parsed)
        self.block(parsed.unit.body)
        self.emit(Settle(), parsed.unit.end)
        self.emit(Rest("halt"), parsed.unit.end)
        for index, owner, routine, scope, number in self._bodies:
            self._enter(index, owner)
            self._body(routine, scope, number)

    def checked(self, units: Sequence[ParsedUnit]) -> CheckedProgram:
        """Return the program; there are no problems."""
        unit = units[-1].unit
        name = units[-1].source.spelling(unit.name_at)
        for variable in SYSTEM_VARIABLES:
            self.system_variable(variable)
        return CheckedProgram(
            name,
            tuple(self.code),
            tuple(self.places),
            tuple(self.routines),
            tuple(self.program.kinds),
            tuple(self.program.names),
            self.signals,
            tuple(parsed.source for parsed in units),
        )

    def _add(self, at: int, name: str, symbol: Symbol) -> None:
        if name in _RESERVED:
            self.report(at, f"'{name}' is known to every program", "another name")
        elif name in self.scope.symbols:
            self.report(at, f"'{name}' is declared twice", "another name")
        else:
            self.scope.symbols[name] = symbol

    def _section(self, section: Section) -> None:
        match section:
            case VariableSection(_, items):
                for item in items:
                    kind = self.kind(item.form)
                    for declared in item.names:
                        self._variable(declared, kind)
            case ConstantSection(_, constants):
                for constant in constants:
                    kind = self.kind(constant.form)
                    for declared in constant.names:
                        self._constant(declared, kind)
            case TypeSection(_, types):
                for one in types:
                    kind = self.kind(one.form, one.name)
                    self._add(one.at, one.name, TypeSymbol(kind, one.at))
            case SignalSection(_, signals):
                for signal in signals:
                    kind = self.kind(signal.form)
                    if kind not in (*_SIGNALS, UNKNOWN):
                        self.report(signal.form.at, "a signal is bool, int or real")
                    for declared in signal.names:
                        self._signal(declared, kind, signal.is_output)

    def _variable(self, declared: DeclaredName, kind: IrlType) -> None:
        self.reads_world = False
        value = self.scope.variable(declared.name, kind)
        start = None
        if declared.value is not None:
            if kind is SEMAPHORE:
                start = self.fitted(declared.value, INT)
            elif kind is FILE:
                self.report(declared.at, "a file has no first value", "open(…)")
            else:
                start = self.fitted(declared.value, kind)
        self._add(declared.at, declared.name, VariableSymbol(value, declared.at))
        if start is not None:
            self.settle(declared.at)
            self.emit(Store(value, start), declared.at)

    def _constant(self, declared: DeclaredName, kind: IrlType) -> None:
        if declared.value is None:
            self.report(declared.at, "a constant needs a value", "'=' and a value")
            return
        value = self.constant(declared.value, kind)
        found = ConstantValue(UNKNOWN, 0) if value is None else value
        self._add(declared.at, declared.name, ConstantSymbol(found.kind, found.value, declared.at))

    def _signal(self, declared: DeclaredName, kind: IrlType, is_output: bool) -> None:
        channel = None
        if declared.value is not None:
            value = self.constant(declared.value, INT)
            if value is not None and isinstance(value.value, int):
                channel = value.value
        if not self.scope.is_global:
            self.report(declared.at, "signals are declared in the program, not in a routine")
            return
        self.signals[declared.name] = (kind, is_output, channel)
        symbol = SignalSymbol(kind, declared.name, is_output, declared.at)
        self._add(declared.at, declared.name, symbol)

    def kind(self, form: TypeForm, name: str = "record") -> IrlType:
        """Return the type that a declaration means."""
        match form:
            case TypeName(at, named):
                symbol = self.look_up(named)
                if isinstance(symbol, TypeSymbol):
                    return symbol.kind
                if symbol is None and named in PREDEFINED:
                    return PREDEFINED[named]
                if symbol is None:
                    self.unknown(at, named, "a type")
                else:
                    self.report(at, f"'{named}' is no type", "a type")
                return UNKNOWN
            case ArrayForm(at, ranges, element):
                kind = self.kind(element)
                for low, high in reversed(ranges):
                    first, last = self.constant(low, INT), self.constant(high, INT)
                    if first is None or last is None:
                        return UNKNOWN
                    a, b = first.value, last.value
                    assert isinstance(a, int)
                    assert isinstance(b, int)
                    if b < a:
                        self.report(self.first(low), f"the range {a}..{b} is empty")
                        return UNKNOWN
                    if (b - a + 1) * size(kind) > MOST_ELEMENTS:
                        self.report(at, f"this array has more than {MOST_ELEMENTS} elements")
                        return UNKNOWN
                    kind = array_of(a, b, kind)
                return kind
            case RecordForm(at, items):
                fields: dict[str, IrlType] = {}
                for item in items:
                    kind = self.kind(item.form)
                    for declared in item.names:
                        if declared.name in fields:
                            self.report(declared.at, f"the field '{declared.name}' stands twice")
                        fields[declared.name] = kind
                return RecordType(name, tuple(fields), tuple(fields.values()))

    def _head(self, index: int, parsed: ParsedUnit, routine: Routine) -> None:
        scope = Scope(is_global=False)
        modes, kinds = [], []
        outer, self.scope = self.scope, scope
        for parameter in routine.parameters:
            self.scope = outer
            kind = self.kind(parameter.form)
            self.scope = scope
            for declared in parameter.names:
                value = scope.variable(declared.name, kind)
                symbol = VariableSymbol(value, declared.at, mode=parameter.mode)
                self._add(declared.at, declared.name, symbol)
                modes.append(parameter.mode)
                kinds.append(kind)
        self.scope = outer
        result = None if routine.result is None else self.kind(routine.result)
        number = len(self.routines)
        spelled = self.source.spelling(routine.name_at) if routine.name else "?"
        self._add(
            routine.name_at,
            routine.name or "?",
            RoutineSymbol(
                number, routine.kind, spelled, tuple(modes), tuple(kinds), result, routine.name_at
            ),
        )
        self.routines.append(
            CheckedRoutine(
                spelled,
                routine.kind,
                -1,
                tuple(modes),
                scope.kinds,
                scope.names,
                result,
                routine.name_at,
                index,
            )
        )
        self._bodies.append((index, parsed, routine, scope, number))
        self.scopes[routine.name] = scope

    def _body(self, routine: Routine, scope: Scope, number: int) -> None:
        self.scope, self.result, self.has_return = scope, self.routines[number].result, False
        self.routines[number].entry = len(self.code)
        for section in routine.sections:
            self._section(section)
        self.block(routine.body)
        end: Instruction = ReturnValue(None) if self.result is None else NoReturn()
        if self.result is not None and not self.has_return:
            self.report(
                routine.name_at, f"the function '{routine.name}' never returns a value", "'return'"
            )
        self.emit(end, routine.end)
        self.scope, self.result = self.program, None
