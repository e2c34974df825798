"""KUKA KRL read back: each line of a source becomes a line of IRL.

The subset is what `armwerk.language.exporting.krl` writes. A FRAME is a pose, and with the comment
``; position`` behind its declaration a position. Comments that are ``writeln`` are console output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from armwerk.language.exporting.krl import FRAMES, PER_MOVE, PLACES, SYSTEM, KrlWriter, prologue
from armwerk.language.importing.expressions import (
    NotUnderstood,
    Piece,
    ValueReader,
    element_kind,
)
from armwerk.language.importing.reader import Form, ProgramReader, split

TYPES = {"int": "int", "real": "real", "bool": "bool", "frame": "pose", "pos": "pose"}
_NATIVE = {
    "$vel.cp": "speed",
    "$acc.cp": "acc",
    "$vel.ori1": "speed_ori",
    "$vel.ori2": "speed_ori",
    "$vel_axis": "speed_ptp",
    "$acc_axis": "acc_ptp",
}
_KINDS = {"ptp": "ptp", "lin": "lin", "circ": "circle"}
_FRAME_NAMES = {place.lower(): name for name, place in FRAMES.items()}


class KrlValueReader(ValueReader):
    """Reads an expression of KRL."""

    operators: ClassVar[Mapping[str, tuple[str, int]]] = {
        {"=": "=="}.get(sign, sign): (sign, level)
        for sign, level in KrlWriter.levels.items()
        if sign not in {"not", "div", "mod", "**", "@"}
    }
    functions: ClassVar[Mapping[str, str]] = {
        name: name for name in ("abs", "sqrt", "sin", "cos", "tan", "acos", "atan2")
    }
    negation = ("not", KrlWriter.levels["not"])

    def combined(self, operator: str, left: Piece, right: Piece) -> Piece:
        """Return two values with an operator between them; ints are divided whole."""
        if operator == "/" and left.kind == right.kind == "int":
            operator = "div"
        return super().combined(operator, left, right)

    def named(self, word: str) -> Piece:
        """Return what a name means."""
        frame = _FRAME_NAMES.get(word.lower())
        if frame is not None:
            return Piece(frame, "pose")
        if word.startswith(("$", "#")):
            raise NotUnderstood(f"'{word}'")
        return super().named(word)

    def suffixed(self, piece: Piece) -> Piece:
        """Return a value with the fields and indices behind it."""
        while self.word in {".", "["}:
            if self.take() == "[":
                indices = ", ".join(one.text for one in self.listed("]"))
                piece = Piece(f"{piece.text}[{indices}]", element_kind(piece.kind))
                continue
            field = self.take().lower()
            if field not in {"x", "y", "z"}:
                raise NotUnderstood(f"the field '{field.upper()}' here")
            inner = "" if piece.kind == "position" else ".pos"
            piece = Piece(f"{piece.text}{inner}.{field}", "real")
        return piece

    def bracket(self, word: str) -> Piece:
        """Return a frame in braces: a pose, a position, or joint values."""
        if word != "{":
            raise NotUnderstood(f"'{word}'")
        parts: dict[str, str] = {}
        while self.word != "}":
            name = self.take().upper()
            parts[name] = self.expression(0).text
            if self.word != "}":
                self.take(",")
        self.take("}")
        names = tuple(parts)
        if names == ("X", "Y", "Z"):
            return Piece(f"({', '.join(parts.values())})", "position")
        if names == tuple("XYZABC"):
            x, y, z, a, b, c = parts.values()
            return Piece(f"pose(({x}, {y}, {z}), orizyx({a}, {b}, {c}))", "pose")
        if names and names == tuple(f"A{k + 1}" for k in range(len(names))):
            return Piece(f"joint({', '.join(parts.values())})", "joint")
        raise NotUnderstood(f"a frame of {', '.join(names) or 'nothing'}")


class KrlReader(ProgramReader):
    """Reads a source and its data.

    Args:
        text: The source, .src.
        file: Where it is from, for messages; empty: no file.
        data: The data, .dat; empty: there is none.
    """

    language = "KRL"
    values = KrlValueReader
    comment = ";"

    def __init__(self, text: str, file: str = "", data: str = "") -> None:
        super().__init__(text, file)
        self._data = data
        self._prologue = prologue()
        self._has_main = False
        self._is_function = False
        self._given: dict[str, list[str]] = {}
        self._blends: dict[str, str] = {}
        self._turns: list[tuple[str, str, str]] = []

    def prepare(self) -> None:
        """Read the data, and learn what functions there are."""
        self.kinds.update(dict.fromkeys(SYSTEM, "real"))
        used = f"{self._data}\n{chr(10).join(self.lines)}".upper()
        body = "\n".join(self.lines).upper()
        for name, kind in {
            **{k: v.name for k, v in PLACES.items()},
            "AW_SPARE": "position",
        }.items():
            if re.search(rf"\b{name}\b", body):
                self.declare(name.lower(), kind)
        if "DEFDAT" in used:
            source, self.lines = self.lines, self._data.replace("\r\n", "\n").split("\n")
            for number, line in enumerate(self.lines, start=1):
                self.number = number
                text, note = self._split(line.strip())
                try:
                    self._data_line(text, note)
                except NotUnderstood as error:
                    self.refuse(f"{error} (in the data)")
            self.lines, self.number = source, 0
            self.declarations = [one._replace(number=0) for one in self.declarations]
        for line in self.lines:
            found = re.match(r"\s*DEFFCT (\w+) (\w+)\(.*?\)\s*(?:;\s*(\w+))?", line, re.IGNORECASE)
            if found is not None:
                self.kinds[found[2].lower()] = found[3] or TYPES.get(found[1].lower(), "real")

    def _data_line(self, text: str, note: str) -> None:
        if not text or text.upper().startswith(("DEFDAT", "ENDDAT", "&")):
            return
        if text.upper().startswith("SIGNAL "):
            self._signal(text, note)
        elif not self._declaration(text, note):
            raise NotUnderstood("this")

    def _signal(self, text: str, note: str) -> None:
        if note.startswith("signal "):
            self.remark(note)
            return
        found = re.fullmatch(r"SIGNAL (\w+) \$(AN)?(IN|OUT)\[(\d+)\]( TO .*)?", text, re.IGNORECASE)
        if found is None:
            raise NotUnderstood("this signal")
        kind = "real" if found[2] else "int" if found[5] else "bool"
        self.remark(f"signal {found[3].lower()}put {kind}: {found[1]} at {found[4]};")

    def _declaration(self, text: str, note: str) -> bool:
        found = re.fullmatch(r"(?:DECL )?(INT|REAL|BOOL|FRAME|POS) (.*)", text, re.IGNORECASE)
        if found is None:
            return False
        kind = "position" if note == "position" else TYPES[found[1].lower()]
        for one in split(found[2]):
            name, _, sizes = one.rstrip("]").partition("[")
            small = name.strip().lower()
            if small in SYSTEM or small.startswith("aw_") or small in self.local:
                continue
            shown = kind
            for size in reversed(sizes.split(",") if sizes else []):
                shown = f"array[1..{size.strip()}] of {shown}"
            self.declare(name.strip(), shown)
        return True

    def remark(self, note: str) -> None:
        """Read a comment: console output, or a signal."""
        if re.match(r"write(ln)?\b", note):
            self.put(self._console(note))
        else:
            super().remark(note)

    def _console(self, note: str) -> str:
        """Return console output; with names that KRL does not have, such as constants, its text."""
        spoken = re.sub(r"'[^']*'|\"[^\"]*\"", "", note)
        names = re.findall(r"(?<![.\w])[A-Za-z_]\w*", spoken)[1:]
        if all(self.kind(name) or name.lower() in {"true", "false"} for name in names):
            return f"{note};"
        shown = note.replace("'", "''")
        return f"writeln('{shown}');"

    def line(self, text: str, note: str) -> None:
        """Read a line."""
        if self._prologue and text == self._prologue[0]:
            del self._prologue[0]  # what every program begins with anyway
            return
        if text.startswith("&") or self._declaration(text, note):
            return
        super().line(text, note)

    def forms(self) -> Mapping[str, Form]:
        """Return what statements look like, and what makes them IRL."""
        value = self.value
        return {
            r"(?:DEF|DEFFCT (\w+)) (\w+)\((.*)\)": self._routine,
            r"END|ENDFCT": self._end,
            r"(PTP|LIN|CIRC)(_REL)? (.*?)( C_DIS| C_PTP)?": self._move,
            r"IF (.*) THEN": lambda m: f"if {value(m[1])} then",
            r"ELSE": lambda m: "else",
            r"END(IF|FOR|WHILE)": lambda m: f"end{m[1].lower()};",
            r"ENDSWITCH": lambda m: "endcase;",
            r"FOR (\w+) = (.*) TO (.*) STEP (.*)": lambda m: (
                f"for {m[1]} := {value(m[2])} to {value(m[3])} step {value(m[4])}"
            ),
            r"FOR (\w+) = (.*) TO (.*)": lambda m: f"for {m[1]} := {value(m[2])} to {value(m[3])}",
            r"WHILE (.*)": lambda m: f"while {value(m[1])} do",
            r"REPEAT": lambda m: "repeat",
            r"UNTIL (.*)": lambda m: f"until {value(m[1])};",
            r"SWITCH (.*)": lambda m: f"case {value(m[1])} of",
            r"CASE (.*)": lambda m: f"when {m[1]}:",
            r"DEFAULT": lambda m: "else",
            r"RETURN": lambda m: "return;",
            r"RETURN ?\((.*)\)": lambda m: f"return {value(m[1])};",
            r"GOTO (\w+)": lambda m: f"goto {m[1]};",
            r"(\w+):": lambda m: f"{m[1]}:",
            r"WAIT SEC (.*)": lambda m: f"wait {value(m[1])} sec;",
            r"WAIT FOR (.*)": lambda m: f"wait for {value(m[1])};",
            r"HALT": lambda m: "pause;",
            r"EXIT": lambda m: "halt;",
            r"(\$(?:VEL|ACC)(?:\.\w+|_AXIS\[\d\])) = (.*)": self._native,
            r"\$APO\.(CDIS|CPTP) = (.*)": self._blend,
            r"(.+)\.([ABC]) = (.*)": self._turn,
            r"([\w$][^=(]*?) = (.*)": lambda m: f"{value(m[1])} := {value(m[2])};",
            r"(\w+)\((.*)\)": lambda m: f"{m[1]}({', '.join(map(value, split(m[2])))});",
        }

    def _routine(self, found: re.Match[str]) -> str:
        result, name, heads = found.groups()
        if result is None and not self._has_main:
            self._has_main, self.name = True, name
            return ""
        self._is_function = result is not None
        kinds = self._parameter_kinds()
        parameters = []
        for head in split(heads):
            one, _, mode = (word.strip() for word in head.partition(":"))
            if one.lower() not in kinds:
                raise NotUnderstood(f"the parameter '{one}' without DECL")
            parameters.append(("in" if mode.upper() == "IN" else "inout", kinds[one.lower()], one))
        self.begin_routine(name, parameters, self.kinds[name.lower()] if result else None)
        return ""

    def _parameter_kinds(self) -> dict[str, str]:
        """Return the types that the declarations behind a head give."""
        kinds = {}
        for line in self.lines[self.number :]:
            text, note = self._split(line.strip())
            found = re.fullmatch(r"DECL (\w+) (.*)", text, re.IGNORECASE)
            if found is None:
                break
            kind = "position" if note == "position" else TYPES.get(found[1].lower(), found[1])
            kinds.update({one.lower(): kind for one in split(found[2])})
        return kinds

    def _end(self, _: re.Match[str]) -> str:
        if self.into is self.routines:
            self.end_routine(self._is_function)
        return ""

    def _native(self, found: re.Match[str]) -> str:
        place, _, axis = found[1].lower().rstrip("]").partition("[")
        name = _NATIVE.get(place)
        if name is None:
            raise NotUnderstood(f"'{found[1]}'")
        text = found[2]
        if place in {"$vel.cp", "$acc.cp"}:
            if not text.endswith(" / 1000.0"):
                raise NotUnderstood("a speed that is not '… / 1000.0'")
            text = text.removesuffix(" / 1000.0")
        if text.lower() == PER_MOVE[name]:
            self._given.pop(name, None)  # what holds without a parameter
        elif axis in {"", "1"}:
            self._given[name] = [self.value(text)]
        else:
            self._given.setdefault(name, []).append(self.value(text))
        return ""

    def _blend(self, found: re.Match[str]) -> str:
        self._blends[found[1].upper()] = found[2]
        return ""

    def _turn(self, found: re.Match[str]) -> str:
        """Read the angles of a pose, which come in threes."""
        self._turns.append((found[1], found[2], found[3]))
        if len(self._turns) < 3:
            return ""
        turns, self._turns = self._turns, []
        if [axis for _, axis, _ in turns] != ["A", "B", "C"] or len(
            {one for one, _, _ in turns}
        ) > 1:
            raise NotUnderstood("an angle alone")
        texts = [text for _, _, text in turns]
        roots = {text.removesuffix(f".{axis}") for text, axis in zip(texts, "ABC", strict=True)}
        target = self.value(found[1])
        if len(roots) == 1 and all(
            text.endswith(f".{a}") for text, a in zip(texts, "ABC", strict=True)
        ):
            return f"{target}.ori := {self.value(roots.pop())}.ori;"
        return f"{target}.ori := orizyx({', '.join(map(self.value, texts))});"

    def _move(self, found: re.Match[str]) -> str:
        order, relative, targets, tail = found.groups()
        kind = _KINDS[order.lower()]
        shown = ", ".join(self.value(one) for one in split(targets))
        line = f"move{'_inc' if relative else ''} {kind} {shown}"
        used: Sequence[str] = ("speed_ptp", "acc_ptp")
        used = used if kind == "ptp" else ("speed", "acc", "speed_ori")
        for name in used:
            values = self._given.get(name)
            if values:
                while len(values) > 1 and values[-1] == values[-2]:
                    values = values[:-1]  # the last one is that of all axes behind it
                line += f" {name}{''.join(f' := {one}' for one in values)}"
        if tail:
            name, word, default = (
                ("c_ptp", "CPTP", "r_c_ptp")
                if tail.strip().upper() == "C_PTP"
                else ("c_cp", "CDIS", "r_c_cp")
            )
            given = self._blends.get(word, default)
            line += f" {name}" if given.lower() == default else f" {name} := {self.value(given)}"
        return f"{line};"
