"""The inverse kinematics: every conclusion with its theorem and its formulas, and the tree.

The solution tree is drawn with one level for each conclusion and one leaf for each solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import symengine

from armwerk.derivation.emit.latex.arm import angle_text
from armwerk.derivation.emit.latex.notation import Notation, theta_of, unknown
from armwerk.derivation.emit.latex.text import (
    LINE,
    FormulaTerm,
    aligned,
    equation,
    escaped,
    joined,
    prose,
    section,
    subsection,
    two_sides,
    width_of,
)
from armwerk.derivation.emit.latex.turned import turned_helpers
from armwerk.derivation.equations import Equation
from armwerk.derivation.inverse.branch_names import BranchNames
from armwerk.derivation.inverse.result import MEANINGS, Explained
from armwerk.derivation.program import Expression, Let, LinePair, Root, Slide, Step, Sum, Turn

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

_METHODS = {
    "rules": "by production rules \\cite{wenz}: each rule knows one kind of equation and its "
    "solution, and fires as soon as an equation of this kind is there. Values that are known "
    "turn further equations into solvable ones",
    "elimination": "by elimination: a Gr\\\"obner basis \\cite{buchberger}, or squares "
    "that are added, remove all unknowns but one from a small system; production rules do the rest",
    "twists": "from the twists of the joints: the chain is taken apart into sub-problems of "
    "Paden and Kahan's kind \\cite{paden}, turns about one, two or three axes that bring points "
    "where they belong",
}  # fmt: skip
_WIDE, _NARROW, _LEAF = 10.5, 3.2, 1.5  # [cm] the leaves take: most, least, each
_HIGH = 1.15  # [cm] from level to level
_MOST = 16  # leaves that can be told apart; beyond this only the first branch is drawn


def inverse_section(derivation: Derivation) -> str:
    """Return the section about the inverse kinematics."""
    inverse = derivation.inverse
    parts = [section("Inverse kinematics")]
    if inverse.reason:
        parts.append(f"{prose(inverse.reason)}.\n")
    if inverse.program is None:
        parts.append("Solutions of single poses can be found by iteration only.\n")
        return "\n".join(parts)
    count = "one solution" if inverse.branches == 1 else f"{inverse.branches} solutions"
    parts.append(
        f"The solution was found {_METHODS[inverse.method]}. A pose has at most {count}. "
        r"$\atantwo(y, x)$ is the angle of the direction $(x, y)$; its arguments may share a "
        "positive factor. Where both vanish the angle is free: the arm is singular.\n"
    )
    if inverse.program.given:
        free = ", ".join(f"$q_{{{joint}}}$" for joint in inverse.program.given)
        parts.append(f"Free choice: {free}. For every value of it the rest follows.\n")
    parts.append(_conclusions(derivation))
    parts += [joint_values(derivation), subsection("Solution tree")]
    levels = [(step.unknowns, step.branches) for step in inverse.steps]
    parts.append(solution_tree(levels, inverse.branch_names()))
    return "\n".join(parts)


class NumberedStep(NamedTuple):
    """A conclusion with the equations it uses, numbered as they come.

    Attributes:
        step: The conclusion.
        used: Numbers of all equations it uses.
        rows: Those that were not used before, as lines for a display.
        places: Where these stand, in words; empty for none.
    """

    step: Explained
    used: list[int]
    rows: list[list[str]]
    places: str


def numbered_steps(derivation: Derivation, notation: Notation) -> Iterator[NumberedStep]:
    """Yield the conclusions of a derivation."""
    catalogue = {one.number: one for one in derivation.equations}
    numbers: dict[int, int] = {}
    for step in derivation.inverse.steps:
        used = list(dict.fromkeys(k for k in step.equations if k in catalogue))
        fresh = [k for k in used if k not in numbers]
        for k in fresh:
            numbers[k] = len(numbers) + 1
        rows = [
            two_sides(
                notation.pieces(catalogue[k].left),
                notation.pieces(catalogue[k].right),
                rf"\tag{{{numbers[k]}}}\label{{eq:{numbers[k]}}}",
            )
            for k in fresh
        ]
        places = "; ".join(
            rf"(\ref{{eq:{numbers[k]}}}) {place_of(catalogue[k], derivation.ring.dof)}, E{k}"
            for k in fresh
        )
        yield NumberedStep(step, [numbers[k] for k in used], rows, places)


def _conclusions(derivation: Derivation) -> str:
    """Return the conclusions, one subsection for each."""
    notation = Notation(derivation.ring)
    named = derivation.inverse.branch_names()
    turned = turned_helpers(derivation)
    parts = []
    ways, roots = 1, 0
    for place, numbered in enumerate(numbered_steps(derivation, notation), 1):
        step = numbered.step
        ways *= step.branches
        shown = [_headed(step, place)]
        if numbered.rows:
            shown += [aligned(numbered.rows), f"\n{{\\small {numbered.places}.}}\n"]
        shown.append(_conclusion(notation, step, numbered.used, turned))
        shown += root_meanings(notation, step, named, roots)
        shown.append(_branching(step, ways))
        roots += sum(isinstance(one, Root) for one in step.steps)
        parts.append("\n".join(shown))
    return "\n".join(parts)


def place_of(equation: Equation, dof: int) -> str:
    """Return where a kinematic equation stands: row, column and matrices, as LaTeX."""
    first, last = equation.first - 1, equation.last
    front = "" if first == 0 else rf"({{}}^{{0}}T_{{{first}}})^{{-1}}\,"
    back = "" if last == dof else rf"\,({{}}^{{{last}}}T_{{{dof}}})^{{-1}}"
    matrices = rf"${{}}^{{{first}}}T_{{{last}}} = {front}R{back}$"
    return f"is row {equation.row + 1}, column {equation.column + 1} of {matrices}"


def _headed(step: Explained, place: int) -> str:
    first = unknown(step.unknowns[0])
    plain = first.replace("\\theta", "theta").replace("_", "").replace("{", "").replace("}", "")
    return subsection(
        rf"Step {place}: \texorpdfstring{{${first}$}}{{{plain}}}, {escaped(step.title)}"
    )


def _conclusion(
    notation: Notation, step: Explained, equations: Sequence[int], turned: Mapping[str, str]
) -> str:
    more = [unknown(name) for name in step.unknowns[1:]]
    lines = []
    source = ""
    if equations:
        word = "equation" if len(equations) == 1 else "equations"
        named = ", ".join(rf"(\ref{{eq:{k}}})" for k in equations)
        source = f" applied to {word} {named}"
    rule = prose(step.rule)
    if step.rule[:1].isdigit():
        rule = rf"Theorem {escaped(step.rule)} of \cite{{wenz}}"
    elif step.rule.startswith("sub-problem"):
        rule += r" of \cite{wenz}, after \cite{paden}"
    lines.append(f"{rule}{source}.")
    if step.remark:
        lines.append(f"{prose(step.remark)}.")
    if step.pattern:
        lines.append("\n" + _theorem(step))
    letters = mapped_letters(notation, step)
    if letters:
        lines.append(f"Here {', '.join(f'${letter}$' for letter in letters)}.")
    lines.append(aligned(step_formulas(notation, step.steps)))
    meanings = helper_meanings(notation, step.steps, turned)
    if meanings:
        lines.append(f"{'; '.join(meanings)}.")
    if more:
        lines.append(f"This also gives {', '.join(f'${name}$' for name in more)}. ")
    return "\n".join(lines)


def mapped_letters(notation: Notation, step: Explained) -> list[str]:
    """Return "a = p_y" for every letter of a theorem that is not zero for this arm."""
    if not step.says_more:
        return []
    angles = [f"{name} = {theta_of(angle)}" for name, angle in step.angles]
    return angles + [f"{name} = {notation.text(value)}" for name, value in step.terms if value != 0]


def helper_meanings(
    notation: Notation, steps: Sequence[Step], turned: Mapping[str, str]
) -> list[str]:
    """Return "$u$, $v$: where two links end" for helpers with a meaning.

    Args:
        notation: Of the arm.
        steps: Of a conclusion.
        turned: What helpers without a role mean, see `turned_helpers`.
    """
    named: dict[str, list[str]] = {}
    for step in steps:
        if isinstance(step, Let):
            meaning = MEANINGS.get(step.role) or turned.get(step.name)
            if meaning:
                named.setdefault(meaning, []).append(f"${notation.name(step.name)}$")
    return [f"{', '.join(names)}: {meaning}" for meaning, names in named.items()]


def root_meanings(
    notation: Notation, step: Explained, names: BranchNames | None, first: int
) -> list[str]:
    """Return which sign of each root of a conclusion is which configuration, with formulas.

    Args:
        notation: Of the arm.
        step: The conclusion.
        names: Of the branches.
        first: How many roots came before.
    """
    if names is None:
        return []
    own = [one.name for one in step.steps if isinstance(one, Root)]
    found = [names.meaning(first + k, f"${notation.name(name)}$") for k, name in enumerate(own)]
    return [
        text.replace("$ > 0", " > 0$").replace("$ < 0", " < 0$") + "." for text in found if text
    ]


def _branching(step: Explained, ways: int) -> str:
    if ways == 1:
        return "The value is unique.\n"
    values = "One value" if step.branches == 1 else f"{step.branches} values"
    return f"{values} for each earlier branch, {ways} branches so far.\n"


def _theorem(step: Explained) -> str:
    return rf"\theorembox{{{theorem_text(step, LINE - 60.0)}}}"


def theorem_text(step: Explained, room: float) -> str:
    """Return a theorem in as many lines as the room [pt] needs."""
    both = rf"{step.pattern} \quad\Longrightarrow\quad {step.solution}"
    if width_of(both) < room:
        return both
    lines = [step.pattern, rf"\Longrightarrow\quad {step.solution}"]
    for mark in (r",\quad ", r":\ ", r";\ ", r",\ k_1"):
        lines = [part for line in lines for part in _split(line, mark, room)]
    body = r" \\ ".join(lines)
    return rf"\begin{{gathered}} {body} \end{{gathered}}"


def _split(line: str, mark: str, room: float) -> list[str]:
    """Return a line, or two where it is too wide and has the mark."""
    head, found, tail = line.partition(mark)
    if width_of(line) < room or not found:
        return [line]
    return [head + mark[0], mark[2:].removeprefix("quad").strip() + tail]


def step_formulas(notation: Notation, steps: tuple[Step, ...]) -> list[list[str]]:
    found: list[list[str]] = []
    for step in steps:
        match step:
            case Let(name, value):
                found.append(_sum(notation, notation.name(name), value))
            case Root(name, radicand):
                found += _root(notation, notation.name(name), radicand)
            case Turn(angle, sine, cosine):
                found += _turn(notation, theta_of(angle), sine, cosine)
            case Sum(angle, parts):
                pieces = [
                    FormulaTerm("-" if sign < 0 else "+", _bracketed(theta_of(part)))
                    for sign, part in parts
                ]
                if joined(pieces) != theta_of(angle).replace("+", " + ").replace("-", " - "):
                    found.append(equation(theta_of(angle), pieces))
            case LinePair(names, coefficients):
                found += _lines(notation, names, coefficients)
            case Slide(joint, numerator, denominator):
                found += _slide(notation, f"q_{{{joint}}}", numerator, denominator)
    return found


def _bracketed(text: str) -> str:
    return f"({text})" if "+" in text or "-" in text[1:] else text


def _sum(notation: Notation, left: str, value: Expression) -> list[str]:
    """Return left = value; brackets too wide for a line are multiplied out."""
    pieces = notation.terms(value)
    room = LINE - width_of(left) - 40.0
    if any(width_of(one.text) > room for one in pieces):
        pieces = notation.terms(symengine.expand(value))
    return equation(left, pieces)


def _root(notation: Notation, left: str, radicand: Expression) -> list[list[str]]:
    if radicand == 1:
        return [[rf"{left} &= \pm 1"]]
    text = notation.text(radicand)
    if width_of(text) < LINE - 60.0:
        return [[rf"{left} &= \pm \sqrt{{{text}}}"]]
    square = f"{left}^{{2}}"
    return [_sum(notation, square, radicand)]


def _turn(notation: Notation, left: str, sine: Expression, cosine: Expression) -> list[list[str]]:
    y, x = notation.text(sine), notation.text(cosine)
    line = rf"{left} &= \atantwo({y},\; {x})"
    if width_of(line) < LINE - 20.0:
        return [[line]]
    index = left.replace(r"\theta_{", "").replace("}", "")
    return [
        _sum(notation, rf"Y_{{{index}}}", sine),
        _sum(notation, rf"X_{{{index}}}", cosine),
        [rf"{left} &= \atantwo(Y_{{{index}}},\; X_{{{index}}})"],
    ]


def _lines(
    notation: Notation, names: Sequence[str], coefficients: Sequence[Expression]
) -> list[list[str]]:
    """Return the factors as unknowns, and what their product must be."""
    a, b, e, f, g, h = (notation.name(name) for name in names)
    k0, k1, k2, k3, k4 = (notation.text(one) for one in coefficients)
    first = rf"({a}\cos\theta + {b}\sin\theta - {e})\,({f}\cos\theta + {g}\sin\theta - {h})"
    lines = [rf"&\phantom{{{{}}={{}}}} {k0} + ({k1})\cos\theta + ({k2})\sin\theta"]
    lines.append(rf"&\phantom{{{{}}={{}}}} + ({k3})\cos 2\theta + ({k4})\sin 2\theta")
    return [[rf"{first} &\propto"], *([line] for line in lines)]


def _slide(
    notation: Notation, left: str, numerator: Expression, denominator: Expression
) -> list[list[str]]:
    if denominator == 1:
        return [_sum(notation, left, numerator)]
    above, below = notation.text(numerator), notation.text(denominator)
    if max(width_of(above), width_of(below)) < LINE - 60.0:
        return [[rf"{left} &= \frac{{{above}}}{{{below}}}"]]
    return [_sum(notation, f"({below})\\,{left}", numerator)]


def joint_values(derivation: Derivation) -> str:
    """Return how joint variables follow from the angles."""
    turning = [
        (i, joint)
        for i, joint in enumerate(derivation.ring.arm.moving, 1)
        if joint.kind == "revolute" and joint.offset not in (0, 0.0)
    ]
    if not turning:
        return "The joint variables are the angles themselves, $q_i = \\theta_i$.\n"
    parts = []
    for i, joint in turning:
        text = angle_text(joint.offset)
        less = f" + {text[1:]}" if text.startswith("-") else f" - {text}"
        parts.append(rf"$q_{{{i}}} = \theta_{{{i}}}{less}$")
    return f"The joint variables follow from the angles: {', '.join(parts)}.\n"


def solution_tree(
    levels: Sequence[tuple[tuple[str, ...], int]], names: BranchNames | None = None
) -> str:
    """Return a TikZ picture.

    Args:
        levels: What each conclusion finds, and how many values it gives per branch.
        names: What the branches are called; else they have the signs of their roots.
    """
    leaves = 1
    for _, branches in levels:
        leaves *= branches
    drawn = min(leaves, _MOST)
    wide = min(_WIDE, max(_NARROW, _LEAF * drawn))
    lines = [r"\begin{center}", r"\begin{tikzpicture}[x=1cm, y=1cm]"]
    lines.append(
        r"\tikzset{knot/.style={circle, fill=black, inner sep=1.3pt}, "
        r"leaf/.style={circle, draw, inner sep=1.2pt, font=\scriptsize}, "
        r"sign/.style={font=\scriptsize, fill=white, inner sep=1pt}}"
    )
    places = [wide / 2]
    signs: list[tuple[int, ...]] = [()]
    lines.append(rf"\node[knot, label={{above:\small pose}}] (n0-0) at ({places[0]:.3f}, 0) {{}};")
    share = wide
    for depth, (unknowns, branches) in enumerate(levels, 1):
        fork = branches if len(places) * branches <= drawn else 1
        last = depth == len(levels)
        share /= fork
        lines.append(_label(unknowns, branches, depth, wide))
        children: list[float] = []
        grown: list[tuple[int, ...]] = []
        for parent, x in enumerate(places):
            for k in range(fork):
                at = x + (k - (fork - 1) / 2) * share
                number = len(children)
                children.append(at)
                lines.append(_node(depth, number, at, last))
                own = (*signs[parent], 1 - 2 * k) if fork == 2 else signs[parent]
                grown.append(own)
                word = names.word(own) if names is not None and fork == 2 else ""
                sign = "" if fork == 1 else _sign(k, fork, word)
                lines.append(rf"\draw (n{depth - 1}-{parent}) -- {sign}(n{depth}-{number});")
        places, signs = children, grown
    total = "one solution" if leaves == 1 else f"at most {leaves} solutions"
    y = -_HIGH * len(levels) - 0.6
    lines.append(rf"\node[font=\small] at ({wide / 2:.3f}, {y:.3f}) {{{total}}};")
    return "\n".join([*lines, r"\end{tikzpicture}", r"\end{center}"]) + "\n"


def _label(names: tuple[str, ...], branches: int, depth: int, wide: float) -> str:
    shown = ", ".join(f"${unknown(name)}$" for name in names[:3])
    shown += ", \\dots" if len(names) > 3 else ""
    count = "one value" if branches == 1 else f"{branches} values"
    y = -_HIGH * depth
    return (
        rf"\node[anchor=west, font=\small, align=left] at ({wide + 0.4:.3f}, {y:.3f}) "
        rf"{{{shown}\\[-2pt]{{\scriptsize {count}}}}};"
    )


def _node(depth: int, number: int, x: float, last: bool) -> str:
    y = -_HIGH * depth
    if last:
        return rf"\node[leaf] (n{depth}-{number}) at ({x:.3f}, {y:.3f}) {{{number + 1}}};"
    return rf"\node[knot] (n{depth}-{number}) at ({x:.3f}, {y:.3f}) {{}};"


def _sign(k: int, fork: int, word: str) -> str:
    text = ("$+$", "$-$")[k] if fork == 2 else str(k + 1)
    text = rf"\tiny {word}" if word else text
    return f"node[sign, midway] {{{text}}} "
