"""Paths of very many segments: what they are made of, and what drives them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path as FilePath
from typing import Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp, transform
from armwerk.modelling import model as model_of
from armwerk.motion import Path, Trajectory, ptp
from armwerk.motion.path import blend_tracks as blending
from armwerk.motion.path.blend_tracks import BuiltSegment, blend_tracks
from armwerk.motion.path.line_corners import LineCorners
from armwerk.motion.path.track import Track

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
    return path.spline([[0.45, 0.1, 0.3], [0.5, 0.1, 0.35], [0.5, 0.0, 0.3]])


def one_by_one(track: Track, s: float, left: bool) -> tuple[Array, Array]:
    """Return pose and twists at one arc length, from the objects of the track."""
    side: Literal["left", "right"] = "left" if left else "right"
    at = []
    for borders, spans in (
        (track.borders, track.curves),
        (track.packed.orientations.borders, track.orientations),
    ):
        k = int(np.clip(np.searchsorted(borders, s, side) - 1, 0, len(spans) - 1))
        at.append((k, np.clip(s - borders[k], 0.0, spans[k].length) + spans[k].first))
    curve, orientation = track.curves[at[0][0]].curve, track.orientations[at[1][0]].orientation
    local = max(at[0][1] - 1e-12 * curve.length, 0.0) if left else at[0][1]
    position = curve.evaluate(np.array([local]))
    R, rates = orientation.evaluate(np.array([at[1][1]]), position)
    pose = np.column_stack([R[0], position[0, 0]])
    return pose, np.concatenate([position[0, 1:], rates[0]], axis=1)


@pytest.mark.parametrize("left", [False, True])
def test_spans_together_are_as_each_alone(left: bool) -> None:
    tracks, _ = blend_tracks(built(mixed()))
    for track, _ in tracks:
        inside = np.linspace(0.0, track.length, 211)
        s = np.concatenate([inside, track.borders, track.packed.orientations.borders])
        poses, twists = track.evaluate(s, left)
        for k, place in enumerate(s):
            pose, twist = one_by_one(track, float(place), left)
            assert np.abs(poses[k] - pose).max() < 1e-12
            sizes = 1.0 + np.abs(twist).max(axis=1)
            assert (np.abs(twists[k] - twist).max(axis=1) / sizes).max() < 1e-8
    kinds = {int(kind) for track, _ in tracks for kind in track.packed.curves.kind}
    assert kinds == {0, 1, 2}


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
