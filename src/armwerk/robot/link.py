"""A link: the body that a joint moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import Dimension, dimension

INERTIA_NAMES = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_ROUNDING = 1e-9  # share of the largest moment by which published, rounded tensors may be off


@dataclass(frozen=True, slots=True)
class Link:
    """Mass, centre of mass and inertia of the body behind a joint.

    Everything is given in the frame that the joint's Denavit-Hartenberg row ends in.

    Args:
        mass: [kg], not negative.
        com: Centre of mass (rx, ry, rz) [m].
        inertia: (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg m²] about the centre of mass.
    """

    mass: Dimension = 0.0
    com: tuple[Dimension, Dimension, Dimension] = (0.0, 0.0, 0.0)
    inertia: tuple[Dimension, Dimension, Dimension, Dimension, Dimension, Dimension] = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "mass", dimension(self.mass, "mass"))
        set_field(self, "com", _row(self.com, ("rx", "ry", "rz"), "com"))
        set_field(self, "inertia", _row(self.inertia, INERTIA_NAMES, "inertia"))
        if isinstance(self.mass, float) and self.mass < 0:
            raise DescriptionError(
                "negative mass", element="mass", value=self.mass, allowed="at least 0 kg"
            )
        if not self.is_symbolic:
            smallest, *_, largest = np.linalg.eigvalsh(self.inertia_matrix())
            if smallest < -_ROUNDING * max(abs(largest), abs(smallest)):
                raise DescriptionError(
                    f"a principal moment of inertia is negative ({smallest:.4g} kg m²)",
                    element="inertia",
                    value=self.inertia,
                    allowed="a positive semi-definite tensor",
                )

    @property
    def is_symbolic(self) -> bool:
        """Whether any of the numbers is still a symbol."""
        return any(isinstance(value, str) for value in (self.mass, *self.com, *self.inertia))

    def inertia_matrix(self) -> NDArray[np.float64]:
        """Return the inertia about the centre of mass [kg m²]. Shape (3, 3)."""
        xx, yy, zz, xy, xz, yz = (float(value) for value in self.inertia)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def map(self, change: Callable[[Dimension], Dimension]) -> Link:
        """Return a link with ``change`` applied to every number."""
        com = tuple(change(value) for value in self.com)
        inertia = tuple(change(value) for value in self.inertia)
        return Link(change(self.mass), com, inertia)  # type: ignore[arg-type]

    def values(self) -> tuple[Dimension, ...]:
        """Return all ten numbers, mass first."""
        return (self.mass, *self.com, *self.inertia)


def _row(values: object, names: tuple[str, ...], what: str) -> tuple[Dimension, ...]:
    try:
        row: tuple[object, ...] = tuple(values)  # type: ignore[arg-type]
    except TypeError:
        row = ()
    if isinstance(values, str) or len(row) != len(names):
        raise DescriptionError(
            "wrong shape", element=what, value=values, allowed=f"{len(names)} values {names}"
        )
    return tuple(dimension(value, f"{what} {name}") for value, name in zip(row, names, strict=True))


LINK_FIELDS = tuple(field.name for field in fields(Link))
