"""What a program needs around it: robots, signals, a clock; and a machine for rehearsals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from armwerk.language.running.signals import PlayedSignals, SignalState

Pose: TypeAlias = tuple[float, float, float, float, float, float, float]
"""x, y, z [m] and a unit quaternion, w, x, y, z."""
IDENTITY: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class MotionRefused(Exception):  # noqa: N818 - the user sees an ExecutionError with the place
    """A motion cannot be driven; the interpreter adds where its line stands.

    Args:
        line: Of the program.
        reason: Why.
    """

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True, slots=True)
class MotionTarget:
    """Where a motion leads.

    Args:
        kind: What the values are.
        values: "pose": as `Pose`; "position": x, y, z [m]; "joint": one for each axis, in degrees
            or millimetres, since only the machine knows which axes turn.
        status: Configuration that a robtarget asks for; 0: the nearest.
    """

    kind: Literal["pose", "position", "joint"]
    values: tuple[float, ...]
    status: int = 0


@dataclass(frozen=True, slots=True)
class MotionCommand:
    """A motion that a program orders.

    Args:
        line: Of the program.
        robot: Counted from 1.
        kind: Of the path.
        is_relative: Whether each target counts from the one before it.
        targets: All points in their order.
        speed: Of the tool [m/s].
        acceleration: Of the tool [m/s²].
        rotation_speed: Of the tool [rad/s].
        joint_speeds: Fractions of what the joints may do, one for all or one for each.
        joint_accelerations: Likewise.
        blend: Radius within which the next motion may begin [m]; 0: the robot stops.
        joint_blend: Fraction of half the way of the joints, for ptp; 0: the robot stops.
        blend_speed: Of the tool in the blend [m/s]; None: as it comes.
        duration: Wished [s]; None: as quick as speeds allow.
        weave: Width and length of one wave [m]; None: the path is not woven.
        base: Frame in which targets are given.
        tool: Frame of the tool in that of the flange.
        until: Ends the motion when it holds; None: nothing does.
    """

    line: int
    robot: int
    kind: Literal["ptp", "lin", "circle", "bezier", "spline"]
    is_relative: bool
    targets: tuple[MotionTarget, ...]
    speed: float = 0.25
    acceleration: float = 1.0
    rotation_speed: float = math.pi / 2
    joint_speeds: tuple[float, ...] = (1.0,)
    joint_accelerations: tuple[float, ...] = (1.0,)
    blend: float = 0.0
    joint_blend: float = 0.0
    blend_speed: float | None = None
    duration: float | None = None
    weave: tuple[float, float] | None = None
    base: Pose = IDENTITY
    tool: Pose = IDENTITY
    until: Callable[[], bool] | None = field(default=None, compare=False)

    @property
    def passes(self) -> bool:
        """Whether the robot does not stop at the end."""
        return self.blend > 0.0 or self.joint_blend > 0.0


@dataclass(frozen=True, slots=True)
class RobotState:
    """Where a robot is.

    Args:
        pose: Of its tool, in its base frame.
        joints: Of its axes, in degrees and millimetres.
    """

    pose: Pose
    joints: tuple[float, ...]


class Machine(Protocol):
    """Robots, signals and the clock. `advance` is the only method in which time passes."""

    @property
    def time(self) -> float:
        """Since the start [s]."""
        ...

    @property
    def robots(self) -> int:
        """How many there are."""
        ...

    def move(self, command: MotionCommand) -> None:
        """Put a motion behind those that are ordered."""
        ...

    def is_busy(self, robot: int) -> bool:
        """Return whether motions of a robot are not done."""
        ...

    def is_full(self, robot: int) -> bool:
        """Return whether a robot takes no more motions for now: the program ran ahead enough."""
        ...

    def was_stopped(self, robot: int) -> bool:
        """Return whether the last motion was ended by its condition."""
        ...

    def signal(self, name: str) -> SignalState:
        """Return the state of an input or output."""
        ...

    def set_signal(self, name: str, value: SignalState) -> None:
        """Set an output."""
        ...

    def state(self, robot: int) -> RobotState:
        """Return where a robot is."""
        ...

    def advance(self, until: float) -> bool:
        """Let time pass until a moment [s], or until something changes before it.

        Returns:
            Whether anything can change; False: nothing ever will, however long one waits.
        """
        ...

    def halt(self) -> None:
        """Stop all robots and forget their orders."""
        ...

    def snapshot(self) -> object:
        """Return all that changes, for `restore`."""
        ...

    def restore(self, snapshot: object) -> None:
        """Go back to a moment, where that is possible."""
        ...


class Rehearsal(PlayedSignals):
    """A machine without an arm: it notes what is ordered, and each motion takes a second.

    Args:
        inputs: For each input, when it takes which value: (time [s], value), in order.
        robots: How many there are.
        ahead: How many motions a robot takes before it is full.
    """

    def __init__(
        self,
        inputs: Mapping[str, Sequence[tuple[float, SignalState]]] | None = None,
        robots: int = 1,
        ahead: int = 8,
    ) -> None:
        super().__init__(inputs)
        self.commands: list[MotionCommand] = []
        self._robots = robots
        self._ahead = ahead
        self._queues: list[list[MotionCommand]] = [[] for _ in range(robots)]
        self._ends = [0.0] * robots
        self._stopped = [False] * robots
        self._states = [RobotState(IDENTITY, (0.0,) * 12)] * robots

    @property
    def robots(self) -> int:
        """How many there are."""
        return self._robots

    def move(self, command: MotionCommand) -> None:
        """Put a motion behind those that are ordered."""
        self.commands.append(command)
        index = command.robot - 1
        if not self._queues[index]:
            self._ends[index] = self._time + _duration(command)
        self._queues[index].append(command)

    def is_busy(self, robot: int) -> bool:
        """Return whether motions of a robot are not done."""
        return bool(self._queues[robot - 1])

    def is_full(self, robot: int) -> bool:
        """Return whether a robot takes no more motions for now."""
        return len(self._queues[robot - 1]) >= self._ahead

    def was_stopped(self, robot: int) -> bool:
        """Return whether the last motion was ended by its condition."""
        return self._stopped[robot - 1]

    def state(self, robot: int) -> RobotState:
        """Return where a robot is: at its last target."""
        return self._states[robot - 1]

    def advance(self, until: float) -> bool:
        """Let time pass until a moment [s], or until something changes before it."""
        busy = [index for index, queue in enumerate(self._queues) if queue]
        times = [self._ends[index] for index in busy]
        if self._coming:
            times.append(self._coming[0][0])
        if until < math.inf:
            times.append(until)
        if not times:
            return False
        self._time = max(self._time, min(times))
        self._take_inputs()
        for index in busy:
            command = self._queues[index][0]
            stopped = command.until is not None and command.until()
            if stopped or self._ends[index] <= self._time:
                self._finish(index, stopped)
        return True

    def _finish(self, index: int, stopped: bool) -> None:
        queue = self._queues[index]
        command = queue.pop(0)
        self._stopped[index] = stopped
        if not stopped:
            self._states[index] = _reached(self._states[index], command)
        if queue:
            self._ends[index] = self._time + _duration(queue[0])

    def halt(self) -> None:
        """Stop all robots and forget their orders."""
        for queue in self._queues:
            queue.clear()

    def snapshot(self) -> object:
        """Return all that changes."""
        return (
            self._time,
            dict(self._signals),
            list(self._coming),
            [list(queue) for queue in self._queues],
            list(self._ends),
            list(self._stopped),
            list(self._states),
            len(self.commands),
            len(self.changes),
        )

    def restore(self, snapshot: object) -> None:
        """Go back to a moment."""
        assert isinstance(snapshot, tuple)
        self._time, signals, coming, queues, ends, stopped, states, commands, changes = snapshot
        self._signals, self._coming = dict(signals), list(coming)
        self._queues = [list(queue) for queue in queues]
        self._ends, self._stopped, self._states = list(ends), list(stopped), list(states)
        del self.commands[commands:]
        del self.changes[changes:]


def _duration(command: MotionCommand) -> float:
    return 1.0 if command.duration is None else command.duration


def _reached(state: RobotState, command: MotionCommand) -> RobotState:
    """Return where a robot is after a motion; relative ones add positions only."""
    pose, joints = state.pose, state.joints
    for target in command.targets:
        values = target.values
        if target.kind == "joint":
            old = joints if command.is_relative else (0.0,) * len(values)
            joints = tuple(a + b for a, b in zip(old, values, strict=False))
        elif command.is_relative:
            x, y, z = (a + b for a, b in zip(pose[:3], values[:3], strict=True))
            pose = (x, y, z, *pose[3:])
        else:
            turn = values[3:] if target.kind == "pose" else pose[3:]
            w, a, b, c = turn
            pose = (values[0], values[1], values[2], w, a, b, c)
    return RobotState(pose, joints)
