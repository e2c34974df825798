"""Joint values for a whole path, its poses met as far as the arm can.

In: a path and what is wished of it. Out: what drives each of its groups, from where the arm stands,
from the most sensible configuration at its start, or after a turn on the spot.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import separation
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.limits import Limits
from armwerk.motion.options import DEMANDS, Demand, OrientationKind
from armwerk.motion.path.blend_tracks import blend_tracks
from armwerk.motion.path.branches import (
    AT_START,
    PART_OF,
    SPATIAL,
    InTheWayError,
    OutOfReachError,
    place_words,
)
from armwerk.motion.path.connect import DrivenGroup
from armwerk.motion.path.given_start import given_near, given_start
from armwerk.motion.path.grouping import segment_groups
from armwerk.motion.path.search import BranchSearch
from armwerk.motion.path.spot_turn import exits
from armwerk.motion.path.start_choice import StartChoice, choose_start
from armwerk.motion.path.start_trial import from_chosen, from_given
from armwerk.motion.path.wishes import ArmSurroundings, Wishes
from armwerk.motion.path.wrist import deviations
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
_MIN_JERK = 1.0  # [m/s³] that blends are made for, however near a singularity the arm starts


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
        start: Joint values with which the path begins. Shape (n,).
        turned: Those from which the arm turns to them, the tool standing; None: it does not.
    """

    groups: list[DrivenGroup]
    notices: list[Notice]
    start: Array
    turned: Array | None = None


def drive(model: SerialModel, asked: AskedPath) -> DrivenPath:
    """Return joint values along a path.

    Raises:
        MotionError: When the arm cannot drive it; names segment, place and axis.
    """
    try:
        return _driven(model, asked, "pose")
    except OutOfReachError as error:
        return _driven_loosely(model, asked, error)
    except MotionError as error:
        found = _driven_after_a_turn(model, asked)
        return found or _driven_loosely(model, asked, error)


def _driven(model: SerialModel, asked: AskedPath, demand: Demand) -> DrivenPath:
    """Return joint values along a path whose poses are met as far as demanded."""
    path, bodies = asked.path, asked.bodies
    start = None if asked.q0 is None else given_start(model, path, asked.q0, demand)
    groups = segment_groups(model, path, start)
    choice: StartChoice | None = None
    if start is None:
        wanted = None if asked.near is None else given_near(model, asked.near)
        part = PART_OF[demand]
        choice = choose_start(model, np.asarray(path.start), wanted, bodies, part)
    jerk = tool_jerk(model, choice, start, asked.limits)
    notices: list[Notice] = []
    for k, group in enumerate(groups):
        tracks, words = blend_tracks(group.built, jerk)
        notices += words
        groups[k] = replace(group, tracks=tuple(tracks))
    search = BranchSearch(model, groups, demand, asked.close, asked.wishes)
    if choice is None:
        assert start is not None
        driven = from_given(model, search, start, bodies)
    else:
        driven, told = from_chosen(model, search, np.asarray(path.start), choice, bodies)
        notices.insert(0, told)
        start = driven[0].ends_of()[0] if driven else choice.candidates[0].q
    if asked.close and driven:
        _refuse_open(model, driven)
    return DrivenPath(driven, notices + _wrist_notices(driven), start)


def _driven_after_a_turn(model: SerialModel, asked: AskedPath) -> DrivenPath | None:
    """Return joint values from a configuration that the arm can turn to on the spot; None: none."""
    if asked.q0 is None or asked.close or isinstance(model, CoupledModel):
        return None
    start = given_start(model, asked.path, asked.q0, "pose")
    first = segment_groups(model, asked.path, start)[0]
    if first.joint is not None:
        return None
    tracks, _ = blend_tracks(first.built, np.inf)
    for goal in exits(model, tracks[0][0], start):
        with suppress(MotionError):
            return _driven(model, asked._replace(q0=goal), "pose")._replace(turned=start)
    return None


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
        raise MotionError(
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


def _driven_loosely(model: SerialModel, asked: AskedPath, error: MotionError) -> DrivenPath:
    """Return joint values of an arm with few freedoms that meet as much of the poses as it can.

    Raises:
        MotionError: For an arm with all freedoms, and where less was not allowed; then it says
            which orientation would do.
    """
    from armwerk.mechanics.inverse.partial import freedoms

    if isinstance(model, CoupledModel) and model.free.dof > model.dof:
        raise error  # its rods leave no choice of orientations
    count = SPATIAL if model.dof >= SPATIAL else freedoms(model)
    if count >= SPATIAL or isinstance(error, InTheWayError):
        raise error
    last = error
    for demand in DEMANDS[1:]:
        try:
            found = _driven(model, asked, demand)
        except InTheWayError:
            raise  # it could be met but for that
        except MotionError as other:
            last = other
            continue
        groups = (one.group for one in found.groups)
        strict = any(not one.geometry.adapts for group in groups for one in group.built)
        if strict:
            raise MotionError(
                f"{error.problem}; orientation='{_KIND_OF[demand]}' would do",
                segment=error.segment,
                place=error.place,
                axis=error.axis,
            )
        text = (
            f"{_KEPT[demand]}, since '{model.arm.name}' has {count} freedoms "
            f"(orientation='{_KIND_OF[demand]}')"
        )
        found.notices.append(Notice("orientation", "", "", text))
        return found
    raise last


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
