"""How far ahead contacts of things are looked for: as far as anything gets in a step.

A contact has a force only where solids overlap, so two that meet at a speed v would be in each
other by v dt before anything stops them, and whatever stands behind the one that is hit as well.
While something is fast, contacts are therefore looked for that far ahead. They wait, without rows,
until some would meet within the step; then they get rows that let them come just so near that they
touch at its end (`armwerk.physics.contacts.meetings`).

Where there are many things, that would take as long as all the rest: there contacts of fingers and
touch parts are looked for ahead, but not those of things with each other.
"""

from __future__ import annotations

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import entry, inner
from armwerk.physics.contacts.address_table import (
    AddressTable,
    integers_at,
    numbers_at,
    whole_at,
    write_addresses,
)
from armwerk.physics.contacts.second_look import HARD
from armwerk.physics.contacts.step_view import Small

# [m] that anything must get in a step, at most, for contacts to be looked for ahead: slower ones go
# in by less than 1 mm, and fingers that close on a thing meet it more softly without
FAR = 9e-4
FASTEST = 50.0  # [m/s] up to which is looked ahead


@inner
def fastest(qvel: Array, lever: Array, tree: Small) -> float:
    """Return how fast two points of things and robots can come nearer, at most [m/s].

    Args:
        qvel: Velocities. Shape (nv,).
        lever: Speed of the fastest point per velocity [m or 1]. Shape (nv,).
        tree: Which things and robots they belong to, in ascending order. Shape (nv,).
    """
    first = second = 0.0  # of the two fastest
    i = 0
    while i < qvel.shape[0]:
        own, total = tree[i], 0.0
        while i < qvel.shape[0] and tree[i] == own:
            total += abs(qvel[i]) * lever[i]
            i += 1
        if total > first:
            first, second = total, first
        elif total > second:
            second = total
    return first + second


@entry("f8(i8[::1], f8, f8)")
def set_reach(table: AddressTable, dt: float, before: float) -> float:
    """Set how far ahead contacts are looked for, as far as anything gets in a step; return it [m].

    Args:
        table: Where arrays lie, as written by `write_addresses`: velocities, levers and trees of
            `fastest`, the geoms that look ahead, how far every geom does [m], the bodies they
            belong to, how far those look at least [m], and how far every body does [m].
        dt: Step of time [s].
        before: What was last set [m].
    """
    speed = fastest(numbers_at(table, 0), numbers_at(table, 1), whole_at(table, 2))
    way = (FASTEST if speed > FASTEST else speed) * dt
    reach = way if way > FAR else 0.0  # not for a number that is none, either
    if reach != before:
        geoms, gap = integers_at(table, 3), numbers_at(table, 4)
        for geom in geoms:
            gap[geom] = reach
        bodies, least, margin = integers_at(table, 5), numbers_at(table, 6), numbers_at(table, 7)
        for k in range(bodies.shape[0]):
            margin[bodies[k]] = max(least[k], reach)
    return reach


class LookAhead:
    """Sets how far ahead contacts of things are looked for, and gives those that meet rows.

    Args:
        model: MuJoCo's model; how far ahead it looks is changed from step to step.
        data: Its data.
        geoms: Those whose contacts are looked for ahead. Shape (k,).
        tells: Whether `set_reach` tells of what is fast.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, geoms: Integers, *, tells: bool
    ) -> None:
        self._model, self._data = model, data
        geoms = np.ascontiguousarray(geoms, dtype=np.int64)
        self._looks, self._tells = bool(len(geoms)), tells
        self._dt, self._reach = float(model.opt.timestep), 0.0
        found = sorted(set(model.geom_bodyid[geoms].tolist()))  # np.unique loads masked arrays
        bodies: Integers = np.array(found, dtype=np.int64)
        tree = np.array(model.dof_treeid, dtype=np.int32)
        moving = (data.qvel, levers(model), tree)
        least = model.body_margin[bodies].copy()
        ahead = (geoms, model.geom_gap, bodies, least, model.body_margin)
        self._arrays = (*moving, *ahead)  # kept alive here; the table holds only their addresses
        self._table = write_addresses(self._arrays)

    def set_reach(self) -> bool:
        """Look as far ahead as anything gets in the coming step; call before mj_step1.

        Returns:
            Whether anything is fast, if it is to be told.
        """
        if not self._looks:
            return False
        self._reach = reach = set_reach(self._table, self._dt, self._reach)
        return reach > 0.0 and self._tells

    def give_rows(self, meets: Small) -> None:
        """Give rows to the contacts marked; call after mj_step1.

        Args:
            meets: 1 for a contact that may meet in this step. Shape (m,), contacts first.
        """
        model, data = self._model, self._data
        contact = data.contact
        chosen = np.flatnonzero(meets[: data.ncon])
        contact.exclude[chosen] = 0
        contact.includemargin[chosen] = contact.dist[chosen] + HARD
        mujoco.mj_makeConstraint(model, data)
        mujoco.mj_island(model, data)
        mujoco.mj_fwdVelocity(model, data)


def levers(model: mujoco.MjModel) -> Array:
    """Return how fast the fastest point of a tree moves per velocity of a dof, at most. (nv,)."""
    reach = np.zeros(model.nbody)  # from the origin of a body to the furthest point behind it
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        away = float(np.linalg.norm(model.geom_pos[geom]) + model.geom_rbound[geom])
        reach[body] = max(reach[body], away)
    for body in range(model.nbody - 1, 0, -1):
        parent = int(model.body_parentid[body])
        stroke = sum(
            float(np.abs(model.jnt_range[joint]).max())
            for joint in range(*_joints(model, body))
            if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
        )
        way = float(np.linalg.norm(model.body_pos[body])) + stroke + float(reach[body])
        reach[parent] = max(reach[parent], way)
    found = np.ones(model.nv)
    for dof in range(model.nv):
        joint = int(model.dof_jntid[dof])
        kind, place = model.jnt_type[joint], dof - int(model.jnt_dofadr[joint])
        turns = kind in {mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL}
        if turns or (kind == mujoco.mjtJoint.mjJNT_FREE and place >= 3):
            away = float(np.linalg.norm(model.jnt_pos[joint]))
            found[dof] = away + reach[int(model.dof_bodyid[dof])]
    return found


def _joints(model: mujoco.MjModel, body: int) -> tuple[int, int]:
    """Return the first joint of a body, and the one after its last."""
    first = int(model.body_jntadr[body])
    return first, first + int(model.body_jntnum[body])
