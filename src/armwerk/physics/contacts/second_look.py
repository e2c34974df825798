"""A second look after a step in which links touch: what went in all the same is stopped, again.

Contacts are found before a step, at the nearest points of two solids, and hold for the whole of it.
In a step a link may turn so far that other points meet: the far end of an edge that swings in, the
other end of two bars side by side, the tip of a hand that whips about. So where links meet
anything, solids are compared once more when the step is done. For every point that went in, the two
points of the solids that meet there are taken back to the beginning of the step, and get a contact:

    g = n · (p2 - p1) before the step,    n · (v2 - v1) >= -g / dt in it,

n being the normal at the end of the step. Points of what turns by w dt go along arcs, not along
v dt, and come nearer by up to w² r dt²/2 more: by as much more they are held off. Then the step is
made again, up to `ROUNDS` times. Such contacts stop what closes and nothing else, so they take
energy away as all others do.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import mujoco
import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.physics.contacts.address_table import AddressTable, write_addresses
from armwerk.physics.contacts.approach import NEARER, may_meet
from armwerk.physics.contacts.step_view import LINK, PAD, Small
from armwerk.physics.sleeping import Sleeping

TOLERATED = 1e-4  # [m] that a link may be in something; what presses is in by less
CLOSING = 5e-6  # [m] that two must have come nearer in a step, to have been missed
SUNK = 5e-4  # [m] that a thing may be in something, or a finger in a thing
HARD = 1e-3  # [m] of a margin behind the distance, so that a contact found is not soft
ROUNDS = 4  # of making a step again
BRAKED = 3e-4  # [m] from which on an arm is slowed down that contacts did not stop
BRAKE, BRAKES = 0.5, 8  # share of its speed that is left, and how often
_STATE = int(mujoco.mjtState.mjSTATE_FULLPHYSICS) | int(mujoco.mjtState.mjSTATE_WARMSTART)


class SecondLook:
    """Finds what links went into in a step, and prepares to make the step again.

    Args:
        model: MuJoCo's model.
        data: Its data.
        role: Of every geom, see `armwerk.physics.contacts.step_view`. Shape (g,).
        free: Which geoms may go into each other for a step, if not into a robot. Shape (g,).
        owner: Of every degree of freedom: which arm of limited force it belongs to, -1: none.
            Shape (nv,).
        sleeping: Who sleeps.
        table: Where contacts lie, see `armwerk.physics.contacts.address_table`.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        role: Small,
        free: Flags,
        owner: Integers,
        sleeping: Sleeping,
        table: AddressTable,
    ) -> None:
        self._model, self._data, self._sleeping = model, data, sleeping
        self._after = mujoco.MjData(model)
        # the last for flexible bodies: none
        self._link: Flags = np.append(role == LINK, False)
        self._holds: Flags = np.append(role >= PAD, False)
        self._free: Flags = np.append(free, False)
        self._owner, self._arm = owner, _arm_of_geoms(model, owner)
        self._place = model.jnt_qposadr[model.dof_jntid] if model.nv else owner
        self._sleeps = bool(model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP))
        self._state = np.empty(mujoco.mj_stateSize(model, _STATE))
        self._start = data.qpos.copy()
        self._added: list[mujoco.MjContact] = []
        self._bends: list[float] = []
        bodies = (model.body_rootid, data.subtree_com, data.cvel)
        # kept alive here; the table holds only their addresses
        self._solids = (free.astype(np.int32), model.geom_bodyid, model.geom_rbound, *bodies)
        self._tables = (table, write_addresses(self._solids))
        self._qpos = data.qpos

    def keep(self) -> None:
        """Keep the state before a step."""
        mujoco.mj_getState(self._model, self._data, self._state, _STATE)
        self._start[:] = self._qpos
        if self._sleeps:
            self._sleeping.keep()
        if self._added:
            self._added.clear()
            self._bends.clear()

    def is_needed(self) -> bool:
        """Whether any two are so near and so fast that they may have gone into each other."""
        mujoco.mj_comVel(self._model, self._data)  # what they are after the step
        return may_meet(*self._tables)

    def missed(self) -> bool:
        """Whether any two went into each other in the step just made, deeper than they were."""
        deep = self._deep(TOLERATED, SUNK)
        if deep is None:
            return False
        for k, place in enumerate(deep.places):
            found = copy.copy(self._after.contact[int(place)])
            found.dist, found.pos = deep.gaps[k], deep.points[k]
            found.includemargin = max(found.includemargin, deep.gaps[k] + HARD)
            self._added.append(found)
            self._bends.append(float(deep.bends[k]))
        return True

    def begin_again(self) -> None:
        """Go back before the step, and through its first half with the contacts found."""
        model, data = self._model, self._data
        mujoco.mj_setState(model, data, self._state, _STATE)
        if self._sleeps:
            self._sleeping.go_back()
            if self._sleeping.has([geom for one in self._added for geom in one.geom.tolist()]):
                self._sleeping.wake()
        mujoco.mj_step1(model, data)
        for contact in self._added:
            mujoco.mj_addContact(model, data, contact)
        mujoco.mj_makeConstraint(model, data)
        mujoco.mj_island(model, data)
        mujoco.mj_fwdVelocity(model, data)

    def hold_off(self) -> None:
        """Hold off what goes along an arc; call when all else is aimed at."""
        data, dt = self._data, float(self._model.opt.timestep)
        first = data.ncon - len(self._added)
        for row, bend in zip(data.contact.efc_address[first:], self._bends, strict=True):
            if row >= 0:
                data.efc_aref[row] += bend / (dt * dt)

    def brake(self) -> None:
        """Slow down the arms that no contacts can stop, until they go in no deeper."""
        data, dt = self._data, float(self._model.opt.timestep)
        for _ in range(BRAKES):
            deep = self._deep(BRAKED, np.inf)
            if deep is None:
                return
            arms = np.unique(self._arm[deep.geoms])
            slowed = np.flatnonzero(np.isin(self._owner, arms[arms >= 0]))
            data.qvel[slowed] *= BRAKE
            data.qpos[self._place[slowed]] = (
                self._start[self._place[slowed]] + dt * data.qvel[slowed]
            )

    def _deep(self, of_links: float, of_things: float) -> _Deep | None:
        """Return who has gone deeper than that in the step just made [m]; None: nobody."""
        after, before = self._after, self._data
        after.qpos[:] = before.qpos
        mujoco.mj_kinematics(self._model, after)
        mujoco.mj_collision(self._model, after)
        if not after.ncon:
            return None
        contact = after.contact
        depth = -contact.dist
        places = np.flatnonzero(depth > min(of_links, of_things))
        if not len(places):
            return None
        linked = self._link[contact.geom[places]].any(axis=1)
        free = self._free[contact.geom[places]].any(axis=1)
        free &= ~self._holds[contact.geom[places]].any(axis=1)
        watched = np.where(linked, depth[places] > of_links, depth[places] > of_things) & ~free
        places, linked = places[watched], linked[watched]
        if not len(places):
            return None
        geoms, normal, depth = contact.geom[places], contact.frame[places, :3], depth[places]
        reach, middle = 0.5 * depth[:, None] * normal, contact.pos[places]
        one = self._before(geoms[:, 0], middle + reach)
        two = self._before(geoms[:, 1], middle - reach)
        apart = (normal * (two - one)).sum(axis=1)
        # what was apart before the step was so along every normal
        gap = np.maximum(apart, self._distances(geoms))
        missed = gap + depth > np.where(linked, CLOSING, NEARER)
        if not missed.any():
            return None
        closing = (
            normal * (self._velocities(geoms[:, 1], two) - self._velocities(geoms[:, 0], one))
        ).sum(axis=1)
        bend = np.maximum(apart + closing * float(self._model.opt.timestep) + depth, 0.0)
        return _Deep(
            places[missed], geoms[missed], gap[missed], 0.5 * (one + two)[missed], bend[missed]
        )

    def _velocities(self, geoms: Small, points: Array) -> Array:
        """Return with which velocities points of solids began the step just made [m/s]. (k, 3)."""
        model, data = self._model, self._data
        mujoco.mj_comVel(model, data)  # of the speeds that the step has given
        body = model.geom_bodyid[geoms]
        moved = data.cvel[body]
        lever = points - data.subtree_com[model.body_rootid[body]]
        return np.asarray(moved[:, 3:] + np.cross(moved[:, :3], lever))

    def _distances(self, geoms: Small) -> Array:
        """Return how far pairs of geoms overlapped before the step, as a negative number [m]."""
        contact = self._data.contact
        known, distance = contact.geom, contact.dist
        found = np.zeros(len(geoms))
        for k, pair in enumerate(geoms):
            same = (known == pair).all(axis=1)
            found[k] = distance[same].min(initial=0.0)
        return found

    def _before(self, geoms: Small, points: Array) -> Array:
        """Return where points of solids were before the step [m]. Shape (k, 3)."""
        after, before = self._after, self._data
        turned = after.geom_xmat[geoms].reshape(-1, 3, 3)
        local = np.einsum("kji,kj->ki", turned, points - after.geom_xpos[geoms])
        axes = before.geom_xmat[geoms].reshape(-1, 3, 3)
        return np.asarray(before.geom_xpos[geoms] + np.einsum("kij,kj->ki", axes, local))


class _Deep(NamedTuple):
    """Contacts after a step, as they were before it.

    Attributes:
        places: Among the contacts after the step. Shape (k,).
        geoms: The two that meet. Shape (k, 2).
        gaps: Between the two points before the step [m]. Shape (k,).
        points: In the middle between them [m]. Shape (k, 3).
        bends: By how much more they came nearer than by their velocities [m]. Shape (k,).
    """

    places: Integers
    geoms: Small
    gaps: Array
    points: Array
    bends: Array


def _arm_of_geoms(model: mujoco.MjModel, owner: Integers) -> Integers:
    """Return which arm every geom belongs to; -1: none."""
    arm = np.full(model.nbody, -1, dtype=np.int64)
    for body in range(1, model.nbody):
        first, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
        arm[body] = owner[first] if count else arm[model.body_parentid[body]]
    return np.asarray(arm[model.geom_bodyid])
