"""The algebra of one arm: its joint angles, slides and dimensions as exact polynomials.

Sine and cosine of an angle are two generators s and c with s² = 1 - c². Lengths are generators
with a name and, for a numeric arm, a value; equal lengths share one generator, zero is zero.
Twists that are multiples of 90° are the integers 0 and ±1, every other twist is a pair of
generators again. No float ever enters a polynomial.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import flint

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.robot import Arm
from armwerk.robot.dimension import Dimension, symbols

Poly: TypeAlias = Any  # flint.fmpz_mpoly; the library ships no types
PolyContext: TypeAlias = Any  # flint.fmpz_mpoly_ctx, likewise
Terms: TypeAlias = dict[tuple[int, ...], int]  # coefficient by the exponents of the generators
SAME_LENGTH = 1e-12  # [m] within which two lengths are one symbol
SAME_ANGLE = 1e-12  # [rad] within which an angle is a multiple of 90 degrees
POSE_NAMES = ("nz", "oz", "az", "ny", "oy", "ay", "nx", "ox", "ax", "pz", "py", "px")
# cosines and sines of angles and half angles, joints and their rates, helpers of solutions
_OWN_NAMES = re.compile(r"[csxy](?:m?_?\d)+|q\d+|qdd?\d+|[hw]\d+|[noap][xyz]")
POSE_ROWS = (
    ("nx", "ox", "ax", "px"),
    ("ny", "oy", "ay", "py"),
    ("nz", "oz", "az", "pz"),
)


@dataclass(frozen=True, slots=True, order=True)
class Angle:
    """A joint angle theta_i, or the signed sum of the angles of parallel axes.

    theta_i = q_i + offset_i, joints counted from 1 among those that move.
    """

    terms: tuple[tuple[int, int], ...]

    @property
    def tag(self) -> str:
        """Name used in symbols: "2", "23", "12m4"."""
        joint = "_{}" if any(number > 9 for number, _ in self.terms) else "{}"
        return "".join(
            ("m" if sign < 0 else "") + joint.format(number) for number, sign in self.terms
        )

    @property
    def cos(self) -> str:
        """Name of its cosine."""
        return f"c{self.tag}"

    @property
    def sin(self) -> str:
        """Name of its sine."""
        return f"s{self.tag}"

    @property
    def joints(self) -> frozenset[int]:
        """The joints it adds up."""
        return frozenset(number for number, _ in self.terms)

    def __str__(self) -> str:
        text = "".join(f"{'-' if sign < 0 else '+'}θ{number}" for number, sign in self.terms)
        return text.removeprefix("+")


@dataclass(frozen=True, slots=True)
class SymbolicRow:
    """One moving joint with everything constant behind it, as polynomials.

    Args:
        joint: Its number, from 1.
        is_revolute: Whether it turns.
        turn: Cosine and sine of the constant angle of a slide; (1, 0) for a revolute joint.
        d: Constant part of the displacement along z.
        a: Displacement along the new x.
        twist: Cosine and sine of alpha.
        group: Number of the group of parallel axes it belongs to.
    """

    joint: int
    is_revolute: bool
    turn: tuple[Poly, Poly]
    d: Poly
    a: Poly
    twist: tuple[Poly, Poly]
    group: int


class Ring:
    """Polynomials in everything that occurs in the kinematics of one arm.

    Args:
        arm: Numeric, symbolic or mixed; fixed joints only before the first and behind the
            last moving joint are kept apart (they belong to base and tool).
        own_names: Whether every length has a name of its own, as people read formulas. Else equal
            lengths share one, which makes the formulas shorter and quicker to find.
    """

    def __init__(self, arm: Arm, own_names: bool = False) -> None:
        self.arm = arm
        self._own_names = own_names
        self.dof = arm.dof
        self.values: dict[str, float] = {}
        self.definitions: dict[str, str] = {}
        self._twist_values: dict[str, float] = {}
        rows = _plain_rows(arm)
        self._given_names = _checked_names(arm)
        senses, groups = _parallel_groups(rows)
        self.senses = tuple(senses)
        self.angles = tuple(_all_angles(rows, senses, groups))
        self.slides = {i: f"q{i}" for i, row in enumerate(rows, 1) if row[0] == "prismatic"}
        lengths, twists = self._collect(rows)
        self.parameters = tuple(lengths)
        names = [angle.sin for angle in self.angles]
        names += [f"s{tag}" for tag in twists]
        names += [angle.cos for angle in self.angles]
        names += [f"c{tag}" for tag in twists]
        names += list(self.slides.values())
        names += [*POSE_NAMES, *lengths]
        _refuse_twice(arm, names)
        self.names = tuple(names)
        self.twists = tuple(twists)
        self.context = flint.fmpz_mpoly_ctx.get(names, flint.Ordering.lex)
        self.index = {name: k for k, name in enumerate(names)}
        self.zero: Poly = self.context.constant(0)
        self.one: Poly = self.context.constant(1)
        self._squares = [(self.index[s], self[s] ** 2 + self[c] ** 2 - 1) for s, c in self._pairs()]
        self._pose_relations = self._orthonormal()
        self.rows = tuple(self._row(i, row, groups[i - 1]) for i, row in enumerate(rows, 1))

    @property
    def kinematics(self) -> Ring:
        """The ring itself; rings that extend it give the one they extend."""
        return self

    def __getitem__(self, name: str) -> Poly:
        """Return the generator of that name."""
        return self.context.gen(self.index[name])

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for angle in self.angles:
            yield angle.sin, angle.cos
        for tag in self.twists:
            yield f"s{tag}", f"c{tag}"

    def _orthonormal(self) -> list[Poly]:
        """The lengths and scalar products of the columns n, o, a, leading terms first."""
        columns = [[self[f"{name}{axis}"] for axis in "zyx"] for name in "noa"]
        return [
            sum((u * v for u, v in zip(columns[i], columns[j], strict=True)), -int(i == j))
            for i in range(3)
            for j in range(i, 3)
        ]

    def reduce(self, poly: Poly) -> Poly:
        """Return the normal form modulo s² = 1 - c² for every angle and twist."""
        return remainder(poly, self._squares)

    def reduce_pose(self, poly: Poly) -> Poly:
        """Return the normal form that also uses that n, o, a are orthonormal."""
        poly = self.reduce(poly)
        for relation in self._pose_relations:
            poly = poly % relation
        return poly

    def angles_in(self, poly: Poly) -> frozenset[Angle]:
        """Return the angles whose sine or cosine occurs."""
        used = poly.degrees()
        return frozenset(
            angle
            for angle in self.angles
            if used[self.index[angle.sin]] or used[self.index[angle.cos]]
        )

    def slides_in(self, poly: Poly) -> frozenset[int]:
        """Return the prismatic joints whose variable occurs."""
        used = poly.degrees()
        return frozenset(joint for joint, name in self.slides.items() if used[self.index[name]])

    def evaluate(self, poly: Poly, values: dict[str, float]) -> float:
        """Return the number a polynomial has for the given generators."""
        total = 0.0
        for exponents, coefficient in poly.to_dict().items():
            term = float(int(coefficient))
            for k, power in enumerate(exponents):
                if power:
                    term *= values[self.names[k]] ** int(power)
            total += term
        return total

    def known_values(self) -> dict[str, float]:
        """Return the numbers of all parameters and twists that have one."""
        values = dict(self.values)
        for tag, size in self._twist_values.items():
            values[f"c{tag}"], values[f"s{tag}"] = math.cos(size), math.sin(size)
        return values

    def twist_value(self, tag: str) -> float | None:
        """Return the angle behind a pair of twist generators [rad]; None when symbolic."""
        return self._twist_values.get(tag)

    # -- building ---------------------------------------------------------------------------

    def _collect(self, rows: list[_PlainRow]) -> tuple[dict[str, None], dict[str, None]]:
        """Name every different length and twist; fill in their values."""
        lengths: dict[str, None] = {}
        twists: dict[str, None] = {}
        self._names: dict[tuple[str, int], tuple[int, str]] = {}
        for i, (kind, d, a, alpha, offset) in enumerate(rows, 1):
            for letter, value in (("d", d), ("a", a)):
                self._names[letter, i] = self._length(f"{letter}{i}", value, lengths)
            self._names["alpha", i] = self._twist(f"al{i}", alpha, twists)
            if kind == "prismatic":
                self._names["turn", i] = self._twist(f"th{i}", offset, twists)
        return lengths, twists

    def _length(self, name: str, value: Dimension, known: dict[str, None]) -> tuple[int, str]:
        own = self._unused(name)
        if isinstance(value, str):
            sign, text = (-1, value[1:]) if value.startswith("-") else (1, value)
            if not text.isidentifier():
                sign = 1
                self.definitions[own] = value
                text = own
            known.setdefault(text)
            return sign, text
        if value == 0:
            return 0, ""
        for other, size in self.values.items():
            if not self._own_names and abs(abs(value) - size) <= SAME_LENGTH:
                return (1 if value > 0 else -1), other
        self.values[own] = abs(value)
        known.setdefault(own)
        return (1 if value > 0 else -1), own

    def _unused(self, name: str) -> str:
        """Return a name for a dimension without one that no symbol of the arm has."""
        while name in self._given_names:
            name += "_"
        return name

    def _twist(self, tag: str, value: Dimension, known: dict[str, None]) -> tuple[int, str]:
        """Return (quarter turns, "") for a multiple of 90°, else (±1, tag of the generators)."""
        tag = self._unused(tag)
        if isinstance(value, str):
            sign, text = (-1, value[1:]) if value.startswith("-") else (1, value)
            if text.isidentifier():
                self.definitions[text] = text
                known.setdefault(text)
                return sign, text
            self.definitions[tag] = value
            known.setdefault(tag)
            return 1, tag
        quarters = round(value / (math.pi / 2))
        if abs(value - quarters * math.pi / 2) <= SAME_ANGLE:
            return quarters % 4, ""
        for other in known:
            size = self._twist_values.get(other)
            if size is not None and abs(abs(value) - size) <= SAME_ANGLE:
                return (1 if value > 0 else -1), other
        self._twist_values[tag] = abs(value)
        known.setdefault(tag)
        return (1 if value > 0 else -1), tag

    def _row(self, joint: int, row: _PlainRow, group: int) -> SymbolicRow:
        def length(letter: str) -> Poly:
            sign, name = self._names[letter, joint]
            return sign * self[name] if name else self.zero

        def turn(key: str) -> tuple[Poly, Poly]:
            number, tag = self._names[key, joint]
            if tag:
                return self[f"c{tag}"], number * self[f"s{tag}"]
            quarter = ((1, 0), (0, 1), (-1, 0), (0, -1))[number]
            return self.context.constant(quarter[0]), self.context.constant(quarter[1])

        revolute = row[0] == "revolute"
        return SymbolicRow(
            joint=joint,
            is_revolute=revolute,
            turn=(self.one, self.zero) if revolute else turn("turn"),
            d=length("d"),
            a=length("a"),
            twist=turn("alpha"),
            group=group,
        )


_PlainRow: TypeAlias = tuple[str, Dimension, Dimension, Dimension, Dimension]


def remainder(poly: Poly, squares: Iterable[tuple[int, Poly]]) -> Poly:
    """Return a polynomial modulo others, each the square of a variable, given by its index."""
    degrees = poly.degrees()
    for index, square in squares:
        if degrees[index] > 1:
            poly = poly % square
    return poly


def _checked_names(arm: Arm) -> frozenset[str]:
    """Return the symbols of an arm; refuse those that mean something else here."""
    for name in arm.symbols:
        if _OWN_NAMES.fullmatch(name) or not name.isascii():
            raise DescriptionError(
                "symbol cannot be used in a derivation",
                element=f"arm '{arm.name}'",
                value=name,
                allowed="ASCII letters, digits and _; not c1, s12, x1, y1, q1, qd1, h1, w1, nx "
                "and the like, which are names of the derivation's own",
            )
    return frozenset(arm.symbols)


def _refuse_twice(arm: Arm, names: list[str]) -> None:
    """Refuse a symbol such as "cal1" that is also the cosine or sine of a twist."""
    for name in names:
        if names.count(name) > 1:
            raise DescriptionError(
                "symbol is also the cosine or sine of a twist",
                element=f"arm '{arm.name}'",
                value=name,
                allowed="another name",
            )


def _plain_rows(arm: Arm) -> list[_PlainRow]:
    """Return kind, d, a, alpha, offset of the moving joints; refuse fixed ones in between."""
    joints = list(arm.joints)
    while not joints[0].is_moving:
        joints.pop(0)
    while not joints[-1].is_moving:
        joints.pop()
    for joint in joints:
        if not joint.is_moving:
            raise UnsupportedError(
                f"arm '{arm.name}': fixed joint '{joint.name}' stands between moving joints; "
                "describe it in the row before it"
            )
    return [(joint.kind, joint.d, joint.a, joint.alpha, joint.offset) for joint in joints]


def _parallel_groups(rows: Iterable[_PlainRow]) -> tuple[list[int], list[int]]:
    """Return for every row its sense in, and the number of, its group of parallel axes."""
    senses: list[int] = []
    groups: list[int] = []
    sense, group = 1, 0
    for _, _, _, alpha, _ in rows:
        senses.append(sense)
        groups.append(group)
        if isinstance(alpha, str) or abs(math.sin(alpha)) > SAME_ANGLE:
            sense, group = 1, group + 1
        elif math.cos(alpha) < 0:
            sense = -sense
    return senses, groups


def _all_angles(rows: list[_PlainRow], senses: list[int], groups: list[int]) -> Iterator[Angle]:
    """Return every joint angle and every sum of neighbouring parallel ones, single ones first."""
    turning = [i for i, row in enumerate(rows) if row[0] == "revolute"]
    for length in range(1, len(rows) + 1):
        for start in range(len(turning) - length + 1):
            members = turning[start : start + length]
            if groups[members[0]] == groups[members[-1]]:
                first = senses[members[0]]
                yield Angle(tuple((i + 1, senses[i] * first) for i in members))


def parameter_names(arm: Arm) -> tuple[str, ...]:
    """Return the symbols that occur in the kinematic rows of an arm."""
    found: set[str] = set()
    for joint in arm.joints:
        for value in (joint.d, joint.a, joint.alpha, joint.offset):
            found |= symbols(value)
    return tuple(sorted(found))
