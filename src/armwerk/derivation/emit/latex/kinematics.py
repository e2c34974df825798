"""Twists, direct kinematics and the kinematic equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armwerk.derivation.emit.latex.formulas import (
    LINE,
    aligned,
    equation,
    joined,
    matrix,
    two_sides,
    width_of,
)
from armwerk.derivation.emit.latex.notation import Notation, index_of, theta_of
from armwerk.derivation.emit.latex.text import section, subsection, table
from armwerk.derivation.equations import Equation
from armwerk.derivation.exponentials import agrees_with_rows, zero_pose
from armwerk.derivation.ring import POSE_ROWS, Poly, Ring

if TYPE_CHECKING:
    from armwerk.derivation.derive import Derivation

MOST_UNKNOWNS = 3  # equations with more are listed only when they are used
MOST_LISTED = 120
_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


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
        f"$q_i$ takes the place of $\\theta_i$).{proved}\n"
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
        f"twelve equations each, ${12 * n * (n + 1) // 2}$ in all. They are numbered by how many "
        "unknown joints they hold.\n"
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
    parts = [section("Kinematic equations"), text, counts, which]
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
    return rf"\tag{{{number}{star}}}\label{{eq:{number}}}"


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
