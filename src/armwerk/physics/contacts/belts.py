"""Belts: where their tops are, which way they move, and the switch of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.scene.scene import Conveyor

# columns of the table of belts; the first three begin vectors of three
ALONG, ACROSS, MIDDLE, SPEED, TO_MIDDLE, RUNNING, EASE = 0, 3, 6, 9, 10, 11, 12
WIDTH = 13
EASING = 0.01  # [m] from the middle line, where the drift begins to slow down


class Belt:
    """One belt of a simulation.

    Args:
        row: Its row of the table, which the kernels read.
        conveyor: What the scene says of it.
        wake: Called when it is switched: things asleep on it must take part again.
    """

    def __init__(self, row: Array, conveyor: Conveyor, wake: Callable[[], None]) -> None:
        self._row = row
        self._wake = wake
        self.conveyor = conveyor

    @property
    def running(self) -> bool:
        """Whether it runs; set it to switch the belt."""
        return bool(self._row[RUNNING])

    @running.setter
    def running(self, value: bool) -> None:
        if bool(value) != self.running:
            self._row[RUNNING] = float(bool(value))
            self._wake()


def belt_table(conveyors: Sequence[Conveyor]) -> Array:
    """Return the belts as the kernels read them. Shape (n, 13)."""
    table = np.zeros((len(conveyors), WIDTH))
    for row, conveyor in zip(table, conveyors, strict=True):
        axis = 0 if conveyor.direction == "x" else 1
        low, high = conveyor.heights
        along = np.zeros(3)
        along[axis], along[2] = conveyor.outline.size[axis], high - low
        along /= np.linalg.norm(along)
        across = np.zeros(3)
        across[1 - axis] = 1.0
        row[ALONG : ALONG + 3] = along
        row[ACROSS : ACROSS + 3] = across
        row[MIDDLE : MIDDLE + 3] = (*conveyor.outline.centre, 0.5 * (low + high))
        row[SPEED], row[TO_MIDDLE] = conveyor.speed, conveyor.to_middle
        row[RUNNING], row[EASE] = float(conveyor.running), EASING
    return table
