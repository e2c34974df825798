"""What can be asked of any arm model, and of one with a single chain of joints."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.interface import Solution, SolutionSet, Task
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly


@runtime_checkable
class ArmModel(Protocol):
    """The numbers of an arm: where it is, how it gets somewhere, what that takes.

    Joint vectors have shape (n,), or (m, n) for many at once; results then have m in front.
    Poses are in the world and hold for the tool point. Units: m, rad, kg, N, N m. The dynamics of
    an assembly of parts are refused with an `UnsupportedError`.
    """

    @property
    def arm(self) -> Arm | Assembly:
        """The description."""
        ...

    @property
    def dof(self) -> int:
        """Number n of joint variables."""
        ...

    @property
    def limits(self) -> Array:
        """Smallest and largest joint values [rad or m], infinite where free. Shape (n, 2)."""
        ...

    def fk(self, q: ArrayLike) -> Array:
        """Return the tool pose T_world_tool. Shape (4, 4) or (m, 4, 4)."""
        ...

    def frames(self, q: ArrayLike) -> Array | dict[str, Array]:
        """Return the frames along the arm: in a row, or by part for an assembly of parts."""
        ...

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J with (v, w) = J qd, world axes, at the tool point. Shape (6, n) or (m, 6, n)."""
        ...

    def ik(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions of a pose, none when out of reach. Shape (k, n)."""
        ...

    def ik_nearest(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution within limits nearest to q; None when there is none. Shape (n,)."""
        ...

    def ik_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, n), and counts (m,)."""
        ...

    def ik_position(self, p: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return joint values that bring the tool to a point [m], whatever its orientation.

        With ``q`` the nearest to it within limits, shape (n,), or None. Without: any one for a
        serial arm, shape (n,) or None; every one found for an assembly, shape (k, n).
        """
        ...

    def solutions(self, goal: ArrayLike, near: ArrayLike | None = None) -> SolutionSet:
        """Return every solution of a pose or point, and whether there are infinitely many.

        Limits do not count. Joints that move nothing the goal asks for stay at ``near``, and
        members of an infinite family are near to it; None: 0, or the limits next to it.
        """
        ...

    def solve(self, goal: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return one solution within limits with all that is known of it, or why there is none."""
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

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """Return kinetic and potential energy [J], each of shape () or (m,)."""
        ...


@runtime_checkable
class SerialArmModel(ArmModel, Protocol):
    """A model whose joints stand one behind the other; `SerialModel` is one."""

    @property
    def chain(self) -> Chain:
        """The arm, packed for kernels."""
        ...
