"""Derivation: a description becomes symbols, and symbols become solutions, proofs and code.

In comes an `Arm`, out comes a `Derivation` with direct and inverse kinematics, Jacobian,
singularities and dynamics, each exact. It runs when an arm is configured, never inside a
control cycle, and knows nothing of motion, programs or worlds.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
