"""The time law of a long run, found stretch by stretch.

What a place of a law does to another ends where braking for it begins, and a window of the mean
further. So the speeds of a run are found on stretches of some thousand points, one after the other.
Each begins a little before the one before ended, with the speeds that are known there, and ends in
a rest that is made up: as far as that is felt its speeds are forgotten again. A place that needs
many rounds costs them on its stretch alone, and slows down nothing but its surroundings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.motion.kernels.path_speeds import limit_use, lowered
from armwerk.motion.options import Profile
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.retiming.limit_check import limit_peaks, slowing
from armwerk.motion.retiming.path_grid import LawSamples, PathGrid
from armwerk.motion.retiming.path_law import PathLaw, bang_bang
from armwerk.motion.retiming.time_law import (
    AT_REST,
    DOWN,
    TimedLaw,
    ceilings,
    changed_places,
    law_samples,
    nearest_rows,
    smoothed,
    speeds_under,
    window_choices,
    without_joints,
)

LONG = 3000
"""Points of a grid from which on a run is long."""
_POINTS = 6000  # of a stretch
_LEAD = 6.0  # windows that a stretch begins before what is wanted of it
_SURE = (
    2.0  # windows behind its start, and before what its end is felt by, that it knows nothing of
)
_LEAST = 16  # points, where no jerk is limited and windows have no length
_TRIAL = 800  # points of a part that tells which window is the best
_TRIALS = 16  # parts at most
_PER_TRIAL = 5000  # points for each
_WIDER = 1.3  # from one window that is tried to the next
_AS_GOOD = 1.003  # factor by which a duration may be longer with a wider window
_NARROWEST, _WIDEST = 0.3, 4.0  # over the one that just reaches the full acceleration
_DOWNS = (DOWN,) * 8 + (1.1,) * 8 + (1.3,) * 24
"""By how much more than needed a place is slowed, round by round."""
_KEPT = 1.0 + 1e-6
_ASIDE = 1e-7  # [s] beside a border, where limits are looked at
_SAME = 1e-6  # fraction by which a speed that is known may come out lower


class _Stretch(NamedTuple):
    """What was found on a stretch.

    Args:
        speed: Before the mean is taken [m/s]. Shape (k,).
        fraction: Of the speed that limits alone would allow at first. Shape (k,).
        law: From its start on.
        sure: Up to which of its points its made-up end is not felt.
    """

    speed: Array
    fraction: Array
    law: PathLaw
    sure: int


def long_law(run: Run, grid: RunGrid, profile: Profile) -> TimedLaw:
    """Return the fastest law found for a run of many points."""
    window = _best_window(run, grid, profile)
    found = _found(run, grid, profile, window)
    law = smoothed(grid.s, found.speed**2, window, profile)
    return TimedLaw(law, found.speed, found.free, found.rows, 1.0)


def _found(
    run: Run, grid: RunGrid, profile: Profile, window: float, trial: bool = False
) -> _SpeedFinder:
    """Return what was found with a window of the mean [s], on trial only roughly."""
    finder = _SpeedFinder(run, grid, profile, window, trial)
    while finder.done < len(grid):
        finder.go_on()
    return finder


def _best_window(run: Run, grid: RunGrid, profile: Profile) -> float:
    """Return the window of the mean with which some parts of a run are driven fastest [s]."""
    count = int(np.clip(len(grid) // _PER_TRIAL, 2, _TRIALS))
    places = np.linspace(0, len(grid) - _TRIAL, count + 2).astype(int)[1:-1].tolist()
    parts = [grid.part(first, first + _TRIAL) for first in places]
    usual = float(np.median([window_choices(part.whole(), profile)[0] for part in parts]))
    if usual <= 0.0:
        return usual

    def duration(factor: float) -> float:
        total = 0.0
        for part in parts:
            found = _found(run, part, profile, factor * usual, trial=True)
            total += bang_bang(part.s, found.speed**2).duration + factor * usual
        return total

    # a wide one has few places that need many rounds, and one that is too narrow is slow
    least, best = duration(1.0), 1.0
    for step in (_WIDER, 1.0 / _WIDER):
        while best == 1.0 or (best > 1.0) == (step > 1.0):
            tried = duration(best * step)
            if tried > least * (_AS_GOOD if step > 1.0 else 1.0 / _AS_GOOD):
                break
            least, best = min(least, tried), best * step
            if not _NARROWEST < best < _WIDEST:
                break
    return best * usual


def _from_zero(part: PathGrid) -> PathGrid:
    """Return a stretch of a grid with arc lengths that begin at 0."""
    return part._replace(s=part.s - part.s[0])


class _SpeedFinder:
    """Finds the speeds of a run, from its start on.

    Attributes:
        done: How many points have their speed.
        speed: Before the mean is taken [m/s]. Shape (m,).
        free: The same without the limits of the joints [m/s]. Shape (m,).
        rows: Which row is nearest to its limit. Shape (m,).
    """

    def __init__(
        self, run: Run, grid: RunGrid, profile: Profile, window: float, trial: bool
    ) -> None:
        self._run, self._grid, self._trial = run, grid, trial
        self._profile, self._window = profile, window
        self._fraction = np.ones(len(grid))
        self.done = 0
        self.speed, self.free = np.zeros(len(grid)), np.zeros(len(grid))
        self.rows: Integers = np.zeros(len(grid), dtype=np.int64)

    def go_on(self) -> None:
        """Find the speeds of some thousand points more."""
        lead, size = _LEAD, _POINTS
        while True:
            first = self._before(lead * self._window)
            last = min(self.done + size, len(self._grid))
            part = self._grid.between(first, last)
            found = self._solved(part, first, last == len(self._grid))
            if self._disturbed(found, first):
                lead *= 4.0  # what was found ahead has to be braked for even before
            elif found.sure + first <= self.done + size // 4 and last < len(self._grid):
                size *= 4
            else:
                break
        keep = found.sure
        self.speed[first : first + keep] = found.speed[:keep]
        self._fraction[first : first + keep] = found.fraction[:keep]
        rests = (first == 0, last == len(self._grid))
        new = slice(self.done - first, keep)
        self.free[self.done : first + keep] = without_joints(part, rests)[new]
        self.rows[self.done : first + keep] = nearest_rows(_from_zero(part), found.law)[new]
        self.done = first + keep

    def _before(self, time: float) -> int:
        """Return the point at which the tool is some time before those whose speed is open."""
        if self.done == 0:
            return 0
        count = _LEAST
        while True:
            first = max(self.done - count, 0)
            ways = np.diff(self._grid.s[first : self.done])
            speeds = self.speed[first : self.done]
            with np.errstate(divide="ignore", invalid="ignore"):
                steps = np.where(ways > 0.0, 2.0 * ways / (speeds[1:] + speeds[:-1]), 0.0)
            if first == 0 or steps.sum() >= time:
                return first
            count *= 2

    def _disturbed(self, found: _Stretch, first: int) -> bool:
        """Return whether speeds at the start of a stretch are not those that are known."""
        if first == 0:
            return False
        known = self.speed[first : self.done]
        lower = np.flatnonzero(found.speed[: len(known)] < known * (1.0 - _SAME))
        return len(lower) > 0 and bool(lower[0] < self._start(found.law, self._grid.s[first:]))

    def _start(self, law: PathLaw, s: Array) -> int:
        """Return the first point of a stretch that its law is told of exactly."""
        at = law.evaluate(np.array([(_SURE + 0.5) * self._window]))[0, 0]
        return int(np.searchsorted(s - s[0], at))

    def _solved(self, part: PathGrid, first: int, is_last: bool) -> _Stretch:
        """Return the speeds of a stretch that keep its limits, as far as rounds can tell."""
        start, part = float(self._grid.s[first]), _from_zero(part)
        known = self.speed[first : self.done] if self.done else AT_REST
        fraction = np.ones(len(part.s))
        fraction[: len(known)] = self._fraction[first : first + len(known)]
        ceiling, borders = ceilings(part), part.borders
        looked: Array | None = None
        proved: Array | None = None
        sure = felt = len(part.s) - 1
        first_fraction, count = fraction[: len(known)].copy(), len(known)
        for down in _DOWNS:
            # what is known may turn out too fast for what comes behind it
            lower = known * (fraction[:count] / first_fraction)
            squares = speeds_under(part, ceiling, fraction, self._window, self._profile, lower)
            law = smoothed(part.s, squares, self._window, self._profile)
            speed = np.sqrt(squares)
            if looked is None and not is_last:
                # without the rest at its end a stretch is faster from where that is felt on
                freely = speeds_under(
                    part, ceiling, fraction, self._window, self._profile, lower, ends=False
                )
                felt = int(np.argmax(np.append(squares < freely * (1.0 - _SAME), True)))
                felt = min(felt, len(squares) - 1)
            inside = self._inside(law, part.s, first, felt)
            at = law_samples(law, borders, part.s, self._changed(part.s, looked, speed))
            at = LawSamples(*(row[inside(at.s)] for row in at))
            looked, used = speed, limit_use(part, at).used
            if slowing(used) <= _KEPT:
                if self._trial:
                    break
                times = _exact_times(law, part.s, borders)
                place = law.evaluate(times)[:, 0]
                changed = self._changed(part.s, proved, speed)
                near = np.searchsorted(part.s, place).clip(1, len(part.s) - 1)
                times = times[inside(place) & (changed[near] | changed[near - 1])]
                states, used = limit_peaks(self._run, law, times, part, start)
                at = LawSamples(*(np.ascontiguousarray(row) for row in states.T))
                proved = speed
                if slowing(used) <= _KEPT:
                    break
            fraction = lowered(part.s, fraction, at, used, 0.5 * self._window, down)
        if not is_last:
            sure = min(self._sooner(law, part.s, felt), felt - _LEAST)
        return _Stretch(speed, fraction, law, len(part.s) if is_last else sure)

    def _changed(self, s: Array, before: Array | None, speed: Array) -> Flags:
        """Return about which points a law may differ from one looked at before. Shape (m,)."""
        if before is None:
            return np.ones(len(s), dtype=bool)
        return changed_places(s, before, speed, self._window)

    def _inside(self, law: PathLaw, s: Array, first: int, felt: int) -> Callable[[Array], Flags]:
        """Return what tells the places of a stretch at which its law is that of the run."""
        low = 0.0 if first == 0 else float(s[self._start(law, s)])
        high = float(s[felt])
        return lambda place: np.asarray((place >= low) & (place <= high))

    def _sooner(self, law: PathLaw, s: Array, point: int) -> int:
        """Return the point that is passed some windows before another."""
        when = law.when(s[point : point + 1]) - 2.0 * _SURE * self._window
        return int(np.searchsorted(s, law.evaluate(when)[0, 0]))


def _exact_times(law: PathLaw, s: Array, borders: Array) -> Array:
    """Return the times at which a law is held against limits exactly [s]. Shape (k,)."""
    crossed = law.when(borders)
    times = [
        law.times,
        law.when(0.5 * (s[1:] + s[:-1])),
        crossed - _ASIDE,
        crossed + _ASIDE,
    ]
    return np.sort(np.concatenate(times))
