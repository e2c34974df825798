"""Who sleeps: MuJoCo's bookkeeping, which is no part of its own state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from armwerk.compiled import entry
from armwerk.physics.contacts.address_table import AddressTable, whole_at, write_addresses

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


@entry("void(i8[::1], i8[::1])")
def _copy(now: AddressTable, kept: AddressTable) -> None:
    """Copy 32-bit integers from where they lie to where they are kept."""
    for place in range(now.shape[0] // 2):
        one, two = whole_at(now, place), whole_at(kept, place)
        for k in range(one.shape[0]):
            two[k] = one[k]


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
        self._places = (write_addresses(self._now), write_addresses(self._kept))

    def keep(self) -> None:
        """Remember who sleeps, for `go_back`."""
        _copy(*self._places)
        data = self._data
        self._kept_counts = (data.ntree_awake, data.nbody_awake, data.nparent_awake, data.nv_awake)

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
