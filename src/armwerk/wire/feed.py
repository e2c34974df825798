"""Frames of a running world, taken without stopping it.

The thread that steps the world copies its raw state, at most every few milliseconds of real time
and only while somebody watches. The copy is handed over whole, by one reference: who looks gets the
latest and never half of one, and nobody waits for anybody. Places are worked out from it by whoever
asks, once for all viewers.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.cell.moments import drawn_robots
from armwerk.physics.names import thing_name
from armwerk.physics.poses import BodyPoses, RawState
from armwerk.protocol.viewing import ViewedContacts, ViewedGeometry
from armwerk.scene.scene import Conveyor
from armwerk.wire.frames import FAST, MOVES, STANDS, Frame, frame_of
from armwerk.wire.geometry import MountedRobot, cell_geometry

if TYPE_CHECKING:
    from armwerk.cell import World

PERIOD = 1.0 / 240.0  # [s] of real time between two copies
CONTACT_PERIOD = 1.0 / 20.0  # [s] of real time between two looks at what touches
MOST_CONTACTS = 300  # points that are told; of more the hardest
_MOVING = 1e-3  # [rad/s or m/s] of a motor that counts as moving
_FAST = 0.95  # of the greatest speed


class _Taken(NamedTuple):
    """What the thread that steps hands over."""

    step: int
    epoch: int
    state: RawState
    travels: Array


class WorldFeed:
    """Geometry and frames of a world.

    Args:
        world: What is watched; it may be run by any thread.
        version: Of its geometry.

    Attributes:
        geometry: What is seen.
        robots: Those that are shown, in the order of the geometry.
        contact_watchers: How many want to know what touches; 0: contacts are not looked at.
    """

    def __init__(self, world: World, version: int = 1) -> None:
        self._world = world
        scene = world.scene
        drawn, missing = drawn_robots(scene)
        self.robots: list[MountedRobot] = []
        for one in drawn:
            robot = scene.robots[one.index]
            mechanism = world.robots[robot.number].body.plan.robot
            key = (robot.manipulator, robot.gripper)
            self.robots.append(MountedRobot(f"robot {robot.number}", one, mechanism, key))
        self.geometry: ViewedGeometry = cell_geometry(version, scene, self.robots, missing)
        bodies = [world.robots[scene.robots[one.index].number].body for one in drawn]
        names = [thing_name(name) for name in scene.names()]
        names += [name for body in bodies for name in body.plan.bodies]
        self._poses = BodyPoses(world.simulation, names)
        places = [body.place(motor) for body in bodies for motor in range(len(body.motors))]
        self._rows, self._dofs = np.array(places, dtype=np.int64).reshape(-1, 2).T
        fastest = [body.member(k).max_velocity for body in bodies for k in range(len(body.motors))]
        self._fastest = _FAST * np.array(fastest, dtype=np.float64)
        speeds = [body.speed for body in scene.obstacles if isinstance(body, Conveyor)]
        self._speeds = np.array(speeds, dtype=np.float64)
        self._travels = np.zeros(len(speeds))
        self._travelled = float(world.time)
        self._watchers = self.contact_watchers = 0
        self._due = self._contacts_due = 0.0
        self.contacts = ViewedContacts(0.0, (), ())
        self._step = 0
        self._latest: _Taken = self._copy()
        self._frame: Frame | None = None
        self._framed: _Taken | None = None
        self._reading = threading.Lock()  # among those who look; who steps never takes it
        self._end = world.observe(self._after_step)

    # in the thread that steps -------------------------------------------------------------------

    def _after_step(self) -> None:
        self._step += 1
        if self._watchers and time.perf_counter() >= self._due:
            self.take()

    def take(self) -> None:
        """Copy the state now; to be called by the thread that moves the world, or at a halt."""
        now = time.perf_counter()
        self._due = now + PERIOD
        self._latest = self._copy()
        if self.contact_watchers and now >= self._contacts_due:
            self._contacts_due = now + CONTACT_PERIOD
            self.contacts = self._touching()

    def _copy(self) -> _Taken:
        world = self._world
        state = world.simulation.raw_state()
        if len(self._speeds):
            passed = state.time - self._travelled
            if passed > 0:
                running = [belt.running for belt in world.simulation.belts]
                # a new array each time: the one before belongs to whoever looks at it
                self._travels = self._travels + np.array(running) * self._speeds * passed
            self._travelled = state.time
        return _Taken(self._step, world.epoch, state, self._travels)

    def _touching(self) -> ViewedContacts:
        points: list[float] = []
        forces: list[float] = []
        found = self._world.simulation.contact_points()
        if len(found) > MOST_CONTACTS:
            found = sorted(found, key=lambda one: -one.force)[:MOST_CONTACTS]
        for one in found:
            points += [round(value, 5) for value in one.point]
            forces += [round(one.force * value, 4) for value in one.normal]
        return ViewedContacts(self._world.time, tuple(points), tuple(forces))

    # in any thread ------------------------------------------------------------------------------

    def watch(self) -> None:
        """Have frames taken; once more for every viewer."""
        with self._reading:
            self._watchers += 1
        self._due = 0.0

    def unwatch(self) -> None:
        """Say that a viewer has gone."""
        with self._reading:
            self._watchers -= 1

    def frame(self) -> Frame:
        """Return where everything was when the state was last copied; the latest wins."""
        with self._reading:
            taken = self._latest
            if self._frame is None or taken is not self._framed:
                self._frame, self._framed = self._work_out(taken), taken
            return self._frame

    def values(self) -> Array:
        """Return the values of all motors then [rad or m], in the order of the geometry."""
        return self._latest.state.coordinates[self._rows]

    def _work_out(self, taken: _Taken) -> Frame:
        places, turns = self._poses.read(taken.state)
        return frame_of(
            *(self.geometry.version, taken.step, taken.epoch, taken.state.time),
            *(places, turns, taken.travels, self._marks(taken.state)),
        )

    def _marks(self, state: RawState) -> NDArray[np.uint8]:
        rates = np.abs(state.speeds[self._dofs])
        marks = np.where(rates > _MOVING, MOVES, STANDS).astype(np.uint8)
        marks[rates >= self._fastest] = FAST
        return marks

    def close(self) -> None:
        """Look no more."""
        self._end()
