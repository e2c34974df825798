"""Universal Robots URScript read back: each line of a function becomes a line of IRL.

The subset is what `armwerk.language.exporting.urscript` writes. The comment behind a declaration
says its type (``# int``); without one its first value does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from armwerk.language.exporting.urscript import (
    NO_BASE,
    SET_TCP,
    SYSTEM,
    TOP_ACCELERATION,
    TOP_SPEED,
)
from armwerk.language.importing.expressions import (
    NOT,
    NotUnderstood,
    Piece,
    ValueReader,
    element_kind,
)
from armwerk.language.importing.reader import Form, ProgramReader, split
from armwerk.language.parsing.expressions import LEVELS

_AXES = ("x", "y", "z")
_TURNING = {"sin", "cos", "tan"}
_ANGLES = {"asin", "acos", "atan", "atan2"}
_READS = {
    "get_standard_digital_in": "digital in",
    "get_standard_digital_out": "digital out",
    "get_standard_analog_in": "analog in",
    "get_standard_analog_out": "analog out",
    "read_input_integer_register": "register in",
    "read_output_integer_register": "register out",
}
_WRITES = {
    "set_standard_digital_out": "digital out",
    "set_standard_analog_out": "analog out",
    "write_output_integer_register": "register out",
}
_KINDS = {"movej": "ptp", "movel": "lin", "movec": "circle"}


class UrScriptValueReader(ValueReader):
    """Reads an expression of URScript."""

    operators: ClassVar[Mapping[str, tuple[str, int]]] = {
        {"=": "==", "<>": "!=", "exor": "xor"}.get(sign, sign): (sign, level)
        for sign, level in LEVELS.items()
        if sign not in {"div", "mod", "**", "@"}
    }
    functions: ClassVar[Mapping[str, str]] = {"norm": "abs", "sqrt": "sqrt"}
    negation = ("not", 3)

    def call(self, name: str, arguments: Sequence[Piece]) -> Piece:
        """Return the call of a function; angles are radians here and degrees in IRL."""
        texts = ", ".join(one.text for one in arguments)
        kinds = [one.kind for one in arguments]
        match name, kinds:
            case "aw_div", [_, _]:
                return self.combined("div", *arguments)
            case "pow", [_, _]:
                base, exponent = arguments
                return Piece(f"({base.text}) ** ({exponent.text})", "real", LEVELS["**"])
            case "d2r", [_]:
                return Piece(texts, "radians", arguments[0].level)
            case "r2d", ["radians"]:
                return Piece(texts, "real")
            case "aw_pose", ["pose"]:
                return Piece(texts, "pose")
            case "aw_place", [_, _, _]:
                return Piece(f"({texts})", "position")
            case "aw_shifted", [_, _, _]:
                return Piece(f"({texts})", "shift")
        if name in _TURNING and kinds == ["radians"]:
            return Piece(f"{name}({texts})", "real")
        if name in _ANGLES:
            return Piece(f"{name}({texts})", "radians")
        if name in _READS:
            wired = self._kinds.get(f"{_READS[name]} {texts}")
            if wired is None:
                raise NotUnderstood(f"{_READS[name]} {texts} without a comment that names it")
            return Piece(wired, self._kinds.get(wired, ""))
        return super().call(name, arguments)

    def suffixed(self, piece: Piece) -> Piece:
        """Return a value with the indices behind it, which count from 0 here."""
        while self.word == "[":
            self.take()
            indices = self.listed("]")
            if len(indices) != 1:
                raise NotUnderstood(f"'{piece.text}' with {len(indices)} indices")
            (index,) = indices
            if piece.kind in {"pose", "position"}:
                piece = _part(piece, index)
            elif index.text.endswith(" - 1"):
                text = index.text.removesuffix(" - 1")
                piece = Piece(f"{piece.text}[{text}]", element_kind(piece.kind))
            else:
                raise NotUnderstood(f"the index '{index.text}', which is not '… - 1',")
        return piece

    def bracket(self, word: str) -> Piece:
        """Return a list: a pose, a position, joint values, or the elements of an array."""
        if word != "[":
            raise NotUnderstood(f"'{word}'")
        items = self.listed("]")
        texts = ", ".join(one.text for one in items)
        if len(items) == 6 and all(one.kind == "radians" for one in items):
            return Piece(f"joint({texts})", "joint")
        if len(items) == 6:
            x, y, z, *turn = items
            return Piece(f"pose(({x.text}, {y.text}, {z.text}), {_turned(turn)})", "pose")
        return Piece(f"({texts})", "position" if len(items) == 3 else "list")


class UrScriptReader(ProgramReader):
    """Reads a function with its call."""

    language = "URScript"
    values = UrScriptValueReader
    comment = "#"

    def __init__(self, text: str, file: str = "") -> None:
        super().__init__(text, file)
        self._blocks: list[str] = []
        self._repeats: list[int] = []
        self._note = ""

    def prepare(self) -> None:
        """Learn what functions and system variables there are."""
        self.kinds.update(dict.fromkeys(SYSTEM, "real"))
        self.kinds.update({"r_tool": "pose", "aw_spare": "position"})
        body = "\n".join(self.lines)
        if body.count("aw_spare") > 1:
            self.declare("aw_spare", "position")
        for line in self.lines:
            found = re.match(r"\s*def (\w+)\(.*\):(?:\s*#.*->\s*(\w+))?", line)
            if found is not None:
                self.kinds[found[1].lower()] = found[2] or ""

    def remark(self, note: str) -> None:
        """Read a comment; a signal stands with where it is wired to."""
        found = re.fullmatch(r"(\w+ (?:in|out) \d+): (signal .*)", note)
        if found is None:
            return
        super().remark(found[2])
        name = re.match(r"signal \w+ \w+: (\w+)", found[2])
        if name is not None:
            self.kinds[found[1]] = name[1].lower()

    def line(self, text: str, note: str) -> None:
        """Read a line."""
        self._note = note
        if text in {NO_BASE, SET_TCP, f"{self.name}()"}:
            return
        if re.match(r"def aw_\w+\(", text):
            self._skip()
            return
        if re.match(r"global (r_\w+|aw_spare) = ", text):
            return
        super().line(text, note)

    def _skip(self) -> None:
        """Go past a function that every program has."""
        depth = 1
        while depth and self.number < len(self.lines):
            self.number += 1
            line = self.lines[self.number - 1].strip()
            depth += line.endswith(":") and not line.startswith(("elif", "else"))
            depth -= line == "end"

    def forms(self) -> Mapping[str, Form]:
        """Return what statements look like, and what makes them IRL."""
        value = self.value
        return {
            r"def (\w+)\((.*)\):": self._def,
            r"end": self._end,
            r"(?:global|local) (\w+) = (.*)": self._declaration,
            r"if (.*):": self._if,
            r"elif (.*):": lambda m: f"elsif {value(m[1])} then",
            r"else:": lambda m: "else",
            r"while not (.*):": self._wait,
            r"while (.*):": self._while,
            r"return": lambda m: "return;",
            r"return (.*)": lambda m: f"return {value(m[1])};",
            r"sleep\((.*)\)": lambda m: f"wait {value(m[1])} sec;",
            r'popup\("pause", blocking=True\)': lambda m: "pause;",
            r"halt": lambda m: "halt;",
            r"textmsg\((.*)\)": lambda m: f"writeln({', '.join(map(value, split(m[1])))});",
            r"(set_standard_\w+|write_output_integer_register)\((\d+), (.*)\)": self._output,
            r"(movej|movel|movec)\((.*)\)": self._move,
            r"r_base = (.*)": lambda m: f"r_base := {value(m[1])};",
            r"(\w[^=(]*?) = (.*)": lambda m: f"{value(m[1])} := {value(m[2])};",
            r"(\w+)\((.*)\)": lambda m: f"{m[1]}({', '.join(map(value, split(m[2])))});",
        }

    def _def(self, found: re.Match[str]) -> str:
        if not self._blocks:
            self.name = found[1]
            self._blocks.append("program")
            return ""
        kinds, _, result = (part.strip() for part in self._note.partition("->"))
        names, types = split(found[2]), split(kinds)
        if len(names) != len(types):
            raise NotUnderstood(
                "a function without a comment that gives the types of its arguments"
            )
        parameters = [("in", kind, name) for kind, name in zip(types, names, strict=True)]
        self._blocks.append("function" if result else "procedure")
        self.begin_routine(found[1], parameters, result or None)
        return ""

    def _end(self, _: re.Match[str]) -> str:
        if not self._blocks:
            raise NotUnderstood("an 'end' too many")
        block = self._blocks.pop()
        if block in {"function", "procedure"}:
            self.end_routine(block == "function")
            return ""
        return {"if": "endif;", "while": "endwhile;"}.get(block, "")

    def _declaration(self, found: re.Match[str]) -> str:
        if self._note.startswith("array"):
            items = ", ".join(map(self.value, split(found[2].strip()[1:-1])))
            self.declare(found[1], self._note, _unless_usual(f"({items})"))
            return ""
        first = self.piece(found[2])
        self.declare(found[1], self._note or first.kind, _unless_usual(first.text))
        return ""

    def _if(self, found: re.Match[str]) -> str:
        if self.following(1) == "break" and self.following(2) == self.following(3) == "end":
            if not self._blocks or self._blocks[-1] != "while" or not self._repeats:
                raise NotUnderstood("'break'")
            at = self._repeats.pop()
            self.into[at] = self.into[at]._replace(text="repeat")
            self._blocks.pop()
            self.number += 3
            return f"until {self.value(found[1])};"
        self._blocks.append("if")
        return f"if {self.value(found[1])} then"

    def _wait(self, found: re.Match[str]) -> str:
        condition = self.piece(f"not {found[1]}")
        is_whole = condition.level == NOT
        if is_whole and self.following(1) == "sync()" and self.following(2) == "end":
            self.number += 2
            return f"wait for {self.value(found[1])};"
        self._blocks.append("while")
        return f"while {condition.text} do"

    def _while(self, found: re.Match[str]) -> str:
        self._blocks.append("while")
        if found[1] == "True":
            self._repeats.append(len(self.into))
        return f"while {self.value(found[1])} do"

    def _output(self, found: re.Match[str]) -> str:
        place = f"{_WRITES.get(found[1], found[1])} {found[2]}"
        name = self.kinds.get(place)
        if name is None:
            raise NotUnderstood(f"{place} without a comment that names it")
        return f"{name} := {self.value(found[3])};"

    def _move(self, found: re.Match[str]) -> str:
        kind = _KINDS[found[1]]
        parts = split(found[2])
        named = {name: text for name, sign, text in (p.partition("=") for p in parts) if sign}
        targets = [self.piece(part) for part in parts if "=" not in part]
        if not targets or len(targets) != 1 + (kind == "circle"):
            raise NotUnderstood("a move of another form")
        word = "move_inc" if any(one.kind == "shift" for one in targets) else "move"
        line = f"{word} {kind} {', '.join(one.text for one in targets)}"
        if kind == "ptp":
            line += self._parameter(named, "v", f"{TOP_SPEED} * ", " / 100.0", "speed_ptp")
            line += self._parameter(named, "a", f"{TOP_ACCELERATION} * ", " / 100.0", "acc_ptp")
        else:
            line += self._parameter(named, "v", "", " / 1000.0", "speed")
            line += self._parameter(named, "a", "", " / 1000.0", "acc")
            if "r" in named:
                line += self._parameter(named, "r", "", " / 1000.0", "c_cp") or " c_cp"
        if "t" in named:
            line += f" time := {self.value(named['t'])}"
        return f"{self.with_notes(line, self._note)};"

    def _parameter(
        self, named: Mapping[str, str], key: str, before: str, behind: str, name: str
    ) -> str:
        """Return a parameter of a move; empty: the system variable holds."""
        text = named.get(key, f"{before}r_{name}{behind}")
        if not (text.startswith(before) and text.endswith(behind)):
            raise NotUnderstood(f"'{key}={text}', which is not '{before}…{behind}',")
        inner = text.removeprefix(before).removesuffix(behind)
        return "" if inner == f"r_{name}" else f" {name} := {self.value(inner)}"


def _unless_usual(text: str) -> str:
    """Return a first value; nothing where it is what variables hold anyway."""
    words = re.findall(r"[\w.]+", text.replace("oriquat(1, 0, 0, 0)", "0"))
    return "" if set(words) <= {"0", "0.0", "false", "pose"} else text


def _part(piece: Piece, index: Piece) -> Piece:
    """Return a coordinate of a position or pose, or the turn of a pose."""
    if not index.text.isdigit() or int(index.text) > 5:
        raise NotUnderstood(f"the index '{index.text}'")
    number = int(index.text)
    if number > 2:
        return Piece(f"{piece.text}.ori", "turn")
    inner = "" if piece.kind == "position" else ".pos"
    return Piece(f"{piece.text}{inner}.{_AXES[number]}", "real")


def _turned(turn: Sequence[Piece]) -> str:
    """Return an orientation of IRL of a rotation vector."""
    texts = {one.text for one in turn}
    if len(texts) == 1 and all(one.kind == "turn" for one in turn):
        return texts.pop()
    try:
        vector = [float(one.text) for one in turn]
    except ValueError:
        raise NotUnderstood("a turn that is computed") from None
    angle = math.hypot(*vector)
    share = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    parts = [math.cos(0.5 * angle), *(share * part for part in vector)]
    return f"oriquat({', '.join(f'{part:.17g}' for part in parts)})"
