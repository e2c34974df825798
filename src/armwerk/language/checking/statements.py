"""Statements become instructions with jumps between them."""

from __future__ import annotations

from collections.abc import Callable

from armwerk.language.checking.moves import MoveChecker
from armwerk.language.checking.symbols import PROCEDURES, RoutineSymbol, VariableSymbol
from armwerk.language.code import (
    CheckedValue,
    ChoiceValue,
    ConstantValue,
    CountNext,
    CountStart,
    FileAction,
    Jump,
    JumpTarget,
    JumpUnless,
    ProcessAction,
    Rest,
    ReturnValue,
    SemaphoreAction,
    Settle,
    SignalValue,
    Store,
    VariableValue,
    WaitCondition,
    WaitTime,
    WriteText,
)
from armwerk.language.operators import BINARY, FUNCTIONS
from armwerk.language.syntax import (
    Assignment,
    CallStatement,
    CaseLabel,
    CaseStatement,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    LabelStatement,
    MoveStatement,
    NameUse,
    RepeatStatement,
    ReturnStatement,
    Statement,
    WaitForStatement,
    WaitTimeStatement,
    WhileStatement,
    WordStatement,
    WriteStatement,
)
from armwerk.language.types import (
    BOOL,
    CHAR,
    FILE,
    INT,
    REAL,
    SEMAPHORE,
    STRING,
    UNKNOWN,
    IrlType,
)


class StatementChecker(MoveChecker):
    """Checks statements."""

    def __init__(self) -> None:
        super().__init__()
        self.result: IrlType | None = None
        self.returns_allowed = True
        self.has_return = False
        self._labels: list[dict[str, JumpTarget]] = []
        self._used: set[JumpTarget] = set()
        self._statements: dict[type, Callable[..., None]] = {
            Assignment: self._assignment,
            CallStatement: self._call_statement,
            IfStatement: self._if,
            ForStatement: self._for,
            WhileStatement: self._while,
            RepeatStatement: self._repeat,
            CaseStatement: self._case,
            ReturnStatement: self._return,
            GotoStatement: self._goto,
            LabelStatement: self._label,
            MoveStatement: self.move,
            WaitTimeStatement: self._wait_time,
            WaitForStatement: self._wait_for,
            WriteStatement: self._write,
            WordStatement: self._word,
        }

    def block(self, body: tuple[Statement, ...]) -> None:
        """Check statements and emit their instructions."""
        labels: dict[str, JumpTarget] = {}
        for statement in body:
            if type(statement) is LabelStatement:
                if statement.label in labels:
                    self.report(statement.at, f"the label '{statement.label}' stands twice here")
                labels[statement.label] = JumpTarget()
        self._labels.append(labels)
        for statement in body:
            try:
                self._statements[type(statement)](statement)
            except RecursionError:
                self.report(statement.at, "this statement is too deep to be understood")
        self._labels.pop()

    def settle(self, at: int) -> None:
        """Emit a wait for the motions, when the values just checked depend on the world."""
        if self.reads_world:
            self.emit(Settle(), at)
            self.reads_world = False

    def _assignment(self, tree: Assignment) -> None:
        self.reads_world = False
        target = self.target(tree.target)
        self.reads_world = self.reads_world and type(target) is not SignalValue
        value = self.fitted(tree.value, target.kind)
        if type(target) is SignalValue:
            self.reads_world = True
        if target.kind in (SEMAPHORE, FILE):
            self.report(tree.at, f"a {target.kind.name} cannot be assigned to")
        if self.reads_world:
            self.settle(tree.at)
        self.emit(Store(target, value), tree.at)

    def _call_statement(self, tree: CallStatement) -> None:
        self.reads_world = False
        symbol = self.look_up(tree.name)
        if isinstance(symbol, RoutineSymbol):
            if symbol.kind == "process":
                self.report(tree.at, f"'{symbol.name}' is a process", f"start {symbol.name};")
                return
            result = None if symbol.result is None else self.temporary(symbol.result)
            before = len(self.code)
            self.call(symbol, tree.at, tree.arguments, result)
            if self.reads_world and len(self.code) > before:
                call = self.code.pop()
                self.places.pop()
                self.settle(tree.at)
                self.emit(call, tree.at)
        elif symbol is None and tree.name in PROCEDURES:
            self._predefined_procedure(tree)
        elif symbol is None:
            for argument in tree.arguments:
                self.value(argument)
            if tree.name in FUNCTIONS:
                self.report(
                    tree.at, f"'{tree.name}' is a function", "':=' and what takes its value"
                )
            else:
                self.unknown(tree.at, tree.name, "a procedure")
        else:
            self.report(tree.at, f"'{tree.name}' is no procedure", "':=' to assign, or a procedure")

    def _predefined_procedure(self, tree: CallStatement) -> None:
        arguments = tree.arguments
        if tree.name in ("sem_wait", "sem_signal"):
            semaphore = self.target(arguments[0]) if len(arguments) == 1 else None
            if semaphore is None or semaphore.kind not in (SEMAPHORE, UNKNOWN):
                self.report(tree.at, f"'{tree.name}' needs a semaphore", f"{tree.name}(name)")
            elif isinstance(semaphore, VariableValue):
                action = "sem_wait" if tree.name == "sem_wait" else "sem_signal"
                self.emit(SemaphoreAction(action, semaphore), tree.at)  # type: ignore[arg-type]
            return
        most = 3 if tree.name == "open" else 1
        if not (2 if most == 3 else 1) <= len(arguments) <= most:
            form = "open(file, name) or open(file, name, 'append')" if most == 3 else "close(file)"
            self.report(tree.at, f"'{tree.name}' has other arguments", form)
            return
        file = self.target(arguments[0])
        if file.kind not in (FILE, UNKNOWN):
            self.report(self.first(arguments[0]), f"file wanted, this is {file.kind.name}")
        texts = tuple(self.fitted(argument, STRING) for argument in arguments[1:])
        self.emit(Settle(), tree.at)
        self.emit(FileAction("open" if most == 3 else "close", file, texts), tree.at)

    def _if(self, tree: IfStatement) -> None:
        end = JumpTarget()
        for number, branch in enumerate(tree.branches):
            following = JumpTarget()
            self.reads_world = False
            condition = self.condition(branch.condition)
            self.settle(branch.at)
            self.emit(JumpUnless(condition, following), branch.at)
            self.block(branch.body)
            if tree.otherwise or number + 1 < len(tree.branches):
                self.emit(Jump(end), branch.at)
            self.mark(following)
        self.block(tree.otherwise)
        self.mark(end)

    def _for(self, tree: ForStatement) -> None:
        self.reads_world = False
        symbol = self.look_up(tree.variable.name)
        value = self.target(tree.variable)
        if not isinstance(value, VariableValue) or value.kind is not INT:
            if value.kind is not UNKNOWN:
                self.report(tree.variable.at, "a loop counts an int variable", "an int variable")
            value = self.temporary(INT)
        first = self.fitted(tree.first, INT)
        last = self._kept(self.fitted(tree.last, INT), tree.at)
        step: CheckedValue = ConstantValue(INT, 1)
        if tree.step is not None:
            step = self.fitted(tree.step, INT)
        if tree.is_down:
            step = self.operation(INT, _minus, (step,), tree.at)
        step = self._kept(step, tree.at)
        if isinstance(step, ConstantValue) and step.value == 0 and tree.step is not None:
            self.report(self.first(tree.step), "a loop of step zero never ends")
        self.settle(tree.at)
        again, end = JumpTarget(), JumpTarget()
        self.emit(Store(value, first), tree.at)
        self.emit(CountStart(value, last, step, end), tree.at)
        self.mark(again)
        if isinstance(symbol, VariableSymbol):
            before, symbol.counts = symbol.counts, True
            self.block(tree.body)
            symbol.counts = before
        else:
            self.block(tree.body)
        self.emit(CountNext(value, last, step, again), tree.at)
        self.mark(end)

    def _kept(self, value: CheckedValue, at: int) -> CheckedValue:
        """Return a value that stays as it is now."""
        if isinstance(value, ConstantValue):
            return value
        kept = self.temporary(value.kind)
        self.settle(at)
        self.emit(Store(kept, value), at)
        return kept

    def _while(self, tree: WhileStatement) -> None:
        again, end = JumpTarget(), JumpTarget()
        self.mark(again)
        self.reads_world = False
        condition = self.condition(tree.condition)
        self.settle(tree.at)
        self.emit(JumpUnless(condition, end), tree.at)
        self.block(tree.body)
        self.emit(Jump(again), tree.at)
        self.mark(end)

    def _repeat(self, tree: RepeatStatement) -> None:
        again = JumpTarget()
        self.mark(again)
        self.block(tree.body)
        self.reads_world = False
        condition = self.condition(tree.condition)
        self.settle(tree.until)
        self.emit(JumpUnless(condition, again), tree.until)

    def _case(self, tree: CaseStatement) -> None:
        self.reads_world = False
        given = self.value(tree.value)
        if given.kind not in (INT, CHAR, STRING, BOOL, UNKNOWN):
            self.report(self.first(tree.value), f"a case cannot decide by a {given.kind.name}")
        value = self._kept(given, tree.at)
        end = JumpTarget()
        for choice in tree.choices:
            following = JumpTarget()
            test: CheckedValue | None = None
            for label in choice.labels:
                one = self._label_test(value, label)
                test = one if test is None else ChoiceValue(BOOL, False, test, one)
            assert test is not None
            self.emit(JumpUnless(test, following), choice.at)
            self.block(choice.body)
            self.emit(Jump(end), choice.at)
            self.mark(following)
        self.block(tree.otherwise)
        self.mark(end)

    def _label_test(self, value: CheckedValue, label: CaseLabel) -> CheckedValue:
        low = self.constant(label.low, value.kind)
        if low is None or value.kind is UNKNOWN:
            return ConstantValue(BOOL, False)
        key = value.kind if value.kind is not BOOL else INT
        if label.high is None:
            return self.operation(BOOL, BINARY["=", key, key][1], (value, low), label.at)
        high = self.constant(label.high, value.kind)
        if high is None:
            return ConstantValue(BOOL, False)
        above = self.operation(BOOL, BINARY[">=", key, key][1], (value, low), label.at)
        below = self.operation(BOOL, BINARY["<=", key, key][1], (value, high), label.at)
        return ChoiceValue(BOOL, True, above, below)

    def _return(self, tree: ReturnStatement) -> None:
        self.reads_world = False
        if self.result is None:
            if tree.value is not None:
                self.value(tree.value)
                self.report(self.first(tree.value), "only a function returns a value")
            self.emit(ReturnValue(None), tree.at)
            return
        self.has_return = True
        if tree.value is None:
            self.report(tree.at, "a function returns a value", f"a {self.result.name}")
            return
        value = self.fitted(tree.value, self.result)
        self.settle(tree.at)
        self.emit(ReturnValue(value), tree.at)

    def _goto(self, tree: GotoStatement) -> None:
        target = self._labels[-1].get(tree.label)
        if target is not None:
            self.emit(Jump(target), tree.at)
            return
        elsewhere = any(tree.label in labels for labels in self._labels)
        place = "is in another block" if elsewhere else "does not stand in this block"
        self.report(tree.at + 1, f"the label '{tree.label}' {place}", "a label of the same block")

    def _label(self, tree: LabelStatement) -> None:
        self.mark(self._labels[-1][tree.label])

    def _wait_time(self, tree: WaitTimeStatement) -> None:
        seconds = self.fitted(tree.seconds, REAL)
        known = seconds.value if isinstance(seconds, ConstantValue) else 0.0
        if isinstance(known, float) and known < 0.0:
            self.report(self.first(tree.seconds), "time cannot run backwards", "0 or more")
        self.emit(Settle(), tree.at)
        self.emit(WaitTime(seconds), tree.at)

    def _wait_for(self, tree: WaitForStatement) -> None:
        timeout = None if tree.timeout is None else self.fitted(tree.timeout, REAL)
        condition = self.watched(tree.condition)
        self.emit(Settle(), tree.at)
        late = None if tree.action is None else JumpTarget()
        self.emit(WaitCondition(condition, timeout, late), tree.at)
        if late is not None and tree.action is not None:
            end = JumpTarget()
            self.emit(Jump(end), tree.at)
            self.mark(late)
            self.action(tree.action)
            self.mark(end)
        self.reads_world = False

    def _write(self, tree: WriteStatement) -> None:
        arguments: list[Expression] = list(tree.arguments)
        file: CheckedValue | None = None
        if arguments and isinstance(arguments[0], NameUse):
            symbol = self.look_up(arguments[0].name)
            if isinstance(symbol, VariableSymbol) and symbol.value.kind is FILE:
                file = symbol.value
                arguments = arguments[1:]
        items = tuple(self.value(argument) for argument in arguments)
        for item, argument in zip(items, arguments, strict=True):
            if item.kind in (FILE, SEMAPHORE):
                self.report(self.first(argument), f"a {item.kind.name} cannot be written")
        self.emit(Settle(), tree.at)
        self.emit(WriteText(file, items, tree.ends_line), tree.at)
        self.reads_world = False

    def _word(self, tree: WordStatement) -> None:
        if tree.word == "pause" or tree.word == "halt":  # noqa: PLR1714 - tells mypy which
            self.emit(Settle(), tree.at)
            self.emit(Rest(tree.word), tree.at)
            return
        symbol = self.look_up(tree.name)
        if isinstance(symbol, RoutineSymbol) and symbol.kind == "process":
            self.emit(ProcessAction(tree.word, symbol.index), tree.at)
        elif symbol is None:
            self.unknown(tree.name_at, tree.name, "a process")
        else:
            self.report(tree.name_at, f"'{tree.name}' is no process", "a process")


def _minus(value: int) -> int:
    return -value
