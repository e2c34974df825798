"""What can be given as an arm: a description, its model, a library name, or a file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.caching import SameObject
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mechanics.interface import ArmModel
from armwerk.robot import load
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

Described: TypeAlias = Arm | Assembly
ArmLike: TypeAlias = Described | ArmModel | str | Path


def described_arm(arm: ArmLike) -> Described:
    """Return the description of what was given as an arm.

    Raises:
        DescriptionError: When it is no arm.
    """
    found = load(arm) if isinstance(arm, str | Path) else getattr(arm, "arm", arm)
    if not isinstance(found, Arm | Assembly):
        raise DescriptionError(
            "no arm", element="arm", value=arm, allowed="an Arm, an Assembly, a name or a file"
        )
    return found


def limits_of(arm: Described) -> Array:
    """Return the limits of an arm's joints, found once [rad or m]. Shape (n, 2), read-only."""
    return _limits_of(SameObject(arm))


@lru_cache(maxsize=8)
def _limits_of(same: SameObject[Described]) -> Array:
    limits = np.array(same.value.limits, dtype=np.float64)
    limits.setflags(write=False)
    return limits


def serial_arm(arm: ArmLike) -> Arm:
    """Return the description of what was given as a serial arm.

    Raises:
        DescriptionError: When it is no arm.
        UnsupportedError: When it is an assembly.
    """
    found = described_arm(arm)
    if isinstance(found, Assembly):
        raise UnsupportedError(
            f"the reach of '{found.name}' cannot be swept: it is an assembly with closed "
            "chains, and the sweep walks serial arms"
        )
    return found
