"""What every way to solve inverse kinematics offers, in the same words, and what it answers.

    all(T)             every solution of a pose                   (k, n)
    all_batch(Ts)      the same for m poses                       (m, kmax, n), (m,)
    nearest(T, q)      the one within limits nearest to q         (n,) or None
    solve(T, q0)       one within limits, or why there is none    `Solution`

Whatever the way, a solution is handed out only if direct kinematics agrees with the pose to
`TOLERANCE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args, runtime_checkable

from numpy.typing import ArrayLike

from armwerk.accelerator import Device
from armwerk.arrays import Array, Flags, Integers
from armwerk.mechanics.chain import Chain
from armwerk.robot.arm import Arm

Task: TypeAlias = Literal["pose", "position", "direction", "plane"]
"""The part of a pose that counts: all of it; the point; the point and the tool's z axis; or place
and turn in the plane of an arm whose axes are parallel."""
TASKS: tuple[Task, ...] = get_args(Task)
TASK_SIZES: dict[Task, int] = {"pose": 6, "position": 3}
"""Numbers that a descent brings to zero, of the tasks that descents know."""
TOLERANCE = 1e-9  # [m] and [rad]: a solution is one only if direct kinematics agrees this well
InverseMethod: TypeAlias = Literal["pref", "closed", "general", "numeric", "jacobian", "simplex"]
"""How inverse kinematics is solved, see `armwerk.model`."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """One answer of the inverse kinematics, good or bad.

    Args:
        q: Joint values [rad or m]; without success those that came closest. Shape (n,).
        success: Whether direct kinematics of ``q`` is the wanted pose and limits are kept.
        residual_position: Distance left [m].
        residual_rotation: Angle left [rad]; 0 when only a position was asked for.
        iterations: Steps of the method, over all starts.
        restarts: Starts after the first one.
        method: Name of the solver.
        reason: "solved", or a sentence that says what is in the way.
    """

    q: Array
    success: bool
    residual_position: float
    residual_rotation: float
    iterations: int
    restarts: int
    method: str
    reason: str

    def __bool__(self) -> bool:
        return self.success


@dataclass(frozen=True, slots=True, eq=False)
class SolutionSet:
    """All solutions for one pose or point, and what is known of them as a whole.

    Args:
        joints: One configuration per row, angles in (-π, π]. Shape (k, n).
        family: Joints, counted from 1, that can move together without leaving the pose; the
            rows are then single members of infinitely many. Empty: there are no others.
        method: "closed" for the formulas, "general" for elimination, "numeric" where only iteration
            found something.
        idle: Joints, counted from 1, that move nothing the goal asks for, such as fingers; they
            stay where they are wanted.
        proved: Whether it is certain that there are no others: the formulas have given all their
            branches, or elimination has counted the solutions.
    """

    joints: Array
    family: tuple[int, ...] = ()
    method: Literal["closed", "general", "numeric"] = "closed"
    idle: tuple[int, ...] = ()
    proved: bool = False

    def __len__(self) -> int:
        return len(self.joints)


class InverseSolver(Protocol):
    """Solves the inverse kinematics of one arm.

    Arguments come as users give them; what is wrong with them is a `ShapeError`.
    """

    @property
    def name(self) -> str:
        """Name of the method, as in `Solution.method`."""
        ...

    def all(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions of a pose (4, 4), none when out of reach. Shape (k, n).

        Angles are in (-π, π] and joint limits do not count, unless ``within_limits`` is set:
        then angles are shifted by full turns where that helps, and what breaks a limit is left
        out.
        """
        ...

    def all_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return solutions (m, kmax, n) of m poses, nan behind the last, and their numbers (m,)."""
        ...

    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the solution within limits nearest to q, or None. Shape (n,)."""
        ...

    def solve(self, T: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return a solution within limits with all that is known of it, or why there is none.

        Args:
            T: Pose of shape (4, 4); for the task "position" a point of shape (3,) will do.
            q0: Where the search starts; None: wherever the method likes. Shape (n,).
            task: "pose", or "position" to leave the orientation free.
        """
        ...


@runtime_checkable
class SetSolver(Protocol):
    """What a solver offers besides that knows its solutions as a whole."""

    def solution_set(self, T: ArrayLike) -> SolutionSet:
        """Return every solution of a pose, whether there are infinitely many, and if it is all."""
        ...


@runtime_checkable
class ClosedForm(SetSolver, Protocol):
    """What a solver offers besides that knows the solutions by formula."""

    def all_batch(
        self, Ts: ArrayLike, within_limits: bool = False, device: Device = "cpu"
    ) -> tuple[Array, Integers]:
        """Return every solution of m poses, found here or on an accelerator."""
        ...

    def regular(self, T: ArrayLike) -> Array | None:
        """Return every solution of a pose at which formulas need no care; None: they do. (k, n)."""
        ...

    def members(self, T: ArrayLike, q: ArrayLike) -> Array:
        """Return solutions all over a family of infinitely many, some beside q. Shape (k, n)."""
        ...

    def naming(self) -> Naming:
        """Return names for its solutions."""
        ...


class Naming(Protocol):
    """Names that the geometry of an arm gives to its configurations."""

    def names(self, q: ArrayLike) -> list[str]:
        """Return the names of configurations (k, n): arm left or right, elbow up or down, ..."""
        ...

    def selected(self, q: ArrayLike, configuration: str) -> Flags:
        """Return which configurations (k, n) have all the words of a name. Shape (k,)."""
        ...


NamingFactory: TypeAlias = Callable[[Arm], Naming]
"""Makes the names of an arm; an `UnsupportedError` says why it has none."""

Factory: TypeAlias = Callable[[Arm, Chain], InverseSolver | None]
"""Makes the solver of an arm; None, or an `UnsupportedError` that says why: it has none."""
