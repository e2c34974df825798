"""Plain text for LaTeX, and the small pieces a document is made of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

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
