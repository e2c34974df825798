"""Joint values for a whole path, its poses met as far as the arm can.

In: a path and what is wished of it. Out: what drives each of its stretches between stops, from
where the arm stands or from the most sensible configuration at its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import separation
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.inverse.tether import tether
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.limits import Limits
from armwerk.motion.options import DEMANDS, Demand, OrientationKind
from armwerk.motion.path.blend_tracks import blend_tracks
from armwerk.motion.path.branches import (
    AT_START,
    PART_OF,
    SPATIAL,
    ForcedError,
    InTheWayError,
    OutOfReachError,
    place_words,
    with_words,
)
from armwerk.motion.path.connect import DrivenGroup, SegmentGroup, stretches_of
from armwerk.motion.path.given_start import given_near, given_start
from armwerk.motion.path.grouping import segment_groups
from armwerk.motion.path.search import BranchSearch, beyond_reach
from armwerk.motion.path.solved_poses import solutions_of
from armwerk.motion.path.start_choice import StartChoice, choose_start
from armwerk.motion.path.start_trial import from_chosen, from_given, other_starts
from armwerk.motion.path.wishes import ArmSurroundings, Wishes
from armwerk.motion.path.wrist import ARM, deviations
from armwerk.motion.trajectory.summary import Notice

if TYPE_CHECKING:
    from armwerk.motion.path.path import Path

_KIND_OF: dict[Demand, OrientationKind] = {
    "direction": "direction",
    "inclination": "free",
    "position": "free",
}
_KEPT: dict[Demand, str] = {
    "direction": "the direction of the tool is met, its turn about that is free",
    "inclination": "the tool keeps its inclination and roll, its heading is free",
    "position": "only the place of the tool is met, its orientation is free",
}
_AGAIN = 8  # stretches between stops of a path that is driven again to see what would do
_FEW = 4  # joints, of which all solutions of a place are told at once
_WRIST = 0.02  # [rad] that is offered for a wrist that would run into a stop
_MIN_JERK = 1.0  # [m/s³] that blends are made for, however near a singularity the arm starts


Stretches: TypeAlias = tuple[list[SegmentGroup], list[Notice]]
"""What a path is made of between its stops, and what was noticed."""
KnownStretches: TypeAlias = dict[tuple[bytes | None, float], Stretches]
"""Stretches by joint values at the start of a path, where these tell it, and the jerk of blends."""


class OpenPathError(MotionError):
    """A path that is to be closed is not, wherever it is started."""


class AskedPath(NamedTuple):
    """A path with what it is to be driven with; see `armwerk.motion.path.Path.plan`."""

    path: Path
    limits: Limits
    q0: ArrayLike | None
    near: ArrayLike | None
    bodies: ArmSurroundings | None
    close: bool
    wishes: Wishes


class DrivenPath(NamedTuple):
    """Joint values for all groups, with what was noticed.

    Args:
        groups: What drives each.
        notices: What differs from what was asked for.
        start: Joint values with which the motion begins. Shape (n,).
    """

    groups: list[DrivenGroup]
    notices: list[Notice]
    start: Array


class PathTrial(NamedTuple):
    """A path that is ready to be driven.

    Args:
        model: Of the arm.
        asked: The path, and what is wished of it.
        search: For joint values along it.
        start: Where the arm stands; None: it may choose. Shape (n,).
        choice: Of the start, where the arm has one.
        notices: What differs from what was asked for.
    """

    model: SerialModel
    asked: AskedPath
    search: BranchSearch
    start: Array | None
    choice: StartChoice | None
    notices: list[Notice]

    def run(self) -> DrivenPath:
        """Return joint values along the path.

        Raises:
            MotionError: When the arm cannot drive it so; names segment, place and axis.
        """
        model, asked, notices, start = self.model, self.asked, list(self.notices), self.start
        if start is not None:
            driven = from_given(model, self.search, start, asked.bodies)
        else:
            assert self.choice is not None
            pose = np.asarray(asked.path.start)
            driven, told = from_chosen(model, self.search, pose, self.choice, asked.bodies)
            notices.insert(0, told)
            start = driven[0].ends_of()[0] if driven else self.choice.candidates[0].q
        if asked.close and driven:
            _refuse_open(model, driven)
        return DrivenPath(driven, notices + _wrist_notices(driven), start)

    def advised(self, error: MotionError) -> MotionError:
        """Return why the path cannot be driven, with what would do if there is anything.

        A long path is not driven again for that: whoever gave it has waited long enough.
        """
        hopeless = isinstance(error, OutOfReachError | OpenPathError)
        if hopeless or self.search.stretches > _AGAIN:
            return error
        words = ""
        self.search.turn_no_more()  # all that lead away from where the arm stands were tried
        try:
            q = self._fitting_start()
        except OutOfReachError as beyond:
            return beyond  # with any configuration
        if q is not None:
            numbers = ", ".join(f"{value:.4g}" for value in q)
            words += (
                f"; the path would fit with the configuration q = [{numbers}] at its start, but "
                "the arm stands in another"
            )
        wrist = {f"joint '{joint.name}'" for joint in self.model.arm.moving[ARM:]}
        passable = isinstance(error, InTheWayError | ForcedError) and error.axis in wrist
        if passable and self._fits_with_wrist():
            words += (
                f"; wrist={_WRIST:g} would do, the orientation then differs by up to {_WRIST:g} rad"
            )
        return with_words(error, words) if words else error

    def _fitting_start(self) -> Array | None:
        """Return another configuration in which the path could be started; None: none is found.

        Raises:
            OutOfReachError: When a place of the path turns out to be out of reach of all of them.
        """
        if self.start is None:
            return None  # all have been tried
        search = self.search
        if self.model.dof > SPATIAL:
            # one that fits as it is will do; to bring joints to spare into their ranges takes long
            search = search.wishing(self.asked.wishes._replace(spare=None))
        search = search.hastily()
        for q in other_starts(self.model, self.start):
            try:
                self._replace(search=search, start=q).run()
            except OutOfReachError:
                raise
            except MotionError:
                continue
            return q
        return None

    def _fits_with_wrist(self) -> bool:
        """Return whether the path fits if a wrist passes its singularities straight."""
        wishes, start = self.asked.wishes, self.start
        if start is None and self.choice is not None and self.choice.candidates:
            start = self.choice.candidates[0].q
        if start is None or wishes.wrist > 0.0 or self.model.dof != SPATIAL:
            return False
        if self.search.chooses:
            return False  # all choices would have to be followed again
        search = self.search.wishing(wishes._replace(wrist=_WRIST, hasty=True))
        with suppress(MotionError):
            self._replace(search=search, start=start, choice=None).run()
            return True
        return False


def drive(model: SerialModel, asked: AskedPath) -> DrivenPath:
    """Return joint values along a path.

    Raises:
        MotionError: When the arm cannot drive it; names segment, place and axis, and says what
            would do if there is anything.
    """
    trial: PathTrial | None = None
    known: KnownStretches = {}
    try:
        trial = path_trial(model, asked, "pose", known)
        return trial.run()
    except MotionError as error:
        return _driven_loosely(model, asked, error, trial, known)


def path_trial(
    model: SerialModel, asked: AskedPath, demand: Demand, known: KnownStretches
) -> PathTrial:
    """Return a path whose poses are met as far as demanded, ready to be driven.

    Args:
        model: Of the arm.
        asked: The path, and what is wished of it.
        demand: What of its poses must be met at most.
        known: Stretches that other trials were made of, to be added to: what was found along a
            track is known to all that have it.

    Raises:
        MotionError: When it cannot begin.
    """
    path = asked.path
    start = None if asked.q0 is None else given_start(model, path, asked.q0, demand)
    choice: StartChoice | None = None
    if start is None:
        wanted = None if asked.near is None else given_near(model, asked.near)
        part = PART_OF[demand]
        choice = choose_start(model, np.asarray(path.start), wanted, asked.bodies, part)
    jerk = tool_jerk(model, choice, start, asked.limits)
    key = (None if path.start is not None or start is None else start.tobytes(), jerk)
    if key not in known:
        known[key] = _stretches(model, path, start, jerk)
    stretches, notices = known[key]
    search = BranchSearch(model, stretches, demand, asked.close, asked.wishes)
    return PathTrial(model, asked, search, start, choice, notices)


def _stretches(model: SerialModel, path: Path, start: Array | None, jerk: float) -> Stretches:
    """Return the stretches of a path with blends for a jerk [m/s³]."""
    notices: list[Notice] = []
    stretches: list[SegmentGroup] = []
    for group in segment_groups(model, path, start):
        tracks, words = blend_tracks(group.built, jerk)
        notices += words
        stretches += stretches_of(group, tracks)
    return stretches, notices


def _refuse_end(model: SerialModel, last: SegmentGroup) -> None:
    """Refuse a path that ends at a place too far for the tool, however it is turned.

    Raises:
        OutOfReachError: When it does; no other orientation needs to be tried.
    """
    if last.joint is None:
        track, _ = last.tracks[-1]
        place = track.position(np.array([track.length]), left=True)[0, 0]
    else:
        goal = last.joint.goal
        if goal is None or goal.ndim == 1:
            return
        place = goal[:3, 3]
    if not tether(model.chain).allows_place(place):
        raise beyond_reach(model, place, last)


def _wrist_notices(driven: Sequence[DrivenGroup]) -> list[Notice]:
    """Say where the orientation differs so that a wrist passes its singularity straight."""
    told = []
    for group in driven:
        for (track, built), follower in zip(group.group.tracks, group.followers, strict=False):
            found = deviations(track, follower.track)
            if found is not None:
                segment, place = place_words(track, built, found[0])
                text = (
                    f"the tool's orientation differs by up to {found[1]:.3g} rad, since the wrist "
                    "passes its singularity straight"
                )
                told.append(Notice(segment, place, "", text))
    return told


def _refuse_open(model: SerialModel, driven: Sequence[DrivenGroup]) -> None:
    """Refuse joint values that do not end as they begin."""
    first, last = driven[0].ends_of()[0], driven[-1].ends_of()[1]
    off = np.abs(last - first)
    if off.max() <= AT_START:
        return
    far, angle = separation(model.fk(first), model.fk(last))
    segment = driven[-1].group.end.label
    if far > AT_START or angle > AT_START:
        raise OpenPathError(
            f"a path that is to be closed must end where it begins: its end is {1e3 * far:.6g} mm "
            f"and {angle:.6g} rad away from that",
            segment=segment,
        )
    axis = int(np.argmax(off))
    joint = model.arm.moving[axis]
    raise MotionError(
        f"the path cannot be closed in its joints: it ends {off[axis]:.4g} {joint.unit} away from "
        "where it began",
        segment=segment,
        axis=f"joint '{joint.name}'",
    )


def _driven_loosely(
    model: SerialModel,
    asked: AskedPath,
    error: MotionError,
    trial: PathTrial | None,
    known: KnownStretches,
) -> DrivenPath:
    """Return joint values of an arm with few freedoms that meet as much of the poses as it can.

    Args:
        model: Of the arm.
        asked: The path, and what is wished of it.
        error: Why whole poses cannot be met.
        trial: The trial that ended so; None: none could be made.
        known: Stretches that trials were made of.

    Raises:
        MotionError: For an arm with all freedoms, and where less was not allowed; then it says
            which orientation would do.
    """
    from armwerk.mechanics.inverse.partial import freedoms

    # the rods of a coupled arm leave no choice of orientations
    has_all = isinstance(model, CoupledModel) and model.free.dof > model.dof
    count = SPATIAL if has_all or model.dof >= SPATIAL else freedoms(model)
    if count >= SPATIAL or isinstance(error, InTheWayError):
        raise _advised(error, trial)
    if trial is not None:
        _refuse_end(model, trial.search.last)
    last = error
    for demand in DEMANDS[-1:] if _is_beyond(model, error) else DEMANDS[1:]:
        trial = None
        try:
            trial = path_trial(model, asked, demand, known)
            found = trial.run()
        except InTheWayError as stop:
            raise _advised(stop, trial) from None  # it could be met but for that
        except MotionError as other:
            last = other
            continue
        groups = (one.group for one in found.groups)
        strict = any(not one.geometry.adapts for group in groups for one in group.built)
        if strict:
            raise with_words(error, f"; orientation='{_KIND_OF[demand]}' would do")
        text = (
            f"{_KEPT[demand]}, since '{model.arm.name}' has {count} freedoms "
            f"(orientation='{_KIND_OF[demand]}')"
        )
        found.notices.append(Notice("orientation", "", "", text))
        return found
    raise _advised(last, trial)


def _is_beyond(model: SerialModel, error: MotionError) -> bool:
    """Return whether nothing brings the tool to the place that an error names, however turned.

    Where no joint values bring the tool point none bring it there with less of an orientation; it
    is the place alone that has to be told. An arm of more joints is searched for long to be sure.
    """
    pose = error.pose if isinstance(error, OutOfReachError) else None
    if model.dof > _FEW:
        return False
    return pose is not None and not len(solutions_of(model, pose, "position", model.chain.home()))


def _advised(error: MotionError, trial: PathTrial | None) -> MotionError:
    return error if trial is None else trial.advised(error)


def tool_jerk(
    model: SerialModel, choice: StartChoice | None, q0: Array | None, limits: Limits
) -> float:
    """Return about what jerk of the tool the joints allow at the start [m/s³]."""
    q = q0
    if q is None:
        if choice is None or not choice.candidates:
            return float("inf")
        q = choice.candidates[0].q
    rates = np.linalg.norm(np.linalg.pinv(model.jacobian(q))[:, :3], axis=1)
    return max(float((limits.jerk / np.maximum(rates, 1e-9)).min()), _MIN_JERK)
