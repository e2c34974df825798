"""A finished law held against all limits, exactly, at very many times."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.kernels.cell_use import largest_use
from armwerk.motion.kernels.path_speeds import exact_use
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.retiming.closed_law import ClosedLaw, TimeLaw
from armwerk.motion.retiming.path_grid import LawSamples, PathGrid
from armwerk.motion.retiming.path_law import PathLaw

MARGIN = 1e-9
"""Of a limit by which it may be passed."""
_FINE = 0.003  # [s] between the times at which a finished law is checked
_NEAR = np.geomspace(1e-7, _FINE, 6)  # [s] beside a border
_MAX_CHECKS = 20_000
_WITHIN = (1e-6, 0.25, 0.5, 0.75)  # of a cell of the grid, where a finished law is checked too
_MIN_CHECKS = 200
_CLOSER = 2  # times that peaks are looked at more closely
_SAME_PLACE = 1e-14  # of an arc length
_FLAT = 1e-5  # of a limit by which a peak must stand out
_QUARTERS = (0.25, 0.5, 0.75)
BLOCK = 20_000
"""Times that are checked at once."""


class LimitExcess(NamedTuple):
    """Where a finished law passes its limits.

    Args:
        factor: By which it must be slowed to keep all of them; at most 1 if it does.
        s: Places where one is passed [m]. Shape (k,).
        used: Fractions of the limits of velocity, acceleration, jerk there. Shape (k, 3).
    """

    factor: float
    s: Array
    used: Array


def limit_excess(
    run: Run, law: TimeLaw, grid: RunGrid, cycle: float | None, at_knots: bool = False
) -> LimitExcess:
    """Return where a law passes limits, and by how much.

    Args:
        run: What is driven.
        law: By which.
        grid: Of the run, with the limits.
        cycle: At which it will be sampled [s]; None: not known.
        at_knots: Whether the knots of the law are looked at, however many there are.
    """
    times = check_times(law, grid.s, cycle, at_knots)
    worst, places, uses = 0.0, [], []
    for block in np.array_split(times, max(1, len(times) // BLOCK)):
        s = law.evaluate(block[[0, -1]])[:, 0]
        first = max(int(np.searchsorted(grid.s, s[0], "left")) - 1, 0)
        last = int(np.searchsorted(grid.s, s[-1], "right")) + 1
        part = grid.between(first, min(last, len(grid)))
        states, used = limit_peaks(run, law, block, part)
        s = states[:, 0]
        worst = max(worst, slowing(used))
        over = np.flatnonzero(reduce(np.maximum, used.T) > 1.0 + MARGIN)
        places.append(s[over])
        uses.append(used[over])
    return LimitExcess(worst, np.concatenate(places), np.concatenate(uses))


def slowing(used: Array) -> float:
    """Return by what factor a law must be slowed that uses fractions (k, 3) of its limits."""
    if not len(used):
        return 0.0
    # column by column: numpy takes forty times as long for all three at once
    largest = np.array([column.max() for column in used.T])
    return float((largest ** (1.0 / np.arange(1, 4))).max())


def limit_peaks(
    run: Run, law: TimeLaw, times: Array, grid: PathGrid, start: float = 0.0
) -> tuple[Array, Array]:
    """Return the states of a law at times and at peaks between them, and what they use of limits.

    Args:
        run: What is driven.
        law: By which.
        times: Rising [s]. Shape (m,).
        grid: Of the stretch that they lie in, with the limits.
        start: Arc length of the run at which those of grid and law begin [m].

    Returns:
        Shapes (k, 4) and (k, 3), first those of the times themselves.
    """
    states = law.evaluate(times)
    before = _jerks_before(law, times, states, grid.s) if isinstance(law, PathLaw) else None
    used = limit_fractions(run, states, grid, start, before)
    every, uses = [states], [used]
    for _ in range(_CLOSER):
        top = reduce(np.maximum, used.T)
        before, here, behind = top[:-2], top[1:-1], top[2:]
        drop = here - np.minimum(before, behind)
        # a peak of a parabola is above its highest sample by an eighth of the drop at most
        peak = np.flatnonzero(
            (here >= before) & (here >= behind) & (drop > _FLAT) & (here + 0.5 * drop > 1.0)
        )
        if not len(peak):
            break
        # what lies between a peak and its neighbours, each with its own on both sides
        low, middle, high = times[peak, None], times[peak + 1, None], times[peak + 2, None]
        between = [low + x * (middle - low) for x in _QUARTERS]
        between += [middle] + [middle + x * (high - middle) for x in _QUARTERS]
        times = np.concatenate(between, axis=1).ravel()
        states = law.evaluate(times)
        used = limit_fractions(run, states, grid, start)
        every.append(states)
        uses.append(used)
    return np.concatenate(every), np.concatenate(uses)


def use_by_cells(run: Run, law: PathLaw, times: Array, grid: PathGrid, ends: Array) -> Array:
    """Return what a law uses of limits in cells, velocity to jerk, at least 1. Shape (k, 3).

    Args:
        run: What is driven.
        law: By which.
        times: At which it is looked at, its knots among them, rising [s]. Shape (m,).
        grid: Of the stretch that they lie in, with the limits.
        ends: Arc lengths at which cells begin, and the end of the last [m]. Shape (k + 1,).
    """
    states = law.evaluate(times)
    before = _jerks_before(law, times, states, grid.s)
    x, t = run.evaluate(states[:, 0])
    samples = LawSamples(*(np.ascontiguousarray(row) for row in states.T))
    used = exact_use(grid, samples, x, t)
    used_before = exact_use(grid, samples._replace(jerk=before), x, t)[:, 2]
    used[:, 2] = np.maximum(used[:, 2], used_before)
    return largest_use(samples.s, used, ends)


def _jerks_before(law: PathLaw, times: Array, states: Array, s: Array) -> Array:
    """Return the jerks just before times. Shape (m,).

    Args:
        law: What is looked at.
        times: [s]. Shape (m,).
        states: Of the law at these times. Shape (m, 4).
        s: Arc lengths of the grid, borders twice [m]. Shape (k,).
    """
    before = law.jerks_before(times)
    borders = s[:-1][np.diff(s) <= 0.0]
    if len(borders):
        # where rates jump too, those behind do not go with it; a time before is looked at there
        k, place = np.searchsorted(borders, states[:, 0]), states[:, 0]
        apart = np.minimum(
            np.abs(borders[k.clip(0, len(borders) - 1)] - place),
            np.abs(borders[(k - 1).clip(0, len(borders) - 1)] - place),
        )
        before = np.where(apart <= _SAME_PLACE * s[-1], states[:, 3], before)
    return np.ascontiguousarray(before)


def limit_fractions(
    run: Run,
    states: Array,
    grid: PathGrid,
    start: float = 0.0,
    jerks_before: Array | None = None,
) -> Array:
    """Return what a law uses of the limits of velocity, acceleration and jerk. Shape (m, 3).

    Args:
        run: What is driven.
        states: Arc length, speed, acceleration, jerk of the law. Shape (m, 4).
        grid: Of the stretch that they lie in, with the limits.
        start: Arc length of the run at which those of grid and law begin [m].
        jerks_before: Of the law, where it jumps there: the larger use counts. Shape (m,).
    """
    x, t = run.evaluate(states[:, 0] + start)
    samples = LawSamples(*(np.ascontiguousarray(row) for row in states.T))
    used = exact_use(grid, samples, x, t)
    if jerks_before is not None:
        before = exact_use(grid, samples._replace(jerk=jerks_before), x, t)
        np.maximum(used[:, 2], before[:, 2], out=used[:, 2])
    return used


def check_times(law: TimeLaw, s: Array, cycle: float | None, at_knots: bool = False) -> Array:
    """Return even times, knots of the law, what is between, both sides of every border. (m,).

    A long law, whose knots lie close to each other, is looked at in the middle of every cell of
    the grid instead, where what was interpolated there is furthest off.

    Args:
        law: What is looked at.
        s: Arc lengths of the grid, borders twice [m]. Shape (m,).
        cycle: At which it will be sampled [s]; None: not known.
        at_knots: Whether knots count however many there are.
    """
    most = max(_MAX_CHECKS, 2 * len(s))
    count = int(np.clip(law.duration / _FINE, _MIN_CHECKS, most))
    times = [np.linspace(0.0, law.duration, count + 1)]
    near = _NEAR
    if isinstance(law, PathLaw) and (at_knots or len(law.times) < _MAX_CHECKS):
        # peaks may be narrower than a piece
        times += [law.times, law.middles()]
        times.append(law.when(_within_cells(s)))
    elif isinstance(law, ClosedLaw):
        times.append(law.about_when(_within_cells(s)))
    elif isinstance(law, PathLaw):
        times.append(law.when(0.5 * (s[1:] + s[:-1])))
        near = near[:1]
    if cycle is not None:
        times.append(np.arange(0.0, law.duration, cycle))
    borders = s[:-1][np.diff(s) <= 0.0]
    if len(borders) and isinstance(law, PathLaw):
        crossed = law.when(borders)
        times += [crossed + side * gap for gap in near for side in (-1.0, 1.0)]
    merged = np.unique(np.concatenate(times))
    return np.asarray(merged[(merged >= 0.0) & (merged <= law.duration)])


def knot_times(law: PathLaw, s: Array) -> Array:
    """Return knots of a law and when points of the grid are passed. Shape (m,) [s].

    Borders are looked at on both sides.

    Args:
        law: With knots about as close to each other as the points of the grid.
        s: Arc lengths of the grid, borders twice [m]. Shape (k,).
    """
    crossed = law.when(s[:-1][np.diff(s) <= 0.0])
    near = [crossed - _NEAR[0], crossed + _NEAR[0]]
    times = np.sort(np.concatenate([law.times, law.when(s), *near]))
    return np.asarray(times[(times >= 0.0) & (times <= law.duration)])


def _within_cells(s: Array) -> Array:
    """Return places within the cells of a grid, the same ones of each [m]. Shape (k,)."""
    low, high = s[:-1], s[1:]
    return np.concatenate([low + x * (high - low) for x in _WITHIN])
