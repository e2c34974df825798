"""The table of operation counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.derivation.emit.counts import formula_operations, recursion_operations
from armwerk.derivation.emit.latex.text import escaped, section, table
from armwerk.derivation.operations import OPERATORS, total

if TYPE_CHECKING:
    from armwerk.derivation.derive import Derivation

_HEADS = {"*": r"$\times$", "+": "$+$", "-": "$-$", "/": "$/$", "sqrt": r"$\sqrt{\ }$"}


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
