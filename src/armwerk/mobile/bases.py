"""What mobile robots drive on: wheels, where they stand and how fast they turn.

All lengths in the frame of the robot: on the ground below the middle of the wheels, x forwards,
y to the left. Speeds are those of the wheels' rims.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from armwerk.errors import DescriptionError
from armwerk.mobile.devices import within


@dataclass(frozen=True, slots=True)
class DifferentialBase:
    """Two driven wheels side by side, and casters that roll every way.

    Args:
        wheel_radius: [m].
        track: Between the middles of the wheels [m].
        casters: Places of the casters along x [m], behind the axle where negative.
        top_speed: Of a wheel's rim [m/s].
        acceleration: The most a wheel's rim changes its speed by [m/s²].
        driving_force: The most a wheel's motor gives at the rim [N]; None: its share of the
            robot's weight, so that the wheels slip before the motors give way.
    """

    wheel_radius: float = 0.008
    track: float = 0.053
    casters: tuple[float, ...] = (0.02, -0.02)
    top_speed: float = 1.0
    acceleration: float = 10.0
    driving_force: float | None = None

    def __post_init__(self) -> None:
        _check("two-wheeled base", self.wheel_radius, self.top_speed, self.acceleration)
        within("two-wheeled base, track", self.track, 1e-3, 100.0, "m")
        for place in self.casters:
            within("two-wheeled base, caster", place, -100.0, 100.0, "m")


@dataclass(frozen=True, slots=True)
class FourWheelBase:
    """Four driven wheels; those of a side turn alike, and it turns by skidding.

    Args:
        wheel_radius: [m].
        track: Between the middles of left and right wheels [m].
        wheelbase: Between front and back axle [m].
        top_speed: Of a wheel's rim [m/s].
        acceleration: The most a wheel's rim changes its speed by [m/s²].
        driving_force: The most a wheel's motor gives at the rim [N]; None: enough to slip.
    """

    wheel_radius: float = 0.03
    track: float = 0.2
    wheelbase: float = 0.16
    top_speed: float = 1.0
    acceleration: float = 10.0
    driving_force: float | None = None

    def __post_init__(self) -> None:
        _check("four-wheeled base", self.wheel_radius, self.top_speed, self.acceleration)
        within("four-wheeled base, track", self.track, 1e-3, 100.0, "m")
        within("four-wheeled base, wheelbase", self.wheelbase, 1e-3, 100.0, "m")


@dataclass(frozen=True, slots=True)
class OmniBase:
    """Three or more wheels whose rims roll freely along their axles: it drives every way.

    Args:
        wheel_radius: [m].
        distance: From the middle of the robot to the middle of a wheel [m].
        angles: Where the wheels stand around it, 0 is forwards, counter-clockwise [rad].
        top_speed: Of a wheel's rim [m/s].
        acceleration: The most a wheel's rim changes its speed by [m/s²].
        driving_force: The most a wheel's motor gives at the rim [N]; None: enough to slip.
    """

    wheel_radius: float = 0.027
    distance: float = 0.08
    angles: tuple[float, ...] = tuple(math.radians(angle) for angle in (60, 130, 230, 300))
    top_speed: float = 3.0
    acceleration: float = 10.0
    driving_force: float | None = None

    def __post_init__(self) -> None:
        _check("omnidirectional base", self.wheel_radius, self.top_speed, self.acceleration)
        within("omnidirectional base, distance", self.distance, 1e-3, 100.0, "m")
        if len(self.angles) < 3:
            raise DescriptionError(
                "too few wheels",
                element="omnidirectional base, angles",
                value=len(self.angles),
                allowed="3 or more",
            )


Base: TypeAlias = DifferentialBase | FourWheelBase | OmniBase


def _check(element: str, radius: float, speed: float, acceleration: float) -> None:
    within(f"{element}, wheel radius", radius, 1e-3, 10.0, "m")
    within(f"{element}, top speed", speed, 0.0, 100.0, "m/s")
    within(f"{element}, acceleration", acceleration, 1e-3, 1e4, "m/s²")
