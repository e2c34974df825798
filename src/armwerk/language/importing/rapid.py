"""ABB RAPID read back: each line of a module becomes a line of IRL.

The subset is what `armwerk.language.exporting.rapid` writes. RAPID's ``num`` is int or real: a
comment behind a declaration says which (``! int``); without one it is a real.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from armwerk.errors import Problem, ProgramError

TYPES = {"num": "real", "bool": "bool", "pose": "pose", "pos": "position"}
SYSTEM = {
    "aw_speed.v_tcp": "r_speed",
    "aw_speed.v_ori": "r_speed_ori",
    "aw_zone": "r_c_cp",
    "aw_tool.tframe": "r_tool",
    "aw_base.uframe": "r_base",
}
_SKIPPED = re.compile(r"PERS (tooldata|wobjdata) aw_|VAR speeddata aw_speed|VAR num aw_zone")
_HELPERS = re.compile(r"FUNC \w+ aw_\w+\(")
_ROUTINE = re.compile(r"(?:PROC|FUNC (\w+)) (\w+)\((.*)\)$", re.IGNORECASE)
_DECLARATION = re.compile(r"(VAR|CONST) (\w+) (\w+)(?:\{([\d,]+)\})?(?: := (.*))?;$", re.IGNORECASE)
_MOVE = re.compile(r"(MoveJ|MoveL|MoveC|MoveAbsJ) (.*);$", re.IGNORECASE)
_KINDS = {"movej": "ptp", "movel": "lin", "movec": "circle", "moveabsj": "ptp"}


class RapidReader:
    """Reads a module.

    Args:
        text: The module.
        file: Where it is from, for messages; empty: no file.
    """

    def __init__(self, text: str, file: str = "") -> None:
        self.lines = text.replace("\r\n", "\n").split("\n")
        self.file = file
        self.name = "Imported"
        self.declarations: list[str] = []
        self.routines: list[str] = []
        self.body: list[str] = []
        self.problems: list[Problem] = []
        self._into = self.body
        self._end = ""
        self._share = ""
        self._number = 0
        self._forms: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
            (re.compile(pattern + "$", re.IGNORECASE), form) for pattern, form in self._table()
        ]

    def program(self) -> str:
        """Return the program in IRL.

        Raises:
            ProgramError: With every line that is not understood.
        """
        helper = False
        for number, line in enumerate(self.lines, start=1):
            self._number = number
            text, _, note = line.strip().partition(" ! ")
            if helper or _HELPERS.match(text):
                helper = text.upper() != "ENDFUNC"
                continue
            if text and not text.startswith("!") and not _SKIPPED.match(text):
                self._line(text.strip(), note.strip())
            elif text.startswith("! signal "):
                self.declarations.append(text[2:])
        if self.problems:
            raise ProgramError(self.problems, self.file or None)
        lines = [f"program {self.name};", *self.declarations, *self.routines]
        return "\n".join([*lines, "begin", *self.body, "endprogram;", ""])

    def _line(self, text: str, note: str) -> None:
        if text.upper().startswith("MODULE "):
            self.name = text.split()[1]
        elif text.upper() == "ENDMODULE":
            return
        elif found := _ROUTINE.match(text):
            self._routine(found, note)
        elif text.upper() in {"ENDPROC", "ENDFUNC"}:
            if self._into is not self.body:
                self._into.append(self._end)
            self._into = self.body
        elif found := _DECLARATION.match(text):
            self._declaration(found, note)
        elif found := _MOVE.match(text):
            self._move(found[1].lower(), found[2])
        else:
            self._statement(text)

    def _routine(self, found: re.Match[str], note: str) -> None:
        result, name, parameters = found.groups()
        if name.lower() == "main" and result is None:
            self._into = self.body
            return
        kinds = [one.strip() for one in note.split(",")] if note else []
        heads = []
        for number, one in enumerate(filter(None, parameters.split(","))):
            *mode, kind, parameter = one.split()
            shown = kinds[number] if number < len(kinds) else TYPES.get(kind, kind)
            heads.append(f"{'inout' if mode else 'in'} {shown}: {parameter}")
        self._into = self.routines
        word = "procedure" if result is None else "function"
        tail = ""
        if result is not None:
            tail = f": {kinds[-1] if len(kinds) > len(heads) else TYPES.get(result, result)}"
        self.routines.append(f"{word} {name}({'; '.join(heads)}){tail};")
        self.routines.append("begin")
        self._end = "endproc;" if result is None else "endfct;"

    def _declaration(self, found: re.Match[str], note: str) -> None:
        word, kind, name, size, value = found.groups()
        shown = note if note in {"int", "real"} else TYPES.get(kind, kind)
        for length in reversed(size.split(",") if size else []):
            shown = f"array[1..{length}] of {shown}"
        sign = ":=" if word.upper() == "VAR" else "="
        depth = len(size.split(",")) if size else 0
        first = f" {sign} {self._elements(value, depth)}" if value else ""
        line = f"{word.lower()} {shown}: {name}{first};"
        if self._into is self.body:
            self.declarations.append(line)
        else:
            self._into.insert(len(self._into) - 1, line)  # before 'begin'

    def _elements(self, text: str, depth: int) -> str:
        """Return the first value of an array of so many dimensions."""
        if depth == 0:
            return self.value(text)
        items = [self._elements(item, depth - 1) for item in split(text.strip()[1:-1])]
        return f"({', '.join(items)})"

    def _move(self, order: str, text: str) -> None:
        parts = split(text)
        count = 2 if order == "movec" else 1
        if len(parts) != count + 3:
            self._refuse("a move of another form")
            return
        targets, speed, zone = parts[:count], parts[count], parts[count + 1]
        shown = [self._target(order, target) for target in targets]
        word = "move_inc" if any(relative for relative, _ in shown) else "move"
        kind = _KINDS[order]
        line = f"{word} {kind} {', '.join(target for _, target in shown)}"
        speed, _, time = speed.partition("\\T:=")
        if speed.startswith("aw_tcp("):
            line += f" speed := {self.value(speed[7:-1])}"
        if self._share:
            line += f" speed_ptp := {self._share}"
        if zone.startswith("aw_blend("):
            radius = zone[9:-1]
            given = "" if radius == "aw_zone" else f" := {self.value(radius)}"
            line += " c_ptp" if kind == "ptp" else f" c_cp{given}"
        if time:
            line += f" time := {self.value(time)}"
        self._into.append(f"{line};")

    def _target(self, order: str, text: str) -> tuple[bool, str]:
        """Return whether a target is relative, and what it is in IRL."""
        if order == "moveabsj":
            axes = split(text[1:-1])[0]
            return False, f"joint({axes[1:-1]})"
        if text.startswith("aw_target("):
            return False, self.value(text[10:-1])
        if text.startswith("aw_place("):
            return False, f"({self.value(text[9:-1])})"
        if text.startswith("Offs("):
            shift = split(text[5:-1])[1:]
            return True, f"({', '.join(map(self.value, shift))})"
        self._refuse("a target of another form")
        return False, "?"

    def _table(self) -> list[tuple[str, Callable[[re.Match[str]], str]]]:
        value = self.value
        return [
            (r"IF (.*) THEN", lambda m: f"if {value(m[1])} then"),
            (r"ELSEIF (.*) THEN", lambda m: f"elsif {value(m[1])} then"),
            (r"ELSE", lambda m: "else"),
            (r"END(IF|FOR|WHILE);?", lambda m: f"end{m[1].lower()};"),
            (r"ENDTEST", lambda m: "endcase;"),
            (r"FOR (\w+) FROM (.*) TO (.*) STEP -(.*) DO", self._down),
            (
                r"FOR (\w+) FROM (.*) TO (.*) STEP (.*) DO",
                lambda m: f"for {m[1]} := {value(m[2])} to {value(m[3])} step {value(m[4])}",
            ),
            (
                r"FOR (\w+) FROM (.*) TO (.*) DO",
                lambda m: f"for {m[1]} := {value(m[2])} to {value(m[3])}",
            ),
            (r"WHILE (.*) DO", lambda m: f"while {value(m[1])} do"),
            (r"TEST (.*)", lambda m: f"case {value(m[1])} of"),
            (r"CASE (.*):", lambda m: f"when {m[1]}:"),
            (r"DEFAULT:", lambda m: "else"),
            (r"RETURN;", lambda m: "return;"),
            (r"RETURN (.*);", lambda m: f"return {value(m[1])};"),
            (r"GOTO (\w+);", lambda m: f"goto {m[1]};"),
            (r"(\w+):", lambda m: f"{m[1]}:"),
            (r"WaitTime (.*);", lambda m: f"wait {value(m[1])} sec;"),
            (
                r"WaitUntil (.*) \\MaxTime:=(.*);",
                lambda m: f"wait for {value(m[1])} timeout {value(m[2])} sec;",
            ),
            (r"WaitUntil (.*);", lambda m: f"wait for {value(m[1])};"),
            (r"SetDO (\w+), (.*);", self._set_bool),
            (r"Set[GA]O (\w+), (.*);", lambda m: f"{m[1]} := {value(m[2])};"),
            (r"TPWrite (.*);", self._text),
            (r"Stop;", lambda m: "pause;"),
            (r"EXIT;", lambda m: "halt;"),
            (r"VelSet (.*), 5000;", self._velocity),
            (r"(\w[^:=]*?) := (.*);", lambda m: f"{self._place(m[1])} := {value(m[2])};"),
            (r"(\w+);", lambda m: f"{m[1]};"),
            (r"(\w+) (.*);", lambda m: f"{m[1]}({', '.join(map(value, split(m[2])))});"),
        ]

    def _statement(self, text: str) -> None:
        for pattern, form in self._forms:
            if found := pattern.match(text):
                line = form(found)
                if line:
                    self._into.append(line)
                return
        self._refuse("this")

    def _down(self, found: re.Match[str]) -> str:
        head = f"for {found[1]} := {self.value(found[2])} downto {self.value(found[3])}"
        return head if found[4] == "1" else f"{head} step {self.value(found[4])}"

    def _set_bool(self, found: re.Match[str]) -> str:
        shown = {"1": "true", "0": "false"}.get(found[2], self.value(found[2]))
        return f"{found[1]} := {shown};"

    def _text(self, found: re.Match[str]) -> str:
        parts = []
        for part in split(found[1], " + "):
            inner = re.fullmatch(r"ValToStr\((.*)\)", part)
            parts.append(part if inner is None else self.value(inner[1]))
        return f"writeln({', '.join(parts)});"

    def _velocity(self, found: re.Match[str]) -> str:
        self._share = "" if found[1] == "100" else self.value(found[1])
        return ""

    def _place(self, text: str) -> str:
        return SYSTEM.get(text, self.value(text))

    def value(self, text: str) -> str:
        """Return an expression in IRL."""
        text = text.strip().replace("{", "\x01").replace("}", "\x02")
        out, at = "", 0
        while at < len(text):
            letter = text[at]
            if letter == '"':
                end = text.find('"', at + 1)
                end = len(text) - 1 if end < 0 else end
                out += text[at : end + 1]
                at = end + 1
            elif letter == "[":
                end = closing(text, at)
                items = [self.value(item) for item in split(text[at + 1 : end])]
                joined = ", ".join(items)
                out += f"oriquat({joined})" if len(items) == 4 else f"({joined})"
                at = end + 1
            else:
                out += letter
                at += 1
        while (at := out.find("Pow(")) >= 0:
            end = closing(out, at + 3)
            base, exponent = split(out[at + 4 : end])
            out = f"{out[:at]}(({base}) ** ({exponent})){out[end + 1 :]}"
        out = re.sub(r"\.trans\b", ".pos", out)
        out = re.sub(r"\.rot\b", ".ori", out)
        out = re.sub(r"\bXOR\b", "exor", out)
        return out.replace("\x01", "[").replace("\x02", "]")

    def _refuse(self, what: str) -> None:
        line = self.lines[self._number - 1]
        column = len(line) - len(line.lstrip()) + 1
        message = f"{what} is not read from RAPID"
        self.problems.append(Problem(message, self._number, column, line, "", len(line.strip())))


def closing(text: str, at: int) -> int:
    """Return where the bracket at a place is closed; the end of the text: nowhere."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "([{\x01") - (text[place] in ")]}\x02")
        if depth == 0:
            return place
    return len(text)


def split(text: str, sign: str = ",") -> list[str]:
    """Return the parts of a text between signs that stand in no bracket and no quotes."""
    parts, depth, quoted, start, at = [], 0, False, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += (letter in "([{\x01") - (letter in ")]}\x02")
            if depth == 0 and text.startswith(sign, at):
                parts.append(text[start:at].strip())
                at += len(sign)
                start = at
                continue
        at += 1
    rest = text[start:].strip()
    return [*parts, rest] if rest or parts else []
