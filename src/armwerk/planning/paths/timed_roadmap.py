"""A roadmap in space and time: where an arm can stand and until when, and when it can go over.

Nodes are configurations in which the arm stands, each with the intervals of time in which nothing
that moves comes near it. Edges are straight lines in joint space, free of all that stands, driven
from rest to rest as quickly as the limits allow. A node and one of its intervals are a state; the
earliest arrival is all that matters of it, since the arm may wait there until the interval ends. So
the search is Dijkstra's with a lower bound of what is left, over states instead of nodes. (M.
Phillips, M. Likhachev: SIPP: Safe interval path planning for dynamic environments, ICRA 2011.)

Every interval and every drive is proved, not sampled, as `armwerk.collision.check` does it.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.bounded_trajectory import BoundedTrajectory, Intervals
from armwerk.collision.moving_scene import MovingScene
from armwerk.motion import ptp
from armwerk.motion.limits import Limits
from armwerk.motion.trajectory import Trajectory
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.robot.parts import Assembly

FINEST = 1e-4
"""[m] What moves less and still cannot be told from contact counts as contact."""
STANDING = 1e-3
"""[m] Likewise of an arm that stands: when something has come that near, to its very end."""
NEIGHBOURS = 10
"""Nodes that each one is connected to."""
_DEPARTURES = 10  # times at which setting off is tried, within one interval
_FIRST_WAIT = 0.05  # [s] of the shortest wait tried; each one after it is twice as long
_BRIEF = 1e-9  # [s] below which an interval is none


class TimedStop(NamedTuple):
    """A stop of a motion in space and time.

    Attributes:
        node: Number of the configuration.
        arrival: When the arm gets there, by the world's clock [s].
        departure: When it sets off to the next stop [s]; of the last one, when it may have to.
    """

    node: int
    arrival: float
    departure: float


class TimedDrive(NamedTuple):
    """A straight line in joint space, driven from rest to rest.

    Attributes:
        trajectory: The motion.
        bounded: Its parts, with bounds of its rates.
    """

    trajectory: Trajectory
    bounded: BoundedTrajectory


class TimedRoadmap:
    """Configurations, when the arm can be there, and how it gets from one to the other.

    Args:
        problem: The arm among what stands, with its start and goals.
        scene: What moves beside it.
        limits: Of the joints.
        begin: When the arm may set off [s].
        end: By when it has to be there [s].
        stay: How long it stands at the goal, at least [s].
    """

    def __init__(
        self,
        problem: PlanningProblem,
        scene: MovingScene,
        limits: Limits,
        begin: float,
        end: float,
        stay: float,
    ) -> None:
        self.problem, self.scene, self.limits = problem, scene, limits
        self.begin, self.end, self.stay = begin, end, stay
        self._serial = not isinstance(problem.checker.arms[0], Assembly)
        self._brief = max(_BRIEF, scene.tick)
        self.q: list[Array] = []
        self.goals: set[int] = set()
        self._safe: dict[int, Array] = {}
        self._drives: dict[tuple[int, int], TimedDrive | None] = {}

    def add(self, q: Array, goal: bool = False) -> int:
        """Add a free configuration; return its number."""
        self.q.append(q)
        if goal:
            self.goals.add(len(self.q) - 1)
        return len(self.q) - 1

    def until(self, end: float) -> TimedRoadmap:
        """Return a roadmap of the same nodes and drives with another end [s]."""
        other = TimedRoadmap(self.problem, self.scene, self.limits, self.begin, end, self.stay)
        other.q, other.goals, other._drives = self.q, self.goals, self._drives
        return other

    def safe(self, node: int) -> Array:
        """Return the intervals [s] in which nothing that moves comes near a node. Shape (k, 2)."""
        if node not in self._safe:
            self._safe[node] = self.safe_at(self.q[node], self.begin, self.end + self.stay)
        return self._safe[node]

    def safe_at(self, q: Array, begin: float, end: float) -> Array:
        """Return the intervals between two times [s] that are proved safe at q. Shape (k, 2)."""
        cuts = np.array([begin, *self.scene.breaks(begin, end), end])
        low, high = cuts[:-1], cuts[1:]
        free: list[Array] = []
        while len(low):
            rows = np.tile(q, (len(low), 1))
            moved = self.problem.prover.moved(rows, np.zeros_like(rows), (rows, rows))
            value, least, move = self.scene.prove(moved, low, high)
            self.problem.looks += len(low)
            proved = least > self.problem.margin
            free.append(np.column_stack([low[proved], high[proved]]))
            # what is deeper than it moves stays in contact; nothing is lost but the very ends
            blocked = value + move <= self.problem.margin
            again = ~proved & ~blocked & (move > STANDING) & (high - low > self._brief)
            again &= not self.problem.expired()  # what is not proved by then is not safe
            middle = 0.5 * (low + high)[again]
            low, high = (
                np.concatenate([low[again], middle]),
                np.concatenate([middle, high[again]]),
            )
        rows = np.concatenate([np.zeros((0, 2)), *free])
        rows = rows[np.argsort(rows[:, 0])]
        if not len(rows):
            return rows
        gaps = np.flatnonzero(rows[1:, 0] > rows[:-1, 1]) + 1
        starts, ends = np.insert(gaps, 0, 0), np.append(gaps, len(rows)) - 1
        return np.column_stack([rows[starts, 0], rows[ends, 1]])

    def is_goal_free(self) -> bool:
        """Whether the arm can stand at a goal for as long as it has to."""
        spans = (self.safe(goal) for goal in sorted(self.goals))
        return any((span[:, 1] - span[:, 0] >= self.stay).any() for span in spans)

    def drive(self, one: int, two: int) -> TimedDrive | None:
        """Return the motion between two nodes; None: something that stands is in its way."""
        if (one, two) not in self._drives:
            line = np.stack([self.q[one], self.q[two]])
            found = None
            if self._drives.get((two, one), True) and self.problem.segments_free(line):
                trajectory = ptp(None, line[0], line[1], "full", "trapezoid", limits=self.limits)
                found = TimedDrive(trajectory, BoundedTrajectory(trajectory))
            self._drives[one, two] = found
        return self._drives[one, two]

    def meets_nothing(self, drive: TimedDrive, begin: float) -> bool:
        """Whether a drive that begins at a time [s] is proved free of all that moves."""
        prover, margin = self.problem.prover, self.problem.margin
        breaks = self.scene.breaks(begin, begin + drive.trajectory.duration) - begin
        open_: Intervals = drive.bounded.intervals(breaks)
        while len(open_.low):
            states = drive.bounded.states(open_, not self._serial)
            moved = prover.moved(states.q, states.radii, states.ends)
            value, least, move = self.scene.prove(moved, states.low + begin, states.high + begin)
            self.problem.looks += len(open_.low)
            vague: Flags = ~(least > margin)
            still = moved.single.max(axis=1, initial=0.0) + move <= FINEST
            brief = open_.high - open_.low <= self._brief
            if (value <= margin).any() or (vague & (still | brief)).any():
                return False
            if self.problem.expired():
                return not vague.any()
            open_ = open_.chosen(vague).halved()
        return True

    def least_time(self, q: Array, others: Array) -> Array:
        """Return less time than any motion from q to others takes [s]. Shape (m,)."""
        return np.asarray((np.abs(others - q) / self.limits.velocity).max(axis=1))

    def neighbours(self, count: int | None = NEIGHBOURS) -> list[list[int]]:
        """Return for each node the nearest others, goals always; None: all of them."""
        rows = np.array(self.q)
        found: list[list[int]] = []
        for k, q in enumerate(rows):
            order = np.argsort(self.least_time(q, rows), kind="stable").tolist()
            order.remove(k)
            chosen = order if count is None else order[:count]
            found.append(chosen + [g for g in sorted(self.goals) if g != k and g not in chosen])
        return found

    def earliest(self, nearby: list[list[int]]) -> list[TimedStop] | None:
        """Return the stops from node 0 to the goal that is reached first; None: none is.

        Args:
            nearby: For each node those that it is connected to.
        """
        start = self.safe(0)
        if not len(start) or start[0, 0] > self.begin:
            return None
        ends = np.array([self.q[g] for g in sorted(self.goals)])
        left = [float(self.least_time(q, ends).min()) for q in self.q]
        best: dict[tuple[int, int], float] = {(0, 0): self.begin}
        before: dict[tuple[int, int], tuple[tuple[int, int], float]] = {}
        queue = [(self.begin + left[0], self.begin, 0, 0)]
        while queue and not self.problem.expired():
            _, now, node, number = heapq.heappop(queue)
            if now > best[node, number]:
                continue
            until = float(self.safe(node)[number, 1])
            if node in self.goals and until >= now + self.stay and now <= self.end:
                return self._stops((node, number), best, before)
            for other in nearby[node]:
                drive = self.drive(node, other)
                if drive is None:
                    continue
                takes = drive.trajectory.duration
                for place, (low, high) in enumerate(self.safe(other).tolist()):
                    first, last = max(now, low - takes), min(until, high - takes)
                    known = best.get((other, place), np.inf)
                    if first > last or first + takes >= known or first + takes > self.end:
                        continue
                    leave = self._departure(drive, first, min(last, known - takes))
                    if leave is None:
                        continue
                    best[other, place] = leave + takes
                    before[other, place] = ((node, number), leave)
                    rank = leave + takes + left[other]
                    heapq.heappush(queue, (rank, leave + takes, other, place))
        return None

    def _departure(self, drive: TimedDrive, first: float, last: float) -> float | None:
        """Return the earliest time tried at which a drive can begin; None: none will do."""
        wait = 0.0
        for _ in range(_DEPARTURES):
            at = min(first + wait, last)
            if self.meets_nothing(drive, at):
                return at
            if at >= last or self.problem.expired():
                return None
            wait = max(2.0 * wait, _FIRST_WAIT)
        return None

    def _stops(
        self,
        state: tuple[int, int],
        best: dict[tuple[int, int], float],
        before: dict[tuple[int, int], tuple[tuple[int, int], float]],
    ) -> list[TimedStop]:
        stops = [TimedStop(state[0], best[state], float(self.safe(state[0])[state[1], 1]))]
        while state in before:
            state, leave = before[state]
            stops.append(TimedStop(state[0], best[state], leave))
        return stops[::-1]
