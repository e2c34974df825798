"""How far a gripper is open at which motor value.

The opening is measured at the grip point, across the direction z of the hand: twice the distance
of the nearest finger from the middle, along the way that finger moves. Of flat jaws that is their
distance; of three fingers it is the diameter of the ball that fits between them. All motors of a
gripper move together from their lower limits (closed) to their upper ones (open).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics.mechanism.members import ROOT, Mechanism

DEFAULT_FORCE = 20.0  # [N] at the finger, of motors that name none
DEFAULT_SPEED = 0.1  # [m/s] at the finger
DEFAULT_ACCELERATION = 3.0  # [m/s²] at the finger
SAMPLES = 65


@dataclass(frozen=True, slots=True, eq=False)
class GripTable:
    """Opening and lever of a gripper.

    Args:
        low: Values of the motors when closed. Shape (n,).
        high: Values of the motors when open. Shape (n,).
        fractions: Of the way from closed to open, 0 to 1. Shape (k,).
        widths: Opening there [m], never falling. Shape (k,).
        lever: Way of a finger per motion of its motor: 1, or metres per radian.
        max_effort: Largest force or torque of one motor [N or N m].
        speeds: Largest speed and acceleration of a motor [rad or m, s].
    """

    low: Array
    high: Array
    fractions: Array
    widths: Array
    lever: float
    max_effort: float
    speeds: tuple[float, float]

    @property
    def max_width(self) -> float:
        """Opening of the open gripper [m]."""
        return float(self.widths[-1])

    @property
    def max_force(self) -> float:
        """Largest force of one finger [N]."""
        return self.max_effort / self.lever

    def width(self, value: float) -> float:
        """Return the opening at a value of the first motor [m]."""
        fraction = (value - self.low[0]) / (self.high[0] - self.low[0])
        return float(np.interp(fraction, self.fractions, self.widths))

    def values(self, width: float) -> Array:
        """Return the motor values for an opening [m]. Shape (n,)."""
        start = _first_open(self.widths)
        fraction = np.interp(width, self.widths[start:], self.fractions[start:])
        return np.asarray(self.low + fraction * (self.high - self.low))


def grip_table(robot: Mechanism) -> GripTable:
    """Return the table of the gripper of a robot that has one.

    Raises:
        DescriptionError: When a motor has no limits, or moves nothing that touches.
    """
    motors = [robot.members[index] for index in robot.grip_motors]
    for motor in motors:
        if not np.isfinite(motor.limits).all():
            raise DescriptionError(
                "no limits",
                element=f"motor '{motor.name}' of the gripper",
                allowed="lower limit closed, upper limit open",
            )
    low = np.array([motor.limits[0] for motor in motors])
    high = np.array([motor.limits[1] for motor in motors])
    fractions = np.linspace(0.0, 1.0, SAMPLES)
    widths = _widths(robot, low + fractions[:, None] * (high - low))
    if not widths[-1] > 0.0:
        raise DescriptionError(
            "its fingers do not open",
            element=f"gripper of '{robot.name}'",
            allowed="TouchSegment or TouchPoint parts that the motors move away from the hand",
        )
    start = _first_open(widths)
    way = (1.0 - fractions[start]) * float(high[0] - low[0])
    lever = float(0.5 * (widths[-1] - widths[start]) / way)
    effort = min(motor.max_force for motor in motors)
    speed = min(motor.max_velocity for motor in motors)
    acceleration = min(motor.max_acceleration for motor in motors)
    return GripTable(
        low,
        high,
        fractions,
        widths,
        lever,
        effort if np.isfinite(effort) else DEFAULT_FORCE * lever,
        (
            speed if np.isfinite(speed) else DEFAULT_SPEED / lever,
            acceleration if np.isfinite(acceleration) else DEFAULT_ACCELERATION / lever,
        ),
    )


def _first_open(widths: Array) -> int:
    """Return the last place at which the fingers are closed; they may meet before the end."""
    return max(int(np.searchsorted(widths, 0.0, side="right")) - 1, 0)


def _widths(robot: Mechanism, grips: Array) -> Array:
    """Return the openings for rows of motor values [m], never falling. Shape (k,)."""
    level = [list(_levels(robot, grip)) for grip in grips]  # per row: (finger, radius, x, y)
    if not level[0]:
        return np.zeros(len(grips))
    fingers = [finger for finger, *_ in level[0]]
    radii = np.array([radius for _, radius, *_ in level[0]])
    places = np.array([[place for *_, place in row] for row in level])  # (k, bars, 2)
    free = np.full(len(grips), np.inf)
    for finger in set(fingers):
        own = [k for k, other in enumerate(fingers) if other == finger]
        outwards = (places[-1, own] - places[0, own]).mean(axis=0)
        length = np.linalg.norm(outwards)
        if length > 0.0:
            away = places[:, own] @ (outwards / length) - radii[own]
            free = np.minimum(free, away.min(axis=1))
    free = np.where(np.isfinite(free), free, 0.0)
    return np.asarray(2.0 * np.maximum.accumulate(np.maximum(free, 0.0)))


def _levels(robot: Mechanism, grip: Array) -> Iterator[tuple[int, float, Array]]:
    """Yield finger, radius and place across the hand of every bar, where it is next to the hand."""
    values = robot.rest()
    values[len(robot.arm_motors) :] = grip
    poses = robot.poses(robot.start(values))
    carrier = poses[robot.hand] if robot.hand != ROOT else np.eye(4)
    T_hand_base = np.linalg.inv(carrier @ robot.T_member_hand)
    finger = {index: index for index in robot.grip_motors}
    for index, member in enumerate(robot.members):
        if not member.gripper:
            continue
        finger.setdefault(index, finger.get(member.parent, index))
        T = T_hand_base @ poses[index]
        for shape in member.touch:
            start, end = (T[:3, :3] @ point + T[:3, 3] for point in (shape.start, shape.end))
            rise = end[2] - start[2]
            fraction = 0.0 if rise == 0.0 else float(np.clip(-start[2] / rise, 0.0, 1.0))
            yield finger[index], shape.radius, (start + fraction * (end - start))[:2]
