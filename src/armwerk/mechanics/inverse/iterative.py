"""What all iterative methods share: checked arguments, the order of results, and the reasons.

The simple ones go from one start to one configuration and are tried from several starts.
`JacobianSolver` integrates joint rates: q <- q + J⁺ Δ with a bounded step Δ. The method of the
ArmBot and of Newton and Raphson, here for the whole pose: Δ holds the way left for the tool's
position and, as a rotation vector, for its orientation. J⁺ is the inverse of the Jacobian or, for
other than six joints, its pseudo-inverse. Converges quadratically from nearby; has no defence at
singular poses but to try another start.

`SimplexSolver` is the downhill simplex of Nelder and Mead on the pose error. Needs no derivative
and no inverse, and is a hundred times slower than `numeric` for it. When the simplex has shrunk
without arriving, it is set up anew around its best corner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.mechanics.arrays import goal_array, joint_vector, pose_array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import distance, fit, in_order, is_new, wrap
from armwerk.mechanics.inverse.interface import TASK_SIZES, TOLERANCE, Solution, Task
from armwerk.mechanics.kernels.jacobian import jacobian, remaining
from armwerk.robot.arm import Arm

_LOOKS = 3  # solutions found before the nearest of them is taken
RATE_STARTS = 12
STEP = 0.2  # longest step of the tool [rad, or length scales of the arm]
ITERATIONS = 150
_SHARP = 1e-12  # [rad or scales] no step makes it better
_RANK = 1e-8  # singular values below this share of the largest count as zero
SIMPLEX_STARTS = 6
ROUNDS = 6  # simplices in a row from one start
EVALUATIONS = 1500  # of the error, for one simplex
FIRST_EDGE = 0.3  # [rad or scales]; later simplices are smaller
_SOLVED = 1e-21  # half the square of 4e-11 rad or scales: safely below the tolerance


class IterativeSolver(ABC):
    """The words of `InverseSolver` in front of a search and a collection.

    Args:
        arm: The arm, for messages.
        chain: The same arm, packed.
    """

    name: ClassVar[str] = ""

    def __init__(self, arm: Arm, chain: Chain) -> None:
        self.arm = arm
        self.chain = chain

    @abstractmethod
    def search(self, T: Array, q0: Array | None, task: Task, *, nearest: bool) -> Solution:
        """Return a solution within limits: the first found, or the nearest to q0 of several.

        Args:
            T: Exactly rigid. Shape (4, 4).
            q0: Where the search starts; None: anywhere. Shape (n,).
            task: What of the pose counts.
            nearest: Whether to look on for a nearer one.
        """

    @abstractmethod
    def collect(self, Ts: Array, within_limits: bool) -> tuple[Array, Integers]:
        """Return the solutions found for each exactly rigid pose, in any order; see `all_batch`."""

    def all(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return the solutions that are found of a pose, in order. Shape (k, n)."""
        solutions, counts = self.collect(goal_array(T, "pose")[None], within_limits)
        return in_order(solutions[0, : counts[0]])

    def all_batch(self, Ts: ArrayLike, within_limits: bool = False) -> tuple[Array, Integers]:
        """Return the solutions of m poses, nan behind the last: (m, kmax, n), and (m,)."""
        solutions, counts = self.collect(pose_array(Ts, "Ts")[0], within_limits)
        for row, count in zip(solutions, counts, strict=True):
            row[:count] = in_order(row[:count])
        return solutions, counts

    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the nearest to q of the solutions within limits that are found, or None."""
        near = joint_vector(q, self.chain.dof)
        solution = self.search(goal_array(T, task), near, task, nearest=True)
        return solution.q if solution.success else None

    def solve(self, T: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return the first solution within limits that is found."""
        start = None if q0 is None else joint_vector(q0, self.chain.dof)
        return self.search(goal_array(T, task), start, task, nearest=False)

    def out_of_reach(self, position: float, rotation: float, starts: int) -> str:
        """Return the sentence for a pose that no start led to."""
        return (
            f"out of reach as far as {starts} starts can tell: "
            f"{position:.3g} m and {rotation:.3g} rad are left at best"
        )

    def outside_limits(self, q: Array) -> str:
        """Return the sentence for a pose whose solutions break a joint limit."""
        low, high = self.chain.limits.T
        i = int(np.argmax(np.maximum(q - high, low - q) * self.chain.metric))
        joint = self.arm.moving[i]
        return (
            f"solutions were found only outside the joint limits: joint '{joint.name}' would need "
            f"{q[i]:.4g} {joint.unit} (allowed: {low[i]:.4g} to {high[i]:.4g} {joint.unit})"
        )


class RestartingSolver(IterativeSolver):
    """A method that goes from one start to one configuration, tried from several starts."""

    starts: ClassVar[int] = 1
    """Largest number of starts for a pose."""

    @abstractmethod
    def descend(self, T: Array, q: Array, task: Task) -> tuple[Array, int]:
        """Return where the method gets to from q, and the iterations used."""

    def collect(self, Ts: Array, within_limits: bool) -> tuple[Array, Integers]:
        """Return the distinct solutions that the starts lead to."""
        found = [self._distinct(T, within_limits) for T in Ts]
        counts = np.array([len(known) for known in found], dtype=np.int64)
        most = int(counts.max(initial=0))
        solutions = np.full((len(Ts), most, self.chain.dof), np.nan)
        for row, known in zip(solutions, found, strict=True):
            row[: len(known)] = np.array(known).reshape(-1, self.chain.dof)
        return solutions, counts

    def _distinct(self, T: Array, within_limits: bool) -> list[Array]:
        known: list[Array] = []
        for start in self.chain.spread(self.starts):
            q, _ = self.descend(T, start, "pose")
            if not self._left(T, q, "pose")[2]:
                continue
            shifted, inside = fit(self.chain, q, self.chain.home())
            if within_limits and not inside:
                continue
            q = shifted if within_limits else wrap(self.chain, q)
            if is_new(self.chain, q, known):
                known.append(q)
        return known

    def _left(self, T: Array, q: Array, task: Task) -> tuple[float, float, bool]:
        """Return what direct kinematics of q leaves [m], [rad], and whether that is a solution."""
        left = remaining(self.chain.constants, T, q, TASK_SIZES[task])
        position, rotation = float(left[6]), float(left[7])
        return position, rotation, position <= TOLERANCE and rotation <= TOLERANCE

    def search(self, T: Array, q0: Array | None, task: Task, *, nearest: bool) -> Solution:
        """Return the first solution within limits, or the nearest of the first few."""
        enough = _LOOKS if nearest else 1
        reference = self.chain.home() if q0 is None else q0
        starts = self.chain.spread(self.starts)
        if q0 is not None:
            starts = np.vstack([q0, starts[:-1]])
        best: tuple[tuple[float, ...], Array, float, float, bool, bool] | None = None
        iterations = successes = tries = 0
        for start in starts:
            q, used = self.descend(T, start, task)
            tries += 1
            iterations += used
            position, rotation, solved = self._left(T, q, task)
            q, kept = fit(self.chain, q, reference)
            inside = bool(kept)
            miss = position / self.chain.scale + rotation
            away = float(distance(self.chain, q, reference))
            rank = (0.0, away) if solved and inside else (1.0, 0.0) if solved else (2.0, miss)
            if best is None or rank < best[0]:
                best = (rank, q, position, rotation, solved, inside)
            successes += solved and inside
            if successes == enough:
                break
        if best is None:
            raise ValueError("at least one start is needed")
        _, q, position, rotation, solved, inside = best
        reason = "solved"
        if not solved:
            reason = self.out_of_reach(position, rotation, tries)
        elif not inside:
            reason = self.outside_limits(q)
        return Solution(
            q,
            success=solved and inside,
            residual_position=position,
            residual_rotation=rotation,
            iterations=iterations,
            restarts=tries - 1,
            method=self.name,
            reason=reason,
        )


class JacobianSolver(RestartingSolver):
    """Integration of joint rates; see the module."""

    name: ClassVar[str] = "jacobian"
    starts: ClassVar[int] = RATE_STARTS

    def descend(self, T: Array, q: Array, task: Task) -> tuple[Array, int]:
        """Return where the integration ends, and the number of steps."""
        chain, rows = self.chain, TASK_SIZES[task]
        units = np.where(chain.revolute, 1.0, chain.scale)
        full = np.empty((6, chain.dof))
        for iteration in range(ITERATIONS):
            error = remaining(chain.constants, T, q, rows)[:rows]
            length = float(np.linalg.norm(error))
            if length < _SHARP:
                return q, iteration
            jacobian(chain.constants, q, full)
            J = full[:rows] * units
            J[:3] /= chain.scale
            step = error * min(1.0, STEP / length)
            dq = np.linalg.pinv(J, rcond=_RANK) @ step
            largest = np.abs(dq).max()
            q = q + units * dq * min(1.0, np.pi / max(largest, 1e-300))
        return q, ITERATIONS


class SimplexSolver(RestartingSolver):
    """Downhill simplex; see the module."""

    name: ClassVar[str] = "simplex"
    starts: ClassVar[int] = SIMPLEX_STARTS

    def descend(self, T: Array, q: Array, task: Task) -> tuple[Array, int]:
        """Return the best corner, and the number of evaluations."""
        from scipy.optimize import minimize  # heavy, and the other method does without

        chain, rows = self.chain, TASK_SIZES[task]
        units = np.where(chain.revolute, 1.0, chain.scale)

        def error(x: Array) -> float:
            e = remaining(chain.constants, T, x * units, rows)[:rows]
            return 0.5 * float(e @ e)

        x, evaluations, before, edge = q / units, 0, np.inf, FIRST_EDGE
        for _ in range(ROUNDS):
            corners = np.vstack([x, x + edge * np.eye(chain.dof)])
            end = minimize(
                error,
                x,
                method="Nelder-Mead",
                options={
                    "initial_simplex": corners,
                    "xatol": 1e-14,
                    "fatol": 1e-26,
                    "maxfev": EVALUATIONS,
                    "adaptive": True,
                },
            )
            x, value = end.x, float(end.fun)
            evaluations += int(end.nfev)
            if value < _SOLVED or value > 0.5 * before:
                break
            before, edge = value, max(1e-4, min(edge, 4.0 * np.sqrt(value)))
        return np.asarray(x * units), evaluations
