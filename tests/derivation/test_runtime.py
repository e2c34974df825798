"""Generated inverse kinematics: equal to the plain interpreter, complete, right when degenerate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import pytest
from programs import ARMS, puma, rotated, ur5e
from symengine import Integer

from armwerk.arrays import Array, Flags, Integers
from armwerk.derivation.program import Program, Root
from armwerk.derivation.runtime import reference, templates
from armwerk.derivation.runtime.generate import generate
from armwerk.derivation.runtime.kinematics import ArmKinematics, errors, kinematics, wrapped
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.errors import ShapeError
from armwerk.robot import Arm, Joint

Solvers: TypeAlias = Mapping[str, ClosedFormSolver]
Make: TypeAlias = Callable[[], tuple[Arm, Program]]


@pytest.fixture(scope="module")
def solvers() -> Solvers:
    return {name: ClosedFormSolver(*make()) for name, make in ARMS.items()}


def apart(one: Array, two: Array, revolute: Flags | bool) -> Array:
    """Largest joint difference, angles on the circle; Shape of the broadcast rows."""
    gap = np.abs(one - two)
    return np.asarray(np.where(revolute, np.abs(wrapped(gap)), gap).max(axis=-1))


def same_sets(one: Array, two: Array, revolute: Flags | bool, tolerance: float = 1e-7) -> bool:
    return len(one) == len(two) and all(apart(row, two, revolute).min() < tolerance for row in one)


def rows_of(solutions: Array, counts: Integers) -> list[Array]:
    return [row[:count] for row, count in zip(solutions, counts, strict=True)]


def check(kinematics_of_arm: ArmKinematics, joints: Array, pose: Array) -> None:
    position, rotation = errors(kinematics_of_arm.pose(joints), pose)
    assert position.max() <= 1e-9
    assert rotation.max() <= 1e-9


@pytest.mark.parametrize("name", ARMS)
def test_single_batch_and_reference_agree(solvers: Solvers, name: str) -> None:
    solver = solvers[name]
    numbers, program = solver.kinematics, ARMS[name]()[1]
    revolute = numbers.revolute
    poses = numbers.pose(numbers.sample(500, seed=2))
    expected = reference.solve(numbers, program, poses)
    batch = rows_of(*solver.all_batch(poses))
    for pose, one, many in zip(poses, expected, batch, strict=True):
        single = solver.all(pose)
        assert same_sets(one, single, revolute, 1e-6)
        assert single.shape == many.shape
        assert np.abs(single - many).max() < 1e-9


@pytest.mark.parametrize("name", ARMS)
def test_generating_configuration_is_found_and_all_are_right_and_different(
    solvers: Solvers, name: str
) -> None:
    solver = solvers[name]
    numbers = solver.kinematics
    q = numbers.sample(10_000, seed=3)
    poses = numbers.pose(q)
    solutions, counts = solver.all_batch(poses)
    assert (counts > 0).all()
    gaps = apart(solutions, q[:, None], numbers.revolute)
    assert np.nanmin(gaps, axis=1).max() < 1e-6
    live = np.arange(solver.branches) < counts[:, None]
    assert np.isfinite(solutions[live]).all()
    assert np.isnan(solutions[~live]).all()
    angles = solutions[live][:, numbers.revolute]
    assert (angles > -math.pi).all()
    assert (angles <= math.pi).all()
    check(numbers, solutions[live], np.repeat(poses, solver.branches, axis=0)[live.ravel()])
    for k in range(solver.branches):
        for other in range(k):
            gap = apart(solutions[:, k], solutions[:, other], numbers.revolute)
            assert not (gap < 1e-6).any()


@pytest.mark.parametrize("make", [puma, ur5e])
def test_solution_sets_of_eaik(solvers: Solvers, make: Make) -> None:
    from eaik.IK_DH import DhRobot

    arm, _ = make()
    solver = solvers[arm.name]
    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.joints]).T
    robot = DhRobot(*rows)
    q = solver.kinematics.sample(200, seed=4)
    for pose in solver.kinematics.pose(q):
        answer = robot.IK(pose)
        right = np.array(answer.Q)[~np.array(answer.is_LS)]
        position, rotation = errors(solver.kinematics.pose(right), pose)
        right = right[(position < 1e-6) & (rotation < 1e-6)]
        assert same_sets(wrapped(right), solver.all(pose), True, 1e-5)


@pytest.mark.parametrize("make", [puma, ur5e])
def test_solution_sets_of_ssik(solvers: Solvers, make: Make) -> None:
    from ssik import Manipulator

    arm, _ = make()
    solver = solvers[arm.name]
    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.joints]).T
    robot = Manipulator.from_dh(*rows)
    for pose in solver.kinematics.pose(solver.kinematics.sample(25, seed=16)):
        answers = robot.solve(pose, respect_limits=False, enumerate_windings=False)
        found = np.array([answer.q for answer in answers])
        assert same_sets(wrapped(found), solver.all(pose), True, 1e-5)


def test_base_tool_and_offsets_need_no_new_code(solvers: Solvers) -> None:
    plain, program = puma()
    base = np.array([[0, -1, 0, 0.3], [1, 0, 0, -0.2], [0, 0, 1, 0.5], [0, 0, 0, 1.0]])
    tool = np.array([[1, 0, 0, 0.05], [0, 0, -1, 0.0], [0, 1, 0, 0.17], [0, 0, 0, 1.0]])
    moved = solvers["puma"].with_arm(Arm.from_dh(plain.joints, base=base, tool=tool))
    assert moved.key == solvers["puma"].key
    q = moved.kinematics.sample(200, seed=5)
    poses = moved.kinematics.pose(q)
    assert np.allclose(poses, base @ solvers["puma"].kinematics.pose(q) @ tool, atol=1e-14)
    solutions, counts = moved.all_batch(poses)
    assert (counts == 8).all()
    assert np.nanmin(apart(solutions, q[:, None], True), axis=1).max() < 1e-6
    offsets = (0.3, -math.pi / 2, math.pi, 0.0, 0.1, -0.4)
    turned = rotated(plain, dict(enumerate(offsets, 1)))
    with_offsets = Program(6, program.steps, program.revolute, offsets, program.parameters)
    text = generate(with_offsets, kinematics(turned))
    assert "wrap(th1 - 0.3)" in text
    q = kinematics(turned).sample(50)
    for row, found in zip(
        q,
        reference.solve(kinematics(turned), with_offsets, kinematics(turned).pose(q)),
        strict=True,
    ):
        assert apart(found, row, True).min() < 1e-6


def degenerate(numbers: ArmKinematics, name: str) -> dict[str, Array]:
    """Sets of configurations at which something in the formulas vanishes."""
    draw = np.random.default_rng(6)
    n = numbers.dof
    free = numbers.sample(60, seed=7)

    def fixed(joint: int, value: float) -> Array:
        result = numbers.sample(60, seed=8 + joint)
        result[:, joint - 1] = value
        return result

    quarters = np.where(
        numbers.revolute, draw.integers(-2, 3, (200, n)) * math.pi / 2, np.tile(free, (4, 1))[:200]
    )
    stretched = {"puma": -math.atan2(0.4318, 0.0203), "ur5e": 0.0}.get(name, 0.0)
    sets = {"quarters": quarters, "stretched": fixed(3 if n == 6 else 2, stretched)}
    if n == 6:
        sets["wrist"] = fixed(5, 0.0)
        sets["turned wrist"] = fixed(5, math.pi)
        sets["nearly singular wrist"] = fixed(5, 1e-8)
        sets["close to singular wrist"] = fixed(5, 1e-5)
    return sets


@pytest.mark.parametrize("name", ARMS)
def test_degenerate_poses_have_right_solutions(solvers: Solvers, name: str) -> None:
    solver = solvers[name]
    numbers = solver.kinematics
    for joints in degenerate(numbers, name).values():
        poses = numbers.pose(joints)
        solutions, counts = solver.all_batch(poses)
        for pose, many, count in zip(poses, solutions, counts, strict=True):
            found = solver.solve(pose)
            assert len(found) == len(solver.all(pose)) >= 1
            assert count == min(len(found), solver.branches)
            check(numbers, found.joints, pose)
            check(numbers, many[:count], pose)
            for k in range(1, len(found)):
                gap = apart(found.joints[k], found.joints[:k], numbers.revolute)
                assert gap.min() > 1e-6


def test_wrist_over_the_base_axis() -> None:
    """Without shoulder offset joint 1 is free when the wrist stands over the base."""
    arm, program = puma()
    joints = [
        Joint("revolute", d=j.d if k != 2 else 0.0, a=j.a, alpha=j.alpha)
        for k, j in enumerate(arm.joints)
    ]
    straight = Arm.from_dh(joints, name="straight")
    values = {**program.parameters, "d3": 0.0}
    solver = ClosedFormSolver(straight, Program(6, program.steps, (True,) * 6, (0.0,) * 6, values))
    numbers = solver.kinematics
    # the wrist is over the base when a2 c2 + a3 c23 - d4 s23 = 0; solve it for theta 2
    theta3 = np.linspace(-1.0, 1.0, 40)
    a2, a3, d4 = values["a2"], values["a3"], values["d4"]
    x = a2 + a3 * np.cos(theta3) - d4 * np.sin(theta3)
    y = -a3 * np.sin(theta3) - d4 * np.cos(theta3)
    q = numbers.sample(40, seed=9)
    q[:, 1], q[:, 2] = np.arctan2(-x, y), theta3
    poses = numbers.pose(q)
    assert np.abs(poses[:, :2, 3]).max() < 1e-12
    for pose in poses:
        found = solver.solve(pose)
        assert len(found) >= 1
        assert 1 in found.family
        check(numbers, found.joints, pose)


@pytest.mark.parametrize("beyond", [-3e-10, 0.0, 3e-10])
def test_edge_of_reach(solvers: Solvers, beyond: float) -> None:
    """A pose beyond the edge by less than the tolerance is reached, one further out is not."""
    solver = solvers["puma"]
    numbers = solver.kinematics
    q = numbers.sample(40, seed=18)
    q[:, 2] = -math.atan2(0.4318, 0.0203)  # elbow in line with shoulder and wrist
    for row, pose in zip(q, numbers.pose(q), strict=True):
        axis = np.array([math.sin(row[0]), -math.cos(row[0]), 0.0])
        arm = pose[:3, 3] - (0.0, 0.0, 0.6604)
        arm -= (arm @ axis) * axis
        outwards = arm / np.linalg.norm(arm)
        near, far = pose.copy(), pose.copy()
        near[:3, 3] += beyond * outwards
        far[:3, 3] += 1e-7 * outwards
        found = solver.solve(near).joints
        assert np.abs(wrapped(found - row)).max(axis=1).min() < 1e-2  # the root of the shift
        check(numbers, found, near)
        assert len(solver.all(far)) < len(found)


def test_families_are_marked_and_only_they(solvers: Solvers) -> None:
    solver = solvers["puma"]
    q = solver.kinematics.sample(30, seed=10)
    assert all(solver.solve(pose).family == () for pose in solver.kinematics.pose(q))
    q[:, 4] = 0.0
    for row, pose in zip(q, solver.kinematics.pose(q), strict=True):
        assert solver.solve(pose).family == (4, 6)
        near = solver.nearest(pose, row)
        assert near is not None
        assert np.abs(wrapped(near - row)).max() < 1e-6  # the member where the arm stands


@pytest.mark.parametrize("name", ARMS)
def test_unreachable_poses_have_no_solution(solvers: Solvers, name: str) -> None:
    solver = solvers[name]
    poses = solver.kinematics.pose(solver.kinematics.sample(50, seed=11))
    poses[:, :3, 3] += 5.0
    assert solver.all(poses[0]).shape == (0, solver.dof)
    solutions, counts = solver.all_batch(poses)
    assert not counts.any()
    assert np.isnan(solutions).all()
    assert solver.nearest(poses[0], np.zeros(solver.dof)) is None


def test_wrong_poses_are_refused(solvers: Solvers) -> None:
    solver = solvers["puma"]
    pose = solver.kinematics.pose(solver.kinematics.sample(1))[0]
    for place in ((0, 0), (2, 3)):
        broken = pose.copy()
        broken[place] = math.nan
        with pytest.raises(ShapeError, match="finite"):
            solver.all(broken)
        with pytest.raises(ShapeError, match=r"Ts\[1\].*finite"):
            solver.all_batch(np.stack([pose, broken]))
    with pytest.raises(ShapeError, match=r"\(3, 3\)"):
        solver.all(np.eye(3))
    with pytest.raises(ShapeError, match=r"\(m, 4, 4\), got \(4, 4\)"):
        solver.all_batch(pose)
    for wrong in (np.diag([2.0, 1.0, 1.0, 1.0]), np.diag([1.0, 1.0, -1.0, 1.0]), 2.0 * np.eye(4)):
        with pytest.raises(ShapeError, match="rigid"):
            solver.all(wrong)
    skewed = pose.copy()
    skewed[3, 0] = 1e-3
    with pytest.raises(ShapeError, match=r"Ts\[1\].*rigid"):
        solver.all_batch(np.stack([pose, skewed]))
    with pytest.raises(ShapeError, match="0 finite numbers"):
        solver.all(pose, given=[0.1])


def test_other_types_and_roughly_written_poses_are_taken(solvers: Solvers) -> None:
    solver = solvers["puma"]
    pose = solver.kinematics.pose(solver.kinematics.sample(1))[0]
    exact = solver.all(pose)
    assert np.array_equal(exact, solver.all(pose.tolist()))
    assert np.array_equal(exact, solver.all(np.asfortranarray(pose)))
    rough = solver.all(pose.astype(np.float32))
    assert same_sets(exact, rough, True, 1e-4)


def test_nearest_keeps_limits_and_uses_whole_turns(solvers: Solvers) -> None:
    solver = solvers["puma"]
    q = solver.kinematics.sample(100, seed=12)
    wide = np.tile([-2 * math.pi, 2 * math.pi], (6, 1))
    for row, pose in zip(q, solver.kinematics.pose(q), strict=True):
        shifted = row + 2 * math.pi * np.sign(-row)
        near = solver.nearest(pose, shifted, wide)
        assert near is not None
        assert np.abs(near - shifted).max() < 1e-6
        tight = np.column_stack([row - 1e-3, row + 1e-3])
        within = solver.nearest(pose, np.zeros(6), tight)
        assert within is not None
        assert np.abs(within - row).max() < 1e-6
    assert solver.nearest(pose, row, np.tile([7.0, 7.1], (6, 1))) is None


def test_branches_that_always_coincide_count_once() -> None:
    arm, program = ARMS["scara"]()
    steps = (Root("idle", Integer(1)), *program.steps)
    doubled = Program(4, steps, program.revolute, program.offsets, program.parameters)
    solver = ClosedFormSolver(arm, doubled)
    assert solver.branches == 4
    poses = solver.kinematics.pose(solver.kinematics.sample(40, seed=17))
    solutions, counts = solver.all_batch(poses)
    assert (counts == 2).all()
    for pose, many in zip(poses, solutions, strict=True):
        found = solver.all(pose)
        assert found.shape == (2, 4)
        assert np.allclose(found, many[:2])
        assert np.isnan(many[2:]).all()


def test_threads_change_nothing(solvers: Solvers) -> None:
    solver = solvers["ur5e"]
    poses = solver.kinematics.pose(solver.kinematics.sample(9001, seed=13))
    one, two = (solver.all_batch(poses, threads=count) for count in (1, 3))
    assert np.array_equal(one[1], two[1])
    assert np.array_equal(one[0], two[0], equal_nan=True)


def test_arctangent_is_right_to_the_last_digits() -> None:
    namespace: dict[str, Any] = {
        "choose": lambda condition, a, b: a if condition else b,
        "fma": lambda a, b, c: a * b + c,
    }
    exec(templates.COMMON.replace("@inline\n", ""), namespace)
    draw = np.random.default_rng(14)
    angles = np.concatenate([draw.uniform(-math.pi, math.pi, 20_000), [0.0, math.pi]])
    angles = np.concatenate([angles, np.pi / 8 * np.arange(-7, 9), 10.0 ** np.arange(-20, 0)])
    for angle in angles:
        s, c = math.sin(angle), math.cos(angle)
        found = namespace["angle_of"](s, c)
        exact = math.atan2(s, c)
        assert abs(found - exact) <= 2.0 * np.spacing(abs(exact))
    assert namespace["angle_of"](-0.0, -1.0) == math.pi


def test_given_joint_of_a_redundant_arm() -> None:
    from armwerk.derivation.derived import derive
    from armwerk.robot import load_arm

    arm = load_arm("iiwa7")
    program = derive(arm).inverse.program
    assert program is not None
    solver = ClosedFormSolver(arm, program)
    assert solver.given == program.given != ()
    index = [joint - 1 for joint in solver.given]
    q = solver.kinematics.sample(50, seed=15)
    for row, pose in zip(q, solver.kinematics.pose(q), strict=True):
        found = solver.all(pose, row[index])
        assert apart(found, row, True).min() < 1e-6
        expected = reference.solve(solver.kinematics, program, pose[None], row[index])[0]
        assert same_sets(expected, found, True, 1e-5)
        near = solver.nearest(pose, row, np.tile([-np.inf, np.inf], (7, 1)))
        assert near is not None
        assert np.abs(wrapped(near - row)).max() < 1e-6
