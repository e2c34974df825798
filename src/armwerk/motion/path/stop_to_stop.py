"""Runs: what is driven from one stop to the next, joint values by one parameter.

A run has parts in order. A part is a piece of a followed track or a polynomial in joint space (a
point-to-point segment, or a blend between one and its neighbour). Where parts meet, q, q' and q''
by the parameter go on without a jump.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.path.follow import Follower
from armwerk.motion.retiming.path_grid import PathGrid, path_grid

_CELLS = 64  # of a part in joint space


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

    @property
    def length(self) -> float:
        """Range of the parameter, from 0 [m, or rad for a turn on the spot]."""
        return float(sum(part.length for part in self.parts))

    @property
    def starts(self) -> Array:
        """Where the parts begin, and the end of the last. Shape (k + 1,)."""
        return np.append(0.0, np.cumsum([part.length for part in self.parts]))

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

    def grid(self, joint_limits: Array) -> PathGrid:
        """Return the grid the time law is made on.

        Args:
            joint_limits: Velocity, acceleration, jerk in rows. Shape (3, n).
        """
        rows: list[_GridRows] = []
        for start, part in zip(self.starts, self.parts, strict=False):
            own = _part_rows(part, joint_limits)
            rows.append(own._replace(s=own.s - part.first + start))
        s, x, t, tool, joints = (np.concatenate(column) for column in zip(*rows, strict=True))
        s[-1] = self.length
        return path_grid(s, x, t, tool, joints)


class _GridRows(NamedTuple):
    """What a part adds to the grid of its run; see `PathGrid`."""

    s: Array
    joints: Array
    tool: Array
    tool_limits: Array
    joint_limits: Array


def _part_rows(part: RunPart, joints: Array) -> _GridRows:
    source = part.source
    if isinstance(source, JointCurve):
        s = np.linspace(part.first, part.first + part.length, _CELLS + 1)
        x, t = source.evaluate(s)
        limits = np.broadcast_to(joints * source.fraction, (len(s), *joints.shape))
        return _GridRows(s, x, t, np.full((len(s), 3, 2), np.inf), limits)
    last = part.first + part.length
    tight = 1e-9 * max(source.length, 1e-3)
    keep = (source.grid > part.first + tight) & (source.grid < last - tight)
    if part.first <= tight and last >= source.length - tight:
        keep[:] = True
        s, x, t, side = source.grid, source.table, source.twists, source.side
        arcs = source.arcs[:, 0, 0]
    else:
        ends = np.array([part.first, last])
        x_end, t_end = source.evaluate(ends)
        s = np.concatenate([ends[:1], source.grid[keep], ends[1:]])
        x = np.concatenate([x_end[:1], source.table[keep], x_end[1:]])
        t = np.concatenate([t_end[:1], source.twists[keep], t_end[1:]])
        side = np.concatenate([[False], source.side[keep], [True]])
        low, high = source.arc_length(ends)
        arcs = np.concatenate([[low], source.arcs[keep, 0, 0], [high]])
    borders = source.track.borders
    left = np.searchsorted(borders, arcs - tight, "left") - 1
    right = np.searchsorted(borders, arcs + tight, "right") - 1
    span = np.clip(np.where(side, left, right), 0, len(borders) - 2)
    limits = np.broadcast_to(joints, (len(s), *joints.shape))
    return _GridRows(s, x, t, part.limits[span], limits)
