"""Polynomials as SymEngine expressions, the form that programmes and code are made of."""

from __future__ import annotations

import symengine

from armwerk.derivation.program import Expression
from armwerk.derivation.ring import Poly, Ring


def express(ring: Ring, poly: Poly) -> Expression:
    """Return a polynomial as a SymEngine expression in plain symbols named like generators."""
    terms = []
    for exponents, coefficient in poly.to_dict().items():
        factors = [symengine.Integer(int(coefficient))]
        for k, power in enumerate(exponents):
            if power:
                factors.append(symengine.Symbol(ring.names[k]) ** int(power))
        terms.append(symengine.Mul(*factors))
    return symengine.Add(*terms) if terms else symengine.Integer(0)
