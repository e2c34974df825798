"""The sweeps that run on an accelerator.

`planar_cells` is the map of a planar arm, `sweep_range` a share of a sweep over joint values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armwerk.accelerator import NOTICE, DeviceMemory, Tensor, options
from armwerk.arrays import Array, Integers
from armwerk.planning.kernels.records import PlanarPairs
from armwerk.planning.reachability.sweep import SweepCounts, SweepTask

MAP_BLOCK = 512  # cells of one program
SWEEP_BLOCK = 256  # configurations of one program
LAUNCH = 1 << 27  # configurations of one launch, so that counters of 32 bits suffice
FEWER = 16  # times as many configurations must share their first joints for these to go first


def planar_cells(
    memory: DeviceMemory,
    line: Array,
    on: Array,
    pairs: PlanarPairs,
    dtype: str = "int32",
    base: Integers | None = None,
) -> tuple[Tensor, int]:
    """Test every cell; arguments as in `armwerk.planning.kernels.planar.fill`.

    Args:
        memory: Where the arrays go.
        line: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        pairs: What is held against what.
        dtype: Of the cells; it must hold the largest sum.
        base: What every cell of a line holds beforehand; None: 0. Shape (lines,).

    Returns:
        The cells where the memory keeps them, shape (lines, places), and the contacts.
    """
    with NOTICE.heard():
        from armwerk.planning.gpu.kernels import planar_map

    lines, places = len(line), on.shape[1]
    blocks = -(-places // MAP_BLOCK)
    out = memory.zeros((lines, places), dtype)
    hits = memory.zeros((lines, blocks), "int32")
    arrays = [
        memory.put(line),
        memory.put(np.ascontiguousarray(on.transpose(0, 2, 1))),
        memory.put(pairs.half),
        memory.put(pairs.bodies),
        memory.put(pairs.allowance),
        memory.put((pairs.rise == 0.0).astype(np.int32)),
        memory.put(np.zeros(lines, np.int32) if base is None else base.astype(np.int32)),
    ]
    with NOTICE.heard():
        planar_map[(lines, blocks)](
            *arrays,
            out,
            hits,
            places,
            PARTS=len(on),
            BODIES=len(pairs.bodies),
            BLOCK=MAP_BLOCK,
            **options(),
        )
    return out, int(memory.get(hits).sum(dtype=np.int64))


def sweep_range(memory: DeviceMemory, task: SweepTask, first: int, last: int) -> SweepCounts:
    """Walk the configurations first to last - 1; equal to `sweep_range` to the last bit.

    Many configurations of a grid share the values of their first joints. Whether those touch is
    found out first, once for all of them.
    """
    voxels = max(task.voxels, 1)
    best = memory.zeros((voxels,), "int64")
    reached = np.zeros(voxels, np.int64)
    touching = 0
    fixed = _arrays(memory, task)
    none = memory.zeros((1,), "int8")
    for begin in range(first, last, LAUNCH):
        end = min(begin + LAUNCH, last)
        counts = memory.zeros((voxels,), "int32")
        known, joints, known_from = none, shared_joints(task, end - begin), 0
        if joints:
            size = int(task.sizes()[joints])
            known_from, known_to = begin // size, (end - 1) // size + 1
            known = memory.zeros((known_to - known_from,), "int8")
            ahead = _arrays(memory, task, joints)
            _launch(
                memory, known_from, known_to, ahead, counts, best, known, joints=joints, keep=True
            )
        touched = _launch(
            memory,
            begin,
            end,
            fixed,
            counts,
            best,
            known,
            joints=len(task.turns),
            known_from=known_from,
            shared=joints,
            voxels=task.voxels > 0,
            rank=task.rank,
        )
        touching += int(memory.get(touched).sum(dtype=np.int64))
        reached += memory.get(counts)
    found = memory.get(best).view(np.float64)
    return SweepCounts(last - first, touching, reached[: task.voxels], found[: task.voxels])


def walk_rows(
    memory: DeviceMemory,
    task: SweepTask,
    table: Tensor,
    rows: int,
    left_out: Tensor,
    reached: Tensor,
    best: Tensor,
) -> None:
    """Count configurations whose table lies on the accelerator already.

    Args:
        memory: Where everything lies.
        task: Gives the arm and the voxels.
        table: Cosine, sine, shift of every joint of every configuration, joint by joint.
        rows: Number of configurations.
        left_out: Which ones do not count. Shape (rows,).
        reached: Added to. Shape (voxels,).
        best: Bits of the best dexterity. Shape (voxels,).
    """
    joints = len(task.turns)
    fixed = _arrays(memory, replace(task, table=np.zeros((1, 3)), sphere=np.zeros((0, 4))))
    fixed[2] = memory.put(rows * np.arange(joints + 1, dtype=np.int64))
    fixed[3] = memory.put(np.ones(joints + 1, np.int64))
    fixed[4] = table
    _launch(
        memory,
        0,
        rows,
        fixed,
        reached,
        best,
        left_out,
        joints=joints,
        shared=joints,
        voxels=task.voxels > 0,
        rank=task.rank,
    )


def shared_joints(task: SweepTask, count: int) -> int:
    """Return how many first joints are worth a launch of their own; 0: none."""
    if task.listed:
        return 0
    sizes = task.sizes()
    worth = [k for k in range(1, len(task.turns)) if sizes[0] // sizes[k] * FEWER <= count]
    return max(worth, default=0)


def _arrays(memory: DeviceMemory, task: SweepTask, joints: int | None = None) -> list[Tensor]:
    """Return what the kernel reads, for all joints or as if there were only some."""
    size = task.sizes()
    return [
        memory.put(np.ascontiguousarray(task.constants[:, :3])),
        memory.put(task.turns.astype(np.int32)),
        memory.put(task.start),
        memory.put(size if joints is None else size // size[joints]),
        memory.put(task.table),
        memory.put(task.sphere if len(task.sphere) else np.zeros((1, 4))),
        memory.put(task.spheres_of.astype(np.int32)),
        memory.put(task.box if len(task.box) else np.zeros((1, 15))),
        len(task.box),
        memory.put(np.append(task.corner, task.cell)),
        memory.put(task.shape),
    ]


def _launch(
    memory: DeviceMemory,
    begin: int,
    end: int,
    fixed: list[Tensor],
    counts: Tensor,
    best: Tensor,
    known: Tensor,
    *,
    joints: int,
    known_from: int = 0,
    shared: int = 0,
    keep: bool = False,
    voxels: bool = False,
    rank: int = 0,
) -> Tensor:
    """Run the kernel and return the contacts of each program."""
    with NOTICE.heard():
        from armwerk.planning.gpu.kernels import joint_sweep

    blocks = -(-(end - begin) // SWEEP_BLOCK)
    touched = memory.zeros((blocks,), "int32")
    with NOTICE.heard():
        joint_sweep[(blocks,)](
            begin,
            end,
            *fixed,
            counts,
            best,
            touched,
            known,
            known_from,
            JOINTS=joints,
            KNOWN=shared,
            KEEP=keep,
            VOXELS=voxels,
            RANK=rank,
            BLOCK=SWEEP_BLOCK,
            **options(),
        )
    return touched
