"""`sweep_share`: a share of a sweep over joint values on an accelerator."""

from __future__ import annotations

from typing import Any

import numpy as np

from armwerk.planning.gpu.launch import Carrier, options
from armwerk.planning.sweep_task import SweepShare, SweepTask

BLOCK = 256  # configurations of one program
LAUNCH = 1 << 27  # configurations of one launch, so that counters of 32 bits suffice
FEWER = 16  # times as many configurations must share their first joints for these to go first


def sweep_share(carrier: Carrier, task: SweepTask, first: int, last: int) -> SweepShare:
    """Walk the configurations first to last - 1; equal to `run_share` to the last bit.

    Many configurations of a grid share the values of their first joints. Whether those touch is
    found out first, once for all of them.
    """
    voxels = max(task.voxels, 1)
    best = carrier.zeros((voxels,), "int64")
    reached = np.zeros(voxels, np.int64)
    touching = 0
    fixed = _arrays(carrier, task)
    none = carrier.zeros((1,), "int8")
    for begin in range(first, last, LAUNCH):
        end = min(begin + LAUNCH, last)
        counts = carrier.zeros((voxels,), "int32")
        known, joints, known_from = none, shared_joints(task, end - begin), 0
        if joints:
            size = int(task.sizes()[joints])
            known_from, known_to = begin // size, (end - 1) // size + 1
            known = carrier.zeros((known_to - known_from,), "int8")
            ahead = _arrays(carrier, task, joints)
            _launch(
                carrier, known_from, known_to, ahead, counts, best, known, joints=joints, keep=True
            )
        touched = _launch(
            carrier,
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
        touching += int(carrier.get(touched).sum(dtype=np.int64))
        reached += carrier.get(counts)
    found = carrier.get(best).view(np.float64)
    return SweepShare(last - first, touching, reached[: task.voxels], found[: task.voxels])


def shared_joints(task: SweepTask, count: int) -> int:
    """Return how many first joints are worth a launch of their own; 0: none."""
    if task.listed:
        return 0
    sizes = task.sizes()
    worth = [k for k in range(1, len(task.turns)) if sizes[0] // sizes[k] * FEWER <= count]
    return max(worth, default=0)


def _arrays(carrier: Carrier, task: SweepTask, joints: int | None = None) -> list[Any]:
    """Return what the kernel reads, for all joints or as if there were only some."""
    size = task.sizes()
    return [
        carrier.put(np.ascontiguousarray(task.constants[:, :3])),
        carrier.put(task.turns.astype(np.int32)),
        carrier.put(task.start),
        carrier.put(size if joints is None else size // size[joints]),
        carrier.put(task.table),
        carrier.put(task.sphere if len(task.sphere) else np.zeros((1, 4))),
        carrier.put(task.spheres_of.astype(np.int32)),
        carrier.put(task.box if len(task.box) else np.zeros((1, 15))),
        len(task.box),
        carrier.put(np.append(task.corner, task.cell)),
        carrier.put(task.shape),
    ]


def _launch(
    carrier: Carrier,
    begin: int,
    end: int,
    fixed: list[Any],
    counts: Any,
    best: Any,
    known: Any,
    *,
    joints: int,
    known_from: int = 0,
    shared: int = 0,
    keep: bool = False,
    voxels: bool = False,
    rank: int = 0,
) -> Any:
    """Run the kernel and return the contacts of each program."""
    from armwerk.planning.gpu.sweep_kernel import joint_sweep

    blocks = -(-(end - begin) // BLOCK)
    touched = carrier.zeros((blocks,), "int32")
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
        BLOCK=BLOCK,
        **options(),
    )
    return touched
