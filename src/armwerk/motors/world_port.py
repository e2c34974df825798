"""Modules that are the drives of a simulated robot: of its arm, and one for its gripper."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.motors.interface import (
    FREE,
    GRIP_SPEED,
    GRIP_SWING,
    ModuleConfig,
    ModuleState,
    ModuleStatus,
)
from armwerk.motors.ramp import RampAxis
from armwerk.physics.drives.strength import SWING
from armwerk.physics.robots.body import RobotBody
from armwerk.physics.robots.grip import GripBody

SLOW = 0.2  # of the speed, for a run to the end stop
NEAR_STOP = 1e-3  # [m] from its end within which a gripper counts as referenced


class Stepped(Protocol):
    """What lets time pass: a `Simulation`, or a `World` with all its programs."""

    def step(self) -> None:
        """Let one step of time pass."""
        ...


class SteppedElsewhere:
    """A world for the second robot in it: time passes by the port of the first."""

    def step(self) -> None:
        """Do nothing."""


class WorldPort:
    """The drives of a robot in a world as modules.

    Args:
        world: Stepped once per cycle, by this port alone.
        robot: One of its robots.

    Raises:
        DescriptionError: For a robot without motors.
    """

    def __init__(self, world: Stepped, robot: RobotBody) -> None:
        if not robot.dof:
            raise DescriptionError("has no motors", element=repr(robot))
        self._world, self._robot = world, robot
        self._dt = robot.drive.dt
        grip = robot.grip
        self._grip = grip if isinstance(grip, GripBody) else None
        self._configs = tuple(_configs(robot, self._grip))
        self._axes = [RampAxis(float(value)) for value in robot.q]
        if self._grip is not None:
            self._axes.append(RampAxis(self._grip.width))
        self._halted = [False] * len(self._axes)
        self._faults = [""] * len(self._axes)
        self._referenced = [not config.needs_reference for config in self._configs]
        self._referencing = [False] * len(self._axes)
        self._quiet = 0
        self._read_at = -1.0
        self._readings: list[list[float]] = []

    @property
    def dt(self) -> float:
        """Time of a cycle [s], the world's step."""
        return self._dt

    @property
    def configs(self) -> tuple[ModuleConfig, ...]:
        """All modules."""
        return self._configs

    def status(self, index: int) -> ModuleStatus:
        """Return how a module is, as the world has it."""
        robot = self._robot
        number, known = self._configs[index].number, self._referenced[index]
        if self._read_at != robot.data.time:  # once per step, for all modules
            self._read_at = float(robot.data.time)
            arrays = (robot.q, robot.qd, robot.forces[: robot.dof])
            self._readings = np.stack(arrays, axis=1).tolist()
        if index < robot.dof:
            at, speed, force = self._readings[index]
        else:
            assert self._grip is not None
            at, speed, force = self._grip.width, self._axes[index].velocity, self._grip.force
        state: ModuleState = "moving" if self._axes[index].moving else "ready"
        if self._referencing[index]:
            state = "referencing"
        if self._halted[index]:
            state = "halted"
        if self._faults[index]:
            state = "fault"
        return ModuleStatus(number, at, speed, force, state, self._faults[index], known)

    def ramp(self, index: int, goal: float, velocity: float, acceleration: float) -> None:
        """Run to a position."""
        self._axes[index].ramp(goal, velocity, acceleration)

    def step(self, index: int, goal: float, time: float, velocity: float | None) -> None:
        """Be at a position in a time."""
        swing = self._configs[index].max_acceleration
        self._axes[index].step(goal, time, velocity, swing)

    def force(self, index: int, value: float, time: float) -> None:
        """Refuse: drives of a world are given positions.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            f"module {self._configs[index].number}: drives of a world take positions; "
            "a JointController gives forces"
        )

    def soft_stop(self, index: int, acceleration: float) -> None:
        """Come to rest."""
        self._referencing[index] = False
        self._axes[index].brake(acceleration)

    def halt(self, index: int) -> None:
        """Come to rest as fast as the drive can, and stay there."""
        self._referencing[index] = False
        self._halted[index] = True
        self._axes[index].brake(self._configs[index].max_acceleration)

    def reset(self, index: int) -> None:
        """Take back a halt or a fault."""
        if self._faults[index]:
            self._axes[index].put(self.status(index).position)
        self._halted[index] = False
        self._faults[index] = ""

    def reference(self, index: int) -> None:
        """Open the gripper as far as it goes."""
        config = self._configs[index]
        self._referenced[index], self._referencing[index] = False, True
        speed, swing = SLOW * config.max_velocity, config.max_acceleration
        self._axes[index].ramp(config.limits[1], speed, swing)

    def cycle(self) -> None:
        """Give every drive its next set point and let the world make a step."""
        for axis in self._axes:
            axis.advance(self._dt)
        wanted = np.array([axis.position for axis in self._axes[: self._robot.dof]])
        moving = any(axis.moving for axis in self._axes)
        # set points wait where a motor is at its limit
        moving = moving or bool(np.abs(wanted - self._robot.setpoints[: len(wanted)]).max() > 1e-9)
        self._quiet = 0 if moving and not any(self._faults) else self._quiet + 1
        if self._quiet < 3:  # the last set points twice, so that their speed is 0
            self._send()
        self._world.step()
        self._look()

    def close(self) -> None:
        """Bring the robot to rest as fast as it can."""
        self._robot.halt()

    def _send(self) -> None:
        robot, dof = self._robot, self._robot.dof
        row = np.array([axis.position for axis in self._axes[:dof]])
        before = robot.setpoints[:dof]
        most = np.array([config.max_velocity for config in self._configs[:dof]]) * self._dt
        row = before + np.clip(row - before, -most, most)
        try:
            robot.follow(row[None])
        except ArmwerkError as error:  # a closed chain that cannot go there, say
            self._stop_arm(str(error))
        if self._grip is not None:
            low, high = self._configs[-1].limits
            self._grip.set(min(max(self._axes[-1].position, low), high))

    def _look(self) -> None:
        robot = self._robot
        if robot.blocked and not any(self._faults):
            why = str(robot.block) if robot.block is not None else "something stands in the way"
            self._stop_arm(why)
        elif robot.trouble and not any(self._faults):
            self._stop_arm(robot.trouble)
        last = len(self._axes) - 1
        if self._referencing[last] and not self._axes[last].moving:
            self._referencing[last] = False
            assert self._grip is not None
            away = self._configs[last].limits[1] - self._grip.width
            if away < NEAR_STOP:
                self._referenced[last] = True
            else:
                self._faults[last] = f"reference run: stopped {away * 1e3:.1f} mm before its end"

    def _stop_arm(self, why: str) -> None:
        for k in range(self._robot.dof):
            self._faults[k] = why
            self._axes[k].put(float(self._robot.q[k]))


def _configs(robot: RobotBody, grip: GripBody | None) -> list[ModuleConfig]:
    result = []
    for k in range(robot.dof):
        member, unit = robot.member(k), robot.member(k).unit
        low, high = member.limits
        speed, swing = member.max_velocity, member.max_acceleration
        result.append(
            ModuleConfig(
                k + 1,
                robot.motors[k],
                unit,
                (max(low, -FREE), min(high, FREE)),
                speed if math.isfinite(speed) else SWING[unit],
                swing if math.isfinite(swing) else SWING[unit],
                float(robot.max_forces[k]),
            )
        )
    if grip is not None:
        width = (0.0, grip.max_width)
        number = robot.dof + 1
        result.append(
            ModuleConfig(
                number, "gripper", "m", width, GRIP_SPEED, GRIP_SWING, grip.max_force, True
            )
        )
    return result
