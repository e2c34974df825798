"""What a program computes when: every value once, as early and for as few branches as possible.

A value *depends on* the roots whose sign it needs. With r roots a pose has 2^r branches, but a
value that depends on k of them has only 2^k different numbers. All values that depend on the
same roots form a `Level`; the generated code runs a level once per combination of its signs.

    definitions (steps of the program, direct kinematics for the check)
      -> hoist: parts of a sum or product that depend on fewer roots become values of their own
      -> common sub-expressions, over everything at once
      -> levels
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import symengine

from armwerk.derivation.program import (
    Expression,
    Let,
    LinePair,
    Program,
    Root,
    Slide,
    Step,
    Sum,
    Turn,
    bases_below,
)
from armwerk.derivation.ring import POSE_NAMES, Angle

_MARK = re.compile(r"\b[vp]_")
Kind: TypeAlias = Literal["value", "root", "turn", "divisor", "sum", "joint", "lines"]
Roots: TypeAlias = frozenset[int]
NO_ROOTS: Roots = frozenset()


@dataclass(frozen=True, slots=True)
class Definition:
    """One statement: the names it defines from expressions and other names.

    Args:
        kind: "value": name = expression. "root": size = sqrt(radicand). "turn": cosine, sine,
            angle from sine and cosine. "divisor": what a slide divides by and can vanish.
            "lines": a pair of lines from five coefficients. "sum": angle from signed angles.
            "joint": joint value from an angle and an offset.
        names: What it defines.
        expressions: What it is computed from.
        terms: For "sum" and "joint" the signed names of angles.
        scale: For "root", "turn" and "divisor" the usual size of radicand, length or divisor;
            for "joint" the offset.
    """

    kind: Kind
    names: tuple[str, ...]
    expressions: tuple[Expression, ...] = ()
    terms: tuple[tuple[int, str], ...] = ()
    scale: float = 1.0

    def uses(self) -> set[str]:
        """Return the names it needs."""
        found = {name for _, name in self.terms}
        for expression in self.expressions:
            found |= names_in(expression)
        return found


@dataclass(frozen=True, slots=True)
class Level:
    """The statements that depend on the same roots, in order of execution.

    Args:
        roots: The numbers of the roots, from 0.
        inputs: Names it takes from other levels, the pose, the setting or root signs.
        statements: In order.
        outputs: Names that other levels or the result need.
    """

    roots: tuple[int, ...]
    inputs: tuple[str, ...]
    statements: tuple[Definition, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """The whole computation of all branches.

    Args:
        roots: Names of the roots in order.
        sizes: Number of every root's size, or its name when it is computed.
        levels: In order of execution.
        depends: For every name the roots it depends on.
        results: Names of the joint values, then of the residuals.
    """

    roots: tuple[str, ...]
    sizes: Mapping[str, str | float]
    levels: tuple[Level, ...]
    depends: Mapping[str, Roots]
    results: tuple[str, ...]


def theta(angle: Angle) -> str:
    """Return the name of an angle's value."""
    return f"th{angle.tag}"


def names_in(expression: Expression) -> set[str]:
    """Return the names of the symbols in an expression."""
    return {symbol.name for symbol in expression.free_symbols}


@dataclass(slots=True)
class Builder:
    """Collects definitions in order and keeps track of what depends on which root.

    Args:
        parameters: Names of constants.
        definitions: What has been collected.
        depends: For every known name the roots it depends on.
        roots: Names of the roots so far.
        sizes: See `Flow`.
    """

    parameters: frozenset[str]
    definitions: list[Definition] = field(default_factory=list)
    depends: dict[str, Roots] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    sizes: dict[str, str | float] = field(default_factory=dict)
    _hoisted: dict[Expression, Expression] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*POSE_NAMES, *self.parameters):
            self.depends[name] = NO_ROOTS

    def roots_of(self, expression: Expression) -> Roots:
        """Return the roots an expression depends on."""
        return NO_ROOTS.union(*(self.depends[name] for name in names_in(expression)))

    def add(self, definition: Definition) -> None:
        """Append a definition; parts that depend on fewer roots go before it."""
        definition = replace(
            definition, expressions=tuple(self._hoist(one) for one in definition.expressions)
        )
        self.definitions.append(definition)
        roots = NO_ROOTS.union(*(self.depends[name] for name in definition.uses()))
        for name in definition.names:
            self.depends[name] = roots

    def value(self, name: str, expression: Expression) -> Expression:
        """Define a name and return its symbol."""
        self.add(Definition("value", (name,), (symengine.sympify(expression),)))
        return symengine.Symbol(name)

    def root(self, name: str, radicand: Expression, scale: float) -> None:
        """Define a root; one of a plain number costs nothing."""
        roots = self.roots_of(radicand)
        if radicand.is_Number:
            self.sizes[name] = float(radicand) ** 0.5
        else:
            self.add(Definition("root", (f"{name}_size",), (radicand,), scale=scale))
            self.sizes[name] = f"{name}_size"
        self.depends[name] = roots | {len(self.roots)}
        self.roots.append(name)

    def _hoist(self, expression: Expression) -> Expression:
        """Give names to the parts of an expression that depend on fewer roots than the whole."""
        if expression.is_Symbol or expression.is_Number:
            return expression
        whole = self.roots_of(expression)
        if not (expression.is_Add or expression.is_Mul):
            return expression.func(*(self._hoist(one) for one in expression.args))
        groups: dict[Roots, list[Expression]] = {}
        for argument in expression.args:
            key = whole if argument.is_Number else self.roots_of(argument)
            groups.setdefault(key, []).append(argument)
        parts = [self._hoist(one) for one in groups.pop(whole, [])]
        for group in groups.values():
            part = group[0] if len(group) == 1 else expression.func(*group)
            parts.append(self._named(self._hoist(part)))
        return expression.func(*parts)

    def _named(self, part: Expression) -> Expression:
        if part.is_Symbol or part.is_Number:
            return part
        if part not in self._hoisted:
            name = f"part{len(self._hoisted)}"
            self._hoisted[part] = symengine.Symbol(name)
            self.depends[name] = self.roots_of(part)
            self.definitions.append(Definition("value", (name,), (part,)))
        return self._hoisted[part]


def add_program(
    builder: Builder,
    program: Program,
    radicands: Mapping[str, float],
    lengths: Mapping[Angle, float],
    divisors: Mapping[int, float] | None = None,
    shares: Mapping[str, float] | None = None,
) -> None:
    """Add the steps of a program; the mappings say how big its radicands and turns usually are.

    Args:
        builder: Where they go.
        program: The program.
        radicands, lengths: Usual sizes by root and by turn.
        divisors: Usual size of what each slide divides by; None: nobody looks at it.
        shares: The same for every `Let`, by the text of the divisor.
    """
    for joint in program.given:
        single = Angle(((joint, 1),))
        names = (single.cos, single.sin, theta(single)) if program.revolute[joint - 1] else ()
        for name in (*names, f"q{joint}"):
            builder.depends[name] = NO_ROOTS
    for step in _marked(program):
        match step:
            case Let(name, value):
                builder.value(name, _checked(builder, name, value, shares))
            case Root(name, radicand):
                builder.root(name, radicand, radicands[name.removeprefix("v_")])
            case Turn(angle, sine, cosine):
                builder.add(
                    Definition(
                        "turn",
                        (angle.cos, angle.sin, theta(angle)),
                        (sine, cosine),
                        scale=lengths[angle],
                    )
                )
            case LinePair(six, coefficients):
                builder.add(Definition("lines", six, coefficients))
            case Sum(angle, parts):
                _add_sum(builder, angle, parts)
            case Slide(joint, numerator, denominator):
                if divisors is not None and not names_in(denominator) <= builder.parameters:
                    name = f"divisor{joint}"
                    size = divisors[joint]
                    builder.add(Definition("divisor", (name,), (denominator,), scale=size))
                    denominator = symengine.Symbol(name)
                builder.value(f"q{joint}", numerator / denominator)
    for joint, revolute in enumerate(program.revolute, 1):
        if revolute and joint not in program.given:
            terms = ((1, theta(Angle(((joint, 1),)))),)
            offset = program.offsets[joint - 1]
            builder.add(Definition("joint", (f"q{joint}",), terms=terms, scale=offset))


def _checked(
    builder: Builder,
    name: str,
    value: Expression,
    shares: Mapping[str, float] | None,
) -> Expression:
    """Return a value that divides by names of their own, which are looked at."""
    own = name.removeprefix("v_")
    for number, base in enumerate(bases_below(value)):
        if shares is None or names_in(base) <= builder.parameters:
            continue
        divisor = f"divisor_{own}_{number}"
        usual = shares.get(_MARK.sub("", str(base)), 1.0)
        builder.add(Definition("divisor", (divisor,), (base,), scale=usual))
        value = value.xreplace({base: symengine.Symbol(divisor)})
    return value


def _marked(program: Program) -> list[Step]:
    """Return the steps with names that cannot meet those of the generated source.

    Parameters become p_…, names of `Let` and `Root` v_…; cosines, sines and slides stay.
    """
    own = [step.name for step in program.steps if isinstance(step, Let | Root)]
    own += [name for step in program.steps if isinstance(step, LinePair) for name in step.names]
    swap = {symengine.Symbol(name): symengine.Symbol(f"v_{name}") for name in own}
    swap |= {symengine.Symbol(name): symengine.Symbol(f"p_{name}") for name in program.parameters}

    def put(expression: Expression) -> Expression:
        return symengine.sympify(expression).xreplace(swap)

    steps: list[Step] = []
    for step in program.steps:
        match step:
            case Let(name, value):
                steps.append(Let(f"v_{name}", put(value)))
            case Root(name, radicand):
                steps.append(Root(f"v_{name}", put(radicand)))
            case Turn(angle, sine, cosine):
                steps.append(Turn(angle, put(sine), put(cosine)))
            case LinePair(six, (k0, k1, k2, k3, k4)):
                a, b, e, f, g, h = (f"v_{name}" for name in six)
                five = (put(k0), put(k1), put(k2), put(k3), put(k4))
                steps.append(LinePair((a, b, e, f, g, h), five))
            case Slide(joint, numerator, denominator):
                steps.append(Slide(joint, put(numerator), put(denominator)))
            case _:
                steps.append(step)
    return steps


def _add_sum(builder: Builder, angle: Angle, parts: Sequence[tuple[int, Angle]]) -> None:
    """Add cosine and sine by the addition theorem, one part after the other, and the angle."""
    cosine: Expression = symengine.Integer(1)
    sine: Expression = symengine.Integer(0)
    for count, (sign, part) in enumerate(parts, 1):
        c, s = symengine.Symbol(part.cos), sign * symengine.Symbol(part.sin)
        cosine, sine = cosine * c - sine * s, sine * c + cosine * s
        names = (angle.cos, angle.sin)
        if count < len(parts):
            names = (f"{angle.cos}_{count}", f"{angle.sin}_{count}")
        if count > 1 or len(parts) == 1:
            cosine, sine = (
                builder.value(name, value)
                for name, value in zip(names, (cosine, sine), strict=True)
            )
    terms = tuple((sign, theta(part)) for sign, part in parts)
    builder.add(Definition("sum", (theta(angle),), terms=terms))


def arrange(builder: Builder, results: Sequence[str]) -> Flow:
    """Share common sub-expressions and sort everything that the results need into levels."""
    definitions = _shared(builder)
    home = {name: one for one in definitions for name in one.names}
    needed = _needed(home, [*results, *(str(size) for size in builder.sizes.values())])
    depends = dict(builder.depends)
    ordered: dict[Roots, list[Definition]] = {}
    for definition in _sorted(definitions, home):
        roots = NO_ROOTS.union(*(depends[name] for name in definition.uses()))
        for name in definition.names:
            depends[name] = roots
        if needed.intersection(definition.names):
            ordered.setdefault(roots, []).append(definition)
    keys = sorted(ordered, key=lambda roots: (len(roots), sorted(roots)))
    wanted = {*results, *(str(size) for size in builder.sizes.values())}
    levels = [_level(roots, ordered, wanted, builder.parameters) for roots in keys]
    return Flow(tuple(builder.roots), builder.sizes, tuple(levels), depends, tuple(results))


def _shared(builder: Builder) -> list[Definition]:
    flat = [one for definition in builder.definitions for one in definition.expressions]
    # the search hands out names that occur in none of its expressions, so it must see them all
    names = [symengine.Symbol(name) for name in builder.depends]
    replacements, reduced = symengine.cse([*flat, *names])
    taken = iter(reduced)
    definitions = [Definition("value", (s.name,), (value,)) for s, value in replacements]
    for definition in builder.definitions:
        expressions = tuple(next(taken) for _ in definition.expressions)
        definitions.append(replace(definition, expressions=expressions))
    return definitions


def _needed(home: Mapping[str, Definition], results: Iterable[str]) -> set[str]:
    needed: set[str] = set()
    agenda = [name for name in results if name in home]
    while agenda:
        name = agenda.pop()
        if name not in needed:
            needed.add(name)
            agenda += [other for other in home[name].uses() if other in home]
    return needed


def _sorted(definitions: Iterable[Definition], home: Mapping[str, Definition]) -> list[Definition]:
    """Return the definitions so that each stands behind what it uses."""
    done: dict[int, Definition] = {}

    def visit(definition: Definition) -> None:
        if id(definition) in done:
            return
        for name in sorted(definition.uses()):
            if name in home and home[name] is not definition:
                visit(home[name])
        done[id(definition)] = definition

    for definition in definitions:
        visit(definition)
    return list(done.values())


def _level(
    roots: Roots,
    ordered: Mapping[Roots, Sequence[Definition]],
    wanted: set[str],
    parameters: frozenset[str],
) -> Level:
    statements = ordered[roots]
    own = {name for one in statements for name in one.names}
    inputs = {name for one in statements for name in one.uses()} - own - parameters
    outside = set(wanted)
    for key, others in ordered.items():
        if key != roots:
            outside |= {name for one in others for name in one.uses()}
    return Level(
        tuple(sorted(roots)),
        tuple(sorted(inputs)),
        tuple(statements),
        tuple(sorted(own & outside)),
    )
