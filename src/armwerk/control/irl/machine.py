"""Robots of a cell as the machine of a program: motions planned ahead, simulated time, signals."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.control.context import Awaited
from armwerk.control.motions import present, rows
from armwerk.errors import UnsupportedError
from armwerk.geometry import inverse
from armwerk.language.arithmetic import Fault
from armwerk.language.running.machine import (
    IDENTITY,
    MotionCommand,
    MotionRefused,
    Pose,
    RobotState,
)
from armwerk.language.running.planning import MotionPlanner, matrix, pose_of
from armwerk.language.running.signals import SignalState
from armwerk.motion import ptp

if TYPE_CHECKING:
    from armwerk.control.context import GripperHandle, RobotContext
    from armwerk.control.irl.signals import SignalBoard
    from armwerk.motion import Trajectory

AHEAD = 32  # motions that a program may be ahead
POLL = 0.01  # [s] between two looks at what changes without a message
LONGEST = 0.1  # [s] a program sleeps at most, for its conditions may be of anything
JAWS = 10.0  # [s] after which jaws that never come to rest are no longer waited for
_BRAKING = 0.5  # [s] of a path that an arm covers at most while it comes to rest
_RAMP = 0.2  # [s] at least, in which a motion that was interrupted gets its speed back


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMotion:
    """A motion that is ready to be driven.

    Args:
        commands: What was ordered, without a stop between.
        trajectory: How it is driven.
        table: Its set points, one row for each physics step. Shape (steps, n).
        moments: The time of the trajectory at each row [s]. Shape (steps,).
    """

    commands: tuple[MotionCommand, ...]
    trajectory: Trajectory
    table: Array
    moments: Array


@dataclass(slots=True, eq=False)
class CellArm:
    """One robot of the cell under a program.

    Args:
        context: Its place in the cell.
        planner: Plans its motions.
        end: Where it will stand when everything planned is driven [rad, m]. Shape (n,).
        waiting: Ordered, and not planned: more may follow without a stop.
        ready: Planned, and not begun.
        running: Under way; None: nothing is.
        start: When that began [s].
        is_stopping: Whether its condition was met, and the arm comes to rest.
        stopped: Whether the last motion was ended by its condition.
        gripper: Whose jaws are on their way; None: none are.
        jaws_until: When they are no longer waited for [s].
        passed: How far the motion under way had come when a pause interrupted it [s].
        base: Frame of the last targets.
        tool: Tool of the last targets.
    """

    context: RobotContext
    planner: MotionPlanner
    end: Array
    waiting: list[MotionCommand] = field(default_factory=list)
    ready: deque[PlannedMotion] = field(default_factory=deque)
    running: PlannedMotion | None = None
    start: float = 0.0
    is_stopping: bool = False
    stopped: bool = False
    gripper: GripperHandle | None = None
    jaws_until: float = 0.0
    passed: float = 0.0
    base: Pose = IDENTITY
    tool: Pose = IDENTITY

    @property
    def is_busy(self) -> bool:
        """Whether anything that was ordered is not done, jaws on their way among it."""
        return bool(self.running or self.ready or self.waiting or self.gripper)

    @property
    def condition(self) -> Callable[[], bool] | None:
        """What ends the motion under way; None: only its goal."""
        return None if self.running is None else self.running.commands[-1].until


class CellMachine:
    """Robots, signals and clock of a cell; see `armwerk.language.Machine`.

    Everything is called in the turn of the program's own thread. Motions are planned while others
    are driven, and in a paced run the world does not wait for them.

    Args:
        robots: Those the program moves, its own first.
        board: Its signals.
    """

    def __init__(self, robots: Sequence[RobotContext], board: SignalBoard) -> None:
        self.board = board
        self.driven = 0
        """Motions that were driven to their ends."""
        self._own = robots[0]
        self._arms = [
            CellArm(one, MotionPlanner(one.model, one.limits), present(one)[0]) for one in robots
        ]
        self._begin = self._own.time
        self.uses_clock = False
        """Whether the program asks for the time, so that conditions may hold by themselves."""
        self._fault: Exception | None = None
        self._quiet_since: float | None = None  # [s] when the last change was noticed
        self._quiet_until = math.inf  # [s] until when it was waited then

    @property
    def time(self) -> float:
        """Since the start [s]."""
        return self._own.time - self._begin

    @property
    def robots(self) -> int:
        """How many there are."""
        return len(self._arms)

    # motions ---------------------------------------------------------------------------------

    def move(self, command: MotionCommand) -> None:
        """Put a motion behind those that are ordered; one that stops is planned at once.

        Raises:
            MotionRefused: When it cannot be driven.
        """
        arm = self._arms[command.robot - 1]
        waiting = arm.waiting
        if waiting and (
            waiting[0].tool != command.tool
            or command.duration is not None
            or (command.is_relative and command.targets[0].kind == "joint")
        ):
            self._plan(arm)
        arm.waiting.append(command)
        if not command.passes or command.duration is not None or command.until is not None:
            try:
                self._plan(arm)
            except BaseException:  # who paused the program meanwhile has it ordered again
                del arm.waiting[-1:]
                raise

    def _plan(self, arm: CellArm) -> None:
        if not arm.waiting:
            return
        commands, context = tuple(arm.waiting), arm.context
        if arm.running is None and not arm.ready:
            arm.end = present(context)[0]
        with context.plan(ahead=True):
            trajectory = arm.planner.plan(commands, arm.end)
            table = rows(trajectory, context.dt)
        arm.waiting = []
        moments = np.arange(1, len(table) + 1, dtype=np.float64) * context.dt
        arm.ready.append(PlannedMotion(commands, trajectory, table, moments))
        arm.end = np.asarray(trajectory.sample(trajectory.duration)[0])
        arm.base, arm.tool = commands[-1].base, commands[-1].tool
        self._go_on(arm)

    def _go_on(self, arm: CellArm) -> None:
        """Begin the next motion of an arm that stands, once its jaws do."""
        if arm.gripper is not None and self._jaws_stand(arm):
            arm.gripper = None
        while arm.ready and arm.running is None and arm.gripper is None:
            motion = arm.ready.popleft()
            if len(motion.table):
                self._drive(arm, motion)
            else:
                arm.stopped = False
                self.driven += 1

    def _drive(self, arm: CellArm, motion: PlannedMotion) -> None:
        with arm.context.act("move"):
            arm.context.body.follow(motion.table)
        arm.running, arm.start = motion, arm.context.time
        arm.is_stopping = False

    def _jaws_stand(self, arm: CellArm) -> bool:
        assert arm.gripper is not None
        return not arm.gripper.moving or arm.context.time >= arm.jaws_until

    def is_busy(self, robot: int) -> bool:
        """Return whether motions of a robot, or of its jaws, are not done."""
        return self._arms[robot - 1].is_busy

    def is_full(self, robot: int) -> bool:
        """Return whether a robot takes no more motions for now."""
        arm = self._arms[robot - 1]
        return len(arm.waiting) + sum(len(one.commands) for one in arm.ready) >= AHEAD

    def was_stopped(self, robot: int) -> bool:
        """Return whether the last motion was ended by its condition."""
        return self._arms[robot - 1].stopped

    def state(self, robot: int) -> RobotState:
        """Return where a robot is, as its joints are measured."""
        arm = self._arms[robot - 1]
        self.board.was_live = True
        q = np.array(arm.context.body.q)
        T = inverse(matrix(arm.base)) @ arm.planner.tool_pose(q, arm.tool)
        return RobotState(pose_of(T), tuple(float(value) for value in q / arm.planner.units))

    # signals ---------------------------------------------------------------------------------

    def signal(self, name: str) -> SignalState:
        """Return the state of an input or output."""
        return self.board.state(name)

    def set_signal(self, name: str, value: SignalState) -> None:
        """Set an output; jaws begin to move, and the robot waits for them."""
        try:
            found = self.board.gripper(name)
        except LookupError as error:
            raise Fault(str(error)) from None
        self.board.set(name, value)
        if found is None:
            return
        place, gripper = found
        arm = self._arms[place]
        with arm.context.act("gripper"):
            if isinstance(value, float):
                if value < 0.0:
                    raise Fault(f"jaws cannot be {value:g} mm apart")
                gripper.set(value * 1e-3)
            elif value:
                gripper.close(None)
            else:
                gripper.open()
        arm.gripper, arm.jaws_until = gripper, arm.context.time + JAWS

    # time ------------------------------------------------------------------------------------

    def advance(self, until: float) -> bool:
        """Let simulated time pass until a moment [s], or until something changes before it.

        Raises:
            MotionRefused: When a motion that was put off cannot be driven, or is blocked.
        """
        for arm in self._arms:
            self._plan(arm)
        own = self._own
        latest = own.time + (POLL if self.board.was_live else LONGEST)
        self.board.was_live = False
        wake = min(until + self._begin, latest)
        if self._quiet_since is None or until != self._quiet_until:
            self._quiet_since, self._quiet_until = own.time, until
        awaited = None
        if not self.uses_clock:
            awaited = Awaited("a condition", self._quiet_since, until + self._begin, own.time)
        if own.suspend("wait", max(wake, own.time + 0.5 * own.dt), self._is_due, awaited):
            self._quiet_since = None
        self._settle()
        return True

    def pass_step(self) -> None:
        """Let one physics step pass, as a program that computes long must."""
        own = self._own
        own.suspend("wait", own.time + 0.5 * own.dt)
        self._settle()

    def _settle(self) -> None:
        """Take messages, and look what has become of the motions."""
        while (text := self._own.take_trigger(None)) is not None:
            self.board.receive(text)
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        for arm in self._arms:
            self._follow(arm)
            self._go_on(arm)

    def _is_due(self) -> bool:
        """Whether something has changed; asked before every step, by the thread of the world."""
        if self._own.has_trigger(None):
            return True
        for arm in self._arms:
            if arm.running is not None and not arm.context.body.moving:
                return True
            if arm.gripper is not None and self._jaws_stand(arm):
                return True
            condition = arm.condition
            if condition is not None and not arm.is_stopping:
                try:
                    if condition():
                        return True
                except Fault as fault:
                    assert arm.running is not None
                    self._fault = MotionRefused(arm.running.commands[-1].line, str(fault))
                    return True
        return False

    def _follow(self, arm: CellArm) -> None:
        """Take a motion off that has ended, and brake one whose condition is met."""
        motion = arm.running
        if motion is None:
            return
        body = arm.context.body
        condition = motion.commands[-1].until
        if condition is not None and not arm.is_stopping and condition():
            with arm.context.act("halt"):
                body.halt()
            arm.is_stopping = True
        if body.moving:
            return
        reason = body.trouble if body.block is None else str(body.block)
        if reason:
            raise MotionRefused(self._line(arm, motion), reason)
        arm.stopped, arm.is_stopping = arm.is_stopping, False
        arm.running = None
        self.driven += 1
        if arm.stopped:
            arm.end = present(arm.context)[0]

    @staticmethod
    def _line(arm: CellArm, motion: PlannedMotion) -> int:
        """Return the line under way, as far as the time that has passed tells."""
        share = _passed(arm, motion) / max(motion.trajectory.duration, 1e-9)
        count = len(motion.commands)
        return motion.commands[min(count - 1, int(share * count))].line

    @property
    def line(self) -> int:
        """Of the motion under way; 0: none is."""
        for arm in self._arms:
            if arm.running is not None:
                return self._line(arm, arm.running)
        return 0

    # the end, a pause ------------------------------------------------------------------------

    def halt(self) -> None:
        """Stop all robots and forget their orders."""
        for arm in self._arms:
            arm.waiting.clear()
            arm.ready.clear()
            if arm.running is not None:
                with arm.context.act("halt"):
                    arm.context.body.halt()
            arm.running = None

    def interrupt(self) -> None:
        """Remember how far the motions have come that a pause interrupts."""
        for arm in self._arms:
            if arm.running is not None:
                arm.passed = _passed(arm, arm.running)

    def resume(self) -> None:
        """Go on with motions that a pause has interrupted: back onto the path, then along it."""
        for arm in self._arms:
            motion, context = arm.running, arm.context
            if motion is None or arm.is_stopping or context.body.moving:
                continue
            here = present(context)[0]
            moments, rest = _rest_of(motion, _nearest(motion, arm.passed, here), context)
            back = rows(ptp(None, here, rest[0], "sync", limits=context.limits), context.dt)
            table = np.ascontiguousarray(np.vstack([back, rest[1:]]))
            clock = np.concatenate([np.full(len(back), moments[0]), moments[1:]])
            self._drive(arm, PlannedMotion(motion.commands, motion.trajectory, table, clock))

    def snapshot(self) -> object:
        """Return nothing: a world cannot be kept while its programs run."""
        return None

    def restore(self, snapshot: object) -> None:
        """Refuse: a world does not run backwards."""
        raise UnsupportedError(
            "a program in a cell cannot be stepped back, for its world goes on; run it on an arm "
            "alone to step back, or reset the world"
        )


def _passed(arm: CellArm, motion: PlannedMotion) -> float:
    """Return how far a motion that is under way has come [s]."""
    row = round((arm.context.time - arm.start) / arm.context.dt) - 1
    return 0.0 if row < 0 else float(motion.moments[min(row, len(motion.moments) - 1)])


def _nearest(motion: PlannedMotion, passed: float, here: Array) -> float:
    """Return the time on a path, close behind a moment [s], that is nearest to joint values."""
    times = np.linspace(passed, min(passed + _BRAKING, motion.trajectory.duration), 100)
    away = np.abs(np.asarray(motion.trajectory.evaluate(times)[0]) - here).max(axis=1)
    return float(times[int(away.argmin())])


def _rest_of(motion: PlannedMotion, passed: float, context: RobotContext) -> tuple[Array, Array]:
    """Return set points from a moment of a motion to its end, the speed growing from nothing.

    Args:
        motion: The motion.
        passed: The moment [s].
        context: The robot.

    Returns:
        Times on the path (steps,) and set points (steps, n); the first row is that moment.
    """
    trajectory, limits = motion.trajectory, context.limits
    left = trajectory.duration - passed
    times = np.linspace(passed, trajectory.duration, 200)
    rates = np.abs(np.asarray(trajectory.evaluate(times)[1])).max(axis=0)
    ramp = max(_RAMP, 2.0 * float((rates / limits.acceleration).max()))
    whole = left + 0.5 * ramp if left > 0.5 * ramp else math.sqrt(2.0 * left * ramp)
    count = max(1, math.ceil(whole / context.dt))
    clock = np.minimum(np.arange(count + 1) * context.dt, whole)
    way = np.where(clock < ramp, 0.5 * clock**2 / ramp, clock - 0.5 * ramp)
    moments = np.minimum(passed + way, trajectory.duration)
    return moments, np.asarray(trajectory.evaluate(moments)[0])
