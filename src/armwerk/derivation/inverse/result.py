"""What a derivation of the inverse kinematics leaves behind: program and explanation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from armwerk.derivation.inverse.branch_names import BranchNames
from armwerk.derivation.inverse.engine import Finding
from armwerk.derivation.inverse.plain import plain, plain_theorem
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
)
from armwerk.derivation.ring import Angle, Ring
from armwerk.derivation.show import to_symengine

MEANINGS = {
    "wrist": "centre of the wrist, where the last three axes meet",
    "origin": "origin of the frame in front of the last joint",
    "u": "where the two links end, in their plane",
    "v": "where the two links end, in their plane",
    "k": "both links, along and across the second",
}
"""What a helper means, by its role."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One conclusion of the derivation, in words.

    Args:
        rule: Number of the theorem or name of the method.
        title: What the rule does.
        unknowns: What it found.
        equations: Numbers of the kinematic equations it used.
        branches: How many values it gives for one of what came before.
        pattern, solution: The theorem, as LaTeX.
        steps: What it added to the program.
        remark: Anything worth adding, such as the size of a Gröbner basis.
        terms: What the letters of the theorem are for this arm.
        angles: The same for its angles, where it speaks of more than one.
    """

    rule: str
    title: str
    unknowns: tuple[str, ...]
    equations: tuple[int, ...]
    branches: int
    pattern: str
    solution: str
    steps: tuple[Step, ...]
    remark: str = ""
    terms: tuple[tuple[str, Expression], ...] = ()
    angles: tuple[tuple[str, Angle], ...] = ()

    @property
    def says_more(self) -> bool:
        """Whether the letters of the theorem say more than the formulas that follow."""
        units = {name for name, value in self.terms if abs(value) == 1}
        return bool(self.terms) and not {"b", "d"} <= units and self.rule != "4.12"


@dataclass(frozen=True, slots=True)
class Inverse:
    """The inverse kinematics of an arm, or the reason why there is no closed form.

    Args:
        method: "rules", "elimination" or "twists"; "numeric" when there is no closed form.
        steps: The conclusions in order.
        program: All solutions; None when there is no closed form.
        reason: Why there is no closed form, or why the arm is redundant; else empty.
        naming: Finds which sign of a root is which configuration, when that is asked for.
        axes: What its joint angles have to do with axis values, in words; empty: the same.
    """

    method: str
    steps: tuple[Explained, ...]
    program: Program | None
    reason: str = ""
    naming: Callable[[], BranchNames | None] | None = field(default=None, compare=False, repr=False)
    axes: str = ""

    @property
    def branches(self) -> int:
        """The most solutions a pose can have; 0 when there is no closed form."""
        return 0 if self.program is None else self.program.branches

    @property
    def is_closed(self) -> bool:
        """Whether a closed form was found."""
        return self.program is not None

    def branch_names(self) -> BranchNames | None:
        """Return which sign of which root is which configuration of the arm, if that is known."""
        return None if self.naming is None else self.naming()

    def explain(self) -> str:
        """Return the derivation as text: every conclusion, its equations and formulas."""
        lines = []
        names = self.branch_names()
        roots = 0
        if self.reason:
            lines.append(self.reason)
        if self.program is not None and self.program.given:
            given = ", ".join(f"q{joint}" for joint in self.program.given)
            lines.append(f"Free choice: {given}. For each value the rest follows in closed form.")
        ways = 1
        for number, step in enumerate(self.steps, 1):
            ways *= step.branches
            lines.append("")
            lines.append(_headline(number, step, ways))
            lines += [f"    {line}" for line in _mapped(step)]
            lines += [f"    {_formula(s)}{meaning}" for s, meaning in _glossed(step.steps)]
            own = [s.name for s in step.steps if isinstance(s, Root)]
            for name in own if names is not None else ():
                said = names.meaning(roots + own.index(name), name) if names is not None else ""
                lines += [f"    {said}"] if said else []
            roots += len(own)
        if self.program is not None:
            count = "one solution" if self.branches == 1 else f"{self.branches} solutions"
            lines += ["", f"At most {count}, found by {self.method}."]
        if self.axes:
            lines += ["", self.axes]
        return "\n".join(lines).strip()

    def tree(self) -> tuple[tuple[str, int], ...]:
        """Return unknown and number of values per branch, in order: the solution tree."""
        return tuple((", ".join(step.unknowns), step.branches) for step in self.steps)


def explained(ring: Ring, finding: Finding, remark: str = "") -> Explained:
    """Return a fired rule in words."""
    match = finding.match
    found = (match.unknown, *match.also)
    found += tuple(step.angle for step in finding.steps if isinstance(step, Sum))
    names = tuple(str(item) if isinstance(item, Angle) else f"q{item}" for item in found)
    return Explained(
        rule=match.rule.theorem,
        title=match.rule.title,
        unknowns=names,
        equations=tuple(number for fact in match.facts for number in fact.equations),
        branches=2 ** sum(isinstance(step, Root) for step in finding.steps),
        pattern=match.rule.pattern,
        solution=match.rule.solution,
        steps=finding.steps,
        remark=remark or next((fact.reason for fact in match.facts if fact.reason), ""),
        terms=tuple((name, to_symengine(ring, poly)) for name, poly in match.terms.items()),
        angles=match.angles,
    )


def tidy(steps: Sequence[Step], dof: int) -> tuple[Step, ...]:
    """Return the steps without values and sums that nothing uses."""
    needed: set[str] = set()
    singles = {Angle(((joint, 1),)) for joint in range(1, dof + 1)}
    kept: list[Step] = []
    for step in reversed(steps):
        match step:
            case Let(name, value):
                if name not in needed:
                    continue
                needed |= _symbols(value)
            case Root(_, radicand):
                needed |= _symbols(radicand)
            case Turn(_, sine, cosine):
                needed |= _symbols(sine) | _symbols(cosine)
            case Slide(_, numerator, denominator):
                needed |= _symbols(numerator) | _symbols(denominator)
            case LinePair(names, coefficients):
                if not needed.intersection(names):
                    continue
                needed |= set().union(*(_symbols(one) for one in coefficients))
            case Sum(angle, parts):
                if angle not in singles and not needed & {angle.cos, angle.sin}:
                    continue
                needed |= {name for _, part in parts for name in (part.cos, part.sin)}
        kept.append(step)
    return tuple(reversed(kept))


def _symbols(expression: Expression) -> set[str]:
    return {symbol.name for symbol in expression.free_symbols}


def _mapped(step: Explained) -> list[str]:
    """Return the theorem, and what its letters are here."""
    if not step.says_more:
        return []
    letters = [f"{plain_theorem(name)} = {angle}" for name, angle in step.angles]
    letters += [f"{name} = {plain(value)}" for name, value in step.terms if value != 0]
    return [plain_theorem(step.pattern), f"  with {', '.join(letters)}"]


def _glossed(steps: Sequence[Step]) -> list[tuple[Step, str]]:
    """Return steps, each with what its helper means where one of that kind comes first."""
    seen: set[str] = set()
    found = []
    for step in steps:
        role = step.role if isinstance(step, Let) else ""
        meaning = MEANINGS.get(role, "")
        found.append((step, f"   ({meaning})" if meaning and meaning not in seen else ""))
        seen.add(meaning)
    return found


def _headline(number: int, step: Explained, ways: int) -> str:
    equations = ", ".join(str(n) for n in step.equations)
    source = (
        f" from equation{'s' if len(step.equations) > 1 else ''} {equations}" if equations else ""
    )
    values = "one value" if step.branches == 1 else f"{step.branches} values"
    rule = f"rule {step.rule}" if step.rule[0].isdigit() else step.rule
    text = (
        f"{number}. {', '.join(step.unknowns)}: {step.title} ({rule}){source}; "
        f"{values} each, {ways} so far"
    )
    return f"{text}\n    {step.remark}" if step.remark else text


def _formula(step: Step) -> str:
    match step:
        case Let(name, value):
            return f"{name} = {plain(value)}"
        case Root(name, radicand):
            return f"{name} = ±1" if radicand == 1 else f"{name} = ± sqrt({plain(radicand)})"
        case Turn(angle, sine, cosine):
            return f"{angle} = atan2({plain(sine)}, {plain(cosine)})"
        case Sum(angle, parts):
            terms = "".join(
                f" {'+' if sign > 0 else '-'} {_in_brackets(str(part))}"
                for sign, part in sorted(parts, key=lambda one: one[0] < 0)
            )
            return f"{angle} = {terms[3:] if terms.startswith(' +') else '-' + terms[3:]}"
        case Slide(joint, numerator, denominator):
            below = "" if denominator == 1 else f"/({plain(denominator)})"
            above = plain(numerator)
            return f"q{joint} = {f'({above})' if below and numerator.is_Add else above}{below}"
        case LinePair(names, coefficients):
            return f"{', '.join(names)} = lines({', '.join(map(plain, coefficients))})"


def _in_brackets(text: str) -> str:
    return f"({text})" if "+" in text or "-" in text else text


def make_program(ring: Ring, steps: Sequence[Step], given: tuple[int, ...] = ()) -> Program:
    """Return the program of an arm from the steps of its solution."""
    moving = ring.arm.moving
    offsets = tuple(
        joint.offset if joint.kind == "revolute" and isinstance(joint.offset, float) else 0.0
        for joint in moving
    )
    return Program(
        dof=ring.dof,
        steps=tidy(steps, ring.dof),
        revolute=tuple(joint.kind == "revolute" for joint in moving),
        offsets=offsets,
        parameters=ring.known_values(),
        given=given,
    )
