"""The parts an arm is built from, and how one hangs on another.

Every part has a frame of its own, where it is fixed. Towards the hand ("tail side") it carries
other parts at connection points; a connection point is a roto-translation of the tail-side part
in the fix-side one. Motors and passive elements move the frame in which their connection point
stands:

| part                          | motion between its frame and its connection point |
|-------------------------------|---------------------------------------------------|
| Body, TConnector, (Touch)Segment | none                                           |
| Servo                         | turn about z by the commanded angle               |
| LinearMotor                   | shift along x by the commanded length             |
| Passive FULLROT               | turn about z, then about y, as the loop demands   |
| Passive AXISROT               | turn about z, as the loop demands                 |
| Passive LINEAR                | shift along x, as the loop demands                |
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.errors import DescriptionError
from armwerk.geometry.euler import armbot_from_rotation
from armwerk.robot.dimension import number
from armwerk.robot.joint import FORCE_UNITS, LIMIT_FIELDS, UNITS, Joint

Freedom: TypeAlias = Literal["FULLROT", "AXISROT", "LINEAR"]
FREEDOMS: tuple[Freedom, ...] = ("FULLROT", "AXISROT", "LINEAR")
DEFAULT_RADIUS = 0.01  # [m], of touch parts
_SAME_LENGTH = 1e-12  # [m], a segment's length against the distance of its connection point


@dataclass(frozen=True, slots=True)
class RotoTranslation:
    """Three turns about the axes through the origin, then a shift.

    p' = Rx(c) · Ry*(b) · Rz(a) · p + (x, y, z), the right-most turn first. Ry* turns the x axis
    towards the z axis (x-z plane), which is a turn of -b about y.

    Args:
        x: Shift [m], as y and z.
        a: First turn, in the x-y plane, about z [rad].
        b: Second turn, in the x-z plane, about -y [rad].
        c: Third turn, in the y-z plane, about x [rad].
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    a: float = 0.0
    b: float = 0.0
    c: float = 0.0

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, number(getattr(self, item.name), item.name))

    @property
    def position(self) -> tuple[float, float, float]:
        """The shift (x, y, z) [m]."""
        return self.x, self.y, self.z

    @property
    def turn(self) -> tuple[float, float, float]:
        """The three angles (a, b, c) [rad]."""
        return self.a, self.b, self.c

    def rotation(self) -> NDArray[np.float64]:
        """Return Rx(c) · Ry*(b) · Rz(a). Shape (3, 3)."""
        ca, sa = math.cos(self.a), math.sin(self.a)
        cb, sb = math.cos(self.b), math.sin(self.b)
        cc, sc = math.cos(self.c), math.sin(self.c)
        return np.array(
            [
                [ca * cb, -sa * cb, -sb],
                [sa * cc - ca * sb * sc, ca * cc + sa * sb * sc, -cb * sc],
                [sa * sc + ca * sb * cc, ca * sc - sa * sb * cc, cb * cc],
            ]
        )

    @classmethod
    def from_matrix(cls, pose: ArrayLike) -> RotoTranslation:
        """Return the roto-translation of a rigid transform T_fix_tail. Shape (4, 4)."""
        matrix = np.asarray(pose, dtype=np.float64)
        a, b, c = armbot_from_rotation(matrix[:3, :3]).tolist()
        x, y, z = matrix[:3, 3].tolist()
        return cls(x, y, z, a, b, c)

    def matrix(self) -> NDArray[np.float64]:
        """Return T_fix_tail. Shape (4, 4)."""
        result = np.eye(4)
        result[:3, :3] = self.rotation()
        result[:3, 3] = self.position
        return result


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection point: the part that hangs there, and where."""

    part: Part
    at: RotoTranslation = RotoTranslation()

    def __post_init__(self) -> None:
        if not isinstance(self.part, Part):
            raise DescriptionError(
                "not a part", element="connection point", value=self.part, allowed="a part"
            )
        if not isinstance(self.at, RotoTranslation):
            raise DescriptionError(
                "not a RotoTranslation", element=f"connection of '{self.part.name}'", value=self.at
            )


@dataclass(frozen=True, slots=True, repr=False)
class Part:
    """What all parts have.

    Args:
        name: Unique in the assembly; one is found ("segment2") when left empty.
        mass: [kg]. Of a segment spread evenly along it, of every other part at its origin.
    """

    name: str = ""
    mass: float = field(default=0.0, kw_only=True)

    kind: ClassVar[str] = "part"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise DescriptionError("not a text", element=f"name of a {self.kind}", value=self.name)
        try:
            object.__setattr__(self, "mass", at_least_zero(self.mass, "mass", "kg"))
            self._check()
        except DescriptionError as error:
            raise error.at(None, within=self.label) from None

    def _check(self) -> None:
        """Bring the fields of a kind of part into shape; raise where that is impossible."""

    @property
    def label(self) -> str:
        """What error messages call the part: "servo 'stand'"."""
        return f"{self.kind} '{self.name}'" if self.name else f"unnamed {self.kind}"

    @property
    def connections(self) -> tuple[Connection, ...]:
        """The connection points towards the tail side, in order."""
        return ()

    def with_connections(self, connections: tuple[Connection, ...]) -> Part:
        """Return the part carrying other parts."""
        return self

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        return f"<{type(self).__name__}{name}>"


@dataclass(frozen=True, slots=True, repr=False)
class SeveralTails(Part):
    """What `Body` and `TConnector` share: any number of connection points."""

    tails: Sequence[Part | Connection] = ()

    def _check(self) -> None:
        given: Any = self.tails
        tails = tuple(given) if isinstance(given, Iterable) else (given,)
        object.__setattr__(self, "tails", tuple(connection(tail) for tail in tails))

    @property
    def connections(self) -> tuple[Connection, ...]:
        return tuple(connection(tail) for tail in self.tails)

    def with_connections(self, connections: tuple[Connection, ...]) -> Part:
        return replace(self, tails=connections)


@dataclass(frozen=True, slots=True, repr=False)
class Body(SeveralTails):
    """The root of an assembly; its frame is the frame of the assembly.

    Args:
        name: See `Part`.
        tails: What it carries: parts or connections (`at`).
    """

    kind: ClassVar[str] = "body"


@dataclass(frozen=True, slots=True, repr=False)
class TConnector(SeveralTails):
    """Splits a chain into several.

    Args:
        name: See `Part`.
        tails: What it carries: parts or connections (`at`).
    """

    kind: ClassVar[str] = "t_connector"


@dataclass(frozen=True, slots=True, repr=False)
class SingleTail(Part):
    """What parts with one connection point, at their origin, share."""

    tail: Connection | Part | None = field(default=None, kw_only=True)

    @property
    def connections(self) -> tuple[Connection, ...]:
        return () if self.tail is None else (connection(self.tail),)

    def with_connections(self, connections: tuple[Connection, ...]) -> Part:
        return replace(self, tail=connections[0] if connections else None)

    def _check(self) -> None:
        if self.tail is None:
            return
        tail = connection(self.tail)
        if any(tail.at.position):
            raise DescriptionError(
                "its connection point is shifted",
                element=f"tail '{tail.part.name}'",
                value=tail.at.position,
                allowed="turns only; a Segment bridges a distance",
            )
        object.__setattr__(self, "tail", tail)


@dataclass(frozen=True, slots=True, repr=False)
class Segment(SingleTail):
    """A straight piece from its origin to one connection point.

    Args:
        name: See `Part`.
        length: [m]. Along x, unless the tail says where it hangs (`at` with x, y, z);
            None: the distance of that place.
        tail: What it carries at its far end.
    """

    length: float | None = None

    kind: ClassVar[str] = "segment"

    def _check(self) -> None:
        put = object.__setattr__
        if self.length is not None:
            put(self, "length", at_least_zero(self.length, "length", "m"))
        if self.tail is None:
            return
        tail = connection(self.tail)
        distance = math.hypot(*tail.at.position)
        if distance == 0.0 and self.length:
            tail = Connection(tail.part, replace(tail.at, x=self.length))
        elif self.length is not None and abs(distance - self.length) > _SAME_LENGTH:
            raise DescriptionError(
                f"length {self.length:.6g} m is not the distance of its connection point",
                element=f"tail '{tail.part.name}'",
                value=tail.at.position,
                allowed="one of the two",
            )
        put(self, "tail", tail)
        put(self, "length", distance if self.length is None else self.length)


@dataclass(frozen=True, slots=True, repr=False)
class TouchSegment(Segment):
    """A segment that pushes and carries objects.

    Args:
        name: See `Part`.
        length: See `Segment`, as for tail.
        radius: How far it reaches around its line [m]; of a plate half its thickness.
        width: Of a flat plate with sharp edges, along its own y [m]; None: a round bar.
    """

    radius: float = field(default=DEFAULT_RADIUS, kw_only=True)
    width: float | None = field(default=None, kw_only=True)

    kind: ClassVar[str] = "touch_segment"

    def _check(self) -> None:
        Segment._check(self)
        object.__setattr__(self, "radius", at_least_zero(self.radius, "radius", "m"))
        if self.width is not None:
            object.__setattr__(self, "width", at_least_zero(self.width, "width", "m"))


@dataclass(frozen=True, slots=True, repr=False)
class MotorPart(SingleTail):
    """What `Servo` and `LinearMotor` share; the limits are those of a `Joint`."""

    limits: tuple[float, float] | None = field(default=None, kw_only=True)
    max_velocity: float | None = field(default=None, kw_only=True)
    max_acceleration: float | None = field(default=None, kw_only=True)
    max_jerk: float | None = field(default=None, kw_only=True)
    max_force: float | None = field(default=None, kw_only=True)

    joint_kind: ClassVar[Literal["revolute", "prismatic"]] = "revolute"

    def _check(self) -> None:
        SingleTail._check(self)
        checked = self.joint()
        for name in ("limits", *LIMIT_FIELDS):
            object.__setattr__(self, name, getattr(checked, name))

    def joint(self, **row: Any) -> Joint:
        """Return a joint with the limits of this motor; ``row`` are further fields of it."""
        limits = {name: getattr(self, name) for name in ("limits", *LIMIT_FIELDS)}
        return Joint(self.joint_kind, **limits, **row)

    @property
    def unit(self) -> str:
        """Unit of the commanded value: "rad" or "m"."""
        return UNITS[self.joint_kind]

    @property
    def force_unit(self) -> str:
        """Unit of its torque or force: "N m" or "N"."""
        return FORCE_UNITS[self.joint_kind]


@dataclass(frozen=True, slots=True, repr=False)
class Servo(MotorPart):
    """A point-like motor that turns its connection point about z.

    Args:
        name: See `Part`.
        tail: What it turns; a turn of the connection point comes after the motor's.
        limits: Smallest and largest angle [rad]; None: no limit, as for the next four.
        max_velocity: [rad/s].
        max_acceleration: [rad/s²].
        max_jerk: [rad/s³].
        max_force: [N m].
    """

    kind: ClassVar[str] = "servo"


@dataclass(frozen=True, slots=True, repr=False)
class LinearMotor(MotorPart):
    """A motor that sets the distance, along x, to its connection point.

    Args:
        name: See `Part`.
        tail: What it shifts.
        limits: Smallest and largest distance [m], not negative; None: no limit.
        max_velocity: [m/s]; None: no limit, as for the next three.
        max_acceleration: [m/s²].
        max_jerk: [m/s³].
        max_force: [N].
    """

    kind: ClassVar[str] = "linear_motor"
    joint_kind: ClassVar[Literal["revolute", "prismatic"]] = "prismatic"

    def _check(self) -> None:
        MotorPart._check(self)
        if self.limits is not None and self.limits[0] < 0:
            raise DescriptionError(
                "negative length", element="limits", value=self.limits, allowed="at least 0 m"
            )


@dataclass(frozen=True, slots=True, repr=False)
class Passive(SingleTail):
    """An element without a motor, moved by the closed chain it is part of.

    Of the two ways in which a FULLROT can point its chain somewhere, the one by way of positive
    x is taken. A chain that swings through the y axis of its FULLROT flips over there, so turn
    the element such that its chain moves around x, or in the x-z plane.

    Args:
        name: See `Part`.
        freedom: "FULLROT" (about z, then about y), "AXISROT" (about z) or "LINEAR" (along x).
        tail: What it carries.
    """

    freedom: Freedom = "FULLROT"

    kind: ClassVar[str] = "passive"

    def _check(self) -> None:
        SingleTail._check(self)
        if self.freedom not in FREEDOMS:
            raise DescriptionError(
                "unknown freedom",
                element="freedom",
                value=self.freedom,
                allowed=", ".join(FREEDOMS),
            )


@dataclass(frozen=True, slots=True, repr=False)
class TerminationPoint(Part):
    """The end of a chain."""

    kind: ClassVar[str] = "termination_point"


@dataclass(frozen=True, slots=True, repr=False)
class TouchPoint(Part):
    """The end of a chain that pushes and carries objects.

    Args:
        name: See `Part`.
        radius: [m].
    """

    radius: float = field(default=DEFAULT_RADIUS, kw_only=True)

    kind: ClassVar[str] = "touch_point"

    def _check(self) -> None:
        object.__setattr__(self, "radius", at_least_zero(self.radius, "radius", "m"))


Motor: TypeAlias = Servo | LinearMotor
PART_KINDS: dict[str, type[Part]] = {
    kind.kind: kind
    for kind in (
        Body,
        Segment,
        TouchSegment,
        TConnector,
        Servo,
        LinearMotor,
        TouchPoint,
        TerminationPoint,
        Passive,
    )
}


def at(
    part: Part,
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    *,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
) -> Connection:
    """Return a connection point that carries ``part``; see `RotoTranslation` for the numbers."""
    try:
        return Connection(part, RotoTranslation(x, y, z, a, b, c))
    except DescriptionError as error:
        label = part.label if isinstance(part, Part) else ""
        raise error.at(None, within=f"connection of {label}" if label else "") from None


def connection(tail: Part | Connection) -> Connection:
    """Return ``tail`` as a connection; a bare part hangs at the origin, unturned."""
    return tail if isinstance(tail, Connection) else Connection(tail)


def chain(*parts: Part | Connection) -> Connection:
    """Hang each part on the one before and return the first, with its place.

    ``chain(Servo("stand"), Segment("post", 0.2), at(Servo("femur"), c=pi / 2), …)``.
    A Body or TConnector in the middle gets the rest of the chain as a further tail.
    """
    if not parts:
        raise DescriptionError("no parts", element="chain", allowed="at least one part")
    links = [connection(part) for part in parts]
    tail = links[-1]
    for link in reversed(links[:-1]):
        tail = Connection(_carrying(link.part, tail), link.at)
    return tail


def _carrying(part: Part, tail: Connection) -> Part:
    if isinstance(part, TerminationPoint | TouchPoint):
        raise DescriptionError(
            "an end cannot carry a part", element=part.label, value=tail.part, allowed="the end"
        )
    if isinstance(part, SeveralTails):
        return part.with_connections((*part.connections, tail))
    if part.connections:
        raise DescriptionError(
            "has a tail already", element=part.label, value=part.connections[0].part
        )
    return part.with_connections((tail,))


def at_least_zero(value: object, name: str, unit: str) -> float:
    """Return ``value`` as a float, or say that it is negative or not a number."""
    result = number(value, name)
    if result < 0:
        raise DescriptionError(
            f"negative {name}", element=name, value=value, allowed=f"at least 0 {unit}"
        )
    return result


def sequence(values: Any) -> tuple[Any, ...]:
    """Return the members of a list or the like; none of what is no list, a text included."""
    is_list = isinstance(values, Iterable) and not isinstance(values, str)
    return tuple(values) if is_list else ()


def vector(values: Iterable[float], name: str) -> tuple[float, float, float]:
    """Return three finite numbers, or say what is wrong with them."""
    row = sequence(values)
    if len(row) != 3:
        raise DescriptionError("wrong shape", element=name, value=values, allowed="x, y, z")
    x, y, z = (number(value, name) for value in row)
    return x, y, z
