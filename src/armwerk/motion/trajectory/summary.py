"""What is worth knowing of a trajectory at a glance, and what the planner has to say about it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.assumed import is_hushed
from armwerk.motion.limits import RATES, Limits
from armwerk.motion.pieces.piece import Extremes


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the planner did that was not asked for in so many words.

    Args:
        segment: Which segment ("segment 2 'lin'"); empty: the whole motion.
        place: Where ("at 0.12 m of 0.30 m", "at 0.61 s"); empty: not at one place.
        axis: Which joint; empty: no single one.
        text: What was done, with numbers and units.
        span: From when to when it holds [s], from the start of the motion; None: not at a time.
    """

    segment: str
    place: str
    axis: str
    text: str
    span: tuple[float, float] | None = None

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.segment, self.place, self.axis) if part)
        when = "" if self.span is None else f", from {self.span[0]:.3g} to {self.span[1]:.3g} s"
        text = f"{self.text}{when}"
        return f"{where}: {text}" if where else text


def later(notice: Notice, began: float) -> Notice:
    """Return a notice with its times counted from the start of the whole motion."""
    span = notice.span and (notice.span[0] + began, notice.span[1] + began)
    return replace(notice, span=span)


def assumed_notices(limits: Limits) -> tuple[Notice, ...]:
    """Return a notice of what limits assume; none when nothing is, or nobody wants to hear it."""
    return (Notice("", "", "", limits.assumed),) if limits.assumed and not is_hushed() else ()


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Duration, peaks and who leads.

    Args:
        duration: [s].
        names: Of the axes.
        units: Of their positions, "rad" or "m".
        travel: From the lowest to the highest position of each axis [rad or m]. Shape (n,).
        peaks: Largest velocity, acceleration and jerk of each axis [per s, s², s³]. Shape (n, 3).
        fractions: The same as fractions of the limits; nan without limits. Shape (n, 3).
        arrivals: When each axis is there [s]. Shape (n,).
        leading: The axis that decides the duration: the last to arrive, or, when all arrive
            together, the one that comes nearest to its limits.
        notices: What the planner has to say.
    """

    duration: float
    names: tuple[str, ...]
    units: tuple[str, ...]
    travel: Array
    peaks: Array
    fractions: Array
    arrivals: Array
    leading: int
    notices: tuple[Notice, ...]

    @property
    def shares(self) -> Array:
        """Earlier name of `fractions`."""
        return self.fractions

    def __str__(self) -> str:
        lines = [f"{self.duration:.4f} s, led by {self.names[self.leading]}"]
        for name, unit, row, fraction in zip(
            self.names, self.units, self.peaks, self.fractions, strict=True
        ):
            parts = [
                f"{rate} {value:.4g} {unit}{per}" + ("" if np.isnan(of) else f" ({of:.0%})")
                for rate, per, value, of in zip(
                    RATES, ("/s", "/s²", "/s³"), row, fraction, strict=True
                )
            ]
            lines.append(f"  {name}: {', '.join(parts)}")
        return "\n".join([*lines, *(f"  {notice}" for notice in self.notices)])


def summarise(
    duration: float,
    found: Extremes,
    limits: Limits | None,
    arrivals: Array | None,
    notices: tuple[Notice, ...],
) -> Summary:
    """Return the summary of a trajectory.

    Args:
        duration: [s].
        found: The largest values that occur.
        limits: Of the axes; None: not known.
        arrivals: When each axis is there [s]. Shape (n,). None: all at the end.
        notices: What the planner has to say.
    """
    n = len(found.velocity)
    peaks = np.stack([found.velocity, found.acceleration, found.jerk], axis=1)
    fractions = np.full((n, 3), np.nan)
    names, units = tuple(f"q{i + 1}" for i in range(n)), ("",) * n
    if limits is not None:
        names, units = limits.names, limits.units
        fractions = peaks / np.stack([limits.velocity, limits.acceleration, limits.jerk], axis=1)
    if arrivals is not None:
        leading = int(arrivals.argmax())
    else:
        arrivals = np.full(n, duration)
        leading = _nearest_to_limits(peaks if limits is None else fractions)
    return Summary(
        duration,
        names,
        units,
        found.highest - found.lowest,
        peaks,
        fractions,
        arrivals,
        leading,
        notices,
    )


def _nearest_to_limits(fractions: Array) -> int:
    """Return the axis with the highest fraction; of equal ones the one with the higher others."""
    order = -np.sort(-np.round(fractions, 6), axis=1)
    return int(np.lexsort(order.T[::-1])[-1])
