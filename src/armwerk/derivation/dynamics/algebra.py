"""The ring of the dynamics: the kinematic generators and those of masses and gravity.

Vectors of its polynomials stand in link frames: turn, multiply, add.
"""

from __future__ import annotations

from dataclasses import dataclass

import flint

from armwerk.derivation.dynamics.parameters import (
    BodyNames,
    ParameterNames,
    Parameters,
    Signed,
    body_names,
    gravity_names,
)
from armwerk.derivation.ring import Angle, Poly, PolyContext, Ring, remainder
from armwerk.errors import DescriptionError

Vector = tuple[Poly, Poly, Poly]
Square = tuple[Vector, Vector, Vector]


@dataclass(frozen=True, slots=True, eq=False)
class LinkInertia:
    """A link's mass, first moment and inertia about the origin of its own frame.

    Args:
        mass: m.
        moment: m r.
        inertia: Symmetric 3 by 3, about the frame's origin.
    """

    mass: Poly
    moment: Vector
    inertia: Square


@dataclass(frozen=True, slots=True, eq=False)
class JointTransform:
    """The way from frame i - 1 to frame i.

    Args:
        joint: Number of the joint, from 1.
        is_revolute: Whether it turns.
        rotation: R with u_{i-1} = R u_i.
        shift: Origin of frame i seen from that of frame i - 1, in coordinates of frame i:
            (a, d sin alpha, d cos alpha).
        axis: z_{i-1} in coordinates of frame i: (0, sin alpha, cos alpha).
    """

    joint: int
    is_revolute: bool
    rotation: Square
    shift: Vector
    axis: Vector


class DynamicRing:
    """Polynomials in everything that occurs in the dynamics of one arm.

    Args:
        kinematics: The ring of the kinematics.
        parameters: See `parameters.body_names`.
        with_rates: Whether joint speeds qd and accelerations qdd are generators too.
    """

    def __init__(
        self, kinematics: Ring, parameters: Parameters | None = None, *, with_rates: bool = False
    ) -> None:
        self.kinematics = kinematics
        self.parameters = parameters
        self.dof = kinematics.dof
        self.angles = kinematics.angles
        self.slides = kinematics.slides
        pose = {f"{letter}{axis}" for letter in "noap" for axis in "xyz"}
        inherited = [name for name in kinematics.names if name not in pose]
        names = ParameterNames(taken=frozenset(inherited))
        self._bodies = body_names(kinematics.arm, parameters, names)
        self._gravity = gravity_names(kinematics.arm, names)
        _refuse_clash(names, inherited)
        rates = [f"qd{i}" for i in range(1, self.dof + 1)] if with_rates else []
        rates += [f"qdd{i}" for i in range(1, self.dof + 1)] if with_rates else []
        self.names = tuple([*inherited, *rates, *names.order])
        self.context: PolyContext = flint.fmpz_mpoly_ctx.get(list(self.names), flint.Ordering.lex)
        self.index = {name: k for k, name in enumerate(self.names)}
        self.values = {**kinematics.known_values(), **names.values}
        self.definitions = {**kinematics.definitions, **names.definitions}
        self.zero: Poly = self.context.constant(0)
        self.one: Poly = self.context.constant(1)
        self._squares = self._pythagoras()
        self.bodies = tuple(self._body(body) for body in self._bodies)
        self.armature = tuple(self._signed(body.armature) for body in self._bodies)
        self.gravity: Vector = _three([self._signed(name) for name in self._gravity])
        self.steps = tuple(self._step(row.joint) for row in kinematics.rows)

    def __getitem__(self, name: str) -> Poly:
        """Return the generator of that name."""
        return self.context.gen(self.index[name])

    def reduce(self, poly: Poly) -> Poly:
        """Return the normal form modulo s² = 1 - c² for every angle and twist."""
        return remainder(poly, self._squares)

    def derivative(self, poly: Poly, joint: int) -> Poly:
        """Return the derivative by a joint variable; single angles only, no sums."""
        if joint in self.slides:
            return poly.derivative(self.index[self.slides[joint]])
        angle = Angle(((joint, 1),))
        c, s = self.index[angle.cos], self.index[angle.sin]
        by_sine, by_cosine = poly.derivative(s), poly.derivative(c)
        return self.reduce(by_sine * self[angle.cos] - by_cosine * self[angle.sin])

    def _pythagoras(self) -> list[tuple[int, Poly]]:
        pairs = [(angle.sin, angle.cos) for angle in self.angles]
        pairs += [(f"s{tag}", f"c{tag}") for tag in self.kinematics.twists]
        return [(self.index[s], self[s] ** 2 + self[c] ** 2 - 1) for s, c in pairs]

    def _signed(self, signed: Signed) -> Poly:
        sign, name = signed
        return sign * self[name] if name else self.zero

    def _body(self, names: BodyNames) -> LinkInertia:
        mass = self._signed(names.mass)
        x, y, z = (self._signed(name) for name in names.centre)
        xx, yy, zz, xy, xz, yz = (self._signed(name) for name in names.inertia)
        if not names.is_lumped:  # move from the centre of mass to the origin of the frame
            xx, yy, zz = (
                xx + mass * (y * y + z * z),
                yy + mass * (x * x + z * z),
                zz + mass * (x * x + y * y),
            )
            xy, xz, yz = xy - mass * x * y, xz - mass * x * z, yz - mass * y * z
            x, y, z = mass * x, mass * y, mass * z
        return LinkInertia(mass, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    def _step(self, joint: int) -> JointTransform:
        row = self.kinematics.rows[joint - 1]
        (ca, sa), d, a = (self._lift(p) for p in row.twist), self._lift(row.d), self._lift(row.a)
        if row.is_revolute:
            angle = Angle(((joint, 1),))
            c, s = self[angle.cos], self[angle.sin]
        else:
            c, s = (self._lift(p) for p in row.turn)
            d = d + self[self.slides[joint]]
        rotation = ((c, -s * ca, s * sa), (s, c * ca, -c * sa), (self.zero, sa, ca))
        return JointTransform(
            joint, row.is_revolute, rotation, (a, d * sa, d * ca), (self.zero, sa, ca)
        )

    def _lift(self, poly: Poly) -> Poly:
        return poly.project_to_context(self.context)


def _refuse_clash(names: ParameterNames, inherited: list[str]) -> None:
    clash = sorted(set(names.order) & set(inherited))
    if clash:
        raise DescriptionError(
            "a kinematic and a dynamic parameter share a name", element=", ".join(clash)
        )
    clash = sorted(names.given & (names.values.keys() | names.definitions.keys()))
    if clash:
        raise DescriptionError(
            "symbol of one parameter is the name of another one with a number",
            element=", ".join(clash),
            allowed="m1, rx1, Ixx1 ... for link 1, and so on; g for gravity",
        )


def _three(values: list[Poly]) -> Vector:
    x, y, z = values
    return x, y, z


def dot(ring: DynamicRing, one: Vector, two: Vector) -> Poly:
    """Return the scalar product, not reduced."""
    total = ring.zero
    for u, v in zip(one, two, strict=True):
        if u and v:
            total += u * v
    return total


def cross(one: Vector, two: Vector) -> Vector:
    """Return the vector product, not reduced."""
    return (
        one[1] * two[2] - one[2] * two[1],
        one[2] * two[0] - one[0] * two[2],
        one[0] * two[1] - one[1] * two[0],
    )


def add(one: Vector, *more: Vector) -> Vector:
    """Return the sum of vectors."""
    x, y, z = one
    for other in more:
        x, y, z = x + other[0], y + other[1], z + other[2]
    return x, y, z


def scaled(factor: Poly, vector: Vector) -> Vector:
    """Return factor · vector."""
    return factor * vector[0], factor * vector[1], factor * vector[2]


def reduced(ring: DynamicRing, vector: Vector) -> Vector:
    """Return the vector with every entry in normal form."""
    return ring.reduce(vector[0]), ring.reduce(vector[1]), ring.reduce(vector[2])


def inwards(ring: DynamicRing, rotation: Square, vector: Vector) -> Vector:
    """Return R u: from frame i to frame i - 1, in normal form."""
    x, y, z = (ring.reduce(dot(ring, line, vector)) for line in rotation)
    return x, y, z


def outwards(ring: DynamicRing, rotation: Square, vector: Vector) -> Vector:
    """Return Rᵀ u: from frame i - 1 to frame i, in normal form."""
    columns = zip(*rotation, strict=True)
    x, y, z = (ring.reduce(dot(ring, column, vector)) for column in columns)
    return x, y, z


def applied(ring: DynamicRing, matrix: Square, vector: Vector) -> Vector:
    """Return matrix · vector, not reduced."""
    return (
        dot(ring, matrix[0], vector),
        dot(ring, matrix[1], vector),
        dot(ring, matrix[2], vector),
    )


def nothing(ring: DynamicRing) -> Vector:
    """Return the zero vector."""
    return ring.zero, ring.zero, ring.zero


def is_nothing(vector: Vector) -> bool:
    """Whether all entries are zero."""
    return not any(vector)
