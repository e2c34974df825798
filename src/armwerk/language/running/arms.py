"""A machine of arms: motions are planned within every limit, and time passes as they take it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.geometry import inverse
from armwerk.language.running.machine import (
    IDENTITY,
    MotionCommand,
    Pose,
    RobotState,
)
from armwerk.language.running.planning import MotionPlanner, matrix, pose_of
from armwerk.language.running.signals import PlayedSignals, SignalState
from armwerk.motion import Limits, Trajectory

if TYPE_CHECKING:
    from armwerk.mechanics import ArmModel

AHEAD = 64  # motions that a program may be ahead
CYCLE = 0.01  # [s] between looks at the condition of a motion


@dataclass(frozen=True, slots=True, eq=False)
class DrivenMotion:
    """A motion that was driven.

    Args:
        robot: Counted from 1.
        commands: What was ordered, without a stop between.
        trajectory: How it was driven.
        start: When it began [s].
    """

    robot: int
    commands: tuple[MotionCommand, ...]
    trajectory: Trajectory
    start: float


@dataclass(slots=True, eq=False)
class _Robot:
    planner: MotionPlanner
    q: Array
    waiting: list[MotionCommand] = field(default_factory=list)
    running: list[tuple[tuple[MotionCommand, ...], Trajectory]] = field(default_factory=list)
    start: float = 0.0
    end: Array = field(init=False)
    base: Pose = IDENTITY
    tool: Pose = IDENTITY
    stopped: bool = False

    def __post_init__(self) -> None:
        self.end = self.q


class ArmMachine(PlayedSignals):
    """Arms that drive what a program orders, one for each robot.

    Args:
        models: The arms.
        starts: Joint values they stand at [rad, m]; None: zero, or the middle of a range without.
        inputs: For each input, when it takes which value: (time [s], value), in order.
        limits: What the joints of each arm may do; None, also of one of them: as described.
    """

    def __init__(
        self,
        models: Sequence[ArmModel],
        starts: Sequence[ArrayLike] | None = None,
        inputs: Mapping[str, Sequence[tuple[float, SignalState]]] | None = None,
        limits: Sequence[Limits | None] | None = None,
    ) -> None:
        super().__init__(inputs)
        self.motions: list[DrivenMotion] = []
        self._arms = []
        for index, model in enumerate(models):
            q = _rest(model) if starts is None else np.array(starts[index], dtype=np.float64)
            own = None if limits is None else limits[index]
            self._arms.append(_Robot(MotionPlanner(model, own), q))

    @property
    def assumed(self) -> list[str]:
        """What the limits of the arms that were moved assume, in words; each once."""
        notices = [notice.text for motion in self.motions for notice in motion.trajectory.notices]
        found = [arm.planner.limits.assumed for arm in self._arms]
        return [words for words in dict.fromkeys(found) if words and words in notices]

    @property
    def robots(self) -> int:
        """How many there are."""
        return len(self._arms)

    def place(self, robot: int, q: ArrayLike) -> None:
        """Let a robot stand at joint values [rad, m] before anything moves. Shape (n,)."""
        arm = self._arms[robot - 1]
        arm.q = arm.end = np.array(q, dtype=np.float64)

    def move(self, command: MotionCommand) -> None:
        """Put a motion behind those that are ordered; one that stops is planned at once.

        Raises:
            MotionRefused: When it cannot be driven.
        """
        arm = self._arms[command.robot - 1]
        if arm.waiting and (arm.waiting[0].tool != command.tool or command.duration is not None):
            self._plan(arm)
        if arm.waiting and command.is_relative and command.targets[0].kind == "joint":
            self._plan(arm)
        arm.waiting.append(command)
        if not command.passes or command.duration is not None or command.until is not None:
            self._plan(arm)

    def _plan(self, arm: _Robot) -> None:
        if not arm.waiting:
            return
        commands, arm.waiting = tuple(arm.waiting), []
        trajectory = arm.planner.plan(commands, arm.end)
        if not arm.running:
            arm.start = self._time
        arm.running.append((commands, trajectory))
        arm.end = np.asarray(trajectory.sample(trajectory.duration)[0])
        arm.base, arm.tool = commands[-1].base, commands[-1].tool

    def is_busy(self, robot: int) -> bool:
        """Return whether motions of a robot are not done."""
        arm = self._arms[robot - 1]
        return bool(arm.running or arm.waiting)

    def is_full(self, robot: int) -> bool:
        """Return whether a robot takes no more motions for now."""
        arm = self._arms[robot - 1]
        return len(arm.waiting) + sum(len(commands) for commands, _ in arm.running) >= AHEAD

    def was_stopped(self, robot: int) -> bool:
        """Return whether the last motion was ended by its condition."""
        return self._arms[robot - 1].stopped

    def joints(self, robot: int) -> Array:
        """Return where the joints of a robot are [rad, m]. Shape (n,)."""
        arm = self._arms[robot - 1]
        if not arm.running:
            return arm.q
        return np.asarray(arm.running[0][1].sample(self._time - arm.start)[0])

    def state(self, robot: int) -> RobotState:
        """Return where a robot is."""
        arm = self._arms[robot - 1]
        q = self.joints(robot)
        T = inverse(matrix(arm.base)) @ arm.planner.tool_pose(q, arm.tool)
        return RobotState(pose_of(T), tuple(float(value) for value in q / arm.planner.units))

    def advance(self, until: float) -> bool:
        """Let time pass until a moment [s], or until something changes before it.

        Raises:
            MotionRefused: When a motion that was put off cannot be driven.
        """
        for arm in self._arms:
            self._plan(arm)
        times = [arm.start + arm.running[0][1].duration for arm in self._arms if arm.running]
        if any(arm.running and arm.running[0][0][-1].until is not None for arm in self._arms):
            times.append(self._time + CYCLE)
        if self._coming:
            times.append(self._coming[0][0])
        if until < math.inf:
            times.append(until)
        if not times:
            return False
        self._time = max(self._time, min(times))
        self._take_inputs()
        for number, arm in enumerate(self._arms, start=1):
            if arm.running:
                self._follow(number, arm)
        return True

    def _follow(self, number: int, arm: _Robot) -> None:
        """Take a motion off the queue that has ended, or has met its condition."""
        commands, trajectory = arm.running[0]
        condition = commands[-1].until
        met = condition is not None and condition()
        passed = self._time - arm.start
        if not met and passed < trajectory.duration - 1e-9:
            return
        arm.stopped = met
        self.motions.append(DrivenMotion(number, commands, trajectory, arm.start))
        sample = trajectory.sample(min(passed, trajectory.duration))
        arm.q = np.asarray(sample[0])
        del arm.running[0]
        arm.start = self._time
        if met and passed < trajectory.duration:
            self._brake(number, arm, commands, np.asarray(sample[1]))

    def _brake(
        self, number: int, arm: _Robot, commands: tuple[MotionCommand, ...], qd: Array
    ) -> None:
        braking = arm.planner.brake(arm.q, qd)
        if braking is not None:
            self.motions.append(DrivenMotion(number, commands, braking, self._time))
            self._time += braking.duration
            arm.q = np.asarray(braking.sample(braking.duration)[0])
        arm.end = arm.q

    def halt(self) -> None:
        """Stop all robots where they are and forget their orders."""
        for number, arm in enumerate(self._arms, start=1):
            arm.q = arm.end = self.joints(number)
            arm.waiting, arm.running = [], []

    def snapshot(self) -> object:
        """Return all that changes."""
        arms = [
            (
                arm.q,
                list(arm.waiting),
                list(arm.running),
                arm.start,
                arm.end,
                arm.base,
                arm.tool,
                arm.stopped,
            )
            for arm in self._arms
        ]
        lengths = (len(self.motions), len(self.changes))
        return (self._time, dict(self._signals), list(self._coming), lengths, arms)

    def restore(self, snapshot: object) -> None:
        """Go back to a moment."""
        assert isinstance(snapshot, tuple)
        self._time, signals, coming, (motions, changes), arms = snapshot
        self._signals, self._coming = dict(signals), list(coming)
        del self.motions[motions:]
        del self.changes[changes:]
        for arm, (q, waiting, running, start, end, base, tool, stopped) in zip(
            self._arms, arms, strict=True
        ):
            arm.q, arm.start, arm.end, arm.base, arm.tool = q, start, end, base, tool
            arm.waiting, arm.running, arm.stopped = list(waiting), list(running), stopped


def _rest(model: ArmModel) -> Array:
    """Return joint values to begin with: zero, or the middle of a range that does not hold it."""
    limits = Limits.of(model)
    inside = (limits.lowest <= 0.0) & (limits.highest >= 0.0)
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (limits.lowest + limits.highest)
    return np.where(inside, 0.0, middle)
