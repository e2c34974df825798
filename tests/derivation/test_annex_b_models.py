"""Annex B of the source, term by term: tables, direct kinematics, Jacobian, dynamics."""

from __future__ import annotations

from typing import Any

import pytest
from annex_b_arm import annex_b_arm
from sympy import Matrix, Symbol, cos, expand, pi, sin, symbols, zeros

from armwerk.derivation.determinant import determinant
from armwerk.derivation.direct import segment
from armwerk.derivation.dynamics import METHODS, Dynamics, DynamicsMethod, dynamics
from armwerk.derivation.exponentials import (
    exponential,
    simplified_product,
    twists,
    zero_pose,
)
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.ring import Ring
from armwerk.derivation.show import sympy_matrix, sympy_transform, to_sympy, to_text
from armwerk.derivation.singularities import singularities

a1, a2, d1, q1, q2, q3, q4 = symbols("a1 a2 d1 q1 q2 q3 q4")
m1, m2, m3, m4, rx1, rx2, g = symbols("m1 m2 m3 m4 rx1 rx2 g")
Izz1, Izz2, Izz3, Izz4 = symbols("Izz1 Izz2 Izz3 Izz4")


@pytest.fixture(scope="module")
def ring() -> Ring:
    return Ring(annex_b_arm())


@pytest.fixture(scope="module")
def model() -> Dynamics:
    return dynamics(annex_b_arm())


def test_table_b2_twists(ring: Ring) -> None:
    table = [[to_sympy(ring, entry) for entry in twist.row] for twist in twists(ring)]
    assert table == [
        [0, 0, 0, 0, 0, 1],
        [0, -a1, 0, 0, 0, 1],
        [0, 0, -1, 0, 0, 0],
        [0, a1 + a2, 0, 0, 0, -1],
    ]


def test_table_b3_transforms(ring: Ring) -> None:
    found = [sympy_transform(ring, segment(ring, i, i)) for i in (1, 2, 3, 4)]
    c, s = cos(q1), sin(q1)
    assert found[0] == Matrix([[c, -s, 0, a1 * c], [s, c, 0, a1 * s], [0, 0, 1, d1], [0, 0, 0, 1]])
    c, s = cos(q2), sin(q2)
    assert found[1] == Matrix([[c, s, 0, a2 * c], [s, -c, 0, a2 * s], [0, 0, -1, 0], [0, 0, 0, 1]])
    assert found[2] == Matrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, q3], [0, 0, 0, 1]])
    c, s = cos(q4), sin(q4)
    assert found[3] == Matrix([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_table_b3_exponentials(ring: Ring) -> None:
    found = [sympy_transform(ring, exponential(ring, twist)) for twist in twists(ring)]
    # The source prints d1 in place of the last 0 of the third row here: a misprint, since a turn
    # about an axis through the origin leaves the origin where it is.
    c, s = cos(q1), sin(q1)
    assert found[0] == Matrix([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    # The source prints -1 in the third row here: a misprint, that is no rotation about z.
    c, s = cos(q2), sin(q2)
    wanted = Matrix([[c, -s, 0, a1 * (1 - c)], [s, c, 0, -a1 * s], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert (found[1] - wanted).applyfunc(expand) == zeros(4, 4)
    assert found[2] == Matrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -q3], [0, 0, 0, 1]])
    c, s = cos(q4), sin(q4)
    reach = a1 + a2
    wanted = Matrix([[c, s, 0, reach * (1 - c)], [-s, c, 0, reach * s], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert (found[3] - wanted).applyfunc(expand) == zeros(4, 4)


def test_zero_pose(ring: Ring) -> None:
    assert sympy_transform(ring, zero_pose(ring)) == Matrix(
        [[1, 0, 0, a1 + a2], [0, -1, 0, 0], [0, 0, -1, d1], [0, 0, 0, 1]]
    )


@pytest.mark.parametrize("way", [lambda ring: segment(ring, 1, 4), simplified_product])
def test_direct_kinematics(ring: Ring, way: Any) -> None:
    c, s = cos(q1 + q2 - q4), sin(q1 + q2 - q4)
    assert sympy_transform(ring, way(ring)) == Matrix(
        [
            [c, s, 0, a1 * cos(q1) + a2 * cos(q1 + q2)],
            [s, -c, 0, a1 * sin(q1) + a2 * sin(q1 + q2)],
            [0, 0, -1, d1 - q3],
            [0, 0, 0, 1],
        ]
    )


def test_jacobian(ring: Ring) -> None:
    assert sympy_matrix(ring, jacobian(ring)) == Matrix(
        [
            [-a1 * sin(q1) - a2 * sin(q1 + q2), -a2 * sin(q1 + q2), 0, 0],
            [a1 * cos(q1) + a2 * cos(q1 + q2), a2 * cos(q1 + q2), 0, 0],
            [0, 0, -1, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [1, 1, 0, -1],
        ]
    )


def test_determinant(ring: Ring) -> None:
    found = determinant(ring)
    assert to_sympy(ring, found.value) == a1 * a2 * sin(q2)
    assert found.rows == (0, 1, 2, 5)
    assert found.factors.number == 1
    assert [to_text(ring, f) for f, _ in found.factors.constants] == ["a1", "a2"]
    assert [to_text(ring, f) for f, _ in found.factors.moving] == ["sin(θ2)"]


def test_all_singularities_lie_on_the_edge_of_the_work_space(ring: Ring) -> None:
    [only] = singularities(ring)
    assert only.kind == "outer"
    assert only.name == "elbow"
    assert [(equation.lhs, equation.rhs) for equation in only.solutions] == [(q2, 0), (q2, pi)]


# -- dynamics -------------------------------------------------------------------------------

SMALL = a2**2 * (m2 + m3 + m4) + 2 * a2 * m2 * rx2 + m2 * rx2**2
ARM = a1 * a2 * (m2 + m3 + m4) + a1 * m2 * rx2
M11 = (
    Izz1 + Izz2 + Izz3 + Izz4 + SMALL
    + a1**2 * (m1 + m2 + m3 + m4) + 2 * a1 * m1 * rx1 + m1 * rx1**2
    + 2 * a1 * a2 * cos(q2) * (m2 + m3 + m4) + 2 * a1 * m2 * rx2 * cos(q2)
)  # fmt: skip
M12 = Izz2 + Izz3 + Izz4 + SMALL + ARM * cos(q2)
M22 = Izz2 + Izz3 + Izz4 + SMALL
MASS = Matrix(
    [
        [M11, M12, 0, -Izz4],
        [M12, M22, 0, -Izz4],
        [0, 0, m3 + m4, 0],
        [-Izz4, -Izz4, 0, Izz4],
    ]
)


def test_mass_matrix(model: Dynamics) -> None:
    assert (model.mass - MASS).applyfunc(expand) == zeros(4, 4)


def test_coriolis_matrix(model: Dynamics) -> None:
    """CO11 belongs to θ1' θ2'; equation (5.7) would give half of it: its ½ is a misprint."""
    wanted = zeros(4, 6)
    wanted[0, 0] = -2 * ARM * sin(q2)
    assert (model.coriolis - wanted).applyfunc(expand) == zeros(4, 6)
    assert model.products[0] == Symbol("qd1") * Symbol("qd2")
    assert model.products[5] == Symbol("qd3") * Symbol("qd4")


def test_centrifugal_matrix(model: Dynamics) -> None:
    wanted = zeros(4, 4)
    wanted[0, 1], wanted[1, 0] = -ARM * sin(q2), ARM * sin(q2)
    assert (model.centrifugal - wanted).applyfunc(expand) == zeros(4, 4)


def test_gravity_vector(model: Dynamics) -> None:
    assert (model.gravity - Matrix([0, 0, -(m3 + m4) * g, 0])).applyfunc(expand) == zeros(4, 1)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_same(model: Dynamics, method: DynamicsMethod) -> None:
    assert dynamics(annex_b_arm(), method).polynomials.equals(model.polynomials)


def test_equations_of_motion(model: Dynamics) -> None:
    speeds = symbols("qd1 qd2 qd3 qd4")
    rises = Matrix(symbols("qdd1 qdd2 qdd3 qdd4"))
    whirl = Matrix(
        [
            -2 * ARM * sin(q2) * speeds[0] * speeds[1] - ARM * sin(q2) * speeds[1] ** 2,
            ARM * sin(q2) * speeds[0] ** 2,
            -(m3 + m4) * g,
            0,
        ]
    )
    assert (model.forces() - MASS * rises - whirl).applyfunc(expand) == zeros(4, 1)
