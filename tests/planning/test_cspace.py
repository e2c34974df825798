"""Configuration spaces: every way gives the cells of separating axes, counted as in the source."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array, Integers
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.geometry import Box, rotation_about, rotation_z
from armwerk.planning import ConfigurationSpace, cspace, problem, problems
from armwerk.robot import Arm, Joint

FACTS = {"tt": (10_000_000, 2_146_190, 0.214619), "rr": (1_296_000, 84_534, 0.065227)}
SIGNS = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)]) - 0.5


def widest_gap(one: Box, two: Box) -> float:
    """Return the widest gap between the shadows of two boxes over all separating axes [m].

    Straight from the definition: project all corners.
    """
    axes = [*one.rotation.T, *two.rotation.T]
    axes += [np.cross(u, v) for u in one.rotation.T for v in two.rotation.T]
    gaps = []
    for axis in axes:
        size = np.linalg.norm(axis)
        if size > 1e-6:
            a, b = one.corners @ axis / size, two.corners @ axis / size
            gaps.append(max(a.min() - b.max(), b.min() - a.max()))
    return float(max(gaps))


def by_definition(space: ConfigurationSpace, rows: Integers) -> tuple[list[int], list[bool]]:
    """Return the sums of some cells, and whether some gap is too small to judge."""
    sums, doubtful = [], []
    for row, column in rows:
        placed = space.shapes.at(space.at(int(row), int(column)))
        parts = [part for part in placed if part.name in space.parts and isinstance(part, Box)]
        assert len(parts) == len(space.parts)
        total, near = 0, False
        for part in parts:
            for number, body in enumerate(space.bodies):
                assert isinstance(body, Box)
                gap = widest_gap(part, body)
                near |= 1e-13 < gap < 1e-9  # neither a touch nor a gap that can be measured
                total += (number + 1) * (gap <= 1e-12)
        sums.append(total)
        doubtful.append(near)
    return sums, doubtful


def some_cells(space: ConfigurationSpace, count: int, seed: int = 0) -> Integers:
    """Return cells, half of them next to a change, where mistakes show."""
    rng = np.random.default_rng(seed)
    cells = space.cells.astype(np.int64)
    edges = np.argwhere(cells[:-1, :-1] != cells[1:, 1:])
    spread = np.stack([rng.integers(0, n, count) for n in cells.shape], axis=1)
    if not len(edges):
        return spread
    return np.concatenate([spread[: count // 2], edges[rng.integers(0, len(edges), count // 2)]])


def agree_with_definition(space: ConfigurationSpace, count: int = 60, seed: int = 0) -> None:
    rows = some_cells(space, count, seed)
    sums, doubtful = by_definition(space, rows)
    for (row, column), total, unsure in zip(rows, sums, doubtful, strict=True):
        assert unsure or space.cells[row, column] == total, (row, column)


def rr_arm(alpha: float = 0.0, base: Array | None = None) -> Arm:
    joints = [Joint("revolute", a=0.3, alpha=alpha), Joint("revolute", a=0.2)]
    return Arm.from_dh(joints, "elbow", base=base)


def boxes(rng: np.random.Generator, count: int, turned: bool, step: float = 0.0) -> list[Box]:
    """Return upright boxes; with a step all numbers are multiples of it, so that edges align."""
    made = []
    for _ in range(count):
        size, place = rng.uniform(0.03, 0.3, 2), rng.uniform(-0.45, 0.45, 2)
        if step:
            size, place = np.maximum(np.round(size / step), 1) * step, np.round(place / step) * step
        turn = rotation_z(rng.uniform(-3, 3)) if turned else None
        made.append(Box((*size, 0.2), (*place, 0.0), turn))
    return made


@pytest.mark.parametrize("name", sorted(FACTS))
def test_problems_of_the_source(name: str) -> None:
    """Sizes and tests are those that the source prints, of "tt" hits and share as well."""
    tests, hits, share = FACTS[name]
    space = problem(name).make()
    assert (space.tests, space.hits) == (tests, hits)
    assert space.share == pytest.approx(share, abs=5e-7)
    assert name in problems()
    assert problem(name).tests == tests
    agree_with_definition(space, 80)


def test_values_of_the_source() -> None:
    """-500 to 499 mm in steps of 1 mm, -180 to 179 degrees in steps of 1 degree."""
    x = problem("tt").make(shape=(1000, 2)).axes[0].values
    assert x[0] == -0.5
    np.testing.assert_allclose(x, np.arange(-500, 500) / 1000, atol=1e-15)
    q = problem("rr").make(shape=(360, 2)).axes[0].values
    np.testing.assert_allclose(np.degrees(q), np.arange(-180, 180), atol=1e-12)
    assert q[180] == 0.0


def test_cells_sum_obstacle_numbers_with_the_second_joint_upwards() -> None:
    """One cell of each kind by hand: a slide with obstacles left, right and above."""
    shapes = {"y": [Box((0.1, 0.1, 0.1))]}
    bodies = [
        Box((0.1, 0.1, 0.1), (-0.3, 0.0, 0.0)),
        Box((0.1, 0.1, 0.1), (0.3, 0.0, 0.0)),
        Box((0.1, 0.1, 0.1), (0.3, 0.05, 0.0)),
        Box((0.1, 0.1, 0.1), (0.0, 0.3, 0.0)),
    ]
    space = cspace("planar_tt", bodies, shape=(100, 100), shapes=shapes)
    assert space.cells[space.index((-0.3, 0.0))] == 1
    assert space.cells[space.index((0.3, 0.0))] == 2 + 3
    assert space.cells[space.index((0.3, 0.12))] == 3
    assert space.cells[space.index((0.0, 0.3))] == 4
    assert space.cells[space.index((0.0, 0.0))] == 0
    assert np.argwhere(space.cells == 4)[:, 0].max() < 50, "positive y is in the upper half"
    assert np.argwhere(space.cells == 1)[:, 1].max() < 50, "negative x is in the left half"
    assert space.index((0.0, 0.3)) == (19, 50)
    assert space.at(19, 50)[:2] == pytest.approx([0.0, 0.3])


def test_both_ends_of_a_turn_agree() -> None:
    """Values at -180 and +180 degrees are the same configuration."""
    span = [(-np.pi, np.pi + 2 * np.pi / 360)] * 2
    cells = problem("rr").make(shape=(361, 361), ranges=span).cells
    np.testing.assert_array_equal(cells[:, 0], cells[:, -1])
    np.testing.assert_array_equal(cells[0], cells[-1])


def test_where_the_first_link_hits_a_whole_band_is_blocked() -> None:
    first = {"link1": [Box((0.18, 0.05, 0.20), (-0.09, 0.0, 0.0))]}
    alone = problem("rr").make(shapes=first)
    blocked = alone.cells[0] > 0
    # the statement of the source: link 1 is blocked from -164 to -108 degrees
    np.testing.assert_array_equal(np.flatnonzero(blocked) - 180, np.arange(-164, -107))
    assert (alone.cells == alone.cells[0]).all()
    assert (problem("rr").make().cells[:, blocked] > 0).all()


@pytest.mark.parametrize("seed", range(12))
def test_slabs_are_separating_axes(seed: int) -> None:
    """Also where edges align, touch and pass through the pivot; any tilt of the second axis."""
    rng = np.random.default_rng(seed)
    step = (0.0, 0.0, 0.05, 0.1)[seed % 4]
    bodies = boxes(rng, 6, turned=seed % 2 == 1 and not step, step=step)
    arm = rr_arm(alpha=np.pi if seed % 3 == 0 else 0.0)
    shapes = {
        "link1": [Box((0.3, 0.1, 0.1), (-0.15, 0.0, 0.0))],
        "link2": [
            Box((0.2, 0.1, 0.1), (-0.1, 0.0, 0.0)),
            Box((0.1, 0.05, 0.1), (0.0, 0.05, 0.0), rotation_z(rng.uniform(-3, 3))),
        ],
    }
    quick = cspace(arm, bodies, shapes=shapes, shape=(180, 360), method="slabs")
    for method in ("planar", "boxes"):
        plain = cspace(arm, bodies, shapes=shapes, shape=(180, 360), method=method)
        np.testing.assert_array_equal(quick.cells, plain.cells)
        assert quick.hits == plain.hits
    agree_with_definition(quick, 40, seed)


@pytest.mark.parametrize("seed", range(8))
def test_slabs_over_part_of_a_turn_and_more_than_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.uniform(-7, 3)
    spans = [(-1.0, 2.0), (low, low + (0.3, 2.0, 6.9, 13.0)[seed % 4])]
    counts = (50, (40, 77, 300, 555)[seed % 4])
    bodies = boxes(rng, 5, turned=True)
    made = {
        method: cspace("planar_rr", bodies, shape=counts, ranges=spans, method=method)
        for method in ("slabs", "planar")
    }
    np.testing.assert_array_equal(made["slabs"].cells, made["planar"].cells)


@pytest.mark.parametrize("seed", range(10))
def test_scan_lines_are_separating_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    aligned = seed % 2 == 0
    bodies = boxes(rng, 6, turned=not aligned, step=0.01 if aligned else 0.0)
    shapes = {
        "x": [Box((0.1, 0.05, 0.1))],
        "y": [
            Box((0.1, 0.1, 0.1)),
            Box((0.05, 0.2, 0.1), (0.1, 0.0, 0.0), rotation_z(0.0 if aligned else 0.7)),
        ],
        "base": [Box((1.0, 1.0, 1.0))],  # stands still: not a part of the map
    }
    quick = cspace("planar_tt", bodies, shapes=shapes, shape=(200, 100), method="scan lines")
    assert quick.tests == 200 * 100 * 3 * 6
    for method in ("planar", "boxes"):
        plain = cspace("planar_tt", bodies, shapes=shapes, shape=(200, 100), method=method)
        np.testing.assert_array_equal(quick.cells, plain.cells)
        assert quick.hits == plain.hits
    other = cspace("planar_tt", bodies, axes=(1, 0), shapes=shapes, shape=(100, 200))
    assert other.method == "scan lines"
    np.testing.assert_array_equal(other.cells[::-1].T, quick.cells[::-1])
    agree_with_definition(quick, 40, seed)


@pytest.mark.parametrize("kinds", ["RT", "TR", "TT"])
@pytest.mark.parametrize("swapped", [False, True])
def test_mixed_joints_in_a_leaning_plane(kinds: str, swapped: bool) -> None:
    """Every pair of planar joints, in a plane that is no coordinate plane, both orders of axes."""
    rng = np.random.default_rng(5)
    base = np.eye(4)
    base[:3, :3] = rotation_about((1.0, 2.0, 0.5), 0.8)
    rows = {
        "RT": [Joint("revolute", alpha=np.pi / 2), Joint("prismatic", limits=(0.0, 0.5))],
        "TR": [
            Joint("prismatic", alpha=np.pi / 2, offset=np.pi / 2, limits=(-0.3, 0.3)),
            Joint("revolute", a=0.3),
        ],
        "TT": [
            Joint("prismatic", alpha=np.pi / 2, offset=np.pi / 2, limits=(-0.3, 0.3)),
            Joint("prismatic", limits=(-0.3, 0.3)),
        ],
    }
    arm = Arm.from_dh(rows[kinds], kinds.lower(), base=base)
    shapes = {"link2": [Box((0.2, 0.1, 0.15))]}
    if kinds == "TR":
        shapes["link1"] = [Box((0.1, 0.1, 0.1))]
    up = aw.model(arm).frames(np.zeros(2))[0 if kinds == "RT" else 1][:3, 2]  # the plane's normal
    if kinds == "TT":
        frames = aw.model(arm).frames(np.zeros(2))
        up = np.cross(frames[0][:3, 2], frames[1][:3, 2])
    first = np.cross(up, (1.0, 0.0, 0.0))
    first /= np.linalg.norm(first)
    frame = np.stack([first, np.cross(up, first), up], axis=1)
    bodies = [
        Box((*rng.uniform(0.05, 0.2, 2), 0.2), frame @ (*rng.uniform(-0.4, 0.4, 2), 0.0), turn)
        for turn in (frame, frame @ rotation_z(0.4), frame @ rotation_z(1.1))
    ]
    axes = (1, 0) if swapped else (0, 1)
    quick = cspace(arm, bodies, axes=axes, shapes=shapes, shape=(80, 90))
    assert quick.method == ("slabs" if kinds == "TR" else "scan lines")
    assert quick.cells.shape == (90, 80)
    assert 0 < quick.hits < quick.tests
    for method in ("planar", "boxes", "general"):
        plain = cspace(arm, bodies, axes=axes, shapes=shapes, shape=(80, 90), method=method)
        np.testing.assert_array_equal(quick.cells, plain.cells)
    agree_with_definition(quick, 40)


def test_swapped_axes_turn_the_picture() -> None:
    space = problem("rr").make(shape=(120, 90))
    other = problem("rr").make(axes=(1, 0), shape=(90, 120))
    np.testing.assert_array_equal(space.cells[::-1], other.cells[::-1].T)


def test_boxes_at_other_heights_do_not_meet() -> None:
    shapes = {"link2": [Box((0.23, 0.05, 0.20), (-0.115, 0.0, 0.0))]}
    low, high = Box((0.2, 0.2, 0.1), (0.2, 0, -0.2)), Box((0.2, 0.2, 0.1), (0.2, 0, 0.15))
    for method in ("slabs", "planar", "boxes", "general"):
        space = cspace("planar_rr", [low, high], shapes=shapes, shape=(60, 60), method=method)
        assert set(np.unique(space.cells)) == {0, 2}, "0.10 m up touches, 0.05 m below does not"


def test_touching_is_contact_in_every_way() -> None:
    """Parts and bodies of 0.1 m at multiples of 0.1 m: rounding must not open a gap."""
    shapes = {"y": [Box((0.1, 0.1, 0.1))]}
    bodies = [Box((0.1, 0.1, 0.1), (x, y, 0.0)) for x in (-0.3, 0.2) for y in (-0.1, 0.3)]
    cells = {}
    for method in ("scan lines", "planar", "boxes", "general"):
        space = cspace("planar_tt", bodies, shapes=shapes, shape=(10, 10), method=method)
        cells[method] = space.cells
        assert space.cells[space.index((-0.3, 0.0))] == 1
        assert space.cells[space.index((-0.2, 0.2))] == 2, "corner to corner"
        np.testing.assert_array_equal(space.cells, cells["scan lines"])
    assert np.count_nonzero(cells["planar"]) == 4 * 9


def test_three_axes_are_slices() -> None:
    shapes = {"q2": [Box((0.2, 0.05, 0.05))], "q3": [Box((0.1, 0.1, 0.2))]}
    arm = Arm.from_dh(
        [
            Joint("revolute", a=0.3),
            Joint("revolute", a=0.3),
            Joint("prismatic", limits=(-0.3, 0.3)),
        ],
        "three",
    )
    bodies = [Box((0.2, 0.2, 0.1), (0.4, 0.1, 0.15)), Box((0.2, 0.3, 0.1), (-0.3, 0.3, 0.0))]
    volume = cspace(arm, bodies, axes=(0, 1, 2), shape=(40, 30, 6), shapes=shapes)
    assert volume.cells.shape == (6, 30, 40)
    assert volume.tests == 6 * 30 * 40 * 2 * 2
    total = 0
    for k, value in enumerate(volume.axes[2].values):
        flat = cspace(arm, bodies, shape=(40, 30), shapes=shapes, q=(0, 0, value))
        np.testing.assert_array_equal(volume.cells[k], flat.cells)
        total += flat.hits
    assert volume.hits == total > 0
    index = volume.index((0.5, -0.5, 0.1))
    assert volume.at(*index) == pytest.approx((0.5, -0.5, 0.1), abs=0.12)


def test_held_joints_count() -> None:
    bodies = [Box((0.3, 0.3, 0.3), (0.5, 0.0, 0.4))]
    straight = cspace("ur5e", bodies, axes=(0, 2), shape=(24, 24))
    bent = cspace("ur5e", bodies, axes=(0, 2), shape=(24, 24), q=(0, -1.0, 0, 0, 0, 0))
    assert (straight.cells != bent.cells).any()
    assert bent.at(3, 4)[1] == -1.0


def test_a_watched_map_is_the_same() -> None:
    seen: list[float] = []
    for name in ("tt", "rr"):
        calm, watched = problem(name).make(), problem(name).make(progress=seen.append)
        np.testing.assert_array_equal(calm.cells, watched.cells)
        assert calm.hits == watched.hits
    assert seen[-1] == 1.0
    assert all(0 < share <= 1 for share in seen)


def test_cells_are_read_only_and_as_small_as_the_sums_allow() -> None:
    space = problem("rr").make(shape=(10, 10))
    assert space.cells.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        space.cells[0, 0] = 1
    many = [Box((0.1, 0.1, 0.1), (0.3, 0.0, 0.0)) for _ in range(30)]
    wide = cspace("planar_rr", many, shape=(20, 20))
    assert wide.cells.dtype == np.uint16
    # the inner link ends 0.18 m from its axis, before the boxes begin: only the outer one hits
    assert set(np.unique(wide.cells)) == {0, 30 * 31 // 2}


def test_no_bodies_no_hits() -> None:
    space = cspace("planar_rr", [], shape=(5, 5))
    assert (space.tests, space.hits, space.share, space.free_share) == (0, 0, 0.0, 1.0)


def test_library_arms_of_the_source_have_its_links() -> None:
    parts = problem("rr").make(shape=(2, 2)).shapes
    assert [tuple(box.size) for box in parts if isinstance(box, Box)] == [
        (0.18, 0.05, 0.20),
        (0.23, 0.05, 0.20),
    ]
    ends = parts.at(np.zeros(2))
    assert ends[0].bounds[:, 0] == pytest.approx([0.0, 0.18])
    assert ends[1].bounds[:, 0] == pytest.approx([0.18, 0.41])
    thicker = ArmShapes(parts.arm, {"link1": [Box((0.2, 0.1, 0.1))]})
    assert cspace("planar_rr", [], shape=(2, 2), shapes=thicker).parts == ("link1",)


@pytest.mark.parametrize("seed", range(40))
def test_slabs_where_everything_coincides(seed: int) -> None:
    """Corners in the pivot, equal sizes, edges through the pivot, angles of whole steps."""
    rng = np.random.default_rng(seed)
    grid = (0.05, 0.1, 0.025)[seed % 3]

    def snapped(low: float, high: float, count: int) -> Array:
        return np.round(rng.uniform(low, high, (count, 2)) / grid) * grid

    arm = Arm.from_dh([Joint("revolute", a=2 * grid), Joint("revolute", a=grid)], "snapped")
    angles = rng.choice([0.0, np.pi / 2, np.pi / 4, -np.pi / 6], 6)
    sizes = np.maximum(snapped(0.02, 0.3, 6), grid)
    places = snapped(-0.3, 0.3, 6)
    places[0], places[1] = (0.0, 0.0), (2 * grid, 0.0)  # on both axes
    places[2] = sizes[2] / 2  # a corner in the origin
    bodies = [
        Box((*size, 0.1), (*place, 0.0), rotation_z(angle))
        for size, place, angle in zip(sizes, places, angles, strict=True)
    ]
    shapes = {
        "link2": [
            Box((*sizes[0], 0.1), (*snapped(-0.2, 0.2, 1)[0], 0.0)),
            Box((grid, grid, 0.1), (-grid / 2, grid / 2, 0.0), rotation_z(angles[3])),
        ]
    }
    made = [
        cspace(arm, bodies, shapes=shapes, shape=(72, 180), method=method)
        for method in ("slabs", "planar")
    ]
    np.testing.assert_array_equal(made[0].cells, made[1].cells)


@pytest.mark.parametrize("places", [1, 2, 3, 5, 7])
def test_slabs_with_steps_longer_than_a_quarter_turn(places: int) -> None:
    bodies = problem("rr").bodies
    for low in np.deg2rad([-180.0, -90.0, -33.0]):
        ranges = [None, (low, low + 2 * np.pi)]
        space = cspace("planar_rr", bodies, shape=(36, places), ranges=ranges)
        other = cspace("planar_rr", bodies, shape=(36, places), ranges=ranges, method="planar")
        assert space.method == "slabs"
        assert (space.cells == other.cells).all()


def test_what_is_kept_of_an_arm_fits_other_bodies_values_and_axes() -> None:
    arm = aw.load("scara")
    rng = np.random.default_rng(0)
    link = Box((0.3, 0.1, 0.2), (-0.1, 0.0, 0.0))
    shapes = ArmShapes(arm, {"link1": [link], "link2": [link]})
    seen = set()
    for _ in range(3):
        bodies = [Box((0.2, 0.1, 3.0), (*rng.uniform(-0.4, 0.4, 2), 0.0)) for _ in range(2)]
        for axes, q in (((0, 1), (0.0, 0.0, 0.1, 0.0)), ((1, 0), (0.0, 0.0, 0.0, 1.0))):
            space = cspace(arm, bodies, axes, (40, 30), q, shapes=shapes)
            anew = ArmShapes(aw.load("scara"), {"link1": [link], "link2": [link]})
            other = cspace(anew.arm, bodies, axes, (40, 30), q, shapes=anew, method="boxes")
            assert (space.cells == other.cells).all()
            seen.add((axes, space.hits))
    assert len(seen) > 4
