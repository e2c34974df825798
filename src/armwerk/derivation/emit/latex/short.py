"""The inverse kinematics of an arm as a text of two pages, as short as a book has it.

In goes a derivation, out comes a document of its own: the arm with its frames and lengths, each
conclusion with its equations and formulas, which branch is which, where the arm is singular. What
theorems say and where every number comes from stands in the long document.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from armwerk.derivation.determinant import determinant
from armwerk.derivation.emit.latex.arm import lengths_text, row_lengths, rows_table
from armwerk.derivation.emit.latex.document import PREAMBLE, references
from armwerk.derivation.emit.latex.figure import frames_picture
from armwerk.derivation.emit.latex.inverse import (
    helper_meanings,
    joint_values,
    numbered_steps,
    root_meanings,
    step_formulas,
)
from armwerk.derivation.emit.latex.kinematics import singular_places
from armwerk.derivation.emit.latex.notation import Notation, unknown
from armwerk.derivation.emit.latex.text import aligned, escaped, prose, table
from armwerk.derivation.emit.latex.turned import turned_helpers
from armwerk.derivation.inverse.result import Explained
from armwerk.derivation.program import Root
from armwerk.derivation.singularities import singularities
from armwerk.errors import UnsupportedError

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

_FIGURE = (7.0, 5.2)  # [cm] most of it
_MOST_COLUMNS = 8  # branches in one table
_PRINTED = """, where they
  are proved; what each says is printed with the step that uses it."""  # in the long document
_TIGHT = r"""\AtBeginDocument{%
  \setlength{\abovedisplayskip}{3pt plus 1pt}\setlength{\belowdisplayskip}{3pt plus 1pt}%
  \setlength{\abovedisplayshortskip}{2pt plus 1pt}\setlength{\belowdisplayshortskip}{3pt plus 1pt}}
\setlength{\parskip}{3pt plus 1pt}
"""


def short_document(derivation: Derivation) -> str:
    """Return the text of the document."""
    preamble = PREAMBLE.replace("11pt,", "10pt,").replace("margin=25mm", "margin=20mm")
    title = escaped(derivation.arm.title or derivation.arm.name)
    body = [
        rf"\begin{{center}}\Large {title}: inverse kinematics\end{{center}}",
        _arm(derivation),
        _task(derivation),
        *_steps(derivation),
        _branches(derivation),
        _singular(derivation),
    ]
    sources = references("\n".join(body)).replace(_PRINTED, ".")
    return "\n".join(
        [
            preamble,
            _TIGHT,
            r"\begin{document}",
            *body,
            rf"{{\small {sources}}}",
            r"\end{document}",
            "",
        ]
    )


def _arm(derivation: Derivation) -> str:
    """Return rows and lengths on the left, the frames on the right."""
    ring = derivation.ring
    left = [rows_table(ring, has_limits=False)]
    if ring.known_values():
        left.append(lengths_text(ring))
    left.append(
        r"$T_i = \mathrm{Rot}(z, \theta_i)\,\mathrm{Trans}(z, d_i)\,\mathrm{Trans}(x, a_i)\,"
        r"\mathrm{Rot}(x, \alpha_i)$ \cite{dh}"
    )
    picture = frames_picture(derivation.arm, row_lengths(ring), *_FIGURE)
    return "\n".join(
        [
            r"\noindent\begin{minipage}[c]{0.52\linewidth}",
            "\n".join(left),
            r"\end{minipage}\hfill\begin{minipage}[c]{0.46\linewidth}\centering",
            picture,
            r"\end{minipage}\par\medskip",
        ]
    )


def _task(derivation: Derivation) -> str:
    """Return what is given, what is wanted and what is written short."""
    inverse = derivation.inverse
    matrix = (
        r"\begin{pmatrix} n_x & o_x & a_x & p_x \\ n_y & o_y & a_y & p_y \\ "
        r"n_z & o_z & a_z & p_z \\ 0 & 0 & 0 & 1 \end{pmatrix}"
    )
    first = (
        "Given is the pose of the last joint's frame in the frame in front of the first joint, "
        rf"\[ R = {matrix} = T_1 \cdots T_{{{derivation.ring.dof}}}; \]"
    )
    if inverse.program is None:
        return f"{first} {prose(inverse.reason)}.\n"
    count = "one solution" if inverse.branches == 1 else f"{inverse.branches} solutions"
    words = [f"{first} wanted are the joint values; there are at most {count}."]
    if inverse.program.given:
        free = ", ".join(f"$q_{{{joint}}}$" for joint in inverse.program.given)
        words.append(f"Free choice: {free}.")
    if _is_wrist_centre(derivation):
        words.append("The last three axes meet where $p$ is, in the centre of the wrist.")
    words.append(r"Short: $c_i = \cos\theta_i$, $s_{23} = \sin(\theta_2 + \theta_3)$.")
    return " ".join(words) + "\n"


def _is_wrist_centre(derivation: Derivation) -> bool:
    """Whether the origin of the last frame lies on the last three axes, which turn."""
    ring = derivation.ring
    last = ring.rows[-3:]
    zero = ring.zero
    return (
        len(last) == 3
        and all(row.is_revolute for row in last)
        and all(row.a == zero for row in last)
        and all(row.d == zero for row in last[1:])
    )


def _steps(derivation: Derivation) -> list[str]:
    """Return every conclusion as one paragraph with its formulas."""
    notation = Notation(derivation.ring)
    named = derivation.inverse.branch_names()
    turned = turned_helpers(derivation)
    parts, roots = [], 0
    for numbered in numbered_steps(derivation, notation):
        step = numbered.step
        names = ", ".join(f"${unknown(name)}$" for name in step.unknowns)
        lines = [
            rf"\par\medskip\noindent{{\boldmath {names}}}, {escaped(step.title)}{_source(step)}."
        ]
        if step.remark:
            lines.append(f"{prose(step.remark)}.")
        if numbered.places:
            lines.append(f"{numbered.places}:")
        elif numbered.used:
            used = ", ".join(rf"(\ref{{eq:{k}}})" for k in numbered.used)
            lines.append(f"From {used}:")
        lines.append(aligned(numbered.rows) + aligned(step_formulas(notation, step.steps)))
        said = [f"{one}." for one in helper_meanings(notation, step.steps, turned)]
        said += root_meanings(notation, step, named, roots)
        lines.append(" ".join(said))
        roots += sum(isinstance(one, Root) for one in step.steps)
        parts.append("\n".join(lines))
    return [*parts, joint_values(derivation)] if parts else []


def _source(step: Explained) -> str:
    if step.rule[:1].isdigit():
        return rf" (theorem {escaped(step.rule)} of \cite{{wenz}})"
    if step.rule.startswith("sub-problem"):
        return rf" ({escaped(step.rule)} of \cite{{wenz}}, after \cite{{paden}})"
    return f" ({escaped(step.rule)})" if step.rule else ""


def _branches(derivation: Derivation) -> str:
    """Return a table: the signs of the roots of every solution, and what it is called."""
    names = derivation.inverse.branch_names()
    if names is None or not 1 < len(names.table) <= _MOST_COLUMNS:
        return ""
    notation = Notation(derivation.ring)
    roots = [
        notation.name(one.name)
        for step in derivation.inverse.steps
        for one in step.steps
        if isinstance(one, Root)
    ]
    every = [signs for signs in product((1, -1), repeat=len(roots)) if signs in names.table]
    head = ["solution", *(str(k) for k in range(1, len(every) + 1))]
    rows = [
        [f"${root}$", *("$+$" if signs[k] > 0 else "$-$" for signs in every)]
        for k, root in enumerate(roots)
    ]
    choices = len(next(iter(names.table.values())))
    rows += [["", *(names.table[signs][k] for signs in every)] for k in range(choices)]
    return "{\\small " + table("l" + "c" * len(every), head, rows) + "}\n"


def _singular(derivation: Derivation) -> str:
    """Return where the arm is singular."""
    try:
        ways = singularities(derivation.ring, determinant(derivation.ring))
    except UnsupportedError as error:
        return f"{prose(str(error))}.\n"
    if not ways:
        return "No configuration is singular.\n"
    return singular_places(Notation(derivation.ring), ways)
