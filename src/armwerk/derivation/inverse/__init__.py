"""Inverse kinematics in closed form.

In comes the ring of an arm and its kinematic equations, out comes an `Inverse`: a program
that gives every solution, and the explanation of how it was found. Three methods, tried in
order: production rules, elimination, twists.
"""

from __future__ import annotations

from armwerk.derivation.inverse.result import Explained, Inverse
from armwerk.derivation.inverse.solve import (
    METHODS,
    DerivationMethod,
    inverse_of,
    refuse_underivable,
    solve_inverse,
)

__all__ = [
    "METHODS",
    "DerivationMethod",
    "Explained",
    "Inverse",
    "inverse_of",
    "refuse_underivable",
    "solve_inverse",
]
