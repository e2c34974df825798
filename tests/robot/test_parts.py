"""Parts and the tree they make: what is accepted, what is refused and how."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from math import nan, pi

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.transform import Rotation

from armwerk.errors import DescriptionError
from armwerk.robot.parts import (
    Assembly,
    Body,
    LinearMotor,
    Passive,
    RotoTranslation,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    TouchPoint,
    TouchSegment,
    at,
    chain,
)

angle = st.floats(-4.0, 4.0)


@given(angle, angle, angle)
def test_roto_translation_turns_about_z_then_minus_y_then_x(a: float, b: float, c: float) -> None:
    # small letters: turns about the fixed axes, in the order they are written
    expected = Rotation.from_euler("zyx", [a, -b, c]).as_matrix()
    matrix = RotoTranslation(1.0, 2.0, 3.0, a, b, c).matrix()
    assert np.allclose(matrix[:3, :3], expected, atol=1e-14)
    assert np.array_equal(matrix[:, 3], [1.0, 2.0, 3.0, 1.0])
    again = RotoTranslation.from_matrix(matrix).matrix()
    assert np.allclose(again, matrix, atol=1e-14)


def test_second_turn_lifts_x_towards_z() -> None:
    turned = RotoTranslation(b=pi / 2).rotation() @ [1.0, 0.0, 0.0]
    assert np.allclose(turned, [0.0, 0.0, 1.0])


def gripper() -> Assembly:
    finger = chain(Servo("finger", limits=(-0.5, 0.5)), TouchSegment(length=0.05), TouchPoint())
    return Assembly(
        "gripper",
        Body(
            tails=[
                chain(
                    at(Servo("stand"), z=0.1),
                    Segment("post", 0.2, mass=0.3),
                    LinearMotor("reach", limits=(0.1, 0.4), max_velocity=0.2),
                    TConnector("palm", tails=[finger, at(TerminationPoint("grip"), z=0.05)]),
                )
            ]
        ),
        tip="grip",
    )


def test_tree_has_every_part_after_its_carrier() -> None:
    assembly = gripper()
    names = list(assembly.tree)
    assert names == [
        *("body", "stand", "post", "reach", "palm", "finger"),
        *("touch_segment1", "touch_point1", "grip"),
    ]
    for name, place in assembly.tree.items():
        assert place.fix is None or names.index(place.fix) < names.index(name)
    assert assembly.path("grip") == ("body", "stand", "post", "reach", "palm", "grip")


def test_motors_in_tree_order_are_q() -> None:
    assembly = gripper()
    assert [motor.name for motor in assembly.moving] == ["stand", "reach", "finger"]
    assert assembly.dof == 3
    assert assembly.structure == "RTR"
    assert [motor.unit for motor in assembly.joints] == ["rad", "m", "rad"]
    assert np.array_equal(assembly.limits, [[-np.inf, np.inf], [0.1, 0.4], [-0.5, 0.5]])
    assert repr(assembly) == "<Assembly 'gripper' 9 parts, 3 motors RTR>"


def test_hand_is_the_tip_or_the_only_free_end() -> None:
    assert gripper().hand == "grip"
    alone = Assembly("one", Body(tails=[chain(Servo(), TouchPoint("hand"))]))
    assert alone.hand == "hand"
    two = Assembly("two", Body(tails=[TouchPoint("left"), TouchPoint("right")]))
    with pytest.raises(DescriptionError, match=r"which part is its hand.*left, right"):
        _ = two.hand


def test_equal_descriptions_are_equal_and_survive_pickling() -> None:
    assert gripper() == gripper()
    assert hash(gripper()) == hash(gripper())
    again = pickle.loads(pickle.dumps(gripper()))
    assert again == gripper()
    assert list(again.tree) == list(gripper().tree)
    other = Assembly("gripper", gripper().body, tip="palm")
    assert other != gripper()


def test_nothing_can_be_changed() -> None:
    assembly = gripper()
    with pytest.raises(FrozenInstanceError, match="field 'name'"):
        assembly.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError, match="does not support item assignment"):
        assembly.tree["new"] = assembly.tree["palm"]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError, match="field 'name'"):
        assembly.body.name = "other"  # type: ignore[misc]


def test_names_are_found_around_given_ones() -> None:
    parts = [Servo("servo1"), Servo(), Segment("segment2", 0.1), Segment(length=0.1), TouchPoint()]
    assembly = Assembly("names", Body(tails=[chain(*parts), TouchPoint("body")]))
    names = ["body1", "servo1", "servo2", "segment2", "segment1", "touch_point1", "body"]
    assert list(assembly.tree) == names


def test_a_segment_reaches_to_its_connection_point() -> None:
    straight = Segment("s", 0.3, tail=TouchPoint("p"))
    assert straight.connections[0].at.position == (0.3, 0.0, 0.0)
    bent = Segment("s", tail=at(TouchPoint("p"), 0.3, 0.4, 0.0))
    assert bent.length == pytest.approx(0.5)
    with pytest.raises(DescriptionError, match=r"segment 's'.*length 0.2 m is not the distance"):
        Segment("s", 0.2, tail=at(TouchPoint("p"), 0.3, 0.4, 0.0))


def body(*tails: object) -> Callable[[], Assembly]:
    return lambda: Assembly("bad", Body("base", tails=tails))  # type: ignore[arg-type]


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "no body": (lambda: Assembly("bad", Servo("s", tail=TouchPoint())), "no Body.*exactly one"),  # type: ignore[arg-type]
    "second body": (
        body(Segment("s", 0.1, tail=Body("inner", tails=[TouchPoint()]))),
        "body 'inner'.*hangs on segment 's'",
    ),
    "empty body": (lambda: Assembly("bad", Body("base")), "body 'base'.*carries nothing"),
    "no tail": (body(Servo("stand")), "servo 'stand'.*carries nothing.*TerminationPoint"),
    "no tail deep": (body(chain(Servo("a"), Segment("b", 0.1))), "segment 'b'.*carries nothing"),
    "clash": (body(TouchPoint("x"), TouchPoint("x")), "touch_point 'x'.*name used twice"),
    "end with tail": (lambda: chain(TouchPoint("x"), Servo("y")), "touch_point 'x'.*end cannot"),
    "negative length": (lambda: Segment("s", -0.1), "segment 's'.*negative length.*-0.1.*0 m"),
    "nan length": (lambda: Segment("s", nan), "segment 's'.*length.*not finite"),
    "nan place": (lambda: at(Servo("s"), x=nan), "servo 's'.*x.*not finite"),
    "negative mass": (lambda: Servo("s", mass=-1.0), "servo 's'.*negative mass.*-1.0"),
    "negative radius": (lambda: TouchPoint("p", radius=-1.0), "touch_point 'p'.*radius"),
    "servo shifted": (
        lambda: Servo("s", tail=at(TouchPoint("p"), x=0.1)),
        "servo 's'.*tail 'p'.*shifted.*Segment",
    ),
    "limits": (lambda: Servo("s", limits=(1.0, -1.0)), "servo 's'.*limits.*minimum"),
    "negative stroke": (
        lambda: LinearMotor("m", limits=(-0.1, 0.2)),
        "linear_motor 'm'.*negative length.*0 m",
    ),
    "velocity": (lambda: Servo("s", max_velocity=0.0), "servo 's'.*max_velocity.*not positive"),
    "freedom": (lambda: Passive("f", "BALL"), "passive 'f'.*unknown freedom.*BALL.*FULLROT"),  # type: ignore[arg-type]
    "loose passive": (
        body(chain(Passive("f"), TouchPoint("p"))),
        r"passive element 'f' \(FULLROT\).*held by no union",
    ),
    "not a part": (body("servo"), "not a part.*servo"),
    "tails no list": (lambda: Body("base", tails=5), "body 'base'.*not a part.*5"),  # type: ignore[arg-type]
    "tails a text": (body(*"ab"), "body 'base'.*not a part.*'a'"),
    "tail no part": (lambda: Servo("s", tail=5), "servo 's'.*not a part.*5"),  # type: ignore[arg-type]
    "unions": (
        lambda: Assembly("bad", Body(tails=[TouchPoint("p")]), unions=5),  # type: ignore[arg-type]
        "unions.*not a tie.*5",
    ),
    "tip": (
        lambda: Assembly("bad", Body(tails=[TouchPoint("p")]), tip="q"),
        "tip.*unknown part.*'q'.*p",
    ),
    "name": (lambda: Assembly("", Body(tails=[TouchPoint("p")])), "name.*missing"),
    "two tails": (
        lambda: chain(Servo("s", tail=TouchPoint("p")), TouchPoint("q")),
        "servo 's'.*has a tail already.*'p'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_named(case: str) -> None:
    build, message = BAD[case]
    with pytest.raises(DescriptionError, match=message):
        build()


def test_endless_chains_are_refused() -> None:
    parts = [Segment(f"s{k}", 0.01) for k in range(150)]
    with pytest.raises(DescriptionError, match=r"too many parts.*100 in a chain"):
        Assembly("deep", Body(tails=[chain(*parts, TouchPoint())]))
