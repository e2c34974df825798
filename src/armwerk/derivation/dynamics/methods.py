"""The three ways to the dynamics, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from armwerk.derivation.dynamics.algebra import DynamicRing
from armwerk.derivation.dynamics.kane import kane
from armwerk.derivation.dynamics.lagrange import lagrange
from armwerk.derivation.dynamics.model import Dynamics, Matrices
from armwerk.derivation.dynamics.newton_euler import newton_euler, newton_euler_passes
from armwerk.derivation.dynamics.parameters import Parameters
from armwerk.derivation.ring import Ring
from armwerk.errors import UnknownNameError
from armwerk.robot import Arm

DynamicsMethod: TypeAlias = Literal["lagrange", "newton-euler", "newton-euler in one pass", "kane"]
METHODS: dict[DynamicsMethod, Callable[[DynamicRing], Matrices]] = {
    "lagrange": lagrange,
    "newton-euler": newton_euler_passes,
    "newton-euler in one pass": newton_euler,
    "kane": kane,
}


def dynamics(
    arm: Arm | Ring, method: DynamicsMethod = "lagrange", parameters: Parameters | None = None
) -> Dynamics:
    """Return the symbolic dynamics of an arm.

    Args:
        arm: The arm, or the ring of its kinematics.
        method: "lagrange", "newton-euler" (separate passes), "newton-euler in one pass" or
            "kane"; all give the same.
        parameters: "described": as the arm has them, numbers as named parameters; "symbolic":
            m, r and I of every link as symbols; "lumped": m, m r and inertia about the frame's
            origin as symbols. None: described when the arm has masses, else symbolic.

    Raises:
        UnknownNameError: For a method that does not exist.
        UnsupportedError: For a fixed joint between moving ones.
    """
    if method not in METHODS:
        raise UnknownNameError("method of the dynamics", method, METHODS)
    kinematics = arm if isinstance(arm, Ring) else Ring(arm)
    ring = DynamicRing(kinematics, parameters)
    return Dynamics(method, ring, METHODS[method](ring))
