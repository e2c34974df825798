"""Values of few joints along a track of which only a part counts.

Few joints leave no choice: their values follow from the part that counts. In: an arm completed by
joints behind its tool (`armwerk.mechanics.completed`), a track and joint values at its start. Out:
joint values along it. For a position the joints behind the tool are put back into their middle at
each point, where they are never singular.

Where the arm is stretched or folded for that part, a hair beside the place rounding would choose
how it bends. A track is followed out of such a place from a little ahead, and into it by ever
shorter steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.choice import distance
from armwerk.mechanics.inverse.interface import Task
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.kernels.following import Tolerances, ToolPoints, refine
from armwerk.motion.options import Demand
from armwerk.motion.path.opening import AHEAD, FAR, SAME, SHARE, beside, is_singular
from armwerk.motion.path.solved_poses import solutions_of
from armwerk.motion.path.track import Track

ON_PART = 1e-9
"""[m, rad] within which the part that counts must be met."""
_STEP = 0.1  # [rad or m] a joint may move by between two points
_CELL = 0.01  # [m] between two points of the table
_LEAST = 1e-7  # share of the track below which a step is not halved any more
_MIDDLE = np.array([0.0, 0.5 * math.pi, 0.0])  # [rad] of the joints behind a tool
_CLOSE = 0.1  # of the track before its end within which that may be what it was lost at
_FORETOLD = 0.05  # of a step by which it may differ from what is foretold, next to a singular end
_EXACTLY = 1e-7  # [rad or m] that it may differ by in any case
_SHORT = 1e-9  # [m] before a singular end from where on its place is all that is known
_SHORTEST = 0.1  # of that, below which a step is not halved any more
_EXACT_JOINTS = 6  # whose rates are solved for exactly; those of fewer are damped a little
_AGAIN = (
    3  # times that rates are corrected, so that next to a singular end too nothing of it is left
)
_NEXT = 1e-3  # [rad or m] by which joints differ from their singular end there at most


_STRETCHED: WeakKeyDictionary[Track, dict[bytes, tuple[Array, Array] | float]] = WeakKeyDictionary()
"""Stretches of a track by the arm, joint values and what was asked; a number: where one was lost.

Branches that lead out of a singular place are asked for anew after every turn on the spot there.
"""


class LooseEndError(Exception):
    """The part that counts cannot be met any further.

    Args:
        s: Arc length reached [m].
    """

    def __init__(self, s: float) -> None:
        super().__init__(f"lost at {s}")
        self.s = s


class PartOfTrack(NamedTuple):
    """A track, the part of its poses that counts, and an arm that meets it.

    Args:
        model: Of the arm.
        whole: Of the arm with joints behind its tool.
        kept: How many joints both have.
        track: As it was asked for.
        demand: "direction" or "position".
    """

    model: SerialModel
    whole: SerialModel
    kept: int
    track: Track
    demand: Demand

    def march(self, q: Array) -> tuple[Array, Array]:
        """Return joint values along the track from its start on.

        Args:
            q: Joint values of the arm there. Shape (n,).

        Returns:
            Arc lengths, shape (k,), and joint values of the completed arm with their first
            derivatives there, shape (k, 2, n).

        Raises:
            LooseEndError: Where the arm cannot go on.
        """
        start = self.completed(q)
        lost: LooseEndError | None = None
        if self.leaves() and is_singular(self.whole, start):
            for ahead, there in self._ahead(q):
                try:
                    s, rows = self._stretch(there, ahead, 0.0, fine=True)
                    if np.abs(rows[-1, 0] - start)[: self.kept].max() > SAME:
                        continue
                    rows[-1, 0] = start
                    on, others = self._to_end(there, ahead)
                except LooseEndError as error:
                    lost = lost or error
                    continue
                return np.append(s[:0:-1], on), np.concatenate([rows[:0:-1], others])
        try:
            return self._to_end(start, 0.0)
        except LooseEndError as error:
            raise lost or error from None

    def completed(self, q: Array) -> Array:
        """Return joint values of the completed arm at the start of the track. Shape (n,)."""
        row = np.zeros(self.whole.dof)
        row[: self.kept] = q[: self.kept]
        if self.demand == "direction":
            wanted = self.track.evaluate(np.zeros(1))[0][0][:, :3]
            turn = self.whole.fk(row)[:3, :3].T @ wanted
            row[self.kept] = math.atan2(turn[1, 0], turn[0, 0])
        else:
            row[self.kept :] = _MIDDLE
        return row

    def leaves(self, at_end: bool = False) -> bool:
        """Return whether the tool point moves at an end of the track; a turn keeps it there."""
        s = np.array([self.track.length if at_end else 0.0])
        return bool(np.abs(self.track.position(s, left=at_end)[0, 1]).max() > 0.0)

    def solved(self, s: Array, position: Array, guesses: Array) -> Array:
        """Return joint values of the completed arm and their derivatives from guesses (m, 4, n)."""
        return self._met(self._goals(s, position), guesses)

    def _goals(self, s: Array, position: Array) -> ToolPoints:
        """Return where the tool is wanted, its orientation where that counts."""
        poses, twists = np.empty((len(s), 3, 4)), np.zeros((len(s), 3, 6))
        poses[:, :, 3] = position[:, 0]
        twists[:, :, :3] = position[:, 1:]
        if self.demand == "direction":
            wanted, rates = self.track.evaluate(s)
            poses[:, :, :3], twists[:, :, 3:] = wanted[:, :, :3], rates[:, :, 3:]
        return ToolPoints(s, poses, twists)

    def _met(self, goals: ToolPoints, guesses: Array) -> Array:
        """Return what `solved` does for goals."""
        if self.demand != "direction":
            guesses = guesses.copy()
            guesses[:, 0, -3:], guesses[:, 1:, -3:] = _MIDDLE, 0.0
            turned = self.whole.fk(np.ascontiguousarray(guesses[:, 0]))[:, :3, :3]
            goals.poses[:, :, :3] = turned
        chain = self.whole.chain
        tolerances = Tolerances(chain.scale, ON_PART, 2.0 * _STEP)
        for _ in range(1 if self.whole.dof == _EXACT_JOINTS else _AGAIN):
            guesses = refine(chain.constants, goals, guesses, tolerances)[1]
        return np.asarray(guesses)

    def _ahead(self, q: Array) -> Iterator[tuple[float, Array]]:
        """Yield the solutions a little ahead, those within limits first, then those nearest to q.

        Args:
            q: Joint values of the arm at the start of the track. Shape (n,).

        Yields:
            Arc length [m], and joint values of the completed arm there.
        """
        model = self.model
        ahead = min(AHEAD, SHARE * float(self.track.breaks()[1]))
        pose = np.eye(4)
        pose[:3] = self.track.evaluate(np.array([ahead]))[0][0]
        task: Task = "direction" if self.demand == "direction" else "position"
        found = [beside(model, one, q) for one in solutions_of(model, pose, task, q)]
        low, high = model.chain.limits.T

        def order(one: Array) -> tuple[bool, float]:
            return bool(((one < low) | (one > high)).any()), float(distance(model.chain, one, q))

        for one in sorted((one for one in found if np.abs(one - q).max() < FAR), key=order):
            row = self.completed(one)
            if self.demand == "direction":
                turn = self.whole.fk(row)[:3, :3].T @ pose[:3, :3]
                row[self.kept] += math.atan2(turn[1, 0], turn[0, 0])
            if not is_singular(self.whole, row):
                yield ahead, row

    def _to_end(self, start: Array, first: float) -> tuple[Array, Array]:
        """Return what `march` does, from an arc length on."""
        try:
            s, rows = self._stretch(start, first, self.track.length)
        except LooseEndError as error:
            if self.track.length - error.s > _CLOSE * self.track.length:
                raise
            try:
                return self._stretch(start, first, self.track.length, fine=True)
            except LooseEndError:
                raise error from None
        if self.leaves(at_end=True) and is_singular(self.whole, rows[-1, 0]):
            return self._stretch(start, first, self.track.length, fine=True)
        return s, rows

    def _stretch(
        self, start: Array, first: float, last: float, fine: bool = False
    ) -> tuple[Array, Array]:
        """Return joint values from one arc length to another, before or behind it.

        Args:
            start: Joint values of the completed arm at the first. Shape (n,).
            first: Where to begin [m].
            last: Where to end [m].
            fine: Whether steps are as short as what the joints foretell asks for, and the last
                of them may end in a singularity.

        Raises:
            LooseEndError: Where the arm cannot go on.
        """
        known = _STRETCHED.setdefault(self.track, {})
        parts = (self.whole.chain.constants, start, np.array([self.kept, first, last, fine]))
        key = self.demand.encode() + b"".join(part.tobytes() for part in parts)
        if key not in known:
            try:
                known[key] = self._stepped(start, first, last, fine)
            except LooseEndError as error:
                known[key] = error.s
        found = known[key]
        if isinstance(found, float):
            raise LooseEndError(found)
        return found[0], found[1].copy()

    def _stepped(self, start: Array, first: float, last: float, fine: bool) -> tuple[Array, Array]:
        """Return what `_stretch` does, step by step."""
        length, kept = self.track.length, self.kept
        now = np.zeros((4, self.whole.dof))
        now[0] = start
        step = length / max(32, math.ceil(length / _CELL))
        short = min(_SHORT, _LEAST * length) if fine else 0.0
        least = _SHORTEST * short if fine else _LEAST * length
        s, sign = first, math.copysign(1.0, last - first)
        grid: list[float] = []
        rows: list[Array] = []
        tried = 0.0  # how far the last point went; the first is where the arm stands
        while True:
            h = sign * min(tried, abs(last - s))
            at = last if abs(h) == abs(last - s) else s + h
            guess = now.copy()
            guess[0] += h * (now[1] + h * (0.5 * now[2] + h * now[3] / 6.0))
            place = np.array([at])
            goals = self._goals(place, self.track.position(place))
            found = self._met(goals, guess[None])[0]
            moved = np.abs(found[0] - now[0])[:kept].max()
            fits = self._is_met(goals.poses[0], found[0]) and moved < _STEP
            if fine and grid:
                if abs(last - s) <= short:
                    return np.append(grid, last), _ended(rows, found[0], last - s, fits)
                off = np.abs(found[0] - guess[0])[:kept].max()
                fits = fits and off < _FORETOLD * moved + _EXACTLY
            if fits:
                passed = bool(grid) and at != last and s == grid[-1]
                if passed and is_singular(self.whole, found[0]):
                    # rounding would choose how the joints go on; what leads there knows
                    found = guess
                    found[1] += h * (now[2] + 0.5 * h * now[3])
                    found[2] += h * now[3]
                elif not grid or at != grid[-1]:
                    grid.append(at)
                    rows.append(found[:2])
                if at == last:
                    return np.array(grid), np.array(rows)
                s, now = at, found
                tried = min(step, 2.0 * tried) if tried else step
                continue
            tried = 0.5 * min(tried, abs(last - s))
            if tried < least or not grid:
                raise LooseEndError(at)

    def _is_met(self, wanted: Array, q: Array) -> bool:
        """Whether joint values of the completed arm meet the part of a pose (3, 4) that counts."""
        if not np.isfinite(q).all():
            return False
        pose = self.whole.fk(q)
        gap = np.abs(pose[:3, 3] - wanted[:, 3]).max()
        if self.demand == "direction":
            gap = max(gap, np.abs(pose[:3, 2] - wanted[:, 2]).max())
        return bool(gap < ON_PART)


def _ended(rows: list[Array], q: Array, way: float, fits: bool) -> Array:
    """Return rows with a last one in a singularity, a way [m] behind.

    Its rates are those of the chord: there are none that are finite, or rounding would make them.
    """
    before = rows[-1][0]
    if not fits or np.abs(q - before).max() > _NEXT:
        q = before
    chord = (q - before) / way if way else np.zeros_like(q)
    return np.array([*rows, np.array([q, chord])])
