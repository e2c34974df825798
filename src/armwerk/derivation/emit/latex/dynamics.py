"""The dynamics: matrices in full where they fit, else their structure and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.derivation.dynamics import Dynamics, dynamics
from armwerk.derivation.dynamics.model import pairs
from armwerk.derivation.emit.latex.notation import Notation
from armwerk.derivation.emit.latex.text import (
    aligned,
    equation,
    escaped,
    matrix,
    section,
    subsection,
    table,
)
from armwerk.derivation.ring import Poly
from armwerk.derivation.sums import collect_sums
from armwerk.errors import ArmwerkError

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

MOST_TERMS = 60  # of an entry that is printed
MOST_VELOCITY_TERMS = 400  # of all Coriolis and centrifugal entries together that are printed
LONGEST_COLLECTED = 1000  # terms of an entry in which sums of angles are looked for
_RECURSION = r"""
For numbers the recursion of Newton and Euler \cite{luh} is shorter. Outwards, $i = 1, \dots, n$,
with $z$ the joint's axis and all vectors in the link's own frame,
\begin{align*}
  \omega_i &= R_i^T\,\omega_{i-1} + z\,\dot\theta_i, &
  \dot\omega_i &= R_i^T\,\dot\omega_{i-1} + \omega_i \times z\,\dot\theta_i
    + z\,\ddot\theta_i, \\
  a_i &= R_i^T a_{i-1} + \dot\omega_i \times p_i + \omega_i \times (\omega_i \times p_i)
    \rlap{${}+ z\,\ddot q_i + 2\,\omega_i \times z\,\dot q_i$ for a slide,}
\end{align*}
inwards, $i = n, \dots, 1$, with mass $m_i$, first moment $h_i = m_i r_i$ and inertia $J_i$ about
the frame's origin,
\begin{align*}
  f_i &= R_{i+1} f_{i+1} + m_i a_i + \dot\omega_i \times h_i
    + \omega_i \times (\omega_i \times h_i), \\
  n_i &= R_{i+1} n_{i+1} + p_i \times f_i + J_i\,\dot\omega_i + \omega_i \times J_i\,\omega_i
    + h_i \times a_i, \qquad \tau_i = z^T n_i \text{ or } z^T f_i .
\end{align*}
"""


def dynamics_section(derivation: Derivation) -> str:
    """Return the section about the dynamics."""
    title = section("Dynamics")
    try:
        found = dynamics(derivation.ring)
    except ArmwerkError as error:
        return f"{title}{escaped(str(error))}.\n"
    parts = [title, _introduction(found)]
    notation = Notation(found.ring)
    collected = _collected(found)
    for name, key in (("Mass matrix", "M"), ("Gravity", "G")):
        parts += [subsection(name), _matrix(notation, key, collected[key])]
    parts += _velocity_terms(found, notation, collected)
    entries = [entry for part in collected.values() for line in part for entry in line]
    if any(len(entry) > MOST_TERMS for entry in entries):
        parts.append(_RECURSION)
    return "\n".join(parts)


def _introduction(found: Dynamics) -> str:
    ring = found.ring
    symbols = (
        "$m_i$ is the mass of link $i$, $(r_{xi}, r_{yi}, r_{zi})$ its centre in frame $i$, "
        "$I_{xxi}, \\dots$ its inertia about the centre, $I_{mi}$ the inertia of its motor; zeros "
        "of the description are left out"
    )
    names = [name for name in ring.names if name.startswith("g") and name in ring.values]
    gravity = ", $g$ free fall" if names else ""
    return (
        "The joint forces of a motion are\n"
        "\\[ \\tau = M(q)\\,\\ddot q + C(q)\\,[\\dot q_i \\dot q_j]_{i<j} + "
        "Z(q)\\,[\\dot q_i^2] + G(q) \\]\n"
        f"by Lagrange's equations, with Coriolis terms $C$ and centrifugal terms $Z$. {symbols}"
        f"{gravity}. The recursion of Newton and Euler and Kane's equations are other ways to "
        "the same terms.\n"
    )


def _collected(found: Dynamics) -> dict[str, list[list[Poly]]]:
    """Return the matrices with sums of angles put together where an entry may be printed."""
    mass, coriolis, centrifugal, gravity = found.polynomials.parts()
    size = sum(len(e) for part in (coriolis, centrifugal) for line in part for e in line)
    parts = {"M": mass, "G": gravity, "C": coriolis, "Z": centrifugal}
    wanted = {"M", "G"} | ({"C", "Z"} if size <= 4 * MOST_VELOCITY_TERMS else set())
    return {
        key: [
            [
                collect_sums(found.ring, entry)
                if key in wanted and 0 < len(entry) <= LONGEST_COLLECTED
                else entry
                for entry in line
            ]
            for line in part
        ]
        for key, part in parts.items()
    }


def _matrix(notation: Notation, name: str, rows: list[list[Poly]]) -> str:
    pieces = [[notation.pieces(entry) for entry in line] for line in rows]
    shown = matrix(name, pieces)
    if shown is not None:
        return shown
    is_column = len(rows[0]) == 1
    lines, long = [], []
    for r, line in enumerate(pieces):
        for c, entry in enumerate(line):
            if not is_column and name == "M" and c < r:
                continue
            index = f"{r + 1}" if is_column else f"{r + 1}{c + 1}"
            if len(entry) > MOST_TERMS:
                long.append(f"${name}_{{{index}}}$ ({len(entry)} terms)")
            elif entry:
                lines.append(equation(f"{name}_{{{index}}}", entry))
    text = aligned(lines)
    if name == "M":
        text += "$M$ is symmetric; entries not listed vanish.\n"
    if long:
        text += f"Too long to print: {', '.join(long)}.\n"
    return text


def _velocity_terms(
    found: Dynamics, notation: Notation, collected: dict[str, list[list[Poly]]]
) -> list[str]:
    n = found.ring.dof
    coriolis, centrifugal = collected["C"], collected["Z"]
    size = sum(len(e) for part in (coriolis, centrifugal) for line in part for e in line)
    parts = [subsection("Coriolis and centrifugal terms")]
    if not size:
        return [*parts, "There are none.\n"]
    if size <= MOST_VELOCITY_TERMS:
        lines = []
        for i in range(n):
            for k, (a, b) in enumerate(pairs(n)):
                if coriolis[i][k]:
                    left = f"C_{{{i + 1},{a + 1}{b + 1}}}"
                    lines.append(equation(left, notation.pieces(coriolis[i][k])))
        for i in range(n):
            for j in range(n):
                if centrifugal[i][j]:
                    left = f"Z_{{{i + 1}{j + 1}}}"
                    lines.append(equation(left, notation.pieces(centrifugal[i][j])))
        text = "$C_{i,jk}$ belongs to $\\dot q_j \\dot q_k$; entries not listed vanish.\n"
        return [*parts, text, aligned(lines)]
    parts.append(
        "They follow from the mass matrix,\n\\[ C_{i,jk} = \\frac{\\partial M_{ij}}{\\partial "
        "q_k} + \\frac{\\partial M_{ik}}{\\partial q_j} - \\frac{\\partial M_{jk}}{\\partial q_i},"
        " \\qquad Z_{ij} = \\frac{\\partial M_{ij}}{\\partial q_j} - \\frac12 "
        "\\frac{\\partial M_{jj}}{\\partial q_i}, \\]\n"
        f"and have {size} terms in all, too many to print. The number of terms of each joint:\n"
    )
    rows = [
        [
            f"${i + 1}$",
            str(sum(len(entry) for entry in coriolis[i])),
            str(sum(len(entry) for entry in centrifugal[i])),
        ]
        for i in range(n)
    ]
    parts.append(table("crr", ["joint", "Coriolis", "centrifugal"], rows))
    return parts
