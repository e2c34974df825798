"""Inverse kinematics by twists: the chain of exponentials taken apart into sub-problems (4.5).

    exp(xi_1 q_1) ... exp(xi_n q_n) = g = R T(0)^-1                                    (4.78)

In every round all sub-problems that fit are tried on forks of the step builder. The one with the
fewest branches that also leads back to the known random postures is kept, its joints leave
the chain, and the next round starts with a shorter one. When nothing leads on, the round before
tries its next best. No kinematic equation of the rules is used, so that each method checks the
other.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from armwerk.derivation.inverse.memory import Memory, holds
from armwerk.derivation.inverse.result import Explained, Inverse, make_program
from armwerk.derivation.inverse.subproblems.chain import TwistChain, first_builder, first_chain
from armwerk.derivation.inverse.subproblems.decomposition import Proposal, proposals
from armwerk.derivation.inverse.subproblems.invariants import invariant_proposals
from armwerk.derivation.inverse.subproblems.loop import loop_proposals
from armwerk.derivation.inverse.subproblems.step_builder import (
    SolvedSubProblem,
    StepBuilder,
    count_roots,
    operations,
)
from armwerk.derivation.program import Let, Program, Root, Step, Sum
from armwerk.derivation.ring import Angle, Ring

MAX_ROUNDS = 40  # over all attempts; an arm takes three to six without going back


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """How far a derivation has come.

    Args:
        memory: What is known.
        builder: Names and probes, and shared values not yet used.
        chain: The joints still unknown.
        found: The conclusions so far, sums of angles included.
    """

    memory: Memory
    builder: StepBuilder
    chain: TwistChain
    found: tuple[Explained, ...]


def solve_by_twists(ring: Ring, given: tuple[int, ...] = ()) -> Inverse | None:
    """Return the inverse kinematics of an arm by sub-problems; None when none leads to the end.

    Args:
        ring: The algebra of the arm.
        given: Joints whose value is an input.
    """
    memory = Memory(ring, (), given)
    builder = first_builder(memory)
    chain = _shortened(memory, builder, first_chain(ring, builder))
    end = _search(SearchState(memory, builder, chain, ()), [MAX_ROUNDS])
    if end is None:
        return None
    program = _program(ring, end.found, given)
    return Inverse("twists", _tidied(end.found, program), program)


def _search(state: SearchState, rounds: list[int]) -> SearchState | None:
    """Return a state with every joint known: the best sub-problem first, others if it fails."""
    if not state.memory.unsolved():
        return state
    if not rounds[0]:
        return None
    rounds[0] -= 1
    for attempt in _attempts(state):
        end = _search(_advanced(state, attempt), rounds)
        if end is not None:
            return end
    return None


def _attempts(state: SearchState) -> Iterator[StepBuilder]:
    """Return builders with a solved sub-problem that holds, few branches first.

    Invariants are looked for only when no point and no direction gives anything: they find one
    joint at a time. Equations of degree four come last.
    """
    found = False
    for attempt in _solved(state, proposals(state.memory, state.chain)):
        found = True
        yield attempt
    for more in (_invariants, _four_fold, _reordered):
        if not found:
            for attempt in _solved(state, more(state)):
                found = True
                yield attempt


def _solved(state: SearchState, ideas: Iterable[Proposal]) -> Iterator[StepBuilder]:
    tried = [fork for idea in ideas if (fork := _tried(state, idea)) is not None]
    for fork in sorted(tried, key=_cost):
        if _holds(state.memory, fork):
            yield fork


def _invariants(state: SearchState) -> Iterator[Proposal]:
    yield from invariant_proposals(state.chain)
    yield from invariant_proposals(state.chain.backwards(), ("height",))


def _four_fold(state: SearchState) -> Iterator[Proposal]:
    yield from loop_proposals(state.chain)


def _reordered(state: SearchState) -> Iterator[Proposal]:
    for chain in state.chain.orders()[1:]:
        yield from proposals(state.memory, chain)
        yield from loop_proposals(chain)


def _tried(state: SearchState, proposal: Proposal) -> StepBuilder | None:
    fork = state.builder.fork()
    fork.remark = proposal.remark
    if not proposal.solve(fork):
        return None
    new = [u for c in fork.conclusions for u in c.unknowns if u not in state.memory.known]
    return fork if new else None


def _cost(builder: StepBuilder) -> tuple[int, int, int]:
    """Few branches first, then many joints, then little arithmetic."""
    steps = [step for conclusion in builder.conclusions for step in conclusion.steps]
    joints = sum(len(conclusion.unknowns) for conclusion in builder.conclusions)
    return count_roots(steps), -joints, operations(steps)


def _holds(memory: Memory, builder: StepBuilder) -> bool:
    """Whether the steps lead back to every probe."""
    trial = copy.copy(memory)
    trial.probes = builder.probes
    return holds(trial, [step for c in builder.conclusions for step in c.steps])


def _advanced(state: SearchState, attempt: StepBuilder) -> SearchState:
    """Return the state after a sub-problem: joints known, chain shortened."""
    memory = copy.copy(state.memory)
    memory.known = set(memory.known)
    found = [_explained(memory, conclusion) for conclusion in attempt.conclusions]
    builder = attempt.fork()
    memory.probes = builder.probes
    chain = _shortened(memory, builder, state.chain)
    return SearchState(memory, builder, chain, (*state.found, *found))


def _shortened(memory: Memory, builder: StepBuilder, chain: TwistChain) -> TwistChain:
    """Move every known joint into the goal, those at the ends first."""
    while True:
        places = [k for k, axis in enumerate(chain.axes) if axis.unknown in memory.known]
        if not places:
            return chain
        middle = (len(chain.axes) - 1) / 2
        chain = chain.without(builder, max(places, key=lambda k: abs(k - middle)))


def _explained(memory: Memory, conclusion: SolvedSubProblem) -> Explained:
    """Note what a conclusion found; return it in words, with the sums that follow."""
    steps: list[Step] = list(conclusion.steps)
    names: list[str] = []
    for item in conclusion.unknowns:
        sums = memory.learn(item)
        memory.settle(sums)
        steps += sums
        names.append(str(item) if isinstance(item, Angle) else f"q{item}")
    names += [str(step.angle) for step in steps if isinstance(step, Sum)]
    return Explained(
        rule=conclusion.problem.number,
        title=conclusion.problem.title,
        unknowns=tuple(names),
        equations=(),
        branches=2 ** sum(isinstance(step, Root) for step in steps),
        pattern=conclusion.problem.pattern,
        solution=conclusion.problem.solution,
        steps=tuple(steps),
        remark=conclusion.remark,
    )


def _program(ring: Ring, found: tuple[Explained, ...], given: tuple[int, ...]) -> Program:
    return make_program(ring, [step for one in found for step in one.steps], given)


def _tidied(found: tuple[Explained, ...], program: Program) -> tuple[Explained, ...]:
    """Return the conclusions without shared values that the program does not need."""
    kept = {step.name for step in program.steps if isinstance(step, Let)}
    return tuple(
        replace(one, steps=tuple(s for s in one.steps if not isinstance(s, Let) or s.name in kept))
        for one in found
    )
