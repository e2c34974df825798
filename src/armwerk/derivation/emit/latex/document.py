"""The document: preamble, title and sections in order, the table of operation counts at the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from armwerk.derivation.emit.counts import formula_operations, recursion_operations
from armwerk.derivation.emit.latex.arm import arm_section
from armwerk.derivation.emit.latex.coupling import coupling_section
from armwerk.derivation.emit.latex.dynamics import dynamics_section
from armwerk.derivation.emit.latex.inverse import inverse_section
from armwerk.derivation.emit.latex.kinematics import (
    direct_section,
    equations_section,
    twist_section,
    velocity_section,
)
from armwerk.derivation.emit.latex.text import escaped, section, table
from armwerk.derivation.operations import OPERATORS, total

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=25mm]{geometry}
\usepackage{amsmath}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{microtype}
\usepackage{xcolor}
\usepackage{tikz}
\usepackage[hidelinks,bookmarksnumbered]{hyperref}
\newcommand{\atantwo}{\operatorname{atan2}}
\newcommand{\theorembox}[1]{\par\smallskip\noindent\colorbox{black!6}{%
  \parbox{\dimexpr\linewidth-2\fboxsep}{\centering\rule[-6pt]{0pt}{18pt}$\displaystyle #1$}}%
  \par\smallskip}
\AtBeginDocument{%
  \setlength{\abovedisplayskip}{6pt plus 2pt minus 2pt}%
  \setlength{\belowdisplayskip}{6pt plus 2pt minus 2pt}%
  \setlength{\abovedisplayshortskip}{4pt plus 2pt}%
  \setlength{\belowdisplayshortskip}{4pt plus 2pt}}
\allowdisplaybreaks[4]
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 2pt}
\setcounter{MaxMatrixCols}{12}
"""
_SOURCES = {
    "wenz": r"""M. Wenz, \emph{Automatische Konfiguration der Bewegungssteuerung von
  Industrierobotern}, dissertation. The numbers of theorems are those of its chapter 4, where they
  are proved; what each says is printed with the step that uses it.""",
    "dh": r"""J. Denavit, R. S. Hartenberg, \emph{A kinematic notation for lower-pair mechanisms
  based on matrices}, Journal of Applied Mechanics 22 (1955), 215--221.""",
    "paden": r"""B. Paden, \emph{Kinematics and control of robot manipulators}, dissertation,
  University of California, Berkeley (1986): sub-problems 1 to 3, after W. Kahan.""",
    "buchberger": r"""B. Buchberger, \emph{Ein Algorithmus zum Auffinden der Basiselemente des
  Restklassenringes nach einem nulldimensionalen Polynomideal}, dissertation, Innsbruck (1965).""",
    "luh": r"""J. Y. S. Luh, M. W. Walker, R. P. C. Paul, \emph{On-line computational scheme for
  mechanical manipulators}, Journal of Dynamic Systems, Measurement and Control 102 (1980),
  69--76.""",
    "murray": r"""R. M. Murray, Z. Li, S. S. Sastry, \emph{A mathematical introduction to robotic
  manipulation}, CRC Press (1994): twists and products of exponentials.""",
}
_HEADS = {"*": r"$\times$", "+": "$+$", "-": "$-$", "/": "$/$", "sqrt": r"$\sqrt{\ }$"}


def document(derivation: Derivation) -> str:
    """Return the text of the document."""
    arm = derivation.arm
    title = escaped(arm.title or arm.name)
    head = [
        PREAMBLE,
        rf"\title{{{title}\\[4pt]\large Kinematics and dynamics in closed form}}",
        r"\author{Derived by armwerk}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        r"\tableofcontents",
        r"\clearpage",
        "",
    ]
    body = [
        arm_section(derivation),
        direct_section(derivation),
        inverse_section(derivation),
        velocity_section(derivation),
        dynamics_section(derivation),
        *([coupling_section(derivation.coupling)] if derivation.coupling is not None else []),
        twist_section(derivation),
        operations_section(derivation),
        "\\appendix\n",
        equations_section(derivation),
    ]
    body.append(references("\n".join(body)))
    return "\n".join([*head, *body, r"\end{document}", ""])


def references(text: str) -> str:
    """Return the list of the sources that a text cites, in the order in which it does."""
    cited = dict.fromkeys(re.findall(r"\\cite\{(\w+)\}", text))
    if not cited:
        return ""
    lines = [rf"\bibitem{{{name}}} {_SOURCES[name]}" for name in cited]
    return "\n".join([r"\begin{thebibliography}{9}", *lines, r"\end{thebibliography}", ""])


def operations_section(derivation: Derivation) -> str:
    """Return the section with the operation counts."""
    listed = formula_operations(derivation) | recursion_operations(derivation)
    head = ["model", *(_HEADS.get(name, name) for name in OPERATORS), "sum"]
    rows = [
        [escaped(name), *(str(counts.get(op, 0)) for op in OPERATORS), str(total(counts))]
        for name, counts in listed.items()
    ]
    text = (
        "Operations of each model after sharing sub-expressions. Cosine and sine of an angle "
        "count once, however often they occur. The inverse kinematics is counted for one branch.\n"
    )
    return "\n".join(
        [section("Operation counts"), text, table("l" + "r" * (len(head) - 1), head, rows)]
    )
