"""The interface that all arm models share, and the one function that makes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.robot.parts import Assembly


@runtime_checkable
class ArmModel(Protocol):
    """The numbers of an arm: where it is, how it gets somewhere, what that takes.

    Joint vectors have shape (n,), or (m, n) for many at once; results then have m in front.
    Poses are in the world and hold for the tool point. Units: m, rad, kg, N, N m.
    """

    @property
    def arm(self) -> Any:
        """The description: an `Arm`, or an assembly of parts."""
        ...

    @property
    def dof(self) -> int:
        """Number n of joint variables."""
        ...

    def fk(self, q: ArrayLike) -> Array:
        """Return the tool pose T_world_tool. Shape (4, 4) or (m, 4, 4)."""
        ...

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd, world axes, at the tool point. Shape (6, n) or (m, 6, n)."""
        ...

    def ik(self, T: ArrayLike) -> Array:
        """Return the solutions of a pose, none when out of reach. Shape (k, n)."""
        ...

    def ik_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution within limits nearest to q; None when there is none. Shape (n,)."""
        ...

    def ik_batch(self, Ts: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, n), and counts (m,)."""
        ...

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the joint forces [N m or N] of a motion. Shape (n,) or (m, n)."""
        ...

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations that joint forces bring about. Shape (n,) or (m, n)."""
        ...

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return the mass matrix. Shape (n, n) or (m, n, n)."""
        ...

    def gravity(self, q: ArrayLike) -> Array:
        """Return the joint forces that hold the arm still. Shape (n,) or (m, n)."""
        ...


def model(arm: Arm | Assembly | str | Path, ik: str = "pref") -> ArmModel:
    """Return the model of an arm.

    Args:
        arm: A description, the name of a library arm, or the path of a file.
        ik: How inverse kinematics is solved: "closed" (by formula), "numeric" (damped least
            squares with restarts), "jacobian" (integration of joint rates), "simplex"
            (Nelder-Mead), or "pref": closed where there is one, else numeric.

    Raises:
        UnsupportedError: When the arm still has symbols, or has no closed form and one is asked.
        UnknownNameError: For a name that is neither in the library nor a method.
    """
    if isinstance(arm, str | Path):
        from armwerk.robot import load

        arm = load(arm)
    if isinstance(arm, Arm):
        from armwerk.mechanics.serial import SerialModel

        return SerialModel(arm, ik)
    from armwerk.robot.parts import Assembly

    if isinstance(arm, Assembly):
        from armwerk.mechanics.assembly import AssemblyModel

        return AssemblyModel(arm)
    raise DescriptionError(
        "no model can be made of this", value=arm, allowed="an Arm, an Assembly, a name or a file"
    )
