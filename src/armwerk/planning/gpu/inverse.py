"""`inverse_counts`: an inverse sweep on an accelerator, from poses to counted solutions.

Places and orientations go there and counts come back. Each launch solves as many poses as fit into
its memory, brings the solutions within the limits, and walks them as a list of configurations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armwerk.accelerator import NOTICE, DeviceMemory, Tensor, options
from armwerk.arrays import Array, Integers
from armwerk.derivation.runtime.closed import ClosedInverse
from armwerk.derivation.runtime.device import device_kernel, launch as solve
from armwerk.derivation.runtime.kinematics import PLAIN
from armwerk.errors import UnsupportedError
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.kernels.turns import LIMIT_SLACK
from armwerk.mechanics.serial import SerialModel
from armwerk.planning.gpu.launch import walk_rows
from armwerk.planning.kernels.turning import COSINE, FIRST, QUARTERS, SECOND, SINE, THIRD
from armwerk.planning.reachability.sweep import SweepCounts, SweepTask

POSES = 1 << 20  # of one launch
BLOCK = 128  # poses of one program
SERIES = (QUARTERS, FIRST, SECOND, THIRD, *SINE, *COSINE)


class PoseGrid(NamedTuple):
    """Poses: every place with every orientation.

    Attributes:
        places: [m]. Shape (k, 3).
        voxels: The voxel each place is the middle of. Shape (k,).
        orientations: Rotations. Shape (each, 3, 3).
    """

    places: Array
    voxels: Integers
    orientations: Array


def inverse_counts(
    memory: DeviceMemory, sweep: SweepTask, model: Any, grid: PoseGrid
) -> tuple[SweepCounts, Integers]:
    """Solve and count; equal to the processor to the last bit.

    Args:
        memory: Where the arrays go.
        sweep: What is counted.
        model: The arm.
        grid: The poses.

    Returns:
        What was found, and the numbers of poses that need care and were left out.

    Raises:
        UnsupportedError: For an arm that accelerators do not solve.
    """
    closed = _closed(model)
    kernel = device_kernel(closed.closed._kernels.ACCELERATED, closed.arm.name)
    setting = closed.closed.setting(())
    there = memory.put(setting)
    launches = _Launches(memory, sweep, closed, grid)
    care: list[Integers] = []
    each = len(grid.orientations)
    step = max(1, POSES // each)
    for first in range(0, len(grid.places), step):
        places = grid.places[first : first + step]
        rows = len(places) * each
        with NOTICE.heard():
            solve(
                kernel,
                memory.put(places),
                launches.orientations,
                each,
                there,
                launches.solved,
                rows,
                plain=bool(setting[PLAIN]),
                grid=True,
            )
        launches.count(memory.put(grid.voxels[first : first + step]), each, rows)
        rough = np.flatnonzero(memory.get(launches.solved[2])[:rows])
        if len(rough):
            care.append(rough + first * each)
    found = launches.found(len(grid.places) * each)
    return found, np.concatenate(care) if care else np.zeros(0, np.int64)


def _closed(model: Any) -> ClosedInverse:
    if isinstance(model, CoupledModel):
        raise UnsupportedError(
            f"arm '{model.arm.name}' has coupled joints, whose limits are looked at on the "
            "processor; use device='cpu'"
        )
    solver = model.inverse if isinstance(model, SerialModel) else None
    if not isinstance(solver, ClosedInverse):
        raise UnsupportedError("inverse sweeps on an accelerator need a closed form")
    return solver


class _Launches:
    """What lies on the accelerator between launches."""

    def __init__(
        self, memory: DeviceMemory, sweep: SweepTask, inverse: ClosedInverse, grid: PoseGrid
    ) -> None:
        chain = inverse.chain
        self.memory, self.sweep = memory, sweep
        self.leaves, self.joints = inverse.closed.branches, chain.dof
        each = len(grid.orientations)
        most = min(max(1, POSES // each), len(grid.places)) * each
        zeros = memory.zeros
        self.orientations = memory.put(np.ascontiguousarray(grid.orientations))
        self.solved: list[Tensor] = [
            zeros((most, self.leaves, self.joints), "float64"),
            zeros((most,), "int8"),
            zeros((most,), "int8"),
        ]
        limits = np.column_stack([chain.limits, chain.home()])
        self._fixed = [
            memory.put(np.ascontiguousarray(limits)),
            memory.put(np.array([LIMIT_SLACK])),
            memory.put(chain.revolute.astype(np.int32)),
            memory.put(np.array(SERIES)),
        ]
        self._table = zeros((self.joints * most * self.leaves * 3,), "float64")
        self._left_out = zeros((most * self.leaves,), "int8")
        self._oriented = zeros((sweep.voxels,), "int32")
        self._reached = zeros((sweep.voxels,), "int32")
        self._best = zeros((sweep.voxels,), "int64")

    def count(self, voxel: Tensor, each: int, rows: int) -> None:
        """Count the solutions of a launch."""
        with NOTICE.heard():
            from armwerk.planning.gpu.kernels import fit_solutions

            fit_solutions[(-(-rows // BLOCK),)](
                *self.solved,
                voxel,
                each,
                rows,
                *self._fixed,
                self._table,
                self._left_out,
                self._oriented,
                LEAVES=self.leaves,
                JOINTS=self.joints,
                BLOCK=BLOCK,
                **options(),
            )
        walk_rows(
            self.memory,
            self.sweep,
            self._table,
            rows * self.leaves,
            self._left_out,
            self._reached,
            self._best,
        )

    def found(self, configurations: int) -> SweepCounts:
        """Return the counts of all launches."""
        get = self.memory.get
        return SweepCounts(
            configurations,
            0,
            get(self._reached).astype(np.int64),
            get(self._best).view(np.float64),
            get(self._oriented).astype(np.int64),
        )
