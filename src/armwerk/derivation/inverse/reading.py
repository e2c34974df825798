"""A solution as a book writes it: the same steps, shorter formulas, helpers with names that speak.

What a rule finds is correct but raw: the last link is multiplied into every formula, helpers are
numbered as they came, common factors are left standing. Here

    the centre of the wrist (or the origin in front of the last joint) gets names of its own,
    what the pose's orthonormal columns make one or zero is one or zero,
    factors that are positive go from both arguments of an atan2,
    brackets are put around what is turned by the same angle,
    helpers that are equal become one, and names say what they are:
        xw yw zw   the centre of the wrist in the frame in front of the first joint [m]
        A3 B3 C3   the letters of theorem 4.5, A cos θ3 + B sin θ3 = C
        u v        where two links that move in a plane must end [m]
        k1 k2      both links together, along and across the second [m]
        w1 w2 ...  roots: here the solutions part
        h1 h2 ...  anything else

The result is tried at random postures; should it fail, the raw solution stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import symengine

from armwerk.derivation.inverse.leaves import leaves, same_leaves
from armwerk.derivation.inverse.memory import (
    PROBES,
    RECOVERED,
    VANISHES,
    number,
    probe_of,
    recovered,
)
from armwerk.derivation.inverse.result import Explained, Inverse, make_program
from armwerk.derivation.inverse.terms import (
    Products,
    common_factor,
    divided,
    expression_of,
    gathered,
    minus_signs,
    products,
    size_of,
    with_unit_columns,
)
from armwerk.derivation.program import (
    Expression,
    Let,
    LinePair,
    Root,
    SixNames,
    Slide,
    Step,
    Sum,
    Turn,
)
from armwerk.derivation.ring import POSE_ROWS, Angle, Ring
from armwerk.derivation.show import to_symengine

Change = Callable[[Expression], Expression]
_WRIST = ("xw", "yw", "zw")


def readable(ring: Ring, inverse: Inverse) -> Inverse:
    """Return the same solution in the words of a book."""
    program = inverse.program
    if program is None or not inverse.steps:
        return inverse
    raw = [step for one in inverse.steps for step in one.steps]
    probes = [recovered(raw, probe_of(ring, seed)) for seed in range(PROBES)]
    known = [probe for probe in probes if probe is not None]
    if len(known) < PROBES:
        return inverse
    probe = probe_of(ring, 0)
    true = leaves(raw, probe)
    for shift in dict.fromkeys((last_link(ring), None)):
        steps = _written(ring, inverse, shift, known)
        flat = [step for one in steps for step in one.steps]
        is_found = all(recovered(flat, probe_of(ring, seed)) is not None for seed in range(PROBES))
        if is_found and same_leaves(true, leaves(flat, probe), RECOVERED):
            return replace(inverse, steps=steps, program=make_program(ring, flat, program.given))
    return inverse


def _written(
    ring: Ring, inverse: Inverse, shift: LastLink | None, probes: Sequence[dict[str, float]]
) -> tuple[Explained, ...]:
    """Return the conclusions, written shorter."""
    writer = _FormulaWriter(ring, shift, probes)
    written = [
        replace(
            one,
            steps=tuple(writer.step(step) for step in one.steps),
            terms=tuple((name, writer.short(value)) for name, value in one.terms),
        )
        for one in inverse.steps
    ]
    return _named(ring, [_signed(one) for one in _tidied(written)], shift)


@dataclass(frozen=True, slots=True, eq=False)
class LastLink:
    """What lies between the origin in front of the last joint and the end of the arm.

    Args:
        offset: From that origin to the end, in the entries of the pose [m].
        dimensions: The lengths that occur in it.
        is_wrist: Whether the last three axes meet in that origin.
    """

    offset: tuple[Expression, Expression, Expression]
    dimensions: frozenset[str]
    is_wrist: bool


def last_link(ring: Ring) -> LastLink | None:
    """Return the last link of an arm; None where it has no length, or its last joint slides."""
    row = ring.rows[-1]
    if not row.is_revolute or not (row.a or row.d):
        return None
    a, d = to_symengine(ring, row.a), to_symengine(ring, row.d)
    cosine, sine = (to_symengine(ring, poly) for poly in row.twist)
    n, o, z = ([symengine.Symbol(f"{letter}{axis}") for axis in "xyz"] for letter in "noa")
    x, y, w = (symengine.expand(a * n[k] + d * (sine * o[k] + cosine * z[k])) for k in range(3))
    names = {s.name for s in (a.free_symbols | d.free_symbols)}
    wrist = (
        ring.dof >= 6
        and not row.a
        and all(one.is_revolute for one in ring.rows[-3:])
        and not (ring.rows[-2].a or ring.rows[-2].d or ring.rows[-3].a)
    )
    return LastLink((x, y, w), frozenset(names), wrist)


class _FormulaWriter:
    """Writes expressions shorter.

    Args:
        ring: The algebra of the arm.
        shift: Its last link.
        probes: Postures with the values of all helpers.
    """

    def __init__(
        self, ring: Ring, shift: LastLink | None, probes: Sequence[dict[str, float]]
    ) -> None:
        self._shift = shift
        self._positive = frozenset(ring.values)
        self._found: list[Angle] = []
        self._values = [dict(probe) for probe in probes]
        self._centre: dict[Expression, Expression] = {}
        if shift is not None:
            tips = [symengine.Symbol(names[3]) for names in POSE_ROWS]
            for tip, name, way in zip(tips, _WRIST, shift.offset, strict=True):
                self._centre[tip] = symengine.Symbol(name) + way
                for values in self._values:
                    values[name] = values[tip.name] - number(way, values)

    def step(self, step: Step) -> Step:
        """Return a step with shorter formulas."""
        match step:
            case Turn(angle, sine, cosine):
                short = self._turn(angle, sine, cosine)
                self._found.insert(0, angle)
                return short
            case Sum(angle, _):
                self._found.insert(0, angle)
                return step
            case Root(name, radicand):
                return Root(name, self._radicand(radicand))
        return changed(step, self.short)

    def short(self, expression: Expression) -> Expression:
        """Return an equal expression with as few letters as can be had."""
        terms = self._terms(expression)
        if terms is None:
            return expression
        best = gathered(terms, self._angles())
        return best if size_of(best) <= size_of(expression) else expression

    def _terms(self, expression: Expression) -> Products | None:
        terms = products(expression)
        if terms is None:
            return None
        best = with_unit_columns(terms)
        if self._shift is not None:
            moved = products(expression.subs(self._centre))
            if moved is not None:
                moved = self._without_last_link(with_unit_columns(moved))
                if size_of(expression_of(moved)) <= size_of(expression_of(best)):
                    best = moved
        return best

    def _without_last_link(self, terms: Products) -> Products:
        """Return terms less those of the last link's lengths, where they vanish together."""
        names = self._shift.dimensions if self._shift is not None else frozenset()
        apart = {
            product: value
            for product, value in terms.items()
            if any(name in names for name, _ in product)
        }
        if not apart:
            return terms
        part = expression_of(apart)
        if any(abs(number(part, values)) > VANISHES for values in self._values):
            return terms
        return {product: value for product, value in terms.items() if product not in apart}

    def _turn(self, angle: Angle, sine: Expression, cosine: Expression) -> Turn:
        parts = [self._terms(sine), self._terms(cosine)]
        if parts[0] is None or parts[1] is None:
            return Turn(angle, sine, cosine)
        both = [parts[0], parts[1]]
        factor = common_factor(both, self._positive)
        if factor != 1:
            both = [divided(terms, factor) for terms in both]
        y, x = (self._bracketed(terms) for terms in both)
        return Turn(angle, y, x)

    def _bracketed(self, terms: Products) -> Expression:
        """Return terms with a root that all hold in front of the bracket."""
        roots = frozenset(name for product in terms for name, _ in product if name.startswith("w"))
        factor = common_factor([terms], roots)
        whole = symengine.Integer(1)
        for symbol in factor.free_symbols:
            whole = whole * symbol
        if whole == 1:
            return gathered(terms, self._angles())
        return whole * gathered(divided(terms, whole), self._angles())

    def _radicand(self, radicand: Expression) -> Expression:
        """Return a radicand with what the lengths have in common in front of a bracket."""
        terms = self._terms(radicand)
        if terms is None:
            return radicand
        fixed = {
            product: value
            for product, value in terms.items()
            if product and all(name in self._positive for name, _ in product)
        }
        rest = {product: value for product, value in terms.items() if product not in fixed}
        factor = common_factor([fixed], self._positive) if len(fixed) > 1 else 1
        short = gathered(rest, self._angles())
        if factor == 1:
            return expression_of(fixed) + short
        return factor * expression_of(divided(fixed, factor)) + short

    def _angles(self) -> list[tuple[str, str]]:
        return [(angle.cos, angle.sin) for angle in self._found]


def changed(step: Step, change: Change) -> Step:
    """Return a step with every formula of it changed."""
    match step:
        case Let(name, value, role):
            return Let(name, change(value), role)
        case Root(name, radicand):
            return Root(name, change(radicand))
        case Turn(angle, sine, cosine):
            return Turn(angle, change(sine), change(cosine))
        case Slide(joint, numerator, denominator):
            return Slide(joint, change(numerator), change(denominator))
        case LinePair(names, (k0, k1, k2, k3, k4)):
            five = (change(k0), change(k1), change(k2), change(k3), change(k4))
            return LinePair(names, five)
    return step


def formulas_of(step: Step) -> tuple[Expression, ...]:
    """Return the formulas of a step."""
    found: list[Expression] = []

    def noted(expression: Expression) -> Expression:
        found.append(expression)
        return expression

    changed(step, noted)
    return tuple(found)


def _signed(one: Explained) -> Explained:
    """Return a conclusion with the sign of each root chosen such that few minus signs are left.

    Both signs are tried anyway.
    """
    steps = one.steps
    for root in [step.name for step in steps if isinstance(step, Root)]:
        flipped = tuple(_flipped_step(step, symengine.Symbol(root)) for step in steps)
        if _minus(flipped) < _minus(steps):
            steps = flipped
    return replace(one, steps=steps)


def _flipped_step(step: Step, root: Expression) -> Step:
    return changed(step, lambda formula: _flipped(formula, root))


def _flipped(expression: Expression, root: Expression) -> Expression:
    """Return an expression with the other sign of a root, brackets kept."""
    if root not in expression.free_symbols:
        return expression
    found = []
    for term in expression.args if expression.is_Add else (expression,):
        factors = list(term.args) if term.is_Mul else [term]
        brackets = [k for k, factor in enumerate(factors) if factor.is_Add]
        if root in factors and len(brackets) == 1:
            # minus the bracket, term by term: no sign stands in front of it
            inside = factors[brackets[0]].args
            factors[brackets[0]] = symengine.Add(*(-part for part in inside))
            found.append(symengine.Mul(*factors))
        else:
            found.append(term.subs({root: -root}))
    return symengine.Add(*found)


def _minus(steps: Sequence[Step]) -> int:
    return sum(minus_signs(formula) for step in steps for formula in formulas_of(step))


def _tidied(conclusions: Sequence[Explained]) -> list[Explained]:
    """Return conclusions without helpers that are equal, trivial, or not used."""
    same: dict[Expression, Expression] = {}
    values: dict[Expression, Expression] = {}

    def replaced(expression: Expression) -> Expression:
        return expression.subs(same) if same else expression

    found = []
    for one in conclusions:
        steps: list[Step] = []
        for raw in one.steps:
            step = changed(raw, replaced)
            if isinstance(step, Let):
                symbol = symengine.Symbol(step.name)
                flipped = symengine.expand(-step.value)
                if step.value.is_Symbol or step.value.is_Number or _is_minus(step.value):
                    same[symbol] = step.value
                    continue
                if step.value in values:
                    same[symbol] = values[step.value]
                    continue
                if flipped in values:
                    same[symbol] = -values[flipped]
                    continue
                if _all_minus(step.value):
                    # a helper that is minus something is called by what it is minus of
                    step = Let(step.name, flipped, step.role)
                    same[symbol] = -symbol
                values[step.value] = symbol
            steps.append(step)
        terms = tuple((name, replaced(value)) for name, value in one.terms)
        found.append(replace(one, steps=tuple(steps), terms=terms))
    used = {
        symbol.name
        for one in found
        for step in one.steps
        for formula in formulas_of(step)
        for symbol in formula.free_symbols
    }
    used |= {
        str(part)
        for one in found
        for step in one.steps
        if isinstance(step, Sum)
        for _, part in step.parts
    }
    return [_needed(one, used) for one in found]


def _needed(one: Explained, used: set[str]) -> Explained:
    """Return a conclusion without helpers and sums of angles that nothing uses."""
    steps: list[Step] = []
    dropped: set[str] = set()
    for step in one.steps:
        if isinstance(step, Let) and step.name not in used:
            continue
        if isinstance(step, Sum) and len(step.angle.terms) > 1:
            angle = step.angle
            if not used & {angle.cos, angle.sin, str(angle)}:
                dropped.add(str(angle))
                continue
        steps.append(step)
    unknowns = tuple(name for name in one.unknowns if name not in dropped)
    return replace(one, steps=tuple(steps), unknowns=unknowns)


def _is_minus(value: Expression) -> bool:
    """Whether a value is minus a single letter."""
    return bool(value.is_Mul and (-value).is_Symbol)


def _all_minus(value: Expression) -> bool:
    """Whether every term of a value has a minus."""
    terms = products(value) or {}
    return bool(terms) and all(factor.is_real and factor < 0 for factor in terms.values())


def _named(
    ring: Ring, conclusions: Sequence[Explained], shift: LastLink | None
) -> tuple[Explained, ...]:
    """Return conclusions whose helpers are named by what they are, and the wrist in front."""
    taken = {*ring.names, *ring.arm.symbols}
    new: dict[Expression, Expression] = {}
    counts = {"h": 0, "k": 0, "w": 0}

    def fresh(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    def name_for(step: Let | Root) -> str:
        role = "w" if isinstance(step, Root) else step.role or "h"
        if role in counts:
            counts[role] += 1
            return fresh(f"{role}{counts[role]}")
        if role not in taken:
            return fresh(role)
        more = 2
        while f"{role}{more}" in taken:
            more += 1
        return fresh(f"{role}{more}")

    def six(names: SixNames) -> SixNames:
        a, b, e, f, g, h = (fresh(f"h{counts['h'] + k}") for k in range(1, 7))
        counts["h"] += 6
        found = (a, b, e, f, g, h)
        for old, name in zip(names, found, strict=True):
            new[symengine.Symbol(old)] = symengine.Symbol(name)
        return found

    centre = [fresh(name) for name in _WRIST] if shift is not None else []
    new |= {
        symengine.Symbol(old): symengine.Symbol(name)
        for old, name in zip(_WRIST, centre, strict=False)
        if old != name
    }

    def renamed(expression: Expression) -> Expression:
        return expression.subs(new) if new else expression

    found = []
    for one in conclusions:
        steps: list[Step] = []
        for raw in one.steps:
            step = changed(raw, renamed)
            if isinstance(step, Let | Root):
                name = name_for(step)
                new[symengine.Symbol(step.name)] = symengine.Symbol(name)
                step = replace(step, name=name)
            elif isinstance(step, LinePair):
                step = LinePair(six(step.names), step.coefficients)
            steps.append(step)
        terms = tuple((name, _by_name(renamed(value), steps)) for name, value in one.terms)
        found.append(replace(one, steps=tuple(steps), terms=terms))
    if shift is not None:
        found = _with_centre(found, shift, centre)
    return tuple(found)


def _by_name(value: Expression, steps: Sequence[Step]) -> Expression:
    """Return the helper that a value is, or is minus of; else the value."""
    for step in steps:
        if isinstance(step, Let):
            for sign in (1, -1):
                if symengine.expand(value - sign * step.value) == 0:
                    return sign * symengine.Symbol(step.name)
    return value


def _with_centre(
    conclusions: Sequence[Explained], shift: LastLink, centre: Sequence[str]
) -> list[Explained]:
    """Return conclusions with the coordinates that are used, in front of their first use."""
    tips = [symengine.Symbol(names[3]) for names in POSE_ROWS]
    used = {
        symbol.name
        for one in conclusions
        for step in one.steps
        for formula in formulas_of(step)
        for symbol in formula.free_symbols
    }
    role = "wrist" if shift.is_wrist else "origin"
    lets: tuple[Step, ...] = tuple(
        Let(name, tip - way, role)
        for name, tip, way in zip(centre, tips, shift.offset, strict=True)
        if name in used
    )
    found = list(conclusions)
    for place, one in enumerate(found):
        own = {s.name for step in one.steps for f in formulas_of(step) for s in f.free_symbols}
        if own & set(centre):
            found[place] = replace(one, steps=(*lets, *one.steps))
            break
    return found
