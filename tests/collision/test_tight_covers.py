"""Tight covers: nothing of a solid is left out, and they reach no farther than they say."""

from __future__ import annotations

from importlib import metadata

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.collision import ArmShapes, Checker
from armwerk.collision.tight_covers import below, tight_cover
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, Mesh, Shape, Sphere
from armwerk.robot import load_arm


def bracket() -> Mesh:
    """Return an angle bracket, 0.3 m by 0.2 m by 0.05 m, with legs of 0.04 m: far from convex."""
    outline = np.array([[0, 0], [0.3, 0], [0.3, 0.04], [0.04, 0.04], [0.04, 0.2], [0, 0.2]])
    vertices = np.array([[x, y, z] for z in (0.0, 0.05) for x, y in outline])
    top = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    faces = [[a, c, b] for a, b, c in top] + [[a + 6, b + 6, c + 6] for a, b, c in top]
    for k in range(6):
        m = (k + 1) % 6
        faces += [[k, m, m + 6], [k, m + 6, k + 6]]
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    return Mesh(vertices @ turn.T, np.array(faces), position=(0.1, -0.2, 0.3))


def covered(shapes: tuple[Shape, ...], points: Array) -> Array:
    """Return how deep points are in the deepest of some shapes, negative inside. Shape (k,)."""
    depths = np.array([shape.signed_distance(points) for shape in shapes])
    deepest: Array = depths.min(axis=0)
    return deepest


def test_nothing_is_left_out_and_nothing_is_far() -> None:
    mesh = bracket()
    cover = tight_cover(mesh)
    random = np.random.default_rng(3)
    low, high = mesh.bounds
    points = random.uniform(low - 0.05, high + 0.05, (3000, 3))
    depth = np.asarray(mesh.signed_distance(points))
    inside = covered(cover.shapes, points) <= 0.0
    assert inside[depth <= 0.0].all()
    assert (depth <= 0.0).sum() > 50
    assert depth[inside].max() <= cover.error
    assert cover.error < 0.03  # one box around the bracket reaches 0.14 m beyond it


def test_corners_edges_and_faces_are_covered() -> None:
    mesh = bracket()
    cover = tight_cover(mesh)
    triangles = (mesh.vertices @ mesh.rotation.T + mesh.position)[mesh.faces]
    weights = np.random.default_rng(4).dirichlet((0.4, 0.4, 0.4), 400)
    points = np.einsum("pw,kwx->kpx", weights, triangles).reshape(-1, 3)
    assert covered(cover.shapes, points).max() <= 1e-9


def test_cutting_keeps_the_area() -> None:
    mesh = bracket()
    triangles = mesh.vertices[mesh.faces]

    def area(some: Array) -> float:
        normals = np.cross(some[:, 1] - some[:, 0], some[:, 2] - some[:, 0])
        return float(np.linalg.norm(normals, axis=1).sum() / 2)

    for axis in range(3):
        for level in (0.02, 0.04, float(mesh.vertices[3, axis])):
            low, high = (below(triangles, axis, level, sign) for sign in (1.0, -1.0))
            assert len(low) == 0 or low[:, :, axis].max() <= level + 1e-12
            assert len(high) == 0 or high[:, :, axis].min() >= level - 1e-12
            assert area(low) + area(high) == pytest.approx(area(triangles))


@pytest.mark.parametrize(
    "shape",
    [Cylinder(0.1, 0.3), Cone(0.1, 0.3, top_radius=0.02), Sphere(0.1), Box((0.1, 0.2, 0.3))],
)
def test_other_shapes_state_their_error(shape: Shape) -> None:
    cover = tight_cover(shape)
    points = np.random.default_rng(5).uniform(-0.4, 0.4, (4000, 3))
    depth = np.asarray(shape.signed_distance(points))
    inside = covered(cover.shapes, points) <= 0.0
    assert inside[depth <= 0.0].all()
    assert depth[inside].max() <= cover.error + 1e-12
    assert all(isinstance(one, Box | Capsule | Sphere) for one in cover.shapes)


def test_a_real_robot() -> None:
    """No contact is missed, few are too many, and none of these farther than stated."""
    try:
        metadata.distribution("rtb-data")
    except metadata.PackageNotFoundError:
        pytest.skip("rtb-data is not installed")
    pytest.importorskip("xacro")
    arm = load_arm("rtb-data:kr6r900sixx")
    low, high = arm.limits.T
    q = np.random.default_rng(6).uniform(low, high, (200, arm.dof))
    exact, quick = Checker(arm), Checker(arm, exact=False)
    true, said = exact.contacts(q), quick.contacts(q)
    assert said[true].all()
    assert said.mean() - true.mean() < 0.15  # with one to three capsules for each link: 0.8
    wrong = q[said & ~true][:8]
    assert len(wrong)
    assert exact.distances(wrong).max() <= 2 * quick.cover_error
    assert exact.cover_error == 0.0


def test_a_tolerance_is_kept_on_both_sides() -> None:
    """Reported contacts are nowhere further apart than both sides may reach."""
    arm = load_arm("puma560")
    mesh = bracket()
    shapes = ArmShapes(
        arm, {"link3": [Mesh(mesh.vertices, mesh.faces)], "link2": [Cylinder(0.05, 0.3)]}
    )
    block = Mesh(mesh.vertices, mesh.faces, position=(0.3, 0.2, 0.5))
    low, high = arm.limits.T
    q = np.random.default_rng(7).uniform(low, high, (3000, arm.dof))
    exact = Checker(arm, [block], shapes)
    true, clear = exact.contacts(q), exact.distances(q)
    stated = tight_cover(mesh).error
    seen = []
    for tolerance in (0.0, 0.9 * stated, 1.1 * stated, None):
        quick = Checker(arm, [block], shapes, exact=False, tolerance=tolerance)
        said = quick.contacts(q)
        assert said[true].all()
        assert quick.cover_error <= (np.inf if tolerance is None else tolerance)
        assert clear[said].max() <= 2 * quick.cover_error + 1e-12
        seen.append((int(said.sum()), quick.cover_error))
    assert seen[0] == seen[1] == (int(true.sum()), 0.0)  # nothing has covers that good
    assert seen[2][1] == stated  # the meshes have, the cylinder has not
    assert seen[2][0] > seen[0][0]
    assert seen[3][1] >= 0.05


@pytest.mark.parametrize("tolerance", [-0.001, np.nan, "5 mm", True])
def test_a_tolerance_is_a_length(tolerance: object) -> None:
    with pytest.raises(DescriptionError, match=r"tolerance.*no length"):
        Checker("puma560", exact=False, tolerance=tolerance)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="no covers"):
        Checker("puma560", tolerance=0.005)
