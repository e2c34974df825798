"""The nominal arm of a calibrated one: an arm with a closed form in comes out as it was drawn.

Calibration measures every dimension, so that right angles are off by a fraction of a degree and
axes that should meet pass each other by a fraction of a millimetre. Such an arm has no closed form,
but it stands as its nominal arm does, and its solutions have the names of that arm's.
"""

from __future__ import annotations

import math
from dataclasses import replace

from armwerk.derivation.inverse import inverse_of
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint

_TWIST = math.radians(1.0)  # from a multiple of 90°
_SHARE = 0.005  # of all lengths together; a shorter length is zero
_RIGHT = math.pi / 2


def nominal(arm: Arm) -> Arm:
    """Return the arm with twists next to a multiple of 90° brought there, tiny lengths to zero."""
    total = sum(abs(float(joint.d)) + abs(float(joint.a)) for joint in arm.joints)
    return replace(arm, joints=tuple(_nominal(joint, _SHARE * total) for joint in arm.joints))


def with_closed_form(arm: Arm) -> Arm | None:
    """Return the arm itself if it has a closed form, else its nominal arm if that has; or None."""
    drawn = nominal(arm)
    for one in (arm,) if drawn.joints == arm.joints else (arm, drawn):
        program = inverse_of(one).program
        if program is not None and not program.given:
            return one
    return None


def _nominal(joint: Joint, tiny: float) -> Joint:
    alpha = float(joint.alpha)
    right = _RIGHT * round(alpha / _RIGHT)
    return replace(
        joint,
        d=0.0 if abs(float(joint.d)) < tiny else joint.d,
        a=0.0 if abs(float(joint.a)) < tiny else joint.a,
        alpha=right if abs(alpha - right) < _TWIST else joint.alpha,
    )
