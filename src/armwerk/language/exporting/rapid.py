"""ABB RAPID: a module with the program as its ``main``."""

from __future__ import annotations

from typing import ClassVar

from armwerk.language.checking.symbols import SignalSymbol
from armwerk.language.exporting.writer import ProgramWriter
from armwerk.language.parsing.units import ParsedUnit
from armwerk.language.syntax import (
    Aggregate,
    CallExpression,
    CaseStatement,
    ConstantSection,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    LabelStatement,
    LiteralValue,
    MoveStatement,
    Parameter,
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

NAMES: dict[IrlType, str] = {INT: "num", REAL: "num", BOOL: "bool", POSE: "pose", POSITION: "pos"}
HEAD = """  PERS tooldata aw_tool := [TRUE,[[0,0,0],[1,0,0,0]],[0.001,[0,0,0.001],[1,0,0,0],0,0,0]];
  PERS wobjdata aw_base := [FALSE,TRUE,"",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];
  VAR speeddata aw_speed := [250,90,5000,1000];
  VAR num aw_zone := 10;"""
HELP = """  FUNC robtarget aw_target(pose place)
    VAR robtarget target;
    target := CRobT(\\Tool:=aw_tool\\WObj:=aw_base);
    target.trans := place.trans;
    target.rot := place.rot;
    RETURN target;
  ENDFUNC

  FUNC robtarget aw_place(num x, num y, num z)
    VAR robtarget target;
    target := CRobT(\\Tool:=aw_tool\\WObj:=aw_base);
    target.trans := [x,y,z];
    RETURN target;
  ENDFUNC

  FUNC speeddata aw_tcp(num speed)
    VAR speeddata changed;
    changed := aw_speed;
    changed.v_tcp := speed;
    RETURN changed;
  ENDFUNC

  FUNC zonedata aw_blend(num radius)
    RETURN [FALSE,radius,1.5*radius,1.5*radius,0.15*radius,1.5*radius,0.15*radius];
  ENDFUNC"""
WORDS = {"ptp": "MoveJ", "lin": "MoveL", "circle": "MoveC"}


class RapidWriter(ProgramWriter):
    """Writes RAPID."""

    target = "RAPID"
    reserved = frozenset(
        {"main", "test", "pos", "num", "default", "connect", "trap", "stop", "exit"}
    )
    operators: ClassVar[dict[str, str]] = {
        "div": "DIV",
        "mod": "MOD",
        "and": "AND",
        "or": "OR",
        "exor": "XOR",
        "not": "NOT",
        "**": "Pow({0},{1})",
    }
    functions: ClassVar[dict[str, str]] = {
        "abs": "Abs({0})",
        "sqrt": "Sqrt({0})",
        "sin": "Sin({0})",
        "cos": "Cos({0})",
        "tan": "Tan({0})",
        "asin": "ASin({0})",
        "acos": "ACos({0})",
        "atan": "ATan({0})",
        "atan2": "ATan2({0},{1})",
        "exp": "Exp({0})",
        "round": "Round({0})",
        "trunc": "Trunc({0})",
        "float": "{0}",
        "real": "{0}",
    }

    def program(self, name: str) -> None:
        """Write the module."""
        self.put(f"MODULE {name}")
        self.lines += HEAD.split("\n")
        self.depth = 1
        for signal, (kind, is_output, channel) in self.checker.signals.items():
            way = "output" if is_output else "input"
            place = "" if channel is None else f" at {channel}"
            self.put(f"! signal {way} {kind.name}: {signal}{place};")
        for parsed in self.units:
            self.enter(parsed, None)
            self._declarations(parsed.unit.sections)
        self.put()
        main = self.units[-1]
        self.enter(main, None)
        self.put("PROC main()")
        self.block(main.unit.body)
        self.put("ENDPROC")
        for parsed, routine in self.routines():
            self.put()
            self._routine(parsed, routine)
        self.put()
        self.lines += HELP.split("\n")
        self.depth = 0
        self.put("ENDMODULE")

    def _declarations(self, sections: tuple[Section, ...]) -> None:
        for section in sections:
            if not isinstance(section, VariableSection | ConstantSection):
                continue
            word = "VAR" if isinstance(section, VariableSection) else "CONST"
            for item in section.items:
                whole = kind = self.checker.kind(item.form)
                size = ""
                while isinstance(kind, ArrayType):
                    size += ("," if size else "") + str(kind.high)
                    kind = kind.element
                name = NAMES.get(kind)
                if name is None:
                    self.refuse(item.at, f"variables of type {kind.name}")
                    continue
                for declared in item.names:
                    first = ""
                    if declared.value is not None:
                        value = self.constant(declared.value, whole)
                        if value is None:
                            self.refuse(declared.at, "a first value that is not constant")
                        else:
                            first = f" := {self._data(value, kind)}"
                    shown = f"{{{size}}}" if size else ""
                    note = f" ! {kind.name}" if name == "num" else ""
                    self.put(f"{word} {name} {self.spelled(declared.at)}{shown}{first};{note}")

    def _data(self, value: Value, kind: IrlType) -> str:
        if isinstance(value, list):
            return f"[{','.join(self._data(part, kind) for part in value)}]"
        return self.literal(value)

    def _routine(self, parsed: ParsedUnit, routine: Routine) -> None:
        self.enter(parsed, None)  # types of parameters are those that the program knows
        name = self.spelled(routine.name_at)
        if routine.kind == "process":
            self.refuse(routine.at, "processes")
        heads = [text for one in routine.parameters for text in self._parameter(one)]
        kinds = [self.checker.kind(one.form).name for one in routine.parameters for _ in one.names]
        if routine.result is not None:
            kinds.append(self.checker.kind(routine.result).name)
        note = f" ! {', '.join(kinds)}" if kinds else ""
        if routine.result is None:
            self.put(f"PROC {name}({', '.join(heads)}){note}")
        else:
            kind = NAMES.get(self.checker.kind(routine.result), "?")
            self.put(f"FUNC {kind} {name}({', '.join(heads)}){note}")
        self.enter(parsed, routine)
        self.depth += 1
        self._declarations(routine.sections)
        self.depth -= 1
        self.block(routine.body)
        self.put("ENDPROC" if routine.result is None else "ENDFUNC")
        self.enter(parsed, None)

    def _parameter(self, tree: Parameter) -> list[str]:
        kind = NAMES.get(self.checker.kind(tree.form))
        if kind is None:
            self.refuse(tree.at, "a parameter of this type")
        mode = "" if tree.mode == "in" else "VAR "
        return [f"{mode}{kind} {self.spelled(declared.at)}" for declared in tree.names]

    def element(self, array: str, indices: list[str]) -> str:
        """Return an element of an array."""
        return f"{array}{{{','.join(indices)}}}"

    def call(self, name: str, arguments: list[str]) -> None:
        """Write the call of a procedure."""
        self.put(f"{name}{' ' if arguments else ''}{', '.join(arguments)};")

    def if_statement(self, tree: IfStatement) -> None:
        """Write a branch."""
        for number, branch in enumerate(tree.branches):
            word = "IF" if number == 0 else "ELSEIF"
            self.put(f"{word} {self.scalar(branch.condition)} THEN")
            self.block(branch.body)
        if tree.otherwise:
            self.put("ELSE")
            self.block(tree.otherwise)
        self.put("ENDIF")

    def for_statement(self, tree: ForStatement) -> None:
        """Write a counting loop; RAPID's own has a variable of its own."""
        first, last = self.scalar(tree.first), self.scalar(tree.last)
        step = "" if tree.step is None else self.scalar(tree.step, 7)
        step = f"-{step or 1}" if tree.is_down else step
        counter = self.spelled(tree.variable.at)
        self.put(f"FOR {counter} FROM {first} TO {last}{' STEP ' + step if step else ''} DO")
        self.block(tree.body)
        self.put("ENDFOR")

    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""
        self.put(f"WHILE {self.scalar(tree.condition)} DO")
        self.block(tree.body)
        self.put("ENDWHILE")

    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end; RAPID has only those that test first."""
        self.block_of(tree)
        self.put(f"WHILE NOT ({self.scalar(tree.condition)}) DO")
        self.block(tree.body)
        self.put("ENDWHILE")

    def block_of(self, tree: RepeatStatement) -> None:
        """Write the body of a loop that is run at least once."""
        for statement in tree.body:
            self.statement(statement)

    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice."""
        self.put(f"TEST {self.scalar(tree.value)}")
        for choice in tree.choices:
            labels = self.case_values(choice)
            self.put(f"CASE {','.join(labels)}:")
            self.block(choice.body)
        if tree.has_else:
            self.put("DEFAULT:")
            self.block(tree.otherwise)
        self.put("ENDTEST")

    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""
        self.put("RETURN;" if tree.value is None else f"RETURN {self.scalar(tree.value)};")

    def jump(self, tree: GotoStatement | LabelStatement) -> None:
        """Write a goto or a label."""
        self.put(f"GOTO {tree.label};" if isinstance(tree, GotoStatement) else f"{tree.label}:")

    def wait_time(self, seconds: str) -> None:
        """Write a wait."""
        self.put(f"WaitTime {seconds};")

    def wait_for(self, tree: WaitForStatement) -> None:
        """Write a wait for a condition."""
        limit = "" if tree.timeout is None else f" \\MaxTime:={self.scalar(tree.timeout)}"
        if tree.action is not None:
            self.refuse(tree.action.at, "a procedure that is called when a wait is too long")
        self.put(f"WaitUntil {self.scalar(tree.condition)}{limit};")

    def console(self, tree: WriteStatement) -> None:
        """Write console output."""
        texts = []
        for one in tree.arguments:
            if isinstance(one, LiteralValue) and isinstance(one.value, str):
                texts.append(self.literal(one.value))
            else:
                texts.append(f"ValToStr({self.argument(one)})")
        self.put(f"TPWrite {' + '.join(texts) or self.literal('')};")

    def word(self, tree: WordStatement) -> None:
        """Write pause, halt, start or stop."""
        words = {"pause": "Stop;", "halt": "EXIT;"}
        self.put(words[tree.word] if tree.word in words else self.refuse(tree.at, tree.word))

    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""
        symbol = self.checker.look_up(name)
        assert isinstance(symbol, SignalSymbol)
        order = {BOOL: "SetDO", INT: "SetGO", REAL: "SetAO"}[symbol.kind]  # type: ignore[index]
        value = {"TRUE": "1", "FALSE": "0"}.get(value, value)
        self.put(f"{order} {self.spelled(at)}, {value};")

    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""
        places = {"r_speed": "aw_speed.v_tcp", "r_speed_ori": "aw_speed.v_ori", "r_c_cp": "aw_zone"}
        frames = {"r_tool": "aw_tool.tframe", "r_base": "aw_base.uframe"}
        if name in places:
            self.put(f"{places[name]} := {self.scalar(value)};")
        elif name in frames and self.kind(target) is POSE:
            self.put(f"{frames[name]} := {self._pose(value)};")
        else:
            self.refuse(at, f"setting '{name}'")

    def part(self, tree: Expression, axis: str) -> str:
        """Return the coordinate of a position that is a place."""
        if isinstance(tree, Selected) and tree.field == "pos":
            return f"{self.place(tree.record)}.trans.{axis}"
        return f"{self.place(tree)}.{axis}"

    def set_position(self, at: int, target: Expression, value: tuple[str, str, str]) -> None:
        """Write the assignment of a position."""
        name = self.part(target, "x").removesuffix(".x")
        self.put(f"{name} := [{','.join(value)}];")

    def set_pose(self, at: int, target: Expression, value: Expression) -> None:
        """Write the assignment of a pose."""
        self.put(f"{self.place(target)} := {self._pose(value)};")

    def _pose(self, tree: Expression) -> str:
        known = self.constant(tree, POSE)
        if isinstance(known, list):
            return self._data(known, POSE)
        match tree:
            case CallExpression(_, "pose", [place, turn]) | Aggregate(_, [place, turn]):
                return f"[[{','.join(self.position(place))}],{self._turn(turn)}]"
        return self.place(tree)

    def _turn(self, tree: Expression) -> str:
        known = self.constant(tree, ORIENTATION)
        if isinstance(known, list):
            return self._data(known, ORIENTATION)
        if isinstance(tree, Selected) and tree.field == "ori":
            return f"{self.place(tree.record)}.rot"
        return self.refuse(self.checker.first(tree), "an orientation that is computed")

    def move(self, tree: MoveStatement) -> None:
        """Write a move."""
        given = self.parameters(tree)
        order = WORDS.get(tree.kind)
        if order is None:
            self.refuse(tree.at, f"'{tree.kind}'")
            return
        speed = f"aw_tcp({given['speed'][0]})" if given.get("speed") else "aw_speed"
        if "time" in given:
            speed += f"\\T:={given['time'][0]}"
        zone = "fine"
        if "c_cp" in given or "c_pass" in given or "c_ptp" in given:
            zone = f"aw_blend({(given.get('c_cp') or ['aw_zone'])[0]})"
        tail = f"{speed}, {zone}, aw_tool\\WObj:=aw_base;"
        if given.get("speed_ptp"):
            self.put(f"VelSet {given['speed_ptp'][0]}, 5000;")
        points = self.points(tree)
        if tree.kind == "circle":
            for help_point, end in zip(points[::2], points[1::2], strict=True):
                texts = f"{self._target(tree, help_point)}, {self._target(tree, end)}"
                self.put(f"{order} {texts}, {tail}")
        else:
            for point in points:
                axes = self.joint_values(point)
                if axes is None:
                    self.put(f"{order} {self._target(tree, point)}, {tail}")
                    continue
                if tree.is_relative:
                    self.refuse(tree.at, "a relative move of the joints")
                values = ",".join(self.number(axis) for axis in axes)
                rest = "9E9,9E9,9E9,9E9,9E9,9E9"
                self.put(f"MoveAbsJ [[{values}],[{rest}]], {tail}")
        if given.get("speed_ptp"):
            self.put("VelSet 100, 5000;")

    def _target(self, tree: MoveStatement, point: Expression) -> str:
        kind = self.kind(point)
        if tree.is_relative:
            if kind is not POSITION:
                return self.refuse(tree.at, "a relative move of something else than a position")
            here = "CRobT(\\Tool:=aw_tool\\WObj:=aw_base)"
            return f"Offs({here},{','.join(self.position(point))})"
        if kind is POSE:
            return f"aw_target({self._pose(point)})"
        if kind is POSITION:
            return f"aw_place({','.join(self.position(point))})"
        return self.refuse(self.checker.first(point), f"a target of type {kind.name}")
