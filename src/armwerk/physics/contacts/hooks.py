"""The hooks of one simulation: tables, scratch memory, and the call of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.physics.contacts.book import NUMBERS, WHOLE, write_book
from armwerk.physics.contacts.rows import Rows, address_of
from armwerk.physics.contacts.step import between
from armwerk.physics.contacts.tables import (
    INERTIA,
    MASS,
    geom_table,
    number_table,
    thing_table,
)
from armwerk.scene.scene import Scene

_forward_velocity = mujoco.mj_fwdVelocity


class Hooks:
    """Bounce, rolling loss, belts and sliding of one simulation.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data.
        scene: Its things come first in the model.
        belts: Table of belts, see `armwerk.physics.contacts.belts`.
        pads: Geoms of gripper pads, which nothing bounces off.
    """

    def __init__(
        self, model: Any, data: Any, scene: Scene, belts: Array, pads: Sequence[int]
    ) -> None:
        self._model, self._data = model, data
        self.rows = Rows(model, data)
        self._things = things = thing_table(scene, model)
        friction = float(model.geom_friction[:, 0].max(initial=0.0))
        self._arrays = (  # in the order of the book, which holds only their addresses
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
            data.tree_asleep,
        )
        self._most = 0  # contacts the book reaches
        self._shared = bool(pads)  # whether somebody else looks at the rows
        self._book = write_book(self._arrays, self.rows)

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
        data, book = self._data, self._book
        count = data.ncon
        if count > self._most:
            self._look(count)
        if between(book, count, True):
            _forward_velocity(self._model, data)
            between(book, count, False)
        if self._shared:
            rows = self.rows
            rows.count, rows.aref, rows.velocity = count, data.efc_aref, data.efc_vel

    def _look(self, count: int) -> None:
        rows, book = self.rows, self._book
        rows.look(count)
        self._most = len(rows.numbers)
        book[NUMBERS] = address_of(rows.numbers)
        book[WHOLE] = address_of(rows.whole)
