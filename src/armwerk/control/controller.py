"""The base class of robot controllers: a program for one robot.

    class Pick(aw.RobotController):
        def run(self):
            self.move_to(aw.pointing_down(0.3, 0.0, 0.1))
            self.line_to(aw.pointing_down(0.3, 0.0, 0.03))
            self.grip.close()

Simulated time stands still while a program computes; it passes in `wait`, `wait_motion`,
`wait_trigger`, `wait_until`, `wait_for_contact` and in motions that are waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control import motions
from armwerk.control.context import Awaited
from armwerk.control.kinematics import ControllerKinematics, Direct, Inverse
from armwerk.control.motions import LineOptions
from armwerk.control.motors import Grip, Motors
from armwerk.control.skills import GuardedModel
from armwerk.errors import MotionError, UnsupportedError
from armwerk.motion.limits import is_number
from armwerk.motion.options import Profile, Sync

if TYPE_CHECKING:
    from armwerk.control.context import RobotContext
    from armwerk.mechanics import ArmModel
    from armwerk.motion.trajectory import Trajectory
    from armwerk.physics import ThingState
    from armwerk.protocol import PairContact

POLL = 0.01  # [s] between two questions of `wait_until`


class RobotController:
    """A program for one robot; write a class of your own with `run`.

    It needs a constructor without arguments, which sets up what is needed once and moves nothing.
    One instance is made and may be started many times. Poses are in the world, T_world_tool, for
    the grip point; lengths in m, angles in rad, times in s.
    """

    description: str = ""
    requires_configuration: bool = False
    direct_kinematics: Direct | None = None
    """Own direct kinematics: motor values (n,) -> T_base_tool (4, 4); None: the automatic one."""
    inverse_kinematics: Inverse | None = None
    """Own inverse: T_base_tool (4, 4) or a point (3,) -> solutions (k, n); None: automatic."""
    _context: RobotContext | None = None
    _leads = False  # whether it moves robots without a controller as well
    _others: tuple[RobotContext, ...] = ()
    _motors: Motors | None = None
    _grip: Grip | None = None

    # what users write ------------------------------------------------------------------------

    def run(self) -> None:
        """Do the task; it is over when this returns.

        Unless written it waits for triggers until the user stops it.
        """
        while self.is_running():
            self.wait_trigger()

    def stop(self) -> None:
        """Go back to the beginning; called after every run, and when the user stops it.

        Must not wait, and must bear being called twice. The arm has been halted already when the
        user stopped it. Does nothing unless written.
        """

    def pause(self) -> None:
        """Keep what is needed to go on with the next run; must not wait. Default: `stop`."""
        self.stop()

    def configure(self, text: str) -> None:
        """Take the text of CONFIG; called once before the first run.

        Raise an exception with a sentence for the user when the text is wrong.
        """

    def receive_trigger(self, text: str) -> None:
        """Called for every trigger, in the order of their arrival. Does nothing unless written."""

    def receive_line(self, text: str) -> None:
        """Called for every line from the commander. Does nothing unless written."""

    # the cell --------------------------------------------------------------------------------

    @property
    def instance(self) -> int:
        """The number of the robot, 0 to 99; also the number of its triggers."""
        return self._bound("instance").number

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._bound("time").time

    def is_running(self) -> bool:
        """Whether the task is to go on; False once the user has stopped or paused it."""
        return self._context is not None and self._context.is_running()

    def debug(self, *words: object) -> None:
        """Write words, separated by blanks, to debug-out."""
        self._bound("debug").note(" ".join(str(word) for word in words))

    def send_trigger(self, instance: int, text: str) -> None:
        """Send a trigger to a robot, conveyor or processor; -1: to all robots."""
        self._bound("send_trigger").send(instance, text)

    def see(self, name: str) -> ThingState:
        """Return where a thing is and how it moves: position, velocity, rotation, spin, kind."""
        return self._active("see").thing(name)

    @property
    def random(self) -> np.random.Generator:
        """Where to draw random numbers from: equal seeds give equal runs, see ``--seed``."""
        return self._active("random").random

    def things(self) -> tuple[str, ...]:
        """Return the names of the balls and cuboids in the cell."""
        return self._active("things").things()

    # the arm ---------------------------------------------------------------------------------

    @property
    def arm(self) -> ArmModel:
        """The arm's model (`ArmModel`): poses in the base frame, tool at the grip point."""
        context = self._active("arm")
        if context.skills.mandirkin and context.skills.maninvkin:
            return context.model
        return GuardedModel(context.model, context.skills)

    @property
    def base(self) -> Array:
        """Where the robot stands, T_world_base. Shape (4, 4)."""
        return self._active("base").base.copy()

    @property
    def q(self) -> Array:
        """Values of the arm's motors, read back [rad or m]. Shape (n,)."""
        return np.array(self._active("q").body.q)

    @property
    def carried(self) -> frozenset[str]:
        """Names of the things that lie on the robot's touch parts alone, held by nothing."""
        context = self._active("carried")
        context.read()
        return context.body.carried

    @property
    def motors(self) -> Motors:
        """All motors by name, those of the gripper too."""
        if self._motors is None:
            self._motors = Motors(self._active("motors"))
        return self._motors

    @property
    def grip(self) -> Grip:
        """The gripper.

        Raises:
            UnsupportedError: When the robot has none.
        """
        if self._grip is None:
            self._grip = Grip(self._active("grip"))
        return self._grip

    def set(self, q: ArrayLike) -> None:
        """Drive the arm's motors to values, each as quick as it can; returns at once.

        Args:
            q: [rad or m]. Shape (n,).

        Raises:
            MotionError: For a value beyond its limits.
        """
        context = self._active("set")
        goals = motions.within_limits(context, q)
        with context.act("set"):
            context.body.set_goal(slice(0, len(goals)), goals)

    def halt(self) -> None:
        """Bring the arm to rest; returns at once."""
        context = self._active("halt")
        with context.act("halt"):
            context.body.halt()

    # kinematics ------------------------------------------------------------------------------

    def direct(self, q: ArrayLike | None = None) -> Array:
        """Return where the tool is for some motor values, T_world_tool. Shape (4, 4).

        Args:
            q: [rad or m]. Shape (n,). None: where the arm is now.
        """
        context, kinematics = self._kinematics("direct")
        values = context.body.q if q is None else motions.joint_values(q, context.limits.dof)
        with kinematics.computing():
            return kinematics.direct(np.array(values))

    def inverse(self, T: ArrayLike) -> Array:
        """Return all motor values that bring the tool to a goal; joint limits do not count.

        Where the motors can move together without leaving the goal, as an arm of six axes can
        around a point, there are infinitely many: a few of them are returned, those nearest to
        the motors' zero. ``self.arm.solutions`` says which motors these are.

        Args:
            T: T_world_tool (4, 4), or a point (3,) [m] with any orientation.

        Returns:
            Shape (k, n), k = 0 when out of reach.
        """
        _, kinematics = self._kinematics("inverse")
        with kinematics.computing():
            return kinematics.inverse(T)

    def nearest(self, T: ArrayLike, q: ArrayLike | None = None) -> Array | None:
        """Return motor values within limits that bring the tool to a goal, nearest to ``q``.

        Args:
            T: T_world_tool (4, 4), or a point (3,) [m] with any orientation.
            q: [rad or m]. Shape (n,). None: where the arm is now.

        Returns:
            Shape (n,); None when out of reach.
        """
        context, kinematics = self._kinematics("nearest")
        near = context.body.q if q is None else motions.joint_values(q, context.limits.dof)
        with kinematics.computing():
            return kinematics.nearest(T, np.array(near))

    # motions ---------------------------------------------------------------------------------

    def move(
        self,
        q: ArrayLike,
        *,
        speed: float = 1.0,
        sync: Sync = "sync",
        profile: Profile | None = None,
        wait: bool = True,
    ) -> None:
        """Move the arm to motor values, point to point.

        Args:
            q: [rad or m]. Shape (n,).
            speed: Fraction of the velocity limits, above 0, at most 1.
            sync: "async", "sync" or "full", see `armwerk.ptp`.
            profile: "trapezoid", "sine" or "quintic"; None: as the arm's description says.
            wait: Whether to wait for the end.

        Raises:
            MotionError: For values beyond the limits.
        """
        context = self._active("move")
        table = motions.planned(
            context, lambda: motions.point_to_point(context, q, speed, sync, profile)
        )
        self._drive(context, "move", table, wait)

    def move_to(
        self,
        T: ArrayLike,
        *,
        speed: float = 1.0,
        sync: Sync = "sync",
        profile: Profile | None = None,
        wait: bool = True,
    ) -> None:
        """Move the tool to a goal, point to point, in the configuration nearest to the present.

        Args:
            T: T_world_tool (4, 4), or a point (3,) [m] with any orientation.
            speed: As in `move`, like the others.

        Raises:
            MotionError: When the goal is out of reach.
        """
        context, kinematics = self._kinematics("move_to")

        def plan() -> Array:
            q = kinematics.required(T, motions.present(context)[0], "move_to")
            return motions.point_to_point(context, q, speed, sync, profile)

        table = motions.planned(context, plan, kinematics)
        self._drive(context, "move_to", table, wait)

    def line_to(
        self,
        T: ArrayLike,
        *,
        speed: float = 0.25,
        wait: bool = True,
        **options: Unpack[LineOptions],
    ) -> None:
        """Move the tool to a goal along a straight line.

        Args:
            T: T_world_tool (4, 4), or a point (3,) [m]: an arm with six axes then keeps its
                orientation, one with fewer goes straight and turns as it must. Where the tool is
                already, nothing moves.
            speed: Of the tool [m/s].
            wait: Whether to wait for the end.
            **options: acceleration [m/s²], jerk [m/s³]; for arms with six axes also what
                `armwerk.Path` takes.

        Raises:
            MotionError: When the goal or the line is out of reach.
        """
        context, kinematics = self._kinematics("line_to")
        table = motions.planned(
            context, lambda: motions.line(context, kinematics, T, speed, options), kinematics
        )
        self._drive(context, "line_to", table, wait)

    def follow(self, trajectory: Trajectory, wait: bool = True) -> None:
        """Follow a trajectory of `armwerk.ptp` or `armwerk.Path` that begins where the arm is."""
        context = self._active("follow")
        table = motions.trajectory_rows(context, trajectory)
        self._drive(context, "follow", table, wait)

    # waiting ---------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Wait for simulated time [s] to pass; at least one physics step."""
        context = self._active("wait")
        context.suspend("wait", context.time + max(_seconds(seconds), 0.5 * context.dt))

    def wait_motion(self, timeout: float | None = None) -> bool:
        """Wait until the arm has arrived.

        Args:
            timeout: Longest wait [s]; None: as long as it takes.

        Returns:
            Whether it has arrived.

        Raises:
            BlockedError: When something stood in its way and it has let go.
            MotionError: When it stands elsewhere: its closed chains cannot follow the motors it
                was sent with, or it has failed.
        """
        context = self._active("wait_motion")
        body = context.body
        stands = not body.moving or context.suspend(
            "wait_motion", _until(context, timeout), lambda: not body.moving
        )
        block = body.block
        if stands and block is not None:
            raise block.with_traceback(None)
        if stands and body.trouble:
            raise MotionError(body.trouble, segment="wait_motion")
        return stands

    def wait_trigger(self, text: str | None = None, timeout: float | None = None) -> str | None:
        """Wait for a trigger; one that has come since the start and was not taken counts.

        Args:
            text: The one to wait for, others stay for later; None: the oldest of all.
            timeout: Longest wait [s]; None: as long as it takes.

        Returns:
            Its text; None when the time is up.
        """
        context = self._active("wait_trigger")
        began, until = context.time, _until(context, timeout)
        found = context.take_trigger(text)
        if found is None and context.suspend(
            "wait_trigger",
            until,
            lambda: context.has_trigger(text),
            Awaited("any trigger" if text is None else f"the trigger '{text}'", began, until),
        ):
            found = context.take_trigger(text)
        return found

    def wait_until(
        self, predicate: Callable[[], bool], timeout: float | None = None, *, every: float = POLL
    ) -> bool:
        """Wait until something holds.

        Args:
            predicate: Asked again and again in simulated time.
            timeout: Longest wait [s]; None: as long as it takes.
            every: Time between two questions [s]; 0: every physics step, which is slower to run.

        Returns:
            Whether it holds; False when the time is up.
        """
        context = self._active("wait_until")
        began, until = context.time, _until(context, timeout)
        pause = max(_seconds(every), 0.5 * context.dt)
        if not callable(predicate):
            raise MotionError(f"wait_until needs a function that it can ask, got {predicate!r:.60}")
        while True:
            before = context.unsteady_reads
            if predicate():
                return True
            # what asks for the time may hold by itself some day
            is_steady = context.unsteady_reads == before
            now = context.time
            if now >= until:
                return False
            awaited = Awaited("a condition", began, until, now) if is_steady else None
            context.suspend("wait_until", min(until, now + pause), None, awaited)

    def wait_for_contact(
        self,
        name: str | None = None,
        force: float = 0.0,
        timeout: float | None = None,
        *,
        of: str | None = None,
    ) -> PairContact | None:
        """Wait until the robot touches something; looked at in every physics step.

        Args:
            name: Of what: a thing, obstacle or belt, "floor", "robot 1"; None: anything.
            force: How hard they press each other at least [N], 0: at all.
            timeout: Longest wait [s]; None: as long as it takes.
            of: Who else is to touch it, named likewise; None: any part of this robot.

        Returns:
            Sides, point, normal and force of the touch; None when the time is up.

        Raises:
            UnknownNameError: When nothing in the cell has such a name.
        """
        context = self._active("wait_for_contact")
        began, until = context.time, _until(context, timeout)
        if not is_number(force) or not 0.0 <= force < inf:
            raise MotionError(f"a force to wait for must be 0 N or more, got {force!r:.60}")
        look = context.contact(name, of, float(force))
        found: list[PairContact] = []

        def touches() -> bool:
            seen = look()
            if seen is not None:
                found.append(seen)
            return seen is not None

        if not touches():
            what = "a contact" if name is None else f"a contact with {name}"
            context.suspend("wait_for_contact", until, touches, Awaited(what, began, until))
        return found[0] if found else None

    # inside ----------------------------------------------------------------------------------

    @property
    def _title(self) -> str:
        """What reports call it."""
        return type(self).__name__

    @property
    def _place(self) -> str:
        """Where in a program of its own language it is; empty: Python knows."""
        return ""

    def _fresh(self) -> RobotController:
        """Return another controller of this kind, for one that got stuck."""
        return type(self)()

    def _active(self, service: str) -> RobotContext:
        context = self._bound(service)
        context.read()
        return context

    def _bound(self, service: str) -> RobotContext:
        context = self._context
        if context is None:
            raise UnsupportedError(
                f"self.{service} exists only once {type(self).__name__} works in a cell: use it "
                "in run, receive_trigger or receive_line, not in the constructor"
            )
        return context

    def _kinematics(self, service: str) -> tuple[RobotContext, ControllerKinematics]:
        context = self._active(service)
        return context, ControllerKinematics(
            context, self.direct_kinematics, self.inverse_kinematics
        )

    def _drive(self, context: RobotContext, service: str, table: Array, wait: bool) -> None:
        with context.act(service):
            if len(table):
                context.body.follow(table)
        if wait and len(table):
            self.wait_motion()


def is_written(program: object, method: str, base: type[object]) -> bool:
    """Whether a class, or an instance, brings its own method."""
    own: object = getattr(program, method)
    return getattr(own, "__func__", own) is not getattr(base, method)


def _seconds(value: float) -> float:
    if not is_number(value) or not 0.0 <= value < inf:
        raise MotionError(f"a time to wait must be 0 s or more, got {value!r:.60}")
    return float(value)


def _until(context: RobotContext, timeout: float | None) -> float:
    return inf if timeout is None else context.time + _seconds(timeout)
