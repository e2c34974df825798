"""Symbolic dynamics: all methods equal, and equal to pinocchio's numbers."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
import pinocchio as pin
import pytest
from sympy import Matrix, Piecewise, Symbol, cos
from witness import pin_model, random_joints, row, serial_arms, with_random_links

import armwerk as aw
from armwerk.derivation.dynamics import METHODS, DynamicsMethod, dynamics
from armwerk.derivation.dynamics.model import pairs
from armwerk.derivation.ring import Ring
from armwerk.derivation.show import to_sympy
from armwerk.errors import DescriptionError, ShapeError, UnknownNameError, UnsupportedError
from armwerk.robot import Arm, Joint, Link, load_arm

ONE_PASS = "newton-euler in one pass"
# one of every structure; that the methods are equal is proved for all arms
DIFFERENT = (
    "cartesian",
    "cylindrical",
    "five_axis",
    "iiwa7",
    "planar_rr",
    "puma560",
    "scara",
    "scara2",
    "simple_arm",
    "stanford",
    "typ2",
    "ur5e",
    "xarm6",
)


@pytest.mark.parametrize("name", serial_arms())
def test_all_methods_are_equal_exactly(name: str) -> None:
    """With ten symbols for every link; one pass with symbolic speeds only up to six joints."""
    ring = Ring(load_arm(name))
    first = dynamics(ring, "lagrange", "symbolic").polynomials
    for method in METHODS:
        if method != ONE_PASS or ring.dof < 6 or name in {"puma560", "stanford"}:
            assert dynamics(ring, method, "symbolic").polynomials.equals(first), method


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "five_axis"])
@pytest.mark.parametrize("method", METHODS)
def test_lumped_parameters_give_the_same_for_every_method(
    name: str, method: DynamicsMethod
) -> None:
    ring = Ring(load_arm(name))
    first = dynamics(ring, "lagrange", "lumped").polynomials
    assert dynamics(ring, method, "lumped").polynomials.equals(first)


@pytest.mark.parametrize("name", DIFFERENT)
def test_numbers_are_those_of_pinocchio(name: str) -> None:
    arm = with_random_links(load_arm(name))
    model = pin_model(arm)
    data = model.createData()
    random = np.random.default_rng(11)
    q = random_joints(arm, 4)
    qd, qdd = random.normal(size=(2, arm.dof))
    mass, coriolis, centrifugal, gravity = dynamics(arm).evaluate(q)
    full = pin.crba(model, data, q)
    full = np.triu(full) + np.triu(full, 1).T
    scale = np.abs(full).max()
    np.testing.assert_allclose(mass, full, atol=1e-11 * scale)
    wanted = pin.computeGeneralizedGravity(model, data, q)
    np.testing.assert_allclose(gravity, wanted, atol=1e-11 * max(1.0, np.abs(wanted).max()))
    products = np.array([qd[k] * qd[m] for k, m in pairs(arm.dof)])
    tau = mass @ qdd + coriolis @ products + centrifugal @ qd**2 + gravity
    wanted = pin.rnea(model, data, q, qd, qdd)
    np.testing.assert_allclose(tau, wanted, atol=1e-10 * max(1.0, np.abs(wanted).max()))


def test_tilted_base_odd_twists_offsets_and_fixed_joints() -> None:
    """Gravity in three components, a flange with mass, angles that are no multiples of 90°."""
    base = row(Joint("fixed", d=0.2, a=0.1, alpha=0.6, offset=0.4))
    arm = Arm.from_dh(
        [
            Joint("fixed", d=0.3, alpha=0.2, offset=0.1),
            Joint("revolute", d=0.1, a=0.2, alpha=0.7, offset=0.3),
            Joint("prismatic", d=0.2, a=0.3, alpha=-0.5, offset=0.9),
            Joint("revolute", a=0.4, alpha=1.1, offset=-0.2),
        ],
        base=base,
    )
    flange = Joint("fixed", d=0.1, a=0.05, alpha=0.3, offset=0.5)
    flange = replace(flange, link=Link(2.0, (0.1, 0.2, -0.1), (0.4, 0.5, 0.6, 0.01, 0.02, 0.03)))
    arm = with_random_links(arm)
    arm = replace(arm, joints=(*arm.joints, flange))
    model = pin_model(arm)
    data = model.createData()
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 3))
    for method in METHODS:
        mass, coriolis, centrifugal, gravity = dynamics(arm, method).evaluate(q)
        products = np.array([qd[k] * qd[m] for k, m in pairs(3)])
        tau = mass @ qdd + coriolis @ products + centrifugal @ qd**2 + gravity
        np.testing.assert_allclose(tau, pin.rnea(model, data, q, qd, qdd), rtol=1e-10)
    assert {"gx", "gy", "gz"} <= set(dynamics(arm).ring.names)


def test_mass_matrix_does_not_depend_on_the_first_joint_and_is_symmetric() -> None:
    model = dynamics(load_arm("puma560"), "newton-euler", "symbolic")
    mass, ring = model.polynomials.mass, model.ring
    for i in range(6):
        for j in range(6):
            assert mass[i][j] == mass[j][i]
            assert not ring.derivative(mass[i][j], 1)


def test_passivity() -> None:
    """M' - 2 C is skew: q'ᵀ M' q' = 2 q'ᵀ (CO [q'q'] + CF [q'²]) for any speed."""
    model = dynamics(with_random_links(load_arm("stanford")))
    q, qd = random_joints(load_arm("stanford"), 9), np.random.default_rng(1).normal(size=6)
    _, coriolis, centrifugal, _ = model.evaluate(q)
    step = 1e-6
    slope = (model.evaluate(q + step * qd)[0] - model.evaluate(q - step * qd)[0]) / (2 * step)
    products = np.array([qd[k] * qd[m] for k, m in pairs(6)])
    power = qd @ (coriolis @ products + centrifugal @ qd**2)
    assert qd @ slope @ qd == pytest.approx(2 * power, rel=1e-6)


def test_pendulum() -> None:
    """A point mass on a rod, q measured from level: m l² q'' + m g l cos q."""
    level = row(Joint("fixed", alpha=np.pi / 2))
    link = Link("m", (0, 0, 0))
    arm = Arm.from_dh([Joint("revolute", a="l", link=link)], base=level)
    model = dynamics(arm)
    m, length, g, q = (Symbol(name) for name in ("m", "l", "g", "q1"))
    assert model.mass == Matrix([[m * length**2]])
    assert model.centrifugal == Matrix([[0]])
    assert model.coriolis.shape == (1, 0)
    assert model.gravity == Matrix([[m * g * length * cos(q)]])
    assert model.forces() == Matrix([[m * length**2 * Symbol("qdd1")]]) + model.gravity


def test_collected_form_is_the_same_function() -> None:
    model = dynamics(with_random_links(load_arm("ur5e")))
    ring, q = model.ring, random_joints(load_arm("ur5e"), 6)
    numbers = model._numbers(q, {})
    known = dict(zip(ring.names, numbers, strict=True))
    for angle in ring.angles:
        joints = ring.kinematics.arm.moving
        theta = sum(sign * (q[i - 1] + float(joints[i - 1].offset)) for i, sign in angle.terms)
        known[angle.cos], known[angle.sin] = np.cos(theta), np.sin(theta)
    plain, short = model.polynomials, model.collected
    for line, other in zip(plain.mass, short.mass, strict=True):
        for one, two in zip(line, other, strict=True):
            wanted = Ring.evaluate(ring, one, known)  # type: ignore[arg-type]
            found = Ring.evaluate(ring, two, known)  # type: ignore[arg-type]
            assert found == pytest.approx(wanted)
            assert len(two) <= len(one)


def test_sympy_matrices_hold_the_numbers() -> None:
    arm = with_random_links(load_arm("scara"))
    model = dynamics(arm, "kane")
    q = random_joints(arm, 8)
    known = {Symbol(f"q{i + 1}"): value for i, value in enumerate(q)}
    known |= {Symbol(name): value for name, value in model.ring.values.items()}
    mass, coriolis, centrifugal, gravity = model.evaluate(q)
    np.testing.assert_allclose(np.array(model.mass.subs(known), dtype=float), mass, atol=1e-12)
    found = np.array(model.coriolis.subs(known), dtype=float)
    np.testing.assert_allclose(found, coriolis, atol=1e-12)
    found = np.array(model.centrifugal.subs(known), dtype=float)
    np.testing.assert_allclose(found, centrifugal, atol=1e-12)
    found = np.array(model.gravity.subs(known), dtype=float)[:, 0]
    np.testing.assert_allclose(found, gravity, atol=1e-12)


def test_friction_of_both_directions() -> None:
    link = Link(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    joint = Joint("revolute", link=link, viscous_friction="b", coulomb_friction=(0.5, 0.25))
    [only] = dynamics(Arm.from_dh([joint])).friction
    speed, b = Symbol("qd1"), Symbol("b")
    assert only == b * speed + Piecewise((0.5, speed > 0), (-0.25, speed < 0), (0, True))
    assert only.subs({b: 2, speed: 3}) == 6.5
    assert only.subs({b: 2, speed: -3}) == -6.25


def test_numbers_become_named_parameters() -> None:
    model = dynamics(load_arm("puma560"))
    assert model.ring.values["m2"] == pytest.approx(17.4)
    assert "m2" in {str(s) for s in to_sympy(model.ring, model.polynomials.mass[0][0]).free_symbols}


def test_full_symbolic_inertias_within_a_second() -> None:
    """A second is the contract; a few hundredths are usual."""
    ring = Ring(load_arm("puma560"))
    start = perf_counter()
    model = dynamics(ring, "lagrange", "symbolic")
    assert perf_counter() - start < 1.0
    assert len(model.ring.bodies) == 6


def test_refusals() -> None:
    arm = load_arm("planar_rr")
    with pytest.raises(UnknownNameError, match="did you mean 'lagrange'"):
        dynamics(arm, "lagrangian")  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="parameters"):
        dynamics(arm, "kane", "guessed")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"shape \(2,\)"):
        dynamics(arm).evaluate([1.0, 2.0, 3.0])
    clash = Arm.from_dh([Joint("revolute", a="m1", link=Link(2.0)), Joint("revolute", a="l")])
    with pytest.raises(DescriptionError, match="m1"):
        dynamics(clash)
    symbolic_flange = Arm.from_dh(
        [Joint("revolute", a=1.0, link=Link(1.0)), Joint("fixed", d="h", link=Link(1.0))]
    )
    with pytest.raises(UnsupportedError, match="fixed joint"):
        dynamics(symbolic_flange)


# Lines of the source's table 5.2: + - * / cos sin. Its Coriolis lines name no sine at all,
# although annex B prints one; the counts of additions and products agree.
TABLE = {
    "scara": {
        "gravity": [0, 1, 2, 0, 0, 0],
        "mass": [37, 0, 74, 0, 1, 0],
        "centrifugal": [3, 3, 24, 0, 0, 1],
        "coriolis": [0, 3, 16, 0, 0, 1],
    },
    "scara2": {
        "gravity": [3, 0, 4, 0, 0, 0],
        "mass": [30, 0, 59, 0, 1, 0],
        "centrifugal": [2, 2, 18, 0, 0, 1],
        "coriolis": [0, 2, 12, 0, 0, 1],
    },
}


@pytest.mark.parametrize("name", TABLE)
def test_operation_counts_are_those_of_table_5_2(name: str) -> None:
    counts = dynamics(load_arm(name)).operations()
    found = {part: list(count.values())[:6] for part, count in counts.items()}
    assert found == TABLE[name]


def test_sharing_saves_operations() -> None:
    model = dynamics(load_arm("stanford"))
    plain, shared = model.operations(), model.operations(share=True)
    for part in plain:
        assert sum(shared[part].values()) < sum(plain[part].values())


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5e", "scara", "five_axis"])
def test_numbers_are_those_of_the_numeric_model(name: str) -> None:
    arm = with_random_links(load_arm(name))
    numeric = aw.model(arm, ik="numeric")
    q, qd, qdd = np.random.default_rng(4).normal(size=(3, arm.dof))
    mass, coriolis, centrifugal, gravity = dynamics(arm, "newton-euler").evaluate(q)
    scale = np.abs(mass).max()
    np.testing.assert_allclose(numeric.mass_matrix(q), mass, atol=1e-11 * scale)
    np.testing.assert_allclose(numeric.gravity(q), gravity, atol=1e-9)
    products = np.array([qd[k] * qd[m] for k, m in pairs(arm.dof)])
    tau = mass @ qdd + coriolis @ products + centrifugal @ qd**2 + gravity
    np.testing.assert_allclose(numeric.inverse_dynamics(q, qd, qdd), tau, atol=1e-10 * scale)
