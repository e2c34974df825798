"""ABB RAPID read back: each line of a module becomes a line of IRL.

The subset is what `armwerk.language.exporting.rapid` writes. RAPID's ``num`` is int or real: a
comment behind a declaration says which (``! int``); without one it is a real.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from armwerk.language.exporting.rapid import FRAMES, PER_MOVE, SYSTEM
from armwerk.language.importing.expressions import (
    NotUnderstood,
    Piece,
    ValueReader,
    element_kind,
)
from armwerk.language.importing.reader import Form, ProgramReader, split
from armwerk.language.parsing.expressions import LEVELS

TYPES = {"num": "real", "bool": "bool", "pose": "pose", "pos": "position"}
_WORDS = {"div": "div", "mod": "mod", "exor": "xor"}
_PLACES = {place: name for name, place in {**SYSTEM, **FRAMES}.items()}
_SKIPPED = re.compile(r"PERS (tooldata|wobjdata) aw_|VAR speeddata aw_speed|VAR num aw_")
_KINDS = {"movej": "ptp", "movel": "lin", "movec": "circle", "moveabsj": "ptp"}


class RapidValueReader(ValueReader):
    """Reads an expression of RAPID."""

    operators: ClassVar[Mapping[str, tuple[str, int]]] = {
        _WORDS.get(sign, sign): (sign, level)
        for sign, level in LEVELS.items()
        if sign not in {"**", "@"}
    }
    functions: ClassVar[Mapping[str, str]] = {
        name: name
        for name in (
            *("abs", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp"),
            *("round", "trunc"),
        )
    }
    negation = ("not", 0)

    def call(self, name: str, arguments: Sequence[Piece]) -> Piece:
        """Return the call of a function."""
        match name.lower(), arguments:
            case "pow", [base, exponent]:
                return Piece(f"({base.text}) ** ({exponent.text})", "real", LEVELS["**"])
            case "valtostr", [only]:
                return only
        return super().call(name, arguments)

    def named(self, word: str) -> Piece:
        """Return what a name means."""
        if word in _PLACES:
            return Piece(_PLACES[word], "real")
        return super().named(word)

    def suffixed(self, piece: Piece) -> Piece:
        """Return a value with the fields and indices behind it."""
        while self.word in {".", "{"}:
            if self.take() == "{":
                indices = ", ".join(one.text for one in self.listed("}"))
                piece = Piece(f"{piece.text}[{indices}]", element_kind(piece.kind))
                continue
            field = self.take()
            known = _PLACES.get(f"{piece.text}.{field}")
            if known is not None:
                piece = Piece(known, "pose" if known in FRAMES else "real")
            elif field in {"trans", "rot"}:
                kinds = {"trans": ("pos", "position"), "rot": ("ori", "orientation")}
                piece = Piece(f"{piece.text}.{kinds[field][0]}", kinds[field][1])
            elif field in {"x", "y", "z"}:
                piece = Piece(f"{piece.text}.{field}", "real")
            else:
                raise NotUnderstood(f"the field '{field}'")
        return piece

    def bracket(self, word: str) -> Piece:
        """Return a list: a position, an orientation or a pose."""
        if word != "[":
            raise NotUnderstood(f"'{word}'")
        items = self.listed("]")
        texts = ", ".join(one.text for one in items)
        if len(items) == 4:
            return Piece(f"oriquat({texts})", "orientation")
        return Piece(f"({texts})", {2: "pose", 3: "position"}.get(len(items), "list"))


class RapidReader(ProgramReader):
    """Reads a module."""

    language = "RAPID"
    values = RapidValueReader
    comment = "!"

    def __init__(self, text: str, file: str = "") -> None:
        super().__init__(text, file)
        self._is_function = False
        self._given: dict[str, str] = {}
        self._note = ""

    def prepare(self) -> None:
        """Learn what routines there are."""
        for line in self.lines:
            found = re.match(r"\s*(?:PROC|FUNC (\w+)) (\w+)\(", line, re.IGNORECASE)
            if found is not None:
                result = found[1]
                self.kinds[found[2].lower()] = "" if result is None else TYPES.get(result, result)

    def line(self, text: str, note: str) -> None:
        """Read a line."""
        self._note = note
        if re.match(r"FUNC \w+ aw_\w+\(", text):
            while self.number < len(self.lines) and text.upper() != "ENDFUNC":
                text = self.lines[self.number].strip()
                self.number += 1
        elif not _SKIPPED.match(text):
            super().line(text, note)

    def forms(self) -> Mapping[str, Form]:
        """Return what statements look like, and what makes them IRL."""
        value = self.value
        return {
            r"MODULE (\w+)": self._module,
            r"ENDMODULE": lambda m: "",
            r"(?:PROC|FUNC (\w+)) (\w+)\((.*)\)": self._routine,
            r"ENDPROC|ENDFUNC": self._end,
            r"(VAR|CONST) (\w+) (\w+)(?:\{([\d,]+)\})?(?: := (.*))?;": self._declaration,
            r"(MoveJ|MoveL|MoveC|MoveAbsJ) (.*);": self._move,
            r"IF (.*) THEN": lambda m: f"if {value(m[1])} then",
            r"ELSEIF (.*) THEN": lambda m: f"elsif {value(m[1])} then",
            r"ELSE": lambda m: "else",
            r"END(IF|FOR|WHILE);?": lambda m: f"end{m[1].lower()};",
            r"ENDTEST": lambda m: "endcase;",
            r"FOR (\w+) FROM (.*) TO (.*) STEP (.*) DO": lambda m: (
                f"for {m[1]} := {value(m[2])} to {value(m[3])} step {value(m[4])}"
            ),
            r"FOR (\w+) FROM (.*) TO (.*) DO": lambda m: (
                f"for {m[1]} := {value(m[2])} to {value(m[3])}"
            ),
            r"WHILE (.*) DO": lambda m: f"while {value(m[1])} do",
            r"TEST (.*)": lambda m: f"case {value(m[1])} of",
            r"CASE (.*):": lambda m: f"when {m[1]}:",
            r"DEFAULT:": lambda m: "else",
            r"RETURN;": lambda m: "return;",
            r"RETURN (.*);": lambda m: f"return {value(m[1])};",
            r"GOTO (\w+);": lambda m: f"goto {m[1]};",
            r"(\w+):": lambda m: f"{m[1]}:",
            r"WaitTime (.*);": lambda m: f"wait {value(m[1])} sec;",
            r"WaitUntil (.*) \\MaxTime:=(.*);": lambda m: (
                f"wait for {value(m[1])} timeout {value(m[2])} sec;"
            ),
            r"WaitUntil (.*);": lambda m: f"wait for {value(m[1])};",
            r"SetDO (\w+), (.*);": self._set_bool,
            r"Set[GA]O (\w+), (.*);": lambda m: f"{m[1]} := {value(m[2])};",
            r"TPWrite (.*);": lambda m: f"writeln({', '.join(map(value, split(m[1], ' + ')))});",
            r"Stop;": lambda m: "pause;",
            r"EXIT;": lambda m: "halt;",
            r"(VelSet|AccSet|PathAccLim) (.*);": self._setting,
            r"(\w[^:=]*?) := (.*);": lambda m: f"{value(m[1])} := {value(m[2])};",
            r"(\w+);": lambda m: f"{m[1]};",
            r"(\w+) (.*);": self._call,
        }

    def _module(self, found: re.Match[str]) -> str:
        self.name = found[1]
        return ""

    def _routine(self, found: re.Match[str]) -> str:
        result, name, heads = found.groups()
        if name.lower() == "main" and result is None:
            return ""
        kinds = split(self._note)
        parameters = []
        for number, one in enumerate(split(heads)):
            *mode, kind, parameter = one.split()
            shown = kinds[number] if number < len(kinds) else TYPES.get(kind, kind)
            parameters.append(("inout" if mode else "in", shown, parameter))
        if result is not None:
            result = kinds[-1] if len(kinds) > len(parameters) else TYPES.get(result, result)
        self._is_function = result is not None
        self.begin_routine(name, parameters, result)
        return ""

    def _end(self, _: re.Match[str]) -> str:
        if self.into is self.routines:
            self.end_routine(self._is_function)
        return ""

    def _call(self, found: re.Match[str]) -> str:
        if found[1].lower() not in self.kinds:
            raise NotUnderstood(f"'{found[1]}'")
        return f"{found[1]}({', '.join(map(self.value, split(found[2])))});"

    def _declaration(self, found: re.Match[str]) -> str:
        word, kind, name, size, value = found.groups()
        if kind not in TYPES:
            raise NotUnderstood(f"data of type '{kind}'")
        shown = self._note if self._note in {"int", "real"} else TYPES[kind]
        sizes = size.split(",") if size else []
        for length in reversed(sizes):
            shown = f"array[1..{length}] of {shown}"
        self.declare(name, shown, self._elements(value, len(sizes)) if value else "", word.lower())
        return ""

    def _elements(self, text: str, depth: int) -> str:
        """Return the first value of an array of so many dimensions."""
        if depth == 0:
            return self.value(text)
        items = [self._elements(item, depth - 1) for item in split(text.strip()[1:-1])]
        return f"({', '.join(items)})"

    def _set_bool(self, found: re.Match[str]) -> str:
        shown = {"1": "true", "0": "false"}.get(found[2]) or self.value(found[2])
        return f"{found[1]} := {shown};"

    def _setting(self, found: re.Match[str]) -> str:
        """Read what holds for moves until it is taken back."""
        for name, (variable, form) in PER_MOVE.items():
            pattern = re.escape(form).replace(re.escape("{0}"), "(.*)", 1)
            pattern = pattern.replace(re.escape("{0}"), r"\1")
            given = re.fullmatch(pattern, found[0])
            if given is None:
                continue
            if given[1] == SYSTEM[variable]:
                self._given.pop(name, None)
            else:
                self._given[name] = self.value(given[1])
            return ""
        raise NotUnderstood(f"this form of {found[1]}")

    def _move(self, found: re.Match[str]) -> str:
        order, parts = found[1].lower(), split(found[2])
        count = 2 if order == "movec" else 1
        if len(parts) != count + 3:
            raise NotUnderstood("a move of another form")
        targets = [self._target(order, target) for target in parts[:count]]
        word = "move_inc" if any(relative for relative, _ in targets) else "move"
        kind = _KINDS[order]
        line = f"{word} {kind} {', '.join(target for _, target in targets)}"
        line += self._speed(parts[count], kind) + self._zone(parts[count + 1], kind)
        return f"{self.with_notes(line, self._note)};"

    def _speed(self, text: str, kind: str) -> str:
        speed, _, time = text.partition("\\T:=")
        line = ""
        if found := re.fullmatch(r"aw_tcp\((.*?)(?:\\turning:=(.*))?\)", speed):
            if found[1] != SYSTEM["r_speed"]:
                line += f" speed := {self.value(found[1])}"
            line += f" speed_ori := {self.value(found[2])}" if found[2] else ""
        elif speed != "aw_speed":
            raise NotUnderstood(f"the speed '{speed}'")
        used = ("speed_ptp", "acc_ptp") if kind == "ptp" else ("acc",)
        line += "".join(f" {one} := {self._given[one]}" for one in used if one in self._given)
        return line + (f" time := {self.value(time)}" if time else "")

    def _zone(self, text: str, kind: str) -> str:
        if text == "fine":
            return ""
        found = re.fullmatch(r"aw_blend\((.*)\)", text)
        if found is None:
            raise NotUnderstood(f"the zone '{text}'")
        if kind == "ptp":
            return " c_ptp"
        return " c_cp" if found[1] == SYSTEM["r_c_cp"] else f" c_cp := {self.value(found[1])}"

    def _target(self, order: str, text: str) -> tuple[bool, str]:
        """Return whether a target is relative, and what it is in IRL."""
        if order == "moveabsj":
            axes = split(text.strip()[1:-1])[0]
            return False, f"joint({axes[1:-1]})"
        if text.startswith("aw_target("):
            return False, self.value(text[10:-1])
        if text.startswith("aw_place("):
            return False, f"({', '.join(map(self.value, split(text[9:-1])))})"
        if text.startswith("Offs("):
            shift = split(text[5:-1])[1:]
            return True, f"({', '.join(map(self.value, shift))})"
        raise NotUnderstood(f"the target '{text}'")
