"""What the simple iterative methods share: starts, limits, and the check of every result."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.mechanics.choice import distance, fit, is_new, wrap
from armwerk.mechanics.inverse.iterative import IterativeSolver
from armwerk.mechanics.inverse.solution import TASK_SIZES, TOLERANCE, Solution, Task
from armwerk.mechanics.kernels.jacobian import remaining

_LOOKS = 3  # solutions found before the nearest of them is taken


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
