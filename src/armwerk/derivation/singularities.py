"""Singular configurations: each factor of the determinant solved for the joints.

sin θ5 = 0 gives θ5 = 0 and 180°, a cos θ + b sin θ = 0 an arctangent, a cos θ + b sin θ + d = 0
two angles; a factor that joins several joints is solved for one of them, the others free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armwerk.derivation.determinant import Determinant, determinant
from armwerk.derivation.edges import Kind, Sample, edge_kind, random_sample, with_joints
from armwerk.derivation.ring import Angle, Poly, Ring, Terms
from armwerk.derivation.show import Expr, sympy_angle, to_sympy, to_text
from armwerk.derivation.sums import collect_sums, expand_sums

_SAMPLES = 5  # configurations in which inner and outer are told apart
_TRIES = 60  # random configurations in which the factor may have no root for the chosen joint
_MOVES = 1e-6  # share of a joint in a motion of the kernel below which it stands still


@dataclass(frozen=True, slots=True, eq=False)
class LinearFactor:
    """A factor as cosine · cos θ + sine · sin θ + rest, or cosine · q + rest for a slide.

    Args:
        angle: The angle, one joint's or a sum of parallel ones; for a slide its joint alone.
        joint: The joint that stands in this angle only and can therefore bring it about.
        is_slide: Whether the joint slides; sine is then zero.
        cosine, sine, rest: Polynomials without this joint.
    """

    angle: Angle
    joint: int
    is_slide: bool
    cosine: Poly
    sine: Poly
    rest: Poly


class Singularity:
    """One way in which an arm becomes singular.

    Attributes:
        factor: The polynomial that vanishes; sums of angles collected.
        power: How often it divides the determinant.
        kind: "inner" or "outer", see `armwerk.derivation.edges`; None when no configuration
            was found in which it vanishes.
        name: "wrist", "elbow", "shoulder" or empty.
        joints: The joints that decide, from 1.
        linear: The factor solved for one angle or slide; None when it is of higher degree in
            each of its joints.
        samples: Some singular configurations with numbers for all parameters.
    """

    def __init__(
        self,
        ring: Ring,
        factor: Poly,
        power: int,
        kind: Kind | None,
        name: str,
        linear: LinearFactor | None,
        samples: tuple[Sample, ...],
    ) -> None:
        self.ring = ring
        self.factor = factor
        self.power = power
        self.kind = kind
        self.name = name
        self.linear = linear
        self.samples = samples
        self.joints = _joints(ring, factor)

    @cached_property
    def condition(self) -> Expr:
        """factor = 0 as a SymPy equation."""
        from sympy import Eq

        return Eq(to_sympy(self.ring, self.factor), 0, evaluate=False)

    @cached_property
    def solutions(self) -> tuple[Expr, ...]:
        """SymPy equations joint (or sum of joints) = value; up to 360° apart they are all."""
        from sympy import Eq

        if self.linear is None:
            return ()
        unknown, values = solve_linear(self.ring, self.linear)
        return tuple(Eq(unknown, value, evaluate=False) for value in values)

    @property
    def text(self) -> str:
        """The condition in one line: "sin(θ5) = 0"."""
        return f"{to_text(self.ring, self.factor)} = 0"

    def __repr__(self) -> str:
        return f"<Singularity {self.name or '-'} {self.kind}: {self.text}>"


def singularities(ring: Ring, found: Determinant | None = None) -> tuple[Singularity, ...]:
    """Return all singularities of an arm with up to six joints.

    Args:
        ring: The arm.
        found: Its determinant, when it is known already.

    Raises:
        UnsupportedError: For more than six joints, or an arm that is singular everywhere.
    """
    found = found or determinant(ring)
    rows = (0, 1, 2) if ring.dof <= 3 and set(found.rows) <= {0, 1, 2} else (0, 1, 2, 3, 4, 5)
    return tuple(_singularity(ring, f, power, rows) for f, power in found.factors.moving)


def _singularity(ring: Ring, factor: Poly, power: int, rows: tuple[int, ...]) -> Singularity:
    linear = linear_in_one(ring, factor)
    samples = singular_samples(ring, factor, linear)
    judged = [judgement for s in samples if (judgement := edge_kind(ring, s, rows)) is not None]
    outer = sum(kind == "outer" for kind, _ in judged)
    kind: Kind | None = None
    if judged:
        kind = "outer" if 2 * outer > len(judged) else "inner"
    with_first = bool(judged) and all(abs(motion[0]) > _MOVES for _, motion in judged)
    name = _name(ring, _joints(ring, factor), kind, with_first)
    return Singularity(ring, factor, power, kind, name, linear, samples)


def _name(ring: Ring, joints: tuple[int, ...], kind: Kind | None, with_first: bool) -> str:
    """Name what has a name: two wrist axes in line, elbow straight, wrist over the first axis."""
    if ring.dof == 6 and joints == (5,) and ring.rows[4].is_revolute:
        return "wrist"
    alone = len(joints) == 1 and joints[0] > 1 and ring.rows[joints[0] - 1].is_revolute
    if alone and kind == "outer":
        before, own = ring.rows[joints[0] - 2], ring.rows[joints[0] - 1]
        if before.group == own.group or not with_first:
            return "elbow"
    return "shoulder" if with_first else ""


def _joints(ring: Ring, factor: Poly) -> tuple[int, ...]:
    turning = {joint for angle in ring.angles_in(factor) for joint in angle.joints}
    return tuple(sorted(turning | ring.slides_in(factor)))


# -- solving --------------------------------------------------------------------------------


def linear_in_one(ring: Ring, factor: Poly) -> LinearFactor | None:
    """Return the factor as a linear equation of the angle or slide it is simplest in."""
    options = []
    angles = ring.angles_in(factor)
    for angle in angles:
        shared = {joint for other in angles if other != angle for joint in other.joints}
        own = sorted(angle.joints - shared)
        if own:
            options.append(_split(ring, factor, angle, own[-1]))
    for joint in ring.slides_in(factor):
        options.append(_split(ring, factor, Angle(((joint, 1),)), joint))
    if not any(options):
        single = expand_sums(ring, factor)
        options = [_split(ring, single, Angle(((j, 1),)), j) for j in _joints(ring, single)]
    return min((option for option in options if option), key=_effort, default=None)


def _effort(linear: LinearFactor) -> tuple[bool, bool, int, int]:
    size = len(linear.cosine) + len(linear.sine) + len(linear.rest)
    return not linear.is_slide, bool(linear.rest), size, -linear.joint


def _split(ring: Ring, factor: Poly, angle: Angle, joint: int) -> LinearFactor | None:
    is_slide = joint in ring.slides
    first = ring.index[ring.slides[joint] if is_slide else angle.cos]
    second = None if is_slide else ring.index[angle.sin]
    parts: tuple[Terms, Terms, Terms] = ({}, {}, {})
    for exponents, coefficient in factor.to_dict().items():
        c, s = exponents[first], 0 if second is None else exponents[second]
        if c + s > 1:
            return None
        rest = list(exponents)
        rest[first] = 0
        if second is not None:
            rest[second] = 0
        parts[0 if c else 1 if s else 2][tuple(rest)] = coefficient
    cosine, sine, rest_poly = (ring.context.from_dict(part) for part in parts)
    return LinearFactor(angle, joint, is_slide, cosine, sine, rest_poly)


def solve_linear(ring: Ring, linear: LinearFactor) -> tuple[Expr, list[Expr]]:
    """Return the unknown (a joint variable or a sum of them) and its SymPy values."""
    from sympy import Symbol, cancel

    if linear.is_slide:
        a, d = to_sympy(ring, linear.cosine), to_sympy(ring, linear.rest)
        return Symbol(f"q{linear.joint}"), [cancel(-d / a)]
    unknown = sum(sign * Symbol(f"q{joint}") for joint, sign in linear.angle.terms)
    shift = sympy_angle(ring, linear.angle) - unknown
    return unknown, [_wrapped(angle - shift) for angle in _angles(ring, linear)]


def _angles(ring: Ring, linear: LinearFactor) -> list[Expr]:
    """Return the two angles at which a cos + b sin + d = 0."""
    from sympy import Integer, acos, asin, atan2, cancel, pi, sqrt

    a, b, d = (to_sympy(ring, p) for p in (linear.cosine, linear.sine, linear.rest))
    if d == 0:
        if b == 0:
            return [pi / 2, -pi / 2]
        return [Integer(0), pi] if a == 0 else [atan2(-a, b), atan2(-a, b) + pi]
    if b == 0:
        spread = acos(cancel(-d / a))
        return [spread, -spread]
    if a == 0:
        rise = asin(cancel(-d / b))
        return [rise, pi - rise]
    size = collect_sums(ring, linear.cosine**2 + linear.sine**2)
    spread = acos(-d / sqrt(to_sympy(ring, size)))
    middle = atan2(b, a)
    return [middle + spread, middle - spread]


def _wrapped(angle: Expr) -> Expr:
    """Return an angle that is a multiple of pi within (-pi, pi]; others as they are."""
    from sympy import ceiling, pi

    turns = angle / pi
    if not turns.is_number or not turns.is_rational:
        return angle
    return (turns - 2 * ceiling((turns - 1) / 2)) * pi


# -- numbers --------------------------------------------------------------------------------


def singular_samples(ring: Ring, factor: Poly, linear: LinearFactor | None) -> tuple[Sample, ...]:
    """Return random configurations in which the factor vanishes; none when it never does."""
    if linear is None:
        return ()
    random = np.random.default_rng(20)
    found: list[Sample] = []
    for attempt in range(_TRIES):
        if len(found) == _SAMPLES:
            break
        sample = random_sample(ring, random)
        root = _root(ring, linear, sample, attempt % 2 == 0)
        if root is not None:
            joints = np.array(sample.angles)
            others = sum(s * joints[j - 1] for j, s in linear.angle.terms if j != linear.joint)
            sign = dict(linear.angle.terms)[linear.joint]
            joints[linear.joint - 1] = sign * (root - others)
            found.append(with_joints(ring, sample.values, joints))
    return tuple(found)


def _root(ring: Ring, linear: LinearFactor, sample: Sample, first: bool) -> float | None:
    """Return the angle (or slide) at which the factor vanishes, one of two; None: nowhere."""
    a, b, d = (
        ring.evaluate(poly, sample.values) for poly in (linear.cosine, linear.sine, linear.rest)
    )
    if linear.is_slide:
        return -d / a if a else None
    size = math.hypot(a, b)
    if abs(d) > size or size == 0:
        return None
    spread = math.acos(-d / size)
    return math.atan2(b, a) + (spread if first else -spread)
