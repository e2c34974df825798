"""The section on coupled axes: what joint angles have to do with axis values."""

from __future__ import annotations

from collections.abc import Sequence

from armwerk.derivation.axis_coupling import AxisCoupling
from armwerk.derivation.emit.latex.text import escaped, section


def coupling_section(coupling: AxisCoupling) -> str:
    """Return the section of a document that relates joint angles to axis values."""
    arm = coupling.arm
    listed = ", ".join(
        f"$m_{{{k}}}$ of {escaped(joint.name)}" for k, joint in enumerate(arm.moving, start=1)
    )
    forth, back = coupling.angle_terms(), coupling.axis_terms()
    return "\n".join(
        [
            section("Coupled axes"),
            "Drives of this arm move several joints. What its controller shows, and what its "
            f"limits are told in, are the values of the axes: {listed}. The angles $q_i$ between "
            "the links, in which everything above is written, are constant sums of them,",
            _display(forth),
            "and a solution of the inverse kinematics is one of the axes by",
            _display(back),
            "With $q = C\\,m$ the Jacobian by axis values is $J\\,C$, the forces of the drives are "
            "$C^{T}\\tau$ and the mass that they feel is $C^{T} M\\,C$, to which the inertia of "
            "each drive is added on the diagonal. A whole turn of an axis with whole factors turns "
            "every joint by whole turns; of any other axis it is another solution.",
            "",
        ]
    )


def _display(terms: Sequence[str]) -> str:
    lines = []
    for term in terms:
        left, right = term.split(" = ")
        lines.append(rf"{_indexed(left)} &= {_indexed(right)}")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _indexed(text: str) -> str:
    """Return "0.5 m12" as "0.5\\,m_{12}"."""
    words = []
    for word in text.split(" "):
        sign, rest = ("-", word[1:]) if word.startswith("-") and len(word) > 1 else ("", word)
        words.append(
            f"{sign}{rest[0]}_{{{rest[1:]}}}" if rest[:1] in ("m", "q") else f"{sign}{rest}"
        )
    return "\\,".join(words).replace("\\,+\\,", " + ").replace("\\,-\\,", " - ")
