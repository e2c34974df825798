"""Reach: geometry that is known, inverse solutions counted one by one, contact, errors, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import LogNorm
from PIL import Image

import armwerk as aw
from armwerk.collision import Checker
from armwerk.errors import ArmwerkError, DescriptionError, ShapeError, UnsupportedError
from armwerk.geometry import Box, Cylinder, HalfSpace, Sphere
from armwerk.planning.reachability import chunks as reach_chunks, picture
from armwerk.planning.reachability.grid import tool_orientations

L1, L2 = 0.18, 0.23  # [m] links of planar_rr
BOXES = [Box((0.3, 0.3, 0.5), (0.5, 0.1, 0.3)), Box((0.3, 1.0, 0.05), (-0.5, 0.1, 0.3))]


@pytest.mark.parametrize("asked", [{"steps": 400}, {"samples": 200_000}])
def test_a_planar_arm_reaches_a_ring(asked: dict[str, int]) -> None:
    found = aw.reach("planar_rr", cell=0.01, **asked)  # type: ignore[arg-type]
    away = np.linalg.norm(found.centres()[:, :2], axis=1)
    half = found.cell / np.sqrt(2)
    assert away.min() >= abs(L1 - L2) - half
    assert away.max() <= L1 + L2 + half
    ring = np.pi * ((L1 + L2) ** 2 - (L1 - L2) ** 2)
    assert found.reached * found.cell**2 == pytest.approx(ring, rel=0.06)
    assert found.counts.sum() == found.tried
    # the area of tool velocities is l1 l2 |sin q2|
    assert found.rank == 2
    assert found.manipulability.max() == pytest.approx(L1 * L2, rel=1e-4)
    assert found.manipulability.max() <= L1 * L2 * (1 + 1e-12)


def test_manipulability_of_a_place_follows_from_its_distance() -> None:
    found = aw.reach("planar_rr", cell=0.02, steps=600)
    for place in ((0.3, 0.1, 0.001), (-0.1, 0.22, 0.001)):
        index = found.index(place)
        assert index is not None
        corners = np.array([[i, j] for i in (0, 1) for j in (0, 1)])
        low = found.corner[:2] + np.array(index[:2]) * found.cell
        away = np.linalg.norm(low + corners * found.cell, axis=1)
        cosine = (away**2 - L1**2 - L2**2) / (2 * L1 * L2)
        best = L1 * L2 * np.sqrt(1 - cosine**2).max()
        assert found.manipulability[index] == pytest.approx(best, rel=0.05)


def test_slides_in_three_directions_fill_their_box() -> None:
    strokes = (0.5, 0.75, 1.0)
    slides = [
        aw.Joint(
            "prismatic", alpha=np.pi / 2, offset=np.pi / 2, limits=(0.01, 0.01 + stroke - 0.02)
        )
        for stroke in strokes
    ]
    found = aw.reach(aw.Arm.from_dh(slides), cell=0.25, samples=20_000)
    assert found.manipulability[found.counts > 0] == pytest.approx(1.0)
    assert found.counts.min() > 0
    assert sorted(np.array(found.shape) * found.cell) == pytest.approx(sorted(strokes))
    assert found.counts.std() < 0.1 * found.counts.mean()


def test_the_inverse_sweep_counts_the_solutions_within_limits() -> None:
    found = aw.reach("puma560", method="inverse", cell=0.2, orientations=4)
    assert found.oriented is not None
    assert found.orientations is not None
    model = aw.model("puma560")
    limits = model.arm.limits
    middles = found.centres()
    for number in np.random.default_rng(0).choice(len(middles), 25, replace=False):
        index = found.index(middles[number])
        assert index is not None
        ways, oriented, best = 0, 0, 0.0
        for R in found.orientations:
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = R, middles[number]
            inside = [q for q in model.ik(T) if _fits(q, limits)]
            ways += len(inside)
            oriented += bool(inside)
            for q in inside:
                J = model.jacobian(q)[:3]
                best = max(best, float(np.sqrt(np.linalg.det(J @ J.T))))
        assert found.counts[index] == ways
        assert found.oriented[index] == oriented
        assert found.manipulability[index] == pytest.approx(best, rel=1e-6)
    assert found.share == found.oriented.sum() / found.tried


def _fits(q: Any, limits: Any) -> bool:
    """Whether every angle is within its limits after some number of full turns."""
    turns = q[:, None] + 2 * np.pi * np.arange(-2, 3)
    return bool(((turns >= limits[:, :1]) & (turns <= limits[:, 1:])).any(axis=1).all())


def test_forward_and_inverse_agree_about_the_space() -> None:
    forward = aw.reach("ur5e", cell=0.2, samples=150_000)
    inverse = aw.reach("ur5e", method="inverse", cell=0.2, orientations=30)
    reached = {tuple(c) for c in np.round(forward.centres() / 0.1).astype(int)}
    missing = [c for c in inverse.centres() if tuple(np.round(c / 0.1).astype(int)) not in reached]
    assert len(missing) == 0
    assert inverse.reached > 0.65 * forward.reached


def test_bodies_take_away_what_touches_them() -> None:
    free = aw.reach("ur5e", steps=5)
    among = aw.reach("ur5e", BOXES, steps=5)
    exact = aw.reach("ur5e", BOXES, steps=5, contact="exact")
    assert (free.contact, among.contact, exact.contact) == ("none", "spheres", "exact")
    assert free.touching == 0
    assert free.counts.sum() == 5**6
    assert among.counts.sum() == 5**6 - among.touching
    # the cover is larger than the arm, and not by much
    assert exact.touching <= among.touching <= 1.2 * exact.touching
    values = np.linspace(-np.pi, np.pi, 5, endpoint=False)
    Q = np.stack(np.meshgrid(*[values] * 6, indexing="ij"), axis=-1).reshape(-1, 6)
    limits = aw.load("ur5e").limits
    assert (np.ptp(limits, axis=1) >= 2 * np.pi - 1e-9).all(), "every joint makes a full turn"
    checker = Checker(aw.load("ur5e"), BOXES, self_check=False)
    assert exact.touching == np.count_nonzero(checker.contacts(Q))


def test_inverse_solutions_that_touch_do_not_count() -> None:
    asked: dict[str, Any] = {"method": "inverse", "cell": 0.25, "orientations": 3}
    free, among = aw.reach("ur5e", **asked), aw.reach("ur5e", BOXES, **asked)
    assert among.touching > 0
    assert among.counts.sum() == free.counts.sum() - among.touching
    assert among.contact == "exact"


def test_other_bodies_are_exact_or_put_into_boxes_on_request() -> None:
    bodies = [*BOXES, Sphere(0.15, (0.0, 0.6, 0.3)), Cylinder(0.1, 0.4, (0.0, -0.6, 0.3))]
    exact = aw.reach("ur5e", bodies, samples=20_000)
    boxed = aw.reach("ur5e", bodies, samples=20_000, contact="boxes")
    assert (exact.contact, boxed.contact) == ("exact", "boxes")
    assert exact.touching < boxed.touching
    with pytest.raises(UnsupportedError, match="body 'sphere2' is none"):
        aw.reach("ur5e", bodies, contact="spheres")
    with pytest.raises(UnsupportedError, match="no box contains body 'floor'"):
        aw.reach("ur5e", [HalfSpace((0, 0, 1), name="floor")], contact="boxes")


def test_another_seed_is_another_draw_and_the_same_seed_the_same() -> None:
    one, two, three = (aw.reach("planar_rr", samples=3000, seed=seed) for seed in (1, 1, 2))
    assert (one.counts == two.counts).all()
    assert one.counts.shape != three.counts.shape or (one.counts != three.counts).any()


def test_every_chunk_draws_its_own_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two chunks of the same draw would count everything twice."""
    monkeypatch.setattr(reach_chunks, "SAMPLED", 500)
    found = aw.reach("planar_rr", samples=1000)
    assert found.counts.sum() == 1000
    assert (found.counts % 2 == 1).any()


def test_results_cannot_be_changed() -> None:
    found = aw.reach("planar_rr", samples=100)
    with pytest.raises(ValueError, match="read-only"):
        found.counts[0, 0, 0] = 1


def test_nothing_reached_is_a_result() -> None:
    cage = [Box((2.0, 2.0, 2.0))]
    found = aw.reach("ur5e", cage, samples=1000)
    assert found.reached == 0
    assert found.touching == 1000
    assert found.share == 0.0
    assert found.centres().shape == (0, 3)


def test_files(tmp_path: Path) -> None:
    for name, asked in (
        ("ur5e", {"bodies": BOXES, "samples": 20_000}),
        ("ur5e", {"method": "inverse", "cell": 0.3, "orientations": "down"}),
        ("ur5e", {"bodies": [Box((2.0, 2.0, 2.0))], "samples": 100}),
    ):
        found = aw.reach(name, **asked)  # type: ignore[arg-type]
        drawn = found.save(tmp_path / "new" / "reach.png")
        assert drawn.read_bytes()[:4] == b"\x89PNG"
        with np.load(found.save(tmp_path / "reach.npz")) as kept:
            assert (kept["counts"] == found.counts).all()
            assert (kept["manipulability"] == found.manipulability).all()
            assert kept["cell"] == found.cell
            assert ("oriented" in kept) == (found.method == "inverse")
    with pytest.raises(DescriptionError, match=r"\.png, \.svg, \.npz"):
        found.save(tmp_path / "reach.txt")


def test_a_picture_shows_every_voxel_from_above(tmp_path: Path) -> None:
    found = aw.reach("ur5e", samples=20_000, cell=0.2)
    with Image.open(found.save(tmp_path / "reach.png")) as opened:
        image = np.asarray(opened.convert("RGB"), dtype=np.float64)[::-1] / 255.0
    seen = found.counts.sum(axis=2)
    views = [found.counts.sum(axis=axis) for axis in range(3)]
    tints, norm = picture._WAYS, LogNorm(1.0, max(view.max() for view in views))
    edges, base = found.edges, np.zeros(3)
    low = np.minimum([edge[0] for edge in edges], base)
    high = np.maximum([edge[-1] for edge in edges], base)
    half, middle = 0.53 * (high - low).max(), (low + high) / 2
    left, bottom = picture._LEFT, len(image) / 150 - picture._TOP - picture._PANEL
    reached = hidden = 0
    for i, j in np.ndindex(*seen.shape):
        point = found.corner[:2] + (np.array([i, j]) + 0.35) * found.cell
        x, y = (point - middle[:2] + half) / (2 * half) * picture._PANEL
        colour = image[int(150 * (bottom + y)), int(150 * (left + x))]
        if np.hypot(*point) < 0.1:
            continue  # the mark of the base
        if seen[i, j]:
            hidden += not np.allclose(colour, tints(norm(seen[i, j]))[:3], atol=0.01)
            reached += 1
        else:
            assert (colour > 0.8).all(), "white, or a line of the grid"
    assert reached > 50
    assert hidden <= 4  # by the arm, which is drawn over them


def test_orientations() -> None:
    spread = tool_orientations(200, 6)
    assert np.allclose(spread @ spread.transpose(0, 2, 1), np.eye(3), atol=1e-12)
    assert np.linalg.det(spread) == pytest.approx(1.0)
    assert np.abs(spread.mean(axis=0)).max() < 0.03  # evenly spread rotations average to nothing
    assert (tool_orientations("down", 4)[0] @ [0, 0, 1] == [0, 0, -1]).all()
    assert np.allclose(tool_orientations([1, 0, 0, 0], 6), np.eye(3))
    for wrong in (np.zeros((2, 3, 3)), np.full((1, 3, 3), np.nan), -np.eye(3), [[1, 2, 3]]):
        with pytest.raises(ShapeError, match="orientations: "):
            tool_orientations(wrong, 6)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"cell": float("nan")}, "cell: no edge of a voxel, got nan"),
        ({"cell": 0}, "above 0 m"),
        ({"cell": -0.1}, "above 0 m"),
        ({"cell": "x"}, "above 0 m"),
        ({"cell": 1e-4}, r"voxels take .* GiB"),
        ({"cell": 1e-300}, "voxels take"),
        ({"method": "sideways"}, "forward, inverse"),
        ({"device": "tpu"}, "cpu, gpu"),
        ({"contact": "soft"}, "spheres, boxes, exact"),
        ({"steps": 0}, "steps: no numbers of joint values, got 0"),
        ({"steps": 2.5}, "steps"),
        ({"steps": (2, 2)}, "6 of them"),
        ({"steps": 1000}, "too many"),
        ({"samples": 0}, "samples"),
        ({"samples": 1e6}, "samples"),
        ({"samples": 10**15}, "too many"),
        ({"steps": 3, "samples": 3}, "one of the two"),
        ({"seed": -1}, "seed"),
        ({"orientations": 3}, "no meaning for method 'forward'"),
        ({"method": "inverse", "steps": 3}, "no meaning for method 'inverse'"),
        ({"method": "inverse", "orientations": 0}, "1 to 10000"),
        ({"method": "inverse", "orientations": "up"}, "down"),
        ({"device": "gpu", "bodies": BOXES, "contact": "exact"}, "contact='spheres'"),
        ({"device": "gpu", "bodies": [Sphere(0.1)]}, "contact='boxes'"),
        ({"bodies": [1]}, "not a body"),
    ],
)
def test_what_makes_no_sweep_is_refused(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ArmwerkError, match=words):
        aw.reach("ur5e", **asked)


def test_arms_that_cannot_be_swept() -> None:
    length = aw.Joint("revolute", a="l")
    with pytest.raises(UnsupportedError, match="no numbers yet for l"):
        aw.reach(aw.Arm.from_dh([length, aw.Joint("revolute", a=1.0)]))
    with pytest.raises(DescriptionError, match="slides without limits"):
        aw.reach(aw.Arm.from_dh([aw.Joint("prismatic", name="lift")]))
    with pytest.raises(UnsupportedError, match="7 joints and infinitely many"):
        aw.reach("iiwa7", method="inverse")
    with pytest.raises(DescriptionError, match="few orientations"):
        aw.reach("scara", method="inverse")
    with pytest.raises(DescriptionError, match="no arm"):
        aw.reach(3)  # type: ignore[arg-type]
    loops = [name for name in aw.library() if isinstance(aw.load(name), aw.Assembly)]
    for name in loops[:1]:
        with pytest.raises(UnsupportedError, match="closed chains"):
            aw.reach(name)


def test_an_arm_of_four_joints_by_its_own_orientations() -> None:
    model = aw.model("scara")
    held = model.fk(np.array([0.3, 0.5, 0.1, 0.2]))[:3, :3]
    found = aw.reach("scara", method="inverse", cell=0.1, orientations=held[None])
    assert found.reached > 0
    assert set(np.unique(found.counts)) <= {0, 1, 2}  # elbow to the left, elbow to the right
