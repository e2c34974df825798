"""Runs: what is driven from one stop to the next, joint values by one parameter.

A run has parts in order. A part is a piece of a followed track or a polynomial in joint space (a
point-to-point segment, or a blend between one and its neighbour). Where parts meet, q, q' and q''
by the parameter go on without a jump.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.kernels.joint_powers import powers_at
from armwerk.motion.path.follower import Follower
from armwerk.motion.retiming.path_grid import PathGrid, path_grid

_CELLS = 16  # of a part in joint space
_POWERS = 6  # of a curve in joint space: a line or a quintic
_KEPT = 2_000  # points at most of a grid that is kept as a whole
_STRETCH = 20_000  # points of a grid that are looked at together


@dataclass(frozen=True, slots=True, eq=False)
class JointCurve:
    """Joint values by a parameter, the tool going wherever that takes it.

    Args:
        polynomial: q by the parameter. Dimension n.
        length: Where the parameter ends.
        owner: Number of the segment it belongs to.
        fraction: Of the joints' limits it may use.
    """

    polynomial: Piecewise
    length: float
    owner: int
    fraction: float = 1.0

    @property
    def dof(self) -> int:
        """Number of joints."""
        return int(self.polynomial.coefficients.shape[2])

    def evaluate(self, s: Array, left: bool = False) -> tuple[Array, Array]:
        """Return q, q', q'', q''' (m, 4, n), and zeros (m, 3, 6): the tool has no limits here."""
        return self.joints(s, left), np.zeros((len(s), 3, 6))

    def joints(self, s: Array, left: bool = False) -> Array:
        """Return q, q', q'', q''' by the parameter. Shape (m, 4, n)."""
        return self.polynomial.derivatives(s)


Source: TypeAlias = Follower | JointCurve


@dataclass(frozen=True, slots=True, eq=False)
class RunPart:
    """A piece of a source.

    Args:
        source: What is driven.
        first: Its parameter where the part starts.
        length: How much of it is driven.
        limits: Of the tool, per span of the source's track: velocity, acceleration, jerk of
            translation and rotation. Shape (k, 3, 2). Infinite in joint space.
    """

    source: Source
    first: float
    length: float
    limits: Array


class JointParts(NamedTuple):
    """The parts of a run as arrays, so that those in joint space are evaluated together.

    Args:
        first: Parameter where a part starts. Shape (k,).
        length: How much of it is driven. Shape (k,).
        row: Of the coefficients; -1: followed, not in joint space. Shape (k,).
        fraction: Of the joints' limits it may use. Shape (k,).
        coefficients: Lowest power first. Shape (j, 6, n).
    """

    first: Array
    length: Array
    row: Integers
    fraction: Array
    coefficients: Array


def _joint_parts(parts: tuple[RunPart, ...]) -> JointParts:
    rows, fraction = np.full(len(parts), -1, dtype=np.int64), np.ones(len(parts))
    tables: list[Array] = []
    for k, part in enumerate(parts):
        if isinstance(part.source, JointCurve):
            rows[k], fraction[k] = len(tables), part.source.fraction
            tables.append(part.source.polynomial.coefficients[0])
    coefficients = np.zeros((len(tables), _POWERS, parts[0].source.dof))
    for row, table in zip(coefficients, tables, strict=True):
        row[: len(table)] = table
    first, length = (np.array([getattr(p, name) for p in parts]) for name in ("first", "length"))
    return JointParts(first, length, rows, fraction, coefficients)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Parts from one stop to the next.

    Args:
        parts: In order.
    """

    parts: tuple[RunPart, ...]
    starts: Array = field(init=False, repr=False)
    """Where the parts begin, and the end of the last. Shape (k + 1,)."""
    in_joints: JointParts = field(init=False, repr=False)
    """Those in joint space."""

    def __post_init__(self) -> None:
        starts = np.append(0.0, np.cumsum([part.length for part in self.parts]))
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "in_joints", _joint_parts(self.parts))

    @property
    def length(self) -> float:
        """Range of the parameter, from 0 [m, or rad for a turn on the spot]."""
        return float(self.starts[-1])

    @property
    def dof(self) -> int:
        """Number of joints."""
        source = self.parts[0].source
        return source.dof

    def evaluate(self, s: Array) -> tuple[Array, Array]:
        """Return q, q', q'', q''' (m, 4, n) and the tool's twists (m, 3, 6)."""
        if len(self.parts) == 1:
            part = self.parts[0]
            return part.source.evaluate(part.first + np.clip(s, 0.0, part.length))
        x, t = np.empty((len(s), 4, self.dof)), np.zeros((len(s), 3, 6))
        which, local = self._local(s)
        powers_at(self.in_joints.coefficients, self.in_joints.row[which], local, x)
        for k, here in self._followed(which):
            x[here], t[here] = self.parts[k].source.evaluate(local[here])
        return x, t

    def joints(self, s: Array) -> Array:
        """Return q, q', q'', q''' (m, 4, n)."""
        if len(self.parts) == 1:
            part = self.parts[0]
            return part.source.joints(part.first + np.clip(s, 0.0, part.length))
        x = np.empty((len(s), 4, self.dof))
        which, local = self._local(s)
        powers_at(self.in_joints.coefficients, self.in_joints.row[which], local, x)
        for k, here in self._followed(which):
            x[here] = self.parts[k].source.joints(local[here])
        return x

    def _local(self, s: Array) -> tuple[Integers, Array]:
        """Return the parts that values of the parameter lie in, and each's own. Shapes (m,)."""
        starts = self.starts
        which = np.clip(np.searchsorted(starts, s, "right") - 1, 0, len(self.parts) - 1)
        first, length = self.in_joints.first[which], self.in_joints.length[which]
        return which, first + np.clip(s - starts[which], 0.0, length)

    def _followed(self, which: Integers) -> Iterator[tuple[int, Integers]]:
        """Yield the followed ones among parts, and where they stand."""
        places = np.flatnonzero(self.in_joints.row[which] < 0)
        order = places[np.argsort(which[places], kind="stable")]
        for here in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
            if len(here):
                yield int(which[here[0]]), here

    def grid(self, joint_limits: Array) -> RunGrid:
        """Return the grid the time law is made on.

        Args:
            joint_limits: Velocity, acceleration, jerk in rows. Shape (3, n).
        """
        return RunGrid(self, joint_limits)


class RunGrid:
    """The grid of a run, made where it is looked at: all of a long one would take much memory.

    Args:
        run: What is driven.
        joint_limits: Velocity, acceleration, jerk in rows. Shape (3, n).

    Attributes:
        joint_limits: As given.
        s: Values of the parameter, borders twice [m]. Shape (m,).
    """

    def __init__(self, run: Run, joint_limits: Array) -> None:
        self.joint_limits = joint_limits
        self._run = run
        self._short: PathGrid | None = None
        self._followed = {
            k: _FollowedRows(part, part.source)
            for k, part in enumerate(run.parts)
            if isinstance(part.source, Follower)
        }
        counts = np.full(len(run.parts), _CELLS + 1)
        for k, rows in self._followed.items():
            counts[k] = rows.count
        # of rows of the parts, from which on they stand here
        self._first = np.append(0, np.cumsum(counts))
        which, local = self._in_joints(0, int(self._first[-1]))
        self.s = local + run.starts[which]
        for k, rows in self._followed.items():
            own = rows.parameters(0, rows.count) - rows.part.first + run.starts[k]
            self.s[self._first[k] : self._first[k + 1]] = own
        self.s[-1] = run.length

    def _in_joints(self, first: int, last: int) -> tuple[Integers, Array]:
        """Return the parts of points, and how far within those in joint space. Shapes (k,)."""
        points = np.arange(first, last)
        which = np.searchsorted(self._first, points, "right") - 1
        parts = self._run.in_joints
        return which, parts.length[which] * ((points - self._first[which]) / _CELLS)

    def __len__(self) -> int:
        return len(self.s)

    def whole(self) -> PathGrid:
        """Return all of it."""
        return self.between(0, len(self))

    def part(self, first: int, last: int) -> RunGrid:
        """Return the grid of a part of the run, at the same values of the parameter."""
        part = copy(self)
        part.s, part._first, part._short = self.s[first:last], self._first - first, None
        return part

    def stretches(self) -> Iterator[PathGrid]:
        """Yield all of it, some thousand points at a time."""
        for first in range(0, len(self), _STRETCH):
            yield self.between(first, min(first + _STRETCH, len(self)))

    def between(self, first: int, last: int) -> PathGrid:
        """Return the points from one to before another."""
        if len(self) > _KEPT:
            return self._made(first, last)
        if self._short is None:
            self._short = self._made(0, len(self))
        if last - first == len(self):
            return self._short
        return PathGrid(*(rows[first:last] for rows in self._short))

    def _made(self, first: int, last: int) -> PathGrid:
        which, local = self._in_joints(first, last)
        parts, count = self._run.in_joints, last - first
        x, t = np.empty((count, 4, self._run.dof)), np.zeros((count, 3, 6))
        powers_at(parts.coefficients, parts.row[which], parts.first[which] + local, x)
        tool_limits = np.full((count, 3, 2), np.inf)
        joint_limits = parts.fraction[which, None, None] * self.joint_limits
        for k in np.unique(which[parts.row[which] < 0]).tolist():
            begin, rows = int(self._first[k]), self._followed[k]
            own = max(first - begin, 0), min(last - begin, rows.count)
            here = slice(own[0] + begin - first, own[1] + begin - first)
            x[here], t[here], tool_limits[here] = rows.rows(*own)
        return path_grid(self.s[first:last], x, t, tool_limits, joint_limits)


class _FollowedRows:
    """The points of a followed part: those of its source, and its ends where these are others."""

    def __init__(self, part: RunPart, source: Follower) -> None:
        self.part, self._source = part, source
        last = part.first + part.length
        self._tight = tight = 1e-9 * max(source.length, 1e-3)
        self._low, high = 0, len(source.grid)
        self._ends = part.first > tight or last < source.length - tight
        if self._ends:
            self._low = int(np.searchsorted(source.grid, part.first + tight, "right"))
            high = int(np.searchsorted(source.grid, last - tight, "left"))
        self.count = high - self._low + 2 * self._ends

    def _inner(self, first: int, last: int) -> slice:
        """Return which points of the source stand in rows from one to before another."""
        shift = self._low - self._ends
        return slice(
            max(first, int(self._ends)) + shift, min(last, self.count - self._ends) + shift
        )

    def _at_ends(self, first: int, last: int) -> tuple[Array, Array]:
        """Return the parameters of those ends that are points of their own, before and behind."""
        part = self.part
        before = [part.first] if self._ends and first == 0 else []
        behind = [part.first + part.length] if self._ends and last == self.count else []
        return np.array(before), np.array(behind)

    def parameters(self, first: int, last: int) -> Array:
        """Return the parameter of the source at rows. Shape (k,)."""
        before, behind = self._at_ends(first, last)
        return np.concatenate([before, self._source.grid[self._inner(first, last)], behind])

    def rows(self, first: int, last: int) -> tuple[Array, Array, Array]:
        """Return joints, tool and its limits of rows from one to before another; see `PathGrid`."""
        source = self._source
        inner = self._inner(first, last)
        x, t, side = source.table[inner], source.twists[inner], source.side[inner]
        arcs = source.arcs[inner, 0, 0]
        if self._ends:
            before, behind = self._at_ends(first, last)
            x0, t0 = source.evaluate(before)
            x1, t1 = source.evaluate(behind)
            x, t = np.concatenate([x0, x, x1]), np.concatenate([t0, t, t1])
            side = np.concatenate([np.zeros(len(x0), bool), side, np.ones(len(x1), bool)])
            arcs = np.concatenate([source.arc_length(before), arcs, source.arc_length(behind)])
        borders = source.track.borders
        left = np.searchsorted(borders, arcs - self._tight, "left") - 1
        right = np.searchsorted(borders, arcs + self._tight, "right") - 1
        span = np.clip(np.where(side, left, right), 0, len(borders) - 2)
        return x, t, self.part.limits[span]
