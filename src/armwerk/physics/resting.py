"""Heaps that only tremble fall asleep.

Contacts of solids that lie on each other come and go from step to step, and each that comes pushes
a little. A single thing is at rest within a few steps all the same, but heaps go on trembling, by
some millimetres in a second, and MuJoCo lets nothing sleep that moves. So places are compared
every `WINDOW`: things that have touched others, and of which none has moved by more than `STILL`
meanwhile, are sent to sleep together. Whatever is about to tip or to slide moves further than that:
a fall from rest gets 0.3 m in this time, and what stands over an edge by 50 µm tips by 1 mm.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.physics.contacts.step_view import CARRIED, Small
from armwerk.physics.sleeping import AWAKE

WINDOW = 0.25  # [s] between two looks, about
STILL = 1e-3  # [m] that no point of a thing at rest moves by in a window
FAR = 1e9  # [m] where nothing is
LOOKS = 16  # in a window, at who touches whom
READY = -1  # MuJoCo's count of a thing that may sleep at the end of the step


class RestState(NamedTuple):
    """What `Resting` remembers; arrays are copies.

    Attributes:
        begin: Places and turns of the things when the window began. Shape (n, 7).
        crowded: Which of them touched other things since then. Shape (n,).
        still: Which of them are to sleep in the next step. Shape (n,).
    """

    begin: Array
    crowded: Flags
    still: Flags


class Resting:
    """Sends heaps to sleep, in one simulation.

    Args:
        model: MuJoCo's model, whose first trees are the things; it lets things sleep.
        data: Its data.
        size: How far the furthest point of each thing is from its centre [m]. Shape (n,).
        marks: What the contacts of a step have found of the things, see
            `armwerk.physics.contacts.step_view`. Shape (n,).
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, size: Array, marks: Small
    ) -> None:
        self._model, self._data, self._size, self._marks = model, data, size, marks
        self._count = len(size)
        self._qpos = data.qpos[: 7 * self._count].reshape(self._count, 7)
        self._stride = max(round(WINDOW / LOOKS / float(model.opt.timestep)), 1)
        self._dt = float(model.opt.timestep)
        self._tolerance = float(model.opt.sleep_tolerance)
        self._is_any_still = False
        self._begin = np.zeros_like(self._qpos)
        self._crowded = np.zeros(self._count, dtype=bool)
        self._still = np.zeros(self._count, dtype=bool)
        self._kept = data.tree_asleep.copy()
        self.restore(None)

    def begin(self) -> bool:
        """Let those who are still sleep at the end of this step; call before mj_step2.

        Returns:
            Whether there are any, and `end` is to be called after it.
        """
        if not self._is_any_still:
            return False
        data, things = self._data, slice(0, self._count)
        self._kept[:] = data.tree_asleep
        awake = data.tree_asleep < 0
        data.tree_asleep[awake] = AWAKE
        ready = self._still & awake[things] & (self._marks & CARRIED == 0)
        data.tree_asleep[things][ready] = READY
        self._model.opt.sleep_tolerance = np.inf
        return True

    def end(self) -> None:
        """Leave all others as they were."""
        data = self._data
        self._model.opt.sleep_tolerance = self._tolerance
        left = data.tree_asleep < 0
        data.tree_asleep[left] = self._kept[left]

    def note(self) -> None:
        """Look who touches others, and at the end of a window who is still; call after a step."""
        if self._is_any_still:
            self._still[:] = self._is_any_still = False
        data = self._data
        step = round(data.time / self._dt)
        if step % self._stride:
            return
        island = data.tree_island[: self._count]
        if data.nisland:
            many = data.island_ntree[: data.nisland] > 1
            self._crowded |= (island >= 0) & many[island]
        if step % (LOOKS * self._stride):
            return
        self._still[:] = self._crowded & (data.tree_asleep[: self._count] < 0)
        self._still &= self._moved() < STILL
        self._is_any_still = bool(self._still.any())
        self._begin[:] = self._qpos
        self._crowded[:] = False

    def _moved(self) -> Array:
        """Return how far the furthest point of each thing has moved in this window [m]."""
        way = np.linalg.norm(self._qpos[:, :3] - self._begin[:, :3], axis=1)
        # the way of a point at a distance r is at most 2 r sin(angle / 2)
        cosine = np.minimum(np.abs((self._qpos[:, 3:] * self._begin[:, 3:]).sum(axis=1)), 1.0)
        return np.asarray(way + 2.0 * self._size * np.sqrt(1.0 - cosine * cosine))

    def capture(self) -> RestState:
        """Return a copy of what is remembered."""
        return RestState(self._begin.copy(), self._crowded.copy(), self._still.copy())

    def restore(self, state: RestState | None) -> None:
        """Go on with what was captured; None: a new window begins."""
        if state is None:
            self._begin[:], self._crowded[:], self._still[:] = FAR, False, False
        else:
            self._begin[:], self._crowded[:], self._still[:] = state
        self._is_any_still = bool(self._still.any())
