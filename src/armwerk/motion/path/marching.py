"""Joint values at points of a track, from one to the next along one branch.

In: a track and joint values at its start. Out: `BranchPoints`, exact, with derivatives by arc
length, as near to one another as the branch needs.

Where a step from one point to the next fails, that cell alone is halved, and the march goes on from
the last point that was right. A step across a singularity counts only when the arm passes straight
through it, the tool staying on its curve all the while; beside it the cell is halved until every
turn of the joints is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.motion.kernels.following import (
    CROSSED,
    FOLLOWED,
    JUMPED,
    LOST,
    THROUGH,
    FollowedPoints,
    Tolerances,
    ToolPoints,
    follow,
    refine,
)
from armwerk.motion.kernels.hermite import between_points
from armwerk.motion.kernels.walking import walk
from armwerk.motion.path.track import BackwardTrack, Track

ON_CURVE = 1e-9
"""[m, rad] within which a pose must be met; exactly met poses come out at 1e-15."""
OFF = 2e-10
"""[m, rad] by which the tool may leave its curve between two points."""
STEP = 0.08
"""[rad or m] a joint may move by between two points of the grid."""
CELLS = 96
_FEW_CELLS = 12  # of one short straight stretch, along which rates hardly change
_HARDLY = 0.1  # of the largest rate of a joint, by which rates may change for that
CELL = 0.01  # [m]
_BRIEF = 2e-3  # [m] up to which a straight stretch hardly changes the rates of the joints
_SHORTEST = 2e-5  # [m] of an even cell
MIN_CELL = 1e-13
"""Fraction of the track below which a cell is not halved any more."""
_HALVINGS = 8  # that are looked ahead where a step fails
_NEXT_CELLS = 5  # into which it is looked as closely
_MOST_SEEN = 33  # places in one of them
_MAX_IN_CELL = 500  # points that may be put between two of the even grid
_FEW_IN_CELL = 150  # where no more than some cells may be hard; ways out of a place need 60
_ASIDE = 0.3  # of a cell by which points are moved from even places, where singularities like to be
_REACHES = (6, 4, 2, 1)  # points to each side of a singularity that are tried to be left out
LOOKS = np.linspace(0.0, 1.0, 13)[1:-1]
"""Where a cell is looked into, in shares of it."""


class LostError(Exception):
    """The branch ends: where, and the last joint values before it.

    Args:
        s: Arc length reached [m].
        q: Joint values there. Shape (n,).
        state: LOST when the pose cannot be met, JUMPED when only another branch meets it.

    Attributes:
        before: Points of the branch up to there; None: they are not told.
    """

    def __init__(self, s: float, q: Array, state: int) -> None:
        super().__init__(f"lost at {s}")
        self.s, self.q, self.state = s, q, state
        self.before: BranchPoints | None = None


class BranchPoints(NamedTuple):
    """A branch at points of a track.

    Args:
        s: Arc lengths, a border twice: as the end of one span, as the start of the next. (m,).
        is_end: Which of them are ends, meant from the left. Shape (m,).
        motions: q, q', q'', q''' by arc length. Shape (m, 4, n).
        twists: Tool motion by arc length. Shape (m, 3, 6).
        sides: Of a singularity, see `FollowedPoints`. Shape (m,).
    """

    s: Array
    is_end: Flags
    motions: Array
    twists: Array
    sides: Array

    def chosen(self, keep: Flags) -> BranchPoints:
        """Return some of the points."""
        s, is_end, motions, twists, sides = self
        return BranchPoints(s[keep], is_end[keep], motions[keep], twists[keep], sides[keep])

    def inserted(self, places: Integers, new: BranchPoints) -> BranchPoints:
        """Return the points with new ones before those at some places (k,)."""
        order = np.argsort(np.append(np.arange(len(self.s)), places - 0.5), kind="stable")
        both = zip(self, new, strict=True)
        return BranchPoints(*(np.concatenate(pair)[order] for pair in both))

    def backwards(self, length: float) -> BranchPoints:
        """Return the same from their end to their start, by what is left of a length [m]."""
        motions, twists = self.motions[::-1].copy(), self.twists[::-1].copy()
        motions[:, 1::2] *= -1.0
        twists[:, ::2] *= -1.0
        s = np.maximum(length - self.s[::-1], 0.0)
        is_end = np.append(np.diff(s) <= 0.0, False)
        return BranchPoints(s, is_end, motions, twists, self.sides[::-1].copy())

    @property
    def crossings(self) -> Flags:
        """Cells in which the arm passes straight through a singularity. Shape (m - 1,)."""
        return np.asarray(self.sides[1:] * self.sides[:-1] < 0.0)


def march(
    track: Track | BackwardTrack,
    constants: Array,
    scale: float,
    start: Array,
    opening: BranchPoints | None = None,
    hard: float = np.inf,
    short: float = 0.0,
) -> BranchPoints:
    """Return the branch that joint values at the start of a track lie on.

    Args:
        track: Where the tool goes.
        constants: The arm.
        scale: Length that counts as one radian [m].
        start: Joint values. Shape (n,).
        opening: Its first points, where they are known; None: they are not.
        hard: How many cells may have to be halved.
        short: How far before its end the branch may be lost [m]; the last point is then what leads
            there, on the curve or not.

    Raises:
        LostError: Where the branch ends, or more cells than that had to be halved.
    """
    motion = np.zeros((4, len(start)))
    motion[0] = start
    tolerances = Tolerances(scale, ON_CURVE, 2.0 * STEP)
    if opening is None and _is_brief(track):
        few = _in_few_cells(track, constants, motion, tolerances)
        if few is not None:
            return few
    s, is_end = even_points(track)
    poses, twists = both_sides(track, s, is_end)
    walker = _Walker(track, constants, tolerances, hard)
    parts: list[BranchPoints] = []
    first, side, resumed = 0, 0.0, False
    if opening is not None:
        first = int(np.searchsorted(s, opening.s[-1], "right"))
        last = FollowedPoints(FOLLOWED, 1, opening.motions[-1:], opening.sides[-1:])
        between, side = walker.cross(opening.s[-1], s[first], bool(is_end[first]), last)
        parts += [opening, between]
        motion, resumed = between.motions[-1], True
    while True:
        goals = ToolPoints(s[first:], poses[first:], twists[first:])
        found = follow(constants, goals, motion, resumed, side, walker.tolerances)
        count = len(goals.s) if found.state == FOLLOWED else found.reached
        # what was resumed from is there already
        new = slice(first + int(resumed), first + count)
        own = slice(int(resumed), count)
        parts.append(
            BranchPoints(s[new], is_end[new], found.motions[own], twists[new], found.sides[own])
        )
        if found.state == FOLLOWED:
            break
        if found.reached == 0:
            raise LostError(0.0, start, LOST)
        first += found.reached
        if hard <= 0:
            raise LostError(s[first - 1], found.motions[found.reached - 1, 0], found.state)
        hard -= 1
        try:
            between, side = walker.cross(s[first - 1], s[first], bool(is_end[first]), found)
        except LostError as lost:
            if not track.length - lost.s < short:
                lost.before = _joined(parts)
                raise
            parts.append(_led_to(s[-1], s[first - 1], found.motions[found.reached - 1], twists[-1]))
            break
        parts.append(between)
        motion, resumed = between.motions[-1], True
    return walker.widened(_joined(parts))


def _joined(parts: list[BranchPoints]) -> BranchPoints:
    """Return points in a row as one."""
    if len(parts) == 1:
        return parts[0]
    return BranchPoints(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _is_brief(track: Track | BackwardTrack) -> bool:
    """Return whether a track is one straight stretch so short that rates hardly change mostly."""
    if not track.length < _BRIEF or len(track.breaks()) > 2:
        return False
    return bool(track.is_even(np.array([0.5 * track.length]))[0])


def _in_few_cells(
    track: Track | BackwardTrack, constants: Array, motion: Array, tolerances: Tolerances
) -> BranchPoints | None:
    """Return the branch at a few points; None: more are needed to see its way."""
    s, is_end = _even_points(track, np.array([_FEW_CELLS]))
    poses, twists = both_sides(track, s, is_end)
    found = follow(constants, ToolPoints(s, poses, twists), motion, False, 0.0, tolerances)
    if found.state != FOLLOWED:
        return None
    rates = found.motions[:, 1]
    if not np.ptp(rates, axis=0).max() <= _HARDLY * np.abs(rates).max():
        return None
    return BranchPoints(s, is_end, found.motions, twists, found.sides)


def _led_to(end: float, s: float, motion: Array, twist: Array) -> BranchPoints:
    """Return the end of a track as joints at an arc length (4, n) before lead to it."""
    h = end - s
    value, one, two, three = motion
    there = [value + h * (one + h * (0.5 * two + h * three / 6.0)), one, two, three]
    return BranchPoints(
        np.array([end]), np.array([True]), np.array([there]), twist[None], np.zeros(1)
    )


class _Walker:
    """Walks across single cells, by halving."""

    def __init__(
        self,
        track: Track | BackwardTrack,
        constants: Array,
        tolerances: Tolerances,
        hard: float,
    ) -> None:
        self._track, self._constants = track, constants
        self._most = _MAX_IN_CELL if hard == np.inf else _FEW_IN_CELL
        self.tolerances = tolerances

    def cross(
        self, low: float, high: float, at_end: bool, stopped: FollowedPoints
    ) -> tuple[BranchPoints, float]:
        """Return the points behind ``low`` up to ``high``, and the side of the last.

        Args:
            low: Arc length of the last point that is right [m].
            high: Where the cell ends [m].
            at_end: Whether that is an end, meant from the left.
            stopped: What the march has found up to there.
        """
        s, motion = low, np.ascontiguousarray(stopped.motions[stopped.reached - 1])
        side = float(stopped.sides[stopped.reached - 1])
        shortest = MIN_CELL * self._track.length
        ahead, seen, count = np.array([high]), self._seen(low, [high], at_end), 0
        parts: list[BranchPoints] = []
        while len(ahead):
            if not (seen.s == ahead[-1]).any():
                seen = self._seen(s, ahead.tolist(), at_end)
            most = self._most - count
            found = walk(
                self._constants, seen, ahead, s, motion, side, shortest, most, self.tolerances
            )
            ahead, new = found.ahead, found.reached
            if found.state == CROSSED:
                ends = np.array([found.s[new - 1] if new else s, ahead[-1]])
                last = found.motions[new - 1] if new else motion
                if self._passes_through(ends, np.array([last, found.motions[new]])):
                    ahead, new = ahead[:-1].copy(), new + 1
                elif ends[1] - ends[0] > shortest and new <= most:
                    ahead = np.append(ahead, 0.5 * (ends[0] + ends[1]))
                else:
                    raise LostError(float(ends[1]), last[0], CROSSED)
            if new:
                own = (found.s, found.motions, found.twists, found.sides)
                places, motions, twists, sides = (column[:new] for column in own)
                parts.append(BranchPoints(places, places == high, motions, twists, sides))
                s, motion, side = float(places[-1]), motions[-1], float(sides[-1])
                count += new
            if found.state in (LOST, JUMPED):
                raise LostError(float(ahead[-1]), motion[0], found.state)
        points = _joined(parts)
        return points._replace(is_end=points.is_end & at_end), side

    def _seen(self, low: float, ahead: Sequence[float], at_end: bool) -> ToolPoints:
        """Return poses and twists of the next place, and of those that halving leads to.

        Beside a singularity at the near end that is ever nearer to it, before one at the far end
        ever nearer to that. Where steps stay short for long they are as short in the next cells.

        Args:
            low: Where the march is [m].
            ahead: The places ahead, the next one last and the end of the cell first [m].
            at_end: Whether that is an end, meant from the left.
        """
        high = ahead[-1]
        places = [high]
        for _ in range(_HALVINGS):
            places.append(0.5 * (low + places[-1]))
        places.append(0.5 * (places[1] + high))
        for _ in range(_HALVINGS - 2):
            places.append(0.5 * (places[-1] + high))
        short = 0.5 * (high - low)
        for near, far in pairwise(ahead[:-_NEXT_CELLS:-1]):
            row = [near, far]
            while row[1] - row[0] > short and len(row) < _MOST_SEEN:
                middles = [0.5 * (one + other) for one, other in pairwise(row)]
                row = [*chain.from_iterable(zip(row, middles, strict=False)), far]
            places += row[1:]
        s = np.array(places)
        return ToolPoints(s, *both_sides(self._track, s, (s == ahead[0]) & at_end))

    def widened(self, points: BranchPoints) -> BranchPoints:
        """Return the points without those next to a singularity that is passed straight through.

        Next to it joints turn a little to keep the tool exactly on its curve, quicker the nearer
        they are; from further off the straight way does as well.
        """
        if not points.crossings.any():
            return points
        keep = np.ones(len(points.s), dtype=bool)
        borders = np.flatnonzero(np.diff(points.s) <= 0.0)
        for cell in np.flatnonzero(points.crossings):
            for reach in _REACHES:
                low, high = max(int(cell) - reach, 0), min(int(cell) + 1 + reach, len(keep) - 1)
                if ((borders >= low) & (borders < high)).any() or not keep[low : high + 1].all():
                    continue
                ends = points.s[[low, high]]
                if self._passes_through(ends, np.ascontiguousarray(points.motions[[low, high]])):
                    keep[low + 1 : high] = False
                    break
        return points.chosen(keep)

    def _passes_through(self, ends: Array, motions: Array) -> bool:
        """Return whether the straight way between two points keeps the tool on its curve."""
        if not ends[1] > ends[0]:
            return True
        s = ends[0] + LOOKS * (ends[1] - ends[0])
        poses, twists = self._track.evaluate(s)
        guesses = between_points(ends, motions, s, False)
        goals = ToolPoints(s, poses, twists)
        off, _, _ = refine(self._constants, goals, guesses, self.tolerances)
        return bool(off[:, 0].max() < THROUGH)


def even_count(track: Track | BackwardTrack) -> int:
    """Return how many points an even grid of a track has."""
    return int((_cells(track) + 1).sum())


def even_points(track: Track | BackwardTrack) -> tuple[Array, Flags]:
    """Return an even grid: arc lengths, each border twice, and where they are meant from the left.

    Shapes (m,).
    """
    return _even_points(track, _cells(track))


def _cells(track: Track | BackwardTrack) -> Integers:
    """Return into how many cells each span of a track is cut. Shape (k,)."""
    breaks = track.breaks()
    low, length = breaks[:-1], np.diff(breaks)
    cells = np.ceil(np.maximum(length / CELL, CELLS * length / track.length))
    least = np.where(track.is_even(low + 0.5 * length) & (length < _BRIEF), 3, 8)
    # cells of next to no length would only add rounding
    least = np.clip(np.ceil(length / _SHORTEST), 1, least)
    return np.asarray(np.clip(cells, least, 4000).astype(np.int64))


def _even_points(track: Track | BackwardTrack, cells: Integers) -> tuple[Array, Flags]:
    """Return arc lengths, each border twice, and where they are meant from the left.

    Args:
        track: Where the tool goes.
        cells: Into how many each of its spans is cut. Shape (k,).
    """
    breaks = track.breaks()
    low, length = breaks[:-1], np.diff(breaks)
    first = np.append(0, np.cumsum(cells + 1))
    number = np.repeat(np.arange(len(cells)), cells + 1)
    places = np.arange(first[-1], dtype=np.float64) - first[number]
    is_end = places == cells[number]
    aside = _ASIDE * np.sin(2.4 * places)
    places += np.where(is_end | (places == 0.0), 0.0, aside)
    s = low[number] + places * (length / cells)[number]
    s[is_end] = breaks[1:]
    return s, is_end


def both_sides(track: Track | BackwardTrack, s: Array, is_end: Flags) -> tuple[Array, Array]:
    """Return poses (m, 3, 4) and twists (m, 3, 6) at arc lengths, ends from the left."""
    poses, twists = track.evaluate(s)
    if is_end.any():
        poses[is_end], twists[is_end] = track.evaluate(s[is_end], left=True)
    return poses, twists
