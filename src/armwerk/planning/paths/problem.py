"""What every planner is given: where from, where to, what is free, and how much time is left."""

from __future__ import annotations

import time

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.collision.prover import Prover
from armwerk.planning.options import Progress

_BEYOND = np.pi  # [rad or m] how far around start and goals a joint without limits may go


class PlanningProblem:
    """The configurations of an arm among bodies, as a planner sees them.

    Args:
        checker: The arm and what stands around it.
        start: Joint values, free. Shape (n,).
        goals: Free ones, the nearest first. Shape (k, n).
        margin: Distance to keep from bodies [m].
        seconds: Time that may be used [s]; the search ends a little earlier, see `reserve`.
        begin: When that time began, by time.perf_counter() [s]; None: now.
        seed: For whatever is random.
        axes: Joints that the map of "a-star" runs over, counted from 0.
        cells: Number of cells of that map along each axis; None: chosen.
        progress: Called with the fraction of the time used, 0 to 1, once in a while.
    """

    def __init__(
        self,
        checker: Checker,
        start: Array,
        goals: Array,
        *,
        margin: float = 0.0,
        seconds: float = 10.0,
        begin: float | None = None,
        seed: int = 0,
        axes: tuple[int, int] = (0, 1),
        cells: tuple[int, int] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.checker, self.prover = checker, Prover(checker)
        self.start, self.goals = start, goals
        self.margin, self.seed = margin, seed
        self.axes, self.cells = axes, cells
        self.looks = 0
        self.low, self.high = _bounds(checker.limits, np.vstack([start[None], goals]))
        self.seconds = seconds
        self._begin = time.perf_counter() if begin is None else begin
        self._told = 0.0
        self._progress = progress

    @property
    def used(self) -> float:
        """Time used so far [s]."""
        return time.perf_counter() - self._begin

    def expired(self) -> bool:
        """Whether the time for searching is up; tells the progress too."""
        used = self.used
        if self._progress is not None and used - self._told > 0.1:
            self._told = used
            self._progress(min(used / self.seconds, 1.0))
        return used >= self.seconds - reserve(self.seconds)

    def is_free(self, q: Array) -> bool:
        """Whether the arm touches nothing, and keeps the margin."""
        self.looks += 1
        if self.checker.contacts(q[None])[0]:
            return False
        return not self.margin or self.checker.distance(q, self_too=False).value > self.margin

    def segments_free(self, Q: Array) -> bool:
        """Whether straight lines in joint space between waypoints are proved free. (k, n)."""
        free, _, looks = self.prover.segments(Q, self.margin)
        self.looks += looks
        return free


def reserve(seconds: float) -> float:
    """Return what a search leaves of its time [s].

    It is needed for the look that is under path and the last proof, and on a machine that has other
    things to do: a limit is a limit for the whole call.
    """
    return min(0.1 + 0.01 * seconds, 0.5 * seconds)


def _bounds(limits: Array, points: Array) -> tuple[Array, Array]:
    """Return the range in which a path is looked for: at most half a turn around its ends.

    A joint that may turn several times reaches every angle within that.
    """
    low = np.maximum(limits[:, 0], points.min(axis=0) - _BEYOND)
    high = np.minimum(limits[:, 1], points.max(axis=0) + _BEYOND)
    return np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))


def length(path: Array) -> float:
    """Return how long a path is in joint space [rad, and m for sliding joints]."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
