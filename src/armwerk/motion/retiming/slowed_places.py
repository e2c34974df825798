"""What to say of the places of a run at which a joint holds the tool back."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.motion.limits import Limits
from armwerk.motion.path.stop_to_stop import RunGrid
from armwerk.motion.retiming.closed_law import TimeLaw
from armwerk.motion.retiming.path_grid import FIRST_JOINT
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.time_law import TimedLaw
from armwerk.motion.trajectory.summary import Notice

SLOWED = 0.9
"""Fraction of the speed the tool alone would allow below which a place counts as slowed."""
_TOLD = 50  # slowed places of a run that are told one by one
_WORTH = 0.01  # [s] that a slowed place must take to be worth a notice


def slowed_places(
    grid: RunGrid,
    timed: TimedLaw,
    law: TimeLaw,
    limits: Limits,
    words: Callable[[float], tuple[str, str]],
) -> list[Notice]:
    """Return a notice for every stretch on which a joint holds the tool back."""
    if not np.isfinite(timed.free).any():
        return []
    held = (
        (timed.speed < SLOWED * timed.free) & np.isfinite(timed.free) & (timed.rows >= FIRST_JOINT)
    )
    notices: list[Notice] = []
    for first, last, began, ended in _stretches(held, grid.s, _clock(law)):
        span = slice(first, last)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(timed.free[span] > 0, timed.speed[span] / timed.free[span], 1.0)
        worst = int(np.argmin(ratio)) + first
        segment, place = words(float(grid.s[worst]))
        rows = timed.rows[span]
        axis = int(np.bincount(rows[rows >= FIRST_JOINT] - FIRST_JOINT).argmax())
        text = (
            f"slowed to {100.0 * ratio.min():.0f} % of the speed the tool alone would allow "
            f"({timed.free[worst] * _tool_rate(grid, worst):.3g} m/s)"
        )
        notices.append(Notice(segment, place, limits.axis(axis), text, (began, ended)))
    return notices


def _tool_rate(grid: RunGrid, k: int) -> float:
    """Return how far the tool's point moves by the parameter; its turning where it stands."""
    along, turning = grid.between(k, k + 1).tool_sizes[0, 0]
    return float(along if along > 0.0 else turning)


class _SlowStretch(NamedTuple):
    """From where to where on a grid, and from when to when [s]."""

    first: int
    last: int
    began: float
    ended: float


def _stretches(held: Flags, s: Array, clock: tuple[Array, Array]) -> list[_SlowStretch]:
    """Return the stretches that last long enough to be told; where they are many, merged ones.

    Args:
        held: Which points of a grid belong to one. Shape (m,).
        s: Arc lengths of the grid [m]. Shape (m,).
        clock: Arc lengths and times of the law.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], held.astype(np.int8), [0]])))
    first, last = edges[::2], edges[1::2]
    began, ended = np.interp(s[first], *clock), np.interp(s[last - 1], *clock)
    long = ended - began >= _WORTH
    first, last, began, ended = first[long], last[long], began[long], ended[long]
    if len(first) > _TOLD:
        # cut where the motion runs free for the longest
        cuts = np.sort(np.argsort(began[1:] - ended[:-1])[1 - _TOLD :])
        first, began = (row[np.append(0, cuts + 1)] for row in (first, began))
        last, ended = (row[np.append(cuts, len(last) - 1)] for row in (last, ended))
    return [
        _SlowStretch(int(a), int(b), float(c), float(d))
        for a, b, c, d in zip(first, last, began, ended, strict=True)
    ]


def _clock(law: TimeLaw) -> tuple[Array, Array]:
    """Return arc lengths and times of a law, for looking up when a place is passed."""
    if isinstance(law, PathLaw):
        return law.states[:, 0], law.times[:-1]
    times = np.linspace(0.0, law.duration, 501)
    return law.evaluate(times)[:, 0], times
