"""Inverse kinematics by damped least squares with restarts: the method that nearly always works.

The descent itself is in `armwerk.mechanics.kernels.descent`; where it comes close but does not
arrive, the edge of the reach is looked for (`armwerk.mechanics.kernels.edge`). Starts are spread
evenly over the joint ranges in a fixed order, so equal questions get equal answers. What is found
is right; that nothing else exists is not proven.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import fit, wrap
from armwerk.mechanics.inverse.interface import TASK_SIZES, Solution, Task
from armwerk.mechanics.inverse.iterative import IterativeSolver
from armwerk.mechanics.inverse.tether import tether
from armwerk.mechanics.kernels import search as kernels
from armwerk.mechanics.kernels.edge import find_edge
from armwerk.mechanics.kernels.jacobian import remaining
from armwerk.robot.arm import Arm

_NEAR_MISS = 1e-3  # [m + rad] a descent that ends this near may be at the edge of the reach
_EDGE_STARTS = 40  # descents from whose ends the edge of the reach is looked for
_BEYOND = 30  # times a pose lies beyond an edge; arms have several, one for each shoulder and wrist
STARTS = 200  # descents before a pose counts as out of reach; one in a thousand needs more than 20
HANDFUL = 8  # solutions given of infinitely many, for arms with joints to spare


class NumericSolver(IterativeSolver):
    """Damped least squares; see the module."""

    name: ClassVar[str] = "numeric"

    def __init__(self, arm: Arm, chain: Chain) -> None:
        super().__init__(arm, chain)
        self._home = chain.home()
        self._tether = tether(chain)

    def search(self, T: Array, q0: Array | None, task: Task, *, nearest: bool) -> Solution:
        """Return the first solution within limits, or the nearest to q0 of all that are found.

        One that is within half a radian of q0 is taken without looking further.
        """
        mode = kernels.ANY if q0 is None else kernels.NEAREST if nearest else kernels.SEEDED
        start = self._home if q0 is None else q0
        size = TASK_SIZES[task]
        result = kernels.search(self.chain.constants, T, start, size, STARTS, mode)
        n = self.chain.dof
        status, position, rotation, iterations, starts = result[n:].tolist()
        q = result[:n].copy()
        if status == kernels.OUT_OF_REACH and task == "pose":
            found = self._on_edge(T, q, position + rotation, start, within_limits=True)
            if found is not None:
                q, status = found, kernels.SOLVED
                position, rotation = remaining(self.chain.constants, T, q, 6)[6:].tolist()
        reason = "solved"
        if status == kernels.OUT_OF_REACH:
            reason = self.out_of_reach(position, rotation, int(starts))
        elif status == kernels.OUTSIDE_LIMITS:
            reason = self.outside_limits(q)
        return Solution(
            q,
            success=status == kernels.SOLVED,
            residual_position=position,
            residual_rotation=rotation,
            iterations=int(iterations),
            restarts=int(starts) - 1,
            method=self.name,
            reason=reason,
        )

    def collect(self, Ts: Array, within_limits: bool) -> tuple[Array, Integers]:
        """Return the solutions found for each pose; a handful for arms with joints to spare.

        Those of arms with joints to spare always keep the limits.
        """
        spare = self.chain.dof > 6
        if len(Ts) == 1 and not self._tether.allows(Ts[0]):
            return np.empty((1, 0, self.chain.dof)), np.zeros(1, dtype=np.int64)
        solutions, counts = kernels.collect_batch(
            self.chain.constants,
            Ts,
            STARTS,
            HANDFUL if spare else kernels.MOST_SOLUTIONS,
            within_limits or spare,
        )
        for k in np.flatnonzero(counts == 0):
            result = kernels.search(self.chain.constants, Ts[k], self._home, 6, 1, kernels.ANY)
            q, miss = result[: self.chain.dof], float(result[self.chain.dof + 1 :][:2].sum())
            limited = within_limits or spare
            found = self._on_edge(Ts[k], q, miss, self._home, within_limits=limited)
            if found is not None:
                solutions[k, 0], counts[k] = found, 1
        most = int(counts.max(initial=0))
        return solutions[:, :most], counts

    def more(self, T: Array, known: Array) -> Array:
        """Return the known solutions of a pose, each once, and those that descents find besides.

        Limits do not count. Shape (k, n), as is ``known``.
        """
        solutions, count = kernels.collect_from(
            self.chain.constants, T, STARTS, np.ascontiguousarray(known)
        )
        if count == 0:
            several, counts = self.collect(T[None], within_limits=False)
            return several[0, : counts[0]]
        return solutions[:count]

    def _on_edge(
        self, T: Array, q: Array, miss: float, near: Array, *, within_limits: bool
    ) -> Array | None:
        """Return a solution of a pose at the edge of the reach, or None.

        Args:
            T: A pose that descents came close to but did not reach.
            q: Where one of them ended. Shape (n,).
            miss: By how much it missed the pose [m + rad].
            near: Where full turns are counted from. Shape (n,).
            within_limits: Whether the solution has to keep the limits.
        """
        if not self._tether.allows(T):
            return None
        if self.chain.dof < 6:
            return None  # most poses are out of reach, in directions that are lost everywhere
        beyond = 0
        for first in self.chain.spread(_EDGE_STARTS):
            if miss < _NEAR_MISS:
                on_pose, on_edge, found = find_edge(self.chain.constants, T, q)
                if on_pose:
                    turned, inside = fit(self.chain, found, near)
                    if inside or not within_limits:
                        return turned if within_limits else wrap(self.chain, found)
                beyond += on_edge and not on_pose
                if beyond == _BEYOND:
                    return None
            result = kernels.search(self.chain.constants, T, first, 6, 1, kernels.SEEDED)
            q, miss = result[: self.chain.dof], float(result[self.chain.dof + 1 :][:2].sum())
        return None
