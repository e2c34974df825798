"""A joint: one Denavit-Hartenberg row, its limits and the link, the body that it moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import DescriptionError
from armwerk.robot.coupling import Coupling
from armwerk.robot.dimension import Dimension, dimension, number

INERTIA_NAMES = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_ROUNDING = 1e-9  # share of the largest moment by which published, rounded tensors may be off
JointKind: TypeAlias = Literal["revolute", "prismatic", "fixed"]
KINDS: tuple[JointKind, ...] = ("revolute", "prismatic", "fixed")
ROW_FIELDS = ("d", "a", "alpha", "offset")
LIMIT_FIELDS = ("max_velocity", "max_acceleration", "max_jerk", "max_force")
UNITS = {"revolute": "rad", "prismatic": "m", "fixed": ""}
FORCE_UNITS = {"revolute": "N m", "prismatic": "N", "fixed": ""}


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


@dataclass(frozen=True, slots=True)
class Joint:
    """One row T = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha) and what belongs to it.

    The joint variable q is added to the angle of a revolute joint (theta = offset + q) and to
    the displacement of a prismatic one (d + q, theta = offset). A fixed joint has no variable.

    Args:
        kind: "revolute", "prismatic" or "fixed".
        d: Displacement along the old z axis [m].
        a: Displacement along the new x axis [m].
        alpha: Angle about the new x axis [rad].
        offset: Angle about the old z axis at q = 0 [rad].
        limits: Smallest and largest q [rad or m]; None: no limit.
        max_velocity: [rad/s or m/s]; None: no limit, as for the next three.
        max_acceleration: [rad/s² or m/s²].
        max_jerk: [rad/s³ or m/s³].
        max_force: [N m or N].
        name: "q1", "q2", … when left empty.
        link: Mass, centre of mass and inertia of the body it moves.
        armature: Inertia of the motor seen at the joint [kg m² or kg].
        viscous_friction: Force per speed seen at the joint [N m s/rad or N s/m].
        coulomb_friction: Dry friction against positive and negative motion, both as
            magnitudes [N m or N].
        coupling: How it follows drives of other axes; None: its own drive alone moves it. The
            limits, the drive and the joint variable are then those of its own drive.
    """

    kind: JointKind
    d: Dimension = 0.0
    a: Dimension = 0.0
    alpha: Dimension = 0.0
    offset: Dimension = 0.0
    limits: tuple[float, float] | None = None
    max_velocity: float | None = None
    max_acceleration: float | None = None
    max_jerk: float | None = None
    max_force: float | None = None
    name: str = ""
    link: Link = field(default_factory=Link)
    armature: Dimension = 0.0
    viscous_friction: Dimension = 0.0
    coulomb_friction: tuple[Dimension, Dimension] = (0.0, 0.0)
    coupling: Coupling | None = None

    def __post_init__(self) -> None:
        try:
            self._check()
        except DescriptionError as error:
            raise error.at(None, within=f"joint '{self.name}'" if self.name else "") from None

    def _check(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if self.kind not in KINDS:
            raise DescriptionError(
                "unknown joint kind", element="kind", value=self.kind, allowed=", ".join(KINDS)
            )
        if not isinstance(self.name, str):
            raise DescriptionError("not a text", element="name", value=self.name)
        if not isinstance(self.link, Link):
            raise DescriptionError("not a Link", element="link", value=self.link)
        for name in ROW_FIELDS:
            put(name, dimension(getattr(self, name), name))
        for name in LIMIT_FIELDS:
            if getattr(self, name) is not None:
                put(name, _positive(getattr(self, name), name))
        if self.limits is not None:
            put("limits", _range(self.limits))
        for name in ("armature", "viscous_friction"):
            put(name, _magnitude(getattr(self, name), name))
        put("coulomb_friction", _pair(self.coulomb_friction))
        self._check_coupling()

    def _check_coupling(self) -> None:
        if self.coupling is None:
            return
        if not isinstance(self.coupling, Coupling):
            raise DescriptionError("not a Coupling", element="coupling", value=self.coupling)
        if self.kind == "fixed":
            raise DescriptionError(
                "a fixed joint cannot follow anything",
                element="coupled",
                value=dict(self.coupling.factors),
                allowed="revolute or prismatic joints",
            )
        if not self.coupling.driven:
            for name in ("limits", *LIMIT_FIELDS):
                if getattr(self, name) is not None:
                    raise DescriptionError(
                        "a joint without a drive of its own has none",
                        element=name,
                        value=getattr(self, name),
                        allowed="angle_limits for the joint, the rest at the axes that drive it",
                    )

    @property
    def is_moving(self) -> bool:
        """Whether the joint has a variable: it is not fixed and has a drive."""
        return self.kind != "fixed" and (self.coupling is None or self.coupling.driven)

    @property
    def unit(self) -> str:
        """Unit of the joint variable: "rad" or "m"; empty for a fixed joint."""
        return UNITS[self.kind]

    @property
    def is_symbolic(self) -> bool:
        """Whether any dimension of row, link or drive is still a symbol."""
        return any(isinstance(value, str) for value in self.dimensions())

    def dimensions(self) -> tuple[Dimension, ...]:
        """Return every number that may be a symbol: row, link, drive."""
        row = (self.d, self.a, self.alpha, self.offset)
        drive = (self.armature, self.viscous_friction, *self.coulomb_friction)
        return (*row, *self.link.values(), *drive)

    def map(self, change: Callable[[Dimension], Dimension]) -> Joint:
        """Return a joint with ``change`` applied to every number that may be a symbol."""
        row = {name: change(getattr(self, name)) for name in ROW_FIELDS}
        forward, backward = self.coulomb_friction
        return replace(
            self,
            **row,  # type: ignore[arg-type]
            link=self.link.map(change),
            armature=change(self.armature),
            viscous_friction=change(self.viscous_friction),
            coulomb_friction=(change(forward), change(backward)),
        )


def _positive(value: object, name: str) -> float:
    result = number(value, name)
    if result <= 0:
        raise DescriptionError("not positive", element=name, value=value, allowed="above 0")
    return result


def _magnitude(value: object, name: str) -> Dimension:
    result = dimension(value, name)
    if isinstance(result, float) and result < 0:
        raise DescriptionError("negative", element=name, value=value, allowed="at least 0")
    return result


def _pair(values: object) -> tuple[Dimension, Dimension]:
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != 2:
        raise DescriptionError(
            "wrong shape",
            element="coulomb_friction",
            value=values,
            allowed="two magnitudes, for positive and for negative motion",
        )
    pair = [_magnitude(value, "coulomb_friction") for value in values]  # type: ignore[attr-defined]
    return pair[0], pair[1]


def _range(values: object) -> tuple[float, float]:
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != 2:
        raise DescriptionError(
            "wrong shape", element="limits", value=values, allowed="(minimum, maximum)"
        )
    low, high = (number(value, "limits") for value in values)  # type: ignore[attr-defined]
    if low >= high:
        raise DescriptionError(
            "minimum not below maximum",
            element="limits",
            value=(low, high),
            allowed="minimum < maximum",
        )
    return low, high
