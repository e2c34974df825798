"""The hooks of one simulation: tables, scratch memory, and the call of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from armwerk.scene.scene import Scene
from armwerk.world.contacts.rows import Rows
from armwerk.world.contacts.step import between
from armwerk.world.contacts.tables import (
    INERTIA,
    MASS,
    geom_table,
    number_table,
    thing_table,
)

Array = NDArray[np.float64]


class Hooks:
    """Bounce, rolling loss, belts and sliding of one simulation.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data.
        scene: Its things come first in the model.
        belts: Table of belts, see `armwerk.world.contacts.belts`.
        pads: Geoms of gripper pads, which nothing bounces off.
    """

    def __init__(
        self, model: Any, data: Any, scene: Scene, belts: Array, pads: Sequence[int]
    ) -> None:
        self._model, self._data = model, data
        self.rows = Rows(model, data)
        self._things = things = thing_table(scene, model)
        friction = float(model.geom_friction[:, 0].max(initial=0.0))
        self._fixed = (
            data.qvel,
            data.qpos,
            data.qfrc_passive,
            data.xpos,
            data.xmat,
            data.cvel,
            data.subtree_com,
            model.body_rootid,
            things,
            geom_table(scene, model, pads),
            belts,
            number_table(model, friction),
            np.zeros(len(things), dtype=np.int32),
        )

    @property
    def mass(self) -> Array:
        """Of every thing [kg]. Shape (n,)."""
        return self._things[:, MASS]

    @property
    def inertia(self) -> Array:
        """Of every thing about its own axes [kg m²]. Shape (n, 3)."""
        return self._things[:, INERTIA : INERTIA + 3]

    def apply(self) -> None:
        """Act on the current step; call between mj_step1 and mj_step2."""
        rows = self.rows
        rows.refresh()
        live = (rows.columns, rows.numbers, rows.whole, rows.count, rows.aref, rows.velocity)
        if between(*live, *self._fixed, True):
            mujoco.mj_fwdVelocity(self._model, self._data)
            between(*live, *self._fixed, False)

    def wake(self, i: int) -> None:
        """Make sure that thing i takes part; it was put somewhere."""

    def capture(self) -> None:
        """Return what is kept from step to step: nothing."""

    def restore(self, state: None) -> None:
        """Go back to what was kept."""
