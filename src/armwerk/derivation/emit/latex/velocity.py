"""Jacobian, its determinant and the singular configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.derivation.determinant import Determinant, determinant
from armwerk.derivation.emit.latex.formulas import (
    LINE,
    FormulaTerm,
    aligned,
    equation,
    joined,
    matrix,
    width_of,
)
from armwerk.derivation.emit.latex.notation import Notation, powered
from armwerk.derivation.emit.latex.text import prose, section, subsection
from armwerk.derivation.factoring import Factors
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.singularities import Singularity, singularities
from armwerk.errors import UnsupportedError

if TYPE_CHECKING:
    from armwerk.derivation.derive import Derivation

_KINDS = {
    "inner": "inside the workspace",
    "outer": "on the boundary of the workspace",
}


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
    parts.append("The arm is singular where a factor vanishes:\n\\begin{itemize}")
    parts += [_way(notation, one) for one in ways]
    return "\n".join([*parts, "\\end{itemize}\n"])


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
