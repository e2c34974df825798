"""What an arm has beside its geometry: gravity, and how it is to be moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import number

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
JointMotion: TypeAlias = Literal["asynchronous", "synchronous", "fully synchronous"]
CartesianMotion: TypeAlias = Literal["linear", "circular", "spline"]
SpeedProfile: TypeAlias = Literal["trapezoid", "sine", "quintic"]
JOINT_MOTIONS: tuple[JointMotion, ...] = ("asynchronous", "synchronous", "fully synchronous")
CARTESIAN_MOTIONS: tuple[CartesianMotion, ...] = ("linear", "circular", "spline")
PROFILES: tuple[SpeedProfile, ...] = ("trapezoid", "sine", "quintic")


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """How an arm is to be moved; kept with the description, used by motion and control.

    Args:
        joint_motion: "asynchronous", "synchronous" or "fully synchronous".
        cartesian_motions: Any of "linear", "circular", "spline".
        profile: "trapezoid", "sine" or "quintic".
        clock: Interpolation cycle [s].
        top_speed: Of the tool point along Cartesian paths that name no speed [m/s]; None: 0.25.
    """

    joint_motion: JointMotion = "synchronous"
    cartesian_motions: tuple[CartesianMotion, ...] = ("linear", "circular")
    profile: SpeedProfile = "trapezoid"
    clock: float = 0.004
    top_speed: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cartesian_motions", tuple(self.cartesian_motions))
        _choice(self.joint_motion, JOINT_MOTIONS, "joint_motion")
        _choice(self.profile, PROFILES, "profile")
        for motion in self.cartesian_motions:
            _choice(motion, CARTESIAN_MOTIONS, "cartesian_motions")
        object.__setattr__(self, "clock", _positive(self.clock, "clock", "s"))
        if self.top_speed is not None:
            object.__setattr__(self, "top_speed", _positive(self.top_speed, "top_speed", "m/s"))


def _positive(value: object, element: str, unit: str) -> float:
    result = number(value, element)
    if result <= 0:
        raise DescriptionError(
            "not positive", element=element, value=result, allowed=f"above 0 {unit}"
        )
    return result


def _choice(value: str, allowed: Sequence[str], element: str) -> None:
    if value not in allowed:
        raise DescriptionError(
            "unknown choice", element=element, value=value, allowed=", ".join(allowed)
        )
