"""Types of expressions: the lowest layer of the checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armwerk.language.arithmetic import MOST_INT, Fault, letter_of, shown_value
from armwerk.language.checking.symbols import (
    NOT_KNOWN_HERE,
    PROCEDURES,
    RUNNING,
    RUNNING_RESULT,
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
    CallRoutine,
    CheckedValue,
    ChoiceValue,
    ConstantValue,
    ElementValue,
    FieldValue,
    Instruction,
    JumpTarget,
    JumpUnless,
    ListValue,
    OperationValue,
    SignalValue,
    Store,
    VariableValue,
    WorldValue,
)
from armwerk.language.keywords import nearest_word
from armwerk.language.operators import BINARY, EQUALITY, FUNCTIONS, UNARY
from armwerk.language.source import SourceText
from armwerk.language.syntax import (
    Aggregate,
    BinaryOperation,
    CallExpression,
    Expression,
    Indexed,
    LiteralValue,
    NameUse,
    PointList,
    Selected,
    UnaryOperation,
)
from armwerk.language.types import (
    ADD_JOINT,
    BOOL,
    CHAR,
    INT,
    JOINT,
    MAIN_JOINT,
    ORIENTATION,
    POSE,
    POSITION,
    PREDEFINED,
    REAL,
    ROBTARGET,
    STRING,
    TURNS,
    UNKNOWN,
    ArrayType,
    IrlType,
    RecordType,
    SimpleType,
    array_of,
    first_value,
)

NOTHING = ConstantValue(UNKNOWN, 0)
"""Stands for a value with a problem."""
_WRITING = ("write", "writeln")
_SHORT_RECORDS = {MAIN_JOINT, ADD_JOINT, ROBTARGET, JOINT}  # later parts may be left out


class ValueChecker:
    """Finds types of values, and emits the calls inside them."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.places: list[tuple[int, int]] = []
        self.source = SourceText("")
        self.source_index = 0
        self.program = Scope(is_global=True)
        self.scope = self.program
        self.reads_world = False
        self.calls_allowed = True
        self._unknown: set[str] = set()
        self._checks: dict[type, Callable[..., CheckedValue]] = {
            LiteralValue: self._literal,
            NameUse: self._name,
            Indexed: self._indexed,
            Selected: self._selected,
            UnaryOperation: self._unary,
            BinaryOperation: self._binary,
            CallExpression: self._call,
            Aggregate: self._aggregate,
            PointList: self._aggregate,
        }

    def report(self, at: int, message: str, expected: str = "") -> CheckedValue:
        """Note a problem, and return a value that causes no others."""
        self.source.report(at, message, expected)
        return NOTHING

    def emit(self, instruction: Instruction, at: int) -> None:
        """Add an instruction."""
        self.code.append(instruction)
        self.places.append((self.source_index, at))

    def mark(self, target: JumpTarget) -> None:
        """Let a jump lead to the next instruction."""
        target.place = len(self.code)

    def look_up(self, name: str) -> Symbol | None:
        """Return what a name stands for."""
        found = self.scope.symbols.get(name)
        return self.program.symbols.get(name) if found is None else found

    def value(self, tree: Expression, wanted: IrlType | None = None) -> CheckedValue:
        """Return an expression with its type.

        Args:
            tree: The expression.
            wanted: What it should be, for parts in parentheses; it need not be.
        """
        return self._checks[type(tree)](tree, wanted)

    def fitted(self, tree: Expression, wanted: IrlType) -> CheckedValue:
        """Return an expression as a value of a type; another type is a problem."""
        value = self._checks[type(tree)](tree, wanted)
        return value if value.kind is wanted else self.fit(value, wanted, self.first(tree))

    def fit(self, value: CheckedValue, wanted: IrlType, at: int) -> CheckedValue:
        """Return a value as one of another type, where that is possible without loss."""
        kind = value.kind
        if kind is wanted or kind is UNKNOWN or wanted is UNKNOWN:
            return value
        if wanted is REAL and kind is INT:
            return self.operation(REAL, float, (value,), at)
        if wanted is STRING and kind is CHAR:
            return value._replace(kind=STRING)
        if wanted is CHAR and isinstance(value, ConstantValue) and isinstance(value.value, str):
            if len(value.value) == 1:
                return ConstantValue(CHAR, value.value)
            return self.report(at, f"a char is one character, this has {len(value.value)}")
        hint = ""
        if wanted is INT and kind is REAL:
            hint = "round(…) or trunc(…)"
        elif wanted is BOOL and kind is INT:
            hint = "a comparison such as '… <> 0'"
        return self.report(at, f"{wanted.name} wanted, this is {kind.name}", hint)

    def condition(self, tree: Expression) -> CheckedValue:
        """Return a condition."""
        return self.fitted(tree, BOOL)

    def constant(self, tree: Expression, wanted: IrlType) -> ConstantValue | None:
        """Return an expression whose value is known; None: it is not, and that was reported."""
        value = self.fitted(tree, wanted)
        if isinstance(value, ConstantValue) and value.kind is wanted:
            return value
        if value.kind is not UNKNOWN:
            self.report(
                self.first(tree), "this must be known before the program runs", "a constant"
            )
        return None

    def first(self, tree: Expression) -> int:
        """Return the first word of an expression."""
        while True:
            match tree:
                case BinaryOperation(left=inner) | Indexed(array=inner) | Selected(record=inner):
                    tree = inner
                case _:
                    return tree.at

    def operation(
        self,
        kind: IrlType,
        compute: Callable[..., object],
        operands: tuple[CheckedValue, ...],
        at: int,
    ) -> CheckedValue:
        """Return an operation, or its result where that is known already."""
        known = []
        for operand in operands:
            if type(operand) is not ConstantValue:
                return OperationValue(kind, compute, operands)
            if operand.kind is UNKNOWN:
                return NOTHING
            known.append(operand.value)
        try:
            result = compute(*known)
        except Fault as fault:
            return self.report(at, str(fault))
        return ConstantValue(kind, result)  # type: ignore[arg-type]  # tables pair type and function

    def _literal(self, tree: LiteralValue, wanted: IrlType | None) -> CheckedValue:
        value = tree.value
        kind = type(value)
        if kind is int:
            if value > MOST_INT:  # type: ignore[operator]  # it is an int
                return self.report(
                    tree.at, "this number is too large for an int", f"at most {MOST_INT}"
                )
            if wanted is REAL:
                return ConstantValue(REAL, float(value))
            return ConstantValue(INT, value)
        if kind is float:
            return ConstantValue(REAL, value)
        if kind is bool:
            return ConstantValue(BOOL, value)
        if wanted is CHAR and len(str(value)) == 1:
            return ConstantValue(CHAR, value)
        return ConstantValue(STRING, value)

    def _name(self, tree: NameUse, wanted: IrlType | None) -> CheckedValue:
        name = tree.name
        symbol = self.scope.symbols.get(name)
        if symbol is None:
            symbol = self.program.symbols.get(name)
        if type(symbol) is VariableSymbol:
            return symbol.value
        match symbol:
            case ConstantSymbol(kind, value):
                return ConstantValue(kind, value)
            case SignalSymbol(kind):
                self.reads_world = True
                return SignalValue(kind, name)
            case RoutineSymbol():
                return self._call(CallExpression(tree.at, name, ()), wanted)
            case TypeSymbol():
                return self.report(tree.at, f"'{name}' is a type", f"{name}(…)")
            case _:
                return self._predefined(tree)

    def _predefined(self, tree: NameUse) -> CheckedValue:
        name = tree.name
        if name in SYSTEM_VARIABLES:
            return self.system_variable(name)
        if name in WORLD_VALUES:
            self.reads_world = True
            return WorldValue(WORLD_VALUES[name], name, "")
        if name in TRUTHS:
            return ConstantValue(*TRUTHS[name])
        if name in FUNCTIONS or name in PREDEFINED:
            return self.report(tree.at, f"'{name}' needs values in parentheses", f"{name}(…)")
        return self.unknown(tree.at, name, "")

    def system_variable(self, name: str) -> VariableValue:
        """Return a variable of the system; it is made when it is first used."""
        symbol = self.program.symbols.get(name)
        if isinstance(symbol, VariableSymbol):
            return symbol.value
        value = self.program.variable(name, SYSTEM_VARIABLES[name][0])
        self.program.symbols[name] = VariableSymbol(value, -1)
        return value

    def unknown(self, at: int, name: str, what: str) -> CheckedValue:
        """Report a name that nobody declares, once."""
        if name == "?" or name in self._unknown:
            return NOTHING
        self._unknown.add(name)
        if name in NOT_KNOWN_HERE:
            return self.report(at, f"'{name}' of IRL cannot be used here; docs/irl.md says why")
        known = [*self.scope.symbols, *self.program.symbols, *FUNCTIONS, *PREDEFINED]
        guess = nearest_word(
            name, [*known, *SYSTEM_VARIABLES, *WORLD_VALUES, *PROCEDURES, *_WRITING]
        )
        hint = f"; did you mean '{guess}'?" if guess else ""
        spelled = self.source.spelling(at)
        return self.report(at, f"'{spelled}' is not declared{hint}", what)

    def _indexed(self, tree: Indexed, wanted: IrlType | None) -> CheckedValue:
        value = self.value(tree.array)
        for index in tree.indices:
            kind = value.kind
            if kind is STRING:
                position = self.fitted(index, INT)
                value = self.operation(CHAR, letter_of, (value, position), tree.at)
                continue
            if not isinstance(kind, ArrayType):
                if kind is not UNKNOWN:
                    self.report(tree.at, f"{kind.name} has no elements")
                return NOTHING
            position = self.fitted(index, INT)
            if isinstance(position, ConstantValue) and position.kind is INT:
                place = position.value
                if not kind.low <= place <= kind.high:  # type: ignore[operator]  # it is an int
                    return self.report(
                        self.first(index), f"index {place} is outside {kind.low}..{kind.high}"
                    )
            value = ElementValue(kind.element, value, position, kind.low, kind.high)
        return value

    def _selected(self, tree: Selected, wanted: IrlType | None) -> CheckedValue:
        value = self.value(tree.record)
        kind = value.kind
        if not isinstance(kind, RecordType):
            if kind is not UNKNOWN:
                self.report(tree.at, f"{kind.name} has no fields")
            return NOTHING
        if tree.field not in kind.fields:
            guess = nearest_word(tree.field, list(kind.fields))
            hint = f"; did you mean '{guess}'?" if guess else ""
            fields = ", ".join(kind.fields)
            return self.report(
                tree.at, f"{kind.name} has no field '{tree.field}'{hint}", f"one of {fields}"
            )
        index = kind.fields.index(tree.field)
        return FieldValue(kind.types[index], value, index)

    def _unary(self, tree: UnaryOperation, wanted: IrlType | None) -> CheckedValue:
        operand = self.value(tree.operand, wanted)
        found = UNARY.get((tree.operator, operand.kind))
        if found is None:
            if operand.kind is UNKNOWN:
                return NOTHING
            return self.report(tree.at, f"'{tree.operator}' is not defined for {operand.kind.name}")
        return self.operation(found[0], found[1], (operand,), tree.at)

    def _binary(self, tree: BinaryOperation, wanted: IrlType | None) -> CheckedValue:
        sign = tree.operator
        if sign in {"and", "or"}:
            return self._choice(tree)
        left = self.value(tree.left, None)
        right = self.value(tree.right, None)
        found = BINARY.get((sign, left.kind, right.kind))
        if found is not None:
            return self.operation(found[0], found[1], (left, right), tree.at)
        if left.kind is UNKNOWN or right.kind is UNKNOWN:
            return NOTHING
        if sign in EQUALITY and left.kind is right.kind:
            return self.operation(BOOL, EQUALITY[sign], (left, right), tree.at)
        return self.report(
            tree.at, f"'{sign}' is not defined between {left.kind.name} and {right.kind.name}"
        )

    def _choice(self, tree: BinaryOperation) -> CheckedValue:
        is_and = tree.operator == "and"
        left = self.condition(tree.left)
        if not self._has_call(tree.right):
            return ChoiceValue(BOOL, is_and, left, self.condition(tree.right))
        # the functions on the right are called only where the left side does not decide
        kept = self.temporary(BOOL)
        end = JumpTarget()
        self.emit(Store(kept, left), tree.at)
        test = kept if is_and else self.operation(BOOL, _not, (kept,), tree.at)
        self.emit(JumpUnless(test, end), tree.at)
        self.emit(Store(kept, self.condition(tree.right)), tree.at)
        self.mark(end)
        return kept

    def temporary(self, kind: IrlType) -> VariableValue:
        """Return a variable of the checker's own."""
        return self.scope.variable("", kind)

    def _has_call(self, tree: Expression) -> bool:
        match tree:
            case CallExpression(_, name, arguments):
                called = isinstance(self.look_up(name), RoutineSymbol)
                return called or any(map(self._has_call, arguments))
            case NameUse(_, name):
                return isinstance(self.look_up(name), RoutineSymbol)
            case Indexed(_, array, indices):
                return self._has_call(array) or any(map(self._has_call, indices))
            case Selected(_, record, _):
                return self._has_call(record)
            case UnaryOperation(_, _, operand):
                return self._has_call(operand)
            case BinaryOperation(_, _, left, right):
                return self._has_call(left) or self._has_call(right)
            case Aggregate(_, items) | PointList(_, items):
                return any(map(self._has_call, items))
        return False

    def _call(self, tree: CallExpression, wanted: IrlType | None) -> CheckedValue:
        symbol = self.look_up(tree.name)
        if isinstance(symbol, RoutineSymbol):
            if symbol.result is None:
                return self.report(
                    tree.at, f"the {symbol.kind} '{symbol.name}' has no value", "a function"
                )
            result = self.temporary(symbol.result)
            self.call(symbol, tree.at, tree.arguments, result)
            return result
        kind = symbol.kind if isinstance(symbol, TypeSymbol) else PREDEFINED.get(tree.name)
        if symbol is None and tree.name in FUNCTIONS:
            return self._function(tree)
        if symbol is None and tree.name == RUNNING:
            return self._running(tree)
        if kind is not None and (symbol is None or isinstance(symbol, TypeSymbol)):
            if isinstance(kind, SimpleType):
                return self._converted(tree, kind)
            return self._parts(tree.at, tree.arguments, kind)
        for argument in tree.arguments:
            self.value(argument)
        if symbol is not None:
            return self.report(tree.at, f"'{tree.name}' is no function", "a function or a type")
        return self.unknown(tree.at, tree.name, "a function or a type")

    def _running(self, tree: CallExpression) -> CheckedValue:
        match tree.arguments:
            case [NameUse(at, name)]:
                symbol = self.look_up(name)
                if isinstance(symbol, RoutineSymbol) and symbol.kind == "process":
                    return WorldValue(RUNNING_RESULT, RUNNING, str(symbol.index))
                return self.report(at, f"'{name}' is no process", "the name of a process")
        return self.report(tree.at, "'running' needs one process", "running(name)")

    def _converted(self, tree: CallExpression, kind: SimpleType) -> CheckedValue:
        if len(tree.arguments) != 1:
            return self.report(tree.at, f"'{kind.name}' needs one value", f"{kind.name}(…)")
        value = self.value(tree.arguments[0], kind)
        if kind is STRING and value.kind in (INT, REAL, BOOL):
            return self.operation(STRING, shown_value, (value,), tree.at)
        return self.fit(value, kind, self.first(tree.arguments[0]))

    def _function(self, tree: CallExpression) -> CheckedValue:
        signatures = FUNCTIONS[tree.name]
        given = len(tree.arguments)
        fitting = [s for s in signatures if len(s.parameters) == given]
        if not fitting:
            count = len(signatures[0].parameters)
            values = "value" if count == 1 else "values"
            for argument in tree.arguments:
                self.value(argument)
            return self.report(tree.at, f"'{tree.name}' needs {count} {values}, got {given}")
        last = fitting[-1]
        if len(fitting) == 1:
            operands = tuple(map(self.fitted, tree.arguments, last.parameters))
            return self.operation(last.result, last.compute, operands, tree.at)
        found = [self.value(argument) for argument in tree.arguments]
        for one in fitting:
            if all(v.kind is p for v, p in zip(found, one.parameters, strict=True)):
                return self.operation(one.result, one.compute, tuple(found), tree.at)
        places = [self.first(argument) for argument in tree.arguments]
        operands = tuple(map(self.fit, found, last.parameters, places))
        return self.operation(last.result, last.compute, operands, tree.at)

    def call(
        self,
        symbol: RoutineSymbol,
        at: int,
        arguments: Sequence[Expression],
        result: VariableValue | None,
    ) -> None:
        """Check the arguments of a call and emit it."""
        if not self.calls_allowed:
            self.report(
                at, "a condition that is watched can call no function", "variables, signals"
            )
        if len(arguments) != len(symbol.kinds):
            wanted = f"{len(symbol.kinds)} argument{'s' * (len(symbol.kinds) != 1)}"
            self.report(at, f"'{symbol.name}' takes {wanted}, got {len(arguments)}")
            for argument in arguments:
                self.value(argument)
            return
        inputs: list[CheckedValue | None] = []
        outputs: list[tuple[int, CheckedValue]] = []
        for number, (argument, mode, kind) in enumerate(
            zip(arguments, symbol.modes, symbol.kinds, strict=True)
        ):
            if mode == "in":
                inputs.append(self.fitted(argument, kind))
                continue
            target = self.target(argument)
            if target.kind is not kind and UNKNOWN not in (target.kind, kind):
                self.report(self.first(argument), f"{kind.name} wanted, this is {target.kind.name}")
            outputs.append((number, target))
            inputs.append(target if mode == "inout" else None)
        self.emit(CallRoutine(symbol.index, tuple(inputs), tuple(outputs), result), at)

    def target(self, tree: Expression) -> CheckedValue:
        """Return what can be assigned to."""
        root: Expression = tree
        while isinstance(root, Indexed | Selected):
            root = root.array if isinstance(root, Indexed) else root.record
        if not isinstance(root, NameUse):
            return self.report(self.first(tree), "this cannot be assigned to", "a variable")
        symbol = self.look_up(root.name)
        match symbol:
            case VariableSymbol():
                if symbol.counts:
                    return self.report(
                        root.at, f"the loop counts '{root.name}'; it cannot be assigned inside"
                    )
            case SignalSymbol(is_output=False):
                return self.report(root.at, f"'{root.name}' is an input", "an output")
            case SignalSymbol(kind):
                return SignalValue(kind, root.name)
            case None if root.name in SYSTEM_VARIABLES:
                pass
            case None if root.name in WORLD_VALUES or root.name in TRUTHS:
                return self.report(root.at, f"'{root.name}' can only be read")
            case None:
                return self.unknown(root.at, root.name, "a variable")
            case _:
                what = type(symbol).__name__.removesuffix("Symbol").lower()
                return self.report(root.at, f"'{root.name}' is a {what}", "a variable")
        return self.value(tree)

    def _aggregate(self, tree: Aggregate | PointList, wanted: IrlType | None) -> CheckedValue:
        if isinstance(wanted, RecordType) or (
            isinstance(wanted, ArrayType) and wanted.high - wanted.low + 1 == len(tree.items)
        ):
            return self._parts(tree.at, tree.items, wanted)
        if isinstance(wanted, ArrayType):
            return self._parts(tree.at, tree.items, wanted)
        items = [self.value(item) for item in tree.items]
        kinds = [item.kind for item in items]
        if UNKNOWN in kinds:
            return NOTHING
        if isinstance(tree, PointList):
            if items and all(kind is kinds[0] for kind in kinds):
                return self._built(array_of(1, len(items), kinds[0]), items)
            return self.report(tree.at, "a list needs elements of one type")
        if len(kinds) == 3 and all(kind in (INT, REAL) for kind in kinds):
            return self._parts(tree.at, tree.items, POSITION)
        if kinds == [POSITION, ORIENTATION]:
            return self._built(POSE, items)
        return self.report(tree.at, "of what type these values are is unknown", "pose(…), say")

    def _parts(
        self, at: int, trees: Sequence[Expression], kind: RecordType | ArrayType
    ) -> CheckedValue:
        """Return a record or array from its parts."""
        if isinstance(kind, ArrayType):
            count = kind.high - kind.low + 1
            kinds: tuple[IrlType, ...] = (kind.element,) * count
        else:
            kinds = kind.types
            count = len(kinds)
            first = trees[0] if trees else None
            if kind is JOINT and first is not None and not isinstance(first, Aggregate):
                value = self.value(first)
                if value.kind in (INT, REAL):
                    return self._built(
                        JOINT, [self._parts(at, trees, MAIN_JOINT), _zero(ADD_JOINT)]
                    )
        if len(trees) > count or (len(trees) < count and kind not in _SHORT_RECORDS) or not trees:
            for tree in trees:
                self.value(tree)
            return self.report(at, f"{kind.name} needs {count} values, got {len(trees)}")
        items = [self._part(tree, part) for tree, part in zip(trees, kinds, strict=False)]
        items += [_zero(part) for part in kinds[len(items) :]]
        return self._built(kind, items)

    def _part(self, tree: Expression, kind: IrlType) -> CheckedValue:
        if kind is TURNS or kind is ADD_JOINT:  # one number stands for the first of them
            value = self.value(tree, kind)
            if value.kind in (INT, REAL):
                number = self.fit(value, INT if kind is TURNS else REAL, self.first(tree))
                zero = ConstantValue(number.kind, 0 if kind is TURNS else 0.0)
                return self._built(kind, [number] + [zero] * (1 if kind is TURNS else 5))
            return self.fit(value, kind, self.first(tree))
        return self.fitted(tree, kind)

    def _built(self, kind: IrlType, items: list[CheckedValue]) -> CheckedValue:
        known = []
        for item in items:
            if item.kind is UNKNOWN:
                return NOTHING
            if not isinstance(item, ConstantValue):
                return ListValue(kind, tuple(items))
            known.append(item.value)
        return ConstantValue(kind, known)


def _zero(kind: IrlType) -> ConstantValue:
    return ConstantValue(kind, first_value(kind))


def _not(value: bool) -> bool:
    return not value
