"""Where bodies are, for those who look on from another thread.

The thread that steps copies the raw state (2 µs); whoever looks works out the places of bodies from
the copy, with memory of its own. So a look is never torn and the simulation never waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np

from armwerk.arrays import Array

if TYPE_CHECKING:
    from armwerk.physics.simulation import Simulation


class RawState(NamedTuple):
    """A copy of all coordinates and speeds at one time.

    Attributes:
        time: Simulated [s].
        coordinates: MuJoCo's qpos.
        speeds: MuJoCo's qvel.
    """

    time: float
    coordinates: Array
    speeds: Array


class BodyPoses:
    """Works out where bodies of a simulation are, from raw states of it.

    Args:
        simulation: Whose bodies; only its model is kept.
        bodies: Their names in the engine, see `armwerk.physics.names`.
    """

    def __init__(self, simulation: Simulation, bodies: Sequence[str]) -> None:
        self._model: mujoco.MjModel = simulation.model
        self._data: mujoco.MjData = mujoco.MjData(self._model)
        self._bodies = np.array([self._model.body(name).id for name in bodies], dtype=np.int64)
        self._qpos = self._data.qpos
        self._places, self._turns = self._data.xpos, self._data.xquat

    def read(self, state: RawState) -> tuple[Array, Array]:
        """Return places [m] and turns (w x y z) of the bodies. Shapes (n, 3), (n, 4)."""
        self._qpos[:] = state.coordinates
        mujoco.mj_kinematics(self._model, self._data)
        return self._places[self._bodies], self._turns[self._bodies]
