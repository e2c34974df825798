"""Grippers with two hands: carriage and hands as bodies of MuJoCo, and what they are about to do.

The carriage slides up and down, the hands slide towards each other, coupled so that what is between
them stays in the middle. They hold by friction alone.
"""

from __future__ import annotations

from itertools import count
from typing import Literal, TypeAlias

import mujoco
import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.mobile.devices import HandGripper
from armwerk.mobile.events import GripFailed, Gripped, MobileEvent, Released
from armwerk.mobile.physical.chassis import HARD, STIFF, touch
from armwerk.mobile.physical.kernels import (
    HAND_FIELDS,
    HAND_FORCE,
    HAND_GOAL,
    HAND_SET,
    LEFT,
    LIFT,
    LIFT_FORCE,
    LIFT_GOAL,
    LIFT_SET,
    OWN_WEIGHT,
    RIGHT,
    SPEED,
)
from armwerk.mobile.scene import MobileRobot, MobileScene
from armwerk.physics.names import mobile_name, thing_name
from armwerk.physics.solids import add_solids

HAND_SHARE, CARRIAGE_SHARE = 0.015, 0.02  # of the robot's mass
ARMATURE = 0.05  # [kg] that a drive of a gripper adds
HAND_COLOUR = "8C9199"
TWIST = 0.005  # [m] radius of the patch by which a hand hinders twisting
STILL = 0.002  # [m/s] slower hands have stopped
REACHED = 0.001  # [m] from its goal a carriage has got there
SLACK = 0.5  # [s] after which a carriage that should be up will not come up any more
BEFORE = 0.03  # [m] in front of the hands within which something counts as meant
LOST = 0.15  # [s] without touch after which something has slipped out

Phase: TypeAlias = Literal["open", "closing", "lifting", "held", "closed", "lowering", "opening"]


def part_name(robot: str, part: str) -> str:
    """Return what the engine calls a part of a gripper."""
    return mobile_name(robot, f"_{part}")


def hand_names(robot: MobileRobot) -> list[str]:
    """Return the names of the bodies of both hands."""
    return [part_name(robot.name, side) for side in ("left", "right")]


def add_hands(spec: mujoco.MjSpec, body: mujoco.MjsBody, robot: MobileRobot, mass: float) -> None:
    """Add carriage and hands to the hull of a robot."""
    gripper = robot.gripper
    if gripper is None:
        return
    carriage = body.add_body(
        name=part_name(robot.name, "carriage"),
        pos=gripper.pose[:3, 3],
        quat=quaternion_from_rotation(gripper.pose[:3, :3]),
    )
    _small(carriage, CARRIAGE_SHARE * mass)
    if gripper.lift > 0.0:
        _slide(carriage, part_name(robot.name, "lift"), (0.0, 0.0, 1.0), (0.0, gripper.lift))
    half = 0.5 * gripper.opening
    for hand, side, way in zip(gripper.hands, ("left", "right"), (1.0, -1.0), strict=True):
        name = part_name(robot.name, side)
        part = carriage.add_body(name=name)
        _small(part, HAND_SHARE * mass)
        middle = np.mean([solid.position for solid in hand.solids], axis=0)
        part.ipos = middle
        _slide(part, name, (0.0, way, 0.0), (-half, 0.0))
        names = (part_name(robot.name, f"{side}{piece}") for piece in count())
        for geom in add_solids(spec, part, hand.solids, names, fixed=False):
            touch(geom, HAND_COLOUR)
        spec.add_exclude(bodyname1=name, bodyname2=mobile_name(robot.name))
    first, second = hand_names(robot)
    spec.add_exclude(bodyname1=first, bodyname2=second)
    joined = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=first,
        name2=second,
        solref=STIFF,
        solimp=HARD,
    )
    joined.data[:5] = (0.0, 1.0, 0.0, 0.0, 0.0)


def pair_hands(spec: mujoco.MjSpec, scene: MobileScene) -> None:
    """Let hands touch every movable body by the product of frictions, and hinder twisting."""
    for robot in scene.robots:
        if robot.gripper is None:
            continue
        hands = [geom for name in hand_names(robot) for geom in spec.body(name).geoms]
        for body in scene.bodies:
            if body.kind != "movable":
                continue
            mu = max(robot.gripper.friction * body.friction, 1e-5)
            for geom in spec.body(thing_name(body.name)).geoms:
                for hand in hands:
                    spec.add_pair(
                        geomname1=hand.name,
                        geomname2=geom.name,
                        condim=4,
                        friction=(mu, mu, TWIST * mu, 0.0, 0.0),
                        solref=STIFF,
                        solimp=geom.solimp,
                    )


def hand_geoms(model: mujoco.MjModel, scene: MobileScene) -> list[int]:
    """Return the geoms of all hands."""
    bodies = {
        model.body(name).id
        for robot in scene.robots
        if robot.gripper is not None
        for name in hand_names(robot)
    }
    return [geom for geom in range(model.ngeom) if int(model.geom_bodyid[geom]) in bodies]


def hand_table(model: mujoco.MjModel, scene: MobileScene) -> Array:
    """Return the rows of all grippers, for the kernels. Shape (k, fields)."""
    rows: list[Array] = []
    for robot in scene.robots:
        gripper = robot.gripper
        if gripper is None:
            continue
        row = np.full(HAND_FIELDS, 0.0)
        first, second = (model.joint(name) for name in hand_names(robot))
        row[LEFT : LEFT + 2] = first.qposadr[0], first.dofadr[0]
        row[RIGHT : RIGHT + 2] = second.qposadr[0], second.dofadr[0]
        row[LIFT : LIFT + 2] = -1.0
        if gripper.lift > 0.0:
            lift = model.joint(part_name(robot.name, "lift"))
            row[LIFT : LIFT + 2] = lift.qposadr[0], lift.dofadr[0]
        row[HAND_FORCE], row[LIFT_FORCE] = gripper.force, gripper.lifting_force
        row[SPEED] = gripper.speed
        carriage = model.body(part_name(robot.name, "carriage")).id
        row[OWN_WEIGHT] = model.body_subtreemass[carriage] * scene.gravity
        rows.append(row)
    return np.array(rows, dtype=np.float64).reshape(len(rows), HAND_FIELDS)


def _small(body: mujoco.MjsBody, mass: float) -> None:
    body.explicitinertial, body.mass = True, mass
    body.ipos, body.iquat = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    body.inertia = (1e-4 * mass,) * 3


def _slide(
    body: mujoco.MjsBody, name: str, axis: tuple[float, float, float], ends: tuple[float, float]
) -> None:
    body.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=axis,
        range=ends,
        limited=True,
        armature=ARMATURE,
        solref_limit=STIFF,
    )


class HandControl:
    """The gripper of one robot at work.

    Args:
        robot: Its description.
        row: Of the kernels' table.
        model: MuJoCo's model.
        data: MuJoCo's data.
        bodies: Geoms of every movable body, by name. Each of shape (g,).

    Attributes:
        held: What is between the hands; empty: nothing.
    """

    def __init__(
        self,
        robot: MobileRobot,
        gripper: HandGripper,
        row: Array,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        bodies: dict[str, Flags],
    ) -> None:
        self._robot, self._gripper, self._row = robot.name, gripper, row
        self._data, self._bodies = data, bodies
        self._carriage = model.body(part_name(robot.name, "carriage")).id
        self._model = model
        self._hands = [
            np.isin(np.arange(model.ngeom), _geoms_of(model, name)) for name in hand_names(robot)
        ]
        self._ahead = max(float(s.bounds[1, 0]) for hand in gripper.hands for s in hand.solids)
        self._behind = min(float(s.bounds[0, 0]) for hand in gripper.hands for s in hand.solids)
        self.reset()

    def reset(self) -> None:
        """Open, at once; the simulation has gone back to its beginning."""
        self.held = ""
        self._phase: Phase = "open"
        self._since = self._touched = 0.0
        self._row[[HAND_GOAL, HAND_SET, LIFT_GOAL, LIFT_SET]] = 0.0

    def close(self) -> None:
        """Close the hands from now on."""
        self._go("closing")
        self._row[HAND_GOAL] = -0.5 * self._gripper.opening

    def open(self) -> None:
        """Lower what is held, then open."""
        self._go("lowering")
        self._row[LIFT_GOAL] = 0.0

    def _go(self, phase: Phase) -> None:
        self._phase, self._since = phase, float(self._data.time)

    def look(self) -> list[MobileEvent]:
        """See how far the hands have come; return what has happened."""
        time, row = float(self._data.time), self._row
        gone = time - self._since
        match self._phase:
            case "closing" if gone > 0.1 and self._stopped():
                return self._closed(time)
            case "lifting":
                height = self._gripper.lift
                if height - self._height() < REACHED:
                    self._go("held")
                elif gone > height / self._gripper.speed + SLACK:
                    row[LIFT_GOAL] = 0.0
                    self._go("held")
                    return [GripFailed(time, self._robot, self.held, "too heavy")]
            case "lowering" if self._height() < REACHED or gone > SLACK + 1.0:
                row[HAND_GOAL] = 0.0
                self._go("opening")
            case "opening" if -self._data.qpos[int(row[LEFT])] < REACHED:
                self._go("open")
        return self._follow(time)

    def _follow(self, time: float) -> list[MobileEvent]:
        """See whether what is held still is, and whether what is let go has gone."""
        if not self.held:
            return []
        if self._between() == self.held:
            self._touched = time
            return []
        body = self.held
        if self._phase in ("opening", "open"):
            self.held = ""
            return [Released(time, self._robot, body)]
        if time - self._touched > LOST:
            self.held = ""
            self._go("closed")
            return [GripFailed(time, self._robot, body, "slipped out")]
        return []

    def _closed(self, time: float) -> list[MobileEvent]:
        body = self._between()
        if body:
            self.held, self._touched = body, time
            self._row[LIFT_GOAL] = self._gripper.lift
            self._go("lifting" if self._gripper.lift > 0.0 else "held")
            return [Gripped(time, self._robot, body)]
        self._go("closed")
        wide = self._too_wide()
        if wide:
            return [GripFailed(time, self._robot, wide, "too wide")]
        return [GripFailed(time, self._robot, "", "nothing between the hands")]

    def _stopped(self) -> bool:
        row, data = self._row, self._data
        fast = max(abs(float(data.qvel[int(row[k + 1])])) for k in (LEFT, RIGHT))
        return fast < STILL

    def _height(self) -> float:
        place = int(self._row[LIFT])
        return float(self._data.qpos[place]) if place >= 0 else self._gripper.lift

    def _between(self) -> str:
        """Return the body that both hands touch; empty: there is none."""
        data = self._data
        if not data.ncon:
            return ""
        geoms = data.contact.geom
        touched = []
        for hand in self._hands:
            mine = hand[geoms]
            touched.append(np.where(mine, geoms[:, ::-1], -1).max(axis=1))
        for name, flags in self._bodies.items():
            if all(flags[other[other >= 0]].any() for other in touched):
                return name
        return ""

    def _too_wide(self) -> str:
        """Return a body in front of the hands that is wider than they open; empty: none."""
        data, model = self._data, self._model
        turn = data.xmat[self._carriage].reshape(3, 3)
        place = data.xpos[self._carriage]
        for name, flags in self._bodies.items():
            corners = np.concatenate([_corners(model, data, int(g)) for g in np.flatnonzero(flags)])
            low, high = (
                ((corners - place) @ turn).min(axis=0),
                ((corners - place) @ turn).max(axis=0),
            )
            near = low[0] < self._ahead + BEFORE and high[0] > self._behind
            across = low[1] < 0.5 * self._gripper.opening and high[1] > -0.5 * self._gripper.opening
            if near and across and high[1] - low[1] > self._gripper.opening:
                return name
        return ""


def _geoms_of(model: mujoco.MjModel, body: str) -> list[int]:
    number = model.body(body).id
    first = int(model.body_geomadr[number])
    return list(range(first, first + int(model.body_geomnum[number])))


def _corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Return the corners of a geom's own box, in the world [m]. Shape (8, 3)."""
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)]) * 2.0 - 1.0
    turn = data.geom_xmat[geom].reshape(3, 3)
    corners: Array = (centre + signs * half) @ turn.T + data.geom_xpos[geom]
    return corners
