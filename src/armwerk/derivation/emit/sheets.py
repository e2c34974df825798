r"""The derivation as sheets: headings, sentences and single formulas, for pages that typeset them.

The document of `armwerk.derivation.emit.latex` is one text for a printer; here each formula stands
alone, as LaTeX mathematics without an environment for displays, and a sentence may hold short ones
between dollar signs. Only what plain mathematics knows is used, and the macro \atantwo.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from armwerk.derivation.determinant import determinant
from armwerk.derivation.emit.counts import formula_operations, recursion_operations
from armwerk.derivation.emit.latex.inverse import (
    helper_meanings,
    mapped_letters,
    root_meanings,
    step_formulas,
    theorem_text,
)
from armwerk.derivation.emit.latex.notation import Notation, index_of, theta_of, unknown, values_of
from armwerk.derivation.emit.latex.text import FormulaTerm, equation, joined, number
from armwerk.derivation.emit.latex.turned import turned_helpers
from armwerk.derivation.inverse.result import Explained
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.operations import OPERATORS, total
from armwerk.derivation.program import Root
from armwerk.derivation.ring import POSE_ROWS, Poly, Ring
from armwerk.derivation.singularities import Singularity, singularities
from armwerk.errors import UnsupportedError

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

LineKind: TypeAlias = Literal["heading", "text", "formula", "table", "tree", "singular"]
"""What stands on a line of a sheet."""
_MOST_TERMS = 40  # of an entry that is shown
_EQUATIONS = r"T_i \cdots T_j = (T_1 \cdots T_{i-1})^{-1}\,R\,(T_{j+1} \cdots T_n)^{-1}"
_ROOM = 380.0  # [pt] a formula may be wide


class SheetLine(NamedTuple):
    """One thing on a sheet.

    Attributes:
        kind: What it is.
        text: A sentence, or a formula.
        rows: Of a table, its head first; of a solution tree, what is found and how many values.
        joints: Of a singular configuration, an example [rad or m].
    """

    kind: LineKind
    text: str
    rows: tuple[tuple[str, ...], ...] = ()
    joints: tuple[float, ...] = ()


def direct_sheet(derivation: Derivation) -> list[SheetLine]:
    """Return the direct kinematics and the numbers behind its symbols."""
    ring, notation = derivation.ring, Notation(derivation.ring)
    rows = [[notation.pieces(entry) for entry in line] for line in derivation.forward_polynomials]
    lines = [SheetLine("text", _short_forms(ring))]
    for column in range(4):
        names = [names[column] for names in POSE_ROWS]
        lines.append(
            _display(
                equation(f"{name[0]}_{{{name[1]}}}", rows[row][column], room=_ROOM)
                for row, name in enumerate(names)
            )
        )
    numbers = [(notation.name(name), number(value)) for name, value in values_of(ring.values)]
    if numbers:
        known = ", ".join(f"${name} = {value}$" for name, value in numbers)
        lines.append(SheetLine("text", f"Lengths [m]: {known}."))
    return lines


def equations_sheet(derivation: Derivation) -> list[SheetLine]:
    """Return how many kinematic equations there are."""
    count = len(derivation.ring.arm.moving)
    text = (
        "Multiplying $T_1 \\cdots T_n = R$ by inverses from both sides in every way gives "
        f"${12 * count * (count + 1) // 2}$ equations. They are numbered by how many unknown "
        "joints they hold."
    )
    head = ("unknown joints", *(str(k) for k in range(count + 1)))
    counts = ("equations", *(str(one) for one in derivation.equation_counts))
    return [
        SheetLine("text", text),
        SheetLine("formula", _EQUATIONS),
        SheetLine("table", "", (head, counts)),
    ]


def inverse_sheet(derivation: Derivation) -> list[SheetLine]:
    """Return the inverse kinematics, conclusion by conclusion, and the solution tree."""
    inverse = derivation.inverse
    lines = [SheetLine("text", f"{inverse.reason}.")] if inverse.reason else []
    if inverse.program is not None and inverse.program.given:
        free = ", ".join(f"$q_{{{joint}}}$" for joint in inverse.program.given)
        lines.append(SheetLine("text", f"{free} can be chosen; for each value the rest follows."))
    if not inverse.steps:
        return lines or [SheetLine("text", "There is no closed form; poses are solved by numbers.")]
    notation = Notation(derivation.ring)
    known = {one.number: one for one in derivation.equations}
    named = inverse.branch_names()
    turned = turned_helpers(derivation)
    ways, roots = 1, 0
    for place, step in enumerate(inverse.steps, 1):
        ways *= step.branches
        lines.append(
            SheetLine("heading", f"Step {place}: ${unknown(step.unknowns[0])}$, {step.title}")
        )
        lines.append(SheetLine("text", _rule(step)))
        for name in step.equations:
            one = known.get(name)
            if one is not None and len(one.left) + len(one.right) <= _MOST_TERMS:
                sides = joined(notation.pieces(one.left)), joined(notation.pieces(one.right))
                lines.append(SheetLine("formula", rf"{sides[0]} = {sides[1]} \qquad ({name})"))
        if step.pattern:
            lines.append(SheetLine("formula", theorem_text(step, _ROOM)))
        letters = mapped_letters(notation, step)
        if letters:
            known_here = ", ".join(f"${letter}$" for letter in letters)
            lines.append(SheetLine("text", f"Here {known_here}."))
        lines.append(_display(step_formulas(notation, step.steps)))
        meanings = helper_meanings(notation, step.steps, turned)
        if meanings:
            lines.append(SheetLine("text", f"{'; '.join(meanings)}."))
        for said in root_meanings(notation, step, named, roots):
            lines.append(SheetLine("text", said))
        roots += sum(isinstance(one, Root) for one in step.steps)
        lines.append(SheetLine("text", _ways(step, ways)))
    levels = tuple(
        (", ".join(unknown(name) for name in step.unknowns[:3]), str(step.branches))
        for step in inverse.steps
    )
    total_text = f"At most {inverse.branches} solutions, found by {inverse.method}."
    return [*lines, SheetLine("heading", "Solution tree"), SheetLine("tree", total_text, levels)]


def velocity_sheet(derivation: Derivation) -> list[SheetLine]:
    """Return the Jacobian, and where it is singular."""
    ring, notation = derivation.ring, Notation(derivation.ring)
    rows = [[notation.pieces(entry) for entry in line] for line in jacobian(ring)]
    lines = [SheetLine("text", "$(v, \\omega) = J\\,\\dot q$; entries not listed vanish.")]
    for column in range(ring.dof):
        entries = [
            equation(f"J_{{{row + 1}{column + 1}}}", rows[row][column], room=_ROOM)
            for row in range(6)
            if rows[row][column]
        ]
        if entries:
            lines.append(_display(entries))
    lines.append(SheetLine("heading", "Singular configurations"))
    try:
        found = singularities(ring, determinant(ring))
    except UnsupportedError as error:
        return [*lines, SheetLine("text", f"{error}.")]
    if not found:
        return [*lines, SheetLine("text", "No configuration is singular.")]
    return lines + [_singular(derivation, notation, one) for one in found]


def dynamics_sheet(derivation: Derivation) -> list[SheetLine]:
    """Return mass matrix and gravity; Coriolis and centrifugal terms are counted."""
    found = derivation.dynamics()
    mass, coriolis, centrifugal, gravity = found.polynomials.parts()
    notation = Notation(found.ring)
    lines = [
        SheetLine("formula", r"\tau = M(q)\,\ddot q + C(q)[\dot q \dot q] + Z(q)[\dot q^2] + G(q)")
    ]
    lines += _entries(notation, "M", mass, symmetric=True)
    lines += _entries(notation, "G", gravity)
    counts = [sum(len(e) for line in part for e in line) for part in (coriolis, centrifugal)]
    text = f"Coriolis terms: {counts[0]}, centrifugal terms: {counts[1]}; they follow from $M$."
    return [*lines, SheetLine("text", text)]


def operations_sheet(derivation: Derivation) -> list[SheetLine]:
    """Return how many operations each model takes."""
    listed = formula_operations(derivation) | recursion_operations(derivation)
    head = ("model", *OPERATORS, "sum")
    rows = [
        (name, *(str(counts.get(op, 0)) for op in OPERATORS), str(total(counts)))
        for name, counts in listed.items()
    ]
    text = (
        "After sharing sub-expressions. Cosine and sine of an angle count once; the inverse "
        "kinematics is counted for one branch."
    )
    return [SheetLine("text", text), SheetLine("table", "", (head, *rows))]


def _display(equations: Iterable[Sequence[str]]) -> SheetLine:
    rows = [line for one in equations for line in one]
    body = r" \\ ".join(rows)
    return SheetLine("formula", rf"\begin{{aligned}} {body} \end{{aligned}}")


def _short_forms(ring: Ring) -> str:
    sums = [angle for angle in ring.angles if len(angle.terms) > 1]
    text = r"$c_i = \cos\theta_i$, $s_i = \sin\theta_i$"
    if sums:
        last = sums[-1]
        text += "; turns about parallel axes add up: "
        text += rf"$c_{{{index_of(last)}}} = \cos({theta_of(last)})$"
    return text + "."


def _rule(step: Explained) -> str:
    equations = ", ".join(str(name) for name in step.equations)
    source = ""
    if equations:
        source = f" applied to equation{'s' if len(step.equations) > 1 else ''} {equations}"
    rule = f"Theorem {step.rule}" if step.rule[:1].isdigit() else step.rule.capitalize()
    remark = f" {step.remark}." if step.remark else ""
    return f"{rule}{source}.{remark}"


def _ways(step: Explained, ways: int) -> str:
    more = [unknown(name) for name in step.unknowns[1:]]
    also = f"This also gives {', '.join(f'${name}$' for name in more)}. " if more else ""
    if ways == 1:
        return f"{also}The value is unique."
    values = "One value" if step.branches == 1 else f"{step.branches} values"
    return f"{also}{values} for each earlier branch, {ways} branches so far."


def _singular(derivation: Derivation, notation: Notation, one: Singularity) -> SheetLine:
    pieces: list[FormulaTerm] = notation.pieces(one.factor)
    shown = (
        joined(pieces)
        if len(pieces) <= _MOST_TERMS
        else rf"\text{{a factor of {len(pieces)} terms}}"
    )
    where = {"inner": "inside the workspace", "outer": "on the boundary of the workspace"}
    kind = where.get(one.kind or "", "never reached")
    name = (one.name or "singular").capitalize()
    joints: tuple[float, ...] = ()
    arm = derivation.ring.arm
    if one.samples and not arm.is_symbolic:
        offsets = [float(j.offset) if j.kind == "revolute" else 0.0 for j in arm.moving]
        joints = tuple(
            float(angle) - offset
            for angle, offset in zip(one.samples[0].angles, offsets, strict=True)
        )
    return SheetLine("singular", f"{name}, {kind}: ${shown} = 0$", joints=joints)


def _entries(
    notation: Notation, name: str, rows: Sequence[Sequence[Poly]], *, symmetric: bool = False
) -> list[SheetLine]:
    shown: list[list[str]] = []
    long: list[str] = []
    for r, line in enumerate(rows):
        for c, entry in enumerate(line):
            if not len(entry) or (symmetric and c < r):
                continue
            index = f"{r + 1}{c + 1}" if len(line) > 1 else f"{r + 1}"
            if len(entry) > _MOST_TERMS:
                long.append(f"${name}_{{{index}}}$ ({len(entry)} terms)")
            else:
                shown.append(equation(f"{name}_{{{index}}}", notation.pieces(entry), room=_ROOM))
    lines = [_display([one]) for one in shown]
    if long:
        lines.append(SheetLine("text", f"Too long to show: {', '.join(long)}."))
    if not shown and not long:
        lines.append(SheetLine("text", f"${name} = 0$."))
    return lines
