"""Proofs that there is no way: walls that hold for every sample, and none where there is a gap."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import armwerk as aw
from armwerk.collision import Checker
from armwerk.errors import PlanningError
from armwerk.planning.example_problems import BoxProblem, box_problem
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.planning.paths.walls import wall_at

CLOSED = [("ur5e", 95), ("puma560", 17), ("puma560", 57), ("puma560", 69)]
"""Those of a hundred seeded problems of both arms that have no solution."""


@cache
def boxes(name: str, seed: int) -> BoxProblem:
    arm = aw.load(name)
    assert isinstance(arm, aw.Arm)
    return box_problem(arm, seed)


@pytest.mark.parametrize(("name", "seed"), CLOSED)
def test_problems_without_a_way_are_told_with_a_proof(name: str, seed: int) -> None:
    arm, bodies, q0, q1 = boxes(name, seed)
    with pytest.raises(PlanningError, match="there is no way: joint 'shoulder") as error:
        aw.find_path(arm, bodies, q0, q1, seconds=600.0)
    assert error.value.reason == "no way"
    assert "link2 touches box" in str(error.value)


@pytest.mark.parametrize(("name", "seed"), CLOSED)
def test_a_wall_is_proved_only_where_every_sample_touches(name: str, seed: int) -> None:
    """At many values of the joint, among them those a hair beside where the wall ends."""
    arm, bodies, q0, q1 = boxes(name, seed)
    problem = PlanningProblem(Checker(arm, bodies), q0, q1[None])
    alone = Checker(arm, bodies, self_check=False)
    rng = np.random.default_rng(seed)
    low, high = arm.limits.T
    rows = rng.uniform(low, high, (3000, arm.dof))
    proved, open_ = 0, 0
    up = -np.pi / 2 if name == "ur5e" else np.pi / 2
    for value in up + np.linspace(-0.4, 0.4, 81):
        rows[:, 1] = value
        if wall_at(problem, 1, float(value)) is None:
            open_ += not alone.contacts(rows).all()
        else:
            proved += 1
            assert alone.contacts(rows).all()
    assert proved >= 1
    assert open_ > 20


def test_a_gap_in_a_ring_of_posts_is_no_wall() -> None:
    """A planar arm: joint 2 cannot pass where posts stand all around, until one is taken away."""
    joints = [
        aw.Joint("revolute", a=0.5, limits=(-7.0, 7.0)),
        aw.Joint("revolute", a=0.4, limits=(-3.0, 3.0)),
    ]
    arm = aw.Arm.from_dh(joints, "ring")
    turns = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    far = np.hypot(0.5 + 0.4 * np.cos(0.3), 0.4 * np.sin(0.3))
    posts = [aw.Sphere(0.06, (far * np.cos(t), far * np.sin(t), 0.0)) for t in turns]
    q0, q1 = np.array([0.1, 2.0]), np.array([0.1, -2.0])
    whole = PlanningProblem(Checker(arm, posts), q0, q1[None])
    wall = wall_at(whole, 1, 0.3)
    assert wall is not None
    assert wall.cells > 16
    assert len(wall.contacts) >= 40
    some = PlanningProblem(Checker(arm, posts[6:]), q0, q1[None])
    assert wall_at(some, 1, 0.3) is None
    with pytest.raises(PlanningError, match="cannot pass") as error:
        aw.find_path(arm, posts, q0, q1)
    assert error.value.reason == "no way"
