"""The trajectory generators of an arm as C99: point to point, and the straight line of the tool.

Comes in: the models of an arm. Goes out: a header and a source file that stand beside the models
of the arm and need nothing but them and libm. The law is ramp, cruise, ramp from rest to rest with
constant jerk in the ramps.
"""

from __future__ import annotations

from armwerk.derivation.emit.c.axes_templates import ANGLES, AXES_HEADER, LEAVING, LOOKS, SOLVER
from armwerk.derivation.emit.c.header import taken_argument
from armwerk.derivation.emit.c.motion_templates import (
    HEADER,
    LAW,
    LINE,
    LINE_HEADER,
    POINT_TO_POINT,
)
from armwerk.derivation.emit.models import Models
from armwerk.robot.arm import Arm


def motion_header(models: Models) -> str:
    """Return the text of the header file."""
    line = LINE_HEADER if has_line(models) else _NO_LINE
    return _filled(models, HEADER.replace("@line@", line))


def motion_source(models: Models) -> str:
    """Return the text of the source file."""
    rows = [
        "    {" + ", ".join(repr(float(value or 0.0)) for value in rates) + "},"
        for rates in (
            (joint.max_velocity, joint.max_acceleration, joint.max_jerk)
            for joint in _described(models).moving
        )
    ]
    text = LAW.replace("@rates@", "\n".join(rows)) + POINT_TO_POINT
    return _filled(models, text + (LINE if has_line(models) else ""))


def has_line(models: Models) -> bool:
    """Whether the arm has an inverse kinematics that needs nothing but a pose."""
    return models.branches is not None and not models.given


def _described(models: Models) -> Arm:
    """Return the arm whose drives move."""
    return models.arm if models.coupling is None else models.coupling.arm


def _filled(models: Models, text: str) -> str:
    own = "parameters, " if models.parameters else ""
    is_coupled = models.coupling is not None
    for mark, value in (
        ("@axes@", AXES_HEADER if is_coupled else ""),
        ("@leaving@", LEAVING if is_coupled else ""),
        ("@angles@", ANGLES if is_coupled else ""),
        ("@looks@", LOOKS if is_coupled else ""),
        ("@solver@", SOLVER if is_coupled else ""),
        ("@solve@", "axes_for" if is_coupled else "@arm@_inverseKinematics"),
        ("@limits@", "@arm@_axis_limits" if is_coupled else "@arm@_limits"),
        ("@size@", "@BIG@_AXES" if is_coupled else "@BIG@_DOF"),
        ("@arm@", models.prefix),
        ("@BIG@", models.prefix.upper()),
        ("@taken@", taken_argument(models)),
        ("@own@", own),
    ):
        text = text.replace(mark, value)
    return text


_NO_LINE = """\
/* There are no lines here: the arm has no inverse kinematics that takes a pose alone. */
"""
