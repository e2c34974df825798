"""Universal Robots URScript: one function, and the call of it at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from armwerk.language import frames
from armwerk.language.exporting.values import AXES, PRIMARY
from armwerk.language.exporting.writer import Declaration, ProgramWriter, SignalPlace
from armwerk.language.syntax import (
    Aggregate,
    CallExpression,
    CaseStatement,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    LabelStatement,
    LiteralValue,
    MoveStatement,
    RepeatStatement,
    ReturnStatement,
    Section,
    Selected,
    WaitForStatement,
    WhileStatement,
    WriteStatement,
)
from armwerk.language.types import (
    BOOL,
    INT,
    ORIENTATION,
    POSE,
    POSITION,
    REAL,
    IrlType,
    Value,
    first_value,
)

HELP = """  # poses are kept as [x, y, z, rx, ry, rz] in millimetres and radians
  global r_speed = 250.0
  global r_acc = 1000.0
  global r_speed_ptp = 100.0
  global r_acc_ptp = 100.0
  global r_c_cp = 10.0
  global aw_spare = [0.0, 0.0, 0.0]
  global r_base = p[0, 0, 0, 0, 0, 0]
  global r_tool = [0, 0, 0, 0, 0, 0]
  def aw_pose(v):
    return pose_trans(r_base, p[v[0] / 1000.0, v[1] / 1000.0, v[2] / 1000.0, v[3], v[4], v[5]])
  end
  def aw_place(x, y, z):
    local here = pose_trans(pose_inv(r_base), get_target_tcp_pose())
    return aw_pose([x, y, z, here[3], here[4], here[5]])
  end
  def aw_shifted(x, y, z):
    local here = pose_trans(pose_inv(r_base), get_target_tcp_pose())
    return aw_place(here[0] * 1000.0 + x, here[1] * 1000.0 + y, here[2] * 1000.0 + z)
  end
  def aw_div(a, b):
    local q = a / b
    if q < 0:
      return ceil(q)
    end
    return floor(q)
  end"""
SYSTEM = ("r_speed", "r_acc", "r_speed_ptp", "r_acc_ptp", "r_c_cp")
NO_BASE = "r_base = p[0, 0, 0, 0, 0, 0]"
SET_TCP = (
    "set_tcp(p[r_tool[0] / 1000.0, r_tool[1] / 1000.0, r_tool[2] / 1000.0, "
    "r_tool[3], r_tool[4], r_tool[5]])"
)
TOP_SPEED, TOP_ACCELERATION = 3.14159, 8.0  # [rad/s, rad/s²] of the joints at 100 per cent


class UrScriptWriter(ProgramWriter):
    """Writes URScript."""

    target = "URScript"
    assign, end = " = ", ""
    names: ClassVar[dict[IrlType, str]] = dict.fromkeys((INT, REAL, BOOL, POSE, POSITION), "")
    words: ClassVar[dict[str, str]] = {"pause": 'popup("pause", blocking=True)', "halt": "halt"}
    known_parameters = frozenset(
        {"speed", "acc", "speed_ptp", "acc_ptp", "c_cp", "c_ptp", "c_pass", "time"}
    )
    quote = "'"
    reserved = frozenset(
        {"p", "end", "def", "sec", "thread", "run", "kill", "join", "sync", "local"}
    )
    operators: ClassVar[dict[str, str]] = {
        "=": "==",
        "<>": "!=",
        "exor": "xor",
        "div": "aw_div({0}, {1})",
        "mod": "({0} - aw_div({0}, {1}) * {1})",
        "**": "pow({0}, {1})",
    }
    functions: ClassVar[dict[str, str]] = {
        "abs": "norm({0})",
        "sqrt": "sqrt({0})",
        "sin": "sin(d2r({0}))",
        "cos": "cos(d2r({0}))",
        "tan": "tan(d2r({0}))",
        "asin": "r2d(asin({0}))",
        "acos": "r2d(acos({0}))",
        "atan": "r2d(atan({0}))",
        "atan2": "r2d(atan2({0}, {1}))",
        "float": "({0} * 1.0)",
        "real": "({0} * 1.0)",
    }

    def program(self, name: str) -> None:
        """Write the function and its call."""
        main = self.units[-1]
        self.put(f"def {name}():")
        self.lines += HELP.split("\n")
        self.depth = 1
        for signal in self._signals().values():
            self.put(f"# {_wire(signal)}: {signal.said}")
        for parsed in self.units:
            self.enter(parsed, None)
            self._declared(parsed.unit.sections, "global ")
        for parsed, routine in self.routines():
            self.routine(parsed, routine)
        self.depth = 0
        self.enter(main, None)
        self.block(main.unit.body)
        self.put("end")
        self.put(f"{name}()")

    def literal(self, value: Value) -> str:
        """Return a constant."""
        return str(value) if isinstance(value, bool) else super().literal(value)

    def _signals(self) -> dict[str, SignalPlace]:
        return {signal.name: signal for signal in self.signals()}

    def declare(self, sections: Sequence[Section]) -> None:
        """Write the declarations of a routine."""
        self._declared(sections, "local ")

    def _declared(self, sections: Sequence[Section], word: str) -> None:
        for one in self.declarations(sections):
            if one.word == "const":
                continue  # constants stand as their values
            if len(one.sizes) > 1 or (one.sizes and one.kind not in (INT, REAL, BOOL)):
                self.refuse(one.at, "arrays of something else than numbers")
                continue
            note = f"array[1..{one.sizes[0]}] of {one.kind.name}" if one.sizes else one.kind.name
            self.put(f"{word}{one.name} = {self._first(one)} # {note}")

    def _first(self, one: Declaration) -> str:
        value = one.value
        if value is None:
            value = first_value(one.kind)
            if one.sizes:
                value = [value] * one.sizes[0]
        return self._data(value, one.kind)

    def _data(self, value: Value, kind: IrlType) -> str:
        if kind is POSE:
            position, turn = cast("frames.Pose", value)
            parts = [*position, *_vector(turn)]
            return f"[{', '.join(self.number(float(part)) for part in parts)}]"
        if isinstance(value, list):
            return f"[{', '.join(self.literal(part) for part in value)}]"
        return self.literal(value)

    def routine_head(
        self,
        name: str,
        parameters: Sequence[tuple[str, IrlType, str, int]],
        result: IrlType | None,
    ) -> None:
        """Write the first line of a routine."""
        for mode, _, _, at in parameters:
            if mode != "in":
                self.refuse(at, f"'{mode}' parameters")
        kinds = [kind.name for _, kind, _, _ in parameters]
        note = f" # {', '.join(kinds)}" + ("" if result is None else f" -> {result.name}")
        heads = ", ".join(one for _, _, one, _ in parameters)
        self.put(f"def {name}({heads}):{note if note != ' # ' else ''}")

    def routine_end(self, result: IrlType | None) -> str:
        """Return the last line of a routine."""
        return "end"

    def element(self, array: str, indices: list[str]) -> str:
        """Return an element of an array; URScript counts from 0."""
        return f"{array}[{indices[0]} - 1]"

    def call(self, name: str, arguments: list[str]) -> None:
        """Write the call of a procedure."""
        self.put(f"{name}({', '.join(arguments)})")

    def if_statement(self, tree: IfStatement) -> None:
        """Write a branch."""
        for number, branch in enumerate(tree.branches):
            self.put(f"{'elif' if number else 'if'} {self.scalar(branch.condition)}:")
            self.block(branch.body)
        if tree.otherwise:
            self.put("else:")
            self.block(tree.otherwise)
        self.put("end")

    def for_statement(self, tree: ForStatement) -> None:
        """Write a counting loop as one with a test, since URScript has no other."""
        loop = self.counting(tree)
        if tree.step is not None and not isinstance(self.constant(tree.step), int):
            self.refuse(tree.at, "a step that is not constant")
        size = loop.step.replace("--", "").strip("()") or "1"
        down = size.startswith("-")
        last = self.scalar(tree.last, 5)
        self.put(f"{loop.counter} = {loop.first}")
        self.put(f"while {loop.counter} {'>=' if down else '<='} {last}:")
        self.block(tree.body)
        sign = "-" if down else "+"
        self.put(f"  {loop.counter} = {loop.counter} {sign} {size.removeprefix('-')}")
        self.put("end")

    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""
        self.enclosed(f"while {self.scalar(tree.condition)}:", tree.body, "end")

    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end."""
        self.put("while True:")
        self.block(tree.body)
        self.put(f"  if {self.scalar(tree.condition)}:")
        self.put("    break")
        self.put("  end")
        self.put("end")

    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice as branches."""
        value = self.scalar(tree.value, 5)
        for number, choice in enumerate(tree.choices):
            tests = []
            for label in choice.labels:
                low = self.scalar(label.low, 5)
                if label.high is None:
                    tests.append(f"{value} == {low}")
                else:
                    high = self.scalar(label.high, 5)
                    tests.append(f"({value} >= {low} and {value} <= {high})")
            self.put(f"{'elif' if number else 'if'} {' or '.join(tests)}:")
            self.block(choice.body)
        if tree.has_else:
            self.put("else:")
            self.block(tree.otherwise)
        self.put("end")

    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""
        self.put("return" if tree.value is None else f"return {self.argument(tree.value)}")

    def jump(self, tree: GotoStatement | LabelStatement) -> None:
        """Refuse a goto."""
        if isinstance(tree, GotoStatement):
            self.refuse(tree.at, "goto")

    def wait_time(self, seconds: str) -> None:
        """Write a wait."""
        self.put(f"sleep({seconds})")

    def wait_for(self, tree: WaitForStatement) -> None:
        """Write a wait for a condition."""
        if tree.timeout is not None:
            self.refuse(tree.at, "a wait with a time-out")
        self.put(f"while not {self.scalar(tree.condition, PRIMARY)}:")
        self.put("  sync()")
        self.put("end")

    def console(self, tree: WriteStatement) -> None:
        """Write console output to the log."""
        texts = [
            self.literal(one.value) if isinstance(one, LiteralValue) else self.argument(one)
            for one in tree.arguments
        ]
        for first in range(0, max(1, len(texts)), 2):
            self.put(f"textmsg({', '.join(texts[first : first + 2]) or self.literal('')})")

    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""
        signal = self._signals()[name]
        orders: dict[IrlType, str] = {
            BOOL: "set_standard_digital_out",
            INT: "write_output_integer_register",
            REAL: "set_standard_analog_out",
        }
        self.put(f"{orders[signal.kind]}({signal.channel}, {value})")

    def read_signal(self, name: str) -> str:
        """Return what reads a signal."""
        signal = self._signals()[name.lower()]
        way = "out" if signal.is_output else "in"
        if signal.kind is INT:
            return f"read_{way}put_integer_register({signal.channel})"
        what = "digital" if signal.kind is BOOL else "analog"
        return f"get_standard_{what}_{way}({signal.channel})"

    def read_system(self, at: int, name: str) -> str:
        """Return what reads a system variable."""
        if name in SYSTEM or name == "r_tool":
            return name
        return self.refuse(at, f"reading '{name}'")

    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""
        if name in SYSTEM:
            self.put(f"{name} = {self.scalar(value)}")
        elif name == "r_tool" and self.kind(target) is POSE:
            self.put(f"r_tool = {self._pose(at, value)}")
            self.put(SET_TCP)
        elif name == "r_base" and self.kind(target) is POSE:
            self.put(NO_BASE)
            self.put(f"r_base = aw_pose({self._pose(at, value)})")
        else:
            self.refuse(at, f"setting '{name}'")

    def spare(self, axis: str) -> str:
        """Return a coordinate of a position that no program knows."""
        return f"aw_spare[{AXES.index(axis)}]"

    def part(self, tree: Expression, axis: str) -> str:
        """Return the coordinate of a position that is a place."""
        inner = tree.record if isinstance(tree, Selected) and tree.field == "pos" else tree
        return f"{self.place(inner)}[{AXES.index(axis)}]"

    def set_pose(self, at: int, target: Expression, value: Expression) -> None:
        """Write the assignment of a pose."""
        self.put(f"{self.place(target)} = {self._pose(at, value)}")

    def _pose(self, at: int, tree: Expression) -> str:
        known = self.constant(tree, POSE)
        if isinstance(known, list):
            return self._data(known, POSE)
        match tree:
            case CallExpression(_, "pose", [place, turn]) | Aggregate(_, [place, turn]):
                return f"[{', '.join([*self.position(place), *self._turn(turn)])}]"
        return self.place(tree)

    def _turn(self, tree: Expression) -> list[str]:
        known = self.constant(tree, ORIENTATION)
        if isinstance(known, list):
            return [self.number(part) for part in _vector(known)]
        if isinstance(tree, Selected) and tree.field == "ori":
            return [f"{self.place(tree.record)}[{k}]" for k in (3, 4, 5)]
        return [self.refuse(self.checker.first(tree), "an orientation that is computed")]

    def move(self, tree: MoveStatement) -> None:
        """Write a move."""
        given = self.parameters(tree)
        speed = (given.get("speed") or ["r_speed"])[0]
        acceleration = (given.get("acc") or ["r_acc"])[0]
        share = self.slowest(tree, given, "speed_ptp") or "r_speed_ptp"
        push = self.slowest(tree, given, "acc_ptp") or "r_acc_ptp"
        note = self.notes(tree, given)
        note = f" # {note}" if note else ""
        radius = ""
        if "c_cp" in given or "c_pass" in given or "c_ptp" in given:
            radius = f", r={(given.get('c_cp') or ['r_c_cp'])[0]} / 1000.0"
        time = f", t={given['time'][0]}" if "time" in given else ""
        line = f"a={acceleration} / 1000.0, v={speed} / 1000.0{time}{radius}"
        joints = (
            f"a={TOP_ACCELERATION} * {push} / 100.0, v={TOP_SPEED} * {share} / 100.0{time}{radius}"
        )
        points = [self._target(tree, point) for point in self.points(tree)]
        if tree.kind == "circle":
            for a, b in zip(points[::2], points[1::2], strict=True):
                self.put(f"movec({a}, {b}, {line})")
        elif tree.kind in ("ptp", "lin"):
            order, tail = ("movej", joints) if tree.kind == "ptp" else ("movel", line)
            for text in points:
                self.put(f"{order}({text}, {tail}){note}")
        else:
            self.refuse(tree.at, f"'{tree.kind}'")

    def _target(self, tree: MoveStatement, point: Expression) -> str:
        axes = self.joint_values(point)
        if axes is not None:
            if tree.is_relative:
                return self.refuse(tree.at, "a relative move of the joints")
            return f"[{', '.join(f'd2r({self.number(axis)})' for axis in axes)}]"
        kind = self.kind(point)
        if kind is POSE and not tree.is_relative:
            return f"aw_pose({self._pose(tree.at, point)})"
        if kind is POSITION:
            order = "aw_shifted" if tree.is_relative else "aw_place"
            return f"{order}({', '.join(self.position(point))})"
        return self.refuse(self.checker.first(point), f"a target of type {kind.name}")


def _wire(signal: SignalPlace) -> str:
    """Return where a signal is connected: "digital out 1"."""
    what = {BOOL: "digital", INT: "register", REAL: "analog"}[signal.kind]  # type: ignore[index]
    return f"{what} {'out' if signal.is_output else 'in'} {signal.channel}"


def _vector(turn: Value | frames.Row) -> list[float]:
    """Return a quaternion as a rotation vector [rad]."""
    row = list(cast("frames.Row", turn))
    if row[0] < 0:
        row = [-part for part in row]
    angle = frames.turn_angle(row) * 3.141592653589793 / 180.0
    return [angle * part + 0.0 for part in frames.turn_axis(row)]
