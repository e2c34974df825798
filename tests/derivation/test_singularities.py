"""Singular configurations against singular values, and inner and outer against motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from sympy import Symbol, atan2, pi
from witness import chain_pose, serial_arms

from armwerk.derivation.edges import edge_kind, numeric_jacobian, random_sample
from armwerk.derivation.ring import Ring
from armwerk.derivation.singularities import Singularity, singularities
from armwerk.errors import UnsupportedError
from armwerk.mechanics.serial import SerialModel
from armwerk.robot import Arm, Joint, load_arm

SOLVED = [name for name in serial_arms() if load_arm(name).dof <= 6]


def _joint_values(ring: Ring, sample: Any) -> np.ndarray:
    """Return q of a sample: theta less the offset."""
    offsets = [float(j.offset) if j.kind == "revolute" else 0.0 for j in ring.arm.moving]
    return np.asarray(sample.angles - np.array(offsets))


def _rows(ring: Ring) -> slice:
    return slice(0, 3) if ring.dof <= 3 else slice(0, 6)


def _finite_jacobian(arm: Arm, q: np.ndarray) -> np.ndarray:
    step, columns = 1e-6, []
    for i in range(arm.dof):
        change = step * np.eye(arm.dof)[i]
        ahead, back = chain_pose(arm, q + change), chain_pose(arm, q - change)
        v = (ahead[:3, 3] - back[:3, 3]) / (2 * step)
        columns.append([*v, *(pin.log3(ahead[:3, :3] @ back[:3, :3].T) / (2 * step))])
    return np.array(columns).T


@pytest.mark.parametrize("name", SOLVED)
def test_samples_are_singular_and_others_are_not(name: str) -> None:
    ring = Ring(load_arm(name))
    for found in singularities(ring):
        assert found.samples
        for sample in found.samples[:2]:
            matrix = _finite_jacobian(ring.arm, _joint_values(ring, sample))[_rows(ring)]
            sizes = np.linalg.svd(matrix, compute_uv=False)
            assert sizes[-1] < 1e-7 * sizes[0]
    free = random_sample(ring, np.random.default_rng(5))
    sizes = np.linalg.svd(numeric_jacobian(ring, free)[0], compute_uv=False)
    assert sizes[-1] > 1e-6


def _remaining_error(ring: Ring, q: np.ndarray, motion: np.ndarray, size: float) -> float:
    """Go along a motion, then let all other joints undo what the tool has moved."""
    arm, rows = ring.arm, _rows(ring)
    goal, start = chain_pose(arm, q), q + size * motion
    basis = np.linalg.svd(motion[None, :])[2][1:].T  # joint motions across the kernel
    steps = np.zeros(arm.dof - 1)

    def error(steps: np.ndarray) -> np.ndarray:
        pose = chain_pose(arm, start + basis @ steps)
        turn = pin.log3(goal[:3, :3] @ pose[:3, :3].T)
        return np.concatenate([goal[:3, 3] - pose[:3, 3], turn])[rows]

    for _ in range(12):
        jacobian = _finite_jacobian(arm, start + basis @ steps)[rows] @ basis
        steps = steps + np.linalg.lstsq(jacobian, error(steps), rcond=1e-9)[0]
    return float(np.linalg.norm(error(steps)))


@pytest.mark.parametrize(
    "name", ["puma560", "ur5e", "irb140", "scara", "planar_rr", "typ1", "kr16"]
)
def test_inner_ones_can_be_passed_with_the_tool_at_rest_and_outer_ones_cannot(name: str) -> None:
    ring = Ring(load_arm(name))
    for found in singularities(ring):
        # the two roots are, say, a stretched and a folded elbow; a forearm as long as the upper
        # arm makes the folded one so nearly a passage that only the other shows in numbers
        errors = []
        for sample in found.samples[:2]:
            judged = edge_kind(ring, sample, tuple(range(6))[_rows(ring)])
            assert judged is not None
            assert judged[0] == found.kind
            errors.append(_remaining_error(ring, _joint_values(ring, sample), judged[1], 0.02))
        if found.kind == "inner":
            assert max(errors) < 1e-9, found
        else:
            assert max(errors) > 1e-6, found


def _by_name(ring: Ring) -> dict[str, Singularity]:
    return {found.name: found for found in singularities(ring)}


def test_puma() -> None:
    ring = Ring(load_arm("puma560"))
    found = _by_name(ring)
    assert {name: one.kind for name, one in found.items()} == {
        "wrist": "inner",
        "elbow": "outer",
        "shoulder": "outer",  # the shoulder offset leaves a hole around the first axis
    }
    q3, q5 = Symbol("q3"), Symbol("q5")
    assert [(e.lhs, e.rhs) for e in found["wrist"].solutions] == [(q5, 0), (q5, pi)]
    assert found["elbow"].solutions[0].lhs == q3
    assert isinstance(found["elbow"].solutions[0].rhs, atan2)
    assert found["shoulder"].joints == (2, 3)
    assert found["wrist"].text == "sin(θ5) = 0"


def test_without_shoulder_offset_the_shoulder_is_inside() -> None:
    kinds = {name: one.kind for name, one in _by_name(Ring(load_arm("irb140"))).items()}
    assert kinds == {"wrist": "inner", "elbow": "outer", "shoulder": "inner"}


@pytest.mark.parametrize(
    ("name", "text"), [("typ2", "-a3·cos(θ3) + d4·sin(θ3) = 0"), ("stanford", "q3 = 0")]
)
def test_an_edge_is_one_though_the_shoulder_can_turn_there(name: str, text: str) -> None:
    """The wrist centre is as far from the shoulder, or as near, as it gets, whatever joint 2."""
    arm = load_arm(name)
    ring = Ring(arm)
    found = {one.text: one for one in singularities(ring)}
    assert found[text].kind == "outer"
    assert found["sin(θ5) = 0"].kind == "inner"
    model = SerialModel(arm)

    def reach(q: np.ndarray) -> float:
        frames = model.frames(q)
        return float(np.linalg.norm(frames[5, :3, 3] - frames[1, :3, 3]))  # shoulder to wrist

    turned = np.tile(np.linspace(-np.pi, np.pi, 2001)[:, None], 6)
    reaches = np.array([reach(q) for q in turned])
    for sample in found[text].samples:
        here = reach(_joint_values(ring, sample))
        assert min(abs(here - reaches.min()), abs(here - reaches.max())) < 1e-5


@pytest.mark.parametrize("name", SOLVED)
def test_symbolic_solutions_make_the_factor_vanish(name: str) -> None:
    """Numbers for everything, the solved joint from its formula: the factor must be zero."""
    ring = Ring(load_arm(name))
    for found in singularities(ring):
        assert found.solutions, found
        numbers = {Symbol(n): v for n, v in ring.known_values().items() if " " not in n}
        numbers |= {
            Symbol(f"alpha{n[8:]}"): v
            for n, v in ring.known_values().items()
            if n[:8] == "angle al"
        }
        q = _joint_values(ring, found.samples[0])
        free = {Symbol(f"q{i}"): value for i, value in enumerate(q, 1)}
        assert found.linear is not None
        solved = Symbol(f"q{found.linear.joint}")
        for equation in found.solutions:
            others = {s: v for s, v in free.items() if s != solved}
            sign = equation.lhs.coeff(solved)
            rest = (equation.lhs - sign * solved).subs(others)
            value = (equation.rhs.subs(numbers).subs(others) - rest) / sign
            left = found.condition.lhs.subs(numbers).subs({**others, solved: value})
            assert abs(complex(left)) < 1e-12


def test_offsets_are_taken_off() -> None:
    arm = Arm.from_dh([Joint("revolute", a="a1"), Joint("revolute", a="a2", offset=pi / 2)])
    [only] = singularities(Ring(arm))
    assert [(str(e.lhs), e.rhs) for e in only.solutions] == [("q2", -pi / 2), ("q2", pi / 2)]


def test_slide_and_never_vanishing_factor() -> None:
    """A cylindrical arm is singular where its reach is zero; its slide says where that is."""
    [only] = singularities(Ring(_cylindrical()))
    assert only.joints == (3,)
    assert [(str(e.lhs), str(e.rhs)) for e in only.solutions] == [("q3", "-d3")]
    assert only.name == "shoulder"


def _cylindrical() -> Arm:
    return Arm.from_dh(
        [
            Joint("revolute", d="d1"),
            Joint("prismatic", alpha=-np.pi / 2),
            Joint("prismatic", d="d3"),
        ]
    )


def test_more_than_six_joints() -> None:
    with pytest.raises(UnsupportedError, match="at most 6"):
        singularities(Ring(load_arm("panda")))
