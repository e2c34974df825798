"""Time laws of least time: held against stored optima, against ruckig, and against differences."""

from __future__ import annotations

import tomllib
from pathlib import Path as FilePath

import numpy as np
import pytest
from hard_paths import DRAWN, HARD
from optimal_paths import CHOSEN, HOMES, TimedProblem, problem
from problems import serial
from singular_paths import KINDS, limit_use, path_past, planned, singular_joints, steps, tool_off

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion import Limits, Path
from armwerk.motion.retiming.closed_law import ClosedLaw
from armwerk.motion.retiming.time_run import PathPiece

WITHIN = 1.0 + 1e-6
NEAR = 1.05
TIMES: dict[str, dict[str, float]] = tomllib.loads(
    (FilePath(__file__).parent / "least_times.toml").read_text(encoding="utf-8")
)
LEAST = TIMES["paths"]
SOME_HARD = (
    "kr6_r900, past a stretched wrist",
    "ur5e, from a stretched elbow",
    "ur10e, nearly half a turn",
    "ur5e, tiny lines",
    "xarm6, a slow wrist",
    "five_axis, sharp corners",
    "coupled_puma, joints",
    "puma560, corner by torque",
    "iiwa7, tiny lines",
)
"""Hard paths of every run of the tests; the long one has them all."""


def differences(trajectory: aw.Trajectory, step: float = 2e-4) -> tuple[Array, Array, Array]:
    """Return fractions of the joints' limits, from joint values alone: velocity to jerk."""
    q = trajectory.sample(np.arange(0.0, trajectory.duration + 4 * step, step))[0]
    limits = trajectory.limits
    assert limits is not None
    rates = (limits.velocity, limits.acceleration, limits.jerk)
    used = [
        (np.abs(np.diff(q, k, axis=0)).max(axis=0) / step**k) / rate
        for k, rate in enumerate(rates, start=1)
    ]
    return used[0], used[1], used[2]


def tool_differences(given: TimedProblem, trajectory: aw.Trajectory, step: float) -> Array:
    """Return the largest speed, acceleration, jerk of the tool's point, from joint values alone."""
    q = trajectory.sample(np.arange(0.0, trajectory.duration + 4 * step, step))[0]
    points = given.model.fk(q)[:, :3, 3]
    return np.array(
        [np.linalg.norm(np.diff(points, k, axis=0), axis=1).max() / step**k for k in (1, 2, 3)]
    )


@pytest.mark.parametrize("chosen", [CHOSEN[k] for k in (3, 6, 9, 13, 17, 28)], ids=str)
@pytest.mark.parametrize("optimal", [None, True])
def test_limits_hold_and_time_is_saved(chosen: tuple[str, str, str], optimal: bool | None) -> None:
    given = problem(*chosen)
    usual = given.path.plan(given.model, given.q0, optimal=False)
    quick = given.path.plan(given.model, given.q0, optimal=optimal)
    assert quick.duration < 0.95 * usual.duration
    assert max(used.max() for used in differences(quick)) <= WITHIN
    assert np.abs(quick.sample(quick.duration)[0] - usual.sample(usual.duration)[0]).max() < 1e-12
    assert np.abs(quick.sample(quick.duration)[1]).max() == 0.0
    if chosen[1] not in {"joints", "mixed"}:
        most = given.path.limits.array()[:, 0]
        assert (tool_differences(given, quick, 2e-4) <= most * WITHIN).all()


@pytest.mark.parametrize(("optimal", "usually"), [(None, 1.006), (True, 1.004)])
def test_thirty_paths_are_near_the_optimum_of_an_independent_solver(
    optimal: bool | None, usually: float
) -> None:
    """Not above it by two per cent, and not below: then the solver would be no witness."""
    assert len(LEAST) == len(CHOSEN) == 30
    ratios = {}
    for chosen in CHOSEN:
        given = problem(*chosen)
        motion = given.path.plan(given.model, given.q0, optimal=optimal)
        ratios[given.name] = motion.duration / LEAST[given.name]
    assert max(ratios.values()) <= 1.02 < NEAR, ratios
    assert min(ratios.values()) >= 0.999, ratios
    assert np.median(list(ratios.values())) < usually


@pytest.mark.parametrize("name", SOME_HARD)
def test_hard_paths_are_near_the_optimum_too(name: str) -> None:
    given = HARD[name]()
    motion = given.plan()
    assert 0.999 <= motion.duration / TIMES["hard"][name] <= NEAR
    used = differences(motion)
    assert max(row.max() for row in used[::2]) <= WITHIN
    assert given.drives or used[1].max() <= WITHIN
    again = given.plan().sample(0.4 * motion.duration)
    assert all(map(np.array_equal, again, motion.sample(0.4 * motion.duration)))


@pytest.mark.parametrize("seed", [0, 3, 18])
def test_paths_of_another_seed_are_near_the_optimum(seed: int) -> None:
    """Among them the two that are farthest from it, both of an arm with a joint to spare."""
    motion = DRAWN[f"drawn {seed}"]().plan()
    assert 0.999 <= motion.duration / TIMES["drawn"][f"drawn {seed}"] <= NEAR
    assert max(row.max() for row in differences(motion)) <= WITHIN


@pytest.mark.soak
@pytest.mark.parametrize("optimal", [None, True])
@pytest.mark.parametrize("table", ["hard", "drawn"])
def test_all_hard_paths_are_near_the_optimum(table: str, optimal: bool | None) -> None:
    times = TIMES[table]
    problems = HARD if table == "hard" else DRAWN
    ratios = {name: make().plan(optimal).duration / times[name] for name, make in problems.items()}
    assert list(ratios) == list(times)
    assert 0.999 <= min(ratios.values()) <= max(ratios.values()) <= NEAR, ratios
    assert np.median(list(ratios.values())) < 1.01


@pytest.mark.soak
@pytest.mark.parametrize("chosen", [CHOSEN[k] for k in (0, 6, 13, 16, 19, 20)], ids=str)
def test_stored_optima_are_what_the_solver_says(chosen: tuple[str, str, str]) -> None:
    pytest.importorskip("casadi")
    from time_witness import cut_path, least_time

    given = problem(*chosen)
    usual = given.path.plan(given.model, given.q0)
    assert usual.limits is not None
    (piece,) = usual.pieces
    assert isinstance(piece, PathPiece)
    found = [
        least_time(cut_path(piece.run, usual.limits, piece.law, places)) for places in (200, 400)
    ]
    assert all(one.solved for one in found)
    assert found[1].duration == pytest.approx(LEAST[given.name], rel=1e-3)
    assert found[0].duration == pytest.approx(found[1].duration, rel=5e-3)  # it has settled
    if isinstance(piece.law, ClosedLaw):
        assert found[1].duration == pytest.approx(piece.law.duration, rel=1e-4)  # seven phases


def hold_past_singular_places(name: str, numbers: range) -> int:
    """Drive random paths through singular places, or a hair beside; return how many there were."""
    model, count = serial(name), 0
    for number in numbers:
        random = np.random.default_rng([number, *name.encode()])
        q = singular_joints(model, random)
        if q is None:
            continue
        beside = float(random.choice([0.0, 1e-6, 1e-4, 1e-2]))
        one = path_past(model, q, beside, KINDS[number % len(KINDS)], number)
        try:
            usual = planned(model, one)
            quick = one.path.plan(model, usual.sample(0.0)[0], optimal=True)
        except MotionError:
            continue
        count += 1
        assert quick.duration <= usual.duration * (1.0 + 1e-9)
        assert limit_use(quick).max() <= WITHIN
        assert tool_off(model, quick) < 1e-7
        assert steps(quick) < 1e-9
    return count


@pytest.mark.parametrize(("name", "tries"), [("kr6_r900", 8), ("puma560", 24)])
def test_singular_places_keep_limits_and_curve(name: str, tries: int) -> None:
    """Many tries are out of the arm's reach, those of the Puma above all."""
    assert hold_past_singular_places(name, range(tries)) >= 4


@pytest.mark.soak
@pytest.mark.parametrize("name", ["kr6_r900", "puma560", "irb140", "ur5e", "tx60", "xarm6"])
def test_many_singular_places_keep_limits_and_curve(name: str) -> None:
    assert hold_past_singular_places(name, range(100, 220)) >= 30


@pytest.mark.parametrize("way", [0.003, 0.3, 3.0])
def test_one_joint_takes_the_time_of_ruckig(way: float) -> None:
    """Ways on which acceleration, speed, and both come to their limits."""
    q0, limits = np.array([-1.5, -0.3]), Limits([1.5, 1.5], [4.0, 4.0], [40.0, 40.0])
    goal = np.array([way - 1.5, -0.3])
    exact = aw.ptp(None, q0, goal, "full", limits=limits).duration
    quick = Path().ptp(goal).plan(aw.model("planar_rr"), q0, limits=limits, optimal=True)
    assert exact * (1.0 - 1e-6) <= quick.duration <= exact * 1.005


def test_a_line_that_the_tool_alone_limits_keeps_its_exact_law() -> None:
    given = problem("ur5e", "line", "gentle")
    usual = given.path.plan(given.model, given.q0)
    assert given.path.plan(given.model, given.q0, optimal=True).duration == usual.duration


def test_blends_that_touch_leave_no_room_between_their_borders() -> None:
    """Blends of half a line each: what is left of the lines is a nanometre long."""
    model, q0 = aw.model("ur5e"), np.array(HOMES["ur5e"])
    start = model.fk(q0)
    turn = 0.05 * np.arange(1, 41)
    ring = np.stack([0.01 * np.cos(turn) - 0.01, 0.01 * np.sin(turn), 0.0 * turn], axis=1)
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0)
    path = path.lines(start[:3, 3] + ring, blend=2.5e-4)
    usual = path.plan(model, q0, optimal=False)
    quick = path.plan(model, q0)
    assert quick.duration < 0.97 * usual.duration
    assert max(used.max() for used in differences(quick)) <= WITHIN


def test_a_stretch_that_is_too_long_is_timed_as_unasked_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = problem("ur5e", "corner", "free")
    usual = given.path.plan(given.model, given.q0, optimal=False)
    for module in ("time_run", "quickest_law"):
        monkeypatch.setattr(f"armwerk.motion.retiming.{module}.LONGEST", 50)
    quick = given.path.plan(given.model, given.q0, optimal=True)
    assert quick.duration == given.path.plan(given.model, given.q0).duration
    assert quick.duration <= usual.duration
    assert "too many to look for the least time" in str(quick.notices[-1])
    with pytest.raises(MotionError, match="too many to look for"):
        given.path.plan(given.model, given.q0, drives=True)


def test_a_profile_that_fixes_the_law_is_refused() -> None:
    given = problem("ur5e", "line", "free")
    path = Path(given.model.fk(given.q0), profile="sine").lin([0.0, -0.2, 0.6])
    with pytest.raises(MotionError, match="profile='trapezoid'"):
        path.plan(given.model, given.q0, optimal=True)
