"""Values become functions of a call's variables: what a checked expression is when it runs."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TypeAlias

from armwerk.language.arithmetic import Fault
from armwerk.language.code import (
    CheckedValue,
    ChoiceValue,
    ConstantValue,
    ElementValue,
    FieldValue,
    ListValue,
    OperationValue,
    SignalValue,
    VariableValue,
    WorldValue,
)
from armwerk.language.types import SimpleType, Value, copier

Frame: TypeAlias = list[Value]
Reader: TypeAlias = Callable[[Frame], Value]
Writer: TypeAlias = Callable[[Frame, Value], None]
_FRESH = (OperationValue, ListValue, WorldValue)


class ValueCompiler:
    """Makes readers and writers.

    Args:
        variables: Those of the program; the functions made here hold on to this list.
        signal: Reads a signal.
        set_signal: Sets an output.
        world: Reads what only the machine knows, by name and subject.
    """

    def __init__(
        self,
        variables: Frame,
        signal: Callable[[str], Value],
        set_signal: Callable[[str, Value], None],
        world: Callable[[str, str], Value],
    ) -> None:
        self.variables = variables
        self._signal = signal
        self._set_signal = set_signal
        self._world = world

    def reader(self, value: CheckedValue) -> Reader:
        """Return what computes a value."""
        g = self.variables
        match value:
            case ConstantValue(_, constant):
                return lambda f: constant
            case VariableValue(_, slot, is_global):
                if is_global:
                    return lambda f: g[slot]
                return itemgetter(slot)
            case FieldValue(_, record, number):
                inner = self.reader(record)
                return lambda f: inner(f)[number]  # type: ignore[index]  # records are lists
            case ElementValue():
                return self._element(value)
            case OperationValue():
                return self._operation(value)
            case ChoiceValue(_, is_and, left, right):
                one, two = self.reader(left), self.reader(right)
                if is_and:
                    return lambda f: one(f) and two(f)
                return lambda f: one(f) or two(f)
            case ListValue(_, items):
                parts = [self.copied(item) for item in items]
                return lambda f: [part(f) for part in parts]
            case SignalValue(_, name):
                signal = self._signal
                return lambda f: signal(name)
            case WorldValue(_, name, subject):
                world = self._world
                return lambda f: world(name, subject)

    def copied(self, value: CheckedValue) -> Reader:
        """Return what computes a value that shares nothing with any variable."""
        reader = self.reader(value)
        copy = None if isinstance(value, _FRESH) else copier(value.kind)
        if copy is None:
            return reader
        return lambda f: copy(reader(f))

    def _element(self, value: ElementValue) -> Reader:
        array, position = self.reader(value.array), self.reader(value.position)
        low, high = value.low, value.high

        def element(f: Frame) -> Value:
            index = position(f)
            if low <= index <= high:  # type: ignore[operator]  # it is an int
                return array(f)[index - low]  # type: ignore[index,operator]
            raise Fault(f"index {index} is outside {low}..{high}")

        return element

    def _operation(self, value: OperationValue) -> Reader:
        compute: Callable[..., Value] = value.compute  # type: ignore[assignment]
        match value.operands:
            case [only]:
                operand = self.reader(only)
                return lambda f: compute(operand(f))
            case [left, right]:
                return self._binary(compute, left, right)
        operands = [self.reader(operand) for operand in value.operands]
        return lambda f: compute(*[operand(f) for operand in operands])

    def _binary(
        self, compute: Callable[..., Value], left: CheckedValue, right: CheckedValue
    ) -> Reader:
        """Return a binary operation; the usual operands are read without another call."""
        g = self.variables
        match left, right:
            case VariableValue(_, a, True), ConstantValue(_, c):
                return lambda f: compute(g[a], c)
            case VariableValue(_, a, False), ConstantValue(_, c):
                return lambda f: compute(f[a], c)
            case VariableValue(_, a, True), VariableValue(_, b, True):
                return lambda f: compute(g[a], g[b])
            case VariableValue(_, a, False), VariableValue(_, b, False):
                return lambda f: compute(f[a], f[b])
        one, two = self.reader(left), self.reader(right)
        return lambda f: compute(one(f), two(f))

    def writer(self, target: CheckedValue) -> Writer:
        """Return what puts a value, which nobody else holds, where a target says."""
        g = self.variables
        match target:
            case VariableValue(_, slot, is_global):
                if is_global:
                    return lambda f, value: g.__setitem__(slot, value)
                return lambda f, value: f.__setitem__(slot, value)
            case FieldValue(_, record, number):
                inner = self.reader(record)

                def put(f: Frame, value: Value) -> None:
                    inner(f)[number] = value  # type: ignore[index]  # records are lists

                return put
            case ElementValue(_, array, position, low, high):
                return self._element_writer(array, position, low, high)
            case SignalValue(kind, name):
                assert isinstance(kind, SimpleType)
                set_signal = self._set_signal
                return lambda f, value: set_signal(name, value)
        raise AssertionError(target)

    def _element_writer(
        self, array: CheckedValue, position: CheckedValue, low: int, high: int
    ) -> Writer:
        inner, where = self.reader(array), self.reader(position)

        def put(f: Frame, value: Value) -> None:
            index = where(f)
            if not low <= index <= high:  # type: ignore[operator]  # it is an int
                raise Fault(f"index {index} is outside {low}..{high}")
            inner(f)[index - low] = value  # type: ignore[index,operator]

        return put
