"""A run gets its time law: chosen, checked exactly, and slowed where a limit is passed.

What comes out is the piece of a trajectory that follows the path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.laws import law as closed_law
from armwerk.motion.limits import RATES, Limits
from armwerk.motion.options import Profile
from armwerk.motion.path.stop_to_stop import Run, RunGrid
from armwerk.motion.pieces.piece import Extremes, Samples, extremes_of_samples
from armwerk.motion.retiming.closed_law import ClosedLaw, TimeLaw
from armwerk.motion.retiming.drive_loads import DriveLoads
from armwerk.motion.retiming.least_time import least_time
from armwerk.motion.retiming.limit_check import (
    BLOCK,
    MARGIN,
    LimitExcess,
    check_times,
    limit_excess,
)
from armwerk.motion.retiming.long_law import LONG, long_law
from armwerk.motion.retiming.path_grid import ACCELERATION, PathGrid
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.quickest_law import LONGEST
from armwerk.motion.retiming.rough_sweep import rough_sweep, usual_window
from armwerk.motion.retiming.slowed_places import slowed_places
from armwerk.motion.retiming.swept_law import swept_law
from armwerk.motion.retiming.time_law import TimedLaw, nearest_rows, rough_law, time_law
from armwerk.motion.trajectory.summary import Notice

_BETWEEN = 1.0 + 5e-4  # for what may lie between the times of the check
_MENDS = 2  # times that places passed too fast get lower limits of their own
_LITTLE = 1.06  # factor by which a run may as well be slowed as a whole
_DOWN = 0.99  # by how much more than needed limits are lowered
_AROUND = 16  # points of a grid about a place that get lower limits with it
_EVEN = 1e-6
_DOUBT = 0.99  # of the time of the law that it began from, up to which the least needs no rival
_LONG_DOUBT = 1.05  # the same where a rival costs much
_LOST = 1.012  # factor by which what is found in windows may be too long
_CHEAP = 1_000  # points of a grid up to which it does not
_WHOLE = 1.1  # by which a run must be slowed as a whole to be worth a notice


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
        """Return the largest values at even times, one for each millisecond."""
        return extremes_of_samples(self)


def _by_time(x: Array, v: Array, a: Array, j: Array) -> tuple[Array, Array, Array]:
    """Return first to third derivative by time from those by arc length (m, 3, k)."""
    one, two, three = x[:, 0], x[:, 1], x[:, 2]
    return (
        one * v,
        one * a + two * v * v,
        one * j + 3.0 * two * v * a + three * v**3,
    )


class Quickness(NamedTuple):
    """How quick a motion is to be.

    Attributes:
        optimal: True: the least time is looked for, to its last per cent; None: to one or two per
            cent on runs that are not long, which costs about as much as the usual law; False: the
            usual law.
        drives: What the drives can do, in place of the joints' limits of acceleration; None: these.
    """

    optimal: bool | None = None
    drives: DriveLoads | None = None


USUAL = Quickness()
"""Near the least time at little cost of computing."""


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
    if not all(np.isfinite(part.joints).all() for part in grid.stretches()):
        raise MotionError("the joints' rates are not finite", segment=words(0.0)[0])
    even = _even_law(grid, profile, wish.drives is not None)
    if wish.drives is not None:
        if len(grid) > LONGEST:
            raise MotionError(f"{_too_long(grid)}; plan with drives=False", segment=words(0.0)[0])
        _refuse_overloads(wish.drives, grid.whole(), words)
    if even is not None:
        # none is quicker within these limits, so if it keeps the others too no other needs to be
        # looked for
        piece = PathPiece(run, even)
        excess = limit_excess(run, even, grid, cycle).factor
        if wish.drives is not None:
            excess = max(excess, _overload(wish.drives, piece, grid, cycle))
        if excess <= 1.0 + MARGIN:
            return piece, []
    timed = _timed(run, grid, profile, cycle, wish)
    if timed is None:
        text = "no motion within what the drives can do was found"
        raise MotionError(f"{text}; plan with drives=False", segment=words(0.0)[0])
    notices = slowed_places(grid, timed, timed.law, limits, words)
    if wish.optimal and len(grid) > LONGEST:
        notices.append(Notice(words(0.0)[0], "", "", f"{_too_long(grid)}: timed as without asking"))
    if timed.slowed > _WHOLE:
        text = (
            "the whole motion up to the next stop slowed to "
            f"{100.0 / timed.slowed:.0f} % of its speed"
        )
        notices.append(Notice(words(0.0)[0], "", "", text))
    return PathPiece(run, timed.law), notices


def _timed(
    run: Run, grid: RunGrid, profile: Profile, cycle: float | None, wish: Quickness
) -> TimedLaw | None:
    """Return the law of a run; None: the drives leave none."""
    least = None
    if _is_wanted(wish, profile):
        careful = bool(wish.optimal) or wish.drives is not None
        if len(grid) > (LONGEST if careful else min(LONG, LONGEST)):
            window = usual_window(grid)
            rough = rough_sweep(grid, window)
            least, lost = _swept(run, grid, rough, window, cycle)
        else:
            rough, lost = rough_law(grid.whole()), np.inf
        if lost > _LOST and len(grid) <= LONGEST:
            at_once = _least(run, grid, grid.whole(), rough, cycle, wish)
            least = _shorter(at_once, least)
        doubt = _DOUBT if len(grid) <= _CHEAP else _LONG_DOUBT
        sure = least is not None and least.law.duration <= doubt * rough.law.duration
        # the usual law, which begins from the same and keeps all limits, is quicker only where the
        # tool goes at its own speed nearly all the way, by some tenths of a per cent
        if wish.drives is not None or (sure and not wish.optimal):
            return least
    return _shorter(_usual(run, grid, profile, cycle), least)


def _shorter(one: TimedLaw | None, other: TimedLaw | None) -> TimedLaw | None:
    """Return the law that takes less time, the only one, or None."""
    if one is None or other is None:
        return one or other
    return one if one.law.duration < other.law.duration else other


def _is_wanted(wish: Quickness, profile: Profile) -> bool:
    """Return whether the least time of a run is looked for."""
    asked = bool(wish.optimal) or wish.drives is not None
    return asked or (wish.optimal is None and profile == "trapezoid")


def _usual(run: Run, grid: RunGrid, profile: Profile, cycle: float | None) -> TimedLaw:
    """Return the usual law of a run, slowed as a whole where it passes a limit."""
    if len(grid) > LONG:
        timed = long_law(run, grid, profile)
        excess = limit_excess(run, timed.law, grid, cycle).factor
    else:
        timed, excess = _mended(run, grid, profile, cycle)
    # slowed by this factor, all that was found keeps its limit: it scales with time
    excess = max(excess * _BETWEEN, 1.0)
    return timed._replace(law=timed.law.slowed(excess), slowed=timed.slowed * excess)


def _least(
    run: Run,
    grid: RunGrid,
    whole: PathGrid,
    rough: TimedLaw,
    cycle: float | None,
    wish: Quickness,
) -> TimedLaw | None:
    """Return the law of least time that keeps every limit; None where none was found."""
    drives, checked = wish.drives, grid
    if drives is not None:
        limits = grid.joint_limits.copy()
        limits[ACCELERATION] = np.inf
        checked = run.grid(limits)

    def check(law: PathLaw) -> LimitExcess:
        excess = limit_excess(run, law, checked, cycle, at_knots=True)
        if drives is None:
            return excess
        worst = _overload(drives, PathPiece(run, law), checked, cycle)
        return excess._replace(factor=max(excess.factor, worst))

    careful = bool(wish.optimal) or drives is not None
    law = least_time(run, whole, rough.law, check, careful, drives)
    if law is None:
        return None
    driven = np.interp(grid.s, law.states[:, 0], law.states[:, 1])
    speed = np.maximum(rough.speed, driven)
    return rough._replace(law=law, speed=speed, rows=nearest_rows(whole, law))


def _swept(
    run: Run, grid: RunGrid, rough: TimedLaw, window: float, cycle: float | None
) -> tuple[TimedLaw | None, float]:
    """Return the law of nearly least time of a long run, and by what factor it may be too long.

    Where none was found: None, infinite.
    """

    def check(law: PathLaw) -> LimitExcess:
        return limit_excess(run, law, grid, cycle)

    found = swept_law(run, grid, rough.law, window, check)
    if found is None:
        return None, np.inf
    law = found.law.slowed(found.excess) if found.excess > 1.0 else found.law
    driven = np.interp(grid.s, law.states[:, 0], law.states[:, 1])
    speed = np.maximum(rough.speed, driven)
    return rough._replace(law=law, speed=speed), found.lost * found.excess


def _too_long(grid: RunGrid) -> str:
    """Return why no law of least time was looked for."""
    return (
        f"the stretch up to the next stop has {len(grid)} points, too many to look for the least "
        f"time (at most {LONGEST})"
    )


def _overload(drives: DriveLoads, piece: PathPiece, grid: RunGrid, cycle: float | None) -> float:
    """Return by what factor a piece must be slowed for its drives; at most 1: not at all."""
    times = check_times(piece.law, grid.s, cycle)
    blocks = np.array_split(times, max(1, len(times) // BLOCK))
    return max(drives.excess(piece.evaluate(block)) for block in blocks)


def _refuse_overloads(
    drives: DriveLoads, grid: PathGrid, words: Callable[[float], tuple[str, str]]
) -> None:
    """Refuse a run with places that the drives cannot hold, whatever the speed."""
    load = np.abs(drives.along(grid.joints[:, 0], grid.joints[:, 1], grid.joints[:, 2])[:, 2])
    worst = int(load.max(axis=1).argmax())
    q, one = grid.joints[worst, 0], grid.joints[worst, 1]
    drives.refuse_overload(q, one, words(float(grid.s[worst])))


def _even_law(grid: RunGrid, profile: Profile, drives: bool) -> ClosedLaw | None:
    """Return the profile's own law where what is limited moves evenly, under the same limits.

    That is the tool, or the joints on a straight line of theirs on which the tool has no limits.

    Args:
        grid: Of the run.
        profile: Of the acceleration.
        drives: Whether the drives count in place of the joints' limits of acceleration.
    """
    in_joints = not np.isfinite(grid.between(0, 1).tool_limits).any()
    if in_joints and drives:
        return None

    def rows(part: PathGrid) -> tuple[Array, Array]:
        if in_joints:
            return part.joint_limits, np.abs(part.joints[:, 1:])
        return part.tool_limits, part.tool_sizes

    limits, size = (values[0] for values in rows(grid.between(0, 1)))
    size = size[0]
    if not np.isfinite(limits).all():
        return None
    for part in grid.stretches():
        bounds, sizes = rows(part)
        for values, value in ((bounds, limits), (sizes[:, 0], size)):
            if not (np.abs(values - value) <= _EVEN * np.abs(value)).all():
                return None
        if sizes[:, 1:].max() > _EVEN:
            return None
    with np.errstate(divide="ignore"):
        v, a, j = (float((limits[k] / size).min()) for k in range(3))
    if not np.isfinite([v, a, j]).all():
        return None
    length = float(grid.s[-1])
    return ClosedLaw(closed_law(profile, length, v, a, j), length)


def _mended(
    run: Run, grid: RunGrid, profile: Profile, cycle: float | None
) -> tuple[TimedLaw, float]:
    """Return the law, and by what factor it must be slowed as a whole.

    A place that is passed too fast by more than a little gets lower limits of its own, so that it
    does not slow down all the rest.
    """
    tight = grid.whole()
    timed = time_law(tight, profile)
    found = limit_excess(run, timed.law, grid, cycle)
    best = (timed, found.factor)
    for _ in range(_MENDS):
        if found.factor <= _LITTLE:
            break
        tight = _tightened(tight, found)
        timed = time_law(tight, profile)
        found = limit_excess(run, timed.law, grid, cycle)
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
