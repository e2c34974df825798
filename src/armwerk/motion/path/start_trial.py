"""The starts of a path tried: the first configuration with which all of it fits.

In: a search for joint values, and the one configuration that an arm stands in or the many that may
be chosen. Out: what drives each group of the path, touching no body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.choice import wrap
from armwerk.mechanics.extent import millimetre_hint
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.branches import InTheWayError, OutOfReachError, candidates, place_words
from armwerk.motion.path.connect import DrivenGroup
from armwerk.motion.path.search import BranchSearch
from armwerk.motion.path.start_choice import StartChoice
from armwerk.motion.path.wishes import ArmSurroundings
from armwerk.motion.trajectory.summary import Notice

_OTHERS = 8  # configurations that are tried: as many as an arm has, but in a singularity
_NEIGHBOUR = 0.01  # [rad or m] within which configurations are members of one family
_TURNED = 1e-6  # [rad or m] within which they are the same but for whole turns
_LOOKS = 101  # configurations of a motion in joint space that are held against bodies


def from_given(
    model: SerialModel, search: BranchSearch, q0: Array, bodies: ArmSurroundings | None
) -> list[DrivenGroup]:
    """Return the motion from where the arm stands.

    Args:
        model: Of the arm.
        search: For joint values along the path.
        q0: Where it stands. Shape (n,).
        bodies: What it must not touch; None: nothing.

    Raises:
        MotionError: When it cannot be driven from there.
    """
    driven = search.run(q0)
    touched = _touched(model, driven, bodies)
    if touched is not None:
        raise touched
    return driven


def from_chosen(
    model: SerialModel,
    search: BranchSearch,
    start: Array,
    choice: StartChoice,
    bodies: ArmSurroundings | None,
) -> tuple[list[DrivenGroup], Notice]:
    """Return the motion from the most sensible start with which the path fits, and which it is.

    Args:
        model: Of the arm.
        search: For joint values along the path.
        start: Pose of the tool there. Shape (4, 4).
        choice: The configurations there.
        bodies: What the arm must not touch; None: nothing.

    Raises:
        MotionError: When it fits with none; the first thing that was in the way.
    """
    first: MotionError | None = None
    if not choice.touching:
        for tried, candidate in enumerate(choice.candidates):
            try:
                driven = search.run(candidate.q)
                touched = _touched(model, driven, bodies)
                if touched is None:
                    return driven, Notice("start", "", "", choice.words(candidate, tried))
                raise touched
            except OutOfReachError:
                raise
            except MotionError as error:
                first = first or error
    elif choice.candidates:
        first = MotionError(
            f"every configuration within the limits at the start of the path is {choice.touching}"
        )
    raise first or MotionError(
        f"out of reach: no joint values of '{model.arm.name}' within their limits bring the tool "
        f"to the start of the path, {np.round(start[:3, 3], 6).tolist()} m"
        f"{millimetre_hint(model.arm, start[:3, 3])}"
    )


def other_starts(model: SerialModel, q0: Array) -> Iterator[Array]:
    """Yield other configurations that an arm could stand in, those nearest to q0 first.

    Args:
        model: Of the arm.
        q0: Where it stands. Shape (n,).
    """
    tried: list[Array] = []
    for q in candidates(model, np.asarray(model.fk(q0)), q0):
        gaps = [float(np.abs(wrap(model.chain, q - one)).max()) for one in tried]
        nearest = min(gaps, default=np.inf)
        if _TURNED < nearest < _NEIGHBOUR:
            continue  # the next member of the same family goes the same way
        if nearest >= _NEIGHBOUR:  # those that differ by whole turns cost next to nothing
            tried.append(q)
        if len(tried) > _OTHERS:
            return
        if np.abs(q - q0).max() > 1e-3:
            yield q


def _touched(
    model: SerialModel, driven: Sequence[DrivenGroup], bodies: ArmSurroundings | None
) -> MotionError | None:
    """Return which body is touched first on the way, as far as the points of the path tell."""
    if bodies is None:
        return None
    for one in driven:
        if one.ends is not None:
            shares = np.linspace(0.0, 1.0, _LOOKS)[:, None]
            rows = one.ends[0] + shares * (one.ends[1] - one.ends[0])
        else:
            rows = np.vstack([follower.table[:, 0] for follower in one.followers])
        for k, body in enumerate(bodies.touched(model.arm, rows)):
            if body:
                segment, place = _row_words(one, k)
                return InTheWayError(f"the arm touches '{body}'", segment=segment, place=place)
    return None


def _row_words(one: DrivenGroup, row: int) -> tuple[str, str]:
    """Return segment and place of a row of all joint values of a group, in words."""
    if one.group.joint is not None:
        return one.group.joint.label, ""
    for follower, (_, built) in zip(one.followers, one.group.tracks, strict=True):
        if row < len(follower.grid):
            return place_words(follower.track, built, float(follower.arcs[row, 0, 0]))
        row -= len(follower.grid)
    return "", ""
