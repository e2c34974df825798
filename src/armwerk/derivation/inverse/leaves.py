"""All branches of a solution at one pose, as numbers: the leaves of its tree."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from armwerk.derivation.direct import segment
from armwerk.derivation.inverse.memory import FREE, number
from armwerk.derivation.line_pair import line_pair
from armwerk.derivation.program import Let, LinePair, Root, Slide, Step, Sum, Turn
from armwerk.derivation.ring import POSE_ROWS, Angle, Ring

Leaf = dict[Angle | int, float]  # angles [rad] by themselves, slides [m] by number


def leaves(
    steps: Sequence[Step], known: dict[str, float], signs: tuple[int, ...] = ()
) -> dict[tuple[int, ...], Leaf]:
    """Return what every branch gives, by the signs of the roots in order.

    A branch ends without a leaf where a root is not real or an angle is free.

    Args:
        steps: In order.
        known: Numbers of the pose, of the dimensions and of given joints.
        signs: Of the roots passed already.
    """
    values = dict(known)
    leaf: Leaf = {}
    for k, step in enumerate(steps):
        match step:
            case Let(name, value):
                values[name] = number(value, values)
            case Root(name, radicand):
                square = number(radicand, values)
                if square < 0.0:
                    return {}
                size = math.sqrt(square)
                found: dict[tuple[int, ...], Leaf] = {}
                for sign in (1, -1):
                    rest = leaves(steps[k + 1 :], {**values, name: sign * size}, (*signs, sign))
                    found |= {key: leaf | other for key, other in rest.items()}
                return found
            case LinePair(names, coefficients):
                lines = line_pair(*(number(one, values) for one in coefficients))
                values |= dict(zip(names, lines, strict=True))
            case Turn(angle, sine, cosine):
                y, x = number(sine, values), number(cosine, values)
                if math.hypot(y, x) < FREE:
                    return {}
                _learn(values, leaf, angle, math.atan2(y, x))
            case Sum(angle, parts):
                total = sum(
                    sign * math.atan2(values[part.sin], values[part.cos]) for sign, part in parts
                )
                _learn(values, leaf, angle, math.remainder(total, 2 * math.pi))
            case Slide(joint, numerator, denominator):
                leaf[joint] = number(numerator, values) / number(denominator, values)
                values[f"q{joint}"] = leaf[joint]
    return {signs: leaf}


def same_leaves(
    one: dict[tuple[int, ...], Leaf], two: dict[tuple[int, ...], Leaf], near: float
) -> bool:
    """Whether two solutions have the same leaves, in whatever order.

    Args:
        one, two: As `leaves` returns them.
        near: [rad], [m] within which values are the same.
    """
    left = list(two.values())
    for leaf in one.values():
        match = next((other for other in left if _same(leaf, other, near)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _same(one: Leaf, two: Leaf, near: float) -> bool:
    for item in one.keys() & two.keys():
        gap = one[item] - two[item]
        gap = gap if isinstance(item, int) else math.remainder(gap, 2 * math.pi)
        if abs(gap) > near:
            return False
    return True


def _learn(values: dict[str, float], leaf: Leaf, angle: Angle, value: float) -> None:
    leaf[angle] = value
    values[angle.cos], values[angle.sin] = math.cos(value), math.sin(value)


def posture_of(ring: Ring, seed: int) -> dict[str, float]:
    """Return the numbers of a random posture, in the largest length of the arm as unit.

    All generators of the ring have one: angles, slides, dimensions and the pose that is reached.
    What counts as nothing must not depend on the size of an arm.
    """
    draw = random.Random(seed)
    size = length_unit(ring)
    values = ring.known_values() | {name: one / size for name, one in ring.values.items()}
    theta = {j: draw.uniform(-math.pi, math.pi) for j in range(1, ring.dof + 1)}
    values |= {name: draw.uniform(0.2, 1.0) for name in ring.slides.values()}
    for angle in ring.angles:
        total = sum(sign * theta[joint] for joint, sign in angle.terms)
        values[angle.cos], values[angle.sin] = math.cos(total), math.sin(total)
    for names, line in zip(POSE_ROWS, segment(ring, 1, ring.dof), strict=True):
        for name, entry in zip(names, line, strict=True):
            values[name] = ring.evaluate(entry, values)
    return values


def length_unit(ring: Ring) -> float:
    """Return the largest length of an arm [m]; 1 for one without any."""
    return max(ring.values.values(), default=1.0) or 1.0


def joint_values(ring: Ring, leaf: Leaf) -> list[float]:
    """Return the joint values of a leaf of a `posture_of` [rad or m]."""
    found = []
    for number_of, joint in enumerate(ring.arm.moving, 1):
        if number_of in ring.slides:
            found.append(leaf[number_of] * length_unit(ring))
        else:
            found.append(leaf[Angle(((number_of, 1),))] - float(joint.offset))
    return found
