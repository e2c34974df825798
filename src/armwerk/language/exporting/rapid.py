"""ABB RAPID: a module with the program as its ``main``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from armwerk.language.checking.symbols import SignalSymbol
from armwerk.language.exporting.values import PRIMARY
from armwerk.language.exporting.writer import ProgramWriter
from armwerk.language.parsing.expressions import LEVELS
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
)

HEAD = """  PERS tooldata aw_tool := [TRUE,[[0,0,0],[1,0,0,0]],[0.001,[0,0,0.001],[1,0,0,0],0,0,0]];
  PERS wobjdata aw_base := [FALSE,TRUE,"",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];
  VAR speeddata aw_speed := [250,90,5000,1000];
  VAR num aw_zone := 10;
  VAR num aw_acceleration := 1000;
  VAR num aw_share := 100;
  VAR num aw_push := 100;"""
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

  FUNC speeddata aw_tcp(num speed\\num turning)
    VAR speeddata changed;
    changed := aw_speed;
    changed.v_tcp := speed;
    IF Present(turning) THEN
      changed.v_ori := turning;
    ENDIF
    RETURN changed;
  ENDFUNC

  FUNC zonedata aw_blend(num radius)
    RETURN [FALSE,radius,1.5*radius,1.5*radius,0.15*radius,1.5*radius,0.15*radius];
  ENDFUNC"""
SYSTEM = {
    "r_speed": "aw_speed.v_tcp",
    "r_speed_ori": "aw_speed.v_ori",
    "r_c_cp": "aw_zone",
    "r_acc": "aw_acceleration",
    "r_speed_ptp": "aw_share",
    "r_acc_ptp": "aw_push",
}
"""Where system variables are kept."""
FRAMES = {"r_tool": "aw_tool.tframe", "r_base": "aw_base.uframe"}
PER_MOVE = {
    "acc": ("r_acc", "PathAccLim TRUE\\AccMax:={0}/1000, TRUE\\DecelMax:={0}/1000;"),
    "speed_ptp": ("r_speed_ptp", "VelSet {0}, 5000;"),
    "acc_ptp": ("r_acc_ptp", "AccSet {0}, 100;"),
}
"""Parameters that are switched on before a move and off after it."""
WORDS = {"ptp": "MoveJ", "lin": "MoveL", "circle": "MoveC"}


class RapidWriter(ProgramWriter):
    """Writes RAPID."""

    target = "RAPID"
    names: ClassVar[dict[IrlType, str]] = {
        INT: "num",
        REAL: "num",
        BOOL: "bool",
        POSE: "pose",
        POSITION: "pos",
    }
    words: ClassVar[dict[str, str]] = {"pause": "Stop;", "halt": "EXIT;"}
    known_parameters = frozenset(
        {"speed", "speed_ori", "acc", "speed_ptp", "acc_ptp", "c_cp", "c_ptp", "c_pass", "time"}
    )
    levels: ClassVar[dict[str, int]] = {**LEVELS, "not": 0}  # RAPID binds it last of all
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
        for signal in self.signals():
            self.put(f"! {signal.said}")
        for parsed in self.units:
            self.enter(parsed, None)
            self.declare(parsed.unit.sections)
        self.put()
        main = self.units[-1]
        self.enter(main, None)
        self.put("PROC main()")
        self.block(main.unit.body)
        self.put("ENDPROC")
        for parsed, routine in self.routines():
            self.put()
            self.routine(parsed, routine)
        self.put()
        self.lines += HELP.split("\n")
        self.depth = 0
        self.put("ENDMODULE")

    def declare(self, sections: Sequence[Section]) -> None:
        """Write the declarations of a program or routine."""
        for one in self.declarations(sections):
            word = "VAR" if one.word == "var" else "CONST"
            size = f"{{{','.join(map(str, one.sizes))}}}" if one.sizes else ""
            first = "" if one.value is None else f" := {self._data(one.value, one.kind)}"
            name = self.names[one.kind]
            note = f" ! {one.kind.name}" if name == "num" else ""
            self.put(f"{word} {name} {one.name}{size}{first};{note}")

    def _data(self, value: Value, kind: IrlType) -> str:
        if isinstance(value, list):
            return f"[{','.join(self._data(part, kind) for part in value)}]"
        return self.literal(value)

    def routine_head(
        self,
        name: str,
        parameters: Sequence[tuple[str, IrlType, str, int]],
        result: IrlType | None,
    ) -> None:
        """Write the first line of a routine."""
        heads = [
            f"{'' if mode == 'in' else 'VAR '}{self.names.get(kind, '?')} {one}"
            for mode, kind, one, _ in parameters
        ]
        kinds = [kind.name for _, kind, _, _ in parameters]
        kinds += [] if result is None else [result.name]
        note = f" ! {', '.join(kinds)}" if kinds else ""
        word = "PROC" if result is None else f"FUNC {self.names.get(result, '?')}"
        self.put(f"{word} {name}({', '.join(heads)}){note}")

    def routine_end(self, result: IrlType | None) -> str:
        """Return the last line of a routine."""
        return "ENDPROC" if result is None else "ENDFUNC"

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
        loop = self.counting(tree)
        step = f" STEP {loop.step}" if loop.step else ""
        head = f"FOR {loop.counter} FROM {loop.first} TO {loop.last}{step} DO"
        self.enclosed(head, tree.body, "ENDFOR")

    def while_statement(self, tree: WhileStatement) -> None:
        """Write a loop."""
        self.enclosed(f"WHILE {self.scalar(tree.condition)} DO", tree.body, "ENDWHILE")

    def repeat_statement(self, tree: RepeatStatement) -> None:
        """Write a loop that tests at its end; RAPID has only those that test first."""
        for statement in tree.body:
            self.statement(statement)
        head = f"WHILE NOT {self.scalar(tree.condition, PRIMARY)} DO"
        self.enclosed(head, tree.body, "ENDWHILE")

    def case_statement(self, tree: CaseStatement) -> None:
        """Write a choice."""
        self.put(f"TEST {self.scalar(tree.value)}")
        for choice in tree.choices:
            self.put(f"CASE {','.join(self.case_values(choice))}:")
            self.block(choice.body)
        if tree.has_else:
            self.put("DEFAULT:")
            self.block(tree.otherwise)
        self.put("ENDTEST")

    def return_statement(self, tree: ReturnStatement) -> None:
        """Write a return."""
        self.put("RETURN;" if tree.value is None else f"RETURN {self.argument(tree.value)};")

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

    def set_signal(self, at: int, name: str, value: str) -> None:
        """Write the setting of an output."""
        symbol = self.checker.look_up(name)
        assert isinstance(symbol, SignalSymbol)
        order = {BOOL: "SetDO", INT: "SetGO", REAL: "SetAO"}[symbol.kind]  # type: ignore[index]
        value = {"TRUE": "1", "FALSE": "0"}.get(value, value)
        self.put(f"{order} {self.spelled(at)}, {value};")

    def read_signal(self, name: str) -> str:
        """Return what reads a signal."""
        return name

    def read_system(self, at: int, name: str) -> str:
        """Return what reads a system variable."""
        return SYSTEM.get(name) or FRAMES.get(name) or self.refuse(at, f"reading '{name}'")

    def set_system(self, at: int, name: str, target: Expression, value: Expression) -> None:
        """Write the setting of a system variable."""
        if name in SYSTEM:
            self.put(f"{SYSTEM[name]} := {self.scalar(value)};")
            for variable, form in PER_MOVE.values():
                if variable == name:
                    self.put(form.format(SYSTEM[name]))
        elif name in FRAMES and self.kind(target) is POSE:
            self.put(f"{FRAMES[name]} := {self._pose(value)};")
        else:
            self.refuse(at, f"setting '{name}'")

    def spare(self, axis: str) -> str:
        """Return nothing: positions are assigned as a whole."""
        return axis

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
        tail = f"{self._speed(given)}, {self._zone(given)}, aw_tool\\WObj:=aw_base;"
        note = self.notes(tree, given)
        tail += f" ! {note}" if note else ""
        changed = [
            (form, self.slowest(tree, given, name), SYSTEM[variable])
            for name, (variable, form) in PER_MOVE.items()
            if given.get(name)
        ]
        for form, value, _ in changed:
            self.put(form.format(value))
        helps: list[str] = []
        for number, point in enumerate(self.points(tree)):
            axes = self.joint_values(point)
            if axes is not None:
                if tree.is_relative:
                    self.refuse(tree.at, "a relative move of the joints")
                values = ",".join(self.number(axis) for axis in axes)
                rest = "9E9,9E9,9E9,9E9,9E9,9E9"
                self.put(f"MoveAbsJ [[{values}],[{rest}]], {tail}")
            elif tree.kind == "circle" and number % 2 == 0:
                helps = [self._target(tree, point)]
            else:
                self.put(f"{order} {', '.join([*helps, self._target(tree, point)])}, {tail}")
        for form, _, variable in changed:
            self.put(form.format(variable))

    def _speed(self, given: dict[str, list[str]]) -> str:
        speed = "aw_speed"
        if given.get("speed") or given.get("speed_ori"):
            (tcp,) = given.get("speed") or ["aw_speed.v_tcp"]
            turning = f"\\turning:={given['speed_ori'][0]}" if given.get("speed_ori") else ""
            speed = f"aw_tcp({tcp}{turning})"
        return speed + (f"\\T:={given['time'][0]}" if "time" in given else "")

    def _zone(self, given: dict[str, list[str]]) -> str:
        if not given.keys() & {"c_cp", "c_pass", "c_ptp"}:
            return "fine"
        return f"aw_blend({(given.get('c_cp') or ['aw_zone'])[0]})"

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
