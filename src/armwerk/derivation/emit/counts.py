"""Operation counts for tables: of the formulas, and of the recursions in the generated code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.derivation.emit.dynamic_blocks import (
    has_masses,
    inverse_dynamics_block,
    mass_matrix_block,
)
from armwerk.derivation.emit.function_builder import CodeBlock, Constants
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.operations import count_operations, program_operations
from armwerk.derivation.show import symengine_list
from armwerk.mechanics.chain import pack

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

Counts = dict[str, dict[str, int]]
MOST_TERMS = 25_000  # of expanded dynamics; sharing sub-expressions in more takes minutes


def formula_operations(derivation: Derivation) -> Counts:
    """Return the counts of the formulas; without the dynamics where they are out of hand."""
    parts = derivation.dynamics().polynomials.parts()
    if sum(len(entry) for part in parts for line in part for entry in line) <= MOST_TERMS:
        return derivation.operations()

    ring = derivation.ring
    models = {"direct": derivation.forward_polynomials, "jacobian": jacobian(ring)}
    counts = {
        name: count_operations(
            symengine_list(ring, [entry for line in rows for entry in line]), ring, share=True
        )
        for name, rows in models.items()
    }
    if derivation.inverse.program is not None:
        counts["inverse"] = program_operations(ring, derivation.inverse.program)
    return counts


def recursion_operations(derivation: Derivation) -> Counts:
    """Return the counts of the unrolled recursions; none for symbols or without masses."""
    if derivation.arm.is_symbolic:
        return {}

    chain = pack(derivation.arm)
    if not has_masses(chain):
        return {}
    return {
        "all forces, by recursion": _counted(inverse_dynamics_block(chain, Constants())),
        "mass, by recursion": _counted(mass_matrix_block(chain, Constants())),
    }


def _counted(block: CodeBlock) -> dict[str, int]:
    counts = count_operations(block.expressions())
    for kind, letter in (("cos", "c"), ("sin", "s")):
        counts[kind] += sum(name[0] == letter for name in block.inputs)
    return counts
