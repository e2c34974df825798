"""Mass, centre of mass and inertia of bodies made of solids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.quaternion import rotation_from_quaternion
from armwerk.geometry.shape import Shape
from armwerk.geometry.transforms import transform
from armwerk.mobile.scene import DENSITY
from armwerk.physics.solids import add_solids


class MassProperties(NamedTuple):
    """How a body resists being moved.

    Attributes:
        mass: [kg].
        main: T_body_main: at the centre of mass, along the main axes. Shape (4, 4).
        inertia: About these axes [kg m²]. Shape (3,).
    """

    mass: float
    main: Array
    inertia: Array


def mass_properties(
    element: str, solids: Sequence[Shape], mass: float | None, density: float | None
) -> MassProperties:
    """Return mass, centre and inertia of a body.

    Args:
        element: For messages.
        solids: In the frame of the body, each with the same density.
        mass: [kg]; None: by the density.
        density: [kg/m³]; None: by the mass, or `DENSITY`.
    """
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="body")
    body.add_freejoint()
    names = (f"solid{piece}" for piece in count())
    for geom in add_solids(spec, body, solids, names, fixed=False):
        geom.density = DENSITY
    try:
        model = spec.compile()
    except ValueError as error:
        raise DescriptionError(
            "its solids have no mass that could be reckoned", element=element, value=str(error)
        ) from None
    plain = float(model.body_mass[1])
    if not plain > 0.0:
        raise DescriptionError("has no volume", element=element, allowed="closed solids")
    total = mass if mass is not None else plain * (density or DENSITY) / DENSITY
    main = transform(rotation_from_quaternion(model.body_iquat[1]), model.body_ipos[1])
    return MassProperties(total, main, np.array(model.body_inertia[1]) * (total / plain))
