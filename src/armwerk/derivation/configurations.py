"""Names for the solutions of a pose: arm left or right, elbow up or down, wrist flipped or not.

An arm goes from one solution of its inverse kinematics to another only through a singularity, where
a factor of the Jacobian's determinant changes its sign. So the signs of the factors name the
solutions, and a name stays the same along any path that keeps away from singularities. Which sign
has which word is decided by where the parts of the arm are:

    right, left         the wrist lies in front of or behind axis 1, along x of frame 1
    up, down            the elbow lies above or below the line from shoulder to wrist, seen with
                        the wrist in front; of an elbow with an upright axis: right, left of that
                        line, seen from above
    unflipped, flipped  the sine of the wrist's middle angle is positive or negative
    out, in             a slide is at positive or negative values
    plus, minus         any other factor is positive or negative

Where a factor vanishes the arm stands on both sides: it has the first word in names, and is found
by either. Arms of four and five axes can go over their shoulder without a singularity; their wrist
has right and left all the same, since two solutions of a pose differ by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.derivation.direct import segment
from armwerk.derivation.edges import Sample, numeric_frames, random_sample
from armwerk.derivation.fixed_joints import without_inner_fixed_joints
from armwerk.derivation.ring import Poly, Ring
from armwerk.derivation.singularities import Singularity, singularities
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.robot.arm import Arm

_SAMPLES = 200  # configurations by which signs get their words
_UPRIGHT = 0.99  # cosine to the base's z beyond which an axis is upright
_VANISHES = 1e-7  # of its terms' size: a factor at a double root, which is known to half the digits
_ORDER = {"shoulder": 0, "elbow": 1, "wrist": 2, "": 3}

Terms: TypeAlias = list[tuple[float, list[tuple[str, int]]]]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of two ways in which an arm can stand.

    Args:
        positive, negative: The words for the two signs.
        factors: Polynomials whose product has the sign.
        sign: 1 or -1; the sign that is called positive.
    """

    positive: str
    negative: str
    factors: tuple[Terms, ...]
    sign: float


class Configurations:
    """Names the configurations of an arm with up to six joints.

    Args:
        arm: With numbers.
        found: Its singularities as a derivation has them, where configurations meet, when they
            are known already.

    Raises:
        UnsupportedError: For an arm with symbols, with more joints, or singular everywhere.
    """

    def __init__(self, arm: Arm, found: tuple[Singularity, ...] | None = None) -> None:
        if arm.is_symbolic:
            raise UnsupportedError(f"arm '{arm.name}' has symbols: configurations need numbers")
        arm = without_inner_fixed_joints(arm)
        self._ring = ring = Ring(arm, own_names=True)  # as in a derivation
        self._offsets = np.array(
            [float(j.offset) if j.kind == "revolute" else 0.0 for j in arm.moving]
        )
        self._known = ring.known_values()
        ordered = sorted(found or singularities(ring), key=lambda one: _ORDER[one.name])
        self.choices = _distinct(self._choices(ordered))

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that a name can hold."""
        return tuple(word for one in self.choices for word in (one.positive, one.negative))

    def names(self, q: ArrayLike) -> list[str]:
        """Return the names of configurations: "right up flipped".

        Args:
            q: Joint values [rad or m]. Shape (k, n).
        """
        signs = self._signs(q)
        return [
            " ".join(
                one.positive if sign >= 0.0 else one.negative
                for one, sign in zip(self.choices, row, strict=True)
            )
            for row in signs
        ]

    def selected(self, q: ArrayLike, configuration: str) -> Flags:
        """Return which configurations have all the words of a name, or stand where it ends.

        Args:
            q: Joint values [rad or m]. Shape (k, n).
            configuration: Words with blanks or commas in between.

        Returns:
            Shape (k,).

        Raises:
            UnknownNameError: For a word that this arm does not have.
        """
        signs = self._signs(q)
        kept = np.ones(len(signs), dtype=bool)
        for word in configuration.replace(",", " ").split():
            if word not in self.words:
                raise UnknownNameError("configuration", word, self.words)
            for one, column in zip(self.choices, signs.T, strict=True):
                if word in {one.positive, one.negative}:
                    kept &= column * (1.0 if word == one.positive else -1.0) >= 0.0
        return kept

    # -- inside -----------------------------------------------------------------------------

    def _signs(self, q: ArrayLike) -> Array:
        """Return on which side of each choice configurations stand: -1, 0, 1. Shape (k, c)."""
        rows = np.atleast_2d(np.asarray(q, dtype=np.float64))
        values = self._values(rows + self._offsets)
        signs = np.zeros((len(rows), len(self.choices)))
        for k, one in enumerate(self.choices):
            signs[:, k] = self._sign(one, values)
        return signs

    def _values(self, joints: Array) -> dict[str, Array | float]:
        """Return the generators of the ring for angles and slides (k, n)."""
        values: dict[str, Array | float] = dict(self._known)
        for joint, name in self._ring.slides.items():
            values[name] = joints[:, joint - 1]
        for angle in self._ring.angles:
            theta = sum(sign * joints[:, joint - 1] for joint, sign in angle.terms)
            values[angle.cos], values[angle.sin] = np.cos(theta), np.sin(theta)
        return values

    def _sign(self, choice: Choice, values: dict[str, Array | float]) -> Array:
        total: Array = np.asarray(choice.sign)
        for terms in choice.factors:
            value, size = _evaluated(terms, values)
            total = total * np.where(np.abs(value) <= _VANISHES * size, 0.0, np.sign(value))
        return total

    def _choices(self, found: list[Singularity]) -> list[Choice]:
        random = np.random.default_rng(11)
        samples = [random_sample(self._ring, random) for _ in range(_SAMPLES)]
        joints = np.array([sample.angles for sample in samples])
        values = self._values(joints)
        places = _Places(self._ring, samples)
        shoulder = _over_shoulder(self._ring, found)
        choices = []
        if shoulder:
            agreed = float(
                self._sign(Choice("right", "left", shoulder, 1.0), values) @ places.forward
            )
            choices.append(Choice("right", "left", shoulder, 1.0 if agreed >= 0.0 else -1.0))
        for one in found:
            factors: tuple[Terms, ...] = (_terms(self._ring, one.factor),)
            if one.name == "shoulder":
                words, side = ("right", "left"), places.forward
                shoulder = shoulder or factors
            elif one.name == "elbow":
                words, side = places.elbow(one.joints[0])
                factors = (*factors, *shoulder) if words[0] == "up" else factors
            elif one.name == "wrist":
                words, side = ("unflipped", "flipped"), np.sin(joints[:, 4])
            else:
                slide = len(one.joints) == 1 and one.joints[0] in self._ring.slides
                words = ("out", "in") if slide else ("plus", "minus")
                side = joints[:, one.joints[0] - 1] if slide else np.ones(0)
            plain = Choice(*words, factors, 1.0)
            agreed = float(np.sum(self._sign(plain, values) * side)) if len(side) else 1.0
            choices.append(Choice(*words, factors, 1.0 if agreed >= 0.0 else -1.0))
        return choices


class _Places:
    """Where shoulder, elbow and wrist are in many configurations."""

    def __init__(self, ring: Ring, samples: list[Sample]) -> None:
        frames = np.array([numeric_frames(ring, sample) for sample in samples])
        self._frames = frames
        self._shoulder = frames[:, 1, :3, 3]
        self._wrist = frames[:, 4 if ring.dof == 6 else ring.dof, :3, 3] - self._shoulder
        self.forward: Array = np.einsum("ki,ki->k", frames[:, 1, :3, 0], self._wrist)

    def elbow(self, joint: int) -> tuple[tuple[str, str], Array]:
        """Return the words for an elbow, and by how much it is on the side of the first."""
        axis = self._frames[:, joint - 1, :3, 2]
        if abs(axis[:, 2]).min() > _UPRIGHT:
            # the first link of an arm that lies flat starts at the first axis
            start = self._frames[:, joint - 2, :3, 3]
            across = np.cross(
                self._frames[:, joint, :3, 3] - start, self._frames[:, joint - 1, :3, 3] - start
            )
            return ("right", "left"), -across[:, 2]
        bend = self._in_plane(self._frames[:, joint - 1, :3, 3] - self._shoulder)
        line = self._in_plane(self._wrist)
        length = np.maximum(np.einsum("ki,ki->k", line, line), 1e-12)
        share = np.einsum("ki,ki->k", bend, line) / length
        return ("up", "down"), bend[:, 2] - share * line[:, 2]

    def _in_plane(self, vectors: Array) -> Array:
        """Return what lies in the plane in which upper arm and forearm move."""
        axis = self._frames[:, 1, :3, 2]
        result: Array = vectors - np.einsum("ki,ki->k", vectors, axis)[:, None] * axis
        return result


def _over_shoulder(ring: Ring, found: list[Singularity]) -> tuple[Terms, ...]:
    """Return what vanishes where the wrist of an arm of four or five axes is over the first.

    The first axis turns the plane in which the next ones move the wrist.
    """
    between = ring.rows[1 : ring.dof - 1]
    turned = (
        ring.dof in {4, 5}
        and all(row.is_revolute for row in ring.rows)
        and ring.rows[0].twist[0] == ring.zero
        and len({row.group for row in between}) == 1
    )
    if not turned or any(one.name == "shoulder" for one in found):
        return ()
    return (_terms(ring, ring.rows[0].a + segment(ring, 2, ring.dof - 1)[0][3]),)


def _distinct(choices: list[Choice]) -> tuple[Choice, ...]:
    """Number words that occur again: "plus", "plus2"."""
    seen: dict[str, int] = {}
    result = []
    for one in choices:
        seen[one.positive] = count = seen.get(one.positive, 0) + 1
        more = "" if count == 1 else str(count)
        words = one.positive + more, one.negative + more
        result.append(Choice(*words, one.factors, one.sign))
    return tuple(result)


def _terms(ring: Ring, poly: Poly) -> Terms:
    return [
        (
            float(int(coefficient)),
            [(ring.names[k], int(power)) for k, power in enumerate(exponents) if power],
        )
        for exponents, coefficient in poly.to_dict().items()
    ]


def _evaluated(terms: Terms, values: dict[str, Array | float]) -> tuple[Array, Array]:
    """Return a polynomial's value, and its size where every cosine and sine counts as one."""
    total: Array = np.asarray(0.0)
    size: Array = np.asarray(0.0)
    for coefficient, powers in terms:
        term: Array | float = coefficient
        most: Array | float = abs(coefficient)
        for name, power in powers:
            factor = values[name] ** power
            term = term * factor
            most = most * (np.abs(factor) if isinstance(values[name], float) else 1.0)
        total, size = total + term, size + most
    return total, size
