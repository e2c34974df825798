"""`SweepTask`: a sweep over a grid of joint values as plain arrays, and how a share of it is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    """

    constants: Array
    turns: NDArray[np.bool_]
    start: Ints
    table: Array
    sphere: Array
    spheres_of: Ints
    box: Array
    corner: Array
    cell: float
    shape: Ints

    @property
    def total(self) -> int:
        """Number of configurations of the grid."""
        return int(np.prod(np.diff(self.start)))

    @property
    def voxels(self) -> int:
        """Number of voxels."""
        return int(np.prod(self.shape))

    def sizes(self) -> Ints:
        """Return the number of configurations behind each joint. Shape (n + 1,)."""
        counts = np.diff(self.start)[::-1]
        return np.concatenate([np.cumprod(counts)[::-1], [1]]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class SweepShare:
    """What a share of a sweep found; shares add up to the whole in any order.

    Args:
        configurations: How many were walked.
        touching: How many of them touch a body.
        reached: Free configurations per voxel. Shape (voxels,).
        best: Best dexterity per voxel [m³]. Shape (voxels,).
    """

    configurations: int
    touching: int
    reached: Ints
    best: Array

    def __add__(self, other: SweepShare) -> SweepShare:
        return SweepShare(
            self.configurations + other.configurations,
            self.touching + other.touching,
            self.reached + other.reached,
            np.maximum(self.best, other.best),
        )


def joint_tables(values: Sequence[ArrayLike], turns: NDArray[np.bool_]) -> tuple[Ints, Array]:
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


def run_share(task: SweepTask, first: int, last: int) -> SweepShare:
    """Walk the configurations first to last - 1 on this processor."""
    from armwerk.planning.kernels.sweep import sweep

    reached = np.zeros(task.voxels, np.int64)
    best = np.zeros(task.voxels)
    touching = sweep(
        first,
        last,
        task.constants,
        task.turns,
        task.start,
        task.table,
        task.sphere,
        task.spheres_of,
        task.box,
        task.corner,
        task.cell,
        task.shape,
        reached,
        best,
    )
    return SweepShare(last - first, int(touching), reached, best)
