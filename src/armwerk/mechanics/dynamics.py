"""What moves a serial arm: the forces of its joints, their accelerations, its energy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.mechanics.arrays import joint_arrays
from armwerk.mechanics.chain import Chain
from armwerk.robot.arm import Arm

_empty, _ndarray = np.empty, np.ndarray  # names of this module are found faster than numpy's


class SerialDynamics:
    """Dynamics of a serial arm, the part of `SerialModel` that knows masses.

    Armature counts as mass of its joint; friction is kept apart (`friction`).

    Args:
        arm: The description, without symbols.
        chain: The same as numbers.
    """

    def __init__(self, arm: Arm, chain: Chain) -> None:
        self.arm = arm
        self.chain = chain
        self.dof = chain.dof
        self._shape = (self.dof,)
        self._bodies = chain.bodies

    # Kernels are loaded when they are first used; after that a call finds them in the instance.

    @cached_property
    def _inverse_into(self) -> Callable[..., None]:  # raises TypeError for what is no array
        from armwerk.mechanics.kernels.dynamics import inverse

        return inverse

    @cached_property
    def _mass_into(self) -> Callable[[Array, Array, Array], None]:
        from armwerk.mechanics.kernels.dynamics import mass

        return mass

    @cached_property
    def _forward_into(self) -> Callable[..., int]:  # likewise
        from armwerk.mechanics.kernels.dynamics import forward

        return forward

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the joint forces of a motion, without friction. Shape (n,) or (m, n).

        tau = H(q) qdd + b(q, qd), by the recursion of Newton and Euler [N m or N].
        """
        try:
            if isinstance(q, _ndarray) and q.ndim == 1:
                tau = _empty(self._shape)
                self._inverse_into(self._bodies, q, qd, qdd, tau)
                return tau
        except (TypeError, ValueError):
            pass
        from armwerk.mechanics.kernels.dynamics import inverse_batch

        rows, single = joint_arrays(self.dof, q=q, qd=qd, qdd=qdd)
        taus = inverse_batch(self._bodies, *rows)
        return taus[0] if single else taus

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return Coriolis, centrifugal and gravity forces, inverse dynamics at qdd = 0."""
        return self.inverse_dynamics(q, qd, np.zeros(self.dof))

    def gravity(self, q: ArrayLike) -> Array:
        """Return the joint forces that hold the arm still [N m or N]. Shape (n,) or (m, n)."""
        zero = np.zeros(self.dof)
        return self.inverse_dynamics(q, zero, zero)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return H(q), armature on its diagonal [kg m², kg m, kg]. Shape (n, n) or (m, n, n)."""
        try:
            if isinstance(q, _ndarray) and q.ndim == 1:
                H = _empty((self.dof, self.dof))
                self._mass_into(self._bodies, q, H)
                return H
        except (TypeError, ValueError):
            pass
        from armwerk.mechanics.kernels.dynamics import mass_batch

        (rows,), single = joint_arrays(self.dof, q=q)
        many = mass_batch(self._bodies, rows)
        return many[0] if single else many

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations qdd = H⁻¹ (tau - b) without friction. Shape (n,) or (m, n).

        Raises:
            UnsupportedError: When nothing resists some joint because the masses are missing.
        """
        try:
            if isinstance(q, _ndarray) and q.ndim == 1:
                qdd = _empty(self._shape)
                if self._forward_into(self._bodies, q, qd, tau, qdd) < 0:
                    return qdd
        except (TypeError, ValueError):
            pass
        from armwerk.mechanics.kernels.dynamics import forward_batch

        rows, single = joint_arrays(self.dof, q=q, qd=qd, tau=tau)
        many, loose = forward_batch(self._bodies, *rows)
        if loose >= 0:
            raise UnsupportedError(
                f"arm '{self.arm.name}' has no forward dynamics: no mass, inertia or armature "
                f"resists joint '{self.arm.moving[loose].name}'"
            )
        return many[0] if single else many

    def friction(self, qd: ArrayLike) -> Array:
        """Return the joint forces that friction takes, to be added to inverse dynamics.

        B qd + C₊ for qd > 0, B qd - C₋ for qd < 0, 0 at rest [N m or N]. Shape (n,) or (m, n).
        """
        (rows,), single = joint_arrays(self.dof, qd=qd)
        forwards, backwards = self.chain.coulomb.T
        force = self.chain.viscous * rows + forwards * (rows > 0) - backwards * (rows < 0)
        return np.asarray(force[0] if single else force)

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """Return kinetic and potential energy [J], each of shape () or (m,).

        The potential energy of a mass in the world's origin is 0.
        """
        from armwerk.mechanics.kernels.dynamics import energy_batch

        rows, single = joint_arrays(self.dof, q=q, qd=qd)
        both = energy_batch(self._bodies, *rows)
        return (both[0, 0], both[0, 1]) if single else (both[:, 0], both[:, 1])
