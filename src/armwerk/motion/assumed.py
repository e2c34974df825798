"""Rates of joints that a description leaves open.

Joints come in, a rate for each of them and words about what was assumed go out. URDF cannot say
accelerations and jerks, and few data sheets do; a motion needs them all the same. An arm is taken
to reach its top speed within a quarter of a second, and its top acceleration within a tenth, as
arms of 1 to 2 m do. Where even the speed is missing, it is half a turn per second or 0.5 m/s.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import AssumedLimitsWarning, warn
from armwerk.robot.joint import Joint
from armwerk.robot.part import Motor

SPEEDS = {"rad": np.pi, "m": 0.5}
"""[rad/s, m/s] of joints whose description gives no speed."""
RAMP = 4.0
"""[1/s] acceleration per speed, likewise."""
JERK = 10.0
"""[1/s] jerk per acceleration, likewise."""
SILENCING = "ARMWERK_NOTICES"
"""The variable of the environment that keeps words about assumptions back when it is "no"."""
UNITS = {"revolute": "rad", "prismatic": "m"}
"""Unit of a joint's value by its kind."""
_PER = {"velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}


def is_hushed() -> bool:
    """Say whether the user wants no words about what is assumed."""
    return os.environ.get(SILENCING, "").strip().lower() in {"no", "0", "false", "off"}


def kind_of(joint: Joint | Motor) -> str:
    """Return "revolute" or "prismatic" for a joint of an arm or a motor of an assembly."""
    return joint.kind if isinstance(joint, Joint) else joint.joint_kind


def filled_rates(
    joints: Sequence[Joint | Motor], given: dict[str, Array], name: str
) -> tuple[dict[str, Array], str]:
    """Return a velocity, an acceleration and a jerk for every joint, and what was assumed of them.

    Args:
        joints: Those that move.
        given: Rates that count in place of those described, by "velocity", "acceleration" and
            "jerk" [rad or m, per s, s², s³]. Shape (n,).
        name: Of the arm, for the words.

    Returns:
        The rates by name, each of shape (n,); and the words, empty when all is described.
    """
    units = [UNITS[kind_of(joint)] for joint in joints]
    guess = np.array([SPEEDS[unit] for unit in units])
    rates: dict[str, Array] = {}
    words: list[str] = []
    for rate, factor in (("velocity", 1.0), ("acceleration", RAMP), ("jerk", JERK)):
        found = given.get(rate)
        if found is None:
            found = np.array([getattr(joint, f"max_{rate}") or np.nan for joint in joints])
        missing = np.isnan(found)
        guess = np.where(missing, guess * factor, found)
        rates[rate] = guess
        if missing.any():
            words.append(_words(rate, guess, missing, joints, units))
    if not words:
        return rates, ""
    return rates, (
        f"'{name}' does not describe all limits of its joints; assumed: {'; '.join(words)}. "
        "Say better by limits=Limits.of(arm, acceleration=…, jerk=…) or --max-acceleration, "
        f"--max-jerk; {SILENCING}=no keeps this back"
    )


def _words(
    rate: str,
    values: Array,
    missing: np.ndarray[tuple[int], np.dtype[np.bool_]],
    joints: Sequence[Joint | Motor],
    units: Sequence[str],
) -> str:
    """Return which joints get which value, joints of one value together."""
    groups: dict[str, list[str]] = {}
    for value, absent, joint, unit in zip(values, missing, joints, units, strict=True):
        if absent:
            groups.setdefault(f"{value:.3g} {unit}{_PER[rate]}", []).append(joint.name)
    if len(groups) == 1 and missing.all():
        return f"{rate} {next(iter(groups))}"
    each = (f"{value} ({', '.join(names)})" for value, names in groups.items())
    return f"{rate} {', '.join(each)}"


def tell(words: str) -> None:
    """Warn of an assumption; Python shows one text once in a process."""
    if words and not is_hushed():
        warn(words, AssumedLimitsWarning)
