"""Joint values with which a whole path can be driven, among all choices that its goals leave.

In: the groups of a path and joint values at its start. Out: what drives each group.

A goal that is a pose leaves a choice of configurations, and so does a stop in a singularity, where
the joints can turn while the tool stands. They are tried in order, the nearest first, no turn
before any, and what has been found is kept: a group is followed once from a configuration, however
many ways lead there, and once for all configurations that differ by whole turns. A pose that no
configuration reaches ends the search.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import separation
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.extent import millimetre_hint
from armwerk.mechanics.kernels.turns import TURN
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.options import Demand
from armwerk.motion.path.branches import (
    AT_START,
    PART_OF,
    SPATIAL,
    InTheWayError,
    OutOfReachError,
    candidates,
    check_stops,
    follow,
    ways_out,
    with_words,
)
from armwerk.motion.path.connect import DrivenGroup, SegmentGroup
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.opening import SAME, is_singular, ways_ahead
from armwerk.motion.path.reached_ends import may_reach, refuse_end
from armwerk.motion.path.spot_turn import SpotTurn, bent_turns, straight_turns
from armwerk.motion.path.touching import touched
from armwerk.motion.path.wishes import NONE, Wishes
from armwerk.motion.path.wrist_flip import BESIDE, EXACT, WristFlip, wrist_flip

_DIGITS = 9  # after the point, to which configurations that count as one agree
_AHEAD = 8  # groups at whose ends it is looked whether anything reaches them
_VAIN = 8  # ways out of singular places that are tried in vain for one path
State = tuple[int, bytes]  # the number of a group, and the configuration it starts with


class BranchSearch:
    """Tries configurations for the groups of a path, and keeps what it has found.

    Args:
        model: Of the arm.
        groups: Of the path, each with one track at most.
        demand: What of their poses must be met at most.
        close: Whether the path ends with the joint values that it begins with.
        wishes: Of the joints, beside the poses.
        turns: Whether the joints may turn on the spot where the tool stops.
    """

    def __init__(
        self,
        model: SerialModel,
        groups: Sequence[SegmentGroup],
        demand: Demand = "pose",
        close: bool = False,
        wishes: Wishes = NONE,
        turns: bool = True,
    ) -> None:
        self._model, self._groups, self._demand = model, groups, demand
        self._wishes = wishes
        self._close = close
        self._vain_left = _VAIN if turns else 0
        self._home: Array | None = None
        self._hopeless: set[State] = set()
        self._ways: dict[State, _Way] = {}
        self._error: MotionError | None = None
        self._looked = False

    @property
    def stretches(self) -> int:
        """How many stretches between stops the path has."""
        return len(self._groups)

    @property
    def chooses(self) -> bool:
        """Whether a goal on the way is a pose that leaves a choice of configurations."""
        goals = (group.joint.goal for group in self._groups if group.joint is not None)
        return any(goal is not None and goal.ndim == 2 for goal in goals)

    @property
    def last(self) -> SegmentGroup:
        """The group that the path ends with."""
        return self._groups[-1]

    def turn_no_more(self) -> None:
        """Let the joints turn on the spot no more, in whatever is asked from now on."""
        self._vain_left = 0

    def wishing(self, wishes: Wishes) -> BranchSearch:
        """Return a search along the same path with other wishes of the joints."""
        turns = self._vain_left > 0
        return BranchSearch(self._model, self._groups, self._demand, self._close, wishes, turns)

    def hastily(self) -> BranchSearch:
        """Return a search that leaves undone what takes long and seldom helps.

        What has been found is known to it.
        """
        search = self.wishing(self._wishes._replace(hasty=True))
        search._ways = dict(self._ways)
        search._looked = self._looked
        return search

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
        why: MotionError | None = None
        try:
            direct = DrivenGroup(group, (self._followed(number, q),), None)
        except OutOfReachError:
            raise
        except MotionError as error:
            self._refuse_ends(number)
            why = error
        else:
            around = self._wishes.around
            if around is not None and is_singular(self._model, q):
                why = touched(self._model, [direct], around)  # a turn may lead away from it
            if why is None:
                yield direct
        tried: list[Array] = []
        if why is None or isinstance(why, InTheWayError):
            tried = yield from self._otherwise(number, q)
        lost = [q] if why is not None and not isinstance(why, InTheWayError) else []
        words = yield from self._turned(number, q, tried, lost)
        if why is not None and words is not None:
            # of a path that is left the right way something else was in the way
            words = "" if isinstance(why, InTheWayError) else words
            self._error = self._error or (with_words(why, words) if words else why)

    def _refuse_ends(self, number: int) -> None:
        """Refuse places that nothing reaches where groups end, before all else is tried.

        Args:
            number: Of the first group.

        Raises:
            OutOfReachError: For the first of them.
        """
        if self._looked or self._demand != "pose":
            return
        self._looked = True
        for group in self._groups[number : number + _AHEAD]:
            if group.joint is not None:
                goal = group.joint.goal
                if goal is not None and goal.ndim == 2 and not may_reach(self._model, goal):
                    raise beyond_reach(self._model, goal[:3, 3], group)
                continue
            track, built = group.tracks[0]
            if all(one.geometry.demand == "pose" for one in built):
                refuse_end(self._model, track, built)

    def _otherwise(self, number: int, q: Array) -> Generator[DrivenGroup, None, list[Array]]:
        """Yield the ways to drive a group on other branches that leave its singular start.

        A stretched elbow can bend to either side, and to one of them something may be in the way.

        Returns:
            Joint values a little ahead on each branch that was tried in vain.
        """
        model, group = self._model, self._groups[number]
        track, built = group.tracks[0]
        if self._demand != "pose" or any(one.geometry.demand != "pose" for one in built):
            return []
        if not self._vain_left or isinstance(model, CoupledModel) or not is_singular(model, q):
            return []
        tried: list[Array] = []
        for ahead, follower in ways_out(model, track, q):
            driven = DrivenGroup(group, (follower,), None)
            if self._is_free(driven):
                yield driven
            tried.append(ahead)
            if self._was_in_vain():
                break
        return tried

    def _is_free(self, driven: DrivenGroup) -> bool:
        """Return whether joints meet no stop and touch no body on their way along a track."""
        with suppress(InTheWayError):
            check_stops(self._model, driven.followers[0], driven.group.tracks[0][1])
            return touched(self._model, [driven], self._wishes.around) is None
        return False

    def _turned(
        self, number: int, q: Array, tried: Sequence[Array], lost: list[Array]
    ) -> Generator[DrivenGroup, None, str | None]:
        """Yield the ways to drive a group after a turn on the spot.

        Args:
            number: Of the group.
            q: Where the arm stands. Shape (n,).
            tried: Joint values a little ahead on branches that need no turn, and that were tried in
                vain.
            lost: Where the arm stood when the track could not be followed, to be added to.

        Returns:
            Why there are none, in words; None: there were some.
        """
        model = self._model
        if not self._vain_left or isinstance(model, CoupledModel):
            return ""
        track = self._groups[number].tracks[0][0]
        any_way, words = False, ""
        ways = ways_ahead(model, track, q)
        for turn in straight_turns(model, q, ways):
            known = any(turn.leads_to(ahead) for ahead in tried)
            # from beside a place the branches are those that were lost from there
            known = known or any(np.abs(turn.goal - goal).max() < SAME for goal in lost)
            found = None if known else self._after(number, turn)
            if isinstance(found, DrivenGroup):
                any_way = True
                yield found
            elif found is not None and not isinstance(found, InTheWayError):
                lost.append(turn.goal)
            if self._was_in_vain():
                return None if any_way else ""
        bent = bent_turns(model, q, ways)
        for turn in bent.turns:
            found = self._after(number, turn)
            if isinstance(found, DrivenGroup):
                any_way = True
                yield found
            else:
                words = words or f"; after a turn on the spot, {found}"
            if self._was_in_vain():
                return None if any_way else words
        if not bent.turns and bent.stops:
            ends = " and ".join(_stop_words(model, axis) for axis in bent.stops)
            words = (
                "; no turn on the spot within the stops leads to joint values with which the path "
                f"can be left: it ends at those of {ends}"
            )
        return None if any_way else words

    def _after(self, number: int, turn: SpotTurn) -> DrivenGroup | MotionError:
        """Return what drives a group after a turn on the spot, or why nothing does.

        Raises:
            OutOfReachError: When a place of the path is out of reach.
        """
        try:
            follower = self._followed(number, turn.goal)
        except OutOfReachError:
            raise
        except MotionError as error:
            return error
        turn = turn.ending(follower.table[0, 0])
        driven = DrivenGroup(self._groups[number], (follower,), None, turn)
        return touched(self._model, [driven], self._wishes.around) or driven

    def _was_in_vain(self) -> bool:
        """Count a way out of a singular place that leads nowhere; return whether it is the last."""
        self._vain_left = max(self._vain_left - 1, 0)
        return not self._vain_left

    def _goals(self, group: SegmentGroup, q: Array) -> list[Array]:
        assert group.joint is not None
        goal = group.joint.goal
        assert goal is not None
        if goal.ndim == 1:
            return [goal]
        found = candidates(self._model, goal, q, PART_OF[self._demand])
        home = self._home
        if home is not None and group is self._groups[-1] and self._stands_at(home, goal):
            found = [home, *found]
        if not found:
            raise beyond_reach(self._model, goal[:3, 3], group)
        return found

    def _stands_at(self, q: Array, goal: Array) -> bool:
        """Return whether joint values bring the tool to a pose, as far as that is demanded."""
        pose = np.asarray(self._model.fk(q))
        far, angle = (float(off) for off in separation(pose, goal))
        if self._demand == "position":
            angle = 0.0
        elif self._demand == "direction":
            angle = float(np.linalg.norm(pose[:3, 2] - goal[:3, 2]))
        return far <= AT_START and angle <= AT_START

    def _followed(self, number: int, q: Array) -> Follower:
        """Return what follows the track of a group, within the stops of all joints.

        Raises:
            MotionError: When it cannot be followed.
        """
        model, (track, built) = self._model, self._groups[number].tracks[0]
        revolute = model.turns.whole if isinstance(model, CoupledModel) else model.chain.revolute
        whole = np.where(revolute, q - TURN * np.round(q / TURN), q)
        state = self._state(number, whole)
        way = self._ways.get(state)
        if way is None:
            self._refuse_flipped(number, q)
            end = self._home if number + 1 == len(self._groups) else None
            try:
                found = follow(model, track, built, q, self._demand, end, self._wishes)
                way = _Way(q, found, None)
            except MotionError as error:
                way = _Way(q, None, error)
            self._ways[state] = way
        follower = way.followed()
        turns = np.where(revolute, TURN * np.round((q - way.start) / TURN), 0.0)
        if turns.any():
            table = follower.table.copy()
            table[:, 0] += turns
            follower = replace(follower, table=table)
        check_stops(model, follower, built)
        return follower

    @cached_property
    def _flip(self) -> WristFlip | None:
        """How the wrist turns over where the tool keeps its poses exactly."""
        return wrist_flip(self._model) if self._wishes.wrist == 0.0 else None

    def _refuse_flipped(self, number: int, q: Array) -> None:
        """Refuse to follow a track with a wrist whose other configuration met what it would meet.

        Args:
            number: Of the group.
            q: Joint values at its start. Shape (n,).

        Raises:
            MotionError: When it did.
        """
        flip = self._flip
        if flip is None:
            return
        built = self._groups[number].tracks[0][1]
        for (group, _), way in self._ways.items():
            gap = flip.gap(way.start, q) if group == number else np.inf
            # the stops of a wrist are its own
            if gap < BESIDE and way.error and not isinstance(way.error, InTheWayError):
                raise way.error
            if gap < EXACT and way.follower is not None:
                check_stops(self._model, flip.follower(way.follower, q), built)


def beyond_reach(model: SerialModel, place: Array, group: SegmentGroup) -> OutOfReachError:
    """Return what is said of a group that ends at a place [m] which the tool cannot get to."""
    return OutOfReachError(
        f"out of reach: no joint values of '{model.arm.name}' within their limits bring the tool "
        f"to {np.round(place, 6).tolist()} m{millimetre_hint(model.arm, place)}",
        segment=group.end.label,
    )


class _Way(NamedTuple):
    """What became of following a track from a configuration.

    Args:
        start: The configuration. Shape (n,).
        follower: What follows it; None: nothing can.
        error: Why nothing can.
    """

    start: Array
    follower: Follower | None
    error: MotionError | None

    def followed(self) -> Follower:
        """Return what follows the track.

        Raises:
            MotionError: When nothing can.
        """
        if self.follower is None:
            assert self.error is not None
            raise self.error
        return self.follower


def _stop_words(model: SerialModel, axis: int) -> str:
    """Return which joint has its stops where, in words."""
    joint = model.arm.moving[axis]
    low, high = model.chain.limits[axis]
    return f"joint '{joint.name}' ({low:.4g} to {high:.4g} {joint.unit})"


def _end_of(driven: DrivenGroup) -> Array:
    """Return the joint values at the end of a group. Shape (n,)."""
    end = driven.followers[-1].table[-1, 0] if driven.ends is None else driven.ends[1]
    return np.asarray(end)
