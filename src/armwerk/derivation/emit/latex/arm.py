"""The arm: its rows, its numbers, its limits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from armwerk.derivation.emit.latex.figure import RowLengths, frames_figure
from armwerk.derivation.emit.latex.notation import Notation, parameter, values_of
from armwerk.derivation.emit.latex.text import escaped, joined, number, section, table
from armwerk.derivation.ring import Ring, SymbolicRow
from armwerk.derivation.show import sympy_dimension
from armwerk.robot import Joint

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

_SHARE = 24  # angles that are multiples of 180 degrees / 24 are shown as shares of pi
_SAME = 1e-12


def arm_section(derivation: Derivation) -> str:
    """Return the section about the description."""
    ring, arm = derivation.ring, derivation.arm
    parts = [section("The arm"), _introduction(derivation), _rows(ring)]
    values = ring.known_values()
    if values:
        parts += [lengths_text(ring)]
    parts += [_frames(derivation), frames_figure(arm, row_lengths(ring))]
    return "\n".join(parts)


def row_lengths(ring: Ring) -> list[RowLengths]:
    """Return the names of the lengths of all rows; none for an arm with fixed joints among them."""
    if len(ring.arm.joints) != ring.dof:
        return []
    notation = Notation(ring)
    names = [(_along(notation, row), joined(notation.pieces(row.a))) for row in ring.rows]
    return [RowLengths(*("" if name == "0" else name for name in both)) for both in names]


def _introduction(derivation: Derivation) -> str:
    arm = derivation.arm
    kinds = {"R": "turns", "T": "slides"}
    counted = ", ".join(
        f"{count} that {word if count == 1 else word[:-1]}"
        for letter, word in kinds.items()
        if (count := arm.structure.count(letter))
    )
    lines = [
        f"{escaped(arm.title or arm.name)} has {arm.dof} joints ({counted}); from the base "
        f"outwards its structure is {arm.structure}."
    ]
    if arm.source:
        lines.append(f"\\par\\noindent\\emph{{Source of the numbers:}} {escaped(arm.source)}")
    if arm.assumed:
        lines.append(
            f"\\par\\noindent\\emph{{Assumed, not published:}} {escaped(', '.join(arm.assumed))}"
        )
    return "\n".join(lines) + "\n\n"


def _rows(ring: Ring) -> str:
    text = (
        "Every joint is a row "
        r"$T_i = \mathrm{Rot}(z, \theta_i)\,\mathrm{Trans}(z, d_i)\,\mathrm{Trans}(x, a_i)\,"
        r"\mathrm{Rot}(x, \alpha_i)$ after Denavit and Hartenberg \cite{dh}; the joint variable "
        "$q_i$ is added to the angle of a turning and to the displacement of a sliding joint."
    )
    has_limits = bool(np.isfinite(ring.arm.limits).any())
    if has_limits:
        text += " Limits are those of $q_i$."
    return f"{text}\n{rows_table(ring, has_limits)}"


def rows_table(ring: Ring, has_limits: bool) -> str:
    """Return the table of the rows, with the limits of their joints or without."""
    notation = Notation(ring)
    rows = []
    for row, joint in zip(ring.rows, ring.arm.moving, strict=True):
        offset = angle_text(joint.offset)
        theta = offset
        if row.is_revolute:
            theta = f"q_{{{row.joint}}}" + ("" if offset == "0" else _plus(offset))
        a = joined(notation.pieces(row.a))
        cells = (str(row.joint), theta, _along(notation, row), a, angle_text(joint.alpha))
        shown = [cells[0], *(f"${cell}$" for cell in cells[1:])]
        rows.append(shown + (_limits(joint) if has_limits else []))
    head = ["joint", r"$\theta_i$", "$d_i$", "$a_i$", r"$\alpha_i$"]
    columns = "ccccc"
    if has_limits:
        head, columns = [*head, "name", "smallest", "largest"], "ccccclrr"
    return table(columns, head, rows)


def _along(notation: Notation, row: SymbolicRow) -> str:
    """Return the distance along z of a row, the joint variable of a slide in it."""
    d = joined(notation.pieces(row.d))
    if row.is_revolute:
        return d
    return f"q_{{{row.joint}}}" + ("" if d == "0" else _plus(d))


def _plus(text: str) -> str:
    return f" - {text[1:]}" if text.startswith("-") else f" + {text}"


def lengths_text(ring: Ring) -> str:
    """Return the numbers behind the names of lengths and angles."""
    lengths = values_of(
        {name: ring.values[name] for name in ring.parameters if name in ring.values}
    )
    cells = [f"${parameter(name)} = {number(value)}$\\,m" for name, value in lengths]
    for tag in ring.twists:
        value = ring.twist_value(tag)
        if value is not None:
            name = parameter(tag.replace("al", "alpha", 1).replace("th", "theta", 1))
            cells.append(f"${name} = {number(math.degrees(value))}^\\circ$")
    text = "Lengths, zero left out: " if lengths else "Numbers: "
    return f"{text}\n{', '.join(cells)}.\n"


def _frames(derivation: Derivation) -> str:
    arm = derivation.arm
    plain = np.array_equal(arm.base, np.eye(4)) and np.array_equal(arm.tool, np.eye(4))
    text = (
        "\n\\par\\noindent The derivation is about the pose of the last joint's frame in the "
        "frame in front of the first joint, \n\\[ R = \\begin{pmatrix} "
        "n_x & o_x & a_x & p_x \\\\ n_y & o_y & a_y & p_y \\\\ n_z & o_z & a_z & p_z \\\\ "
        "0 & 0 & 0 & 1 \\end{pmatrix}. \\]\n"
    )
    if plain and len(arm.joints) == arm.dof:
        return text + "Base and tool frame coincide with these two.\n"
    return text + (
        "With the constant transforms of base $B$ and tool $W$ (fixed joints at the ends belong "
        "to them) a tool pose $T$ in the world gives $R = B^{-1}\\,T\\,W^{-1}$.\n"
    )


def _limits(joint: Joint) -> list[str]:
    """Return name, smallest and largest value of a joint, as cells of a table."""
    turns = joint.kind == "revolute"
    scale, unit = (180.0 / math.pi, r"^\circ") if turns else (1.0, r"\,\mathrm{m}")
    low, high = joint.limits or (-math.inf, math.inf)
    cells = [
        f"${number(value * scale, 5)}{unit}$" if math.isfinite(value) else "--"
        for value in (low, high)
    ]
    return [escaped(joint.name), *cells]


def angle_text(value: float | str) -> str:
    """Return an angle for a formula, as a share of pi where it is one."""
    if isinstance(value, str):
        from sympy import latex

        return str(latex(sympy_dimension(value)))
    share = Fraction(value / math.pi).limit_denominator(_SHARE)
    if abs(value - float(share) * math.pi) > _SAME:
        return f"{number(math.degrees(value), 8)}^\\circ"
    if not share:
        return "0"
    above = "" if abs(share.numerator) == 1 else str(abs(share.numerator))
    below = "" if share.denominator == 1 else f"/{share.denominator}"
    return f"{'-' if share < 0 else ''}{above}\\pi{below}"
