"""Every solution of a pose or point: against closed forms, and infinite families."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.mechanics import AssemblyModel, SerialModel
from armwerk.robot import Assembly


def gripper_arm() -> tuple[AssemblyModel, SerialModel]:
    described = aw.load("simple_arm_gripper")
    assert isinstance(described, Assembly)
    return AssemblyModel(described), aw.model(aw.Arm.from_parts(described))


def apart(one: Array, other: Array) -> Array:
    """Return the largest differences of rows, whole turns not counted. Shape (k, m)."""
    off = one[:, None] - other[None]
    return np.asarray(np.abs(np.angle(np.exp(1j * off))).max(axis=2))


def test_an_assembly_has_the_solutions_of_its_open_chain() -> None:
    model, chain = gripper_arm()
    rng = np.random.default_rng(7)
    low, high = model.limits.T
    for q in rng.uniform(low, high, (12, 8)):
        expected = chain.ik(chain.fk(q[:6]))
        found = model.ik(model.fk(q))
        assert len(found) == len(expected) == 8
        assert apart(found[:, :6], expected).min(axis=1).max() < 1e-6
        assert np.all(found[:, 6:] == 0)


def test_solutions_that_meet_are_counted_once() -> None:
    """A stretched elbow: two solutions become one, with an error that grows as its root."""
    model, _ = gripper_arm()
    q = np.array([0.3, 0.5, 0.0, 0.7, 0.9, -0.4, 0.0, 0.0])
    found = model.ik(model.fk(q))
    assert len(found) == 4
    assert apart(found[:, :6], q[None, :6]).min() < 1e-4


def test_idle_motors_stay_where_they_are_wanted() -> None:
    model, _ = gripper_arm()
    fingers = np.deg2rad([40.0, -20.0])
    q = np.array([0.3, 0.5, -0.8, 0.7, 0.9, -0.4, *fingers])
    every = model.solutions(model.fk(q), near=q)
    assert every.idle == (7, 8)
    assert every.family == ()
    assert np.all(every.joints[:, 6:] == fingers)
    far = model.fk([2.5, -0.9, 1.2, 0.7, 0.9, -0.4, 0, 0])
    near = model.ik_nearest(far, q)
    assert near is not None
    assert near[6:] == pytest.approx(fingers, abs=1e-12)


def test_a_point_for_three_joints_has_the_four_solutions_of_trigonometry() -> None:
    model = aw.model("simple_arm")
    rng = np.random.default_rng(2)
    for q in rng.uniform(-2.5, 2.5, (8, 3)):
        point = model.fk(q)[:3, 3]
        every = model.solutions(point)
        assert every.family == every.idle == ()
        assert np.linalg.norm(model.fk(every.joints)[:, :3, 3] - point, axis=1).max() < 1e-9
        assert len(every) == 4
        assert apart(every.joints, q[None]).min() < 1e-6
        # over the shoulder: the stand half a turn on
        turns = np.unique(np.round(np.mod(every.joints[:, 0], np.pi), 6))
        assert len(turns) == 1


@pytest.mark.parametrize("name", ["excavator_arm", "panda"])
def test_members_of_a_family_reach_the_goal_and_can_move_on(name: str) -> None:
    model = aw.model(name)
    q = model.limits.mean(axis=1)
    goal = model.fk(q) if name == "panda" else model.fk(q)[:3, 3]
    every = model.solutions(goal, near=q)
    assert every.family == ((2, 3, 4) if name == "excavator_arm" else (1, 2, 3, 4, 5, 6, 7))
    assert len(every)
    reached = model.fk(every.joints)
    reached = reached if name == "panda" else reached[:, :3, 3]
    assert np.abs(reached - goal).max() < 1e-8
    if name == "excavator_arm":
        assert (
            np.abs(every.joints - q).max(axis=1).min() < 1e-6
        )  # the goal's own joints are nearest
        assert (every.joints[:, 1:3] > 0).all()  # a cylinder has no negative length


def test_a_standstill_is_no_family() -> None:
    """The Jacobian of a stretched planar arm lacks a rank, yet nothing can move."""
    arm = aw.model("planar_rr")
    every = arm.solutions(arm.fk([0.4, 0.0])[:3, 3])
    assert every.family == ()
    assert apart(every.joints, np.array([[0.4, 0.0]])).max() < 1e-4


def test_a_wrist_whose_axes_lie_in_line_is_a_family() -> None:
    model, _ = gripper_arm()
    every = model.solutions(model.fk([0.3, 0.5, -0.8, 0.7, 0.0, -0.4, 0, 0]))
    assert every.family == (4, 6)
    puma = aw.model("puma560")
    closed = puma.solutions(puma.fk([0.3, 0.5, -0.8, 0.7, 0.0, -0.4]))
    assert closed.family == (4, 6)
    assert closed.method == "closed"


@pytest.mark.parametrize("name", ["simple_arm", "simple_arm_gripper", "excavator_arm", "stewart"])
def test_out_of_reach_is_an_empty_answer(name: str) -> None:
    model = aw.model(name)
    for goal in ([9.0, 0.0, 0.0], [1e300, 0.0, 0.0]):
        with np.errstate(over="ignore", invalid="ignore"):
            every = model.solutions(goal)
        assert every.joints.shape == (0, model.dof)
        assert every.family == ()


def test_bad_goals_are_refused() -> None:
    for name in ("simple_arm", "simple_arm_gripper"):
        model = aw.model(name)
        with pytest.raises(ShapeError):
            model.solutions([0.1, np.nan, 0.2])
        with pytest.raises(ShapeError):
            model.solutions(np.zeros((4, 4)))
        with pytest.raises(ShapeError):
            model.solutions([0.1, 0.2, 0.2], near=[1.0])
