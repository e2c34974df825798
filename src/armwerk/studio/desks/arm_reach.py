"""Which places an arm reaches, for the page: a cloud of voxels."""

from __future__ import annotations

import numpy as np

from armwerk.errors import UnsupportedError
from armwerk.pictures.skeleton import arm_size
from armwerk.protocol.configuring import SweptArm
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly
from armwerk.wire.arm_stage import packed_numbers

_SAMPLES = 150_000
_CELLS = 26  # along the size of the arm
_MOST = 60_000  # voxels that are sent


def swept(arm: Arm | Assembly) -> SweptArm:
    """Return the places that an arm reaches.

    Args:
        arm: Without symbols.

    Raises:
        UnsupportedError: For an assembly of parts.
    """
    if not isinstance(arm, Arm):
        raise UnsupportedError("the reach of an assembly of parts is not swept: only serial arms")
    from armwerk.planning import reach

    cell = float(max(arm_size(arm) / _CELLS, 1e-3))
    found = reach(arm, cell=cell, samples=_SAMPLES, seed=1)
    index = np.argwhere(found.counts > 0)
    if len(index) > _MOST:
        index = index[:: -(-len(index) // _MOST)]
    points = np.asarray(found.corner) + (index + 0.5) * found.cell
    best = found.manipulability[tuple(index.T)]
    values = best / max(float(best.max(initial=0.0)), 1e-12)
    away = np.linalg.norm(points - arm.base[:3, 3], axis=1)
    return SweptArm(
        packed_numbers(points),
        packed_numbers(values),
        float(found.cell),
        float(found.volume),
        float(away.max(initial=0.0)),
        f"{_SAMPLES:,} random configurations within the limits, voxels of {1000 * cell:.0f} mm",
    )
