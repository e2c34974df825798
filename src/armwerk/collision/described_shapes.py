"""The solids that the file of an arm describes: an arm comes in, its shapes go out.

They are read once for a file that has not changed, since meshes take a while.
"""

from __future__ import annotations

import os
from collections import OrderedDict

from armwerk.collision.urdf_shapes import (
    NO_FILE,
    OTHER_ARM,
    UrdfElement,
    UrdfSolids,
    urdf_shapes,
)
from armwerk.errors import AssumedShapesWarning, DescriptionError, warn
from armwerk.robot.arm import Arm
from armwerk.robot.formats.srdf_reader import srdf_of
from armwerk.robot.references import arm_reference

_KEPT = 8  # arms whose solids are remembered
_known: OrderedDict[tuple[str, tuple[float, float], str, str], UrdfSolids] = OrderedDict()


def described_shapes(arm: Arm) -> UrdfSolids | None:
    """Return the solids in an arm's file: its collision elements, else hulls of its visual ones.

    Args:
        arm: With the file it was read from.

    Returns:
        None when the file is gone, describes no solids, or another arm than this one; or when
        files of meshes are missing, which an `AssumedShapesWarning` says.

    Raises:
        DescriptionError: With file and line, for a mesh that cannot be read.
    """
    try:
        solids = described_solids(arm, "collision")
        if solids is not None and not solids.shapes:
            solids = described_solids(arm, "visual", hulls=True)
    except DescriptionError as error:
        if error.allowed == OTHER_ARM:
            return None
        if error.problem != NO_FILE:
            raise
        warn(
            f"{error}; the links of '{arm.name}' are taken as capsules along its axes instead",
            AssumedShapesWarning,
        )
        return None
    return solids if solids is not None and solids.shapes else None


def described_solids(
    arm: Arm, element: UrdfElement, hulls: bool | None = None
) -> UrdfSolids | None:
    """Return what the elements of an arm's file describe; None without such a file.

    Args:
        arm: With the file it was read from.
        element: "collision" or "visual".
        hulls: As for `urdf_shapes`.

    Raises:
        DescriptionError: With file and line.
    """
    path = arm_reference(arm.file).path if arm.file else None
    if path is None or not path.is_file():
        return None
    semantics = srdf_of(path, arm.name, arm.srdf)
    times = [os.path.getmtime(path), 0.0 if semantics is None else os.path.getmtime(semantics.file)]
    place = f"{arm.fingerprint()} {arm.file} {arm.srdf}"
    key = (place, (times[0], times[1]), element, str(hulls))
    found = _known.get(key)
    if found is None:
        found = urdf_shapes(arm.file, arm, hulls=hulls, element=element)
        _known[key] = found
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return found
