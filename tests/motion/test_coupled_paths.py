"""Paths, checks and plans of arms with coupled joints: told and limited in values of their axes."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.collision.prover import Prover
from armwerk.errors import MotionError, ShapeError
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.robot import load_arm

STARTS = {
    "irb2400": (0.2, 0.3, 0.2, 0.1, 0.6, 0.3),
    "irb660": (0.1, 0.3, 0.5, 0.4),
    "coupled_puma": (0.2, 0.7, -0.4, 0.3, 0.6, 0.2),
}


def rates(arm: aw.Arm, field: str) -> Array:
    return np.array([getattr(joint, field) for joint in arm.moving], dtype=np.float64)


@pytest.mark.parametrize("name", STARTS)
def test_a_line_is_straight_and_the_drives_keep_their_limits(name: str) -> None:
    arm, q0 = load_arm(name), np.array(STARTS[name])
    model = aw.model(arm)
    start = model.fk(q0)
    end, last = start.copy(), start.copy()
    end[:3, 3] += (0.1, 0.25, -0.2)
    last[:3, 3] += (-0.05, 0.1, 0.0)
    path = aw.Path(start, speed=2.0, acceleration=20.0, jerk=400.0).lin(end).lin(last)
    motion = path.plan(model, q0)
    dt = 1e-4
    times, q, qd, _ = motion.sampled(dt)
    np.testing.assert_allclose(q[0], q0, atol=1e-12)
    points = model.fk(q)[:, :3, 3]
    corner = int(np.argmin(np.linalg.norm(points - end[:3, 3], axis=1)))
    for piece, a, b in ((points[:corner], start, end), (points[corner:], end, last)):
        along = (b - a)[:3, 3] / np.linalg.norm((b - a)[:3, 3])
        away = piece - a[:3, 3]
        assert np.linalg.norm(away - np.outer(away @ along, along), axis=1).max() < 1e-8
    # differences that nobody here has planned with
    speeds = np.diff(q, axis=0) / dt
    swings = np.diff(speeds[:-1], axis=0) / dt
    assert (np.abs(speeds).max(axis=0) <= rates(arm, "max_velocity") * (1 + 1e-6)).all()
    assert (np.abs(swings).max(axis=0) <= rates(arm, "max_acceleration") * (1 + 1e-3)).all()
    used = np.abs(swings).max(axis=0) / rates(arm, "max_acceleration")
    assert used.max() > 0.8  # the drives decide, not the tool
    assert arm.keeps_limits(q).all()
    np.testing.assert_allclose(qd[1:-1], (q[2:] - q[:-2]) / (2 * dt), atol=1e-2)
    assert times[-1] == pytest.approx(motion.duration, abs=dt)


def test_a_line_that_a_coupled_joint_cannot_follow_names_it() -> None:
    model = aw.model("irb2400")
    q0 = np.array([0.0, 0.9, 0.0, 0.0, 0.6, 0.0])
    start = model.fk(q0)
    end = start.copy()
    end[:3, 3] += (0.03, 0.0, 0.01)
    with pytest.raises(MotionError, match="axis_3"):
        aw.Path(start, speed=0.2).lin(end).plan(model, q0)


def test_axes_that_do_not_keep_step_are_refused_where_a_joint_would_leave_its_limits() -> None:
    arm = load_arm("irb2400")
    q0 = np.array([0.0, 0.8, 0.0, 0.0, 0.0, 0.0])
    q1 = np.array([0.0, -1.1, -0.04, 0.0, 0.0, 0.0])
    assert arm.keeps_limits(np.stack([q0, q1])).all()
    straight = aw.ptp(arm, q0, q1, sync="full")
    assert arm.keeps_limits(straight.sampled(0.001)[1]).all()
    # both ends a hair within the limit of the elbow; the drive of axis 3 swings a little faster
    near = np.array([0.0, -0.5, 0.72, 0.0, 0.0, 0.0])
    beside = np.array([0.0, -0.15, 1.07, 0.0, 0.0, 0.0])
    assert arm.keeps_limits(np.stack([near, beside])).all()
    with pytest.raises(MotionError, match=r"on the way.*axis_3.*sync='full'"):
        aw.ptp(arm, near, beside, sync="async")
    assert arm.keeps_limits(aw.ptp(arm, near, beside, sync="full").sampled(0.001)[1]).all()
    with pytest.raises(MotionError, match=r"at q1 the angle of joint 'axis_3'.*rad"):
        aw.ptp(arm, q0, [0.0, -1.0, 1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("name", STARTS)
def test_contacts_are_those_of_the_links_where_the_model_puts_them(name: str) -> None:
    arm = load_arm(name)
    model = aw.model(arm)
    low, high = np.clip(arm.limits, -np.pi, np.pi).T
    rows = np.random.default_rng(1).uniform(low, high, (60, arm.dof))
    point = model.fk(np.array(STARTS[name]))[:3, 3]
    bodies = aw.Bodies([aw.Sphere(radius=0.25, position=point, name="ball")])
    coupled = Checker(arm, bodies, self_check=False)
    free = Checker(arm.free_chain, bodies, self_check=False)
    np.testing.assert_array_equal(coupled.contacts(rows), free.contacts(arm.angles(rows)))
    assert coupled.contact(np.array(STARTS[name]))
    first = coupled.first(np.array(STARTS[name]))
    assert first is not None


def test_a_motion_is_proved_free_or_its_contact_found() -> None:
    arm, q0 = load_arm("irb660"), np.array(STARTS["irb660"])
    q1 = q0 + np.array([1.2, 0.1, -0.2, 0.0])
    motion = aw.ptp(arm, q0, q1)
    middle = aw.model(arm).fk(motion.sample(0.5 * motion.duration)[0])[:3, 3]
    hit = aw.check(motion, arm, aw.Bodies([aw.Sphere(radius=0.1, position=middle, name="ball")]))
    assert hit.contact is not None
    away = aw.Bodies([aw.Sphere(radius=0.1, position=(-2.0, 0.0, 0.5), name="ball")])
    clear = aw.check(motion, arm, away)
    assert clear.contact is None
    rows = motion.sampled(0.01)[1]
    assert Checker(arm, away).distances(rows, self_too=False).min() >= clear.distance.value - 1e-6


def test_a_free_way_round_a_post_keeps_the_limits_of_coupled_joints() -> None:
    arm, q0 = load_arm("irb660"), np.array(STARTS["irb660"])
    model = aw.model(arm)
    goal = model.fk(q0 + np.array([1.4, 0.0, 0.0, 0.0]))
    post = model.fk(q0 + np.array([0.7, 0.0, 0.0, 0.0]))[:3, 3]
    bodies = aw.Bodies([aw.Box(size=(0.1, 0.1, 0.5), position=post, name="post")])
    found = aw.find_path(arm, bodies, q0, goal, seed=1)
    assert len(found.q) > 2
    assert arm.keeps_limits(found.q).all()
    np.testing.assert_allclose(model.fk(found.q[-1]), goal, atol=1e-9)
    assert not Checker(arm, bodies).contacts(found.sampled(0.02)).any()
    with pytest.raises(ShapeError, match="axis_3"):
        aw.find_path(arm, bodies, [0.0, -0.7, 1.5, 0.0], goal)


def test_a_map_knows_where_a_coupled_joint_cannot_be() -> None:
    arm = load_arm("irb660")
    bodies = aw.Bodies([aw.Box(size=(0.4, 0.4, 0.4), position=(1.8, 0.0, 1.0), name="crate")])
    space = aw.cspace(arm, bodies, axes=(1, 2), shape=(30, 20))
    assert space.impossible is not None
    first, second = (axis.values for axis in space.axes[:2])
    checker = Checker(arm, bodies, self_check=False)
    for row, b in enumerate(second[::-1]):
        for column, a in enumerate(first):
            q = np.array([0.0, a, b, 0.0])
            breach = bool(arm.angle_breach(q))
            assert space.impossible[row, column] == breach
            if not breach:
                assert (space.cells[row, column] > 0) == checker.contact(q)


def test_bounds_of_an_interval_count_what_follows_an_axis() -> None:
    arm = aw.Arm.from_dh(
        [
            aw.Joint("revolute", a=0.1, name="lead"),
            aw.Joint("revolute", a=1.0, name="follow", coupling=aw.Coupling({"lead": 5.0})),
        ]
    )
    bodies = aw.Bodies([aw.Sphere(radius=0.1, position=(1.0, 0.8, 0.0), name="ball")])
    checker = Checker(arm, bodies, self_check=False)
    middle, radii = np.zeros((1, 2)), np.array([[0.1, 0.0]])
    proof = Prover(checker).intervals(middle, radii, (middle - radii, middle + radii))
    rows = np.linspace(-1.0, 1.0, 41)[:, None] * radii
    assert checker.distances(rows, self_too=False).min() >= proof.least[0] - 1e-9
    tool = aw.model(arm).fk(rows)[:, :3, 3]
    assert np.linalg.norm(tool - tool[20], axis=1).max() <= proof.move[0] + 1e-9


def test_a_planner_sees_where_a_coupled_joint_cannot_be() -> None:
    arm, q0 = load_arm("irb660"), np.array(STARTS["irb660"])
    problem = PlanningProblem(Checker(arm, self_check=False), q0, q0[None])
    assert problem.is_free(q0)
    assert not problem.is_free(np.array([0.0, -0.7, 1.5, 0.0]))  # 2.2 rad at the elbow
