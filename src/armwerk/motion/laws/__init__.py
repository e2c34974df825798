"""Laws: how one parameter runs from 0 to a length in time.

`trapezoid` (jerk-limited, up to seven phases), `sine` (sin² acceleration) and `quintic` plan one
parameter with start and end speeds within limits, in the least time or in a wished one. Joint
motions and Cartesian paths run on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.laws.families import AxisTask, axes_of
from armwerk.motion.options import PROFILES, Profile
from armwerk.motion.pieces.piece import TrajectoryPiece

__all__ = ["LAWS", "Law", "law", "quintic", "sine", "trapezoid"]

_SAME = 1e-9  # durations nearer than this, relatively, count as met


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """One parameter s in time, from 0 to its length.

    Args:
        piece: A piece with one axis.
    """

    piece: TrajectoryPiece

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.piece.duration

    def evaluate(self, times: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Return s and its first three derivatives at times [s].

        Args:
            times: A number, or shape (m,); outside of the motion the nearest end holds.

        Returns:
            s, sd, sdd, sddd. Each of shape (m,), or () for a number.
        """
        given = np.asarray(times, dtype=np.float64)
        inside = np.clip(np.atleast_1d(given), 0.0, self.duration)
        s, sd, sdd, sddd = (values[:, 0] for values in self.piece.evaluate(inside))
        if given.ndim == 0:
            return s[0], sd[0], sdd[0], sddd[0]
        return s, sd, sdd, sddd


class LawMaker(Protocol):
    """What plans one law."""

    def __call__(
        self,
        length: float,
        velocity: float,
        acceleration: float,
        jerk: float,
        start: float = 0.0,
        end: float = 0.0,
        duration: float | None = None,
    ) -> Law:
        """Return the law; see `law`."""
        ...


def law(
    profile: Profile,
    length: float,
    velocity: float,
    acceleration: float,
    jerk: float,
    start: float = 0.0,
    end: float = 0.0,
    duration: float | None = None,
) -> Law:
    """Return the quickest law from 0 to ``length`` within limits.

    Args:
        profile: "trapezoid", "sine" or "quintic".
        length: Where s ends; may be negative [m, rad or whatever s is counted in].
        velocity: Largest |sd|.
        acceleration: Largest |sdd|.
        jerk: Largest |sddd|.
        start: sd at the start, at most ``velocity`` in size.
        end: sd at the end, likewise.
        duration: Wished duration [s]; None: the least.

    Raises:
        MotionError: For limits not above 0, a speed beyond them, or an impossible duration.
    """
    if profile not in PROFILES:
        raise MotionError(f"no profile is called {profile!r} (known: {', '.join(PROFILES)})")
    _check(length, velocity, acceleration, jerk, start, end, duration)
    axes = axes_of(profile, [AxisTask(length, start, end, velocity, acceleration, jerk)])
    axis = axes.each[0]
    time = axis.next_duration(0.0 if duration is None else duration)
    if duration is not None and time > duration * (1.0 + _SAME):
        minimum = axis.next_duration(0.0)
        reason = "shorter than" if duration < minimum else "in a gap behind"
        text = f"a duration of {duration:.9g} s is {reason} the shortest possible, {minimum:.9g} s"
        raise MotionError(text if time == minimum else f"{text}; the next possible is {time:.9g} s")
    times = [time if duration is None else duration]
    return Law(axes.piece(np.zeros(1), np.array([start]), times))


def _check(
    length: float,
    velocity: float,
    acceleration: float,
    jerk: float,
    start: float,
    end: float,
    duration: float | None,
) -> None:
    for name, value in (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk)):
        if not (isfinite(value) and value > 0.0):
            raise MotionError(f"the limit of {name} must be finite and above 0, got {value!r}")
    if not isfinite(length):
        raise MotionError(f"the length must be finite, got {length!r}")
    for name, value in (("start", start), ("end", end)):
        if not abs(value) <= velocity * (1.0 + 1e-12):
            raise MotionError(f"the {name} speed {value:g} is beyond the limit {velocity:g}")
    if duration is not None and not (isfinite(duration) and duration >= 0.0):
        raise MotionError(f"the duration must be finite and not negative, got {duration!r} s")


def _named(profile: Profile) -> LawMaker:
    def make(
        length: float,
        velocity: float,
        acceleration: float,
        jerk: float,
        start: float = 0.0,
        end: float = 0.0,
        duration: float | None = None,
    ) -> Law:
        return law(profile, length, velocity, acceleration, jerk, start, end, duration)

    make.__doc__ = f"Return the quickest {profile} law from 0 to a length; see `law`."
    return make


trapezoid = _named("trapezoid")
sine = _named("sine")
quintic = _named("quintic")
LAWS: dict[Profile, LawMaker] = {"trapezoid": trapezoid, "sine": sine, "quintic": quintic}
