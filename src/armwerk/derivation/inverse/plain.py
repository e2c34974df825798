"""Formulas of a solution as plain text: powers raised, positive terms first, brackets kept."""

from __future__ import annotations

import re

from armwerk.derivation.program import Expression

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_GREEK = {"theta": "θ", "varphi": "φ", "psi": "ψ", "delta": "δ"}
_LATEX = (
    (r"\\text\{([^{}]*)\}", r"\1"),
    (r"\\(?:mathbf|mathrm)\{([^{}]*)\}", r"\1"),
    (r"\\(?:bigl|bigr|left|right)", ""),
    (r"\\atantwo", "atan2"),
    (r"\\(theta|varphi|psi|delta)(?![a-z])", lambda m: _GREEK[m[1]]),
    (r"\\(cos|sin) ?", r" \1 "),
    (r"\\Delta", "Δ"),
    (r"\\pm", "±"),
    (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"),
    (r"\\q?quad|\\[, ;]", " "),
    (r"\\(?:cdot|times)", "·"),
    (r"\^\{?(\d)\}?", lambda m: m[1].translate(_RAISED)),
    (r"_\{?(\w+)\}?", r"\1"),
    (r"[{}]", ""),
    (r" +", " "),
)


def plain(expression: Expression) -> str:
    """Return an expression in one line: "px² + py² - d3²", "w1·(az·s23 + c23·(ax·c1 + ay·s1))"."""
    parts = list(expression.args) if expression.is_Add else [expression]
    terms = sorted((_term(part) for part in parts), key=lambda one: (one[0], len(one[1]), one[1]))
    text = "".join(f" {'-' if minus else '+'} {word}" for minus, word in terms)
    return text.removeprefix(" + ") if not terms[0][0] else f"-{text[3:]}"


def plain_theorem(latex: str) -> str:
    """Return the LaTeX of a theorem as plain text."""
    for pattern, put in _LATEX:
        latex = re.sub(pattern, put, latex)
    return latex.strip()


def _term(expression: Expression) -> tuple[bool, str]:
    """Return whether a term is subtracted, and what is."""
    if expression.is_Number:
        return bool(expression < 0), str(abs(expression))
    factors = list(expression.args) if expression.is_Mul else [expression]
    minus = False
    above: list[tuple[int, str]] = []
    below: list[str] = []
    for factor in factors:
        if factor.is_Number:
            minus = bool(factor < 0)
            if abs(factor) != 1:
                above.append((0, str(abs(factor))))
            continue
        base, power = factor.args if factor.is_Pow else (factor, 1)
        word = base.name if base.is_Symbol else f"({plain(base)})"
        if str(power) == "1/2":
            above.append((4, f"sqrt({plain(base)})"))
        elif power < 0:
            below.append(_powered(word, -power))
        else:
            above.append((_kind(word), _powered(word, power)))
    text = "·".join(word for _, word in sorted(above)) or "1"
    return minus, f"{text}/{'/'.join(sorted(below))}" if below else text


def _powered(word: str, power: Expression | int) -> str:
    return word if power == 1 else f"{word}{str(power).translate(_RAISED)}"


def _kind(word: str) -> int:
    """Return where a factor stands: names, then cosines, sines and brackets."""
    if word.startswith("("):
        return 4
    if re.match(r"[cs]m?_?\d", word):
        return 2 if word[0] == "c" else 3
    return 1
