"""Arms with coupled joints: their geometry by trigonometry, their numbers by pinocchio."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mechanics.chain import pack
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.turning import AxisTurns
from coupled_arms import ARMS, inside, palletiser, parallelogram, wrist

Array = NDArray[np.float64]


def witness(arm: aw.Arm) -> pin.Model:
    """Return the links of an arm, every joint free, as a pinocchio model."""
    model = pin.Model()
    parent, placement = 0, pin.SE3(np.array(arm.base))
    for joint in arm.joints:
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
        c, s = cos(float(joint.offset)), sin(float(joint.offset))
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        ca, sa = cos(float(joint.alpha)), sin(float(joint.alpha))
        lean = np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])
        along = np.array([float(joint.a), 0.0, float(joint.d)])
        rest = pin.SE3(turn, np.zeros(3)) * pin.SE3(lean, along)
        link = joint.link
        body = pin.Inertia(
            float(link.mass), np.array(link.com, dtype=np.float64), link.inertia_matrix()
        )
        model.appendBodyToJoint(parent, body, rest)
        placement = rest
    model.addFrame(pin.Frame("tool", parent, placement, pin.FrameType.OP_FRAME))
    return model


def test_the_forearm_of_a_closed_four_bar_is_where_the_model_says() -> None:
    """The loop base, upper arm, forearm's crank and rod, closed by plain trigonometry."""
    arm = parallelogram()
    model = aw.model(arm)
    upper, crank = 0.705, 0.2
    for q in inside(arm, 20):
        q[0] = 0.0
        shoulder = np.array([0.1, 0.615])
        # x forward, z up: axis 2 leans the upper arm forward from upright
        elbow = shoulder + upper * np.array([sin(q[1]), cos(q[1])])
        # the drive at the base turns a crank as long as the one behind the elbow; a rod as long
        # as the upper arm joins them, so that all four points are a parallelogram
        crank_end = shoulder - crank * np.array([cos(q[2]), -sin(q[2])])
        rod_end = crank_end + (elbow - shoulder)
        back = (rod_end - elbow) / crank
        assert np.linalg.norm(rod_end - crank_end) == pytest.approx(upper, abs=1e-12)
        forearm = -back  # the crank stands on the other side of the elbow
        above = np.array([-forearm[1], forearm[0]])
        wrist_centre = elbow + 0.135 * above + 0.755 * forearm
        frames = model.frames(q)
        np.testing.assert_allclose(frames[2, [0, 2], 3], elbow, atol=1e-12)
        np.testing.assert_allclose(frames[5, [0, 2], 3], wrist_centre, atol=1e-12)


def test_a_flange_on_rods_stays_level() -> None:
    arm = palletiser()
    poses = aw.model(arm).fk(inside(arm, 50))
    np.testing.assert_allclose(poses[:, :3, 2], np.tile([0.0, 0.0, -1.0], (50, 1)), atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_kinematics_and_dynamics_are_those_of_pinocchio_by_the_chain_rule(name: str) -> None:
    arm = ARMS[name]
    model, other = aw.model(arm), witness(arm)
    data, C = other.createData(), arm.coupling_matrix
    armature = np.array([float(joint.armature) for joint in arm.moving])
    rng = np.random.default_rng(1)
    for q in inside(arm, 10):
        qd, qdd = rng.normal(size=(2, arm.dof))
        pin.framesForwardKinematics(other, data, C @ q)
        frame = other.getFrameId("tool")
        np.testing.assert_allclose(model.fk(q), data.oMf[frame].homogeneous, atol=1e-12)
        J = pin.computeFrameJacobian(other, data, C @ q, frame, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(model.jacobian(q), J @ C, atol=1e-11)
        tau = C.T @ pin.rnea(other, data, C @ q, C @ qd, C @ qdd) + armature * qdd
        np.testing.assert_allclose(model.inverse_dynamics(q, qd, qdd), tau, atol=1e-8)
        np.testing.assert_allclose(model.forward_dynamics(q, qd, tau), qdd, atol=1e-8)
        upper = np.triu(pin.crba(other, data, C @ q))
        mass = C.T @ (upper + np.triu(upper, 1).T) @ C + np.diag(armature)
        np.testing.assert_allclose(model.mass_matrix(q), mass, atol=1e-9)
        kinetic = 0.5 * qd @ mass @ qd
        assert float(model.energy(q, qd)[0]) == pytest.approx(kinetic, rel=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_many_at_once_are_the_same_as_one_by_one(name: str) -> None:
    arm = ARMS[name]
    model = aw.model(arm)
    rows = inside(arm, 4)
    rates = 0.3 * rows
    np.testing.assert_allclose(model.fk(rows), [model.fk(q) for q in rows], atol=1e-14)
    many = model.inverse_dynamics(rows, rates, rates)
    one = [model.inverse_dynamics(q, qd, qd) for q, qd in zip(rows, rates, strict=True)]
    np.testing.assert_allclose(many, one, atol=1e-10)
    values, counts = model.ik_batch(model.fk(rows))
    for k, q in enumerate(rows):
        np.testing.assert_allclose(values[k, : counts[k]], model.ik(model.fk(q)), atol=1e-9)


def _multistart(model: aw.SerialModel, pose: Array, rng: np.random.Generator) -> list[Array]:
    """Return solutions of Newton's method in axis values from many starts, limits not counted."""
    found: list[Array] = []
    for start in rng.uniform(-pi, pi, (150, model.dof)):
        q = start
        for _ in range(60):
            T = model.fk(q)
            twist = pin.log6(pin.SE3(pose) * pin.SE3(T).inverse()).vector
            twist[:3] = pose[:3, 3] - T[:3, 3]
            J = model.jacobian(q)
            step = np.linalg.lstsq(J.T @ J + 1e-9 * np.eye(model.dof), J.T @ twist, rcond=None)[0]
            q = q + step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-12))
            if np.abs(twist).max() < 1e-11:
                angles = model.arm.angles(q)
                other = [model.arm.angles(one) for one in found]
                if not any(
                    np.abs(np.exp(1j * angles) - np.exp(1j * o)).max() < 1e-6 for o in other
                ):
                    found.append(q)
                break
    return found


@pytest.mark.parametrize("name", ARMS)
def test_every_solution_is_found(name: str) -> None:
    arm = ARMS[name]
    model = aw.model(arm)
    rng = np.random.default_rng(7)
    for q in inside(arm, 2, seed=11):
        pose = model.fk(q)
        solutions = model.ik(pose)
        for one in solutions:
            np.testing.assert_allclose(model.fk(one), pose, atol=1e-9)
        assert len(_multistart(model, pose, rng)) == len(solutions)


@pytest.mark.parametrize("name", ARMS)
def test_the_nearest_solution_is_the_one_that_was_there(name: str) -> None:
    arm = ARMS[name]
    model = aw.model(arm)
    for q in inside(arm, 60):
        near = model.ik_nearest(model.fk(q), q)
        assert near is not None
        np.testing.assert_allclose(near, q, atol=1e-8)
        kept = model.ik(model.fk(q), within_limits=True)
        assert arm.keeps_limits(kept).all()
        assert (
            np.abs(np.exp(1j * arm.angles(kept)) - np.exp(1j * arm.angles(q))).max(1).min() < 1e-7
        )


def test_whole_turns_of_a_leading_axis_change_the_values_that_follow_it() -> None:
    arm = wrist()
    model = aw.model(arm)
    q = np.array([0.3, 0.2, -0.1, 3.3, 0.7, 0.4])
    pose = model.fk(q)
    there = model.ik_nearest(pose, q)
    assert there is not None
    np.testing.assert_allclose(there, q, atol=1e-9)
    # the same joint angles by the drive of axis 4 turned back once: axes 5 and 6 must follow
    other = q.copy()
    other[3] -= 2.0 * pi
    beside = model.ik_nearest(pose, other)
    assert beside is not None
    assert beside[3] == pytest.approx(other[3], abs=1e-9)
    assert beside[4] == pytest.approx(q[4] + 0.0139 * 2.0 * pi, abs=1e-9)
    np.testing.assert_allclose(model.fk(beside), pose, atol=1e-9)


def test_a_farther_turn_is_taken_where_the_nearest_breaks_a_limit_that_follows() -> None:
    arm = wrist()
    # axis 5 stands on its limit with axis 4 turned forwards; a turn back pushes it beyond
    q = np.array([0.3, 0.2, -0.1, 3.3, arm.limits[4, 1], 0.4])
    near = q - np.array([0.0, 0.0, 0.0, 2.0 * pi, 0.0, 0.0])
    found = AxisTurns(arm).within(arm.angles(q), near)
    assert found is not None
    np.testing.assert_allclose(found, q, atol=1e-9)
    assert arm.keeps_limits(found)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("side", [0, 1])
def test_an_axis_exactly_at_its_limit_is_not_lost(name: str, side: int) -> None:
    arm = ARMS[name]
    model = aw.model(arm)
    for axis in range(arm.dof):
        rows = inside(arm, 40, seed=axis)
        rows[:, axis] = arm.limits[axis, side]
        for q in rows[arm.keeps_limits(rows)][:5]:
            found = model.ik_nearest(model.fk(q), q)
            assert found is not None
            np.testing.assert_allclose(found, q, atol=1e-6)
            low, high = arm.limits[axis]
            assert low <= found[axis] <= high


@pytest.mark.parametrize("side", [0, 1])
def test_a_coupled_joint_exactly_at_its_own_limit_is_not_lost(side: int) -> None:
    arm = parallelogram()
    model = aw.model(arm)
    coupling = arm.joints[2].coupling
    assert coupling is not None
    assert coupling.limits is not None
    stop = coupling.limits[side]
    count = 0
    for q in inside(arm, 40):
        q[2] = stop + q[1]
        if not arm.limits[2, 0] < q[2] < arm.limits[2, 1]:
            continue
        count += 1
        found = model.ik_nearest(model.fk(q), q)
        assert found is not None
        np.testing.assert_allclose(found, q, atol=1e-7)
        beyond = q.copy()
        beyond[2] += 1e-4 if side else -1e-4
        assert not arm.keeps_limits(beyond)
        assert "A3" in arm.angle_breach(beyond)
        gone = model.ik_nearest(model.fk(beyond), beyond)
        assert gone is None or np.abs(gone - beyond).max() > 1e-3
    assert count > 5


def test_an_unreachable_pose_says_so() -> None:
    model = aw.model(parallelogram())
    pose = np.eye(4)
    pose[:3, 3] = 5.0, 0.0, 0.0
    assert model.ik(pose).shape == (0, 6)
    assert model.ik_nearest(pose, np.zeros(6)) is None
    assert model.solve(pose).reason == "the pose is out of reach"
    tilted = aw.model(palletiser()).fk([0.1, 0.2, 0.3, 0.4])
    tilted[:3, :3] = tilted[:3, :3] @ np.array(
        [[1, 0, 0], [0, cos(0.1), -sin(0.1)], [0, sin(0.1), cos(0.1)]]
    )
    assert len(aw.model(palletiser()).ik(tilted)) == 0


def test_a_point_is_reached_within_limits() -> None:
    for arm in ARMS.values():
        model = aw.model(arm)
        q = inside(arm, 1)[0]
        point = model.fk(q)[:3, 3]
        found = model.ik_position(point, q + 0.05)
        assert found is not None
        np.testing.assert_allclose(model.fk(found)[:3, 3], point, atol=1e-8)
        assert arm.keeps_limits(found)


def test_names_of_configurations_are_those_of_the_links() -> None:
    arm = parallelogram()
    model = aw.model(arm)
    assert isinstance(model, CoupledModel)
    pose = model.fk([0.2, 0.3, 0.1, 0.4, 0.7, 0.2])
    names = model.configurations(model.ik(pose))
    assert len(set(names)) == len(names)
    chosen = model.ik(pose, configuration=names[0])
    np.testing.assert_allclose(chosen, model.ik(pose)[:1], atol=1e-12)


def test_kernels_refuse_what_they_do_not_know() -> None:
    with pytest.raises(UnsupportedError, match="coupled"):
        pack(parallelogram())


def _row(**more: object) -> aw.Joint:
    return aw.Joint("revolute", a=0.3, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        (
            [_row(name="a"), _row(name="b", coupling=aw.Coupling({"c": 1.0}))],
            "no axis with a drive",
        ),
        (
            [_row(name="a"), _row(name="b", coupling=aw.Coupling({"b": 1.0}))],
            "no axis with a drive",
        ),
        (
            [
                _row(name="a", coupling=aw.Coupling({"b": 1.0})),
                _row(name="b", coupling=aw.Coupling({"a": 1.0})),
            ],
            "circle",
        ),
        (
            [
                _row(name="a", limits=(0.0, 1.0)),
                _row(
                    name="b",
                    limits=(0.0, 1.0),
                    coupling=aw.Coupling({"a": 1.0}, limits=(3.0, 4.0)),
                ),
            ],
            "leave nothing",
        ),
    ],
)
def test_couplings_that_make_no_sense_are_refused(joints: list[aw.Joint], words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        aw.Arm.from_dh(joints)


def test_bad_couplings_are_refused() -> None:
    with pytest.raises(DescriptionError, match="names no axis"):
        aw.Coupling({})
    with pytest.raises(DescriptionError, match="does not couple"):
        aw.Coupling({"a": 0.0})
    with pytest.raises(DescriptionError, match="minimum not below maximum"):
        aw.Coupling({"a": 1.0}, limits=(1.0, -1.0))
    with pytest.raises(DescriptionError, match="without a drive"):
        _row(limits=(0.0, 1.0), coupling=aw.Coupling({"a": 1.0}, driven=False))
    with pytest.raises(DescriptionError, match="fixed joint"):
        aw.Joint("fixed", coupling=aw.Coupling({"a": 1.0}))
