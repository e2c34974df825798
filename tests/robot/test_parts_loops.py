"""Which closed chains are recognised, in which order, and how others are refused."""

from __future__ import annotations

import pytest

import armwerk
from armwerk.errors import DescriptionError
from armwerk.robot.loops import Platform, Union
from armwerk.robot.part import Freedom
from armwerk.robot.parts import (
    Assembly,
    Body,
    Connection,
    LinearMotor,
    Passive,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    at,
    chain,
)


def branch(name: str, *freedoms: Freedom) -> Connection:
    """Return a chain with passive elements, a segment and an end of that name."""
    passives = [Passive(f"{name}_{k}", freedom) for k, freedom in enumerate(freedoms)]
    return chain(*passives, Segment(f"{name}_bar", 0.3), TerminationPoint(name))


def tied(*chains: Connection) -> Assembly:
    ends = []
    for one in chains:
        part = one.part
        while part.connections:
            part = part.connections[0].part
        ends.append(part.name)
    return Assembly("tied", Body(tails=chains), Union("knot", tuple(ends)))


PATTERNS = {
    "TRIPOD": (("FULLROT",), ("FULLROT",), ("FULLROT",)),
    "TIGHT_LEN": (("LINEAR",), ("FULLROT",)),
    "TIGHT_ROT": (("AXISROT",), ("FULLROT",)),
    "TIGHT_PSEUDO": ((), ("FULLROT",)),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_are_recognised_in_any_order(pattern: str) -> None:
    chains = [branch(f"end{k}", *freedoms) for k, freedoms in enumerate(PATTERNS[pattern])]
    for order in (chains, chains[::-1]):
        (loop,) = tied(*order).loops
        assert loop.pattern == pattern
        if pattern != "TRIPOD":
            assert [chain.point for chain in loop.chains] == ["end0", "end1"]


def test_a_slide_may_follow_the_distance_of_a_hanging_chain() -> None:
    (loop,) = tied(branch("a"), branch("b", "FULLROT", "LINEAR")).loops
    assert loop.pattern == "TIGHT_PSEUDO"
    assert loop.passives == ("b_0", "b_1")


REFUSED: list[tuple[tuple[Freedom, ...], ...]] = [
    (("AXISROT",), ("AXISROT",)),
    (("FULLROT",), ("FULLROT",)),
    (("LINEAR",), ("AXISROT",)),
    (("FULLROT",), ("FULLROT",), ("AXISROT",)),
    (("FULLROT",), ("FULLROT",), ("FULLROT",), ("FULLROT",)),
    (("LINEAR", "FULLROT"), ()),
    ((), ()),
    ((), (), ("FULLROT",)),
]


@pytest.mark.parametrize("freedoms", REFUSED)
def test_other_patterns_are_refused_with_what_was_found(
    freedoms: tuple[tuple[Freedom, ...], ...],
) -> None:
    chains = [branch(f"end{k}", *kinds) for k, kinds in enumerate(freedoms)]
    with pytest.raises(DescriptionError, match="union 'knot'") as caught:
        tied(*chains)
    text = str(caught.value)
    assert "union 'knot'" in text
    for k, kinds in enumerate(freedoms):
        found = " and ".join(f"{kind} 'end{k}_{i}'" for i, kind in enumerate(kinds))
        assert f"chain to 'end{k}' with {found or 'no passive element'}" in text
    for pattern in PATTERNS:
        assert pattern in text


def test_a_passive_element_that_carries_all_chains_does_not_count() -> None:
    fork = TConnector("fork", tails=[branch("a"), branch("b", "FULLROT")])
    with pytest.raises(DescriptionError, match="forms no known pattern"):
        Assembly("x", Body(tails=[chain(Passive("p", "AXISROT"), fork)]), Union("u", ("a", "b")))


def test_one_passive_element_does_not_count_for_three_chains() -> None:
    fork = TConnector("fork", tails=[branch("a"), branch("b"), branch("c")])
    with pytest.raises(DescriptionError, match="forms no known pattern"):
        Assembly("x", Body(tails=[chain(Passive("p"), fork)]), Union("u", ("a", "b", "c")))


def test_loops_on_loops_are_sorted_into_solving_order() -> None:
    excavator = armwerk.load("excavator_arm")
    again = Assembly("x", excavator.body, excavator.unions[::-1], tip="teeth")
    for assembly in (excavator, again):
        assert [loop.tie.name for loop in assembly.loops] == ["boom", "stick_joint"]
        assert {loop.pattern for loop in assembly.loops} == {"TIGHT_ROT"}


def test_points_must_exist_and_be_apart() -> None:
    with pytest.raises(DescriptionError, match=r"union 'u', points.*unknown point.*'c'.*a_bar"):
        Assembly("x", Body(tails=[branch("a"), branch("b")]), Union("u", ("a", "c")))
    with pytest.raises(DescriptionError, match="point 'a' hangs on the tied point 'a_bar'"):
        Assembly("x", Body(tails=[branch("a")]), Union("u", ("a", "a_bar")))
    with pytest.raises(DescriptionError, match="'a' hangs on the tied point 'body'"):
        Assembly("x", Body("body", tails=[branch("a")]), Union("u", ("a", "body")))
    with pytest.raises(DescriptionError, match=r"union 'u'.*twice"):
        Union("u", ("a", "a"))
    with pytest.raises(DescriptionError, match=r"union 'u'.*at least two"):
        Union("u", ("a",))
    with pytest.raises(DescriptionError, match=r"union 'u', branch.*got 2 \(allowed: 1 or -1\)"):
        Union("u", ("a", "b"), branch=2)


def leg(k: int, motor: bool = True) -> Connection:
    drive = LinearMotor(f"leg{k}") if motor else Servo(f"leg{k}")
    return chain(at(Passive(f"foot{k}"), x=0.1 * k), drive, TerminationPoint(f"end{k}"))


def plate(count: int = 6) -> Platform:
    return Platform("plate", tuple((f"end{k}", (0.1 * k, 0.0, 0.0)) for k in range(count)))


def test_a_platform_needs_six_legs_with_a_linear_motor_each() -> None:
    legs = [leg(k) for k in range(6)]
    (loop,) = Assembly("x", Body(tails=legs), plate()).loops
    assert loop.pattern == "STEWART"
    with pytest.raises(DescriptionError, match=r"platform 'plate', legs.*6 different"):
        plate(5)
    wrong = [*legs[:5], leg(5, motor=False)]
    with pytest.raises(DescriptionError, match=r"platform 'plate'.*chain to 'end5' with FULLROT"):
        Assembly("x", Body(tails=wrong), plate())
    with pytest.raises(DescriptionError, match=r"anchor of leg 'a'.*x, y, z"):
        Platform("plate", (("a", (1.0, 2.0)),))  # type: ignore[arg-type]
