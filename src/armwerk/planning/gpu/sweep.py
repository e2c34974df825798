"""`sweep_share`: a share of a sweep over joint values on an accelerator."""

from __future__ import annotations

import numpy as np

from armwerk.planning.gpu.launch import Carrier, options
from armwerk.planning.sweep_task import SweepShare, SweepTask

BLOCK = 128  # configurations of one program
LAUNCH = 1 << 27  # configurations of one launch, so that counters of 32 bits suffice


def sweep_share(carrier: Carrier, task: SweepTask, first: int, last: int) -> SweepShare:
    """Walk the configurations first to last - 1; equal to `run_share` to the last bit."""
    from armwerk.planning.gpu.sweep_kernel import joint_sweep

    voxels = max(task.voxels, 1)
    best = carrier.zeros((voxels,), "int64")
    reached = np.zeros(voxels, np.int64)
    touching = 0
    fixed = [
        carrier.put(np.ascontiguousarray(task.constants[:, :3])),
        carrier.put(task.turns.astype(np.int32)),
        carrier.put(task.start),
        carrier.put(task.sizes()),
        carrier.put(task.table),
        carrier.put(task.sphere if len(task.sphere) else np.zeros((1, 4))),
        carrier.put(task.spheres_of.astype(np.int32)),
        carrier.put(task.box if len(task.box) else np.zeros((1, 15))),
        len(task.box),
        carrier.put(np.append(task.corner, task.cell)),
        carrier.put(task.shape),
    ]
    for begin in range(first, last, LAUNCH):
        end = min(begin + LAUNCH, last)
        blocks = -(-(end - begin) // BLOCK)
        counts = carrier.zeros((voxels,), "int32")
        touched = carrier.zeros((blocks,), "int32")
        joint_sweep[(blocks,)](
            begin,
            end,
            *fixed,
            counts,
            best,
            touched,
            JOINTS=len(task.turns),
            VOXELS=task.voxels > 0,
            BLOCK=BLOCK,
            **options(),
        )
        touching += int(carrier.get(touched).sum(dtype=np.int64))
        reached += carrier.get(counts)
    found = carrier.get(best).view(np.float64)
    return SweepShare(last - first, touching, reached[: task.voxels], found[: task.voxels])
