"""Euler angles in all orders against scipy, with singular and almost singular cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.transform import Rotation

import armwerk.geometry as g
from armwerk.errors import UnknownNameError

ORDERS = ["zyx", "armbot", "armbot_reverse"]
angle = st.floats(-np.pi, np.pi)
pitch = st.floats(-np.pi / 2, np.pi / 2)


def by_planes(order: g.AngleOrder, a: float, b: float, c: float) -> np.ndarray:
    """The rotation with the source's own three matrices."""
    sa, sb, sc, ca, cb, cc = *np.sin([a, b, c]), *np.cos([a, b, c])
    in_xy = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    in_xz = np.array([[cb, 0, -sb], [0, 1, 0], [sb, 0, cb]])
    in_yz = np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
    if order == "armbot":
        turned: np.ndarray = in_yz @ in_xz @ in_xy
    else:
        turned = in_xy @ (in_xz.T if order == "zyx" else in_xz) @ in_yz
    return turned


@pytest.mark.parametrize("order", ORDERS)
@given(angle, angle, angle)
def test_matrix_is_the_product_of_the_plane_rotations(
    order: g.AngleOrder, a: float, b: float, c: float
) -> None:
    R = g.rotation_from_angles([a, b, c], order)
    assert pytest.approx(by_planes(order, a, b, c), abs=2e-15) == R


def test_matrix_against_scipy() -> None:
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (100, 3))
    zyx = Rotation.from_euler("ZYX", angles).as_matrix()
    assert g.rotation_from_zyx(angles) == pytest.approx(zyx, abs=1e-15)
    fixed = Rotation.from_euler("zyx", angles * (1, -1, 1)).as_matrix()
    assert g.rotation_from_armbot(angles) == pytest.approx(fixed, abs=1e-15)
    fixed = Rotation.from_euler("xyz", (angles * (1, -1, 1))[:, ::-1]).as_matrix()
    assert g.rotation_from_armbot(angles, "reverse") == pytest.approx(fixed, abs=1e-15)


@pytest.mark.parametrize("order", ORDERS)
@given(angle, st.floats(-1.5, 1.5), angle)
def test_regular_angles_come_back(order: g.AngleOrder, a: float, b: float, c: float) -> None:
    back = g.angles_from_rotation(g.rotation_from_angles([a, b, c], order), order)
    assert g.wrap_angle(back - [a, b, c]) == pytest.approx(np.zeros(3), abs=1e-13)
    assert (np.abs(back) <= np.pi).all()
    assert (back > -np.pi).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("off", [0.0, 1e-17, 1e-15, 1e-13, 1e-11, 1e-9, 1e-8, 1e-6, 1e-3])
def test_matrix_comes_back_at_and_near_the_singular_case(
    order: g.AngleOrder, sign: int, off: float
) -> None:
    for a, c in np.random.default_rng(2).uniform(-np.pi, np.pi, (50, 2)):
        R = g.rotation_from_angles([a, sign * (np.pi / 2 - off), c], order)
        angles = g.angles_from_rotation(R, order)
        assert g.rotation_from_angles(angles, order) == pytest.approx(R, abs=2e-12)
        if off < 1e-14:
            assert angles[2] == 0
            assert angles[1] == pytest.approx(sign * np.pi / 2, abs=1e-14)
        if off > 1e-11:
            assert g.rotation_from_angles(angles, order) == pytest.approx(R, abs=2e-15)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("off", [1e-11, 1e-9, 1e-7, 1e-5])
def test_rounding_in_the_matrix_is_not_magnified_near_the_singular_case(
    order: g.AngleOrder, off: float
) -> None:
    """A matrix that went through a chain carries rounding, which a and c must share."""
    rng = np.random.default_rng(3)
    angles = rng.uniform(-np.pi, np.pi, (200, 3))
    angles[:, 1] = np.pi / 2 - off
    chain = Rotation.random(200, rng=rng).as_matrix()
    R = np.swapaxes(chain, -1, -2) @ (chain @ g.rotation_from_angles(angles, order))
    back = g.rotation_from_angles(g.angles_from_rotation(R, order), order)
    assert np.abs(back - R).max() < 3e-15


def test_singular_case_by_hand() -> None:
    """x goes to -z: b = pi/2 for Z-Y'-X'', -pi/2 for ArmBot, which turns x towards z."""
    R = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    assert g.zyx_from_rotation(R).tolist() == [0, np.pi / 2, 0]
    assert g.armbot_from_rotation(R).tolist() == [0, -np.pi / 2, 0]
    assert g.armbot_from_rotation(R, "reverse").tolist() == [0, -np.pi / 2, 0]


@pytest.mark.parametrize("order", ORDERS)
@given(angle, angle, angle)
def test_other_angles_give_the_same_rotation(
    order: g.AngleOrder, a: float, b: float, c: float
) -> None:
    other = g.other_angles([a, b, c])
    R = g.rotation_from_angles([a, b, c], order)
    # Adding pi and wrapping rounds each of three angles by up to one ulp of 4, 9e-16.
    assert g.rotation_from_angles(other, order) == pytest.approx(R, abs=4e-15)
    assert g.wrap_angle(g.other_angles(other) - [a, b, c]) == pytest.approx(np.zeros(3), abs=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_identity_has_plain_zeros_and_half_turns_are_positive(order: g.AngleOrder) -> None:
    zeros = g.angles_from_rotation(np.eye(3), order)
    assert zeros.tolist() == [0, 0, 0]
    assert not np.signbit(zeros).any()
    assert g.angles_from_rotation(np.diag([-1.0, -1.0, 1.0]), order).tolist() == [np.pi, 0, 0]
    assert g.angles_from_rotation(np.diag([1.0, -1.0, -1.0]), order).tolist() == [0, 0, np.pi]


def test_unknown_orders_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="armbot_reverse"):
        g.rotation_from_angles([0, 0, 0], "xyz")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="forward, reverse"):
        g.armbot_from_rotation(np.eye(3), "back")  # type: ignore[arg-type]
