"""Joint values with which a whole path can be driven, among all choices that its goals leave.

In: the groups of a path and joint values at its start. Out: what drives each group.

A goal that is a pose leaves a choice of configurations. They are tried in order, the nearest first,
and what has been found is kept: a group is followed once from a configuration, however many ways
lead there, and once for all configurations that differ by whole turns. A pose that no configuration
reaches ends the search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.extent import millimetre_hint
from armwerk.mechanics.kernels.turns import TURN
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.options import Demand
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.branches import (
    PART_OF,
    SPATIAL,
    OutOfReachError,
    candidates,
    check_stops,
    follow,
)
from armwerk.motion.path.connect import DrivenGroup, SegmentGroup
from armwerk.motion.path.follow import Follower
from armwerk.motion.path.track import Track
from armwerk.motion.path.wishes import NONE, Wishes

_DIGITS = 9  # after the point, to which configurations that count as one agree
State = tuple[int, bytes]  # the number of a group, and the configuration it starts with


class BranchSearch:
    """Tries configurations for the groups of a path, and keeps what it has found.

    Args:
        model: Of the arm.
        groups: Of the path, with their tracks.
        demand: What of their poses must be met at most.
        close: Whether the path ends with the joint values that it begins with.
        wishes: Of the joints, beside the poses.
    """

    def __init__(
        self,
        model: SerialModel,
        groups: Sequence[SegmentGroup],
        demand: Demand = "pose",
        close: bool = False,
        wishes: Wishes = NONE,
    ) -> None:
        self._model, self._groups, self._demand = model, groups, demand
        self._wishes = wishes
        self._close = close
        self._home: Array | None = None
        self._hopeless: set[State] = set()
        self._ways: dict[State, _FollowedTracks] = {}
        self._error: MotionError | None = None

    @property
    def stretches(self) -> int:
        """How many stretches between stops the path has."""
        return sum(max(len(group.tracks), 1) for group in self._groups)

    @property
    def chooses(self) -> bool:
        """Whether a goal on the way is a pose that leaves a choice of configurations."""
        goals = (group.joint.goal for group in self._groups if group.joint is not None)
        return any(goal is not None and goal.ndim == 2 for goal in goals)

    @property
    def first(self) -> SegmentGroup:
        """The group that the path begins with."""
        return self._groups[0]

    @property
    def last(self) -> SegmentGroup:
        """The group that the path ends with."""
        return self._groups[-1]

    def wishing(self, wishes: Wishes) -> BranchSearch:
        """Return a search along the same path with other wishes of the joints."""
        return BranchSearch(self._model, self._groups, self._demand, self._close, wishes)

    def run(self, q: Array) -> list[DrivenGroup]:
        """Return what drives the groups from joint values at the start. Shape (n,).

        Raises:
            OutOfReachError: When no configuration at all reaches a place of the path.
            MotionError: When no choice fits; the first thing that was in the way.
        """
        if self._close:
            self._home = q.copy()
            if self._model.dof > SPATIAL:  # others have no choice of how they end
                self._ways.clear()
                self._hopeless.clear()
        chosen: list[DrivenGroup] = []
        open_choices = [(self._state(0, q), self._choices(0, q))]
        while len(chosen) < len(self._groups):
            state, choices = open_choices[-1]
            choice = next(choices, None)
            if choice is None:
                self._hopeless.add(state)
                open_choices.pop()
                if not open_choices:
                    assert self._error is not None
                    raise self._error
                chosen.pop()
                continue
            number, end = len(chosen) + 1, _end_of(choice)
            state = self._state(number, end)
            if state not in self._hopeless:
                chosen.append(choice)
                open_choices.append((state, self._choices(number, end)))
        return chosen

    def _state(self, number: int, q: Array) -> State:
        return number, (np.round(q, _DIGITS) + 0.0).tobytes()

    def _choices(self, number: int, q: Array) -> Iterator[DrivenGroup]:
        """Yield the ways to drive a group from joint values, the nearest goal first."""
        if number == len(self._groups):
            return
        group = self._groups[number]
        if group.joint is not None:
            for goal in self._goals(group, q):
                yield DrivenGroup(group, (), (q, goal))
            return
        try:
            yield DrivenGroup(group, tuple(self._followed(number, group, q)), None)
        except OutOfReachError:
            raise
        except MotionError as error:
            self._error = self._error or error

    def _goals(self, group: SegmentGroup, q: Array) -> list[Array]:
        assert group.joint is not None
        goal = group.joint.goal
        assert goal is not None
        if goal.ndim == 1:
            return [goal]
        found = candidates(self._model, goal, q, PART_OF[self._demand])
        if self._home is not None and group is self._groups[-1]:
            found = [self._home, *found]
        if not found:
            raise beyond_reach(self._model, goal[:3, 3], group)
        return found

    def _followed(self, number: int, group: SegmentGroup, q: Array) -> Iterator[Follower]:
        """Yield what follows each track, within the stops of all joints."""
        model = self._model
        revolute = model.turns.whole if isinstance(model, CoupledModel) else model.chain.revolute
        whole = np.where(revolute, q - TURN * np.round(q / TURN), q)
        state = self._state(number, whole)
        way = self._ways.get(state)
        if way is None:
            way = self._ways[state] = _FollowedTracks(
                self._model,
                group.tracks,
                q,
                self._demand,
                self._home if number + 1 == len(self._groups) else None,
                self._wishes,
            )
        turns = np.where(revolute, TURN * np.round((q - way.start) / TURN), 0.0)
        for k, (_, built) in enumerate(group.tracks):
            follower = way.follower(k)
            if turns.any():
                table = follower.table.copy()
                table[:, 0] += turns
                follower = replace(follower, table=table)
            check_stops(self._model, follower, built)
            yield follower


def beyond_reach(model: SerialModel, place: Array, group: SegmentGroup) -> OutOfReachError:
    """Return what is said of a group that ends at a place [m] which the tool cannot get to."""
    return OutOfReachError(
        f"out of reach: no joint values of '{model.arm.name}' within their limits bring the tool "
        f"to {np.round(place, 6).tolist()} m{millimetre_hint(model.arm, place)}",
        segment=group.end.label,
    )


class _FollowedTracks:
    """Tracks one after the other from one configuration, as far as anybody has asked.

    Args:
        model: Of the arm.
        tracks: With the segments of each.
        start: Joint values at the start of the first. Shape (n,).
        demand: What of the poses must be met at most.
        end: Joint values wanted at the end of the last; None: any. Shape (n,).
        wishes: Of the joints, beside the poses.
    """

    def __init__(
        self,
        model: SerialModel,
        tracks: Sequence[tuple[Track, list[BuiltSegment]]],
        start: Array,
        demand: Demand,
        end: Array | None,
        wishes: Wishes,
    ) -> None:
        self.start = start
        self._wishes = wishes
        self._demand, self._end = demand, end
        self._model, self._tracks = model, tracks
        self._found: list[Follower] = []
        self._error: MotionError | None = None

    def follower(self, number: int) -> Follower:
        """Return what follows a track.

        Raises:
            MotionError: When that one, or one before it, cannot be followed.
        """
        while len(self._found) <= number:
            if self._error is not None:
                raise self._error
            q = self._found[-1].table[-1, 0] if self._found else self.start
            try:
                track, built = self._tracks[len(self._found)]
                end = self._end if len(self._found) + 1 == len(self._tracks) else None
                self._found.append(
                    follow(self._model, track, built, q, self._demand, end, self._wishes)
                )
            except MotionError as error:
                self._error = error
                raise
        return self._found[number]


def _end_of(driven: DrivenGroup) -> Array:
    """Return the joint values at the end of a group. Shape (n,)."""
    end = driven.followers[-1].table[-1, 0] if driven.ends is None else driven.ends[1]
    return np.asarray(end)
