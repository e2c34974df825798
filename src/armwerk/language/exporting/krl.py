"""KUKA KRL: a file of source, and one of data that all its routines see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from armwerk.language import frames
from armwerk.language.checking.symbols import SYSTEM_VARIABLES
from armwerk.language.exporting.values import AXES
from armwerk.language.exporting.writer import Declaration, ProgramWriter
from armwerk.language.syntax import (
    Aggregate,
    BinaryOperation,
    CallExpression,
    CaseStatement,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    Indexed,
    LabelStatement,
    MoveStatement,
    NameUse,
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
)

AXIS_COUNT = 6
GROUP = 8  # bits of an int among the signals
WORDS = {"ptp": "PTP", "lin": "LIN", "circle": "CIRC"}
ZERO = "{X 0,Y 0,Z 0,A 0,B 0,C 0}"
PER_MOVE = {
    "speed": "r_speed",
    "acc": "r_acc",
    "speed_ori": "r_speed_ori",
    "speed_ptp": "r_speed_ptp",
    "acc_ptp": "r_acc_ptp",
}
"""Parameters of moves, and the system variables that hold without them."""
SYSTEM = (*PER_MOVE.values(), "r_c_cp", "r_c_ptp")
FRAMES = {"r_tool": "$TOOL", "r_base": "$BASE"}
PLACES = {"AW_PLACE": POSE, "AW_POINT": POSITION, "AW_HELP": POSE, "AW_HELP_POINT": POSITION}
"""Where targets are put together; the last two are of help points."""


def native(name: str, shares: Sequence[str]) -> list[str]:
    """Return the lines that give KUKA's own variables the value of a system variable.

    Args:
        name: Of the system variable.
        shares: The value; of axes one for each, the last one for all others.
    """
    (first, *_) = shares
    axes = {"r_speed_ptp": "$VEL_AXIS", "r_acc_ptp": "$ACC_AXIS"}
    if name in axes:
        return [
            f"{axes[name]}[{axis + 1}] = {shares[min(axis, len(shares) - 1)]}"
            for axis in range(AXIS_COUNT)
        ]
    forms = {
        "r_speed": ["$VEL.CP = {} / 1000.0"],
        "r_acc": ["$ACC.CP = {} / 1000.0"],
        "r_speed_ori": ["$VEL.ORI1 = {}", "$VEL.ORI2 = {}"],
    }
    return [form.format(first) for form in forms.get(name, [])]


def prologue() -> list[str]:
    """Return the lines with which every program begins."""
    lines = ["BAS(#INITMOV, 0)"]
    for name in SYSTEM:
        lines.append(f"{name.upper()} = {SYSTEM_VARIABLES[name][1]}")
        lines += native(name, [name.upper()])
    return [*lines, *(f"{place} = {ZERO}" for place in FRAMES.values())]


class KrlWriter(ProgramWriter):
    """Writes KRL; a position is a FRAME without its angles."""

    target = "KRL"
    assign, end = " = ", ""
    words: ClassVar[dict[str, str]] = {"pause": "HALT", "halt": "EXIT"}
    names: ClassVar[dict[IrlType, str]] = {
        INT: "INT",
        REAL: "REAL",
        BOOL: "BOOL",
        POSE: "FRAME",
        POSITION: "FRAME",
    }
    known_parameters = frozenset({*PER_MOVE, "c_cp", "c_ptp", "c_pass"})
    reserved = frozenset({"end", "def", "switch", "enum", "struc", "halt", "exit", "ext", "global"})
    operators: ClassVar[dict[str, str]] = {
        "=": "==",
        "and": "AND",
        "or": "OR",
        "exor": "EXOR",
        "not": "NOT",
        "div": "/",
        "mod": "({0} - ({0} / {1}) * {1})",
        "**": "",
    }
    # KRL compares last of all, and binds 'not' first
    levels: ClassVar[dict[str, int]] = {
        **dict.fromkeys(("=", "<>", "<", "<=", ">", ">="), 0),
        "or": 1,
        "exor": 2,
        "and": 3,
        "+": 5,
        "-": 5,
        "*": 6,
        "/": 6,
        "div": 6,
        "mod": 6,
        "not": 8,
        "**": 8,
        "@": 6,
    }
    functions: ClassVar[dict[str, str]] = {
        "abs": "ABS({0})",
        "sqrt": "SQRT({0})",
        "sin": "SIN({0})",
        "cos": "COS({0})",
        "tan": "TAN({0})",
        "acos": "ACOS({0})",
        "atan2": "ATAN2({0},{1})",
        "float": "({0} * 1.0)",
        "real": "({0} * 1.0)",
    }
    data = ""

    def program(self, name: str) -> None:
        """Write the file."""
        main = self.units[-1]
        self.data = self._data_file(name)
        self.put("&ACCESS RVO")
        self.put(f"DEF {name}()")
        self.depth = 1
        for line in prologue():
            self.put(line)
        for parsed in self.units:
            self.enter(parsed, None)
            for one in self.declarations(parsed.unit.sections):
                self._first(one)
        self.depth = 0
        self.enter(main, None)
        self.block(main.unit.body)
        self.put("END")
        for parsed, routine in self.routines():
            self.put()
            self.routine(parsed, routine)

    def _data_file(self, name: str) -> str:
        """Return the file of the variables, which all routines of the source see."""
        lines, self.lines = self.lines, [f"DEFDAT {name}"]
        self.depth = 1
        self._signals()
        for parsed in self.units:
            self.enter(parsed, None)
            for one in self.declarations(parsed.unit.sections):
                self._declared(one)
        self.put(f"DECL REAL {', '.join(name.upper() for name in SYSTEM)}")
        self.put(f"DECL FRAME {', '.join(PLACES)}, AW_SPARE")
        self.depth = 0
        self.put("ENDDAT")
        text, self.lines = "\n".join(self.lines) + "\n", lines
        return text

    def wires(self, kind: IrlType) -> tuple[str, int]:
        """Return which row of channels signals of a type stand in: ints are groups of bits."""
        return ("analog", 1) if kind is REAL else ("bits", GROUP if kind is INT else 1)

    def _signals(self) -> None:
        for signal in self.signals():
            analog = "AN" if signal.kind is REAL else ""
            word = f"${analog}{'OUT' if signal.is_output else 'IN'}"
            first = signal.channel
            last = f" TO {word}[{first + GROUP - 1}]" if signal.kind is INT else ""
            self.put(f"SIGNAL {signal.name} {word}[{first}]{last} ; {signal.said}")

    def declare(self, sections: Sequence[Section]) -> None:
        """Write the declarations of a routine, then its first values."""
        found = list(self.declarations(sections))
        for one in found:
            self._declared(one)
        for one in found:
            self._first(one)

    def _declared(self, one: Declaration) -> None:
        if one.word == "const":
            return  # constants stand as their values
        size = f"[{','.join(map(str, one.sizes))}]" if one.sizes else ""
        note = " ; position" if one.kind is POSITION else ""
        self.put(f"DECL {self.names.get(one.kind, '?')} {one.name}{size}{note}")

    def _first(self, one: Declaration) -> None:
        if one.word == "var" and one.value is not None:
            self._elements(one.name, one.value, one.kind, (), len(one.sizes))

    def _elements(
        self, name: str, value: Value, kind: IrlType, indices: tuple[int, ...], depth: int
    ) -> None:
        """Write the first value of a variable, element by element where it is an array."""
        if depth == 0:
            shown = f"[{','.join(map(str, indices))}]" if indices else ""
            self.put(f"{name}{shown} = {self._data(value, kind)}")
            return
        assert isinstance(value, list)
        for number, part in enumerate(value, start=1):
            self._elements(name, part, kind, (*indices, number), depth - 1)

    def scalar(self, tree: Expression, level: int = 0) -> str:
        """Return a number or truth; between ints KRL's own division is whole."""
        if not isinstance(tree, BinaryOperation) or tree.operator != "/":
            return super().scalar(tree, level)
        if self.kind(tree.left) is not INT or self.kind(tree.right) is not INT:
            return super().scalar(tree, level)
        return f"({self.scalar(tree.left, 7)} * 1.0 / {self.scalar(tree.right, 7)})"

    def _data(self, value: Value, kind: IrlType) -> str:
        if kind is POSE:
            return self._frame(value)
        if kind is POSITION:
            parts = zip(AXES, value, strict=True)  # type: ignore[arg-type]
            return f"{{{','.join(f'{axis.upper()} {self.literal(part)}' for axis, part in parts)}}}"
        return self.literal(value)

    def _frame(self, value: Value) -> str:
        position, turn = cast("frames.Pose", value)
        three = [(angle + 180.0) % 360.0 - 180.0 for angle in frames.angles("zyx", turn)]
        pairs = [*zip("XYZ", position, strict=True), *zip("ABC", three, strict=True)]
        return f"{{{','.join(f'{axis} {self.number(part)}' for axis, part in pairs)}}}"

    def routine_head(
        self,
        name: str,
        parameters: Sequence[tuple[str, IrlType, str, int]],
        result: IrlType | None,
    ) -> None:
        """Write the first line of a routine, and the types of its parameters."""
        heads = [f"{one}:{'IN' if mode == 'in' else 'OUT'}" for mode, _, one, _ in parameters]
        word = "DEF" if result is None else f"DEFFCT {self.names.get(result, '?')}"
        note = " ; position" if result is POSITION else ""
        self.put(f"{word} {name}({', '.join(heads)}){note}")
        self.depth += 1
        for _, kind, one, at in parameters:
            self._declared(Declaration("var", at, one, kind, (), None))
        self.depth -= 1

    def routine_end(self, result: IrlType | None) -> str:
        """Return the last line of a routine."""
        return "END" if result is None else "ENDFCT"

    def call(self, name: str, arguments: list[str]) -> None:
        """Write the call of a procedure."""
        self.put(f"{name}({', '.join(arguments)})")

    def if_statement(self, tree: IfStatement) -> None:
        """Write a branch; KRL nests what others chain."""
        for number, branch in enumerate(tree.branches):
            if number:
                self.put("ELSE")
                self.depth += 1
            self.put(f"IF {self.scalar(branch.condition)} THEN")
            self.block(branch.body)
        if tree.otherwise:
            self.put("ELSE")
            self.block(tree.otherwise)
        for number in range(len(tree.branches)):
            self.put("ENDIF")
            self.depth -= number + 1 < len(tree.branches)

    def for_statement(self, tree: ForStatement) -> None:
        """Write a counting loop."""
        loop = self.counting(tree)
        step = f" STEP {loop.step}" if loop.step else ""
        self.enclosed(
            f"FOR {loop.counter} = {loop.first} TO {loop.last}{step}", tree.body, "ENDFOR"
        )

    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""
        self.enclosed(f"WHILE {self.scalar(tree.condition)}", tree.body, "ENDWHILE")

    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end."""
        self.enclosed("REPEAT", tree.body, f"UNTIL {self.scalar(tree.condition)}")

    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice."""
        self.put(f"SWITCH {self.scalar(tree.value)}")
        for choice in tree.choices:
            self.put(f"CASE {', '.join(self.case_values(choice))}")
            self.block(choice.body)
        if tree.has_else:
            self.put("DEFAULT")
            self.block(tree.otherwise)
        self.put("ENDSWITCH")

    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""
        self.put("RETURN" if tree.value is None else f"RETURN({self.argument(tree.value)})")

    def jump(self, tree: GotoStatement | LabelStatement) -> None:
        """Write a goto or a label."""
        self.put(f"GOTO {tree.label}" if isinstance(tree, GotoStatement) else f"{tree.label}:")

    def wait_time(self, seconds: str) -> None:
        """Write a wait."""
        self.put(f"WAIT SEC {seconds}")

    def wait_for(self, tree: WaitForStatement) -> None:
        """Write a wait for a condition."""
        if tree.timeout is not None:
            self.refuse(tree.at, "a wait with a time-out")
        self.put(f"WAIT FOR {self.scalar(tree.condition)}")

    def console(self, tree: WriteStatement) -> None:
        """Write console output: a comment, since KRL has no console."""
        start, at = self.parsed.source.starts[tree.at], tree.at
        while self.parsed.source.words[at] not in (";", ""):
            at += 1
        text = self.parsed.source.text[start : self.parsed.source.starts[at]]
        self.put(f"; {' '.join(text.split())}")

    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""
        self.put(f"{name} = {value}")

    def read_signal(self, name: str) -> str:
        """Return what reads a signal."""
        return name.lower()

    def read_system(self, at: int, name: str) -> str:
        """Return what reads a system variable."""
        if name in SYSTEM:
            return name.upper()
        return FRAMES.get(name) or self.refuse(at, f"reading '{name}'")

    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""
        if name in SYSTEM:
            self.put(f"{name.upper()} = {self.scalar(value)}")
            for line in native(name, [name.upper()]):
                self.put(line)
        elif name in FRAMES and self.kind(target) is POSE:
            self._set_frame(FRAMES[name], value)
        else:
            self.refuse(at, f"setting '{name}'")

    def spare(self, axis: str) -> str:
        """Return a coordinate of a position that no program knows."""
        return f"AW_SPARE.{axis.upper()}"

    def part(self, tree: Expression, axis: str) -> str:
        """Return the coordinate of a position that is a place."""
        inner = tree.record if isinstance(tree, Selected) and tree.field == "pos" else tree
        return f"{self.place(inner)}.{axis.upper()}"

    def set_pose(self, at: int, target: Expression, value: Expression) -> None:
        """Write the assignment of a pose."""
        self._set_frame(self.place(target), value)

    def _set_frame(self, name: str, value: Expression) -> None:
        known = self.constant(value, POSE)
        if isinstance(known, list):
            self.put(f"{name} = {self._frame(known)}")
            return
        match value:
            case CallExpression(_, "pose", [place, turn]) | Aggregate(_, [place, turn]):
                places = [f"{name}.{axis.upper()}" for axis in AXES]
                self.set_coordinates(places, self.position(place))
                self._set_turn(name, turn)
            case _:
                self.put(f"{name} = {self.place(value)}")

    def _set_turn(self, name: str, tree: Expression) -> None:
        known = self.constant(tree, ORIENTATION)
        if isinstance(known, list):
            three = [(a + 180.0) % 360.0 - 180.0 for a in frames.angles("zyx", known)]  # type: ignore[arg-type]
            for axis, angle in zip("ABC", three, strict=True):
                self.put(f"{name}.{axis} = {self.number(angle)}")
        elif isinstance(tree, Selected) and tree.field == "ori":
            for axis in "ABC":
                self.put(f"{name}.{axis} = {self.place(tree.record)}.{axis}")
        else:
            self.refuse(self.checker.first(tree), "an orientation that is computed")

    def move(self, tree: MoveStatement) -> None:
        """Write a move."""
        given = self.parameters(tree)
        order = WORDS.get(tree.kind)
        if order is None or (tree.is_relative and tree.kind == "circle"):
            self.refuse(tree.at, f"'{tree.kind}'")
            return
        order += "_REL" * tree.is_relative
        changed = [(name, given[name]) for name in PER_MOVE if given.get(name)]
        for name, values in changed:
            for line in native(PER_MOVE[name], values):
                self.put(line)
        tail = ""
        if tree.kind != "ptp" and ("c_cp" in given or "c_pass" in given):
            self.put(f"$APO.CDIS = {(given.get('c_cp') or ['R_C_CP'])[0]}")
            tail = " C_DIS"
        elif tree.kind == "ptp" and ("c_ptp" in given or "c_pass" in given):
            self.put(f"$APO.CPTP = {(given.get('c_ptp') or ['R_C_PTP'])[0]}")
            tail = " C_PTP"
        helps: list[str] = []
        for number, point in enumerate(self.points(tree)):
            is_help = tree.kind == "circle" and number % 2 == 0
            text = self._target(tree, point, "AW_HELP" if is_help else "AW_PLACE")
            if is_help:
                helps = [text]
                continue
            self.put(f"{order} {', '.join([*helps, text])}{tail}")
        for name, _ in changed:
            for line in native(PER_MOVE[name], [PER_MOVE[name].upper()]):
                self.put(line)

    def _target(self, tree: MoveStatement, point: Expression, spot: str) -> str:
        axes = self.joint_values(point)
        if axes is not None:
            values = ",".join(f"A{k} {self.number(axis)}" for k, axis in enumerate(axes, start=1))
            return f"{{{values}}}"
        kind = self.kind(point)
        if kind is POSE and tree.is_relative:
            return self.refuse(self.checker.first(point), "a relative move that turns")
        known = self.constant(point)
        if isinstance(known, list) and kind in (POSE, POSITION):
            return self._data(known, kind)
        if kind is POSE and not isinstance(point, CallExpression | Aggregate):
            return self.place(point)
        if kind is POSE:
            self._set_frame(spot, point)
            return spot
        if kind is POSITION:
            if isinstance(point, NameUse | Indexed):
                return self.place(point)
            # its angles are never set: KUKA takes those of the place before
            spot = {"AW_HELP": "AW_HELP_POINT", "AW_PLACE": "AW_POINT"}[spot]
            for axis, part in zip(AXES, self.position(point), strict=True):
                self.put(f"{spot}.{axis.upper()} = {part}")
            return spot
        return self.refuse(self.checker.first(point), f"a target of type {kind.name}")
