"""Assemblies in motion: closed chains close, frames follow, rates and inverses agree."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import armwerk
from armwerk.errors import ShapeError, UnknownNameError, UnsupportedError
from armwerk.mechanics.assembly import AssemblyModel
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
    TouchPoint,
    Union,
    at,
    chain,
)

Array = NDArray[np.float64]
LIBRARY = (
    *("tripod", "stewart", "excavator_arm", "slider_crank", "measured_arm"),
    "simple_arm_gripper",
)
RADIUS = 0.3


def leg(k: int, end: Connection | None = None) -> Connection:
    angle = 2 * pi * k / 3
    foot = at(Passive(f"foot{k}"), RADIUS * cos(angle), RADIUS * sin(angle), b=pi / 2)
    tip = end or chain(TerminationPoint(f"end{k}"))
    return chain(foot, LinearMotor(f"leg{k}", limits=(0.35, 0.65)), tip)


def tripod(branch: int = 1, order: tuple[int, ...] = (0, 1, 2)) -> Assembly:
    return Assembly(
        "tripod",
        Body(tails=[leg(k) for k in range(3)]),
        [Union("apex", tuple(f"end{k}" for k in order), branch)],
    )


def random_q(model: AssemblyModel, count: int, seed: int = 4) -> Array:
    limits = np.where(np.isfinite(model.limits), model.limits, [-3.0, 3.0])
    return np.random.default_rng(seed).uniform(limits[:, 0], limits[:, 1], (count, model.dof))


def closed_q(model: AssemblyModel, count: int) -> Array:
    q = random_q(model, count)
    return np.asarray(q[model.state(q).closed])


@pytest.mark.parametrize("name", LIBRARY)
def test_loops_of_the_library_close(name: str) -> None:
    model = AssemblyModel(armwerk.load_assembly(name))
    q = random_q(model, 500)
    state = model.state(q)
    assert state.closed.mean() > 0.95
    assert model.loop_gap(q)[state.closed].max() < 1e-9
    for gap in state.gaps.values():
        assert np.nanmax(gap) < 1e-12
    for k in np.flatnonzero(~state.closed):
        assert state.problems[k]
    single = model.state(q[state.closed][0])
    assert bool(single.closed)
    assert single.problems == ("",)


@pytest.mark.parametrize("name", LIBRARY)
def test_tied_points_coincide_and_lengths_are_kept(name: str) -> None:
    assembly = armwerk.load_assembly(name)
    model = AssemblyModel(assembly)
    q = closed_q(model, 50)
    frames = model.frames(q)
    for tie in assembly.unions:
        if isinstance(tie, Union):
            first, *others = (frames[point][:, :3, 3] for point in tie.points)
            for other in others:
                assert np.abs(other - first).max() < 1e-12
    for part in assembly.parts:
        rotation = frames[part.name][:, :3, :3]
        assert np.abs(rotation @ np.swapaxes(rotation, 1, 2) - np.eye(3)).max() < 1e-12
        for tail in part.connections:
            span = frames[tail.part.name][:, :3, 3] - frames[part.name][:, :3, 3]
            length = np.linalg.norm(span, axis=1)
            if isinstance(part, LinearMotor):
                motor = [motor.name for motor in assembly.moving].index(part.name)
                assert np.abs(length - q[:, motor]).max() < 1e-12
            elif isinstance(part, Segment):
                assert np.abs(length - part.length).max() < 1e-12


@pytest.mark.parametrize("name", LIBRARY)
def test_one_equals_many(name: str) -> None:
    model = AssemblyModel(armwerk.load_assembly(name))
    q = closed_q(model, 6)
    together, frames, jacobians = model.fk(q), model.frames(q), model.jacobian(q)
    assert together.shape == (len(q), 4, 4)
    for k, row in enumerate(q):
        assert model.fk(row).shape == (4, 4)
        assert np.allclose(model.fk(row), together[k], atol=1e-13)
        assert np.allclose(model.jacobian(row), jacobians[k], atol=1e-9)
        for part, frame in model.frames(row).items():
            assert np.allclose(frame, frames[part][k], atol=1e-13)


@pytest.mark.parametrize("name", LIBRARY)
def test_jacobian_against_differences(name: str) -> None:
    model = AssemblyModel(armwerk.load_assembly(name))
    q = closed_q(model, 20)
    jacobian = model.jacobian(q)
    assert jacobian.shape == (len(q), 6, model.dof)
    h = 1e-6
    for k in range(model.dof):
        step = h * np.eye(model.dof)[k]
        after, before = model.fk(q + step), model.fk(q - step)
        shift = (after - before)[:, :3, 3] / (2 * h)
        turn = after[:, :3, :3] @ np.swapaxes(before[:, :3, :3], 1, 2)
        spin = Rotation.from_matrix(turn).as_rotvec() / (2 * h)
        size = 1 + np.abs(jacobian[:, :, k]).max()
        assert np.abs(jacobian[:, :3, k] - shift).max() < 1e-7 * size
        assert np.abs(jacobian[:, 3:, k] - spin).max() < 1e-7 * size


@pytest.mark.parametrize("name", LIBRARY)
def test_inverse_reaches_the_pose(name: str) -> None:
    model = AssemblyModel(armwerk.load_assembly(name))
    for q in closed_q(model, 3):
        pose = model.fk(q)
        nearest = model.ik_nearest(pose, q)
        assert nearest is not None
        assert np.abs(model.fk(nearest) - pose).max() < 1e-8
        assert (nearest >= model.limits[:, 0]).all()
        assert (nearest <= model.limits[:, 1]).all()
        solutions = model.ik(pose)
        assert len(solutions) >= 1
        for solution in solutions:
            assert np.abs(model.fk(solution) - pose).max() < 1e-8


def test_apex_of_a_regular_tripod() -> None:
    model = AssemblyModel(tripod())
    for length in (0.35, 0.5, 0.65):
        height = sqrt(length**2 - RADIUS**2)
        assert np.allclose(model.fk([length] * 3)[:3, 3], [0, 0, height], atol=1e-14)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_first_branch_of_a_tripod_is_the_upper_one(order: tuple[int, ...]) -> None:
    q = [0.5, 0.55, 0.6]
    up = AssemblyModel(tripod(1, order)).state(q).unions["apex"]
    down = AssemblyModel(tripod(-1, order)).state(q).unions["apex"]
    assert up[2] > 0.3
    assert np.allclose(up, down * [1, 1, -1], atol=1e-14)


def test_leg_lengths_of_a_tripod_are_distances_to_the_feet() -> None:
    model = AssemblyModel(tripod())
    rng = np.random.default_rng(3)
    for _ in range(50):
        point = rng.uniform([-0.2, -0.2, 0.25], [0.2, 0.2, 0.5])
        (q,) = model.ik_position(point)
        for k, length in enumerate(q):
            foot = [RADIUS * cos(2 * pi * k / 3), RADIUS * sin(2 * pi * k / 3), 0]
            assert length == pytest.approx(float(np.linalg.norm(point - foot)), abs=1e-14)
        assert np.allclose(model.fk(q)[:3, 3], point, atol=1e-12)
    assert len(model.ik_position([0.0, 0.0, -0.4])) == 0  # the other branch
    assert model.ik_nearest([0.0, 0.0, 0.9], model.middle) is None  # beyond the limits
    assert len(model.ik_position([0.0, 0.0, 0.9])) == 1


def test_closed_inverse_of_a_tripod_with_a_tool() -> None:
    model = AssemblyModel(armwerk.load("tripod"))
    for q in random_q(model, 50):
        goal = model.fk(q)[:3, 3]
        solutions = model.ik_position(goal)
        assert np.abs(solutions - q).max(axis=1).min() < 1e-12


def test_open_loops_say_which_chain_is_wrong() -> None:
    model = AssemblyModel(tripod())
    state = model.state([[0.5, 0.5, 0.5], [0.5, 0.5, 1.1], [0.1, 0.1, 0.1]])
    assert state.closed.tolist() == [True, False, False]
    assert state.problems[0] == ""
    assert "union 'apex': the chain to 'end2' is too long by" in state.problems[1]
    assert "together the chains to" in state.problems[2]
    assert "are too short by 0.319615 m" in state.problems[2]
    assert np.isnan(state.frames["end0"][1:]).any(axis=(1, 2)).all()
    assert np.isfinite(state.frames["foot0"]).all()
    assert np.isnan(model.fk([0.1, 0.1, 0.5])[:3]).any()
    assert np.isnan(model.jacobian([0.1, 0.1, 0.5])).any()
    with pytest.raises(
        UnsupportedError, match=r"configuration 1: union 'apex'.*'end2' is too long"
    ):
        model.fk([[0.5, 0.5, 0.5], [0.5, 0.5, 1.1]], strict=True)


def slide(height: float, branch: int = 1) -> Assembly:
    guide = chain(at(Passive("slide", "LINEAR"), z=height), Segment("offset", 0.1), TouchPoint("a"))
    pusher = chain(Passive("foot"), LinearMotor("push"), TerminationPoint("b"))
    return Assembly("slide", Body(tails=[guide, pusher]), [Union("u", ("a", "b"), branch)])


def test_slide_against_root_finding() -> None:
    for branch in (1, -1):
        model = AssemblyModel(slide(0.3, branch))
        for length in (0.31, 0.5, 2.0):
            span = (0.0, 3.0) if branch == 1 else (-3.0, 0.0)
            x = brentq(lambda x: np.hypot(x, 0.3) - length, *span, xtol=1e-15)  # noqa: B023
            state = model.state([length])
            assert np.allclose(state.unions["u"], [x, 0, 0.3], atol=1e-12)
            assert state.passive["slide"] == pytest.approx([x - 0.1], abs=1e-12)
    text = AssemblyModel(slide(0.3)).state([0.25]).problems[0]
    assert text == "union 'u': the chain to 'b' is too short by 0.05 m"


def test_hinge_against_root_finding() -> None:
    model = AssemblyModel(armwerk.load("excavator_arm"))
    for q in random_q(model, 10):
        # in the plane of the arm, seen from the boom hinge, the foot is at (0.3, -0.3)
        angle = brentq(
            lambda t: np.hypot(0.5 * cos(t) - 0.3, 0.5 * sin(t) + 0.3) - q[1],  # noqa: B023
            -pi / 4,
            3 * pi / 4,
            xtol=1e-15,
        )
        assert model.passive(q)["boom_hinge"] == pytest.approx([angle], abs=1e-12)
    state = model.state([0.0, 0.95, 0.7, 0.0])
    text = "union 'boom': the chain to 'boom_rod' is too long by 0.0257359 m"
    assert state.problems[0].startswith(text)
    assert "union 'stick_joint': a loop it stands on is open" in state.problems[0]


def test_slider_crank_follows_the_textbook() -> None:
    model = AssemblyModel(armwerk.load("slider_crank"))
    q = np.linspace(-pi, pi, 100)[:, None]
    # the crank turns in the x-z plane: with the angle from +z the stroke is the classic one
    theta = pi / 2 - q[:, 0]
    expected = 0.06 * np.cos(theta) + np.sqrt(0.2**2 - (0.06 * np.sin(theta)) ** 2)
    assert np.allclose(model.state(q).unions["ram_pin"][:, 2], 0.1 + expected, atol=1e-14)
    rods = model.frames(q)["rod"][:, :3, :3]
    steps = np.abs(np.diff(rods, axis=0)).max()
    assert steps < 0.15  # the rod never flips over


def test_draw_wire_measures_the_end() -> None:
    model = AssemblyModel(armwerk.load("measured_arm"))
    for q in random_q(model, 20):
        values = model.passive(q)
        yaw, pitch = values["wire_guide"]
        turn = Rotation.from_euler("zy", [yaw, -pitch])
        measured = np.array([-0.2, 0.3, 0.4]) + turn.apply([values["wire"][0], 0, 0])
        expected = [0.3 * cos(q[0]) + 0.25 * cos(sum(q)), 0.3 * sin(q[0]) + 0.25 * sin(sum(q)), 0.1]
        assert np.allclose(measured, expected, atol=1e-12)


def test_a_hanging_chain_of_fixed_length_points_and_tells_its_gap() -> None:
    arm = chain(Servo("s"), Segment("bar", 0.5), TouchPoint("a"))
    rope = chain(at(Passive("hook"), x=1.0), Segment("rope", 0.4), TerminationPoint("b"))
    model = AssemblyModel(
        Assembly("rope", Body(tails=[arm, rope]), [Union("u", ("a", "b"))], tip="a")
    )
    state = model.state([0.0])
    assert np.allclose(state.frames["b"][:3, 3], [0.6, 0, 0])
    assert float(state.gaps["u"]) == pytest.approx(0.1)
    assert not bool(state.closed)
    assert state.problems[0] == "union 'u': the chain to 'b' is too short by 0.1 m"
    assert np.allclose(model.fk([0.3])[:3, 3], [0.5 * cos(0.3), 0.5 * sin(0.3), 0])


def test_the_nearer_way_to_close_is_taken() -> None:
    upper, lower = AssemblyModel(tripod(1)), AssemblyModel(tripod(-1))
    q = np.array([0.5, 0.52, 0.54])
    below = lower.state(q)
    followed = upper.state(q + 0.01, near=below)
    assert np.allclose(followed.unions["apex"], lower.state(q + 0.01).unions["apex"], atol=1e-14)
    assert np.allclose(upper.fk(q + 0.01, near=below), lower.fk(q + 0.01), atol=1e-14)
    slides = AssemblyModel(slide(0.3, 1)), AssemblyModel(slide(0.3, -1))
    near = slides[0].state([0.32], near=slides[1].state([0.31]))
    assert near.unions["u"][0] < 0
    excavator = AssemblyModel(armwerk.load("excavator_arm"))
    start = excavator.state(excavator.middle)
    moved = excavator.state(excavator.middle * 1.01, near=start)
    assert np.allclose(moved.frames["teeth"], excavator.fk(excavator.middle * 1.01), atol=1e-14)


def test_a_ball_joint_goes_on_where_it_came_from() -> None:
    """Past its own y axis a FULLROT has the angles (pi - a, pi) or goes on with (a, 0)."""
    arm = chain(Servo("turn"), Segment("arm", 0.3), TerminationPoint("end"))
    hanger = chain(Passive("ball"), Segment("rod", 0.3), TerminationPoint("rod_end"))
    body = Body(tails=[arm, hanger])
    model = AssemblyModel(Assembly("x", body, [Union("u", ("end", "rod_end"))], tip="end"))
    state = model.state([1.4])
    for angle in np.linspace(1.4, 1.8, 9):
        state = model.state([angle], near=state)
        assert state.passive["ball"] == pytest.approx([angle, 0.0], abs=1e-9)
    assert model.state([1.8]).passive["ball"] == pytest.approx([pi - 1.8, pi], abs=1e-9)


def test_after_an_open_state_the_branch_decides_again() -> None:
    for branch in (1, -1):
        model = AssemblyModel(tripod(branch))
        lost = model.state([0.1, 0.1, 0.1])
        q = [0.5, 0.52, 0.54]
        assert np.allclose(model.fk(q, near=lost), model.fk(q), atol=1e-15)
    platform = AssemblyModel(armwerk.load("stewart"))
    lost = platform.state([0.5, 0.5, 0.5, 0.5, 0.5, 3.0])
    assert not bool(lost.closed)
    near = platform.fk(platform.middle, near=lost)
    assert np.allclose(near, platform.fk(platform.middle), atol=1e-12)


def test_an_assembly_without_motors_stands_still() -> None:
    model = AssemblyModel(Assembly("post", Body(tails=[Segment("p", 0.2, tail=TouchPoint("t"))])))
    assert model.dof == 0
    assert np.allclose(model.fk([])[:3, 3], [0.2, 0, 0])
    assert model.jacobian([]).shape == (6, 0)


def test_a_tripod_on_a_turning_arm_goes_with_it() -> None:
    legs = TConnector("table", tails=[leg(k) for k in range(3)])
    carried = Assembly(
        "carried",
        Body(tails=[chain(at(Servo("turn"), x=0.2, c=0.4), legs)]),
        [Union("apex", ("end0", "end1", "end2"))],
    )
    model, plain = AssemblyModel(carried), AssemblyModel(tripod())
    q = np.array([0.7, 0.5, 0.55, 0.6])
    frame = model.frames(q)["table"]
    assert np.allclose(model.fk(q), frame @ plain.fk(q[1:]), atol=1e-13)
    reached = model.ik_nearest(model.fk(q)[:3, 3], q + 0.05)
    assert reached is not None
    assert np.allclose(model.fk(reached)[:3, 3], model.fk(q)[:3, 3], atol=1e-9)


def test_open_chain_against_plain_matrices() -> None:
    model = AssemblyModel(armwerk.load("simple_arm_gripper"))
    q = np.array([0.3, 0.5, -0.9, 0.2, 0.4, -0.3, 0.1, 0.2])
    frames = model.frames(q)

    def turn(axis: str, angle: float) -> Array:
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_euler(axis, angle).as_matrix()
        return pose

    def shift(*by: float) -> Array:
        pose = np.eye(4)
        pose[:3, 3] = by
        return pose

    wrist = turn("z", q[0]) @ shift(0, 0, 0.2) @ turn("x", pi / 2) @ turn("z", q[1])
    wrist = wrist @ shift(0.25, 0, 0) @ turn("z", q[2]) @ shift(0.2, 0, 0)
    # roll about the bar, pitch across it, turn about the bar again
    hand = wrist @ turn("y", pi / 2) @ turn("z", q[3]) @ turn("y", q[4]) @ turn("z", q[5])
    assert np.allclose(frames["wrist_roll"], wrist @ turn("y", pi / 2), atol=1e-14)
    assert np.allclose(model.fk(q), hand @ shift(0, 0, 0.1), atol=1e-14)
    left = hand @ shift(0.03, 0, 0.04) @ turn("y", q[6]) @ shift(0, 0, 0.07)
    right = hand @ shift(-0.03, 0, 0.04) @ turn("y", -q[7]) @ shift(0, 0, 0.07)
    assert np.allclose(model.fk(q, "finger_left_tip")[:3, 3], left[:3, 3], atol=1e-14)
    assert np.allclose(model.fk(q, "finger_right_tip")[:3, 3], right[:3, 3], atol=1e-14)


def test_wrong_arguments_are_named() -> None:
    model = AssemblyModel(tripod())
    with pytest.raises(ShapeError, match=r"\(3,\) or \(m, 3\), got \(2,\)"):
        model.fk([0.5, 0.5])
    with pytest.raises(ShapeError, match="finite"):
        model.fk([0.5, np.nan, 0.5])
    with pytest.raises(ShapeError, match="numbers"):
        model.fk(["a", "b", "c"])
    with pytest.raises(UnknownNameError, match=r"'end4'.*did you mean 'end"):
        model.fk([0.5, 0.5, 0.5], "end4")
    with pytest.raises(ShapeError, match="three finite"):
        model.ik_position([0.0, np.nan, 0.0])
    with pytest.raises(ShapeError, match=r"\(4, 4\)"):
        model.ik(np.eye(3))
    platform = AssemblyModel(armwerk.load("stewart"))
    for matrix in (2 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0]), np.ones((4, 4))):
        with pytest.raises(ShapeError, match="T must be rigid"):
            platform.ik(matrix)
        with pytest.raises(ShapeError, match="poses must be rigid"):
            platform.ik_batch([np.eye(4), matrix])


@pytest.mark.parametrize("name", LIBRARY)
def test_no_configurations_give_empty_arrays(name: str) -> None:
    model = AssemblyModel(armwerk.load_assembly(name))
    none = np.zeros((0, model.dof))
    assert model.fk(none).shape == (0, 4, 4)
    assert model.jacobian(none).shape == (0, 6, model.dof)
    assert model.loop_gap(none).shape == (0,)
    state = model.state(none, strict=True)
    assert state.closed.shape == (0,)
    assert state.problems == ()
    assert all(frames.shape == (0, 4, 4) for frames in state.frames.values())


@pytest.mark.parametrize(
    "method", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity"]
)
def test_dynamics_are_refused_with_a_reason(method: str) -> None:
    call: Any = getattr(AssemblyModel(tripod()), method)
    with pytest.raises(UnsupportedError, match="closed chain"):
        call([0.5, 0.5, 0.5])


def test_condition_tells_singular_configurations() -> None:
    model = AssemblyModel(tripod())
    assert model.condition([0.5, 0.5, 0.5]) < 5
    flat = RADIUS * (1 + 1e-9)
    assert model.condition([flat] * 3) > 1e3
    many = model.condition([[0.5, 0.5, 0.5], [0.4, 0.4, 0.4]])
    assert many.shape == (2,)


def test_many_tripods_are_the_same_as_each_alone() -> None:
    model = AssemblyModel(armwerk.load("tripod"))
    q = random_q(model, 2000)
    many = model.fk(q)
    alone = np.array([model.fk(row) for row in q[::100]])
    np.testing.assert_array_equal(many[::100], alone)
