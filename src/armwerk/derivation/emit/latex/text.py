"""Plain text for LaTeX, the small pieces a document is made of, and formulas that fit the page.

LaTeX does not break a display by itself: sums are broken between their terms. The width of every
term is estimated from its letters, a little on the large side, and lines are filled up to the width
of the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"$<$", ">": r"$>$", "|": r"$|$", '"': "''",
    "θ": r"$\theta$", "α": r"$\alpha$", "±": r"$\pm$", "°": r"$^\circ$", "²": r"$^2$",
    "³": r"$^3$", "·": r"$\cdot$", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$",
    "–": "--", "—": "---", "…": r"\dots{}", "’": "'", "‘": "`", "“": "``", "”": "''",
    "„": ",,", "→": r"$\to$", "−": r"$-$", "µ": r"$\mu$", "π": r"$\pi$", "ß": r"\ss{}",
    "\N{NO-BREAK SPACE}": "~",
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u0327": "c",
    "\u030c": "v", "\u030a": "r",
}  # fmt: skip
LINE = 440.0  # [pt] width of a line of the document less a margin of error
TAG = 40.0  # [pt] for the number of an equation and its distance
_INDENT = 22.0  # [pt] of a line that goes on
_LETTER, _SMALL, _OPERATOR, _RELATION = 6.0, 4.4, 13.4, 14.6
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[_^]|[{}]|.", re.DOTALL)
_WIDTHS = {
    r"\,": 1.9, r"\;": 3.2, r"\ ": 3.7, r"\quad": 11.0, r"\qquad": 22.0, r"\pm": _OPERATOR,
    r"\cos": 16.0, r"\sin": 15.0, r"\sqrt": 10.0, r"\frac": 3.0, r"\dot": 0.0, r"\ddot": 0.0,
    r"\left": 1.5, r"\right": 1.5, r"\bigl": 2.0, r"\bigr": 2.0, r"\atantwo": 30.0,
    r"\operatorname": 2.0, r"\mathit": 0.0, r"\mathrm": 0.0, r"\text": 0.0,
    r"\cdot": _OPERATOR, r"\le": _RELATION, r"\!": 0.0, r"\arctan": 30.0,
    "(": 4.6, ")": 4.6, ",": 5.0, "+": _OPERATOR, "-": _OPERATOR, "=": _RELATION, " ": 0.0,
    "&": 0.0, "{": 0.0, "}": 0.0, ".": 3.5, "m": 9.0, "w": 8.0, "M": 11.0, "W": 11.0,
}  # fmt: skip


def escaped(text: str) -> str:
    """Return a text that LaTeX prints as it is; a character it does not know becomes '?'."""
    return "".join(_character(one) for one in text)


def prose(text: str) -> str:
    """Return an explanation with its angles as formulas, starting with a capital letter."""
    parts = re.split(r"θ(\d+)", text)
    shown = [
        rf"$\theta_{{{part}}}$" if place % 2 else escaped(part) for place, part in enumerate(parts)
    ]
    whole = "".join(shown)
    return whole if whole.startswith("$") else whole[:1].upper() + whole[1:]


def _character(one: str) -> str:
    if one in _SPECIAL:
        return _SPECIAL[one]
    if one.isascii():
        return one if one.isprintable() or one.isspace() else "?"
    parts = unicodedata.normalize("NFD", one)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        letter = rf"\{parts[0]}" if parts[0] in "ij" else parts[0]
        return rf"\{_ACCENTS[parts[1]]}{{{letter}}}"
    return "?"


def section(title: str) -> str:
    """Return a heading."""
    return f"\\section{{{title}}}\n"


def subsection(title: str) -> str:
    """Return a heading of the second level."""
    return f"\\subsection{{{title}}}\n"


def table(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with rules above, below and under its head; it may not cross a page."""
    lines = ["\\begin{center}", f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
    lines.append(" & ".join(head) + r" \\")
    lines.append("\\midrule")
    lines += [" & ".join(row) + r" \\" for row in rows]
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{center}"]
    return "\n".join(lines) + "\n"


def long_table(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that may cross pages."""
    lines = [f"\\begin{{longtable}}{{{columns}}}", "\\toprule", " & ".join(head) + r" \\"]
    lines += ["\\midrule", "\\endhead", "\\bottomrule", "\\endfoot"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, "\\end{longtable}"]) + "\n"


def number(value: float, digits: int = 6) -> str:
    """Return a number for a formula: 0.4318, or 2.1 times a power of ten."""
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        return rf"{mantissa}\cdot 10^{{{int(exponent)}}}"
    return text


@dataclass(frozen=True, slots=True)
class FormulaTerm:
    """One term of a formula with its sign.

    Args:
        sign: "+" or "-"; in front of a first term only the minus is printed.
        text: The rest, as LaTeX.
    """

    sign: str
    text: str


def width_of(text: str) -> float:
    """Return about how wide a formula is [pt]."""
    total, scale = 0.0, [1.0]
    pending = False
    for token in _TOKEN.findall(text):
        if token in "_^":
            pending = True
        elif token == "{":
            scale.append(scale[-1] * (_SMALL / _LETTER if pending else 1.0))
            pending = False
        elif token == "}":
            scale.pop()
        else:
            size = _WIDTHS.get(token, _LETTER)
            if len(scale) > 1 and token in "+-":
                size = 6.0 + 1.5
            total += size * scale[-1] * (_SMALL / _LETTER if pending else 1.0)
            pending = False
    return total


def joined(pieces: Sequence[FormulaTerm]) -> str:
    """Return a sum in one line; 0 for none."""
    if not pieces:
        return "0"
    text = ("-" if pieces[0].sign == "-" else "") + pieces[0].text
    return text + "".join(f" {one.sign} {one.text}" for one in pieces[1:])


def filled(pieces: Sequence[FormulaTerm], room: float, first: float = 0.0) -> list[str]:
    """Return a sum in lines of at most ``room`` points; the first has ``first`` points less."""
    if not pieces:
        return ["0"]
    # in brackets the minus is a sign, not an operation
    lines = [("{-}" if pieces[0].sign == "-" else "") + pieces[0].text]
    used = first + width_of(lines[0])
    for one in pieces[1:]:
        more = _OPERATOR + width_of(one.text)
        if used + more > room:
            lines.append(f"{{}} {one.sign} {one.text}")
            used = more
        else:
            lines[-1] += f" {one.sign} {one.text}"
            used += more
    return lines


def equation(
    left: str, pieces: Sequence[FormulaTerm], tag: str = "", room: float = LINE
) -> list[str]:
    """Return the lines of left = sum for an align environment."""
    room -= TAG if tag else 0.0
    lead = width_of(left) + _RELATION
    if lead > 0.4 * room:
        head = [f"& {left}"]
        lines = filled(pieces, room - _INDENT - _RELATION)
        rows = head + [rf"&\qquad {'= ' if not k else ''}{line}" for k, line in enumerate(lines)]
    else:
        lines = filled(pieces, room - lead)
        rows = [f"{left} &= {lines[0]}", *(rf"&\phantom{{{{}}={{}}}} {line}" for line in lines[1:])]
    if tag:
        rows[-1] += f" {tag}"
    return rows


def two_sides(left: Sequence[FormulaTerm], right: Sequence[FormulaTerm], tag: str) -> list[str]:
    """Return the lines of sum = sum for an align environment, all flush left."""
    room = LINE - TAG
    lines = filled(left, room)
    last = width_of(lines[-1])
    rest = filled(right, room, last + _RELATION)
    if last + _RELATION + width_of(rest[0]) > room:
        lines += filled(right, room - _RELATION)
        lines[-len(rest)] = f"= {lines[-len(rest)]}" if len(rest) <= len(lines) else lines[-1]
    else:
        lines[-1] += f" = {rest[0]}"
        lines += rest[1:]
    rows = [f"& {lines[0]}", *(rf"&\qquad {line}" for line in lines[1:])]
    rows[-1] += f" {tag}"
    return rows


def aligned(equations: Iterable[Sequence[str]]) -> str:
    """Return a display of equations, each a list of lines."""
    rows = [r" \\*".join(f"\n  {line}" for line in lines) for lines in equations]
    if not rows:
        return ""
    # a page may end between two equations, not within one
    return "\\begin{align*}" + r" \\[2pt]".join(rows) + "\n\\end{align*}\n"


def matrix(name: str, rows: Sequence[Sequence[Sequence[FormulaTerm]]]) -> str | None:
    """Return name = matrix as a display; None when it is too wide for the page."""
    texts = [[joined(entry) for entry in row] for row in rows]
    columns = zip(*texts, strict=True)
    width = sum(max(map(width_of, column)) + 11.0 for column in columns)
    if width + width_of(name) + 40.0 > LINE:
        return None
    body = " \\\\\n".join("  " + " & ".join(row) for row in texts)
    return f"\\[\n{name} = \\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}\n\\]\n"
