"""Paths of very many segments: what they are made of, and what drives them."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path as FilePath
from typing import Any, Literal

import numpy as np
import pytest
from milling import KINDS, milling_shape, off_the_lines, use_by_differences
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp, transform
from armwerk.modelling import model as model_of
from armwerk.motion import Path, Trajectory, ptp
from armwerk.motion.kernels.speed_barrier import quickest_speeds
from armwerk.motion.kernels.tracks import ARC, LINE, OTHER, POINT, POLYNOMIAL, SPLINE
from armwerk.motion.path import blend_tracks as blending
from armwerk.motion.path.blend_tracks import BuiltSegment, blend_tracks
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.line_corners import LineCorners
from armwerk.motion.path.track import Track
from armwerk.motion.retiming.path_law import PathLaw, averaged, bang_bang
from armwerk.motion.retiming.time_run import PathPiece

START = transform(np.eye(3), [0.4, 0.0, 0.3])


def test_paths_that_grow_from_one_do_not_mix() -> None:
    stem = Path(START).lin([0.5, 0.0, 0.3]).lin([0.5, 0.1, 0.3])
    one = stem.lin([0.6, 0.0, 0.3])
    two = stem.lin([0.7, 0.0, 0.3]).lin([0.8, 0.0, 0.3])
    three = one.lin([0.9, 0.0, 0.3])
    assert [len(path.segments) for path in (stem, one, two, three)] == [2, 3, 4, 4]
    ends = [path.end[0, 3] for path in (stem, one, two, three) if path.end is not None]
    assert ends == [0.5, 0.6, 0.8, 0.9]
    assert [s.number for s in three.segments] == [1, 2, 3, 4]
    assert stem.segments == one.segments[:2] == two.segments[:2]
    with pytest.raises(IndexError, match="2 segments"):
        _ = stem.segments[2]
    assert stem.segments[-1] is one.segments[1]


def test_threads_may_grow_one_path_at_a_time() -> None:
    stem = Path(START).lin([0.5, 0.0, 0.3])

    def grow(k: int) -> list[float]:
        path = stem
        for j in range(200):
            path = path.lin([0.5, 0.001 * (j + 1), 0.3 + 0.001 * k])
        assert len(path.segments) == 201
        return [s.built.end[2, 3] for s in path.segments[1:] if s.built is not None]

    with ThreadPoolExecutor(8) as pool:
        heights = list(pool.map(grow, range(8)))
    for k, found in enumerate(heights):
        assert found == [0.3 + 0.001 * k] * 200
    assert len(stem.segments) == 1


def test_lines_are_as_many_lins() -> None:
    poses = [transform(rotation_exp([0, 0, 0.01 * k]), [0.4 + 0.01 * k, 0, 0.3]) for k in (1, 2, 3)]
    goals: list[ArrayLike] = [[0.4, 0.1, 0.3], [0.4, 0.1, 0.35, 0.1, 0.0, 0.0], *poses]
    whole = Path(START, blend=0.001).lines(goals, speed=0.1)
    path = Path(START, blend=0.001)
    for goal in goals:
        path = path.lin(goal, speed=0.1)
    assert whole.end is not None
    assert path.end is not None
    assert np.array_equal(whole.end, path.end)
    assert [s.limits for s in whole.segments] == [s.limits for s in path.segments]
    assert {s.kind for s in whole.segments} == {"lin"}
    rows = Path(START).lines(np.array([[0.5, 0.0, 0.3], [0.5, 0.1, 0.3]]))
    assert len(rows.segments) == 2


def test_wrong_goals_of_lines_are_named() -> None:
    with pytest.raises(MotionError, match="at least one goal"):
        Path(START).lines([])
    with pytest.raises(MotionError, match="list of goals"):
        Path(START).lines(3.0)  # type: ignore[arg-type]
    with pytest.raises(MotionError, match="finite") as caught:
        Path(START).lines([[0.5, 0.0, 0.3], [0.5, np.nan, 0.3]])
    assert caught.value.segment == "segment 2 'lin'"


def test_a_long_path_tells_of_itself_in_few_words() -> None:
    path = Path(START).lines([[0.4, 0.001 * k, 0.3] for k in range(1, 1001)])
    assert repr(path).startswith("<Path of 1000 segments: lin, lin, ")
    assert len(repr(path)) < 120


def built(path: Path) -> list[BuiltSegment]:
    return [BuiltSegment(s, s.built) for s in path.segments if s.built is not None]


def turned(x: float, y: float, z: float, *turn: float) -> Array:
    return transform(rotation_exp(turn), [x, y, z])


def mixed() -> Path:
    """Return a path of every kind, with blends of every shape."""
    path = Path(START, blend=0.01).lin(turned(0.4, 0.1, 0.3, 0.1, 0.2, 0.0))
    path = path.lin(turned(0.5, 0.1, 0.3, 0.1, 0.2, 0.3), zone=0.03).lin([0.5, 0.2, 0.3])
    path = path.circ([0.55, 0.25, 0.3], [0.6, 0.2, 0.3], reference="path")
    path = path.bezier([0.6, 0.1, 0.4], end=turned(0.5, 0.1, 0.4, 0.0, 0.0, 0.2))
    path = path.lin([0.45, 0.1, 0.4], shape="cubic").lin([0.45, 0.15, 0.42], shape="arc")
    path = path.lin([0.4, 0.15, 0.42], shape="quadratic").lin([0.4, 0.15, 0.3])
    path = path.spline([[0.45, 0.1, 0.3], [0.5, 0.1, 0.35], [0.5, 0.0, 0.3]])
    turning = [turned(0.5, -0.1, 0.3, 0.2, 0, 0), START, turned(0.4, -0.2, 0.3, 0, 0.3, 0)]
    path = path.spline(turning).lin([0.4, -0.1, 0.3]).turn(rotation_exp([0.0, 0.0, 0.5]))
    controls = [[0.4 + 0.02 * k, -0.1 + 0.04 * (-1) ** k, 0.3] for k in range(1, 9)]
    path = path.bezier(*controls, end=[0.5, 0.0, 0.3]).spline([[0.52, 0.1, 0.3]])
    return path.spiral([0.45, 0.1, 0.3], angle=1.0)


def one_by_one(track: Track, s: float, left: bool) -> tuple[Array, Array]:
    """Return pose and twists at one arc length, from the objects of the track."""
    side: Literal["left", "right"] = "left" if left else "right"
    at = []
    for borders, spans in (
        (track.borders, track.curves),
        (track.packed.orientations.spans.borders, track.orientations),
    ):
        k = int(np.clip(np.searchsorted(borders, s, side) - 1, 0, len(spans) - 1))
        at.append((k, np.clip(s - borders[k], 0.0, spans[k].length) + spans[k].first))
    curve, orientation = track.curves[at[0][0]].curve, track.orientations[at[1][0]].orientation
    places = np.array([[local] for _, local in at])
    if left:
        places *= 1.0 - 2e-13
    position = curve.evaluate(places[0])
    R, rates = orientation.evaluate(places[1], position)
    pose = np.column_stack([R[0], position[0, 0]])
    return pose, np.concatenate([position[0, 1:], rates[0]], axis=1)


@pytest.mark.parametrize("left", [False, True])
def test_spans_together_are_as_each_alone(left: bool) -> None:
    tracks, _ = blend_tracks(built(mixed()))
    for track, _ in tracks:
        inside = np.linspace(0.0, track.length, 211)
        s = np.concatenate(
            [inside, track.borders, track.breaks(), track.packed.orientations.spans.borders]
        )
        poses, twists = track.evaluate(s, left)
        for k, place in enumerate(s):
            pose, twist = one_by_one(track, float(place), left)
            assert np.abs(poses[k] - pose).max() < 1e-12
            sizes = 1.0 + np.abs(twist).max(axis=1)
            assert (np.abs(twists[k] - twist).max(axis=1) / sizes).max() < 1e-8
    kinds = {int(kind) for track, _ in tracks for kind in track.packed.curves.spans.kind}
    assert kinds == {LINE, POLYNOMIAL, SPLINE, ARC, POINT, OTHER}


def zigzag(count: int, length: float, **options: float) -> Path:
    """Return short lines with corners from none to a right angle, the tool turning now and then."""
    random = np.random.default_rng(5)
    path, place, heading = Path(START, **options), START[:3, 3].copy(), 0.0  # type: ignore[arg-type]
    for k in range(count):
        heading += [0.0, 0.02, -0.4, 1.5][k % 4] * random.random()
        place = place + length * (0.5 + random.random()) * np.array(
            [np.cos(heading), np.sin(heading), 0.1]
        )
        turn = 0.02 * k if 20 < k < 30 else 0.0
        path = path.lin(turned(*place, 0.0, turn, 0.0) if turn else place)
    return path


@pytest.mark.parametrize("blend", [1e-4, 1e-2])
def test_corners_together_are_as_each_alone(blend: float, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zigzag(60, 1e-3, blend=blend, jerk=100.0)
    together, _ = blend_tracks(built(path), 50.0)
    monkeypatch.setattr(blending, "line_corners", lambda *_: LineCorners({}, {}))
    alone, _ = blend_tracks(built(path), 50.0)
    assert len(together) == len(alone)
    for (one, _), (two, _) in zip(together, alone, strict=True):
        assert len(one.curves) == len(two.curves)
        assert one.length == pytest.approx(two.length, abs=1e-12)
        s = np.linspace(0.0, one.length, 2001)
        poses, twists = one.evaluate(s)
        expected, rates = two.evaluate(s)
        assert np.abs(poses - expected).max() < 1e-11
        sizes = np.abs(rates).max(axis=(0, 2))
        assert (np.abs(twists[::50] - rates[::50]).max(axis=(0, 2)) / sizes).max() < 1e-6


def test_many_shrunk_blends_are_told_in_one_notice() -> None:
    _, notices = blend_tracks(built(zigzag(200, 1e-3, blend=0.01)))
    assert len(notices) == 1
    assert "other corners, to between 0." in str(notices[0])
    few, told = blend_tracks(built(zigzag(4, 1e-3, blend=0.01)))
    assert len(few) == 1
    assert all("half of segment" in str(notice) for notice in told)


def test_a_long_run_keeps_limits_and_feed() -> None:
    """A polygon like a pocket's spiral: nothing stops, nothing is passed, the feed is kept."""
    model = model_of("ur5e", ik="numeric")
    q0 = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
    start = model.fk(q0)
    turn = np.cumsum(5e-4 / (0.01 + 0.02 * np.abs(np.sin(0.004 * np.arange(700)))))
    radius = 0.01 + 0.02 * np.abs(np.sin(0.004 * np.arange(700)))
    flat = np.stack([radius * np.cos(turn) - 0.01, radius * np.sin(turn), 0.0 * turn], axis=1)
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0).lin(start[:3, 3] + flat[0])
    path = path.lines(start[:3, 3] + flat[1:], blend=2.5e-4)
    trajectory = path.plan(model, q0)
    assert len(trajectory.pieces) == 2
    assert trajectory.limits is not None
    cruise = trajectory.starts[1] + np.linspace(1.0, trajectory.pieces[1].duration - 1.0, 4001)
    q, qd, qdd, qddd = trajectory.evaluate(cruise)
    for rate, limit in zip((qd, qdd, qddd), ("velocity", "acceleration", "jerk"), strict=True):
        assert (np.abs(rate) / getattr(trajectory.limits, limit)).max() <= 1.0 + 1e-6
    points = model.fk(q)[:, :3, 3]
    speed = np.linalg.norm(np.diff(points, axis=0), axis=1) / np.diff(cruise)
    assert speed.max() <= 0.05 * (1.0 + 1e-6)
    assert np.median(speed) > 0.8 * 0.05
    # outside differences, which know nothing of the planner
    h = 1e-3
    places = [trajectory.sample(cruise + k * h)[0] for k in (-2, -1, 0, 1, 2)]
    second = (places[1] - 2.0 * places[2] + places[3]) / h**2
    third = (places[4] - 2.0 * places[3] + 2.0 * places[1] - places[0]) / (2.0 * h**3)
    assert (np.abs(second) / trajectory.limits.acceleration).max() <= 1.0 + 1e-6
    assert (np.abs(third) / trajectory.limits.jerk).max() <= 1.0 + 1e-6
    # at a corner of the polygon the tool is as near as the blend allows, and never off the plane
    assert np.abs(points[:, 2] - start[2, 3]).max() < 1e-6
    corners = start[:3, 3] + flat
    near = np.min(np.linalg.norm(points[::40, None] - corners[None, :], axis=2), axis=1)
    assert near.max() < 0.5 * 5.1e-4 + 1e-6


def back_and_forth(count: int) -> Trajectory:
    """Return a motion of many pieces."""
    there = ptp("puma560", np.zeros(6), np.full(6, 0.02))
    back = ptp("puma560", np.full(6, 0.02), np.zeros(6))
    return Trajectory((*there.pieces, *back.pieces) * count, there.limits, there.model)


@pytest.mark.parametrize("block", [1, 7, 100, 10_000])
def test_a_stream_is_what_is_sampled(block: int) -> None:
    motion = back_and_forth(3)
    for dt in (0.01, motion.duration / 50, 2.0 * motion.duration):
        blocks = list(motion.stream(dt, block))
        assert all(len(one.times) == block for one in blocks[:-1])
        whole = [np.concatenate(rows) for rows in zip(*blocks, strict=True)]
        for one, two in zip(whole, motion.sampled(dt), strict=True):
            assert np.array_equal(one, two)


def test_a_cycle_longer_than_the_motion_holds_both_ends() -> None:
    motion = ptp("puma560", np.zeros(6), np.full(6, 0.3))
    np.testing.assert_array_equal(motion.times(1e9), [0.0, motion.duration])
    (block,) = motion.stream(1e9)
    np.testing.assert_allclose(block.q, [np.zeros(6), np.full(6, 0.3)], atol=1e-12)


def test_streams_of_nothing_and_wrong_cycles() -> None:
    still = ptp("puma560", np.zeros(6), np.zeros(6))
    (only,) = still.stream(0.004)
    assert only.times.tolist() == [0.0]
    for dt in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(MotionError, match="cycle must be finite and above 0 s"):
            still.stream(dt)
    with pytest.raises(MotionError, match="at least 1 sample"):
        still.stream(0.004, 0)
    # a motion that could not be held at once can be streamed
    motion = back_and_forth(2)
    with pytest.raises(MotionError, match="`stream`"):
        motion.sampled(1e-9)
    first = next(motion.stream(1e-9))
    assert first.times[-1] == pytest.approx(9999e-9)


def test_many_pieces_are_as_each_alone() -> None:
    motion = back_and_forth(40)
    times = np.random.default_rng(1).uniform(0.0, motion.duration, 500)
    q, qd, qdd, qddd = motion.evaluate(times)
    starts = motion.starts
    for k, time in enumerate(times):
        index = int(np.searchsorted(starts, time, "right")) - 1
        alone = motion.pieces[index].evaluate(np.array([time - starts[index]]))
        for one, two in zip((q, qd, qdd, qddd), alone, strict=True):
            assert np.array_equal(one[k], two[0])


def test_samples_are_written_as_a_stream(tmp_path: FilePath) -> None:
    motion = back_and_forth(20)
    told: list[float] = []
    file = motion.save(tmp_path / "motion.csv", 0.001, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    times, q, qd, qdd = motion.sampled(0.001)
    assert np.array_equal(rows[:, :19], np.column_stack([times, q, qd, qdd]))
    before = file.read_bytes()

    def give_up(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        motion.save(file, 0.002, progress=give_up)
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["motion.csv"]


HOME = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])


def milled(count: int) -> tuple[Array, Array]:
    """Return where a milling path starts, and the goals of its lines of half a millimetre."""
    start = model_of("ur5e", ik="numeric").fk(HOME)
    radius = 0.01 + 0.02 * np.abs(np.sin(0.004 * np.arange(count)))
    turn = np.cumsum(5e-4 / radius)
    flat = np.stack([radius * np.cos(turn) - 0.01, radius * np.sin(turn), 0.0 * turn], axis=1)
    return start, start[:3, 3] + flat


def planned(
    start: Array, goals: Array, blend: float = 2.5e-4, optimal: bool | None = None
) -> Trajectory:
    model = model_of("ur5e", ik="numeric")
    q0 = model.ik_nearest(start, HOME)
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0).lines(goals, blend=blend)
    return path.plan(model, q0, optimal=optimal)


def largest_use(motion: Trajectory, step: float = 1e-4) -> float:
    """Return the largest fraction of a limit that a motion uses, at very many times."""
    assert motion.limits is not None
    worst = 0.0
    for times in np.array_split(np.arange(0.0, motion.duration, step), 20):
        rates = motion.evaluate(times)[1:]
        for rate, limit in zip(rates, ("velocity", "acceleration", "jerk"), strict=True):
            worst = max(worst, float((np.abs(rate) / getattr(motion.limits, limit)).max()))
    return worst


def passed(motion: Trajectory, segment: int) -> float:
    """Return when the last piece of a motion comes to the first span of a segment [s]."""
    piece = motion.pieces[-1]
    assert isinstance(piece, PathPiece)
    assert isinstance(piece.law, PathLaw)
    source = piece.run.parts[0].source
    assert isinstance(source, Follower)
    track = source.track
    span = next(k for k, one in enumerate(track.curves) if one.owner == segment)
    return float(piece.law.when(track.borders[span : span + 1])[0])


def test_blends_leave_no_rest_of_a_line_between_them() -> None:
    """Lines as long as two blends up to rounding: a rest of one would spoil what is beside it."""
    turn = 0.02 * np.arange(1, 201)
    goals = START[:3, 3] + 0.02 * np.stack([np.cos(turn) - 1.0, np.sin(turn), 0.0 * turn], axis=1)
    goals += 1e-10 * np.random.default_rng(2).standard_normal(goals.shape)
    path = Path(START).lines(goals, blend=2e-4 - 1e-9)
    tracks, _ = blend_tracks(built(path))
    lengths = np.array([span.length for track, _ in tracks for span in track.curves])
    assert lengths.min() > 1e-7
    for track, _ in tracks:
        inner = track.borders[1:-1]
        jump = track.evaluate(inner)[0] - track.evaluate(inner, left=True)[0]
        assert np.abs(jump).max() < 1e-9
        turning = track.evaluate(inner)[1][:, 2, :3]  # of blends, whose curvature rises at once
        assert np.linalg.norm(turning, axis=1)[:-1].min() > 1.0


def test_a_long_run_is_as_fast_as_its_pieces() -> None:
    start, goals = milled(1400)
    whole = planned(start, goals)
    assert len(whole.pieces) == 1
    for first in (150, 700):
        pose = start.copy()
        pose[:3, 3] = goals[first]
        piece = planned(pose, goals[first + 1 : first + 301], optimal=False)
        alone = passed(piece, 240) - passed(piece, 60)
        together = passed(whole, first + 1 + 240) - passed(whole, first + 1 + 60)
        assert together < 1.005 * alone


@pytest.mark.parametrize("points", [900, 2500])
def test_a_run_in_stretches_is_as_one(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    start, goals = milled(600)
    whole = planned(start, goals)
    monkeypatch.setattr("armwerk.motion.retiming.long_law._POINTS", points)
    cut = planned(start, goals)
    assert cut.duration == pytest.approx(whole.duration, rel=2e-3)
    assert largest_use(cut) <= 1.0 + 1e-6


def test_a_long_run_takes_nearly_the_least_time() -> None:
    """Unasked, as with the wish for the last per cent, and a tenth quicker than the plain law."""
    model = model_of("puma560")
    q0 = np.array([0.1, 0.6, -0.4, 0.2, 0.9, 0.1])
    start = model.fk(q0)
    turn = np.linspace(0.0, 600 * 0.5e-3 / 0.03, 601)[1:]
    waves = np.stack([np.cos(turn) - 1.0, np.sin(turn), 0.2 * np.sin(3.0 * turn)], axis=1)
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0)
    path = path.lines(start[:3, 3] + 0.03 * waves, blend=1e-4)
    unasked = path.plan(model, q0)
    assert len(unasked.pieces) == 1
    assert unasked.duration < 1.01 * path.plan(model, q0, optimal=True).duration
    assert unasked.duration < 0.92 * path.plan(model, q0, optimal=False).duration
    assert largest_use(unasked) < 1.0 + 1e-6


@pytest.mark.parametrize("cells", [1500, 20_000])
def test_windows_of_a_long_run_take_nearly_the_least_time(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, goals = milled(400)
    least = planned(start, goals, 1e-4, optimal=True)
    plain = planned(start, goals, 1e-4, optimal=False)
    monkeypatch.setattr("armwerk.motion.retiming.time_run.LONG", 1000)
    monkeypatch.setattr("armwerk.motion.retiming.swept_speeds._WINDOW", cells)
    monkeypatch.setattr("armwerk.motion.retiming.swept_speeds._OVERLAP", 400)
    swept = planned(start, goals, 1e-4)
    assert swept.duration < 0.95 * plain.duration
    assert swept.duration < 1.02 * least.duration
    assert largest_use(swept) <= 1.0 + 1e-6
    assert use_by_differences(swept, 40) <= 1.0 + 1e-6


@pytest.mark.parametrize("kind", ["walk", "star", "noise"])
def test_windows_of_milling_shapes_keep_limits(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armwerk.motion.retiming.time_run.LONG", 1000)
    holds_lines_and_limits(kind, "puma560", np.array([0.3, 0.6, -0.4, 0.2, 0.9, 0.1]), 300)


def test_windows_with_cells_of_uneven_length_are_no_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    """Corners a micrometre beside a circle: many borders, some passed at nearly the same time."""
    model = model_of("ur5e")
    start = model.fk(HOME)
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0)
    path = path.lines(start[:3, 3] + milling_shape("noise", 600), blend=1e-4)
    least = path.plan(model, HOME, optimal=True)
    monkeypatch.setattr("armwerk.motion.retiming.time_run.LONG", 1000)
    swept = path.plan(model, HOME)
    assert swept.duration < 0.95 * path.plan(model, HOME, optimal=False).duration
    assert swept.duration < 1.02 * least.duration


def too_long_for_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armwerk.motion.retiming.time_run.LONG", 500)
    monkeypatch.setattr("armwerk.motion.retiming.time_run.LONGEST", 500)


def test_windows_that_pass_limits_are_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blended point-to-point moves, the jerk of which peaks between the points looked at."""
    model = model_of("ur5e")
    path = Path(model.fk(HOME), blend=0.02)
    for turn in np.random.default_rng(3).uniform(-0.4, 0.4, (60, 6)):
        path = path.ptp(HOME + turn)
    least = path.plan(model, HOME, optimal=True)
    too_long_for_all_at_once(monkeypatch)
    swept = path.plan(model, HOME)
    assert swept.duration < 1.03 * least.duration
    assert largest_use(swept) <= 1.0 + 1e-6


def test_cells_are_as_many_as_make_a_run_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small waves past a wrist nearly stretched: rates change much within a cell of usual size."""
    model = model_of("kr6_r900")
    start = model.fk(np.array([0.2, -0.9, 1.2, 0.4, 0.1, 0.1]))
    across = start[:3, 1] + 0.2 * start[:3, 0]
    across /= np.linalg.norm(across)
    start[:3, 3] -= 0.06 * across
    q0 = model.ik_nearest(start, np.array([0.2, -0.9, 1.2, 0.4, 0.1, 0.1]))
    share = np.linspace(0.0, 1.0, 701)[1:, None]
    waves = 1e-3 * np.sin(60.0 * share) * np.cross(across, (0.0, 0.0, 1.0))
    path = Path(start, speed=0.1, acceleration=2.0, jerk=100.0)
    path = path.lines(start[:3, 3] + 0.12 * share * across + waves, blend=4e-5)
    least = path.plan(model, q0, optimal=True)
    too_long_for_all_at_once(monkeypatch)
    monkeypatch.setattr("armwerk.motion.retiming.swept_law._TRIED", 500)
    swept = path.plan(model, q0)
    assert swept.duration < 1.04 * least.duration
    assert largest_use(swept) <= 1.0 + 1e-6


def test_trials_of_cells_end_where_a_run_does(monkeypatch: pytest.MonkeyPatch) -> None:
    start, goals = milled(120)
    least = planned(start, goals, 1e-4, optimal=True)
    too_long_for_all_at_once(monkeypatch)
    monkeypatch.setattr("armwerk.motion.retiming.swept_law._TRIED", 500)
    swept = planned(start, goals, 1e-4)
    assert swept.duration < 1.05 * least.duration
    assert largest_use(swept) <= 1.0 + 1e-6


def test_steps_to_the_least_time_do_not_grow_with_the_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a place lets pass holds back no other place."""
    taken: list[int] = []

    def counted(*given: Any) -> tuple[Array, int]:
        found = quickest_speeds(*given)
        taken.append(found[1])
        return found

    monkeypatch.setattr("armwerk.motion.retiming.time_run.LONG", 500)
    monkeypatch.setattr("armwerk.motion.retiming.swept_speeds.quickest_speeds", counted)
    model = model_of("ur5e")
    start = model.fk(HOME)
    turn = np.cumsum(0.3 * np.random.default_rng(1).normal(size=800))
    goals = start[:3, 3] + np.cumsum(
        5e-4 * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1), axis=0
    )
    for count in (100, 800):
        path = Path(start, speed=0.1, acceleration=2.0, jerk=100.0)
        path.lines(goals[:count], blend=1e-4).plan(model, HOME)
    assert len(taken) >= 2
    assert max(taken) <= 24


@pytest.mark.soak
def test_windows_of_twenty_thousand_lines_keep_limits() -> None:
    """Joint values of a milling path at random places, and nothing that its planner says."""
    motion = planned(*milled(20_000), 1e-4)
    assert use_by_differences(motion, 2000) <= 1.0 + 1e-6


@pytest.mark.soak
def test_a_very_long_run_is_quicker_than_the_plain_law() -> None:
    start, goals = milled(6000)
    swept = planned(start, goals, 1e-4)
    assert swept.duration < 0.93 * planned(start, goals, 1e-4, optimal=False).duration
    assert use_by_differences(swept, 100) <= 1.0 + 1e-6


def test_limits_hold_between_the_times_of_a_check() -> None:
    """Lines that go on but for a nanometre: the jerk has peaks narrower than a cell."""
    start, _ = milled(2)
    number = np.arange(1, 1501)
    goals = start[:3, 3] + np.stack([2e-5 * number, 0.0 * number, 0.0 * number], axis=1)
    goals += 1e-9 * np.random.default_rng(3).standard_normal(goals.shape)
    assert largest_use(planned(start, goals, 1e-5), 2e-5) <= 1.0 + 1e-6


def holds_lines_and_limits(kind: str, arm: str, q0: Array, count: int) -> None:
    model, blend = model_of(arm), 1e-4
    start = model.fk(q0)
    ends = np.vstack([start[:3, 3], start[:3, 3] + milling_shape(kind, count)])
    path = Path(start, speed=0.05, acceleration=2.0, jerk=200.0).lines(ends[1:], blend=blend)
    motion = path.plan(model, q0)
    assert use_by_differences(motion, 20 + count // 200) <= 1.0 + 1e-6
    times = np.random.default_rng(8).uniform(0.0, motion.duration, 300)
    points = model.fk(motion.evaluate(np.sort(times)).q)[:, :3, 3]
    outside, within = off_the_lines(points, ends, blend)
    assert outside < 1e-6
    assert within < blend


@pytest.mark.parametrize(
    "kind", ["raster", "noise", "repeated", "half turns", "huge among tiny", "walk", "rounded"]
)
def test_milling_shapes_keep_limits_and_lines(kind: str) -> None:
    holds_lines_and_limits(kind, "ur5e", HOME, 300)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_long_milling_shapes_keep_limits_and_lines(kind: str) -> None:
    holds_lines_and_limits(kind, "puma560", np.array([0.3, 0.6, -0.4, 0.2, 0.9, 0.1]), 10_000)


def test_times_at_which_a_law_passes_places() -> None:
    random = np.random.default_rng(6)
    s = np.concatenate([[0.0], np.sort(random.random(400)), [1.0]])
    squares = random.random(402) + 0.01
    squares[[0, -1]] = 0.0
    law = averaged(bang_bang(s, squares), 0.02, "trapezoid")
    places = random.permutation(np.concatenate([random.random(500), s, law.states[:, 0]]))
    times = law.when(places)
    assert np.abs(law.evaluate(times)[:, 0] - places).max() < 1e-15
    order = np.argsort(places)
    assert (np.diff(times[order]) >= -1e-12).all()
    # as the formula has it, one piece after the other
    for k in (0, 17, len(law.states) - 1):
        begin, v, a, j = law.states[k]
        x = 0.3 * (law.times[k + 1] - law.times[k])
        state = [begin + x * (v + x * (a / 2 + x * j / 6)), v + x * (a + x * j / 2), a + x * j, j]
        assert law.evaluate(law.times[k : k + 1] + x)[0] == pytest.approx(state, rel=1e-9)
    ends = law.evaluate(np.array([-1.0, law.duration + 1.0]))
    assert ends[:, :2].tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_motions_of_the_joints_together_are_as_each_alone() -> None:
    model, random = model_of("ur5e", ik="numeric"), np.random.default_rng(9)
    path = Path(blend=0.01)
    for k, goal in enumerate(HOME + 0.3 * random.uniform(-1.0, 1.0, (8, 6))):
        path = path.ptp(goal, fraction=0.5 if k == 3 else 1.0)
    there = model.fk(goal)[:3, 3]
    piece = path.lin(there + np.array([0.0, 0.0, 0.05])).plan(model, HOME).pieces[0]
    assert isinstance(piece, PathPiece)
    run = piece.run
    assert len(run.parts) == 17
    places = random.uniform(0.0, run.length, 500)
    x, t = run.evaluate(places)
    assert np.array_equal(x, run.joints(places))
    grid = run.grid(np.ones((3, 6)))
    whole = grid.whole()
    assert len(grid) == len(whole.s) > 16 * 17
    assert (np.diff(whole.s) >= 0.0).all()
    for k, part in enumerate(run.parts):
        here = (places > run.starts[k]) & (places < run.starts[k + 1])
        alone, tool = part.source.evaluate(part.first + places[here] - run.starts[k])
        assert x[here] == pytest.approx(alone, rel=1e-9, abs=1e-9)
        assert t[here] == pytest.approx(tool, rel=1e-9, abs=1e-9)
        inside = (whole.s > run.starts[k] + 1e-9) & (whole.s < run.starts[k + 1] - 1e-9)
        alone, _ = part.source.evaluate(part.first + whole.s[inside] - run.starts[k])
        assert whole.joints[inside] == pytest.approx(alone, rel=1e-9, abs=1e-9)
        assert (whole.joint_limits[inside] == (0.5 if k == 6 else 1.0)).all()


def test_peaks_of_a_long_motion_are_found() -> None:
    start, goals = milled(1400)
    motion = planned(start, goals)
    assert motion.duration > 10.0
    assert motion.summary().fractions.max() > 0.99 * largest_use(motion)


def test_a_stream_takes_the_memory_of_a_block() -> None:
    motion = back_and_forth(400)
    tracemalloc.start()
    try:
        count = sum(len(block.times) for block in motion.stream(1e-4, 2000))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count > 500_000
    assert most < 3_000_000  # bytes; all at once would take 80 million


def test_a_goal_out_of_reach_at_the_end_is_named() -> None:
    start, goals = milled(1500)
    goals[-1] += [5.0, 0.0, 0.0]
    with pytest.raises(MotionError, match="out of reach") as caught:
        planned(start, goals)
    assert caught.value.segment == "segment 1500 'lin'"


def test_very_many_motions_of_the_joints() -> None:
    model, random = model_of("ur5e", ik="numeric"), np.random.default_rng(4)
    goals = HOME + 0.2 * random.uniform(-1.0, 1.0, (1200, 6))
    path = Path()
    for goal in goals:
        path = path.ptp(goal)
    motion = path.plan(model, HOME)
    assert len(motion.pieces) == 1200
    # on the straight line of joint space none is quicker
    ways = [(HOME, goals[0]), *((goals[k - 1], goals[k]) for k in (1, 700, 1199))]
    for piece, (q0, q1) in zip([motion.pieces[k] for k in (0, 1, 700, 1199)], ways, strict=True):
        alone = ptp(model, q0, q1, "full", "trapezoid")
        assert piece.duration == pytest.approx(alone.duration, rel=1e-6)


@pytest.mark.soak
def test_a_line_of_a_long_path_takes_little_memory() -> None:
    start, goals = milled(8000)
    most = []
    for count in (100, 2000, 8000):
        tracemalloc.start()
        try:
            planned(start, goals[:count])
            most.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert most[2] - most[1] < 6000 * 12_000  # bytes
