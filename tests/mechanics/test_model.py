"""The front door: what `model` accepts and refuses, shapes, and the arguments' errors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armwerk
from arm_witness import PinArm, frames_by_product, random_joints
from armwerk.errors import DescriptionError, ShapeError, UnknownNameError, UnsupportedError
from armwerk.mechanics import ArmModel, SerialModel, model
from armwerk.modelling import METHODS, register_closed
from armwerk.robot import Arm, Joint, Link, load, load_arm


@pytest.fixture
def puma() -> SerialModel:
    return SerialModel(load("puma560"), "numeric")


@pytest.fixture
def no_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "closed", lambda arm, chain: None)


def test_a_name_a_file_and_a_description_give_the_same_model(tmp_path: Path) -> None:
    arm = load("ur5e")
    arm.save(tmp_path / "mine.toml")
    q = np.linspace(0.1, 0.6, 6)
    poses = [model(x, ik="numeric").fk(q) for x in (arm, "ur5e", tmp_path / "mine.toml")]
    np.testing.assert_allclose(poses[1:], [poses[0]] * 2, rtol=0, atol=1e-12)


def test_the_model_is_an_arm_model() -> None:
    made = armwerk.model("puma560", ik="numeric")
    assert isinstance(made, ArmModel)
    assert isinstance(made, SerialModel)
    assert made.arm == load("puma560")
    assert made.dof == 6
    assert "puma560" in repr(made)


def test_symbols_are_refused_by_name() -> None:
    arm = Arm.from_dh([Joint("revolute", a="l1"), Joint("revolute", a="l2")], name="sketch")
    with pytest.raises(UnsupportedError, match=r"sketch.*l1, l2"):
        model(arm)
    assert model(arm.with_values(l1=0.5, l2=0.25), ik="numeric").fk([0, 0])[0, 3] == 0.75


def test_what_is_no_arm_is_refused() -> None:
    with pytest.raises(DescriptionError, match="an Arm, an Assembly"):
        model(42)  # type: ignore[call-overload]
    with pytest.raises(UnknownNameError, match="puma560"):
        model("puma561")


def test_an_assembly_of_parts_gets_its_own_model() -> None:
    from armwerk.mechanics.assembly import AssemblyModel

    assert isinstance(model("tripod"), AssemblyModel)


def test_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"numerik.*did you mean 'numeric'"):
        model("puma560", ik="numerik")  # type: ignore[call-overload]


@pytest.mark.usefixtures("no_closed_form")
def test_closed_is_refused_and_pref_is_general_without_closed_form() -> None:
    with pytest.raises(UnsupportedError, match="no closed inverse kinematics"):
        model("puma560", ik="closed")
    assert model("puma560").method == "general"


@pytest.mark.usefixtures("no_closed_form")
def test_a_registered_closed_form_is_preferred() -> None:
    class Fake:
        name = "closed"

    register_closed(lambda arm, chain: Fake() if arm.dof == 6 else None)  # type: ignore[arg-type, return-value]
    assert model("puma560").method == "closed"
    assert model("iiwa7").method == "numeric"


BAD_JOINTS = [
    (np.zeros(5), r"shape \(6,\) or \(m, 6\), got \(5,\)"),
    (np.zeros((2, 5)), r"got \(2, 5\)"),
    (np.zeros((1, 1, 6)), r"got \(1, 1, 6\)"),
    (0.0, r"got \(\)"),
    ("home", "must be numbers"),
    ([0, 0, 0, np.nan, 0, 0], "finite, got nan for joint 4"),
    ([[0] * 6, [0, np.inf, 0, 0, 0, 0]], "finite, got inf for joint 2 of row 1"),
]


@pytest.mark.parametrize(("bad", "message"), BAD_JOINTS)
@pytest.mark.parametrize("method", ["fk", "jacobian", "frames", "mass_matrix", "gravity"])
def test_bad_joint_values_are_named(
    puma: SerialModel, method: str, bad: object, message: str
) -> None:
    with pytest.raises(ShapeError, match=message):
        getattr(puma, method)(bad)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("method", ["inverse_dynamics", "forward_dynamics"])
def test_bad_states_are_named(puma: SerialModel, method: str, place: int) -> None:
    third = "qdd" if method == "inverse_dynamics" else "tau"
    arguments = [np.zeros(6)] * 3
    arguments[place] = np.array([0, 0, np.nan, 0, 0, 0])
    with pytest.raises(ShapeError, match=f"^{('q', 'qd', third)[place]} must be finite.*joint 3"):
        getattr(puma, method)(*arguments)
    arguments[place] = np.zeros(7)
    with pytest.raises(ShapeError, match=r"got \(7,\)"):
        getattr(puma, method)(*arguments)
    rows = [np.zeros((2, 6)), np.zeros((3, 6)), np.zeros((3, 6))]
    with pytest.raises(ShapeError, match="same number of rows"):
        getattr(puma, method)(*rows)


MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.eye(3), r"got \(3, 3\)"),
        (np.full((4, 4), np.nan), "finite"),
        (2 * np.eye(4), "rigid transform"),
        (MIRROR, "rigid transform"),
        (np.ones((4, 4)), "rigid transform"),
        ("there", "must be numbers"),
        (np.stack([np.eye(4)] * 2), "one pose"),
    ],
)
def test_bad_poses_are_named(puma: SerialModel, bad: Any, message: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: puma.ik(bad),
        lambda: puma.ik_nearest(bad, np.zeros(6)),
        lambda: puma.solve(bad),
    ]
    for call in calls:
        with pytest.raises(ShapeError, match=message):
            call()


def test_one_start_is_wanted(puma: SerialModel) -> None:
    T = puma.fk(np.full(6, 0.3))
    for call in (puma.ik_nearest, puma.solve):
        with pytest.raises(ShapeError, match=r"shape \(6,\) here, got \(2, 6\)"):
            call(T, np.zeros((2, 6)))


def test_bad_pose_of_many_is_numbered(puma: SerialModel) -> None:
    with pytest.raises(ShapeError, match=r"Ts\[1\] must be a rigid"):
        puma.ik_batch([np.eye(4), MIRROR])


def test_any_layout_of_numbers_will_do(puma: SerialModel) -> None:
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    wanted = puma.fk(q)
    strided, frozen, whole = np.repeat(q, 2)[::2], q.copy(), np.array([1, 2, 3, 4, 5, 6])
    frozen.setflags(write=False)
    for same in (list(q), strided, frozen, np.asfortranarray(q[None])[0]):
        assert np.array_equal(puma.fk(same), wanted)
    assert np.array_equal(puma.fk(whole), puma.fk(whole.astype(float)))
    assert puma.fk(np.zeros((0, 6))).shape == (0, 4, 4)
    assert puma.fk(np.asfortranarray(np.stack([q, q]))).shape == (2, 4, 4)


@pytest.mark.parametrize("name", ["puma560", "stanford"])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_any_number_of_configurations_at_once(name: str, count: int) -> None:
    """Many are computed in blocks; the ends of blocks and angles of many turns are no exception."""
    made = SerialModel(load_arm(name), "numeric")
    many = random_joints(made.arm, count)
    many[-1, 0] = 1e3
    many[count // 2, 1] = -3e8
    poses = made.fk(many)
    assert np.array_equal(poses, [made.fk(q) for q in many])
    for k in (0, count // 2, count - 1):
        np.testing.assert_allclose(
            poses[k], frames_by_product(made.arm, many[k])[-1], rtol=0, atol=1e-13
        )


def test_sine_and_cosine_are_right_to_the_last_place() -> None:
    """A planar arm of length 1 shows them as they are; multiples of a right angle included."""
    made = SerialModel(Arm.from_dh([Joint("revolute", a=1.0)]), "numeric")
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [rng.uniform(-4, 4, 5000), rng.uniform(-1e5, 1e5, 5000), np.arange(-400, 400) * pi / 2]
    )
    poses = made.fk(angles[:, None])
    np.testing.assert_allclose(poses[:, 0, 0], np.cos(angles), rtol=0, atol=2.3e-16)
    np.testing.assert_allclose(poses[:, 1, 0], np.sin(angles), rtol=0, atol=2.3e-16)


def test_one_velocity_goes_with_many_configurations(puma: SerialModel) -> None:
    q = random_joints(puma.arm, 4)
    qd = np.full(6, 0.3)
    assert np.array_equal(puma.bias(q, qd), [puma.bias(one, qd) for one in q])


def mixed_arm() -> Arm:
    """Fixed joints at every place, offsets, base and tool turned, masses on all."""
    base, tool = np.eye(4), np.eye(4)
    base[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    base[:3, 3] = 0.5, -0.2, 1.0
    tool[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    tool[:3, 3] = 0.1, 0.02, 0.03
    body = Link(mass=2.0, com=(0.1, 0.02, -0.05), inertia=(0.02, 0.03, 0.04, 0.001, 0.002, 0.003))
    joints = [
        Joint("fixed", d=0.1, a=0.2, alpha=0.3, offset=0.4, link=body),
        Joint("revolute", d=0.3, a=0.1, alpha=pi / 2, offset=0.2, link=body, armature=0.1),
        Joint("fixed", d=0.05, a=0.1, alpha=-0.4, offset=1.0, link=body),
        Joint("prismatic", d=0.2, a=0.1, alpha=0.7, offset=-0.3, link=body, armature=0.2),
        Joint("revolute", d=0.1, a=0.3, alpha=-0.5, link=body),
        Joint("fixed", d=0.1, a=0.0, alpha=0.3, offset=0.5, link=body),
    ]
    return Arm.from_dh(joints, name="mixed", base=base, tool=tool, gravity=(1.0, -2.0, -9.0))


def test_fixed_joints_base_and_tool_are_folded_in() -> None:
    arm = mixed_arm()
    made, witness = SerialModel(arm, "numeric"), PinArm(arm)
    rng = np.random.default_rng(1)
    for q, qd, qdd in rng.uniform(-1, 1, (5, 3, 3)):
        frames = frames_by_product(arm, q)
        assert made.frames(q).shape == (8, 4, 4)
        np.testing.assert_allclose(made.frames(q), frames, rtol=0, atol=1e-14)
        np.testing.assert_allclose(made.fk(q), witness.fk(q), rtol=0, atol=1e-14)
        np.testing.assert_allclose(made.jacobian(q), witness.jacobian(q), rtol=0, atol=1e-13)
        tau = witness.inverse(q, qd, qdd)
        np.testing.assert_allclose(made.inverse_dynamics(q, qd, qdd), tau, rtol=0, atol=1e-12)
        np.testing.assert_allclose(made.mass_matrix(q), witness.mass(q), rtol=0, atol=1e-13)
        np.testing.assert_allclose(made.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-11)


def test_an_arm_without_masses_has_no_forward_dynamics() -> None:
    arm = Arm.from_dh([Joint("revolute", a=1.0), Joint("revolute", a=1.0, name="elbow")])
    made = SerialModel(arm, "numeric")
    assert not made.gravity([0.1, 0.2]).any()
    with pytest.raises(UnsupportedError, match="resists joint 'q1'"):
        made.forward_dynamics([0, 0], [0, 0], [1, 1])
    heavy = replace(arm.joints[0], armature=1.0)
    made = SerialModel(Arm.from_dh([heavy, arm.joints[1]]), "numeric")
    with pytest.raises(UnsupportedError, match="resists joint 'elbow'"):
        made.forward_dynamics([0, 0], [0, 0], [1, 1])


def test_a_pendulum_swings_as_in_the_textbook() -> None:
    """A point mass m at length l: tau = m l² qdd + m g l cos(q), about a level axis."""
    mass, length = 2.0, 0.7
    pendulum = Joint("revolute", a=length, link=Link(mass=mass))
    stand = Joint("fixed", alpha=pi / 2)
    made = SerialModel(Arm.from_dh([stand, pendulum], gravity=(0, 0, -9.81)), "numeric")
    for q in (0.0, 0.6, 2.0):
        torque = mass * length**2 * 1.5 + mass * 9.81 * length * np.cos(q)
        assert made.inverse_dynamics([q], [0.4], [1.5]) == pytest.approx([torque], abs=1e-12)
        kinetic, potential = made.energy([q], [0.4])
        assert kinetic == pytest.approx(0.5 * mass * (length * 0.4) ** 2)
        assert potential == pytest.approx(mass * 9.81 * length * np.sin(q))


def test_friction_opposes_motion() -> None:
    joint = Joint("revolute", viscous_friction=0.5, coulomb_friction=(2.0, 3.0))
    made = SerialModel(Arm.from_dh([joint]), "numeric")
    np.testing.assert_allclose(made.friction([[4.0], [-4.0], [0.0]]), [[4.0], [-5.0], [0.0]])
    assert made.friction([4.0]).shape == (1,)


def test_manipulability_vanishes_at_a_singularity(puma: SerialModel) -> None:
    regular = np.array([0.2, 0.7, -0.4, 0.3, 0.8, 0.1])
    wrist = np.array([0.2, 0.7, -0.4, 0.3, 0.0, 0.1])
    assert puma.manipulability(regular) == pytest.approx(abs(np.linalg.det(puma.jacobian(regular))))
    assert puma.manipulability(wrist) < 1e-12
    assert puma.manipulability(np.stack([regular, wrist])).shape == (2,)


def test_reach_of_a_planar_arm_is_its_length() -> None:
    arm = Arm.from_dh([Joint("revolute", a=0.5), Joint("revolute", a=0.25)])
    reach = SerialModel(arm, "numeric").reach(2000)
    assert reach.radius == pytest.approx(0.75, abs=1e-9)
    np.testing.assert_allclose(reach.upper[:2], 0.75, atol=0.01)
    assert reach.upper[2] == 0.0
    endless = Arm.from_dh([Joint("prismatic")])
    assert SerialModel(endless, "numeric").reach(100).radius == np.inf


@pytest.mark.parametrize("name", ["puma560", "panda", "xarm6", "irb2400", "planar_rr"])
def test_a_model_that_was_used_is_copied_and_goes_to_other_processes(name: str) -> None:
    model = armwerk.model(load_arm(name))
    pose = model.fk(np.full(model.dof, 0.3))
    found = model.ik(pose)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert type(again) is type(model)
        np.testing.assert_array_equal(again.ik(pose), found)
        assert again.method == model.method
