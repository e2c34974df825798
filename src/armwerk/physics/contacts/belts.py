"""Belts: where their tops are, which way they move, and the switch of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armwerk.physics.contacts.step_view import BeltTable
from armwerk.scene.scene import Conveyor


class Belt:
    """One belt of a simulation.

    Args:
        table: All belts, as the kernels read them.
        number: Its row there.
        conveyor: What the scene says of it.
        wake: Called when it is switched: things asleep on it must take part again.
    """

    def __init__(
        self, table: BeltTable, number: int, conveyor: Conveyor, wake: Callable[[], None]
    ) -> None:
        self._table, self._number = table, number
        self._wake = wake
        self.conveyor = conveyor

    @property
    def running(self) -> bool:
        """Whether it runs; set it to switch the belt."""
        return bool(self._table.running[self._number])

    @running.setter
    def running(self, value: bool) -> None:
        if bool(value) != self.running:
            self._table.running[self._number] = float(bool(value))
            self._wake()


def belt_table(conveyors: Sequence[Conveyor]) -> BeltTable:
    """Return the belts as the kernels read them."""
    count = len(conveyors)
    table = BeltTable(
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
    )
    for k, conveyor in enumerate(conveyors):
        axis = 0 if conveyor.direction == "x" else 1
        low, high = conveyor.heights
        along = table.along[k]
        along[axis], along[2] = conveyor.outline.size[axis], high - low
        along /= np.linalg.norm(along)
        table.across[k, 1 - axis] = 1.0
        table.middle[k] = (*conveyor.outline.centre, 0.5 * (low + high))
        table.speed[k], table.to_middle[k] = conveyor.speed, conveyor.to_middle
        table.running[k] = float(conveyor.running)
    return table
