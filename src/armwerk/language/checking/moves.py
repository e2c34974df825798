"""Moves: which targets and parameters each kind of path takes."""

from __future__ import annotations

from armwerk.language.checking.symbols import IDENTITY, RoutineSymbol
from armwerk.language.checking.values import ValueChecker
from armwerk.language.code import (
    CheckedValue,
    ConstantValue,
    JumpIfStopped,
    JumpTarget,
    ListValue,
    MoveRobot,
    Settle,
    Store,
)
from armwerk.language.syntax import CallStatement, MoveParameter, MoveStatement, PointList
from armwerk.language.types import (
    BOOL,
    INT,
    JOINT,
    POSE,
    POSITION,
    REAL,
    TARGETS,
    UNKNOWN,
    ArrayType,
    IrlType,
)

_ALL = frozenset({"act_rob", "device", "c_pass", "time", "until", "alter_by", "adax_control"})
_PTP = _ALL | {"c_ptp", "speed_ptp", "acc_ptp"}
_CP = _ALL | {"c_cp", "c_speed", "c_ori", "speed", "speed_ori", "acc", "wobble"}
_KINDS: dict[str, IrlType] = {
    "act_rob": INT,
    "device": INT,
    "adax_control": INT,
    "c_pass": BOOL,
    "wobble": BOOL,
}
_PER_AXIS = frozenset({"speed_ptp", "acc_ptp"})
_COUNTS = {"circle": 2, "bezier": 2, "spline": 1, "ptp": 1, "lin": 1}


class MoveChecker(ValueChecker):
    """Checks moves."""

    def move(self, tree: MoveStatement) -> None:
        """Check a move and emit it."""
        self.reads_world = False
        targets = [self._target(tree, target) for target in tree.targets]
        if all(target.kind is not UNKNOWN for target in targets):
            self._count(tree, targets)
        parameters: list[tuple[str, tuple[CheckedValue, ...]]] = []
        seen: set[str] = set()
        until = alter = None
        allowed = _PTP if tree.kind == "ptp" else _CP
        for given in tree.parameters:
            if given.name not in allowed:
                other = "ptp" if tree.kind != "ptp" else "lin, circle, bezier and spline"
                self.report(given.at, f"'{given.name}' is a parameter of {other}")
            elif given.name in seen:
                self.report(given.at, f"'{given.name}' is given twice")
            elif given.name == "until":
                until = given
            elif given.name == "alter_by":
                alter = given
            else:
                parameters.append((given.name, self._values(given)))
            seen.add(given.name)
        if alter is not None:
            self._alter(alter)
            parameters.append(("alter_by", ()))
        condition = None
        if until is not None:
            reads = self.reads_world
            condition = self.watched(until.values[0])
            self.reads_world = reads
        if self.reads_world or until is not None:
            self.emit(Settle(), tree.at)
        move = MoveRobot(tree.kind, tree.is_relative, tuple(targets), tuple(parameters), condition)
        self.emit(move, tree.at)
        if until is not None:
            self.emit(Settle(), tree.at)
            if until.action is not None:
                end = JumpTarget()
                self.emit(JumpIfStopped(end), tree.at)
                self.action(until.action)
                self.mark(end)

    def watched(self, tree: object) -> CheckedValue:
        """Return a condition that is looked at again and again: it calls no function."""
        self.calls_allowed = False
        condition = self.condition(tree)  # type: ignore[arg-type]  # an expression
        self.calls_allowed = True
        return condition

    def action(self, tree: CallStatement) -> None:
        """Check and emit the call of a procedure."""
        symbol = self.look_up(tree.name)
        if isinstance(symbol, RoutineSymbol) and symbol.kind == "procedure":
            self.call(symbol, tree.at, tree.arguments, None)
        elif symbol is None:
            self.unknown(tree.at, tree.name, "a procedure")
        else:
            self.report(tree.at, f"'{tree.name}' is no procedure", "a procedure")

    def _alter(self, given: MoveParameter) -> None:
        assert given.action is not None
        self.emit(Settle(), given.at)
        alter = self.system_variable("r_alter")
        self.emit(Store(alter, ConstantValue(POSE, IDENTITY)), given.at)
        self.action(given.action)

    def _values(self, given: MoveParameter) -> tuple[CheckedValue, ...]:
        if len(given.values) > 1 and given.name not in _PER_AXIS:
            self.report(given.at, f"'{given.name}' takes one value")
        kind = _KINDS.get(given.name, REAL)
        values = tuple(self.fitted(value, kind) for value in given.values)
        for value, tree in zip(values, given.values, strict=True):
            if isinstance(value, ConstantValue) and kind is REAL:
                number = value.value
                if isinstance(number, float) and number < 0.0:
                    self.report(self.first(tree), f"'{given.name}' must not be negative")
        return values

    def _target(self, tree: MoveStatement, target: object) -> CheckedValue:
        if isinstance(target, PointList):
            points = [self._point(tree, item) for item in target.items]
            if not points:
                return self.report(target.at, "this list has no points", "at least one point")
            return ListValue(ArrayType(1, len(points), POSE), tuple(points))
        return self._point(tree, target)

    def _point(self, tree: MoveStatement, target: object) -> CheckedValue:
        value = self.value(target)  # type: ignore[arg-type]  # an expression
        kind = value.kind.element if isinstance(value.kind, ArrayType) else value.kind
        place = self.first(target)  # type: ignore[arg-type]
        if kind is UNKNOWN:
            return value
        if kind not in TARGETS:
            names = ", ".join(one.name for one in TARGETS)
            return self.report(place, f"a robot cannot be moved to this, {value.kind.name}", names)
        if tree.is_relative and kind not in (POSITION, POSE, JOINT):
            return self.report(place, "move_inc takes a position, a pose or a joint")
        if kind is JOINT and tree.kind != "ptp":
            return self.report(
                place, f"'{tree.kind}' cannot go to joint values", "'ptp', or a pose"
            )
        return value

    def _count(self, tree: MoveStatement, targets: list[CheckedValue]) -> None:
        count = 0
        for target in targets:
            kind = target.kind
            count += kind.high - kind.low + 1 if isinstance(kind, ArrayType) else 1
        if tree.kind == "circle" and count % 2:
            self.report(
                self.first(tree.targets[0]),
                f"a circle has {count} point{'s' * (count > 1)}",
                "help points and ends in turn, an even number",
            )
        elif count < _COUNTS[tree.kind]:
            self.report(
                self.first(tree.targets[0]), f"'{tree.kind}' needs {_COUNTS[tree.kind]} points"
            )
