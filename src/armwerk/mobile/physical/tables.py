"""What the kernels know of mobile robots: columns per geom, robot, thing and kind of event."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.mobile.physical.chassis import arm_of, feet_of, robot_mass, stall_acceleration
from armwerk.mobile.physical.hands import hand_table
from armwerk.mobile.physical.kernels import FIELDS, FOOT_FIELDS, LOAD, SECTOR_COUNT, SHARE, WAY
from armwerk.mobile.scene import MobileRobot, MobileScene
from armwerk.physics.contacts.address_table import AddressTable, write_addresses
from armwerk.physics.contacts.hooks import Hooks
from armwerk.physics.contacts.memory import address_of
from armwerk.physics.contacts.step_view import Small
from armwerk.physics.contacts.tables import step_constants
from armwerk.physics.names import mobile_name, mobile_of, spoken_name, thing_name

MOST_RECORDS = 4096  # collisions in one step of the programs
NOTHING = -1


class MobileTables:
    """All arrays of the kernels, of one simulation.

    Args:
        scene: The mobile part of the world.
        model: MuJoCo's model.
        things: Number of all things.
        hands: Geoms of hands.

    Attributes:
        address: Where they lie, for the kernels.
        robot: Which robot every geom belongs to, or -1. Shape (g,).
        owner: Which robot or body every geom belongs to: robots first, then bodies. Shape (g,).
        twist: Of every base: commanded now (forwards, sideways, turning), then what the rims do.
            Shape (r, 6).
        goal: Towards which it changes. Shape (r, 3).
        odometry: x, y, heading since the start. Shape (r, 3).
        sectors: 1 where a robot was touched. Shape (r, 72).
        seen: When a robot last touched each owner [s]. Shape (r, owners).
    """

    def __init__(
        self,
        scene: MobileScene,
        model: mujoco.MjModel,
        things: int,
        hands: Sequence[int],
    ) -> None:
        robots, count = scene.robots, model.ngeom
        owners = scene.names()[len(scene.bodies) :] + [body.name for body in scene.bodies]
        number = {name: place for place, name in enumerate(owners)}
        surfaces = {body.name: body.friction for body in scene.bodies}
        surfaces |= {robot.name: robot.friction for robot in robots}
        self.owners: tuple[str, ...] = tuple(owners)
        self.surface: Array = np.array(model.geom_friction[:, 0], dtype=np.float64)
        self.mine: Small = np.zeros(count, dtype=np.int32)
        self.support: Small = np.zeros(count, dtype=np.int32)
        self.robot: Small = np.full(count, NOTHING, dtype=np.int32)
        self.owner: Small = np.full(count, NOTHING, dtype=np.int32)
        for geom in range(count):
            name = str(model.geom(geom).name)
            mobile = mobile_of(name)
            called = mobile or spoken_name(name)
            if name == "floor":
                self.surface[geom] = scene.floor_friction
                self.mine[geom] = 1
            elif called in number and (mobile or called != name):
                self.mine[geom], self.owner[geom] = 1, number[called]
                self.surface[geom] = surfaces[called]
                if mobile:
                    self.robot[geom] = number[called]
        for _place, robot in enumerate(robots):
            for piece, foot in enumerate(feet_of(robot.base)):
                geom = model.geom(mobile_name(robot.name, f"_wheel{piece}")).id
                self.support[geom] = foot.way
        self.mine[list(hands)] = -1  # hands are paired by name
        names = [mobile_name(robot.name) for robot in robots]
        self.body: Small = np.array([model.body(name).id for name in names], dtype=np.int32)
        self.dof: Small = np.array([model.joint(name).dofadr[0] for name in names], dtype=np.int32)
        self.place: Small = np.array([model.joint(name).qposadr[0] for name in names], np.int32)
        total = len(robots)
        self.twist, self.goal = np.zeros((total, 6)), np.zeros((total, 3))
        self.limits = np.array(
            [
                (
                    robot.base.acceleration,
                    arm_of(robot.base),
                    stall_acceleration(robot, robot_mass(robot).mass, scene.gravity),
                )
                for robot in robots
            ],
            dtype=np.float64,
        ).reshape(total, 3)
        self.odometry = np.zeros((total, 3))
        self.seen = np.full((total, len(owners)), -math.inf)
        self.sectors = np.zeros((total, SECTOR_COUNT))
        self.records = np.zeros((MOST_RECORDS, FIELDS))
        self.count: Integers = np.array([0, max(total, 1)], dtype=np.int64)
        self.braking = np.zeros(things)
        for body in scene.bodies:
            joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, thing_name(body.name))
            if 1 <= joint <= things:
                self.braking[joint - 1] = body.rolling
        column = mu_column()
        slowest = step_constants(model, 1.0).min_rebound
        cone = 1.0 / math.sqrt(float(model.opt.impratio))
        self.numbers = np.array([column, cone, float(scene.impact == "source"), slowest])
        self.heading = np.zeros(total)
        # of the hull alone: with more than what follows a push at once, pushes would overshoot
        self.weight = np.array(
            [
                (model.body_mass[body], _inertia(robot), *model.body_ipos[body])
                for body, robot in zip(self.body, robots, strict=True)
            ],
            dtype=np.float64,
        ).reshape(total, 5)
        self.planar = np.zeros((total, 9))
        self.feet = np.zeros((sum(len(feet_of(robot.base)) for robot in robots), FOOT_FIELDS))
        self.foot: Small = np.full(count, NOTHING, dtype=np.int32)
        self.first: Small = np.zeros(total + 1, dtype=np.int32)
        at = 0
        for place, robot in enumerate(robots):
            whole = float(model.body_subtreemass[self.body[place]])
            share = whole * scene.gravity / len(feet_of(robot.base))
            for piece, foot in enumerate(feet_of(robot.base)):
                self.foot[model.geom(mobile_name(robot.name, f"_wheel{piece}")).id] = at
                self.feet[at, WAY] = foot.way
                self.feet[at, LOAD] = self.feet[at, SHARE] = share
                at += 1
            self.first[place + 1] = at
        self.hands = hand_table(model, scene)
        self._seen = self.seen.reshape(-1)
        self.address: AddressTable = write_addresses(
            (
                self.surface,
                self.mine,
                self.support,
                self.robot,
                self.owner,
                self.body,
                self.dof,
                self.twist,
                self.goal,
                self.limits,
                self.odometry,
                self._seen,
                self.sectors,
                self.records,
                self.count,
                self.braking,
                self.numbers,
                self.heading,
                self.weight,
                self.planar,
                self.foot,
                self.feet,
                self.first,
                self.hands,
                self.place,
            )
        )

    def reset(self) -> None:
        """Go back to the beginning: everything stands and nothing was touched."""
        for array in (
            self.twist,
            self.goal,
            self.odometry,
            self.sectors,
            self.heading,
            self.planar,
        ):
            array[:] = 0.0
        self.feet[:, :WAY] = 0.0
        self.feet[:, LOAD] = self.feet[:, SHARE]
        self.seen[:] = -math.inf
        self.count[0] = 0

    def mix_slowly(self, data: mujoco.MjData) -> None:
        """Do what the kernel `mix_frictions` does, by the public views of the engine."""
        contact = data.contact
        geoms, dim = contact.geom, contact.dim
        first, second = self.mine[geoms[:, 0]], self.mine[geoms[:, 1]]
        chosen = (dim >= 3) & (first >= 0) & (second >= 0) & (first + second > 0)
        mu = np.maximum(self.surface[geoms[:, 0]] * self.surface[geoms[:, 1]], 1e-5)
        contact.friction[chosen, :2] = mu[chosen, None]
        contact.mu[chosen] = mu[chosen] * self.numbers[1]


def _inertia(robot: MobileRobot) -> float:
    """Return the inertia of a robot about its own z [kg m²]."""
    properties = robot_mass(robot)
    return float(properties.main[2, :3] ** 2 @ properties.inertia)


@cache
def mu_column() -> int:
    """Return where in a contact the engine keeps mu, counted in numbers."""
    ball = '<body pos="0 0 .09"><freejoint/><geom size=".1"/></body>'
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{ball}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return (address_of(data.contact.mu) - address_of(data.contact.dist)) // 8


def uses_memory(hooks: Hooks) -> bool:
    """Whether kernels may write into the contacts of the engine itself."""
    return hooks.memory.direct
