"""What every planner is given: where from, where to, what is free, and how much time is left.

Where to: joint values, or every configuration that brings the tool there.
"""

from __future__ import annotations

import sys
import time
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.collision.prover import FINEST, Prover
from armwerk.errors import PlanningError, ShapeError
from armwerk.geometry import is_transform
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.mechanics.choice import SAME
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.serial import SerialModel
from armwerk.modelling import model
from armwerk.planning.arms import Described
from armwerk.planning.options import Progress
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly
from armwerk.robot.single_precision import at_limits

if TYPE_CHECKING:
    from armwerk.planning.kernels.trees import FreeSpace
    from armwerk.planning.paths.walls import Wall

_BEYOND = np.pi  # [rad or m] how far around start and goals a joint without limits may go
POINT_STARTS = 16
"""Starts of the search for configurations that bring the tool to a point; a point alone has more
solutions than can be listed."""
_SLACK = 1e-9  # [rad or m] by which a joint may be beyond its limit, being rounded


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

    Attributes:
        looks: Configurations looked at so far.
        round: Number of the search, for the same seed; each has random numbers of its own.
        bound: Length of the path that is to be made shorter [rad or m]; inf: there is none yet.
        patience: Looks after which a search may be given up.
        wall: Proof of a planner that there is no way; None: nothing is known.
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
        self.round, self.bound, self.patience = 0, np.inf, sys.maxsize
        self.wall: Wall | None = None
        self.low, self.high = _bounds(checker.limits, np.vstack([start[None], goals]))
        self.seconds = seconds
        self._begin = time.perf_counter() if begin is None else begin
        self._told = 0.0
        self._progress = progress

    @cached_property
    def is_compiled(self) -> bool:
        """Whether kernels can search: serial arms, each joint of which has a value of its own."""
        coupled = any(isinstance(arm, Arm) and arm.is_coupled for arm in self.checker.arms)
        return self.prover.is_serial and not coupled

    @cached_property
    def space(self) -> FreeSpace:
        """The same for kernels, where `is_compiled`."""
        from armwerk.planning.kernels.trees import FreeSpace

        return FreeSpace(
            self.checker.chain,
            self.prover.moving,
            self.checker.scene,
            np.ascontiguousarray(self.low),
            np.ascontiguousarray(self.high),
            self.margin,
            FINEST,
        )

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

    def worth(self) -> tuple[Array, Array]:
        """Return the smallest and largest joint values on ways shorter than ``bound``. (n,) twice.

        A way to a goal stays in an ellipsoid about the start and that goal; this is the box around
        those of all goals that are near enough.
        """
        if self.bound == np.inf:
            return self.low, self.high
        apart = self.goals - self.start
        spare = self.bound**2 - (apart**2).sum(axis=1, keepdims=True)
        half = 0.5 * np.sqrt(np.maximum(spare, 0.0) + apart**2)
        middle = self.start + 0.5 * apart
        near = (spare >= 0.0)[:, 0]
        if not near.any():
            return self.low, self.high
        low, high = (middle - half)[near].min(axis=0), (middle + half)[near].max(axis=0)
        return np.maximum(self.low, low), np.minimum(self.high, high)

    def is_worth(self, q: Array) -> bool:
        """Whether a way through q, from the start to a goal, can be shorter than ``bound``."""
        first = float(np.linalg.norm(q - self.start))
        return first + float(np.linalg.norm(self.goals - q, axis=1).min()) < self.bound

    def is_free(self, q: Array) -> bool:
        """Whether the arm touches nothing, and keeps the margin."""
        self.looks += 1
        if not self._is_allowed(q):
            return False
        if self.checker.contacts(q[None])[0]:
            return False
        return not self.margin or self.checker.distance(q, self_too=False).value > self.margin

    def _is_allowed(self, q: Array) -> bool:
        """Whether coupled joints keep their own limits, which are none of a single axis.

        They are straight borders: between two configurations within them all others are too.
        """
        first = 0
        for arm in self.checker.arms:
            own = q[first : first + arm.dof]
            if isinstance(arm, Arm) and arm.is_coupled and not arm.keeps_limits(own):
                return False
            first += arm.dof
        return True

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


def joint_row(values: ArrayLike, checker: Checker, name: str) -> Array:
    """Return joint values after checking shape and limits. Shape (n,).

    Raises:
        ShapeError: For another shape, nan or infinity, or a value beyond the joint's limits.
    """
    try:
        row = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be numbers, got {values!r:.80}") from None
    if row.shape != (checker.dof,):
        raise ShapeError(
            f"{name} must be {checker.dof} joint values, shape ({checker.dof},), got {row.shape}"
        )
    if not np.isfinite(row).all():
        raise ShapeError(f"{name} must be finite, got {row.tolist()}")
    row = at_limits(row, checker.limits)
    low, high = checker.limits.T
    beyond = np.maximum(low - row, row - high)
    axis = int(np.argmax(beyond))
    if beyond[axis] > _SLACK:
        joints = [joint for arm in checker.arms for joint in arm.moving]
        raise ShapeError(
            f"{name}: joint '{joints[axis].name}' at {row[axis]:.6g} is beyond its limits, "
            f"{low[axis]:.6g} to {high[axis]:.6g} [rad or m]"
        )
    first = 0
    for arm in checker.arms:
        breach = arm.angle_breach(row[first : first + arm.dof]) if isinstance(arm, Arm) else ""
        if breach:
            raise ShapeError(f"{name}: {breach}")
        first += arm.dof
    return row


def goal_rows(goal: ArrayLike, start: Array, checker: Checker) -> Array:
    """Return the configurations that are a goal, the nearest to the start first. Shape (k, n).

    Args:
        goal: Joint values (n,), a pose T_world_tool (4, 4), or a point of the tool (3,) [m]. Of an
            arm with three joints three numbers are joint values.
        start: Shape (n,).
        checker: Whose arm it is.

    Raises:
        ShapeError: For anything else, nan or infinity, a matrix that is no rigid transform.
        PlanningError: When no configuration within the limits brings the tool there.
    """
    try:
        given = np.array(goal, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"goal must be numbers, got {goal!r:.80}") from None
    if given.shape == (checker.dof,):
        return joint_row(given, checker, "goal")[None]
    if given.shape not in {(4, 4), (3,)}:
        raise ShapeError(
            f"goal must be joint values ({checker.dof},), a pose (4, 4) or a point (3,), "
            f"got shape {given.shape}"
        )
    if not np.isfinite(given).all() or (given.shape == (4, 4) and not is_transform(given)):
        raise ShapeError(f"goal must be a finite rigid transform or point, got {given.tolist()}")
    if len(checker.arms) > 1:
        raise ShapeError("several arms need joint values as a goal, not a pose")
    rows = _solutions(checker.arms[0], given, start)
    if not len(rows):
        place = np.round(given[:3, 3] if given.ndim == 2 else given, 6).tolist()
        what = "pose" if given.ndim == 2 else "point"
        raise PlanningError(
            f"no inverse solution: no joint values of '{checker.arms[0].name}' within their limits "
            f"bring the tool to the {what} at {place} m",
            reason="no inverse solution",
        )
    order = np.argsort(np.linalg.norm(rows - start, axis=1), kind="stable")
    return np.asarray(rows[order])


def _solutions(arm: Described, given: Array, start: Array) -> Array:
    """Return what brings the tool there within the limits, turns nearest to the start."""
    if isinstance(arm, Assembly):
        closed = AssemblyModel(arm)
        found = closed.ik(given) if given.ndim == 2 else closed.ik_position(given)
        rows = np.asarray(found, dtype=np.float64).reshape(-1, arm.dof)
        low, high = arm.limits.T
        return np.asarray(rows[((rows >= low - _SLACK) & (rows <= high + _SLACK)).all(axis=1)])
    solver = model(arm)
    if isinstance(solver, CoupledModel) and given.ndim == 2:
        kept = solver.candidates(given, start)
        return np.array(kept, dtype=np.float64).reshape(-1, arm.dof)
    if given.ndim == 2:
        rows = np.asarray(solver.ik(given), dtype=np.float64).reshape(-1, arm.dof)
    else:
        rows = _to_point(solver, given, start)
    shifted, inside = solver.fitted(rows, start)
    return np.asarray(np.clip(shifted[inside], *arm.limits.T))


def _to_point(solver: SerialModel, point: Array, start: Array) -> Array:
    """Return different configurations with the tool at a point, found from several starts."""
    starts = [start, *solver.chain.spread(POINT_STARTS - 1)]
    found: list[Array] = []
    for q in starts:
        row = solver.ik_position(point, q)
        if row is not None and all(np.abs(row - other).max() > SAME for other in found):
            found.append(np.asarray(row))
    return np.array(found).reshape(-1, len(start))
