"""The inference engine: matches facts with rules, keeps the agenda, fires one rule a cycle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from armwerk.derivation.inverse import knowledge
from armwerk.derivation.inverse.forms import (
    PlanarForm,
    SlideForm,
    TurnForm,
    planar_form,
    slide_form,
    turn_form,
)
from armwerk.derivation.inverse.knowledge import Match, StepNames
from armwerk.derivation.inverse.memory import Fact, Memory, Unknown, holds
from armwerk.derivation.program import Step

Form = TypeVar("Form")
MOST_FORMS = 10  # cheapest forms of one unknown that are paired with each other


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A fired rule: what it found, from what, and the steps it added.

    Args:
        match: The rule and its facts.
        steps: What it added to the program, sums of angles included.
        agenda: How many matches were on the agenda when it was chosen.
    """

    match: Match
    steps: tuple[Step, ...]
    agenda: int


@dataclass(slots=True)
class Network:
    """What each fact looks like, remembered between cycles."""

    turns: dict[Fact, TurnForm] = field(default_factory=dict)
    slides: dict[Fact, SlideForm] = field(default_factory=dict)
    planes: dict[Fact, PlanarForm] = field(default_factory=dict)

    def update(self, memory: Memory, facts: Iterable[Fact]) -> None:
        """Look again at the given facts only."""
        for fact in facts:
            _keep(self.turns, fact, turn_form(memory, fact))
            _keep(self.slides, fact, slide_form(memory, fact))
            _keep(self.planes, fact, planar_form(memory, fact))


def _keep(store: dict[Fact, Form], fact: Fact, form: Form | None) -> None:
    if form is None:
        store.pop(fact, None)
    else:
        store[fact] = form


class RuleEngine:
    """Forward chaining over the working memory.

    Args:
        memory: Facts and what is known.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.network = Network()
        self.findings: list[Finding] = []
        self.names = StepNames()
        self._offers: dict[Unknown, list[Match]] = {}
        self.network.update(memory, memory.facts)
        self._offer_again({item for fact in memory.facts for item in fact.unknowns})

    def run(self) -> bool:
        """Fire rules until every joint is known (True) or none matches (False)."""
        while self.memory.unsolved():
            agenda = self.agenda()
            agenda.sort(key=lambda m: (m.rule.priority + self._doubt(m), m.cost))
            for match in agenda:
                if self.fire(match, len(agenda)):
                    break
            else:
                return False
        return True

    def agenda(self) -> list[Match]:
        """Return every match that could fire now; dear rules are tried only if no other does."""
        waiting = [match for matches in self._offers.values() for match in matches]
        return waiting or list(self._dear_matches())

    def _doubt(self, match: Match) -> int:
        """Return by how much a match waits because what it divides by can vanish.

        Pairs rank behind two-fold rules without a square root, slides behind unique rules.
        """
        if isinstance(match.rule, knowledge.Linear):
            return 0 if knowledge.is_constant(self.memory, match.terms["a"]) else 15
        return 15 if isinstance(match.rule, knowledge.Pair) and match.cost >= 30 else 0

    def fire(self, match: Match, agenda: int = 0) -> bool:
        """Add the steps of a match to the program; False if they fail at a known posture."""
        memory = self.memory
        names = replace(self.names)
        steps = match.steps(names)
        if not holds(memory, steps):
            return False
        self.names = names
        learned: set[Unknown] = set()
        for item in (match.unknown, *match.also):
            sums = memory.learn(item)
            memory.settle(sums)
            steps += sums
            learned |= {item, *(step.angle for step in sums)}
        self.findings.append(Finding(match, tuple(steps), agenda))
        changed = [fact for fact in memory.facts if fact.unknowns & learned]
        self.network.update(memory, changed)
        self._offer_again(learned | {item for fact in changed for item in fact.unknowns})
        return True

    def add(self, facts: Iterable[Fact]) -> None:
        """Take in new facts, concluded by elimination."""
        facts = list(facts)
        self.network.update(self.memory, facts)
        self._offer_again({item for fact in facts for item in fact.unknowns})

    def _offer_again(self, items: set[Unknown]) -> None:
        for item in items:
            matches = [] if self.memory.is_known(item) else list(self._matches(item))
            if matches:
                self._offers[item] = matches
            else:
                self._offers.pop(item, None)

    def _matches(self, item: Unknown) -> Iterator[Match]:
        """Return the matches of the cheap rules, which look at one unknown."""
        if isinstance(item, int):
            slides = [form for form in self.network.slides.values() if form.joint == item]
            for slide in slides:
                for rule in knowledge.ONE_SLIDE:
                    yield from rule.match(self.memory, slide)
            for together in _vectors(slides):
                for along in knowledge.ONE_SLIDE_IN_SPACE:
                    yield from along.match(self.memory, together)
            return
        forms = [form for form in self.network.turns.values() if form.angle == item]
        forms.sort(key=lambda form: len(form.fact.poly))
        for form in forms[:MOST_FORMS]:
            for single in knowledge.ONE_ANGLE:
                yield from single.match(self.memory, form)
        sure = [form for form in forms if self._is_sure(form)]
        for double in knowledge.ONE_ANGLE_TWICE:
            pairs = list(double.match(self.memory, sure[:MOST_FORMS]))
            yield from pairs or double.match(self.memory, forms[:MOST_FORMS])

    def _is_sure(self, form: TurnForm) -> bool:
        """Whether the form gives the sine or the cosine alone, with a factor never zero."""
        one, other = (form.a, form.b) if form.a else (form.b, form.a)
        return not other and knowledge.definite_sign(self.memory, one) != 0

    def _dear_matches(self) -> Iterator[Match]:
        """Return the matches of the rules that look at several unknowns at once."""
        by_place: dict[tuple[int, int, int], list[Fact]] = {}
        for fact in self.memory.facts:
            if fact.place is not None:
                first, last, _, column = fact.place
                by_place.setdefault((first, last, column), []).append(fact)
        groups: dict[tuple[object, object], list[PlanarForm]] = {}
        for form in self.network.planes.values():
            groups.setdefault((form.one, form.two), []).append(form)
        for forms in groups.values():
            forms.sort(key=lambda form: len(form.fact.poly))
            for planar in knowledge.TWO_ANGLES:
                yield from planar.match(self.memory, forms[:MOST_FORMS])
        for (_, _, column), facts in by_place.items():
            if column == 3:
                for spatial in knowledge.POSITION:
                    yield from spatial.match(self.memory, facts)


def _vectors(slides: Iterable[SlideForm]) -> Iterable[list[SlideForm]]:
    """Return the forms by the position vector that they are coordinates of."""
    found: dict[tuple[int, int], list[SlideForm]] = {}
    for form in slides:
        if form.fact.place is not None and form.fact.place[3] == 3:
            found.setdefault(form.fact.place[:2], []).append(form)
    return found.values()
