"""The starts of a path tried: the first configuration with which all of it fits.

In: a search for joint values, and the one configuration that an arm stands in or the many that may
be chosen. Out: what drives each group of the path, touching no body.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.choice import wrap
from armwerk.mechanics.extent import millimetre_hint
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.path.branches import SPATIAL, OutOfReachError, candidates
from armwerk.motion.path.connect import DrivenGroup
from armwerk.motion.path.search import BranchSearch
from armwerk.motion.path.start_choice import StartChoice
from armwerk.motion.path.touching import touched
from armwerk.motion.path.unturned import unturned
from armwerk.motion.path.wishes import ArmSurroundings
from armwerk.motion.trajectory.summary import Notice

_OTHERS = 8  # configurations that are tried: as many as an arm has, but in a singularity
_SPARE_STARTS = 6  # of the infinitely many of an arm with joints to spare; 4 are seldom in vain
_NEIGHBOUR = 0.01  # [rad or m] within which configurations are members of one family
_TURNED = 1e-6  # [rad or m] within which they are the same but for whole turns


class _Families:
    """Families of configurations in a singularity; the next member of one goes the same way.

    Args:
        model: Of the arm.
    """

    def __init__(self, model: SerialModel) -> None:
        self._chain = model.chain
        self._first: list[Array] = []

    def __len__(self) -> int:
        """Return how many have been met."""
        return len(self._first)

    def has_met(self, q: Array) -> bool:
        """Return whether another member of a configuration's family was here before.

        Those that differ by whole turns are no others: to try them costs next to nothing.
        """
        gaps = np.abs(wrap(self._chain, q - np.array(self._first).reshape(-1, len(q))))
        nearest = gaps.max(axis=1).min(initial=np.inf)
        if nearest >= _NEIGHBOUR:
            self._first.append(q)
        return bool(_TURNED < nearest < _NEIGHBOUR)


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
    driven = unturned(search.run(q0))
    body = touched(model, driven, bodies)
    if body is not None:
        raise body
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
    families, tried = _Families(model), 0
    if not choice.touching:
        for candidate in choice.candidates:
            if families.has_met(candidate.q):
                continue
            if model.dof > SPATIAL and tried == 1:
                search = search.hastily()
            if model.dof > SPATIAL and tried == _SPARE_STARTS:
                break
            try:
                driven = unturned(search.run(candidate.q), starts_anywhere=True)
                body = touched(model, driven, bodies)
                if body is not None:
                    raise body
                taken = replace(candidate, q=driven[0].ends_of()[0]) if driven else candidate
                return driven, Notice("start", "", "", choice.words(taken, tried))
            except OutOfReachError:
                raise
            except MotionError as error:
                first, tried = first or error, tried + 1
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
    families = _Families(model)
    for q in candidates(model, np.asarray(model.fk(q0)), q0):
        if families.has_met(q):
            continue
        if len(families) > _OTHERS:
            return
        if np.abs(q - q0).max() > 1e-3:
            yield q
