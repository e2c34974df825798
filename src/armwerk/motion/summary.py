"""What is worth knowing of a trajectory at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.limits import RATES

if TYPE_CHECKING:
    from armwerk.motion.trajectory import Notice, Trajectory


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Duration, peaks and who leads.

    Args:
        duration: [s].
        names: Of the axes.
        units: Of their positions, "rad" or "m".
        travel: From the lowest to the highest position of each axis [rad or m]. Shape (n,).
        peaks: Largest velocity, acceleration and jerk of each axis [per s, s², s³]. Shape (n, 3).
        shares: The same as shares of the limits; nan without limits. Shape (n, 3).
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
    shares: Array
    arrivals: Array
    leading: int
    notices: tuple[Notice, ...]

    def __str__(self) -> str:
        lines = [f"{self.duration:.4f} s, led by {self.names[self.leading]}"]
        for name, unit, row, share in zip(
            self.names, self.units, self.peaks, self.shares, strict=True
        ):
            parts = [
                f"{rate} {value:.4g} {unit}{per}" + ("" if np.isnan(of) else f" ({of:.0%})")
                for rate, per, value, of in zip(
                    RATES, ("/s", "/s²", "/s³"), row, share, strict=True
                )
            ]
            lines.append(f"  {name}: {', '.join(parts)}")
        return "\n".join([*lines, *(f"  {notice}" for notice in self.notices)])


def summarise(trajectory: Trajectory) -> Summary:
    """Return the summary of a trajectory."""
    limits, n = trajectory.limits, trajectory.dof
    found = trajectory.extremes()
    peaks = np.stack([found.velocity, found.acceleration, found.jerk], axis=1)
    shares = np.full((n, 3), np.nan)
    names, units = tuple(f"q{i + 1}" for i in range(n)), ("",) * n
    if limits is not None:
        names, units = limits.names, limits.units
        shares = peaks / np.stack([limits.velocity, limits.acceleration, limits.jerk], axis=1)
    arrivals = np.full(n, trajectory.duration)
    if trajectory.arrivals is not None:
        arrivals = trajectory.arrivals
        leading = int(arrivals.argmax())
    else:
        leading = _nearest_to_limits(peaks if limits is None else shares)
    return Summary(
        trajectory.duration,
        names,
        units,
        found.highest - found.lowest,
        peaks,
        shares,
        arrivals,
        leading,
        trajectory.notices,
    )


def _nearest_to_limits(shares: Array) -> int:
    """Return the axis with the highest share; of equal ones the one with the higher others."""
    order = -np.sort(-np.round(shares, 6), axis=1)
    return int(np.lexsort(order.T[::-1])[-1])
