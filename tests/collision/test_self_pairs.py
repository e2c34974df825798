"""Which shapes of an arm are held against each other: no arm is in its own way by being built."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.collision import ArmShapes, Checker, arm_shapes, distance
from armwerk.collision.scene_arrays import _halton
from armwerk.geometry import Shape
from armwerk.robot import library

SERIAL = [name for name in library() if isinstance(aw.load(name), aw.Arm)]
FOLDS = {"typ1"}
"""Its short links turn all the way round, and do lie on each other then."""


def shaken(arm: aw.Arm, count: int) -> np.ndarray:
    low, high = np.clip(arm.limits, -np.pi, np.pi).T
    return np.random.default_rng(5).uniform(low, high, (count, arm.dof))


def held(checker: Checker) -> set[tuple[str, str]]:
    return {(checker.parts[i], checker.parts[j]) for i, j in checker.scene.pairs.tolist()}


@pytest.mark.parametrize("name", SERIAL)
def test_made_shapes_leave_library_arms_room(name: str) -> None:
    arm = aw.load(name)
    assert isinstance(arm, aw.Arm)
    share = Checker(arm).contacts(shaken(arm, 1000)).mean()
    assert share < (0.6 if name in FOLDS else 0.3)


def test_a_quill_goes_through_the_link_that_guides_it() -> None:
    scara = aw.load("scara")
    assert ("link2", "link4") not in held(Checker(scara))
    up = np.zeros(4)
    assert not Checker(scara).contact(up)
    # shapes that are given are held against each other wherever they are
    quill = aw.Capsule(0.02, 0.2, (0.0, 0.0, -0.1))
    solids = {"link2": aw.Box((0.1, 0.1, 0.1)), "link3": quill, "link4": aw.Sphere(0.04)}
    given = Checker(scara, (), ArmShapes(scara, solids))
    assert ("link2", "link4") in held(given)
    assert given.contact(up)
    assert not given.contact([0.0, 0.0, 0.2, 0.0])


def test_links_that_are_far_enough_apart_are_held() -> None:
    ur5e = Checker("ur5e")
    assert {("link1", "link3"), ("link2", "link4"), ("link3", "link6")} <= held(ur5e)
    assert ur5e.contact([0, -1.5, 3.0, -1.6, -1.5, 0.1])  # the forearm lies on the upper arm
    # the column and the forearm of a Panda meet; its elbow is no reason not to look
    panda = held(Checker("panda"))
    assert ("link1", "link5") in panda
    assert ("link3.1", "link5") not in panda


def test_thin_shapes_are_held_where_thick_ones_are_not() -> None:
    """The elbow of a Panda is 83 mm long: more than two wires are thick, less than two links."""
    panda = aw.load("panda")
    thin = arm_shapes(panda, 0.002)
    assert thin.made
    assert ("link3.1", "link5") in held(Checker(panda, (), thin))


def test_two_arms_are_held_against_each_other() -> None:
    """What is left out of one arm is no pair of two of them."""
    scara = aw.load("scara")
    assert isinstance(scara, aw.Arm)
    made = arm_shapes(scara)
    links: dict[str, list[Shape]] = {
        name: [] for name in ("link1", "link2", "link3", "link4", "tool")
    }
    for name, shape in zip(made.names, made.shapes, strict=True):
        links[name.split(".")[0]].append(shape)
    given = ArmShapes(scara, links)
    across = []
    for shapes in (made, given):
        pairs = Checker([scara, scara], (), [shapes, shapes]).scene.pairs
        across.append(pairs[(pairs[:, 0] < len(made)) & (pairs[:, 1] >= len(made))].tolist())
    assert across[0] == across[1]
    assert len(across[0]) > 10


def test_samples_are_spread_evenly() -> None:
    from scipy.stats import qmc

    expected = qmc.Halton(7, scramble=False).random(51)[1:]
    np.testing.assert_allclose(_halton(50, 7), expected, atol=1e-14)


def test_an_arm_against_itself_is_pair_by_pair() -> None:
    """Balls of very different sizes on thin links: the large ones reach far beyond the small."""
    arm = aw.load_arm("ur5e")
    rng = np.random.default_rng(11)
    links: dict[str, list[Shape]] = {}
    for number in range(1, 7):
        sizes = 10.0 ** rng.uniform(-3.0, -0.8, 2)
        links[f"link{number}"] = [aw.Sphere(float(r), rng.uniform(-0.1, 0.1, 3)) for r in sizes]
    shapes = ArmShapes(arm, links)
    checker = Checker(arm, (), shapes)
    pairs = checker.scene.pairs.tolist()
    rows = rng.uniform(-np.pi, np.pi, (200, 6))
    hits = checker.contacts(rows)
    assert 20 < hits.sum() < 180
    for q, hit in zip(rows, hits, strict=True):
        placed = shapes.at(q)
        gaps = {
            frozenset((placed[i].name, placed[j].name)): distance(placed[i], placed[j])
            for i, j in pairs
        }
        names, nearest = min(gaps.items(), key=lambda item: item[1].value)
        assert hit == (nearest.value <= 0.0)
        found = checker.distance(q)
        assert found.value == pytest.approx(nearest.value, abs=1e-12)
        assert {found.part, found.body} == names
        first = checker.first(q)
        assert (first is not None) == hit
        if first is not None:
            assert gaps[frozenset((first.part, first.body))].value <= 0.0
            for ball in (b for b in placed if b.name in (first.part, first.body)):
                assert ball.signed_distance(first.point) < 1e-9
