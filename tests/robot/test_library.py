"""Every shipped arm against its maker's data sheet and against models that others published."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, atan2, cos, degrees, hypot, pi, sin, sqrt
from typing import Any

import numpy as np
import pinocchio
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import armwerk
from armwerk.robot import Arm, library, load, load_arm
from armwerk.robot.arm import row_matrix

Array = NDArray[np.float64]

PROMISED = {
    *("puma560", "stanford", "scara", "scara2", "cartesian", "cylindrical", "articulated"),
    *("typ1", "typ2", "ur5e", "simple_arm", "five_axis", "planar_tt", "planar_rr", "iiwa7"),
    *("panda", "tripod", "stewart", "ur3e", "ur10e", "ur16e", "irb120", "irb140", "kr6_r900"),
    *("tx60", "lrmate200id"),
}
ASSEMBLIES = {name for name in library() if not isinstance(load(name), Arm)}
SERIAL = [name for name in library() if name not in ASSEMBLIES]
H = pi / 2


def move(joint: Any, q: float) -> Array:
    """Return T of one row at joint value q."""
    turn, shift = (q, 0.0) if joint.kind == "revolute" else (0.0, q)
    return row_matrix(joint.offset + turn, joint.d + shift, joint.a, joint.alpha)


def frames(arm: Arm, q: Sequence[float] | Array) -> list[Array]:
    """Return the base and the frame after every row, in world coordinates."""
    values = iter(q)
    found = [np.array(arm.base)]
    for joint in arm.joints:
        found.append(found[-1] @ move(joint, float(next(values)) if joint.is_moving else 0.0))
    return found


def forward(arm: Arm, q: Sequence[float] | Array) -> Array:
    return frames(arm, q)[-1] @ arm.tool


def random_states(arm: Arm, count: int, seed: int = 7) -> Array:
    low, high = arm.limits.T
    return np.random.default_rng(seed).uniform(low, high, size=(count, arm.dof))


def witness(arm: Arm) -> pinocchio.Model:
    """Return the links of an arm as a pinocchio model, its drives' inertias left out."""
    arm = arm.free_chain
    model = pinocchio.Model()
    model.gravity.linear = np.array(arm.gravity)
    parent, placement = 0, pinocchio.SE3(np.array(arm.base))
    for joint in arm.joints:
        rest = pinocchio.SE3(move(joint, 0.0))
        if not joint.is_moving:
            placement = placement * rest
            continue
        revolute = joint.kind == "revolute"
        kind = pinocchio.JointModelRZ() if revolute else pinocchio.JointModelPZ()
        parent = model.addJoint(parent, kind, placement, joint.name)
        link = joint.link
        inertia = pinocchio.Inertia(link.mass, np.array(link.com), link.inertia_matrix())
        model.appendBodyToJoint(parent, inertia, rest)
        placement = rest
    return model


def armature(arm: Arm) -> Array:
    return np.array([joint.armature for joint in arm.moving], dtype=np.float64)


def whole_mass_matrix(arm: Arm, q: Array) -> Array:
    model, C = witness(arm), arm.coupling_matrix
    upper = np.triu(pinocchio.crba(model, model.createData(), C @ q))
    full: Array = C.T @ (upper + np.triu(upper, 1).T) @ C + np.diag(armature(arm))
    return full


def test_library_holds_what_it_promises() -> None:
    assert set(library()) >= PROMISED
    assert len(SERIAL) >= 20
    assert all(isinstance(load(name), Arm) for name in SERIAL)


@pytest.mark.parametrize("name", SERIAL)
def test_an_arm_is_named_after_its_file_and_says_where_it_is_from(name: str) -> None:
    arm = load_arm(name)
    assert arm.name == name
    assert len(arm.title) > 5
    assert len(arm.source) > 20
    assert arm.tasks
    assert not arm.is_symbolic


@pytest.mark.parametrize("name", SERIAL)
def test_every_moving_joint_can_be_planned_for(name: str) -> None:
    arm = load_arm(name)
    assert np.isfinite(arm.limits).all()
    for joint in arm.moving:
        assert joint.max_velocity is not None, joint.name
        assert joint.max_acceleration is not None, joint.name
        assert joint.max_jerk is not None, joint.name
        assert joint.max_force is not None, joint.name
        assert " " not in joint.name


@pytest.mark.parametrize("name", SERIAL)
def test_links_are_possible_bodies(name: str) -> None:
    arm = load_arm(name)
    for joint in arm.moving:
        weightless = name in ("puma560", "coupled_puma") and joint.name == "waist"  # published so
        assert float(joint.link.mass) > 0 or weightless, joint.name
        small, middle, large = np.linalg.eigvalsh(joint.link.inertia_matrix())
        assert small >= 0, joint.name
        if "triangle" not in arm.source:
            assert large <= (small + middle) * (1 + 1e-9), joint.name
            assert small > 0, joint.name


def test_triangle_is_mentioned_only_where_published_moments_violate_it() -> None:
    violating = [name for name in SERIAL if "triangle" in load_arm(name).source]
    assert violating == ["coupled_puma", "puma560", "xarm6"]


@pytest.mark.parametrize("name", SERIAL)
def test_drives_hold_and_accelerate_the_arm(name: str) -> None:
    """From rest, one joint at a time, the stated acceleration needs no more than max_force."""
    arm = load_arm(name)
    model = witness(arm)
    data = model.createData()
    force = np.array([joint.max_force for joint in arm.moving])
    acceleration = np.array([joint.max_acceleration for joint in arm.moving])
    for q in random_states(arm, 60):
        C = arm.coupling_matrix
        gravity = np.abs(C.T @ pinocchio.computeGeneralizedGravity(model, data, C @ q))
        inertia = np.diag(whole_mass_matrix(arm, q))
        assert (gravity + inertia * acceleration <= force).all()


@pytest.mark.parametrize("name", SERIAL)
def test_mass_matrix_is_positive_definite(name: str) -> None:
    arm = load_arm(name)
    for q in random_states(arm, 20):
        assert np.linalg.eigvalsh(whole_mass_matrix(arm, q))[0] > 1e-6


@pytest.mark.parametrize("name", SERIAL)
def test_model_has_that_mass_matrix(name: str) -> None:
    arm, model = load_arm(name), armwerk.model(name)
    for q in random_states(arm, 5):
        expected = whole_mass_matrix(arm, q)
        np.testing.assert_allclose(model.mass_matrix(q), expected, rtol=1e-9, atol=1e-12)


# Reach by the maker's data sheet [m]: the row whose end it is measured to, whether it is
# measured from the first axis or from the shoulder, and by how much it may be off. Universal
# Robots do not say to which point; the middle of the wrist comes within 8 %.
REACH = {
    "puma560": (4, "shoulder", 0.864, 0.02),  # the sheet leaves the shoulder's offset out
    "scara": (4, "axis", 0.800, 0.001),
    "ur3e": (4, "shoulder", 0.500, 0.08),
    "ur5e": (4, "shoulder", 0.850, 0.08),
    "ur10e": (4, "shoulder", 1.300, 0.08),
    "ur16e": (4, "shoulder", 0.900, 0.08),
    "irb120": (4, "axis", 0.580, 0.002),
    "irb140": (4, "axis", 0.810, 0.002),
    "irb1200": (4, "axis", 0.901, 0.002),
    "kr6_r900": (4, "axis", 0.9015, 0.001),
    "kr16": (4, "axis", 1.611, 0.001),
    "kr30_l16": (4, "axis", 3.102, 0.001),
    "lrmate200id": (4, "axis", 0.717, 0.001),
    "tx60": (6, "axis", 0.670, 0.01),
    "iiwa7": (6, "shoulder", 0.800, 0.001),
    "panda": (7, "shoulder", 0.855, 0.01),
    "gen3": (7, "shoulder", 0.902, 0.01),
    "xarm6": (5, "shoulder", 0.700, 0.03),
    "five_axis": (5, "shoulder", 0.730, 0.001),
}


@pytest.mark.parametrize("name", REACH)
def test_reach_is_that_of_the_data_sheet(name: str) -> None:
    row, start, reach, tolerance = REACH[name]
    arm = load_arm(name)

    def radius(q: Array) -> float:
        found = frames(arm, q)
        far = found[row][:3, 3]
        if start == "axis":
            return float(np.hypot(far[0], far[1]))
        shoulder = found[0][:3, 3] + found[0][:3, 2] * float(arm.joints[0].d)
        return float(np.linalg.norm(far - shoulder))

    bounds = [(float(low), float(high)) for low, high in arm.limits]
    best = max(
        -minimize(lambda q: -radius(q), q, method="L-BFGS-B", bounds=bounds).fun  # type: ignore[call-overload]
        for q in random_states(arm, 8)
    )
    assert best == pytest.approx(reach, rel=tolerance)


# Joints as the makers' public URDFs have them: (origin xyz [m], origin rpy, axis) from joint to
# joint, then the pose of the tool frame in the last link.
Chain = tuple[list[tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]], Array]
NO = (0.0, 0.0, 0.0)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BACK_X, BACK_Y, DOWN = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)


def pose(xyz: Sequence[float] = NO, rpy: Sequence[float] = NO) -> Array:
    found = np.eye(4)
    found[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    found[:3, 3] = xyz
    return found


def straight(*steps: tuple[tuple[float, ...], tuple[float, ...]]) -> list[Any]:
    return [(xyz, NO, axis) for xyz, axis in steps]


def kuka(d1: float, a1: float, a2: float, a3: float, d4: float, d6: float) -> Chain:
    steps = [((0, 0, d1), DOWN), ((a1, 0, 0), Y), ((a2, 0, 0), Y), ((d4, 0, a3), BACK_X)]
    return straight(*steps, (NO, Y), ((d6, 0, 0), BACK_X)), pose(rpy=(0, H, 0))


def abb(d1: float, a1: float, a2: float, a3: float, d4: float, d6: float) -> Chain:
    steps = [(NO, Z), ((a1, 0, d1), Y), ((0, 0, a2), Y), ((d4, 0, a3), X), (NO, Y)]
    return straight(*steps, ((d6, 0, 0), X)), pose(rpy=(0, H, 0))


PUBLISHED: dict[str, Chain] = {
    "irb120": abb(0.29, 0.0, 0.27, 0.07, 0.302, 0.072),
    "irb140": abb(0.352, 0.07, 0.36, 0.0, 0.38, 0.065),
    "irb1200": abb(0.3991, 0.0, 0.448, 0.042, 0.451, 0.082),
    "kr6_r900": kuka(0.4, 0.025, 0.455, 0.035, 0.42, 0.08),
    "kr16": kuka(0.675, 0.26, 0.68, -0.035, 0.67, 0.158),
    "kr30_l16": kuka(0.815, 0.35, 1.2, 0.145, 1.545, 0.158),
    "lrmate200id": (
        straight(
            *(((0, 0, 0.33), Z), ((0.05, 0, 0), Y), ((0, 0, 0.33), BACK_Y)),
            *(((0, 0, 0.035), BACK_X), ((0.335, 0, 0), BACK_Y), ((0.08, 0, 0), BACK_X)),
        ),
        pose(rpy=(pi, -H, 0)),
    ),
    "tx60": (
        straight(
            *(((0, 0, 0.375), Z), ((0, 0.2175, 0), Y), ((0, 0, 0.29), Y)),
            *(((0, -0.1975, 0), Z), ((0, 0, 0.31), Y), ((0, 0, 0.07), Z)),
        ),
        pose(),
    ),
    "iiwa7": (
        straight(
            *((NO, Z), ((0, 0, 0.34), Y), (NO, Z), ((0, 0, 0.4), BACK_Y)),
            *((NO, Z), ((0, 0, 0.4), Y), (NO, Z)),
        ),
        pose((0, 0, 0.126)),
    ),
    "panda": (
        [
            *(((0, 0, 0.333), NO, Z), (NO, (-H, 0, 0), Z), ((0, -0.316, 0), (H, 0, 0), Z)),
            *(((0.0825, 0, 0), (H, 0, 0), Z), ((-0.0825, 0.384, 0), (-H, 0, 0), Z)),
            *((NO, (H, 0, 0), Z), ((0.088, 0, 0), (H, 0, 0), Z)),
        ],
        pose((0, 0, 0.107)),
    ),
    "gen3": (
        [
            *(((0, 0, 0.15643), (pi, 0, 0), Z), ((0, 0.005375, -0.12838), (H, 0, 0), Z)),
            *(((0, -0.21038, -0.006375), (-H, 0, 0), Z), ((0, 0.006375, -0.21038), (H, 0, 0), Z)),
            ((0, -0.20843, -0.006375), (-H, 0, 0), Z),
            ((0, 0.00017505, -0.10593), (H, 0, 0), Z),
            ((0, -0.10593, -0.00017505), (-H, 0, 0), Z),
        ],
        pose((0, 0, -0.061525), (pi, 0, 0)),
    ),
    "xarm6": (
        [
            *(((0, 0, 0.267), NO, Z), (NO, (-H, 0, 0), Z), ((0.0535, -0.2845, 0), NO, Z)),
            *(((0.0775, 0.3425, 0), (-H, 0, 0), Z), (NO, (H, 0, 0), Z)),
            ((0.076, 0.097, 0), (-H, 0, 0), Z),
        ],
        pose(),
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_zero_pose_and_directions_are_the_makers(name: str) -> None:
    joints, tool = PUBLISHED[name]
    arm = load_arm(name)
    for q in random_states(arm, 8):
        T_world_tool = np.eye(4)
        for (xyz, rpy, axis), value in zip(joints, q, strict=True):
            turn = np.eye(4)
            turn[:3, :3] = Rotation.from_rotvec(value * np.array(axis)).as_matrix()
            T_world_tool = T_world_tool @ pose(xyz, rpy) @ turn
        np.testing.assert_allclose(forward(arm, q), T_world_tool @ tool, atol=1e-9)


@pytest.fixture(scope="module")
def toolbox() -> Any:
    return pytest.importorskip("roboticstoolbox").models.DH


def test_puma_has_the_toolboxs_kinematics_and_dynamics(toolbox: Any) -> None:
    arm, other = load_arm("puma560"), toolbox.Puma560()
    model = witness(arm)
    data = model.createData()
    rng = np.random.default_rng(3)
    for q in random_states(arm, 10):
        qd, qdd = rng.normal(size=(2, 6))
        np.testing.assert_allclose(forward(arm, q), other.fkine(q).A, atol=1e-9)
        torque = pinocchio.rnea(model, data, q, qd, qdd) + armature(arm) * qdd
        np.testing.assert_allclose(torque, other.nofriction(True, True).rne(q, qd, qdd), atol=1e-9)


def test_puma_has_the_toolboxs_friction_and_limits(toolbox: Any) -> None:
    for joint, link in zip(load_arm("puma560").joints, toolbox.Puma560().links, strict=True):
        assert joint.armature == pytest.approx(link.Jm * link.G**2)
        for speed in (1.5, -1.5):
            dry = joint.coulomb_friction[0 if speed > 0 else 1]
            ours = -float(joint.viscous_friction) * speed - np.sign(speed) * dry
            assert ours == pytest.approx(link.friction(speed)), joint.name
        assert joint.limits is not None
        np.testing.assert_allclose(joint.limits, link.qlim)


def test_stanford_arm_has_the_toolboxs_kinematics(toolbox: Any) -> None:
    """The toolbox leaves out the hand's length and sets the boom off by 20.3 mm."""
    arm, other = load_arm("stanford"), toolbox.Stanford()
    other.links[2].a = 0.0
    hand = pose((0, 0, 0.263))
    for q in random_states(arm, 10):
        np.testing.assert_allclose(forward(arm, q), other.fkine(q).A @ hand, atol=1e-9)
    for joint, link in zip(arm.joints, other.links, strict=True):
        assert joint.link.mass == link.m
        assert joint.armature == link.Jm


def test_panda_is_the_toolboxs_modified_rows(toolbox: Any) -> None:
    arm, other = load_arm("panda"), toolbox.Panda()
    for q in random_states(arm, 10):
        flange = other.fkine(q).A @ np.linalg.inv(other.tool.A)
        np.testing.assert_allclose(forward(arm, q), flange, atol=1e-9)


def test_irb140_is_the_toolboxs_with_the_makers_zero(toolbox: Any) -> None:
    arm, other = load_arm("irb140"), toolbox.IRB140()
    for q in random_states(arm, 10):
        expected = other.fkine(q + np.array([0, -H, 0, 0, 0, pi])).A
        np.testing.assert_allclose(forward(arm, q), expected, atol=1e-9)


@pytest.mark.parametrize("name", ["ur3e", "ur5e", "ur10e", "ur16e"])
def test_ur_arms_are_the_toolboxs_ur5_with_their_own_lengths(name: str, toolbox: Any) -> None:
    arm, other = load_arm(name), toolbox.UR5()
    for joint, link in zip(arm.joints, other.links, strict=True):
        assert np.sign([joint.d, joint.a]).tolist() == np.sign([link.d, link.a]).tolist()
        link.d, link.a = joint.d, joint.a
    for q in random_states(arm, 5):
        np.testing.assert_allclose(forward(arm, q), other.fkine(q).A, atol=1e-9)
    assert forward(arm, np.zeros(6))[0, 3] < 0  # stretched along -x at zero


STRUCTURES = {
    "cartesian": "TTTRR",
    "scara": "RRTR",
    "scara2": "TRRR",
    "cylindrical": "RTTRRR",
    "stanford": "RRTRRR",
    "articulated": "RRRRRR",
    "typ1": "RRRRRR",
    "typ2": "RRRRRR",
}
EQUATIONS = {"scara": 120, "scara2": 120}  # table 4.3 of the source; 252 for all others


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_eight_arms_of_the_table_have_its_structure(name: str) -> None:
    arm = load_arm(name)
    rows = len(arm.joints)
    assert arm.structure == STRUCTURES[name]
    assert 12 * rows * (rows + 1) // 2 == EQUATIONS.get(name, 252)


def test_cartesian_axes_move_along_the_worlds() -> None:
    arm = load_arm("cartesian")
    start = forward(arm, np.zeros(5))
    moved = forward(arm, [0.3, 0.2, 0.1, 0.0, 0.0])
    np.testing.assert_allclose(moved[:3, 3] - start[:3, 3], [0.3, 0.2, -0.1], atol=1e-12)
    np.testing.assert_allclose(start[:3, 2], DOWN, atol=1e-12)


def test_scara_is_the_worked_example_of_annex_b() -> None:
    arm = load_arm("scara")
    d1, a1 = float(arm.joints[0].d), float(arm.joints[0].a)
    a2 = float(arm.joints[1].a)
    for q1, q2, d3, q4 in random_states(arm, 10):
        c, s = cos(q1 + q2 - q4), sin(q1 + q2 - q4)
        x, y = a1 * cos(q1) + a2 * cos(q1 + q2), a1 * sin(q1) + a2 * sin(q1 + q2)
        expected = [[c, s, 0, x], [s, -c, 0, y], [0, 0, -1, d1 - d3], [0, 0, 0, 1]]
        np.testing.assert_allclose(forward(arm, [q1, q2, d3, q4]), expected, atol=1e-12)


def test_typ_1_and_typ_2_have_the_rows_of_table_4_5() -> None:
    def pattern(name: str) -> list[tuple[int, bool, bool, int]]:
        return [
            (
                round(degrees(float(row.offset))),
                row.d != 0,
                row.a != 0,
                round(degrees(float(row.alpha))),
            )
            for row in load_arm(name).joints
        ]

    assert pattern("typ1") == [
        *((0, False, False, 90), (0, False, True, 0), (0, False, True, 0)),
        *((0, False, True, -90), (0, False, True, 90), (0, False, True, 0)),
    ]
    assert pattern("typ2") == [
        *((0, False, False, -90), (0, True, False, 90), (-90, False, True, 90)),
        *((0, True, False, -90), (0, False, False, 90), (0, True, False, 0)),
    ]
    assert float(load_arm("typ2").joints[2].a) < 0  # the source prints -a3


def test_simple_arm_is_solved_by_the_sources_triangle() -> None:
    """Section 5.2: law of cosines; the angle below the horizon is taken off the femur's."""
    arm = load_arm("simple_arm")
    stand = float(arm.joints[0].d)
    femur, tibia = float(arm.joints[1].a), float(arm.joints[2].a)
    rng = np.random.default_rng(5)
    for distance, height, azimuth in rng.uniform([0.1, -0.15, -3], [0.3, 0.15, 3], size=(20, 3)):
        x, y, z = distance * cos(azimuth), distance * sin(azimuth), stand + height
        far = sqrt(hypot(x, y) ** 2 + (z - stand) ** 2)
        gamma = acos((femur**2 + far**2 - tibia**2) / (2 * femur * far))
        beta = acos((femur**2 + tibia**2 - far**2) / (2 * femur * tibia))
        below = atan2(-(z - stand), hypot(x, y))
        q = [atan2(y, x), gamma - below, beta - pi]
        np.testing.assert_allclose(forward(arm, q)[:3, 3], [x, y, z], atol=1e-12)


def test_five_axis_arm_leans_forward_and_keeps_its_inclination() -> None:
    arm = load_arm("five_axis")
    for q in random_states(arm, 10):
        T_world_tool = forward(arm, [0.0, *q[1:]])
        above = pi / 2 - sum(q[1:4])
        np.testing.assert_allclose(T_world_tool[:3, 2], [cos(above), 0, sin(above)], atol=1e-12)
    np.testing.assert_allclose(forward(arm, np.zeros(5)), pose((0, 0, 0.935)), atol=1e-12)


def test_planar_arms_have_the_sizes_of_the_practical() -> None:
    slide, arm = load_arm("planar_tt"), load_arm("planar_rr")
    np.testing.assert_allclose(slide.limits, [[-0.5, 0.5]] * 2)
    np.testing.assert_allclose(forward(slide, [0.3, -0.2]), pose((0.3, -0.2, 0)), atol=1e-12)
    np.testing.assert_allclose(arm.limits, [[-pi, pi]] * 2)
    x, y = 0.18 * cos(1) + 0.23 * cos(1.5), 0.18 * sin(1) + 0.23 * sin(1.5)
    np.testing.assert_allclose(forward(arm, [1.0, 0.5])[:3, 3], [x, y, 0], atol=1e-12)
