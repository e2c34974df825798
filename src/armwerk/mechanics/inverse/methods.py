"""The methods that need no derivation, and the choice of one by its name.

A table of methods is handed to a model when it is made (`armwerk.mechanics.SerialModel`); the one
here holds what mechanics has of its own, `armwerk.modelling` adds the closed form. Methods are
loaded when they are first used: their kernels and scipy take a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, get_args

from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.interface import Factory, InverseMethod, InverseSolver
from armwerk.robot.arm import Arm

Methods: TypeAlias = Mapping[str, Factory]


def _general(arm: Arm, chain: Chain) -> InverseSolver:
    if chain.dof < 6:
        from armwerk.mechanics.inverse.padded import PaddedSolver

        return PaddedSolver(arm, chain)
    from armwerk.mechanics.inverse.general import GeneralSolver

    return GeneralSolver(arm, chain)


def _numeric(arm: Arm, chain: Chain) -> InverseSolver:
    from armwerk.mechanics.inverse.numeric import NumericSolver

    return NumericSolver(arm, chain)


def _jacobian(arm: Arm, chain: Chain) -> InverseSolver:
    from armwerk.mechanics.inverse.iterative import JacobianSolver

    return JacobianSolver(arm, chain)


def _simplex(arm: Arm, chain: Chain) -> InverseSolver:
    from armwerk.mechanics.inverse.iterative import SimplexSolver

    return SimplexSolver(arm, chain)


ITERATIVE: Methods = {
    "general": _general,
    "numeric": _numeric,
    "jacobian": _jacobian,
    "simplex": _simplex,
}


def inverse_method(name: str) -> InverseMethod:
    """Return the name of an inverse method as one that is known.

    Raises:
        UnknownNameError: For any other; lists those that there are.
    """
    for known in get_args(InverseMethod):
        if name == known:
            method: InverseMethod = known
            return method
    raise UnknownNameError("inverse method", name, get_args(InverseMethod))


def make_solver(method: str, arm: Arm, chain: Chain, methods: Methods) -> InverseSolver:
    """Return the solver of an arm; "pref" is closed where that is, else general, else numeric.

    Raises:
        UnknownNameError: For a method that does not exist.
        UnsupportedError: For a method that cannot take this arm; says why.
    """
    method = inverse_method(method)
    reason = f"arm '{arm.name}' has no closed inverse kinematics"
    for name in ("closed", "general", "numeric") if method == "pref" else (method,):
        if name not in methods:
            continue
        try:
            found = methods[name](arm, chain)
        except UnsupportedError as error:
            found, reason = None, str(error)
        if found is not None:
            return found
    raise UnsupportedError(f"{reason}; use ik='numeric' instead")
