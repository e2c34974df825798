"""Every public function gives for many what it gives for each alone, and refuses nan and shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armwerk.geometry as g
from armwerk.errors import ShapeError
from armwerk.geometry.arguments import off_rotation

Make = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def numbers(*tail: int) -> Make:
    return lambda rng, lead: rng.normal(size=(*lead, *tail))


def rotations(rng: np.random.Generator, lead: tuple[int, ...]) -> np.ndarray:
    turned = Rotation.random(int(np.prod(lead)), rng=rng).as_matrix().reshape(*lead, 3, 3)
    if turned.size:
        turned[(0,) * len(lead)] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # singular for Euler angles
    return turned


def transforms(rng: np.random.Generator, lead: tuple[int, ...]) -> np.ndarray:
    T = np.zeros((*lead, 4, 4))
    T[..., :3, :3] = rotations(rng, lead)
    T[..., :3, 3] = rng.normal(size=(*lead, 3))
    T[..., 3, 3] = 1
    return T


def unit_points(rng: np.random.Generator, lead: tuple[int, ...]) -> np.ndarray:
    x = rng.normal(size=(*lead, 3))
    unit: np.ndarray = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return unit


scalar, vector, matrix = numbers(), numbers(3), numbers(3, 3)
quaternion, twist = numbers(4), numbers(6)
CUBE_FACES = [[0, 3, 1], [0, 2, 3], [0, 1, 5], [0, 5, 4], [1, 3, 7], [1, 7, 5]]
CUBE_FACES += [[3, 2, 6], [3, 6, 7], [2, 0, 4], [2, 4, 6], [4, 5, 7], [4, 7, 6]]
SHAPES: list[g.Shape] = [
    g.Box((1, 2, 3)),
    g.Sphere(1.0),
    g.Cylinder(0.5, 2.0),
    g.Cone(1.0, 2.0),
    g.Capsule(0.5, 2.0),
    g.HalfSpace((1, 2, 3)),
    g.Mesh(g.Box((2, 2, 2)).corners, CUBE_FACES),
]

FUNCTIONS: dict[str, tuple[Make, ...]] = {
    "adjoint": (transforms,),
    "angle_between": (rotations, rotations),
    "angles_from_rotation": (rotations,),
    "armbot_from_rotation": (rotations,),
    "axis_angle_from_rotation": (rotations,),
    "compose": (transforms, transforms),
    "interpolate": (transforms, transforms, scalar),
    "inverse": (transforms,),
    "is_rotation": (rotations,),
    "is_transform": (transforms,),
    "nearest_rotation": (matrix,),
    "other_angles": (vector,),
    "pose_from_transform": (transforms,),
    "position_of": (transforms,),
    "prismatic_twist": (vector,),
    "quaternion_average": (numbers(5, 4), lambda rng, lead: rng.random((*lead, 5))),
    "quaternion_canonical": (quaternion,),
    "quaternion_conjugate": (quaternion,),
    "quaternion_exp": (vector,),
    "quaternion_from_rotation": (rotations,),
    "quaternion_log": (quaternion,),
    "quaternion_normalised": (quaternion,),
    "quaternion_product": (quaternion, quaternion),
    "quaternion_rotate": (quaternion, vector),
    "quaternion_slerp": (quaternion, quaternion, scalar),
    "relative": (transforms, transforms),
    "revolute_twist": (vector, vector),
    "rotate": (rotations, vector),
    "rotation_about": (vector, scalar),
    "rotation_angle": (rotations,),
    "rotation_between": (vector, vector),
    "rotation_exp": (vector,),
    "rotation_from_angles": (vector,),
    "rotation_from_armbot": (vector,),
    "rotation_from_quaternion": (quaternion,),
    "rotation_from_zyx": (vector,),
    "rotation_log": (rotations,),
    "rotation_of": (transforms,),
    "rotation_x": (scalar,),
    "rotation_y": (scalar,),
    "rotation_z": (scalar,),
    "screw_from_twist": (twist,),
    "screw_twist": (vector, vector, scalar),
    "separation": (transforms, transforms),
    "skew": (vector,),
    "transform": (rotations, vector),
    "transform_directions": (transforms, vector),
    "transform_from_pose": (twist,),
    "transform_points": (transforms, vector),
    "twist_adjoint": (twist,),
    "twist_exp": (twist, scalar),
    "twist_hat": (twist,),
    "twist_log": (transforms,),
    "twist_vee": (numbers(4, 4),),
    "unskew": (matrix,),
    "wrap_angle": (scalar,),
    "zero_roll_angles": (unit_points, unit_points),
    "zero_roll_rotation": (unit_points, unit_points),
    "zero_roll_rotations": (unit_points, unit_points),
    "zyx_from_rotation": (rotations,),
}
CASES: dict[str, tuple[Callable[..., Any], tuple[Make, ...]]] = {
    **{name: (getattr(g, name), makers) for name, makers in FUNCTIONS.items()},
    "armbot_from_rotation reverse": (lambda R: g.armbot_from_rotation(R, "reverse"), (rotations,)),
    "rotation_from_armbot reverse": (lambda a: g.rotation_from_armbot(a, "reverse"), (vector,)),
    "zero_roll_rotations reverse": (
        lambda a, b: g.zero_roll_rotations(a, b, "reverse"),
        (unit_points, unit_points),
    ),
    **{f"{type(s).__name__}.signed_distance": (s.signed_distance, (vector,)) for s in SHAPES},
    **{f"{type(s).__name__}.contains": (s.contains, (vector,)) for s in SHAPES},
}
NAN_IS_AN_ANSWER = {"is_rotation", "is_transform"}
each_case = pytest.mark.parametrize("name", CASES)
each_of_several_arguments = pytest.mark.parametrize(
    "name", [name for name, (_, makers) in CASES.items() if len(makers) > 1]
)


def parts(result: Any) -> tuple[np.ndarray, ...]:
    return tuple(result) if isinstance(result, tuple) else (result,)


def test_no_public_function_is_left_out() -> None:
    public = {name for name in g.__all__ if inspect.isfunction(getattr(g, name))}
    assert public - set(FUNCTIONS) == {"parse_pose"}


@each_case
def test_many_equal_each_alone(name: str) -> None:
    function, makers = CASES[name]
    arguments = [make(np.random.default_rng(1), (3, 4)) for make in makers]
    many = parts(function(*arguments))
    for place in np.ndindex(3, 4):
        alone = parts(function(*(argument[place] for argument in arguments)))
        for some, one in zip(many, alone, strict=True):
            assert some[place] == pytest.approx(one, abs=1e-14, nan_ok=True)
            assert some.shape == (3, 4, *np.shape(one))


@each_of_several_arguments
def test_leading_dimensions_broadcast(name: str) -> None:
    function, makers = CASES[name]
    rng = np.random.default_rng(2)
    leads = [(3, 1), (4,), ()][: len(makers)]
    arguments = [make(rng, lead) for make, lead in zip(makers, leads, strict=True)]
    spread = [
        np.broadcast_to(a, (3, 4, *a.shape[len(lead) :]))
        for a, lead in zip(arguments, leads, strict=True)
    ]
    for some, full in zip(parts(function(*arguments)), parts(function(*spread)), strict=True):
        assert some.shape == full.shape
        assert some == pytest.approx(full, abs=1e-14, nan_ok=True)


@each_case
def test_none_at_all_is_allowed(name: str) -> None:
    function, makers = CASES[name]
    arguments = [make(np.random.default_rng(3), (0,)) for make in makers]
    for some in parts(function(*arguments)):
        assert some.shape[0] == 0


@each_case
def test_arguments_are_left_alone_and_results_are_writable(name: str) -> None:
    function, makers = CASES[name]
    arguments = [make(np.random.default_rng(4), (2,)) for make in makers]
    copies = [argument.copy() for argument in arguments]
    for some in parts(function(*arguments)):
        some[...] = 0
    for argument, copy in zip(arguments, copies, strict=True):
        assert argument.tolist() == copy.tolist()


@each_case
def test_nan_and_wrong_shape_are_refused(name: str) -> None:
    function, makers = CASES[name]
    for wrong in range(len(makers)):
        arguments = [make(np.random.default_rng(5), (2,)) for make in makers]
        good = arguments[wrong]
        arguments[wrong] = np.where(np.arange(good.size).reshape(good.shape) == 1, np.nan, good)
        if name not in NAN_IS_AN_ANSWER:
            with pytest.raises(ShapeError, match="must hold finite numbers, got nan at index"):
                function(*arguments)
        arguments[wrong] = "text"  # type: ignore[call-overload]
        with pytest.raises(ShapeError, match="must be an array of numbers"):
            function(*arguments)
        if good.ndim > 1:  # plain numbers have no shape of their own
            arguments[wrong] = np.zeros((2, 7, 7))
            with pytest.raises(ShapeError, match="shape must be"):
                function(*arguments)


@pytest.mark.parametrize("spoilt", [1.0, 1.0 + 1e-7, -1.0, 0.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(9))
def test_one_matrix_is_as_far_from_a_rotation_as_among_many(spoilt: float, place: int) -> None:
    matrix = g.rotation_exp([0.3, -1.2, 0.7]).ravel()
    matrix[place] *= spoilt
    alone = off_rotation(matrix.reshape(3, 3))
    among = off_rotation(matrix.reshape(1, 3, 3))[0]
    assert alone.shape == ()
    assert alone == pytest.approx(among, abs=1e-15)
