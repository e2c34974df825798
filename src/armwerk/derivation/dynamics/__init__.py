"""Symbolic dynamics: what comes in is an arm, what goes out are the matrices of its motion.

    tau = M(q) q'' + CO(q) [q' q'] + CF(q) [q'²] + G(q)

by Lagrange, by Newton and Euler, or by Kane; all exact, all equal.
"""

from __future__ import annotations

from armwerk.derivation.dynamics.algebra import DynamicRing
from armwerk.derivation.dynamics.methods import METHODS, DynamicsMethod, dynamics
from armwerk.derivation.dynamics.model import Dynamics
from armwerk.derivation.dynamics.parameters import Parameters

__all__ = ["METHODS", "DynamicRing", "Dynamics", "DynamicsMethod", "Parameters", "dynamics"]
