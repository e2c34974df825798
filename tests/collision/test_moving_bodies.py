"""Bodies that move beside an arm: coal says at fine steps what `check` must have proved."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.collision import (
    BodyMotion,
    Checker,
    ConstantVelocity,
    MovingArm,
    MovingBody,
    PlatformMotion,
    Repeated,
    SafetySettings,
    TimedPoses,
    arm_shapes,
)
from armwerk.collision.moving_body import Moving
from armwerk.collision.trajectory_reach import TrajectoryReach
from armwerk.errors import DescriptionError, MotionError, ShapeError
from armwerk.geometry import rotation_exp
from collision_witness import coal_distance, coal_geometry, coal_pose, random_shape

Array = NDArray[np.float64]

HOME = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])


@cache
def ur5e() -> aw.Arm:
    arm = aw.load("ur5e")
    assert isinstance(arm, aw.Arm)
    return arm


@cache
def beside() -> aw.Arm:
    """The same arm, 0.9 m away and turned."""
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = rotation_exp([0.0, 0.0, 2.0]), (0.3, -0.9, 0.0)
    return aw.Arm.from_dh(ur5e().joints, "beside", base)


def pose(position: Array | tuple[float, float, float], turn: Array | None = None) -> Array:
    T = np.eye(4)
    T[:3, 3] = position
    if turn is not None:
        T[:3, :3] = rotation_exp(turn)
    return T


def driven(seed: int) -> aw.Trajectory:
    rng = np.random.default_rng(seed)
    q0, q1, q2 = HOME + rng.uniform(-0.8, 0.8, (3, 6))
    if seed % 4 == 3:
        return aw.Path().ptp(q1, blend=0.05).ptp(q2).plan(ur5e(), q0)
    return aw.ptp(ur5e(), q0, q1, "full" if seed % 2 else "async")


def tool(trajectory: aw.Trajectory, time: float) -> Array:
    return np.array(aw.model(ur5e()).fk(trajectory.sample(time)[0])[:3, 3])


def some_motion(kind: str, where: Array, when: float, rng: np.random.Generator) -> BodyMotion:
    """A motion that comes by a place at a time."""
    velocity, rate = rng.normal(size=3) * 0.6, rng.normal(size=3) * 2.0
    there = pose(where, rng.normal(size=3))
    if kind == "belt":
        return ConstantVelocity(velocity, rate, there, at=when)
    if kind == "poses":
        times = np.array([when - 0.3, when, when + 0.2, when + 0.5])
        steps = [-0.3, 0.0, 0.2, 0.5]
        places = [pose(where + velocity * s, rng.normal(size=3)) for s in steps]
        return TimedPoses(times, np.array(places))
    if kind == "platform":
        limits = aw.Limits([1.0, 1.0, 2.0], [4.0, 4.0, 8.0], [40.0, 40.0, 80.0])
        drive = aw.ptp(None, [-0.3, -0.2, -1.0], [0.3, 0.4, 2.0], "sync", limits=limits)
        return PlatformMotion(drive, when - drive.duration / 2, pose=pose(where))
    return Repeated(ConstantVelocity(velocity, rate, there, at=0.1), 0.2, when % 0.2 - 0.2)


def coal_nearest(
    trajectory: aw.Trajectory, checker: Checker, moving: Moving, times: Array, start: float
) -> Array:
    """The smallest distance to one moving thing at each time, by coal."""
    solids = [coal_geometry(shape) for shape in checker.shapes[0]]
    others = [coal_geometry(shape) for shape in moving.shapes]
    frames = moving.frames(times + start).reshape(len(times), -1, 3, 4)
    out = np.full(len(times), np.inf)
    for n, q in enumerate(trajectory.sample(times)[0]):
        for a, shape in zip(solids, checker.shapes[0].at(q), strict=True):
            if shape.name == "base":
                continue
            T_a = coal_pose(shape)
            for b, body, F in zip(others, moving.shapes, frames[n], strict=True):
                placed = body.moved(np.vstack([F, [0.0, 0.0, 0.0, 1.0]]))
                out[n] = min(out[n], coal_distance(a, T_a, b, coal_pose(placed))[0])
    return out


@pytest.mark.parametrize("kind", ["belt", "poses", "platform", "again"])
@pytest.mark.parametrize("seed", range(6))
def test_the_verdict_is_what_coal_sees_at_fine_steps(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(kind)])
    trajectory, start = driven(seed), 3.0
    when = float(rng.uniform(0.2, 0.8)) * trajectory.duration
    where = tool(trajectory, when) + rng.normal(size=3) * 0.25
    shape = random_shape(("box", "sphere", "capsule", "cylinder", "cone", "box")[seed], rng, 0.05)
    body = MovingBody(shape, some_motion(kind, where, when + start, rng), "part")
    checker = Checker(ur5e())
    verdict = aw.check(trajectory, checker, moving=[body], start=start)
    assert verdict.proved
    times = np.linspace(0.0, trajectory.duration, 120)
    seen = coal_nearest(trajectory, checker, body, times, start)
    if verdict.contact is None:
        assert seen.min() > 0.0
        assert verdict.distance.value <= seen.min() + 1e-4
        there = coal_nearest(trajectory, checker, body, np.array([verdict.time]), start)[0]
        assert verdict.distance.value == pytest.approx(there, abs=1e-6)
        return
    assert verdict.contact.body == "part"
    before = seen[times < verdict.contact.time]
    assert (before > 0.0).all()
    touch = np.array([verdict.contact.time])
    assert coal_nearest(trajectory, checker, body, touch, start)[0] < 1e-5


@pytest.mark.parametrize("seed", range(4))
def test_another_arm_is_met_when_both_together_would_touch(seed: int) -> None:
    """Two arms in one checker, driven side by side, are another way to the same answer."""
    rng = np.random.default_rng(seed)
    one = driven(2 * seed)
    q0, q1 = HOME + rng.uniform(-0.6, 0.6, (2, 6))
    other = aw.ptp(beside(), q0, q1, "full")
    verdict = aw.check(one, ur5e(), moving=[MovingArm(beside(), other, begin=0.1)])
    both = Checker([ur5e(), beside()])
    times = np.linspace(0.0, one.duration, 3000)
    Q = np.hstack([one.sample(times)[0], other.sample(times - 0.1)[0]])
    own, second = Checker(ur5e()), Checker(beside())
    hits = both.contacts(Q) & ~own.contacts(Q[:, :6]) & ~second.contacts(Q[:, 6:])
    contact = verdict.contact
    if contact is not None and contact.body.startswith("beside."):
        assert times[np.argmax(hits)] == pytest.approx(contact.time, abs=2 * times[1])
    else:
        until = np.inf if contact is None else contact.time
        assert not hits[times < until].any()
    assert verdict.proved


@pytest.mark.parametrize("seed", range(4))
def test_what_never_moves_is_a_body_that_stands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trajectory = driven(seed)
    where = pose(tool(trajectory, 0.5 * trajectory.duration) + rng.normal(size=3) * 0.2)
    box = aw.Box((0.1, 0.15, 0.2), name="box")
    standing = aw.check(trajectory, ur5e(), [box.moved(where)])
    for motion in (
        ConstantVelocity((0.0, 0.0, 0.0), pose=where),
        TimedPoses([0.0], [where]),
        TimedPoses([0.0, 1.0], [where, where]),
        ConstantVelocity((1.0, 0.0, 0.0), pose=where, begin=-9.0, end=-8.0),
    ):
        found = aw.check(trajectory, ur5e(), moving=[MovingBody(box, motion)])
        assert found.free == standing.free
        assert found.time == standing.time
        assert found.distance.value == pytest.approx(standing.distance.value, abs=1e-12)
        assert found.distance.part == standing.distance.part


def test_an_arm_with_more_joints_than_axes_is_held_against_what_moves() -> None:
    arm = aw.load("irb660")
    assert isinstance(arm, aw.Arm)
    assert len(arm.free_chain.moving) > arm.dof
    rng = np.random.default_rng(0)
    met = 0
    for _ in range(12):
        q0 = np.array([0.2, 0.1, 0.2, 0.0])
        trajectory = aw.ptp(arm, q0, q0 + rng.uniform(-0.3, 0.3, 4), "full")
        where = pose(rng.uniform((0.3, -0.6, 0.3), (2.2, 0.6, 2.0)))
        box = aw.Box((0.2, 0.3, 0.2), name="box")
        standing = aw.check(trajectory, arm, [box.moved(where)])
        still = MovingBody(box, ConstantVelocity((0.0, 0.0, 0.0), pose=where))
        found = aw.check(trajectory, arm, moving=[still])
        assert found.free == standing.free
        assert found.distance.value == pytest.approx(standing.distance.value, abs=1e-12)
        met += not found.free
    assert 0 < met < 12


def test_a_bullet_is_found_however_fast_it_is() -> None:
    """A thing far faster than the arm is between two samples of any cycle, not of a proof."""
    trajectory = driven(1)
    when = 0.37 * trajectory.duration
    for speed in (10.0, 1e3, 1e5):
        fly = ConstantVelocity((0.0, speed, 0.0), pose=pose(tool(trajectory, when)), at=when)
        verdict = aw.check(trajectory, ur5e(), moving=[MovingBody(aw.Sphere(1e-3), fly, "bullet")])
        assert verdict.contact is not None
        assert verdict.contact.body == "bullet"
        assert abs(verdict.contact.time - when) < 0.3 / speed


@pytest.mark.parametrize("speed", [1.0, 3e3])
def test_the_clock_may_count_the_seconds_of_fifty_years(speed: float) -> None:
    """What happens does not depend on when, but for what a clock rounds: 0.2 µs of 1.7e9 s."""
    trajectory = driven(1)
    when = 0.37 * trajectory.duration
    found = []
    for start in (0.0, 1.7e9):
        there = pose(tool(trajectory, when))
        fly = ConstantVelocity((0.0, speed, 0.0), pose=there, at=start + when)
        mover = MovingBody(aw.Sphere(0.05), fly, "fly")
        found.append(aw.check(trajectory, ur5e(), moving=[mover], start=start).contact)
    now, late = found
    assert now is not None
    assert late is not None
    assert (late.part, late.body) == (now.part, "fly")
    assert abs(late.time - now.time) < 3e-6


def test_a_clock_that_tells_no_tenths_of_a_second_proves_nothing_wrong() -> None:
    trajectory = driven(1)
    when = 0.37 * trajectory.duration
    fly = ConstantVelocity((0.0, 1.0, 0.0), pose=pose(tool(trajectory, when)), at=1e15)
    mover = MovingBody(aw.Sphere(0.05), fly, "fly")
    assert not aw.check(trajectory, ur5e(), moving=[mover], start=1e15).free


def grazing() -> tuple[aw.Trajectory, aw.ArmShapes, float]:
    """An arm that stands, a ball at its tool, and the height of the top of the ball."""
    still = aw.ptp(ur5e(), HOME, HOME)
    longer = aw.ptp(None, HOME, HOME, duration=1.0, limits=aw.Limits.of(ur5e()))
    assert still.duration == 0.0
    ball = aw.ArmShapes(ur5e(), {"tool": [aw.Sphere(0.05, name="ball")]})
    return longer, ball, 0.05


@pytest.mark.parametrize("gap", [1e-3, 2e-6, -1e-9, 0.0])
def test_a_ball_that_grazes(gap: float) -> None:
    """A ball of 30 mm flies by one of 50 mm, centres 80 mm and the gap apart."""
    trajectory, shapes, _ = grazing()
    centre = np.array(aw.model(ur5e()).fk(HOME)[:3, 3])
    start = pose(centre + np.array([0.5, 0.0, 0.08 + gap]))
    fly = MovingBody(aw.Sphere(0.03), ConstantVelocity((-1.0, 0.0, 0.0), pose=start), "fly")
    verdict = aw.check(trajectory, ur5e(), shapes=shapes, moving=[fly])
    if gap > 0.0:
        assert verdict.free
        assert verdict.distance.value == pytest.approx(gap, abs=1e-4)
        assert verdict.distance.value >= gap - 1e-12
    else:
        assert verdict.contact is not None
        assert verdict.contact.time == pytest.approx(0.5, abs=1e-3)


def test_contact_at_the_first_and_at_the_last_instant() -> None:
    trajectory, shapes, _ = grazing()
    centre = np.array(aw.model(ur5e()).fk(HOME)[:3, 3])
    for place, expected in ((0.08, 0.0), (1.08, 1.0)):
        start = pose(centre + np.array([place, 0.0, 0.0]))
        fly = MovingBody(aw.Sphere(0.03), ConstantVelocity((-1.0, 0.0, 0.0), pose=start), "fly")
        verdict = aw.check(trajectory, ur5e(), shapes=shapes, moving=[fly])
        assert verdict.contact is not None
        assert verdict.contact.time == pytest.approx(expected, abs=2e-6)
    start = pose(
        centre + np.array([1.0801, 0.0, 0.0])
    )  # a tenth of a millimetre later it is too late
    late = MovingBody(aw.Sphere(0.03), ConstantVelocity((-1.0, 0.0, 0.0), pose=start), "fly")
    assert aw.check(trajectory, ur5e(), shapes=shapes, moving=[late]).free
    inside = MovingBody(aw.Sphere(0.5), ConstantVelocity((9.0, 0.0, 0.0), pose=pose(centre)))
    verdict = aw.check(trajectory, ur5e(), shapes=shapes, moving=[inside])
    assert verdict.contact is not None
    assert verdict.contact.time == 0.0


def test_parts_on_a_belt_come_again_without_passing_between() -> None:
    """A part jumps back to the start of the belt: what is between was never touched."""
    trajectory, shapes, _ = grazing()
    centre = np.array(aw.model(ur5e()).fk(HOME)[:3, 3])
    # from 0.3 m to 0.1 m before the ball, five times a second
    run = ConstantVelocity((0.0, 1.0, 0.0), pose=pose(centre + np.array([0.0, -0.35, 0.0])))
    belt = MovingBody(aw.Sphere(0.03), Repeated(run, 0.2), "part")
    verdict = aw.check(trajectory, ur5e(), shapes=shapes, moving=[belt])
    assert verdict.free
    assert verdict.distance.value == pytest.approx(0.15 - 0.08, abs=1e-3)
    longer = MovingBody(aw.Sphere(0.03), Repeated(run, 0.3), "part")
    met = aw.check(trajectory, ur5e(), shapes=shapes, moving=[longer])
    assert met.contact is not None
    assert met.contact.time == pytest.approx(0.27, abs=1e-5)
    later = aw.check(trajectory, ur5e(), shapes=shapes, moving=[longer], start=0.6 + 0.1)
    assert later.contact is not None
    assert later.contact.time == pytest.approx(0.17, abs=1e-5)


def test_margins_count_for_what_moves() -> None:
    trajectory, shapes, _ = grazing()
    centre = np.array(aw.model(ur5e()).fk(HOME)[:3, 3])
    start = pose(centre + np.array([0.5, 0.0, 0.08 + 0.01]))
    fly = MovingBody(aw.Sphere(0.03), ConstantVelocity((-1.0, 0.0, 0.0), pose=start), "fly")
    for margin, free in ((0.0099, True), (0.0101, False)):
        found = aw.check(
            trajectory, ur5e(), (), SafetySettings(margin=margin), shapes=shapes, moving=[fly]
        )
        assert found.free == free


def test_a_thousand_segments_of_another_arm_are_bounded_and_cheap() -> None:
    rng = np.random.default_rng(5)
    stops = HOME + np.cumsum(rng.normal(size=(1001, 6)) * 0.004, axis=0)
    other = aw.ptp(beside(), stops[0], stops[1], "full")
    pieces = [aw.ptp(beside(), a, b, "full").pieces[0] for a, b in pairwise(stops)]
    other = aw.Trajectory(tuple(pieces), other.limits)
    bounds = TrajectoryReach(other, 2.0)
    low = rng.uniform(1.0, 2.0 + other.duration, 400)
    high = low + 10.0 ** rng.uniform(-4, 1, 400)
    radii = bounds.radii(low, high)
    inner = low[:, None] + np.linspace(0.0, 1.0, 60) * (high - low)[:, None]
    middle = bounds.positions(0.5 * (low + high))
    moved = np.abs(bounds.positions(inner.ravel()).reshape(400, 60, 6) - middle[:, None]).max(
        axis=1
    )
    assert (moved <= radii + 1e-12).all()
    verdict = aw.check(driven(0), ur5e(), moving=[MovingArm(beside(), other)])
    assert verdict.proved


@pytest.mark.parametrize("seed", range(4))
def test_reach_bounds_every_point_of_a_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = ("belt", "poses", "platform", "again")[seed]
    motion = some_motion(kind, rng.normal(size=3), 0.7, rng)
    body = MovingBody([random_shape("box", rng), random_shape("cone", rng)], motion)
    low = rng.uniform(0.0, 1.0, 200)
    high = low + 10.0 ** rng.uniform(-4, 0, 200)
    whole = [len(motion.breaks(a, b)) == 0 for a, b in zip(low, high, strict=True)]
    low, high = low[whole], high[whole]
    moves = body.moves(low, high)
    for k, shape in enumerate(body.shapes):
        lowest, highest = shape.bounds
        points = rng.uniform(lowest, highest, (40, 3))
        points = points[shape.contains(points)]
        for share in np.linspace(1e-9, 1.0 - 1e-9, 9):
            T = motion.poses(low + share * (high - low))
            M = motion.poses(0.5 * (low + high))
            there = np.einsum("mij,kj->mki", T[:, :3, :3], points) + T[:, None, :3, 3]
            mid = np.einsum("mij,kj->mki", M[:, :3, :3], points) + M[:, None, :3, 3]
            way = np.linalg.norm(there - mid, axis=2).max(axis=1, initial=0.0)
            assert (way <= moves[:, k] + 1e-12).all()


def test_what_cannot_move_is_refused() -> None:
    belt = ConstantVelocity((0.1, 0.0, 0.0))
    with pytest.raises(DescriptionError, match="cannot move"):
        MovingBody(aw.HalfSpace((0, 0, 1)), belt)
    with pytest.raises(DescriptionError, match="at least one shape"):
        MovingBody([], belt)
    with pytest.raises(DescriptionError, match="ends before it begins"):
        ConstantVelocity((1, 0, 0), begin=2.0, end=1.0)
    with pytest.raises(ShapeError, match="velocity"):
        ConstantVelocity((1, 0))
    with pytest.raises(DescriptionError, match=r"faster than light.* 2\.99792e\+08 m/s"):
        ConstantVelocity((0.0, 1e300, 0.0))
    with pytest.raises(ShapeError, match="must rise"):
        TimedPoses([0.0, 1.0, 1.0], [np.eye(4)] * 3)
    with pytest.raises(ShapeError, match="go together"):
        TimedPoses([0.0, 1.0], [np.eye(4)] * 3)
    with pytest.raises(DescriptionError, match=r"0\.001 s or more"):
        Repeated(belt, 0.0)
    with pytest.raises(ShapeError, match="axes"):
        MovingArm("scara", driven(0))
    with pytest.raises(DescriptionError, match="platform"):
        PlatformMotion(driven(0))
    with pytest.raises(DescriptionError, match="MovingBody"):
        aw.check(driven(0), ur5e(), moving=[aw.Sphere(0.1)])  # type: ignore[list-item]
    with pytest.raises(DescriptionError, match="MovingBody"):
        aw.check(driven(0), ur5e(), moving=None)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="cannot move"):
        MovingBody(5, belt)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="begin: no time"):
        MovingArm(ur5e(), driven(0), begin="now")  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="start: no time"):
        aw.slowed(driven(0), ur5e(), start="now")  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="number"):
        aw.check(driven(0), ur5e(), start=float("nan"))
    assert arm_shapes(ur5e()).names


def keeps_its_share(slow: aw.Trajectory, fast: aw.Trajectory, body: MovingBody) -> Array:
    """Distances along a slowed motion; its speed is at most the share that each allows."""
    settings = SafetySettings()
    times = np.linspace(0.0, slow.duration, 300)
    near = coal_nearest(slow, Checker(ur5e()), body, times, 0.0)
    # where on the path it is, by the joint that moves most
    q, rates, _ = slow.sample(times)
    axis = int(np.argmax(np.abs(q[-1] - q[0])))
    old = np.linspace(0.0, fast.duration, 20_001)
    before, speeds, _ = fast.sample(old)
    sign = np.sign(q[-1, axis] - q[0, axis])
    was = np.interp(sign * q[:, axis], sign * before[:, axis], sign * speeds[:, axis])
    moving = was > 1e-2
    share = np.abs(rates[moving, axis]) / was[moving]
    assert (share <= settings.share(near[moving]) * (1 + 1e-3) + 1e-6).all()
    return near


def test_near_what_moves_the_arm_slows_down_by_the_distance_of_that_moment() -> None:
    fast = aw.ptp(ur5e(), HOME, HOME + 0.9, "full")
    where = pose(tool(fast, 0.5 * fast.duration) + np.array([0.0, -0.27, 0.0]))
    fly = MovingBody(
        aw.Sphere(0.05),
        ConstantVelocity((0.0, 0.3, 0.0), pose=where, end=0.4),
        "fly",
    )
    slow = aw.slowed(fast, ur5e(), moving=[fly])
    assert slow.duration > 1.05 * fast.duration
    near = keeps_its_share(slow, fast, fly)
    assert near.min() > 0.0
    assert "fly" in slow.notices[-1].text
    verdict = aw.check(slow, ur5e(), moving=[fly])
    assert verdict.free
    assert verdict.proved
    assert slow.sample(slow.duration)[0] == pytest.approx(HOME + 0.9)
    far = MovingBody(aw.Sphere(0.05), ConstantVelocity((0, 0, 1), pose=pose((0, 0, 9.0))))
    assert aw.slowed(fast, ur5e(), moving=[far]) is fast
    # what stands counts as it does among the bodies
    stands = where @ pose((0.0, 0.12, 0.0))
    still = aw.slowed(
        fast, ur5e(), moving=[MovingBody(aw.Sphere(0.05), TimedPoses([0.0], [stands]))]
    )
    given = aw.slowed(fast, ur5e(), [aw.Sphere(0.05).moved(stands)])
    assert still.duration == pytest.approx(given.duration, rel=0.05)
    assert still.duration >= given.duration * (1 - 1e-9)


def test_slowing_down_into_something_that_comes_is_refused() -> None:
    fast = aw.ptp(ur5e(), HOME, HOME + 0.9, "full")
    where = pose(tool(fast, fast.duration))
    late = fast.duration + 0.15  # then it is where the arm goes, and stays there
    crash = ConstantVelocity((0.0, 0.0, 3.0), pose=where, at=late, end=late)
    body = MovingBody(aw.Sphere(0.1), crash, "hammer")
    beside = aw.Sphere(0.02, tool(fast, 0.4 * fast.duration) + np.array([0.0, -0.11, 0.0]))
    assert aw.check(fast, ur5e(), [beside], moving=[body]).free
    with pytest.raises(MotionError, match="hammer"):
        aw.slowed(fast, ur5e(), [beside], moving=[body])
