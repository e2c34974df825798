"""What every way to solve inverse kinematics offers, in the same words.

    all(T)             every solution of a pose                   (k, n)
    all_batch(Ts)      the same for m poses                       (m, kmax, n), (m,)
    nearest(T, q)      the one within limits nearest to q         (n,) or None
    solve(T, q0)       one within limits, or why there is none    `Solution`

Whatever the way, a solution is handed out only if direct kinematics agrees with the pose to
`TOLERANCE`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.inverse.solution import Solution, SolutionSet, Task
from armwerk.robot.arm import Arm

InverseMethod: TypeAlias = Literal["pref", "closed", "numeric", "jacobian", "simplex"]
"""How inverse kinematics is solved, see `armwerk.model`."""


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
class ClosedForm(Protocol):
    """What a solver offers besides that knows the solutions by formula."""

    def solution_set(self, T: ArrayLike) -> SolutionSet:
        """Return every solution of a pose, and whether there are infinitely many."""
        ...


Factory: TypeAlias = Callable[[Arm, Chain], InverseSolver | None]
"""Makes the solver of an arm; None, or an `UnsupportedError` that says why: it has none."""
