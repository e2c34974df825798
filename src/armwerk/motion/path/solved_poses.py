"""Joint values of poses that are asked for again and again while a path is refused.

In: a model and a pose. Out: its solutions, found once.

A path that cannot be driven is tried from every configuration of its start, and each trial asks for
the same places: the end of the reach, and the way out of a singular start. There solutions take
most time of all.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.inverse.interface import Task
from armwerk.mechanics.serial import SerialModel

_MOST = 64  # poses that are kept of a model; more than the trials of one path ask for

_SOLVED: WeakKeyDictionary[SerialModel, dict[bytes, Array]] = WeakKeyDictionary()
"""Solutions by model and pose, to the last bit: nothing depends on what was asked before."""


def solutions_of(
    model: SerialModel, pose: Array, task: Task = "pose", near: Array | None = None
) -> Array:
    """Return the solutions of a pose, limits not counted; not to be written to. Shape (k, n).

    Args:
        model: Of the arm.
        pose: T_world_tool. Shape (4, 4).
        task: The part of the pose that counts.
        near: Joint values to which those are near that are taken of infinitely many, of a part of
            the pose; None: nowhere in particular. Shape (n,).
    """
    known = _SOLVED.setdefault(model, {})
    whole = task == "pose"
    key = pose.tobytes()
    if not whole:
        key += task.encode() + (b"" if near is None else near.tobytes())
    found = known.get(key)
    if found is None:
        joints = model.ik(pose) if whole else model.solutions(pose, near, task).joints
        found = np.array(joints).reshape(-1, model.dof)
        found.setflags(write=False)
        if len(known) >= _MOST:
            known.clear()
        known[key] = found
    return found
