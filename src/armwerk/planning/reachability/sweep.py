"""`SweepTask`: a sweep over joint values as plain arrays, and how a share of it is run.

The values are those of a grid, every value of a joint with every value of the others, or a list of
configurations. One kernel serves both: in a list, the configurations behind each joint are one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array, Flags, Integers
from armwerk.planning.kernels.records import JointGrid, SphereSet, VoxelCounts

Kind = TypeVar("Kind", bound=np.generic)
_LARGER = 1.0 + 1e-9  # so that rounding passes over no contact


@dataclass(frozen=True, slots=True, eq=False)
class SweepTask:
    """What is swept. Small, so that it travels to workers with every chunk.

    Args:
        constants: Constant transforms between the joints. Shape (n + 1, 3, 4).
        turns: Which joints turn. Shape (n,).
        start: Where each joint's rows stand in the table, and its end. Shape (n + 1,).
        table: Cosine, sine, shift [m] of every value of every joint. Shape (rows, 3).
        sphere: Centre in its frame [m], squared radius [m²]. Shape (spheres, 4).
        spheres_of: Where the spheres of frame 0 (the base) to n begin. Shape (n + 2,).
        box: Centre [m], axes row by row, half lengths [m]. Shape (boxes, 15).
        corner: Least corner of the voxels [m]. Shape (3,).
        cell: Edge of a voxel [m].
        shape: Numbers of voxels; zeros: none are counted. Shape (3,).
        rank: In how many directions the tool can move, 1 to 3; 0: dexterity is not asked for.
        listed: Whether configuration k takes row k of every joint, instead of a grid of all rows.
        mixing: C of angles = C values where joints are coupled; empty: nothing is. Shape (n, axes).
    """

    constants: Array
    turns: Flags
    start: Integers
    table: Array
    sphere: Array
    spheres_of: Integers
    box: Array
    corner: Array
    cell: float
    shape: Integers
    rank: int = 3
    listed: bool = False
    mixing: Array = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def total(self) -> int:
        """Number of configurations."""
        counts = [int(count) for count in np.diff(self.start)]
        return counts[0] if self.listed else math.prod(counts)

    @property
    def voxels(self) -> int:
        """Number of voxels."""
        return int(np.prod(self.shape))

    def sizes(self) -> Integers:
        """Return the number of configurations behind each joint. Shape (n + 1,)."""
        counts = np.diff(self.start)[::-1]
        if self.listed:
            return np.ones(len(counts) + 1, np.int64)
        return np.concatenate([np.cumprod(counts)[::-1], [1]]).astype(np.int64)

    def of(self, Q: Array, spheres: bool = True, same: bool = False) -> SweepTask:
        """Return the same sweep over a list of configurations.

        Args:
            Q: Joint values; axis values where joints are coupled. Shape (m, n).
            spheres: False: none of them touches anything, that is known already.
            same: Whether sines are those that an accelerator computes itself.
        """
        make = same_tables if same else joint_tables
        angles = Q @ self.mixing.T if self.mixing.size else Q
        start, table = make(list(angles.T), self.turns)
        other = replace(self, start=start, table=table, listed=True)
        if spheres:
            return other
        return replace(other, spheres_of=np.zeros_like(self.spheres_of))


@dataclass(frozen=True, slots=True, eq=False)
class SweepCounts:
    """What a share of a sweep found; shares add up to the whole in any order.

    Args:
        configurations: How many were walked.
        touching: How many of them touch a body.
        reached: Free configurations per voxel. Shape (voxels,).
        best: Best dexterity per voxel, in m to the power of the rank. Shape (voxels,).
        oriented: Tool orientations per voxel that are reached; empty when none were asked for.
            Shape (voxels,) or (0,).
    """

    configurations: int
    touching: int
    reached: Integers
    best: Array
    oriented: Integers = field(default_factory=lambda: np.zeros(0, np.int64))

    def __add__(self, other: SweepCounts) -> SweepCounts:
        return SweepCounts(
            self.configurations + other.configurations,
            self.touching + other.touching,
            self.reached + other.reached,
            np.maximum(self.best, other.best),
            self.oriented + other.oriented,
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Travel without the voxels that nothing reached."""
        met = np.flatnonzero(self.reached)
        oriented = self.oriented[met] if len(self.oriented) else self.oriented
        sizes = (len(self.reached), len(self.oriented))
        return _unpacked, (
            self.configurations,
            self.touching,
            sizes,
            met,
            self.reached[met],
            self.best[met],
            oriented,
        )


def _unpacked(
    configurations: int,
    touching: int,
    sizes: tuple[int, int],
    met: Integers,
    reached: Integers,
    best: Array,
    oriented: Integers,
) -> SweepCounts:
    """Return a share that has travelled."""
    all_reached = np.zeros(sizes[0], np.int64)
    all_best = np.zeros(sizes[0])
    all_oriented = np.zeros(sizes[1], np.int64)
    all_reached[met], all_best[met] = reached, best
    if sizes[1]:
        all_oriented[met] = oriented
    return SweepCounts(configurations, touching, all_reached, all_best, all_oriented)


def joint_tables(values: Sequence[ArrayLike], turns: Flags) -> tuple[Integers, Array]:
    """Return where each joint's rows begin, and the rows: cosine, sine, shift [m]."""
    rows, start = [], [0]
    for joint, given in enumerate(values):
        q = np.asarray(given, dtype=np.float64)
        row = np.zeros((len(q), 3))
        row[:, 0] = np.cos(q) if turns[joint] else 1.0
        row[:, 1] = np.sin(q) if turns[joint] else 0.0
        row[:, 2] = 0.0 if turns[joint] else q
        rows.append(row)
        start.append(start[-1] + len(q))
    return np.array(start, np.int64), np.concatenate(rows)


def same_tables(values: Sequence[ArrayLike], turns: Flags) -> tuple[Integers, Array]:
    """Return what `joint_tables` does, by sines that round the same everywhere."""
    from armwerk.planning.kernels.turning import fill_table

    Q = np.ascontiguousarray(np.asarray(values, dtype=np.float64).T)
    table = np.empty((Q.size, 3))
    fill_table(Q, _own(turns), table)
    return len(Q) * np.arange(Q.shape[1] + 1, dtype=np.int64), table


def sweep_range(task: SweepTask, first: int, last: int) -> SweepCounts:
    """Walk the configurations first to last - 1 on this processor."""
    from armwerk.planning.kernels.sweep import sweep

    grid = JointGrid(
        *(_own(task.constants), _own(task.turns), _own(task.start), task.sizes()),
        *(_own(task.table), _own(task.mixing)),
    )
    reached, best = np.zeros(task.voxels, np.int64), np.zeros(task.voxels)
    voxels = VoxelCounts(_own(task.corner), float(task.cell), _own(task.shape), reached, best)
    boxes = np.column_stack([task.box, _LARGER * np.linalg.norm(task.box[:, 12:], axis=1)])
    touching = sweep(first, last, grid, _sphere_set(task), boxes, voxels, task.rank)
    return SweepCounts(last - first, int(touching), reached, best)


def _sphere_set(task: SweepTask) -> SphereSet:
    """Return the spheres, and a ball around those of each frame."""
    balls = np.zeros((len(task.spheres_of) - 1, 4))
    for frame, (first, last) in enumerate(pairwise(task.spheres_of)):
        spheres = task.sphere[first:last]
        if len(spheres):
            radii = np.sqrt(spheres[:, 3])
            low = (spheres[:, :3] - radii[:, None]).min(axis=0)
            high = (spheres[:, :3] + radii[:, None]).max(axis=0)
            centre = (low + high) / 2
            away = np.linalg.norm(spheres[:, :3] - centre, axis=1) + radii
            balls[frame] = [*centre, _LARGER * away.max()]
    return SphereSet(_own(task.sphere), _own(task.spheres_of), balls)


def _own(array: NDArray[Kind]) -> NDArray[Kind]:
    """Return an array that can be written to; for one that cannot, numba would compile anew."""
    return np.require(array, requirements=["C", "W"])
