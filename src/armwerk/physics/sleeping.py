"""Who sleeps: MuJoCo's bookkeeping, which is no part of its own state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

_ARRAYS = (
    "tree_asleep",
    "tree_awake",
    "body_awake",
    "body_awake_ind",
    "parent_awake_ind",
    "dof_awake_ind",
)
_COUNTS = ("ntree_awake", "nbody_awake", "nparent_awake", "nv_awake")
AWAKE = -11  # MuJoCo counts up from here while a thing is at rest; it sleeps when it gets to 0

Sleepers: TypeAlias = tuple[tuple[NDArray[np.int32], ...], tuple[int, ...]]


class Sleeping:
    """The sleepers of one simulation; make it when all are awake and mj_forward was called.

    Args:
        data: MuJoCo's data.
    """

    def __init__(self, data: mujoco.MjData) -> None:
        self._data = data
        model = data.model
        self._tree_of_geom = np.append(model.body_treeid[model.geom_bodyid], -1)
        data.tree_asleep[:] = AWAKE
        self._all_awake = self.capture()
        self._now = tuple(getattr(data, name) for name in _ARRAYS)
        self._kept, self._kept_counts = tuple(now.copy() for now in self._now), self._all_awake[1]

    def keep(self) -> None:
        """Remember who sleeps, for `go_back`."""
        for kept, now in zip(self._kept, self._now, strict=True):
            kept[:] = now
        self._kept_counts = tuple(getattr(self._data, name) for name in _COUNTS)

    def go_back(self) -> None:
        """Go back to what was last kept."""
        self.restore((self._kept, self._kept_counts))

    def has(self, geoms: Sequence[int]) -> bool:
        """Whether a geom belongs to somebody who sleeps."""
        trees = self._tree_of_geom[list(geoms)]
        return bool((self._data.tree_asleep[trees[trees >= 0]] >= 0).any())

    def wake(self) -> None:
        """Let everything take part again; something was changed by hand."""
        self.restore(self._all_awake)

    def capture(self) -> Sleepers:
        """Return who sleeps, copied."""
        arrays = tuple(np.array(getattr(self._data, name)) for name in _ARRAYS)
        for array in arrays:
            array.setflags(write=False)
        return arrays, tuple(int(getattr(self._data, name)) for name in _COUNTS)

    def restore(self, state: Sleepers) -> None:
        """Go back to what was captured."""
        for name, kept in zip(_ARRAYS, state[0], strict=True):
            getattr(self._data, name)[:] = kept
        for name, count in zip(_COUNTS, state[1], strict=True):
            setattr(self._data, name, count)
