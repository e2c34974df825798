"""The hooks of one simulation: tables, scratch memory, and the call of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.physics.contacts.address_table import (
    AddressTable,
    enter_array,
    enter_memory,
    write_table,
)
from armwerk.physics.contacts.adjust import (
    FULL,
    MEETING,
    MEETINGS,
    REBOUNDED,
    REBOUNDS,
    WAKING,
    adjust_contacts,
)
from armwerk.physics.contacts.ahead import LookAhead
from armwerk.physics.contacts.memory import StepMemory, find_layout
from armwerk.physics.contacts.sliding import finish_slides
from armwerk.physics.contacts.step_view import BALL, CUBOID, PAD, TOUCH, BeltTable, PadPairs, Small
from armwerk.physics.contacts.tables import geom_table, step_constants, thing_table
from armwerk.physics.settings import many
from armwerk.physics.sleeping import Sleeping
from armwerk.scene.scene import Scene

BLOWS, BLOWS_PER_THING = 64, 32  # contacts whose rebounds are kept for those who watch
MEETS, MEETS_PER_THING = 256, 64  # contacts that may wait
ROOM, ROOM_PER_THING = 256, 64  # contacts there is room for at first

_first_half, _forward_velocity = mujoco.mj_step1, mujoco.mj_fwdVelocity


class Hooks:
    """Bounce, rolling loss, belts and sliding of one simulation.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data.
        scene: Its things come first in the model.
        belts: All belts.
        pads: Geoms of gripper pads, which nothing bounces off.
        links: Geoms of links, likewise.
        lips: Those that no finger moves.
        pairs: What the pads remember.
        sleeping: Who sleeps.

    Attributes:
        memory: How the kernels find contacts and rows.
        table: Where all arrays lie.
        look_ahead: Has contacts looked for as far ahead as anything gets in a step, and says
            whether things may be so fast that a second look is worth it; call before mj_step1.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        scene: Scene,
        belts: BeltTable,
        pads: Sequence[int],
        links: Sequence[int],
        lips: Sequence[int],
        pairs: PadPairs,
        sleeping: Sleeping,
    ) -> None:
        self._model, self._data, self._sleeping = model, data, sleeping
        self.memory = StepMemory(data, find_layout())
        self._many = many(scene)
        self._things = things = thing_table(scene, model)
        constants = step_constants(model, float(model.geom_friction[:, 0].max(initial=0.0)))
        self._geoms = geoms = geom_table(scene, model, pads, links, lips)
        self._arrays = {  # kept alive here; the table holds only their addresses
            "qvel": data.qvel,
            "qpos": data.qpos,
            "passive": data.qfrc_passive,
            "xpos": data.xpos,
            "xmat": data.xmat,
            "cvel": data.cvel,
            "com": data.subtree_com,
            "root": model.body_rootid,
            "asleep": data.tree_asleep,
            **things._asdict(),
            **geoms._asdict(),
            "applied": data.qfrc_applied,
            **belts._asdict(),
            "gravity": constants.gravity,
            "constants": np.array([value for value in constants if isinstance(value, float)]),
            "geom_xpos": data.geom_xpos,
            "geom_xmat": data.geom_xmat,
            **pairs._asdict(),
            "state": np.zeros(len(scene.things), dtype=np.int32),
            "before": np.zeros((len(scene.things), 3)),
            "blow": np.zeros(BLOWS + BLOWS_PER_THING * len(scene.things)),
            "meets": np.zeros(MEETS + MEETS_PER_THING * len(scene.things), dtype=np.int32),
            "dropped": np.zeros(ROOM + ROOM_PER_THING * len(scene.things), dtype=np.int32),
        }
        own = (PAD, TOUCH) if self._many else (BALL, CUBOID)
        ahead = np.flatnonzero(np.isin(geoms.role, own))
        self._ahead = LookAhead(model, data, ahead, tells=not self._many)
        self.look_ahead = self._ahead.set_reach
        self.table: AddressTable = write_table(self._arrays, self.memory)
        self._renew = True  # whether contacts and rows must be asked for before a step

    @property
    def mass(self) -> Array:
        """Of every thing [kg]. Shape (n,)."""
        return self._things.mass

    @property
    def role(self) -> Small:
        """Of every geom, see `armwerk.physics.contacts.step_view`. Shape (g,)."""
        return self._geoms.role

    @property
    def marks(self) -> Small:
        """What the step last made has found of every thing, seen where kernels write it. (n,)."""
        marks: Small = self._arrays["state"]
        return marks

    @property
    def size(self) -> Array:
        """How far the furthest point of every thing is from its centre [m]. Shape (n,)."""
        moving = np.isin(self.role, (BALL, CUBOID))
        size = np.zeros(len(self.mass))
        model, number = self._model, self._geoms.number[moving]
        away = np.linalg.norm(model.geom_pos[moving], axis=1) + model.geom_rbound[moving]
        np.maximum.at(size, number, away)
        return size

    @property
    def free(self) -> Flags:
        """Which geoms may go into each other for a step: of what bounces, or of many things."""
        role = self._geoms.role
        free = np.isin(role, (BALL, CUBOID))
        if not self._many:  # numbers of other geoms are not those of things
            free[free] = self._things.bounce[self._geoms.number[free]] > 0.0
            free |= role == BALL
        return np.asarray(free)

    @property
    def inertia(self) -> Array:
        """Of every thing about its own axes [kg m²]. Shape (n, 3)."""
        return self._things.inertia

    def apply(self) -> int:
        """Act on the current step; call between mj_step1 and mj_step2.

        Returns:
            Bits DEEP, SLIDING and LINKED, see `armwerk.physics.contacts.adjust`.
        """
        due = REBOUNDS | MEETINGS
        while True:
            if self._renew:
                self._look()
            found = adjust_contacts(self.table, due)
            if found >= 0:
                return found
            if found == REBOUNDED:
                _forward_velocity(self._model, self._data)
                due &= ~REBOUNDS
            elif found == MEETING:
                self._ahead.give_rows(self._arrays["meets"])
                due &= ~MEETINGS
            elif found == WAKING:
                self._sleeping.wake()
                _first_half(self._model, self._data)
            elif found == FULL:
                self._arrays["dropped"] = np.zeros(2 * self._data.ncon, dtype=np.int32)
                enter_array(self.table, "dropped", self._arrays["dropped"])

    def finish(self) -> None:
        """Move things that slide as far as they slide; call after mj_step2 where SLIDING."""
        finish_slides(self.table)

    def _look(self) -> None:
        self._renew = self.memory.renew()
        enter_memory(self.table, self.memory)
