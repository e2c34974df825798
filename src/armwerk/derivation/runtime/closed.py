"""The closed form behind `armwerk.model`: a `ClosedFormSolver` in the shape mechanics asks for.

Mechanics names this module in its table of solvers and calls `make`; it knows nothing else of the
derivation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.derivation.runtime.find import closed_form
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.mechanics.arrays import pose_array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import distance, fit
from armwerk.mechanics.inverse import FACTORIES, InverseSolver
from armwerk.mechanics.kernels.direct import fk
from armwerk.mechanics.solution import Solution, Task
from armwerk.robot.arm import Arm

_CHOICES = 24  # values tried for a given joint of a redundant arm


def make(arm: Arm, chain: Chain) -> ClosedInverse | None:
    """Return the closed solver of an arm; an `UnsupportedError` says why it has no closed form."""
    return ClosedInverse.for_arm(arm, chain)


class ClosedInverse:
    """All solutions by formula; what formulas do not cover is handed to the numeric solver.

    Args:
        chain: The packed arm.
        closed: Its closed form.
        numeric: For positions without orientation, and for singular poses as a last resort.
    """

    name = "closed"

    def __init__(self, chain: Chain, closed: ClosedFormSolver, numeric: InverseSolver) -> None:
        self.chain = chain
        self.closed = closed
        self.numeric = numeric
        self._weights = chain.metric
        self._choices = _choices(chain, closed.given)
        # bound here, so that a call goes straight to the compiled code
        self.one = self._redundant if closed.given else closed.solve_one

    @classmethod
    def for_arm(cls, arm: Arm, chain: Chain) -> ClosedInverse | None:
        """Return the solver of an arm.

        Raises:
            UnsupportedError: When it has no closed form; says why.
        """
        numeric = FACTORIES["numeric"](arm, chain)
        if numeric is None:
            return None

        def ask(T: Array) -> Array | None:
            found = numeric.solve(T, None, "pose")
            return found.q if found.success else None

        return cls(chain, closed_form(arm, numeric=ask), numeric)

    def many(self, Ts: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """Return every solution of m poses, nan behind the last, and their numbers."""
        if self.closed.given:
            return self.all(pose_array(Ts, "Ts")[0], False)
        return self.closed.solve_batch(Ts)

    def near(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution within limits nearest to q; None when there is none."""
        limits, weights = self.chain.limits, self._weights
        found = self.closed.nearest(T, q, limits, weights)
        if found is not None:
            return found
        if self.closed.given:
            return self._nearest_choice(pose_array(T)[0][0], np.asarray(q, dtype=np.float64))
        if self.closed.solve(T).family:  # of infinitely many only some were held against limits
            solution = self.numeric.nearest(pose_array(T)[0][0], np.asarray(q, float), "pose")
            return solution.q if solution.success else None
        return None

    def all(self, Ts: Array, within_limits: bool) -> tuple[Array, NDArray[np.int64]]:
        """Return every solution of m poses; of a redundant arm those of the first choice."""
        if self.closed.given:
            rows = [self._redundant(T) for T in Ts]
            counts = np.array([len(row) for row in rows], dtype=np.int64)
            solutions = np.full((len(Ts), max(counts, default=0), self.chain.dof), np.nan)
            for k, row in enumerate(rows):
                solutions[k, : len(row)] = row
        else:
            solutions, counts = self.closed.solve_batch(Ts)
        if within_limits:
            _keep_inside(self.chain, solutions, counts)
        return solutions, counts

    def nearest(self, T: Array, q0: Array, task: Task = "pose") -> Solution:
        """Return the solution within limits nearest to q0."""
        if task != "pose":
            return self.numeric.nearest(T, q0, task)
        return self._answer(T, self.near(T, q0))

    def solve(self, T: Array, q0: Array | None, task: Task = "pose") -> Solution:
        """Return a solution within limits, the one nearest to q0 or to the middle."""
        if task != "pose":
            return self.numeric.solve(T, q0, task)
        low, high = self.chain.limits.T
        bounded = np.isfinite(low) & np.isfinite(high)
        middle = 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0))
        return self.nearest(T, middle if q0 is None else q0)

    def _nearest_choice(self, T: Array, q: Array) -> Array | None:
        """Return the nearest over all values tried for the given joints, else what numbers find."""
        limits, weights = self.chain.limits, self._weights
        tried = (self.closed.nearest(T, q, limits, weights, one) for one in self._choices)
        kept = [one for one in tried if one is not None]
        if kept:
            return kept[int(np.argmin([distance(self.chain, one, q) for one in kept]))]
        solution = self.numeric.nearest(T, q, "pose")
        return solution.q if solution.success else None

    def _redundant(self, T: ArrayLike) -> Array:
        """Return the solutions for the first value of the given joints that has some in limits.

        Where none of the values tried has a solution, the numeric solver looks for one that does.
        """
        best = np.empty((0, self.chain.dof))
        for given in self._choices:
            found = self.closed.solve_one(T, given)
            if len(found):
                _, inside = fit(self.chain, found, np.zeros(self.chain.dof))
                if inside.any():
                    return found
                best = best if len(best) else found
        if not len(best):
            pose = pose_array(T)[0][0]
            solution = self.numeric.solve(pose, None, "pose")
            if solution.success:
                chosen = [joint - 1 for joint in self.closed.given]
                best = self.closed.solve_one(pose, solution.q[chosen])
        return best

    def _answer(self, T: Array, q: Array | None) -> Solution:
        n = self.chain.dof
        if q is not None:
            gap = fk(self.chain.constants, q) - T
            return Solution(
                q,
                True,
                float(np.linalg.norm(gap[:3, 3])),
                float(np.linalg.norm(gap[:3, :3]) / np.sqrt(2.0)),
                0,
                0,
                self.name,
                "solved",
            )
        exists = len(self.one(T)) > 0
        reason = (
            "every solution of this pose violates a joint limit"
            if exists
            else "the pose is out of reach"
        )
        return Solution(np.full(n, np.nan), False, np.inf, np.inf, 0, 0, self.name, reason)


def _choices(chain: Chain, given: tuple[int, ...]) -> list[Array]:
    """Return values for the given joints, from the middle of their limits outwards."""
    if not given:
        return []
    index = [joint - 1 for joint in given]
    low = np.where(np.isfinite(chain.limits[index, 0]), chain.limits[index, 0], -np.pi)
    high = np.where(np.isfinite(chain.limits[index, 1]), chain.limits[index, 1], np.pi)
    shares = np.linspace(0.0, 1.0, _CHOICES + 1)
    shares = shares[np.argsort(np.abs(shares - 0.5), kind="stable")]
    return [np.asarray(low + share * (high - low)) for share in shares]


def _keep_inside(chain: Chain, solutions: Array, counts: NDArray[np.int64]) -> None:
    """Drop what violates a limit, in place; angles move by full turns where that helps."""
    for k, count in enumerate(counts):
        shifted, inside = fit(chain, solutions[k, :count], np.zeros(chain.dof))
        kept = shifted[inside]
        solutions[k] = np.nan
        solutions[k, : len(kept)] = kept
        counts[k] = len(kept)
