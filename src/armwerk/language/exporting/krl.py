"""KUKA KRL: a file of source, and one of data that all its routines see."""

from __future__ import annotations

from typing import ClassVar, cast

from armwerk.language import frames
from armwerk.language.checking.symbols import SignalSymbol
from armwerk.language.exporting.writer import AXES, ProgramWriter
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.syntax import (
    Aggregate,
    BinaryOperation,
    CallExpression,
    CaseStatement,
    ConstantSection,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    LabelStatement,
    MoveStatement,
    RepeatStatement,
    ReturnStatement,
    Routine,
    Section,
    Selected,
    VariableSection,
    WaitForStatement,
    WhileStatement,
    WordStatement,
    WriteStatement,
)
from armwerk.language.types import (
    BOOL,
    INT,
    ORIENTATION,
    POSE,
    POSITION,
    REAL,
    ArrayType,
    IrlType,
    Value,
)

NAMES: dict[IrlType, str] = {
    INT: "INT",
    REAL: "REAL",
    BOOL: "BOOL",
    POSE: "FRAME",
    POSITION: "FRAME",
}
AXIS_COUNT = 6
WORDS = {"ptp": "PTP", "lin": "LIN", "circle": "CIRC"}


class KrlWriter(ProgramWriter):
    """Writes KRL; a position is a FRAME without its angles."""

    target = "KRL"
    assign, end = " = ", ""
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

    def program(self, name: str) -> None:
        """Write the file."""
        main = self.units[-1]
        self.data = self._data_file(name)
        self.put("&ACCESS RVO")
        self.put(f"DEF {name}()")
        self.depth = 1
        self.put("BAS(#INITMOV, 0)")
        self._per_axis("$VEL_AXIS", ["100"])
        self._per_axis("$ACC_AXIS", ["100"])
        for line in ("R_SPEED = 250.0", "R_C_CP = 10.0", "$VEL.CP = 0.25", "$ACC.CP = 1.0"):
            self.put(line)
        self.put("$VEL.ORI1 = 90.0")
        self.put("$VEL.ORI2 = 90.0")
        self.put("$BASE = {X 0,Y 0,Z 0,A 0,B 0,C 0}")
        self.put("$TOOL = {X 0,Y 0,Z 0,A 0,B 0,C 0}")
        for parsed in self.units:
            self.enter(parsed, None)
            self._first_values(parsed.unit.sections)
        self.depth = 0
        self.enter(main, None)
        self.block(main.unit.body)
        self.put("END")
        for parsed, routine in self.routines():
            self.put()
            self._routine(parsed, routine)

    def _data_file(self, name: str) -> str:
        """Return the file of the variables, which all routines of the source see."""
        lines, self.lines = self.lines, [f"DEFDAT {name}"]
        self.depth = 1
        for parsed in self.units:
            self.enter(parsed, None)
            self._signals(parsed)
            self._declarations(parsed.unit.sections)
        self.put("DECL REAL R_SPEED, R_C_CP")
        self.put("DECL FRAME AW_PLACE")
        self.depth = 0
        self.put("ENDDAT")
        text, self.lines = "\n".join(self.lines) + "\n", lines
        return text

    data = ""

    def _signals(self, parsed: ParsedUnit) -> None:
        for name, (kind, is_output, channel) in self.checker.signals.items():
            symbol = self.checker.program.symbols[name]
            if not isinstance(symbol, SignalSymbol) or parsed is not self.units[-1]:
                continue
            word = "$OUT" if is_output else "$IN"
            first = channel or 1
            last = f" TO {word}[{first + 7}]" if kind is INT else ""
            self.put(f"SIGNAL {name} {word}[{first}]{last}")

    def _declarations(self, sections: tuple[Section, ...]) -> None:
        for section in sections:
            if not isinstance(section, VariableSection):
                continue
            for item in section.items:
                kind = self.checker.kind(item.form)
                size = ""
                while isinstance(kind, ArrayType):
                    size += ("," if size else "") + str(kind.high)
                    kind = kind.element
                if kind not in NAMES:
                    self.refuse(item.at, f"variables of type {kind.name}")
                    continue
                shown = f"[{size}]" if size else ""
                names = ", ".join(f"{self.spelled(one.at)}{shown}" for one in item.names)
                self.put(f"DECL {NAMES[kind]} {names}")

    def _first_values(self, sections: tuple[Section, ...]) -> None:
        for section in sections:
            if isinstance(section, ConstantSection):
                continue  # constants stand as their values
            if isinstance(section, VariableSection):
                for item in section.items:
                    kind = self.checker.kind(item.form)
                    for declared in item.names:
                        if declared.value is None or kind not in NAMES:
                            continue  # what is not known is refused where it is declared
                        value = self.constant(declared.value, kind)
                        name = self.spelled(declared.at)
                        if value is None or isinstance(kind, ArrayType):
                            self.refuse(declared.at, "a first value that is not constant")
                        else:
                            self.put(f"{name} = {self._data(value, kind)}")

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

    def _routine(self, parsed: ParsedUnit, routine: Routine) -> None:
        self.enter(parsed, None)  # types of parameters are those that the program knows
        name = self.spelled(routine.name_at)
        if routine.kind == "process":
            self.refuse(routine.at, "processes")
        heads, declarations = [], []
        for one in routine.parameters:
            kind = NAMES.get(self.checker.kind(one.form))
            if kind is None:
                self.refuse(one.at, "a parameter of this type")
            mode = "IN" if one.mode == "in" else "OUT"
            names = [self.spelled(declared.at) for declared in one.names]
            heads += [f"{each}:{mode}" for each in names]
            declarations.append(f"DECL {kind} {', '.join(names)}")
        if routine.result is None:
            self.put(f"DEF {name}({', '.join(heads)})")
        else:
            result = NAMES.get(self.checker.kind(routine.result), "?")
            self.put(f"DEFFCT {result} {name}({', '.join(heads)})")
        self.depth += 1
        for line in declarations:
            self.put(line)
        self.enter(parsed, routine)
        self._declarations(routine.sections)
        self._first_values(routine.sections)
        self.depth -= 1
        self.block(routine.body)
        self.put("END" if routine.result is None else "ENDFCT")
        self.enter(parsed, None)

    def _per_axis(self, name: str, shares: list[str]) -> None:
        for axis in range(AXIS_COUNT):
            self.put(f"{name}[{axis + 1}] = {shares[min(axis, len(shares) - 1)]}")

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
        step = "" if tree.step is None else self.scalar(tree.step, 7)
        step = f"-{step or 1}" if tree.is_down else step
        first, last = self.scalar(tree.first), self.scalar(tree.last)
        counter = self.spelled(tree.variable.at)
        self.put(f"FOR {counter} = {first} TO {last}{' STEP ' + step if step else ''}")
        self.block(tree.body)
        self.put("ENDFOR")

    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""
        self.put(f"WHILE {self.scalar(tree.condition)}")
        self.block(tree.body)
        self.put("ENDWHILE")

    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end."""
        self.put("REPEAT")
        self.block(tree.body)
        self.put(f"UNTIL {self.scalar(tree.condition)}")

    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice."""
        self.put(f"SWITCH {self.scalar(tree.value)}")
        for choice in tree.choices:
            labels = self.case_values(choice)
            self.put(f"CASE {', '.join(labels)}")
            self.block(choice.body)
        if tree.has_else:
            self.put("DEFAULT")
            self.block(tree.otherwise)
        self.put("ENDSWITCH")

    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""
        self.put("RETURN" if tree.value is None else f"RETURN({self.scalar(tree.value)})")

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

    def word(self, tree: WordStatement) -> None:
        """Write pause, halt, start or stop."""
        words = {"pause": "HALT", "halt": "EXIT"}
        self.put(words[tree.word] if tree.word in words else self.refuse(tree.at, tree.word))

    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""
        self.put(f"{name} = {value}")

    def read_signal(self, name: str) -> str:
        """Return what reads a signal."""
        return name.lower()

    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""
        if name == "r_speed":
            self.put(f"R_SPEED = {self.scalar(value)}")
            self.put("$VEL.CP = R_SPEED / 1000.0")
        elif name == "r_c_cp":
            self.put(f"R_C_CP = {self.scalar(value)}")
        elif name in ("r_speed_ptp", "r_acc_ptp"):
            place = "$VEL_AXIS" if name == "r_speed_ptp" else "$ACC_AXIS"
            self._per_axis(place, [self.scalar(value)])
        elif name in ("r_tool", "r_base") and self.kind(target) is POSE:
            self._set_frame(at, "$TOOL" if name == "r_tool" else "$BASE", value)
        else:
            self.refuse(at, f"setting '{name}'")

    def spare(self, axis: str) -> str:
        """Return a coordinate of a position that no program knows."""
        return f"AW_PLACE.{axis.upper()}"

    def part(self, tree: Expression, axis: str) -> str:
        """Return the coordinate of a position that is a place."""
        if isinstance(tree, Selected) and tree.field == "pos":
            return f"{self.place(tree.record)}.{axis.upper()}"
        return f"{self.place(tree)}.{axis.upper()}"

    def set_pose(self, at: int, target: Expression, value: Expression) -> None:
        """Write the assignment of a pose."""
        self._set_frame(at, self.place(target), value)

    def _set_frame(self, at: int, name: str, value: Expression) -> None:
        known = self.constant(value, POSE)
        if isinstance(known, list):
            self.put(f"{name} = {self._frame(known)}")
            return
        match value:
            case CallExpression(_, "pose", [place, turn]) | Aggregate(_, [place, turn]):
                for axis, part in zip(AXES, self.position(place), strict=True):
                    self.put(f"{name}.{axis.upper()} = {part}")
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
        if "time" in given:
            self.refuse(tree.at, "'time'")
        if given.get("speed"):
            self.put(f"$VEL.CP = {given['speed'][0]} / 1000.0")
        if given.get("acc"):
            self.put(f"$ACC.CP = {given['acc'][0]} / 1000.0")
        for name, place in (("speed_ptp", "$VEL_AXIS"), ("acc_ptp", "$ACC_AXIS")):
            if given.get(name):
                self._per_axis(place, given[name])
        tail = ""
        if tree.kind != "ptp" and ("c_cp" in given or "c_pass" in given):
            self.put(f"$APO.CDIS = {(given.get('c_cp') or ['R_C_CP'])[0]}")
            tail = " C_DIS"
        elif tree.kind == "ptp" and ("c_ptp" in given or "c_pass" in given):
            self.put(f"$APO.CPTP = {(given.get('c_ptp') or ['50'])[0]}")
            tail = " C_PTP"
        points = [self._target(tree, point) for point in self.points(tree)]
        if tree.kind == "circle":
            points = [f"{a}, {b}" for a, b in zip(points[::2], points[1::2], strict=True)]
        for text in points:
            self.put(f"{order} {text}{tail}")
        if given.get("speed"):
            self.put("$VEL.CP = R_SPEED / 1000.0")
        if given.get("acc"):
            self.put("$ACC.CP = 1.0")
        for name, place in (("speed_ptp", "$VEL_AXIS"), ("acc_ptp", "$ACC_AXIS")):
            if given.get(name):
                self._per_axis(place, ["100"])

    def _target(self, tree: MoveStatement, point: Expression) -> str:
        axes = self.joint_values(point)
        if axes is not None:
            values = ",".join(f"A{k} {self.number(axis)}" for k, axis in enumerate(axes, start=1))
            return f"{{{values}}}"
        kind = self.kind(point)
        known = self.constant(point)
        if isinstance(known, list) and kind in (POSE, POSITION):
            return self._data(known, kind)
        if kind is POSE and not isinstance(point, CallExpression | Aggregate):
            return self.place(point)
        if kind is POSE:
            self._set_frame(tree.at, "AW_PLACE", point)
            return "AW_PLACE"
        if kind is POSITION:
            if not tree.is_relative:
                self.put("AW_PLACE = $POS_ACT")
            else:
                self.put("AW_PLACE = {X 0,Y 0,Z 0,A 0,B 0,C 0}")
            for axis, part in zip(AXES, self.position(point), strict=True):
                self.put(f"AW_PLACE.{axis.upper()} = {part}")
            return "AW_PLACE"
        return self.refuse(self.checker.first(point), f"a target of type {kind.name}")
