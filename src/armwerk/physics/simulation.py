"""A scene and its robots, moved step by step.

One step is: positions and contacts (mj_step1), pulls of cups and magnets, the hooks at the contacts
(bounce, rolling loss, belts, static friction of the pads), set points and forces of the drives, all
other forces and the step of time (mj_step2).
Nothing is drawn at random and nothing depends on real time: equal runs are equal to the last bit.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import BlockedError, DescriptionError, PhysicsError, ShapeError
from armwerk.geometry.quaternion import quaternion_from_rotation, rotation_from_quaternion
from armwerk.physics.addition import Addition
from armwerk.physics.alarms import Alarms
from armwerk.physics.build import build
from armwerk.physics.contacts.adjust import DEEP, LINKED, SLIDING
from armwerk.physics.contacts.belts import Belt, belt_table
from armwerk.physics.contacts.hooks import Hooks
from armwerk.physics.contacts.points import contact_points
from armwerk.physics.contacts.second_look import ROUNDS, SecondLook
from armwerk.physics.contacts.sides import ContactSides
from armwerk.physics.contacts.static_friction import StaticFriction, no_pairs
from armwerk.physics.contacts.step_view import PadPairs
from armwerk.physics.contacts.touches import Touches, TouchState
from armwerk.physics.contacts.turning import motions
from armwerk.physics.heaps import HeapSolver
from armwerk.physics.poses import RawState
from armwerk.physics.resting import Resting, RestState
from armwerk.physics.robots.adhesion import Adhesion, AdhesionState
from armwerk.physics.robots.blocks import why_blocked
from armwerk.physics.robots.body import RobotBody
from armwerk.physics.robots.drive import Drive, DriveState
from armwerk.physics.robots.motor_table import BLOCKED, NEWLY
from armwerk.physics.robots.mount import add_robot
from armwerk.physics.robots.overlaps import leave_out_overlaps
from armwerk.physics.robots.watch import ChainWatch
from armwerk.physics.settings import RobotPlacement, SimulationSettings, many, sleeps
from armwerk.physics.sleeping import Sleepers, Sleeping
from armwerk.physics.surfaces import state_frictions
from armwerk.protocol.contacts import ContactEvent, ContactPoint, PairContact
from armwerk.scene.scene import Ball, Conveyor, Scene, ThingKind

_log = logging.getLogger("armwerk.physics")
_first_half, _second_half = mujoco.mj_step1, mujoco.mj_step2
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True, slots=True)
class ThingState:
    """Where a ball or cuboid is and how it moves, in the world.

    Args:
        name: As in `Scene.names`.
        kind: Ball or cuboid.
        colour: Six hex digits.
        position: Of its centre [m]. Shape (3,).
        velocity: Of its centre [m/s]. Shape (3,).
        rotation: R_world_thing. Shape (3, 3).
        spin: Angular velocity in the world [rad/s]. Shape (3,).
    """

    name: str
    kind: ThingKind
    colour: str
    position: Array
    velocity: Array
    rotation: Array
    spin: Array


@dataclass(frozen=True, slots=True)
class SimulationState:
    """Everything that a simulation's future depends on; made by `Simulation.capture`.

    Args:
        physics: MuJoCo's own state, warm start included. Shape (k,).
        running: Whether each belt runs.
        asleep: Who sleeps.
        grips: What static friction of the pads remembers; None: there are no pads.
        drive: What the motors are about to do; None: there are no robots.
        touches: What touched; None: not known.
        adhesion: What cups and magnets are about to do; None: there are none.
        rest: What is known of heaps at rest; None: nothing.
    """

    physics: Array
    running: tuple[bool, ...]
    asleep: Sleepers
    grips: PadPairs | None
    drive: DriveState | None
    touches: TouchState | None = None
    adhesion: AdhesionState | None = None
    rest: RestState | None = None


State: TypeAlias = SimulationState
"""Earlier name of `SimulationState`."""


class Simulation:
    """A world in motion.

    Args:
        scene: What stands and moves in it.
        robots: Robots by ascending number.
        settings: Step of time, gravity, friction and so on.
        addition: What else stands in the world, and acts on its contacts.

    Attributes:
        notices: What was assumed about the robots, in sentences.
    """

    def __init__(
        self,
        scene: Scene,
        robots: Sequence[RobotPlacement] = (),
        settings: SimulationSettings | None = None,
        addition: Addition | None = None,
    ) -> None:
        self.scene = scene
        self._addition = addition
        self.settings = settings = settings or SimulationSettings()
        self.names: tuple[str, ...] = tuple(scene.names())
        spec = build(scene, settings)
        if addition is not None:
            addition.build(spec)
        plans = [add_robot(spec, robot, k, settings) for k, robot in enumerate(robots)]
        state_frictions(spec, scene, settings.pad_friction)
        try:
            self.model: mujoco.MjModel = spec.compile()
        except ValueError as error:
            raise DescriptionError(f"MuJoCo refuses the cell: {error}") from None
        numbers = [k if robot.number is None else robot.number for k, robot in enumerate(robots)]
        self.model, left_out = leave_out_overlaps(spec, self.model, plans, numbers)
        self.data: mujoco.MjData = mujoco.MjData(self.model)
        self._alarms = Alarms(self.model, self.data, self.names)
        self.dt = float(self.model.opt.timestep)
        conveyors = [o for o in scene.obstacles if isinstance(o, Conveyor)]
        belts = belt_table(conveyors)
        assumed = (text for plan in plans for text in plan.notices)
        self.notices: tuple[str, ...] = (*assumed, *left_out)
        for text in self.notices:
            _log.info("%s", text)
        self.robots: tuple[RobotBody, ...] = tuple(
            RobotBody(plan, self.model, self.data) for plan in plans
        )
        self._drive = Drive(self.model, self.data, self.robots) if robots else None
        chained = [robot for robot in self.robots if robot.chains is not None]
        self._watch: ChainWatch | None = None
        if self._drive is not None and chained:
            self._watch = ChainWatch(self.model, self.data, self._drive, chained)
        self._adhesion: Adhesion | None = None
        if any(robot.faces for robot in self.robots):
            self._adhesion = Adhesion(self.model, self.data, scene, self.robots)
        pads = [geom for robot in self.robots for geom in robot.pad_geoms]
        if addition is not None:
            pads += addition.pads(self.model)
        sticking = bool(pads) or any(robot.touch_geoms for robot in self.robots)
        self._static_friction: StaticFriction | None = None
        if sticking:
            self._static_friction = StaticFriction(motions(self.model, self.data, pads))
        pairs = no_pairs(0) if self._static_friction is None else self._static_friction.pairs
        mujoco.mj_forward(self.model, self.data)
        self._sleeping = Sleeping(self.data)
        links = [geom for robot in self.robots for geom in robot.link_geoms]
        lips = [geom for robot in self.robots for geom in robot.lip_geoms]
        self._hooks = Hooks(
            self.model, self.data, scene, belts, pads, links, lips, pairs, self._sleeping
        )
        self._second_look: SecondLook | None = None
        if links or scene.things:
            owner = np.full(self.model.nv, -1)
            for robot in self.robots:
                if not robot.plan.strong:
                    owner[robot.own_dofs] = robot.plan.number
            hooks = self._hooks
            self._second_look = SecondLook(
                self.model,
                self.data,
                hooks.role,
                hooks.free,
                owner,
                self._sleeping,
                hooks.table,
            )
        self._heaps: HeapSolver | None = None
        if many(scene) and self._watch is None:
            self._heaps = HeapSolver(self.model, self.data, self._hooks.role, self._hooks.table)
        self._resting: Resting | None = None
        if sleeps(scene, settings) and settings.gravity > 0.0 and len(scene.things) > 1:
            hooks = self._hooks
            self._resting = Resting(self.model, self.data, hooks.size, hooks.marks)
        self.belts: tuple[Belt, ...] = tuple(
            Belt(belts, number, conveyor, self._sleeping.wake)
            for number, conveyor in enumerate(conveyors)
        )
        self._called = [f"robot {number}" for number in numbers]
        self._blocks: list[tuple[int, BlockedError]] = []
        self.sides = ContactSides(self.model, scene, self.robots, numbers)
        count = len(self.names)
        self.touches = Touches(self._hooks.table, self.sides, count)
        self._looking = True  # whether contacts are followed in the next step, deep or not
        if addition is not None:
            addition.start(self.model, self.data, self._hooks)
        helpers = (self._watch, self._adhesion, self._static_friction, self._heaps, self._resting)
        # whether nothing but a few things and what stands fast is in this world
        self._is_plain = not robots and addition is None and helpers == (None,) * len(helpers)
        self._look_ahead = self._hooks.look_ahead
        self._qpos = self.data.qpos[: 7 * count].reshape(count, 7)
        self._qvel = self.data.qvel[: 6 * count].reshape(count, 6)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    @property
    def positions(self) -> Array:
        """Centres of the things [m], a copy. Shape (n, 3)."""
        positions: Array = self._qpos[:, :3].copy()
        return positions

    def raw_state(self) -> RawState:
        """Return a copy of all coordinates and speeds, from which `BodyPoses` reads places."""
        data = self.data
        return RawState(float(data.time), data.qpos.copy(), data.qvel.copy())

    def step(self) -> None:
        """Go one step of time further.

        Raises:
            PhysicsError: When the simulation has become unstable, unless it is the doing of an
                arm with closed chains: that one fails (`RobotBody.failed`), the others go on.
        """
        if self._watch is not None:
            self._watch.before()
        fast = self._look_ahead()
        if self._is_plain and not fast:
            self._step_plainly()
            return
        look = self._second_look if fast or self.robots else None
        if look is not None:
            look.keep()
        _first_half(self.model, self.data)
        pulled = self._adhesion is not None and self._adhesion.apply()
        found = self._adjust()
        blocked = self._drive is not None and self._drive.write()
        self._move()
        if look is not None and (fast or found & LINKED) and look.is_needed():
            for _ in range(ROUNDS):
                if not look.missed():
                    break
                look.begin_again()
                found = self._adjust(again=True)
                look.hold_off()
                self._move()
            else:
                look.brake()
        if self._addition is not None:
            self._addition.finish()
        if found & SLIDING:
            self._hooks.finish()
        if found & DEEP or self._looking:
            self._follow(found)
        if blocked:
            self._let_go()
        if self._resting is not None:
            self._resting.note()
        if pulled:
            self._sleeping.wake()
        if self._watch is None:
            self._alarms.check()
        else:
            self._check_chains(self._watch)

    def _step_plainly(self) -> None:
        """Make a step of a few things of which none is fast: the rest has nothing to do there.

        What `step` asks for in vain is some per cent of the step of a single ball.
        """
        model, data = self.model, self.data
        _first_half(model, data)
        found = self._hooks.apply()
        _second_half(model, data)
        if found & SLIDING:
            self._hooks.finish()
        if found & DEEP or self._looking:
            self._follow(found)
        self._alarms.check()

    def _feel(self) -> None:
        """Find the contacts and their forces as they are in this state, by a step with its forces.

        Contacts are no part of a state, but whoever asks for them before the next step, as grips
        do, must find them as they were.
        """
        self._look_ahead()
        _first_half(self.model, self.data)
        self._adjust()
        self._move()

    def _adjust(self, *, again: bool = False) -> int:
        """Act on the contacts between the halves of a step; return what was found."""
        addition = self._addition
        if addition is not None:
            addition.before()
        found = self._hooks.apply()
        if self._static_friction is not None:
            self._static_friction.apply(self._hooks.table, again=again)
        if addition is not None:
            addition.after(again=again)
        return found

    def _move(self) -> None:
        """Make the second half of a step."""
        heaps = self._heaps if self._heaps is not None and self._heaps.begin() else None
        resting = self._resting if self._resting is not None and self._resting.begin() else None
        _second_half(self.model, self.data)
        if heaps is not None:
            heaps.end()
        if resting is not None:
            resting.end()

    def _follow(self, found: int) -> None:
        """Follow contacts while somebody listens or one is deep."""
        touches = self.touches
        touches.follow(self.data.time - self.dt)
        self._looking = touches.listens or bool(found & DEEP)
        if not self._looking:
            touches.pause()

    def listen(self) -> None:
        """Have contacts followed from now on: `contacts` and `contact_events` fill."""
        self._looking = self.touches.listens = True

    @property
    def contacts(self) -> tuple[PairContact, ...]:
        """What touched in the step last made, since `listen`, in the order in which it began."""
        return self.touches.now() if self.touches.listens else ()

    @property
    def contact_events(self) -> tuple[ContactEvent, ...]:
        """The last 10,000 beginnings and ends of contacts since `listen`."""
        return tuple(self.touches.events)

    def take_problems(self) -> list[tuple[float, str]]:
        """Return times [s] and texts of what has gone wrong since this was last asked.

        Two that are in each other by more than 1 mm, see `armwerk.physics.contacts.pairs`.
        """
        problems = self.touches.problems.copy()
        self.touches.problems.clear()
        return problems

    def _check_chains(self, watch: ChainWatch) -> None:
        """Let an arm fail whose closed chains broke in the step just made, but nobody else."""
        try:
            self._alarms.check()
        except PhysicsError as error:
            if not watch.take_over(error):
                raise
            self._alarms.forget()
            self.step()
            return
        watch.torn()

    def take_failures(self) -> list[tuple[int, str]]:
        """Return the places of robots that have failed since this was last asked, and why."""
        if self._watch is None or not self._watch.news:
            return []
        news = self._watch.news.copy()
        self._watch.news.clear()
        return news

    def contact_points(self) -> list[ContactPoint]:
        """Return every point where something touched in the step last made, with its force."""
        return contact_points(self.data, self.sides)

    def _let_go(self) -> None:
        """Let arms that have become blocked hold where they stand."""
        for robot in self.robots:
            if robot.drive.tables[robot.table, BLOCKED] == NEWLY:
                place = robot.table
                block = why_blocked(robot, self._called[place], self.contact_points(), self.time)
                robot.let_go(block)
                self._blocks.append((place, block))

    def take_blocks(self) -> list[tuple[int, BlockedError]]:
        """Return the places of robots that have become blocked since this was last asked."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def run(self, seconds: float) -> None:
        """Go on for some time, rounded to whole steps."""
        for _ in range(round(seconds / self.dt)):
            self.step()

    def thing(self, i: int) -> ThingState:
        """Return where thing i of the scene is and how it moves."""
        rotation = rotation_from_quaternion(self._qpos[i, 3:])
        thing = self.scene.things[i]
        kind: ThingKind = "ball" if isinstance(thing, Ball) else "cuboid"
        return ThingState(
            self.names[i],
            kind,
            thing.colour,
            self._qpos[i, :3].copy(),
            self._qvel[i, :3].copy(),
            rotation,
            rotation @ self._qvel[i, 3:],
        )

    def place(
        self,
        i: int,
        position: ArrayLike,
        rotation: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        spin: ArrayLike | None = None,
    ) -> None:
        """Put thing i somewhere.

        Args:
            i: Which thing of the scene.
            position: Of its centre [m]. Shape (3,).
            rotation: R_world_thing; None: as it is. Shape (3, 3).
            velocity: [m/s]; None: at rest. Shape (3,).
            spin: Angular velocity in the world [rad/s]; None: none. Shape (3,).
        """
        place = _vector("position", position)
        speed = np.zeros(3) if velocity is None else _vector("velocity", velocity)
        turn = np.zeros(3) if spin is None else _vector("spin", spin)
        if rotation is not None:
            self._qpos[i, 3:] = quaternion_from_rotation(np.asarray(rotation, dtype=np.float64))
        self._qpos[i, :3] = place
        self._qvel[i, :3] = speed
        self._qvel[i, 3:] = rotation_from_quaternion(self._qpos[i, 3:]).T @ turn
        self._sleeping.wake()
        self.touches.placed(i)
        self._looking = True

    def energy(self) -> float:
        """Return the energy of all things, kinetic and potential against the floor [J]."""
        return float(self.energies().sum())

    def energies(self) -> Array:
        """Return the energy of every thing, kinetic and potential against the floor [J].

        T = (m v·v + w·I w)/2, V = -m g·x, g being the vector of gravity. Shape (n,).
        """
        mass, inertia = self._hooks.mass, self._hooks.inertia
        v, w = self._qvel[:, :3], self._qvel[:, 3:]
        kinetic = 0.5 * (mass * (v * v).sum(axis=1) + (inertia * w * w).sum(axis=1))
        energy: Array = kinetic - mass * (self._qpos[:, :3] @ self.model.opt.gravity)
        return energy

    def capture(self) -> SimulationState:
        """Return everything the future depends on, copied."""
        physics = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, physics, _STATE)
        physics.setflags(write=False)
        grips, drive, adhesion = self._static_friction, self._drive, self._adhesion
        return SimulationState(
            physics,
            tuple(belt.running for belt in self.belts),
            self._sleeping.capture(),
            None if grips is None else grips.capture(),
            None if drive is None else drive.capture(),
            self.touches.capture(),
            None if adhesion is None else adhesion.capture(),
            None if self._resting is None else self._resting.capture(),
        )

    def restore(self, state: SimulationState) -> None:
        """Go back to a captured state of this cell.

        Raises:
            ShapeError: When the state belongs to another cell.
        """
        size = mujoco.mj_stateSize(self.model, _STATE)
        grips, drive, adhesion = self._static_friction, self._drive, self._adhesion
        same = (
            state.physics.shape == (size,)
            and len(state.running) == len(self.belts)
            and (state.grips is None) == (grips is None)
            and (state.drive is None) == (drive is None)
            and (state.adhesion is None) == (adhesion is None)
        )
        if not same:
            raise ShapeError(
                f"this state has {state.physics.size} numbers and {len(state.running)} belts, "
                f"the cell has {size} and {len(self.belts)}"
            )
        self._sleeping.wake()  # places of sleepers would not be reckoned anew
        mujoco.mj_setState(self.model, self.data, state.physics, _STATE)
        for belt, running in zip(self.belts, state.running, strict=True):
            belt.running = running  # wakes all when it changes, so sleepers come after
        if grips is not None and state.grips is not None:
            grips.restore(state.grips)
        self._feel()
        mujoco.mj_setState(self.model, self.data, state.physics, _STATE)  # back from that step
        if grips is not None and state.grips is not None:
            grips.restore(state.grips)
        self._alarms.forget()
        self._blocks.clear()
        for robot in self.robots:
            robot.forget_block()
        self._sleeping.restore(state.asleep)
        if drive is not None and state.drive is not None:
            drive.restore(state.drive)
        if adhesion is not None and state.adhesion is not None:
            adhesion.restore(state.adhesion)
        if self._watch is not None:
            self._watch.restored()
        if self._resting is not None:
            self._resting.restore(state.rest)
        self.touches.restore(state.touches)
        self._looking = True


def _vector(what: str, value: ArrayLike) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ShapeError(f"{what} must be three finite numbers, got {value!r}")
    return array
