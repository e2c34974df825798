"""Meshes of links made coarser for the eye: fewer triangles, the same form."""

from __future__ import annotations

import numpy as np
import trimesh

from armwerk.geometry import Box, Mesh, Shape
from armwerk.wire.arm_meshes import few_triangles, thinned


def ball(radius: float, subdivisions: int) -> Mesh:
    made = trimesh.creation.icosphere(subdivisions, radius)
    return Mesh(made.vertices, made.faces, name="ball")


def test_a_coarser_mesh_keeps_its_form_and_its_outside() -> None:
    fine = ball(0.2, 6)
    coarse = thinned(fine, 0.01)
    # a surface meets one and a half cubes for each of their sides' area, two triangles for each
    assert len(coarse.faces) < 3 * (4 * np.pi * 0.2**2) / 0.01**2 < len(fine.faces) / 5
    far = np.linalg.norm(coarse.vertices, axis=1)
    assert np.abs(far - 0.2).max() < 0.01
    seen = trimesh.Trimesh(coarse.vertices, coarse.faces, process=False)
    outwards = (seen.face_normals * seen.triangles_center).sum(axis=1)
    assert (outwards > 0).mean() > 0.99
    assert abs(seen.volume / (4 / 3 * np.pi * 0.2**3) - 1) < 0.03


def test_many_triangles_become_few_and_small_parts_stay() -> None:
    shapes: dict[str, list[Shape]] = {
        "base": [ball(0.3, 7), Box((0.1, 0.1, 0.1))],
        "link1": [ball(0.004, 6)] * 3,
    }
    few = few_triangles(shapes, 60_000)
    counts = [len(one.faces) for row in few.values() for one in row if isinstance(one, Mesh)]
    assert sum(counts) <= 60_000
    assert min(counts) > 50
    assert isinstance(few["base"][1], Box)
    small = few["link1"][0]
    assert np.abs(np.ptp(small.bounds, axis=0) - 0.008).max() < 0.002


def test_few_triangles_stay_as_they_are_and_too_many_parts_come_to_an_end() -> None:
    shapes = {"base": [ball(0.3, 2)]}
    assert few_triangles(shapes) is shapes
    crowd = {"base": [ball(0.01, 1)] * 100}
    assert len(few_triangles(crowd, 10)["base"]) == 100
    assert few_triangles({"base": []}, 0) == {"base": []}
