"""Twists, direct kinematics, the kinematic equations, the Jacobian and where it is singular."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armwerk.derivation.determinant import Determinant, Factors, determinant
from armwerk.derivation.emit.latex.notation import Notation, index_of, powered, theta_of
from armwerk.derivation.emit.latex.text import (
    LINE,
    FormulaTerm,
    aligned,
    equation,
    joined,
    matrix,
    prose,
    section,
    subsection,
    table,
    two_sides,
    width_of,
)
from armwerk.derivation.equations import Equation
from armwerk.derivation.exponentials import agrees_with_rows, zero_pose
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.ring import POSE_ROWS, Poly, Ring
from armwerk.derivation.singularities import Singularity, singularities
from armwerk.errors import UnsupportedError

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

MOST_UNKNOWNS = 3  # equations with more are listed only when they are used
MOST_LISTED = 120
_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_KINDS = {
    "inner": "inside the workspace",
    "outer": "on the boundary of the workspace",
}


def twist_section(derivation: Derivation) -> str:
    """Return the table of twists and the zero pose."""
    notation = Notation(derivation.ring)
    proved = ""
    if agrees_with_rows(derivation.ring):
        proved = " Multiplied out, this is exactly the product of the rows."
    rows = [
        [str(twist.joint), *(f"${joined(notation.pieces(entry))}$" for entry in twist.row)]
        for twist in derivation.twists
    ]
    head = ["joint", "$v_1$", "$v_2$", "$v_3$", r"$\omega_1$", r"$\omega_2$", r"$\omega_3$"]
    text = (
        "The twist $\\xi_i = (v, \\omega)$ of a joint is its motion seen from the base while all "
        "angles and slides are zero. With the zero pose $T_0$ of the last frame the direct "
        "kinematics is also "
        "$T = e^{\\hat\\xi_1\\theta_1} \\cdots e^{\\hat\\xi_n\\theta_n}\\,T_0$ (for a slide "
        f"$q_i$ takes the place of $\\theta_i$) \\cite{{murray}}.{proved}\n"
    )
    parts = [section("Twists"), text, _fitting_table("c" + "c" * 6, head, rows)]
    zero = [[notation.pieces(entry) for entry in line] for line in zero_pose(derivation.ring)]
    shown = matrix("T_0", [*zero, [[], [], [], notation.pieces(derivation.ring.one)]])
    return "\n".join([*parts, shown or ""])


def _fitting_table(columns: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, in smaller letters where the page is too narrow for it."""

    widths = [max(width_of(row[k].strip("$")) for row in rows) for k in range(len(head))]
    wide = sum(widths) + 12.0 * len(head)
    text = table(columns, head, rows)
    if wide <= LINE:
        return text
    size = "\\footnotesize" if wide <= 1.2 * LINE else "\\scriptsize"
    return f"{{{size}\\setlength{{\\tabcolsep}}{{3pt}}\n{text}}}\n"


def direct_section(derivation: Derivation) -> str:
    """Return the direct kinematics."""
    ring, notation = derivation.ring, Notation(derivation.ring)
    rows = [[notation.pieces(entry) for entry in line] for line in derivation.forward_polynomials]
    last = [[], [], [], notation.pieces(ring.one)]
    shown = matrix("R", [*rows, last])
    if shown is None:
        named = [
            equation(f"{name[0]}_{{{name[1]}}}", rows[r][c])
            for c in range(4)
            for r, name in enumerate(names[c] for names in POSE_ROWS)
        ]
        shown = "The entries of $R$ are\n" + aligned(named)
    return "\n".join([section("Direct kinematics"), _short_forms(ring), shown])


def _short_forms(ring: Ring) -> str:
    sums = [angle for angle in ring.angles if len(angle.terms) > 1]
    text = r"Short for cosine and sine are $c_i = \cos\theta_i$ and $s_i = \sin\theta_i$"
    if sums:
        last = sums[-1]
        text += (
            rf"; turns about parallel axes add up, as in $c_{{{index_of(last)}}} = "
            rf"\cos({theta_of(last)})$"
        )
    return text + ".\n"


def equations_section(derivation: Derivation) -> str:
    """Return the counts of the kinematic equations and those that matter."""
    n = derivation.ring.dof
    used = _used(derivation)
    listed = listed_equations(derivation.ring, derivation.equations, used)
    text = (
        "Multiplying $T_1 \\cdots T_n = R$ by inverses from both sides in every way gives, for "
        "all $1 \\le i \\le j \\le n$,\n"
        "\\[ T_i \\cdots T_j = (T_1 \\cdots T_{i-1})^{-1}\\,R\\,(T_{j+1} \\cdots T_n)^{-1}, \\]\n"
        f"twelve equations each, ${12 * n * (n + 1) // 2}$ in all. They are numbered E1, E2, "
        "\\dots\\ by how many unknown joints they hold.\n"
    )
    head = ["unknown joints", *(str(k) for k in range(n + 1))]
    counts = table(
        "l" + "r" * (n + 1),
        head,
        [["equations", *(str(count) for count in derivation.equation_counts)]],
    )
    limit = min(MOST_UNKNOWNS, n)
    which = (
        f"Listed are those with up to {limit} unknown joints and all that are used; identities "
        "and repetitions are left out. A star marks the ones that the inverse kinematics uses.\n"
    )
    notation = Notation(derivation.ring)
    parts = [section("All kinematic equations"), text, counts, which]
    for unknowns in sorted({len(one.joints) for one in listed}):
        group = [one for one in listed if len(one.joints) == unknowns]
        title = f"{_WORDS[unknowns]} unknown{'' if unknowns == 1 else 's'}"
        rows = [
            two_sides(
                notation.pieces(one.left),
                notation.pieces(one.right),
                equation_tag(one.number, one.number in used),
            )
            for one in group
        ]
        count = "One equation." if len(rows) == 1 else f"{len(rows)} different equations."
        parts += [subsection(title), count, aligned(rows)]
    return "\n".join(parts)


def equation_tag(number: int, is_used: bool) -> str:
    """Return number and label of an equation."""
    star = r"$^\ast$" if is_used else ""
    return rf"\tag{{E{number}{star}}}\label{{eq:E{number}}}"


def listed_equations(
    ring: Ring, equations: Sequence[Equation], used: frozenset[int]
) -> list[Equation]:
    """Return the equations worth printing: used ones, and short ones without repetitions."""
    found: list[Equation] = []
    seen: list[Poly] = []
    kept = {one.number: one.poly for one in equations if one.number in used}
    for one in equations:
        is_used = one.number in used
        if not is_used and (len(one.joints) > MOST_UNKNOWNS or not ring.reduce_pose(one.poly)):
            continue
        if not is_used and len(found) >= MOST_LISTED:
            continue
        known = [*seen, *kept.values()]
        if not is_used and (one.poly in known or -one.poly in known):
            continue
        seen.append(one.poly)
        found.append(one)
    return found


def _used(derivation: Derivation) -> frozenset[int]:
    return frozenset(k for step in derivation.inverse.steps for k in step.equations)


def velocity_section(derivation: Derivation) -> str:
    """Return the section about Jacobian and singularities."""
    ring, notation = derivation.ring, Notation(derivation.ring)
    rows = [[notation.pieces(entry) for entry in line] for line in jacobian(ring)]
    text = (
        "Velocity $v$ and angular velocity $\\omega$ of the last frame's origin, in axes of the "
        "frame in front of the first joint, are $(v, \\omega) = J\\,\\dot q$.\n"
    )
    shown = matrix("J", rows)
    if shown is None:
        named = [
            equation(f"J_{{{r + 1}{c + 1}}}", rows[r][c])
            for c in range(ring.dof)
            for r in range(6)
            if rows[r][c]
        ]
        shown = "Its entries, column by column, are (all others vanish)\n" + aligned(named)
    return "\n".join([section("Jacobian"), text, shown, _singular(derivation, notation)])


def _singular(derivation: Derivation, notation: Notation) -> str:
    ring = derivation.ring
    title = subsection("Determinant and singular configurations")
    try:
        found = determinant(ring)
        ways = singularities(ring, found)
    except UnsupportedError as error:
        return f"{title}{prose(str(error))}.\n"
    parts = [title, _explained(found, ring.dof), _factored(notation, found.factors)]
    if not ways:
        parts.append("No configuration is singular.\n")
        return "\n".join(parts)
    return "\n".join([*parts, singular_places(notation, ways)])


def singular_places(notation: Notation, ways: Sequence[Singularity]) -> str:
    """Return the list of what makes an arm singular, each with its kind."""
    listed = [_way(notation, one) for one in ways]
    head = "The arm is singular where a factor of $\\det J$ vanishes:\n\\begin{itemize}"
    return "\n".join([head, *listed, "\\end{itemize}\n"])


def _explained(found: Determinant, dof: int) -> str:
    if dof == 6:
        block = " by blocks" if found.blocks else ""
        return (
            f"The determinant does not depend on the frame; it was computed{block} in frame "
            f"{found.frame}, where the columns are shortest.\n"
        )
    if found.minors == 1:
        names = ("v_x", "v_y", "v_z", r"\omega_x", r"\omega_y", r"\omega_z")
        rows = ", ".join(f"${names[row]}$" for row in found.rows)
        return f"With {dof} joints the minor of the rows {rows} takes the determinant's place.\n"
    return (
        f"With {dof} joints the arm is singular where all {found.minors} minors of order {dof} "
        "vanish; their greatest common divisor takes the determinant's place.\n"
    )


def _factored(notation: Notation, factors: Factors) -> str:
    number = factors.number
    size = abs(number)
    parts = [] if size == 1 else [str(size.numerator)]
    if size.denominator != 1:
        parts = [rf"\tfrac{{{size.numerator}}}{{{size.denominator}}}"]
    for poly, power in (*factors.constants, *factors.moving):
        pieces = notation.pieces(poly)
        inner = joined(pieces)
        parts.append(
            powered(inner if len(pieces) == 1 and pieces[0].sign == "+" else f"({inner})", power)
        )
    text = r" \, ".join(parts) or "1"
    sign = "-" if number < 0 else ""
    if width_of(text) < LINE - 80.0:
        return aligned([[rf"\det J &= {sign}{text}"]])
    return _factors_apart(notation, factors, sign)


def _factors_apart(notation: Notation, factors: Factors, sign: str) -> str:
    """Return a determinant whose factors are too long for one line, each with a name."""
    product, rows = [], []
    listed = [*factors.constants, *factors.moving]
    for k, (poly, power) in enumerate(listed, 1):
        product.append(powered(f"f_{{{k}}}", power))
        rows.append(equation(f"f_{{{k}}}", notation.pieces(poly)))
    number = "" if abs(factors.number) == 1 else str(abs(factors.number)) + r"\,"
    lead = equation(r"\det J", [FormulaTerm(sign or "+", number + r" \, ".join(product))])
    return aligned([lead, *rows])


def _way(notation: Notation, one: Singularity) -> str:
    name = f"\\emph{{{one.name.capitalize()}}}: " if one.name else ""
    kind = "" if one.kind is None else f" {one.kind.capitalize()} singularity, {_KINDS[one.kind]}."
    pieces = notation.pieces(one.factor)
    text = joined(pieces)
    if width_of(text) < LINE - 140.0:
        condition = f"${text} = 0$"
    else:
        condition = "\n" + aligned([equation("0", pieces, room=LINE - 30.0)])
    return f"\\item {name}{condition}{_solved(one)}.{kind}"


def _solved(one: Singularity) -> str:
    from sympy import latex

    solutions = [f"{latex(eq.lhs)} = {latex(eq.rhs)}" for eq in one.solutions]
    short = [text.replace(r"\operatorname{atan}_{2}", r"\atantwo") for text in solutions]
    if not short or any(width_of(text) > LINE / 2 for text in short):
        return ""
    return ", at " + " or ".join(f"${text}$" for text in short)
