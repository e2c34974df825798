"""How one segment goes over into the next without a stop."""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.motion.curves import Curve
from armwerk.motion.path.orientation import Orientation


@dataclass(frozen=True, slots=True, eq=False)
class Corner:
    """How one segment goes over into the next without a stop.

    Args:
        before: Arc length of the first segment that is cut off [m].
        after: Arc length of the second one that is cut off [m].
        curve: What comes instead; None: nothing, they go on smoothly as they are.
        turn_before: Arc length before the end of the first at which its orientation ends [m].
        turn_after: Arc length from the start of the second at which its orientation begins [m].
        orientation: Between the two; None: they go on as they are.
    """

    before: float
    after: float
    curve: Curve | None
    turn_before: float
    turn_after: float
    orientation: Orientation | None


PASSED = Corner(0.0, 0.0, None, 0.0, 0.0, None)
"""A corner that is none: tangent, curvature and turning go on."""
