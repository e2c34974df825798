"""Whole motions: nothing is jumped over, distances are right, areas and speeds are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.collision import (
    ArmShapes,
    Checker,
    Prover,
    Region,
    Verdict,
    arm_shapes,
    distance,
)
from armwerk.collision.bounded_trajectory import BoundedTrajectory, Intervals, rate_bounds
from armwerk.collision.kernels.motion import displacements
from armwerk.collision.slow_law import SlowedPiece, SlowLaw
from armwerk.errors import DescriptionError, MotionError, ShapeError, UnknownNameError
from armwerk.geometry import Shape, rotation_exp
from armwerk.motion.pieces.polynomial import PolynomialPiece

Array = NDArray[np.float64]

HOME = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
WAY = np.array([1.5, 0.3, -0.4, 0.5, 0.2, 1.0])
PLATE = 1e-4  # [m]


@cache
def ur5e() -> aw.Arm:
    arm = aw.load("ur5e")
    assert isinstance(arm, aw.Arm)
    return arm


def motion(seed: int) -> aw.Trajectory:
    """A motion at full speed: point to point of every kind, or a path with blends."""
    rng = np.random.default_rng(seed)
    q0, q1, q2 = HOME + rng.uniform(-0.8, 0.8, (3, 6))
    if seed % 4 == 3:
        return aw.Path().ptp(q1, blend=0.05).ptp(q2).plan(ur5e(), q0)
    kinds: tuple[Literal["trapezoid", "sine", "quintic"], ...] = ("trapezoid", "sine", "quintic")
    return aw.ptp(ur5e(), q0, q1, "full" if seed % 2 else "async", kinds[seed % 4])


def plated(seed: int) -> tuple[aw.Trajectory, float, Checker]:
    """A motion of a wire-thin arm, a time, and a plate that an arm part passes at that time.

    At the start of the motion the plate is not touched.
    """
    rng = np.random.default_rng(1000 + seed)
    trajectory = motion(seed)
    wire = arm_shapes(ur5e(), 2e-4)
    while True:
        when = rng.uniform(0.1, 0.9) * trajectory.duration
        placed = wire.at(trajectory.sample(when)[0])
        point = placed[int(rng.integers(2, len(placed)))].position
        wide = rng.choice([0.002, 0.002, 0.02, 0.2])
        plate = aw.Box((wide, wide, PLATE), point, rotation_exp(rng.normal(size=3)), name="plate")
        checker = Checker(ur5e(), [plate], wire)
        if not checker.contact(trajectory.sample(0.0)[0]):
            return trajectory, when, checker


@pytest.mark.parametrize("seed", range(30))
def test_a_plate_of_a_tenth_of_a_millimetre_is_found_wherever_it_stands(seed: int) -> None:
    trajectory, when, checker = plated(seed)
    verdict = aw.check(trajectory, checker)
    assert verdict.contact is not None
    assert verdict.contact.body == "plate"
    assert 0.0 < verdict.contact.time <= when + 1e-5
    # up to then it is free, and what is named is a contact
    fine = np.linspace(0.0, verdict.contact.time, 20_000, endpoint=False)
    assert not checker.contacts(trajectory.sample(fine)[0]).any()
    near = checker.distance(verdict.contact.q, self_too=False)
    assert near.value < 1e-5
    assert verdict.contact.part == near.part
    assert np.linalg.norm(verdict.contact.point - near.point_a) < 1e-3


def test_a_start_in_contact_is_found_at_time_zero() -> None:
    trajectory = motion(0)
    tool = aw.model(ur5e()).fk(trajectory.sample(0.0)[0])[:3, 3]
    verdict = aw.check(trajectory, ur5e(), [aw.Sphere(0.05, tool, name="ball")])
    assert verdict.contact is not None
    assert verdict.contact.time == 0.0
    assert verdict.contact.body == "ball"


def test_a_cycle_steps_over_such_plates() -> None:
    """What makes the test above one: sampling at 4 ms misses some that `check` finds."""
    missed = 0
    for seed in range(30):
        trajectory, _, checker = plated(seed)
        missed += not checker.contacts(trajectory.sampled(0.004)[1]).any()
    assert missed >= 5


@pytest.mark.parametrize("seed", range(16))
def test_the_verdict_agrees_with_fine_sampling(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trajectory = motion(seed)
    middle = aw.model(ur5e()).fk(trajectory.sample(trajectory.duration / 2)[0])[:3, 3]
    boxes = [
        aw.Box(
            tuple(rng.uniform(0.02, 0.2, 3)),
            middle + rng.uniform(-0.6, 0.6, 3),
            rotation_exp(rng.normal(size=3)),
        )
        for _ in range(3)
    ]
    checker = Checker(ur5e(), boxes)
    verdict = aw.check(trajectory, checker)
    times = np.linspace(0.0, trajectory.duration, 5000)
    q = trajectory.sample(times)[0]
    hits = checker.contacts(q)
    assert verdict.free == (not hits.any())
    if verdict.contact is not None:
        first = times[np.argmax(hits)]
        assert first - 2 * times[1] <= verdict.contact.time <= first + 1e-6
        return
    sampled = checker.distances(q, self_too=False)
    assert verdict.distance.value <= sampled.min() + 1e-4
    assert verdict.distance.value >= sampled.min() - 2e-3  # what is between the samples
    again = checker.distance(trajectory.sample(verdict.time)[0], self_too=False)
    assert verdict.distance.value == again.value
    gap = np.linalg.norm(verdict.distance.point_a - verdict.distance.point_b)
    assert gap == pytest.approx(verdict.distance.value, abs=1e-9)


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford", "ur5e"])
def test_nothing_gets_further_than_the_bound(name: str) -> None:
    """Random joint values within the radii, against points of the shapes themselves."""
    arm = aw.load(name)
    rng = np.random.default_rng(3)
    checker = Checker(arm)
    prover = Prover(checker)
    low, high = np.clip(arm.limits, -np.pi, np.pi).T
    q = rng.uniform(low, high, (40, arm.dof))
    radii = rng.uniform(0.0, 1.0, q.shape) * rng.choice([0.01, 0.1, 1.0, 3.0], (40, 1))
    scene = checker.scene
    single, double = displacements(
        checker.chain, checker.frames(q), radii, scene.shapes, scene.pairs, prover.moving
    )
    one, two = scene.pairs.T
    starts = _points(checker, prover, q)
    tight = 0.0
    for turn in range(50):
        # as far as it goes in either direction, and anywhere between
        share = rng.choice([-1.0, 1.0], q.shape) if turn % 2 else rng.uniform(-1.0, 1.0, q.shape)
        other = q + share * radii
        moved = _displaced(checker, prover, q, other)
        assert (moved <= single + 1e-9).all()
        # what hangs from one link comes nearer to each other by what is behind that link alone
        ends = _points(checker, prover, other)
        nearer = _spans(starts, one, two) - _spans(ends, one, two)
        assert (np.abs(nearer) <= double + 1e-9).all()
        small = (single > 1e-6) & (radii.max(axis=1)[:, None] < 0.1)
        tight = max(tight, float((moved / np.maximum(single, 1e-6))[small].max(initial=0.0)))
    assert tight > 0.8  # and not by being needlessly large


def test_a_stretched_arm_gets_as_far_as_the_bound_says() -> None:
    """All joints of a planar arm carry its tip the same way, each by its own distance to it."""
    arm = aw.load_arm("planar_rr")
    checker = Checker(arm, (), arm_shapes(arm, 1e-6))
    prover = Prover(checker)
    scene = checker.scene
    for size in (1e-6, 1e-3, 2.0, 40.0):
        q, radii = np.array([[0.3, 0.0]]), np.array([[size, 0.5 * size]])
        single, _ = displacements(
            checker.chain, checker.frames(q), radii, scene.shapes, scene.pairs, prover.moving
        )
        far, near = (np.linalg.norm(checker.frames(q)[0, k, [3, 7]]) for k in (1, 2))
        tip = aw.model(arm).fk(q[0])[:3, 3]
        reach = float(np.linalg.norm(tip))
        assert far == 0.0  # the first joint turns about the origin
        chords = min(size, 2.0) * reach + min(0.5 * size, 2.0) * (reach - near)
        assert single[0].max() == pytest.approx(chords, rel=1e-5)
        if size <= 1e-3:
            moved = _displaced(checker, prover, q, q + radii)[0].max()
            assert 0.998 * chords < moved <= chords * (1 + 1e-9)


def test_the_bound_of_an_interval_is_that_of_its_shapes_one_by_one() -> None:
    """A shape that moves far counts even where another one is nearer."""
    rng = np.random.default_rng(21)
    boxes = [aw.Box((0.1, 0.1, 0.1), p) for p in rng.uniform(-0.9, 0.9, (6, 3))]
    checker = Checker(ur5e(), boxes)
    prover = Prover(checker)
    shapes, scene = checker.shapes[0], checker.scene
    q = rng.uniform(-np.pi, np.pi, (40, 6))
    radii = 10.0 ** rng.uniform(-3.0, 0.0, q.shape)
    found = prover.intervals(q, radii, (q, q))
    single, _ = displacements(
        checker.chain, checker.frames(q), radii, scene.shapes, scene.pairs, prover.moving
    )
    others = 0
    for n in range(len(q)):
        gaps = np.array(
            [[distance(shape, box).value for box in boxes] for shape in shapes.at(q[n])]
        )
        gaps[[frame == 0 for frame in shapes.frames]] = np.inf
        bounds = gaps - single[n, :, None]
        assert found.distance[n] == pytest.approx(gaps.min(), abs=1e-9)
        assert found.least[n] == pytest.approx(bounds.min(), abs=1e-9)
        assert found.move[n] == single[n].max()
        others += gaps.argmin() != bounds.argmin()
    assert others > 5


def test_two_arms_that_move_come_near_by_both_moves() -> None:
    """Between shapes of two arms nothing is common but the ground; within one, the link before."""
    base = np.eye(4)
    base[0, 3] = 0.6
    first = ur5e()
    checker = Checker([first, aw.Arm.from_dh(first.joints, "second", base)])
    prover = Prover(checker)
    q = np.tile(HOME, 2)[None]
    scene = checker.scene
    radii = np.full((1, 12), 0.1)
    single, double = displacements(
        checker.chain, checker.frames(q), radii, scene.shapes, scene.pairs, prover.moving
    )
    count = len(checker.shapes[0])
    np.testing.assert_allclose(single[0, count:], single[0, :count], atol=1e-12)  # each by its own
    one, two = scene.pairs.T
    both = single[0, one] + single[0, two]
    across = (one < count) & (two >= count)
    assert across.any()
    np.testing.assert_allclose(double[0, across], both[across])
    assert (double[0, ~across] < both[~across]).all()


def _displaced(checker: Checker, prover: Prover, one: Array, two: Array) -> Array:
    a, b = (prover._places(checker.frames(rows)) for rows in (one, two))
    moved = np.linalg.norm(a - b, axis=2)
    return np.maximum.reduceat(moved, prover.moving.first[:-1], axis=1)


def _points(checker: Checker, prover: Prover, rows: Array) -> Array:
    """Return one point of every shape in the world. Shape (m, s, 3)."""
    return prover._places(checker.frames(rows))[:, prover.moving.first[:-1]]


def _spans(points: Array, one: NDArray[np.int64], two: NDArray[np.int64]) -> Array:
    return np.asarray(np.linalg.norm(points[:, one] - points[:, two], axis=2))


@cache
def near_block() -> tuple[aw.Trajectory, Checker]:
    trajectory = aw.ptp(ur5e(), HOME, HOME + WAY)
    middle = aw.model(ur5e()).fk(trajectory.sample(trajectory.duration / 2)[0])[:3, 3]
    return trajectory, Checker(ur5e(), [aw.Box((0.1, 0.1, 0.1), middle + np.array([0, 0, 0.25]))])


def _along_a_line() -> aw.Trajectory:
    down = aw.model(ur5e()).fk(HOME)
    down[:3, 3] += [0.1, 0.1, -0.1]
    return aw.Path().ptp(HOME + 0.1 * WAY).lin(down).plan(ur5e(), HOME)


@pytest.mark.parametrize(
    ("make", "proved"),
    [
        *((lambda seed=seed: motion(seed), True) for seed in range(4)),
        (lambda: aw.slowed(*near_block()), True),
        (lambda: aw.slowed(motion(3), ur5e(), [_beside(motion(3))]), True),
        (_along_a_line, False),
        (lambda: aw.slowed(_along_a_line(), ur5e(), [_beside(_along_a_line())]), False),
    ],
)
def test_no_joint_gets_further_than_its_radius(
    make: Callable[[], aw.Trajectory], proved: bool
) -> None:
    """Random intervals against fine samples within; and the bounds are not needlessly large."""
    trajectory = make()
    motion = BoundedTrajectory(trajectory)
    assert motion.proved == proved
    assert motion.high[-1] == pytest.approx(trajectory.duration)
    np.testing.assert_allclose(motion.low[1:], motion.high[:-1], atol=1e-9)
    rng = np.random.default_rng(8)
    which = rng.integers(0, len(motion.low), 400)
    ends = np.sort(rng.random((400, 2)), axis=1) ** rng.choice([1.0, 4.0], (400, 1))
    low, high = (motion.low[which] + x * (motion.high - motion.low)[which] for x in ends.T)
    intervals = Intervals(low, high, which)
    states = motion.states(intervals, False)
    moved = np.zeros_like(states.q)
    for share in np.linspace(0.0, 1.0, 41):
        moved = np.maximum(
            moved, np.abs(trajectory.sample(low + share * (high - low))[0] - states.q)
        )
    assert (moved <= states.radii + 1e-9).all()
    for share in np.linspace(0.001, 0.999, 41):
        _, qd, qdd = trajectory.sample(low + share * (high - low))
        assert (np.abs(qd) <= motion.velocity[which] + 1e-9).all()
        assert (np.abs(qdd) <= motion.acceleration[which] * (1 + 1e-9) + 1e-6).all()
    large = moved > 0.1 * moved.max()
    if proved:
        assert np.median(states.radii[large] / moved[large]) < 3.0


def test_braking_of_a_slowed_motion_is_bounded() -> None:
    """An even motion has no acceleration of its own: all of it comes from the law."""
    even = PolynomialPiece(np.array([[0.0, 1.0]]), np.array([[[0.0, 2.0, 0.0, 0.0]]]))
    law = SlowLaw.of(1.0, np.array([1.0, 1.0, 0.9, 0.1, 0.1, 0.7, 1.0, 1.0]))
    slow = SlowedPiece(even, 0.0, law)
    for part in rate_bounds(slow, None):
        _, qd, qdd, _ = slow.evaluate(np.linspace(part.low, part.high, 200))
        assert part.proved
        assert np.abs(qd).max() <= part.velocity[0] + 1e-9
        assert 0.1 < np.abs(qdd).max() <= part.acceleration[0] + 1e-9


def _beside(trajectory: aw.Trajectory) -> aw.Box:
    middle = aw.model(ur5e()).fk(trajectory.sample(trajectory.duration / 2)[0])[:3, 3]
    return aw.Box((0.1, 0.1, 0.1), middle + np.array([0.0, 0.0, 0.25]))


@pytest.mark.parametrize("seed", range(6))
def test_a_proved_line_is_free_and_a_free_line_is_proved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = [
        aw.Box((0.2, 0.15, 0.1), p / np.linalg.norm(p) * 0.65, rotation_exp(rng.normal(size=3)))
        for p in rng.normal(size=(6, 3))
    ]
    checker = Checker(ur5e(), boxes)
    prover = Prover(checker)
    rows = rng.uniform(-2.5, 2.5, (60, 6))
    rows = rows[~checker.contacts(rows)]
    proved = []
    for a, b in pairwise(rows):
        free, place, looks = prover.segments(np.stack([a, b]))
        hits = checker.contacts(a + np.linspace(0, 1, 4000)[:, None] * (b - a))
        assert free == (not hits.any())
        assert looks > 0
        proved.append(free)
        if not free:
            nearby = checker.distance(a + place * (b - a))
            assert nearby.value < 2e-3
    assert len(set(proved)) == 2


def test_the_segment_of_a_path_is_named() -> None:
    middle, end = HOME + 0.5 * WAY, HOME + WAY
    trajectory = (
        aw.Path().ptp(HOME + 0.1, blend=0.02).ptp(middle, blend=0.02).ptp(end).plan(ur5e(), HOME)
    )
    tool = aw.model(ur5e()).fk(0.3 * middle + 0.7 * end)[:3, 3]
    verdict = aw.check(trajectory, ur5e(), [aw.Sphere(0.02, tool, name="ball")])
    assert verdict.contact is not None
    assert verdict.contact.segment == 3
    assert "ball" in str(verdict)
    assert "segment 3" in str(verdict)


def test_the_arm_itself_counts() -> None:
    folded = HOME + np.array([0, 0, 1.45, 0, 0, 0])
    trajectory = aw.ptp(ur5e(), HOME, folded)
    verdict = aw.check(trajectory, ur5e())
    assert verdict.contact is not None
    assert verdict.contact.part.startswith("link")
    assert verdict.contact.body.startswith("link")
    assert aw.check(trajectory, ur5e(), settings=aw.SafetySettings(self_check=False)).free


def test_a_margin_is_kept() -> None:
    trajectory = aw.ptp(ur5e(), HOME, HOME + WAY)
    middle = aw.model(ur5e()).fk(trajectory.sample(trajectory.duration / 2)[0])[:3, 3]
    block = aw.Box((0.1, 0.1, 0.1), middle + np.array([0, 0, 0.4]), name="block")
    near = aw.check(trajectory, ur5e(), [block]).distance.value
    assert 0.1 < near < 0.3
    assert aw.check(trajectory, ur5e(), [block], aw.SafetySettings(margin=near - 1e-3)).free
    verdict = aw.check(trajectory, ur5e(), [block], aw.SafetySettings(margin=near + 1e-3))
    assert verdict.contact is not None
    assert verdict.contact.body == "block"
    assert verdict.distance.value == pytest.approx(near + 1e-3, abs=1e-5)


def test_areas_of_joint_values() -> None:
    trajectory = aw.ptp(ur5e(), HOME, HOME + WAY, "full")
    ranges: dict[str | int, tuple[float, float]] = {0: (0.2, 1.7), "elbow": (1.2, 1.6)}
    inside = aw.SafetySettings(areas=(aw.JointArea(ranges),))
    assert aw.check(trajectory, ur5e(), settings=inside).free  # ends included
    left = aw.JointArea({"shoulder_pan": (0.0, 1.0)}, name="left half")
    verdict = aw.check(trajectory, ur5e(), settings=aw.SafetySettings(areas=(left,)))
    assert verdict.contact is not None
    assert verdict.contact.q[0] == pytest.approx(1.0, abs=1e-5)
    assert (verdict.contact.part, verdict.contact.body) == ("joint 'shoulder_pan'", "left half")
    thin = aw.JointArea({0: (1.0, 1.0 + 1e-7)}, allowed=False)
    verdict = aw.check(trajectory, ur5e(), settings=aw.SafetySettings(areas=(thin,)))
    assert verdict.contact is not None
    assert verdict.contact.q[0] == pytest.approx(1.0, abs=1e-5)
    apart = aw.JointArea({0: (0.2, 0.4), 5: (1.0, 1.1)}, allowed=False)  # never both at once
    assert aw.check(trajectory, ur5e(), settings=aw.SafetySettings(areas=(apart,))).free
    wrong = aw.SafetySettings(areas=(aw.JointArea({"hip": (0, 1)}),))
    with pytest.raises(UnknownNameError, match="hip"):
        aw.check(trajectory, ur5e(), settings=wrong)


def test_joint_limits_and_the_region_of_the_tool() -> None:
    limits = aw.Limits.of(ur5e())
    free = aw.Limits(limits.velocity, limits.acceleration, limits.jerk)
    beyond = aw.ptp(ur5e(), HOME, HOME + np.array([0, 0, 1.8, 0, 0, 0]), limits=free)
    settings = aw.SafetySettings(self_check=False)
    verdict = aw.check(beyond, ur5e(), settings=settings)
    assert verdict.contact is not None
    assert verdict.contact.body == "joint limits"
    assert verdict.contact.q[2] == pytest.approx(np.pi, abs=1e-5)
    trajectory = aw.ptp(ur5e(), HOME, HOME + WAY)
    tools = aw.model(ur5e()).fk(trajectory.sample(np.linspace(0, 2, 500))[0])[:, :3, 3]
    top = float(tools[:, 2].max())
    for height, safe in ((top + 1e-3, True), (top - 1e-3, False)):
        room = Region(aw.Box((4, 4, 2 * height)), "room")
        verdict = aw.check(trajectory, ur5e(), settings=aw.SafetySettings(tool_region=room))
        assert verdict.free == safe
    assert verdict.contact is not None
    assert (verdict.contact.part, verdict.contact.body) == ("tool", "room")


def test_speed_falls_with_distance_and_the_path_stays() -> None:
    trajectory, checker = near_block()
    settings = aw.SafetySettings(speeds=((0.03, 0.3), (0.12, 1.0)))
    slow = aw.slowed(trajectory, checker, settings=settings)
    assert slow.duration > 1.2 * trajectory.duration
    piece = slow.pieces[0]
    times = np.linspace(0.0, slow.duration, 3000)
    old = piece.old(times)  # type: ignore[attr-defined]
    q, qd, qdd = slow.sample(times)
    np.testing.assert_allclose(q, trajectory.sample(old)[0], atol=1e-12)
    allowed = settings.share(checker.distances(q, self_too=False))
    speed = np.abs(trajectory.sample(old)[1])
    assert (np.abs(qd) <= allowed[:, None] * speed + 1e-9).all()
    # and not much longer than the settings alone would make it
    even = np.linspace(0.0, trajectory.duration, 3000)
    shares = settings.share(checker.distances(trajectory.sample(even)[0], self_too=False))
    least = float(np.trapezoid(1.0 / shares, even))
    assert least < slow.duration < 1.5 * least
    # velocities and accelerations are those of the positions
    h = times[1]
    rates = (q[2:] - q[:-2]) / (2 * h)
    assert np.abs(rates - qd[1:-1]).max() < 1e-4
    assert np.abs((qd[2:] - qd[:-2]) / (2 * h) - qdd[1:-1]).max() < 0.05
    assert slow.notices[-1].text.startswith("slowed down near 'box0'")


def test_a_slowed_motion_keeps_its_limits_and_is_checked_like_any_other() -> None:
    trajectory, checker = near_block()
    limits = trajectory.limits
    assert limits is not None
    for speeds in (((0.02, 0.2), (0.1, 1.0)), ((0.05, 0.5), (0.06, 1.0)), ((1.0, 0.1),)):
        settings = aw.SafetySettings(speeds=speeds)
        slow = aw.slowed(trajectory, checker, settings=settings)
        found = slow.evaluate(np.linspace(0.0, slow.duration, 7919))
        for rates, most in zip(
            found[1:], (limits.velocity, limits.acceleration, limits.jerk), strict=True
        ):
            assert (np.abs(rates) <= 1.0005 * most).all()
        verdict = aw.check(slow, checker)
        assert verdict.free
        before = aw.check(trajectory, checker).distance.value
        assert verdict.distance.value == pytest.approx(before, abs=1e-4)


def test_slowing_leaves_far_motions_alone_and_refuses_unsafe_ones() -> None:
    trajectory, checker = near_block()
    assert aw.slowed(trajectory, ur5e()) is trajectory
    middle = aw.model(ur5e()).fk(trajectory.sample(trajectory.duration / 2)[0])[:3, 3]
    with pytest.raises(MotionError, match=r"segment 1, at 0\.\d+ s: not safe: .* meets ball"):
        aw.slowed(trajectory, ur5e(), [aw.Sphere(0.05, middle, name="ball")])
    assert checker.dof == 6


def test_closed_chains_are_checked_too() -> None:
    from armwerk.robot import Assembly, library

    arms = [arm for name in library() if isinstance(arm := aw.load(name), Assembly)]
    arm = arms[0]
    checker = Checker(arm, self_check=False)
    model = aw.model(arm)
    q0 = np.asarray(model.middle)
    limits = aw.Limits(np.full(arm.dof, 1.0), np.full(arm.dof, 5.0), np.full(arm.dof, 50.0))
    q1 = q0 + 0.02
    trajectory = aw.ptp(arm, q0, q1, limits=limits)
    settings = aw.SafetySettings(self_check=False)
    assert aw.check(trajectory, checker, settings=settings).free
    shape = checker.shapes[0].at(trajectory.sample(trajectory.duration / 2)[0])[-1]
    plate = aw.Box((0.05, 0.05, PLATE), shape.position, name="plate")
    verdict = aw.check(trajectory, arm, [plate], settings)
    assert verdict.contact is not None
    assert verdict.contact.body == "plate"


def test_what_is_wrong_is_said() -> None:
    trajectory = aw.ptp(ur5e(), HOME, HOME + WAY)
    with pytest.raises(ShapeError, match="6 axes, but the arm has 4"):
        aw.check(trajectory, "scara")
    with pytest.raises(DescriptionError, match="no trajectory"):
        aw.check(HOME, ur5e())  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="no settings"):
        aw.check(trajectory, ur5e(), settings={"margin": 1})  # type: ignore[arg-type]
    for margin in (-1.0, np.nan):
        with pytest.raises(DescriptionError, match="safety settings, margin"):
            aw.SafetySettings(margin=margin)
    with pytest.raises(DescriptionError, match="safety settings, accuracy"):
        aw.SafetySettings(accuracy=0.0)
    for speeds in ((), ((0.1, 0.5), (0.1, 1.0)), ((0.1, 0.0),), ((0.1, 1.5),), ((np.nan, 1.0),)):
        with pytest.raises(DescriptionError, match="speeds"):
            aw.SafetySettings(speeds=speeds)
    for areas in (None, "up", [3]):
        with pytest.raises(DescriptionError, match="areas"):
            aw.SafetySettings(areas=areas)  # type: ignore[arg-type]
    one = aw.JointArea({0: (0, 1)})
    assert aw.SafetySettings(areas=one).areas == (one,)  # type: ignore[arg-type]
    nothing: dict[int, tuple[float, float]] = {}
    for ranges in (nothing, {0: (1.0, 0.0)}, {0: (np.nan, 1.0)}):
        with pytest.raises(DescriptionError, match="joint area"):
            aw.JointArea(ranges)
    with pytest.raises(DescriptionError, match="joint area"):
        aw.JointArea({0: 3})  # type: ignore[arg-type]


def test_nothing_around_is_free() -> None:
    verdict = aw.check(aw.ptp(ur5e(), HOME, HOME + WAY), ur5e())
    assert isinstance(verdict, Verdict)
    assert verdict
    assert verdict.distance.value == np.inf
    assert "nothing around" in str(verdict)


Grazed: TypeAlias = Literal["body", "base", "first arm", "second arm"]


def _grazing(whose: Grazed, between: Array, deep: float) -> Checker:
    """Return a thin planar arm and a ball that it grazes in one configuration.

    Args:
        whose: What the ball is: a body, on the arm's own base, or on another arm's slider, which
            stands before the arm or behind it.
        between: Where it is grazed. Shape (2,).
        deep: By how much [m].
    """
    arm = aw.load_arm("planar_rr")
    wire = arm_shapes(arm, 1e-3)
    tool = aw.model(arm).fk(between)[:3, 3]
    away = tool + 0.5 * tool / np.linalg.norm(tool)
    gap = Checker(arm, [aw.Sphere(1e-3, position=tuple(away))], wire).distance(between)
    way = gap.point_b - gap.point_a
    ball = aw.Sphere(1e-3, position=tuple(away - way - deep * way / np.linalg.norm(way)))
    if whose == "body":
        return Checker(arm, [ball], wire)
    if whose == "base":
        links: dict[str, list[Shape]] = {"base": [ball]}
        for frame, shape in zip(wire.frames, wire.shapes, strict=True):
            links.setdefault("tool" if frame > 2 else f"link{frame}", []).append(shape)
        return Checker(arm, (), ArmShapes(arm, links))
    base = np.eye(4)
    base[:3, 3] = ball.position
    slider = aw.Arm.from_dh([aw.Joint("prismatic", name="up")], "slider", base)
    balls = ArmShapes(slider, {"up": aw.Sphere(1e-3)})
    if whose == "first arm":
        return Checker([slider, arm], (), [balls, wire])
    return Checker([arm, slider], (), [wire, balls])


@pytest.mark.parametrize("whose", get_args(Grazed))
def test_a_touch_shorter_than_every_look_is_not_proved_free(whose: Grazed) -> None:
    """A ball that the arm grazes by a thousandth of a millimetre lies between all coarse looks."""
    rng = np.random.default_rng(5)
    grazed = 0
    for _ in range(20):
        start = rng.uniform(-0.3, 0.3, 2)
        end = start + np.array([0.4, 0.0])
        share = rng.uniform(0.1, 0.9)
        between = start + share * (end - start)
        ends = np.stack([start, end])
        if whose.endswith("arm"):  # the ball slides past while the arm passes by
            slide = 0.02 * np.array([[-share], [1.0 - share]])
            ends = np.hstack([slide, ends] if whose == "first arm" else [ends, slide])
        for deep in (1e-6, -1e-6):
            checker = _grazing(whose, between, deep)
            at = ends[0] + share * (ends[1] - ends[0])
            assert checker.contact(at) == (deep > 0)
            if checker.contacts(ends).any():
                break
            grazed += deep > 0
            free, place, looks = Prover(checker).segments(ends, finest=1e-9)
            assert free == (deep < 0)
            assert looks > 2  # its two ends do not tell
            if not free:
                assert place == pytest.approx(share, abs=0.01)
    assert grazed > 10


def test_earlier_names_stay() -> None:
    checker = Checker(ur5e())
    assert checker.links is checker.chain
    rows = np.stack([HOME, HOME + 0.1 * WAY])
    assert Prover(checker).way(rows) == Prover(checker).segments(rows)
