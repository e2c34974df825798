"""A run gets its time law: chosen, checked exactly, and slowed where a limit is passed.

What comes out is the piece of a trajectory that follows the path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.errors import MotionError
from armwerk.motion.laws import Law, law as closed_law
from armwerk.motion.limits import RATES, Limits
from armwerk.motion.options import Profile
from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.pieces.piece import Extremes, Samples, extremes_of_samples
from armwerk.motion.retiming.drive_loads import DriveLoads
from armwerk.motion.retiming.path_grid import ACCELERATION, FIRST_JOINT, PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import LONGEST, quickest_law
from armwerk.motion.retiming.time_law import TimedLaw, time_law
from armwerk.motion.trajectory.summary import Notice

SLOWED = 0.9
"""Fraction of the speed the tool alone would allow below which a place counts as slowed."""
_FINE = 0.003  # [s] between the times at which a finished piece is checked
_MAX_CHECKS = 20_000
_WITHIN = (1e-6, 0.25, 0.5, 0.75)  # of a cell of the grid, where a finished piece is checked too
_MIN_CHECKS = 200
_MARGIN = 1e-9
_BETWEEN = 1.0 + 5e-4  # for what may lie between the times of the check
_BLOCK = 20_000  # times that are checked at once
_MENDS = 2  # times that places passed too fast get lower limits of their own
_LITTLE = 1.06  # factor by which a run may as well be slowed as a whole
_DOWN = 0.99  # by how much more than needed limits are lowered
_AROUND = 16  # points of a grid about a place that get lower limits with it
_TOLD = 50  # slowed places of a run that are told one by one
_EVEN = 1e-6
_WHOLE = 1.1  # by which a run must be slowed as a whole to be worth a notice
_WORTH = 0.01  # [s] that a slowed place must take to be worth a notice


class TimeLaw(Protocol):
    """Arc length by time."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        ...

    def evaluate(self, times: Array) -> Array:
        """Return s, speed, acceleration, jerk. Shape (m, 4)."""
        ...

    def slowed(self, factor: float) -> TimeLaw:
        """Return the same motion taking ``factor`` times as long."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PathPiece:
    """Joint values along a run under a time law.

    Velocity, acceleration and jerk are derivatives of the joint values at every time, and the tool
    is on its curve between any two samples.

    Args:
        run: Joint values by arc length.
        law: Arc length by time.
    """

    run: Run
    law: TimeLaw

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.law.duration

    @property
    def dof(self) -> int:
        """Number of axes."""
        return self.run.dof

    def evaluate(self, times: Array) -> Samples:
        """Return position, velocity, acceleration and jerk of the joints. Each (m, n)."""
        s, v, a, j = self.law.evaluate(np.asarray(times, dtype=np.float64)).T
        x = self.run.joints(s)
        return Samples(x[:, 0], *_by_time(x[:, 1:], v[:, None], a[:, None], j[:, None]))

    def states(self, times: Array) -> tuple[Samples, Array]:
        """Return the joints' motion, and the tool's.

        Returns:
            Samples of shape (m, n), and velocity, acceleration, jerk of the tool as (v, w) in
            the world, shape (m, 3, 6); zeros where a segment runs in joint space.
        """
        s, v, a, j = self.law.evaluate(np.asarray(times, dtype=np.float64)).T
        x, t = self.run.evaluate(s)
        v, a, j = v[:, None], a[:, None], j[:, None]
        joints = Samples(x[:, 0], *_by_time(x[:, 1:], v, a, j))
        return joints, np.stack(_by_time(t, v, a, j), axis=1)

    def extremes(self) -> Extremes:
        """Return the largest values at a thousand even times."""
        return extremes_of_samples(self)


def _by_time(x: Array, v: Array, a: Array, j: Array) -> tuple[Array, Array, Array]:
    """Return first to third derivative by time from those by arc length (m, 3, k)."""
    one, two, three = x[:, 0], x[:, 1], x[:, 2]
    return (
        one * v,
        one * a + two * v * v,
        one * j + 3.0 * two * v * a + three * v**3,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClosedLaw:
    """A law of `armwerk.motion.laws` as the law of a path.

    Args:
        law: From rest to rest.
        length: Its length.
        stretch: How many times slower than planned it runs.
    """

    law: Law
    length: float
    stretch: float = 1.0

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.law.duration * self.stretch

    def evaluate(self, times: Array) -> Array:
        """Return s, speed, acceleration, jerk. Shape (m, 4)."""
        out = np.stack(self.law.evaluate(times / self.stretch), axis=1)
        out /= self.stretch ** np.arange(4)
        out[:, 0] = np.clip(out[:, 0], 0.0, self.length)
        return out

    def slowed(self, factor: float) -> ClosedLaw:
        """Return the same motion taking ``factor`` times as long."""
        return ClosedLaw(self.law, self.length, self.stretch * factor)


class Quickness(NamedTuple):
    """How quick a motion is to be.

    Attributes:
        optimal: Whether the least time is looked for, at some cost of computing.
        drives: What the drives can do, in place of the joints' limits of acceleration; None: these.
    """

    optimal: bool = False
    drives: DriveLoads | None = None


USUAL = Quickness()
"""A law within all limits that costs little computing."""


def time_run(
    run: Run,
    profile: Profile,
    limits: Limits,
    words: Callable[[float], tuple[str, str]],
    cycle: float | None,
    wish: Quickness = USUAL,
) -> tuple[PathPiece, list[Notice]]:
    """Return the piece of a run that keeps every limit, and where it was slowed down.

    Times in the notices count from the start of the run.
    """
    joints = np.stack([getattr(limits, rate) for rate in RATES])
    grid = run.grid(joints)
    if not np.isfinite(grid.joints).all():
        raise MotionError("the joints' rates are not finite", segment=words(0.0)[0])
    even = _even_law(grid, profile)
    if wish.drives is not None:
        _refuse_overloads(wish.drives, grid, words)
    if even is not None:
        # quicker than this one none is within the tool's limits, so if it keeps those of the
        # joints too no other needs to be looked for
        piece = PathPiece(run, even)
        excess = _excess(piece, grid, cycle).factor
        if wish.drives is not None:
            excess = max(excess, _overload(wish.drives, piece, grid, cycle))
        if excess <= 1.0 + _MARGIN:
            return piece, []
    timed, excess = _mended(run, grid, profile, time_law(grid, profile), cycle)
    # slowed by this factor, all that was found keeps its limit: it scales with time
    excess = max(excess * _BETWEEN, 1.0)
    piece = PathPiece(run, timed.law.slowed(excess))
    stretch = timed.slowed * excess
    if wish.optimal or wish.drives is not None:
        quick = _quickest(run, grid, timed.law, cycle, wish.drives)
        if quick is None and wish.drives is not None:
            text = "no motion within what the drives can do was found"
            if len(grid.s) > LONGEST:
                text = _too_long(grid)
            raise MotionError(f"{text}; plan with drives=False", segment=words(0.0)[0])
        if quick is not None and (quick.duration < piece.duration or wish.drives is not None):
            piece, stretch = PathPiece(run, quick), 1.0
            driven = np.interp(grid.s, quick.states[:, 0], quick.states[:, 1])
            timed = timed._replace(speed=np.maximum(timed.speed, driven))
    notices = _slowed_places(grid, timed, piece, limits, words)
    if wish.optimal and len(grid.s) > LONGEST:
        notices.append(Notice(words(0.0)[0], "", "", f"{_too_long(grid)}: timed as usual"))
    if stretch > _WHOLE:
        text = (
            f"the whole motion up to the next stop slowed to {100.0 / stretch:.0f} % of its speed"
        )
        notices.append(Notice(words(0.0)[0], "", "", text))
    return piece, notices


def _quickest(
    run: Run, grid: PathGrid, law: PathLaw, cycle: float | None, drives: DriveLoads | None
) -> PathLaw | None:
    """Return the law of least time that keeps every limit; None where none was found."""
    found = quickest_law(run, grid, law, drives)
    if found is None or not np.isfinite(found.states).all():
        return None
    piece = PathPiece(run, found)
    if drives is not None:
        limits = grid.joint_limits.copy()
        limits[:, ACCELERATION] = np.inf
        grid = grid._replace(joint_limits=limits)
    excess = _excess(piece, grid, cycle).factor
    if drives is not None:
        excess = max(excess, _overload(drives, piece, grid, cycle))
    if not np.isfinite(excess):
        return None
    return found.slowed(max(excess * _BETWEEN, 1.0))


def _too_long(grid: PathGrid) -> str:
    """Return why no law of least time was looked for."""
    return (
        f"the stretch up to the next stop has {len(grid.s)} points, too many to look for the least "
        f"time (at most {LONGEST})"
    )


def _overload(drives: DriveLoads, piece: PathPiece, grid: PathGrid, cycle: float | None) -> float:
    """Return by what factor a piece must be slowed for its drives; at most 1: not at all."""
    times = _check_times(piece, grid, cycle)
    blocks = np.array_split(times, max(1, len(times) // _BLOCK))
    return max(drives.excess(piece.evaluate(block)) for block in blocks)


def _refuse_overloads(
    drives: DriveLoads, grid: PathGrid, words: Callable[[float], tuple[str, str]]
) -> None:
    """Refuse a run with places that the drives cannot hold, whatever the speed."""
    load = np.abs(drives.along(grid.joints[:, 0], grid.joints[:, 1], grid.joints[:, 2])[:, 2])
    worst = int(load.max(axis=1).argmax())
    q, one = grid.joints[worst, 0], grid.joints[worst, 1]
    drives.refuse_overload(q, one, words(float(grid.s[worst])))


def _even_law(grid: PathGrid, profile: Profile) -> ClosedLaw | None:
    """Return the profile's own law where the tool's limits are the same all along."""
    limits, sizes = grid.tool_limits, grid.tool_sizes
    for values in (limits.reshape(len(limits), -1), sizes[:, 0]):
        with np.errstate(invalid="ignore"):
            if (
                not (np.abs(values - values[0]) <= _EVEN * np.abs(values[0])).all()
                and not (values == values[0]).all()
            ):
                return None
    if not np.isfinite(limits[0]).all() or sizes[:, 1:].max() > _EVEN:
        return None
    with np.errstate(divide="ignore"):
        v, a, j = (float((limits[0, k] / sizes[0, 0]).min()) for k in range(3))
    if not np.isfinite([v, a, j]).all():
        return None
    length = float(grid.s[-1])
    return ClosedLaw(closed_law(profile, length, v, a, j), length)


class LimitExcess(NamedTuple):
    """Where a finished piece passes its limits.

    Args:
        factor: By which it must be slowed to keep all of them; at most 1 if it does.
        s: Places where one is passed [m]. Shape (k,).
        used: Fractions of the limits of velocity, acceleration, jerk there. Shape (k, 3).
    """

    factor: float
    s: Array
    used: Array


def _mended(
    run: Run, grid: PathGrid, profile: Profile, timed: TimedLaw, cycle: float | None
) -> tuple[TimedLaw, float]:
    """Return the law, and by what factor it must be slowed as a whole.

    A place that is passed too fast by more than a little gets lower limits of its own, so that it
    does not slow down all the rest.
    """
    found = _excess(PathPiece(run, timed.law), grid, cycle)
    best, tight = (timed, found.factor), grid
    for _ in range(_MENDS):
        if found.factor <= _LITTLE:
            break
        tight = _tightened(tight, found)
        timed = time_law(tight, profile)
        found = _excess(PathPiece(run, timed.law), grid, cycle)
        if timed.law.duration * max(found.factor, 1.0) < best[0].law.duration * max(best[1], 1.0):
            best = (timed, found.factor)
    return best


def _tightened(grid: PathGrid, found: LimitExcess) -> PathGrid:
    """Return the grid with limits lowered at the places where they are passed."""
    slower = (found.used ** (1.0 / np.arange(1, 4))).max(axis=1) / _DOWN
    factor = np.ones(len(grid.s))
    after = np.searchsorted(grid.s, found.s)
    for around in range(-_AROUND, _AROUND):
        np.maximum.at(factor, np.clip(after + around, 0, len(factor) - 1), slower)
    # slower by a factor: its powers in velocity, acceleration and jerk
    factor = (1.0 / factor[:, None] ** np.arange(1, 4))[:, :, None]
    return grid._replace(
        tool_limits=grid.tool_limits * factor, joint_limits=grid.joint_limits * factor
    )


def _excess(piece: PathPiece, grid: PathGrid, cycle: float | None) -> LimitExcess:
    """Return where the piece passes limits, and by how much."""
    times = _check_times(piece, grid, cycle)
    powers = 1.0 / np.arange(1, 4)
    worst, places, uses = 0.0, [], []
    for block in np.array_split(times, max(1, len(times) // _BLOCK)):
        s = piece.law.evaluate(block)[:, 0]
        joints, tool = piece.states(block)
        which = np.clip(np.searchsorted(grid.s, s, "right") - 1, 0, len(grid.s) - 1)
        used = np.empty((len(block), 3))
        for order in range(3):
            used[:, order] = (np.abs(joints[order + 1]) / grid.joint_limits[which, order]).max(
                axis=1
            )
            for group in range(2):
                size = np.linalg.norm(tool[:, order, 3 * group : 3 * group + 3], axis=1)
                part = size / grid.tool_limits[which, order, group]
                np.maximum(used[:, order], part, out=used[:, order])
        worst = max(worst, float((used.max(axis=0) ** powers).max()))
        over = (used > 1.0 + _MARGIN).any(axis=1)
        places.append(s[over])
        uses.append(used[over])
    return LimitExcess(worst, np.concatenate(places), np.concatenate(uses))


def _check_times(piece: PathPiece, grid: PathGrid, cycle: float | None) -> Array:
    """Return even times, the knots of the law, and both sides of every border. Shape (m,).

    A long run, whose knots lie close to each other, is looked at in the middle of every cell of
    its grid instead, where what was interpolated there is furthest off.
    """
    most = max(_MAX_CHECKS, 2 * len(grid.s))
    count = int(np.clip(piece.duration / _FINE, _MIN_CHECKS, most))
    times = [np.linspace(0.0, piece.duration, count + 1)]
    law, near = piece.law, np.geomspace(1e-7, _FINE, 6)
    if isinstance(law, PathLaw) and len(law.times) < _MAX_CHECKS:
        # the jerk jumps at the knots, and either side may be the larger
        times += [law.times, law.times - 1e-9 * piece.duration]
        low, high = grid.s[:-1], grid.s[1:]
        times += [law.when(low + x * (high - low)) for x in _WITHIN]
    elif isinstance(law, PathLaw):
        times.append(law.when(0.5 * (grid.s[1:] + grid.s[:-1])))
        near = near[:1]
    if cycle is not None:
        times.append(np.arange(0.0, piece.duration, cycle))
    if len(grid.borders) and isinstance(law, PathLaw):
        crossed = law.when(grid.borders)
        times += [crossed + side * gap for gap in near for side in (-1.0, 1.0)]
    merged = np.unique(np.concatenate(times))
    return np.asarray(merged[(merged >= 0.0) & (merged <= piece.duration)])


def _slowed_places(
    grid: PathGrid,
    timed: TimedLaw,
    piece: PathPiece,
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
    for first, last, began, ended in _stretches(held, grid.s, _clock(piece)):
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


def _tool_rate(grid: PathGrid, k: int) -> float:
    """Return how far the tool's point moves by the parameter; its turning where it stands."""
    along, turning = grid.tool_sizes[k, 0]
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


def _clock(piece: PathPiece) -> tuple[Array, Array]:
    """Return arc lengths and times of a law, for looking up when a place is passed."""
    if isinstance(piece.law, PathLaw):
        return piece.law.states[:, 0], piece.law.times[:-1]
    times = np.linspace(0.0, piece.duration, 501)
    return piece.law.evaluate(times)[:, 0], times
