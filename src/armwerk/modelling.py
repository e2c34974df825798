"""Where descriptions, numbers and derived formulas are joined: `model`.

Mechanics knows numbers and nothing of symbols, the derivation knows symbols; here the closed form
of the one becomes an inverse method of the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.interface import ArmModel
from armwerk.mechanics.inverse.interface import (
    Factory,
    InverseMethod,
    InverseSolver,
    Naming,
)
from armwerk.mechanics.inverse.methods import ITERATIVE
from armwerk.robot import ArmName, AssemblyName, load
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

if TYPE_CHECKING:
    from armwerk.mechanics.assembly.model import AssemblyModel
    from armwerk.mechanics.serial import SerialModel


def _closed(arm: Arm, chain: Chain) -> InverseSolver | None:
    from armwerk.derivation.runtime.closed import ClosedInverse  # compiled code

    return ClosedInverse(arm, chain)


def _naming(arm: Arm) -> Naming:
    """Return names for the solutions of an arm that is solved by numbers."""
    from armwerk.derivation.configurations import Configurations  # flint, as the next
    from armwerk.derivation.nominal import with_closed_form

    named = with_closed_form(arm)
    if named is None:
        raise UnsupportedError(
            f"arm '{arm.name}' has no closed form, nor is it near to one that has: names for "
            "solutions come from there"
        )
    return Configurations(named)


METHODS: dict[str, Factory] = {**ITERATIVE, "closed": _closed}
"""How `model` solves inverse kinematics, by name."""


def register_closed(factory: Factory) -> None:
    """Let ``factory`` make the closed solver of an arm; it returns None where it knows no form."""
    METHODS["closed"] = factory


@overload
def model(arm: Arm | ArmName, ik: InverseMethod = "pref") -> SerialModel: ...
@overload
def model(arm: Assembly | AssemblyName, ik: InverseMethod = "pref") -> AssemblyModel: ...
@overload
def model(arm: str | Path | Arm | Assembly, ik: InverseMethod = "pref") -> ArmModel: ...
def model(arm: str | Path | Arm | Assembly, ik: InverseMethod = "pref") -> ArmModel:
    """Return the model of an arm.

    Args:
        arm: A description, the name of a library arm, or the path of a file.
        ik: How inverse kinematics is solved: "closed" (by formula), "numeric" (damped least
            squares with restarts), "jacobian" (integration of joint rates), "simplex"
            (Nelder-Mead), or "pref": closed where there is one, else numeric. The model of an
            assembly has one way only and does not look at it.

    Returns:
        A `SerialModel` of an `Arm` (a `CoupledModel` where joints are coupled), an
        `AssemblyModel` of an `Assembly`.

    Raises:
        UnsupportedError: When the arm still has symbols, or has no closed form and one is asked.
        UnknownNameError: For a name that is neither in the library nor a method.
    """
    described = load(arm) if isinstance(arm, str | Path) else arm
    if isinstance(described, Arm):
        if described.is_coupled:
            from armwerk.mechanics.coupled import CoupledModel  # compiled code

            return CoupledModel(described, ik, METHODS, _naming)
        from armwerk.mechanics.serial import SerialModel  # compiled code

        return SerialModel(described, ik, METHODS, _naming)
    if isinstance(described, Assembly):
        from armwerk.mechanics.assembly.model import AssemblyModel  # compiled code

        return AssemblyModel(described)
    raise DescriptionError(
        "no model can be made of this", value=arm, allowed="an Arm, an Assembly, a name or a file"
    )
