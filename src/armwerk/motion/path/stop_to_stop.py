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
from armwerk.motion.path.follow import Follower
from armwerk.motion.retiming.path_grid import PathGrid, path_grid

_CELLS = 64  # of a part in joint space
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


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Parts from one stop to the next.

    Args:
        parts: In order.
    """

    parts: tuple[RunPart, ...]
    starts: Array = field(init=False, repr=False)
    """Where the parts begin, and the end of the last. Shape (k + 1,)."""

    def __post_init__(self) -> None:
        starts = np.append(0.0, np.cumsum([part.length for part in self.parts]))
        object.__setattr__(self, "starts", starts)

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
        x, t = np.empty((len(s), 4, self.dof)), np.empty((len(s), 3, 6))
        for part, here, local in self._within(s):
            x[here], t[here] = part.source.evaluate(local)
        return x, t

    def joints(self, s: Array) -> Array:
        """Return q, q', q'', q''' (m, 4, n)."""
        if len(self.parts) == 1:
            part = self.parts[0]
            return part.source.joints(part.first + np.clip(s, 0.0, part.length))
        x = np.empty((len(s), 4, self.dof))
        for part, here, local in self._within(s):
            x[here] = part.source.joints(local)
        return x

    def _within(self, s: Array) -> Iterator[tuple[RunPart, Integers, Array]]:
        """Yield the parts that values of the parameter lie in, which ones, and each's own."""
        starts = self.starts
        which = np.clip(np.searchsorted(starts, s, "right") - 1, 0, len(self.parts) - 1)
        order = np.argsort(which, kind="stable")
        for here in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
            if len(here):
                k = int(which[here[0]])
                part = self.parts[k]
                yield part, here, part.first + np.clip(s[here] - starts[k], 0.0, part.length)

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
        self._parts = [_PartRows(part) for part in run.parts]
        # of rows of the parts, from which on they stand here
        self._first = np.append(0, np.cumsum([part.count for part in self._parts]))
        self.s = np.concatenate(
            [
                rows.parameters(0, rows.count) - rows.part.first + start
                for start, rows in zip(run.starts, self._parts, strict=False)
            ]
        )
        self.s[-1] = run.length

    def __len__(self) -> int:
        return len(self.s)

    def whole(self) -> PathGrid:
        """Return all of it."""
        return self.between(0, len(self))

    def part(self, first: int, last: int) -> RunGrid:
        """Return the grid of a part of the run, at the same values of the parameter."""
        part = copy(self)
        part.s, part._first = self.s[first:last], self._first - first
        return part

    def stretches(self) -> Iterator[PathGrid]:
        """Yield all of it, some thousand points at a time."""
        for first in range(0, len(self), _STRETCH):
            yield self.between(first, min(first + _STRETCH, len(self)))

    def between(self, first: int, last: int) -> PathGrid:
        """Return the points from one to before another."""
        low = int(np.searchsorted(self._first, first, "right")) - 1
        high = int(np.searchsorted(self._first, last, "left"))
        found = []
        for k in range(low, high):
            begin = int(self._first[k])
            own = max(first - begin, 0), min(last - begin, self._parts[k].count)
            found.append(self._parts[k].rows(*own, self.joint_limits))
        if len(found) == 1:
            return path_grid(self.s[first:last], *found[0])
        columns = (np.concatenate(column) for column in zip(*found, strict=True))
        return path_grid(self.s[first:last], *columns)


class _GridRows(NamedTuple):
    """What a part adds to the grid of its run; see `PathGrid`."""

    joints: Array
    tool: Array
    tool_limits: Array
    joint_limits: Array


class _PartRows:
    """The points of a part: those of its source within, and its ends where these are others."""

    def __init__(self, part: RunPart) -> None:
        self.part = part
        source = part.source
        self._ends = False
        if isinstance(source, JointCurve):
            self.count = _CELLS + 1
            return
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
        part, source = self.part, self.part.source
        if isinstance(source, JointCurve):
            s = np.linspace(part.first, part.first + part.length, self.count)
            return np.asarray(s[first:last])
        before, behind = self._at_ends(first, last)
        return np.concatenate([before, source.grid[self._inner(first, last)], behind])

    def rows(self, first: int, last: int, joints: Array) -> _GridRows:
        """Return the rows from one to before another, with the limits of joints (3, n)."""
        part, source = self.part, self.part.source
        shape = (last - first, *joints.shape)
        if isinstance(source, JointCurve):
            x, t = source.evaluate(self.parameters(first, last))
            limits = np.broadcast_to(joints * source.fraction, shape)
            return _GridRows(x, t, np.full((len(x), 3, 2), np.inf), limits)
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
        return _GridRows(x, t, part.limits[span], np.broadcast_to(joints, shape))
