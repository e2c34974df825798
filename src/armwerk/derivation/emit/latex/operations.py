"""The table of operation counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.derivation.emit.constants import Constants
from armwerk.derivation.emit.latex.text import escaped, section, table
from armwerk.derivation.operations import OPERATORS, count_operations, total

if TYPE_CHECKING:
    from armwerk.derivation.derive import Derivation

_HEADS = {"*": r"$\times$", "+": "$+$", "-": "$-$", "/": "$/$", "sqrt": r"$\sqrt{\ }$"}


def operations_section(derivation: Derivation) -> str:
    """Return the section with the operation counts."""
    head = ["model", *(_HEADS.get(name, name) for name in OPERATORS), "sum"]
    rows = [
        [escaped(name), *(str(counts.get(op, 0)) for op in OPERATORS), str(total(counts))]
        for name, counts in derivation.operations().items()
    ]
    rows += _generated(derivation)
    text = (
        "Operations of each model after sharing sub-expressions. Cosine and sine of an angle "
        "count once, however often they occur. The inverse kinematics is counted for one branch.\n"
    )
    return "\n".join(
        [section("Operation counts"), text, table("l" + "r" * (len(head) - 1), head, rows)]
    )


def _generated(derivation: Derivation) -> list[list[str]]:
    """Return the rows of what the generated code computes from the recursion."""
    if derivation.arm.is_symbolic:
        return []
    from armwerk.derivation.emit.dynamic_blocks import (
        has_masses,
        inverse_dynamics_block,
        mass_matrix_block,
    )
    from armwerk.mechanics.chain import pack

    chain = pack(derivation.arm)
    if not has_masses(chain):
        return []
    blocks = {
        "all forces, by recursion": inverse_dynamics_block(chain, Constants()),
        "mass, by recursion": mass_matrix_block(chain, Constants()),
    }
    rows = []
    for name, block in blocks.items():
        counts = count_operations(block.expressions())
        for kind, letter in (("cos", "c"), ("sin", "s")):
            counts[kind] += sum(one[0] == letter for one in block.inputs)
        rows.append([name, *(str(counts[op]) for op in OPERATORS), str(total(counts))])
    return rows
