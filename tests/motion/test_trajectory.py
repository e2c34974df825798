"""Trajectories: evaluation, extremes, sampling, appending, summaries, pictures."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from problems import planned, problem

import armwerk as aw
from armwerk.errors import DescriptionError, MotionError, ShapeError
from armwerk.motion import Limits, Trajectory, TrajectoryPiece
from armwerk.motion.options import PROFILES, SYNCS, Profile, Sync
from armwerk.motion.pieces import extremes_of_samples
from armwerk.motion.pieces.polynomial import PolynomialPiece, hermite_piece

PUMA = aw.load("puma560")
Q0, Q1 = np.zeros(6), np.array([1.2, -0.5, 0.4, 0.3, -0.6, 0.2])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sync", SYNCS)
def test_each_rate_is_the_derivative_of_the_one_before(sync: Sync, profile: Profile) -> None:
    for seed in range(40, 61):
        motion = planned(problem(seed), sync, profile)
        if motion.duration == 0.0:
            continue
        h = 1e-6 * motion.duration
        times = np.random.default_rng(seed).uniform(2 * h, motion.duration - 2 * h, 50)
        before, here, after = (motion.evaluate(times + d) for d in (-h, 0.0, h))
        limits = problem(seed).limits
        sizes = (np.abs(here.q).max() + 1, limits.velocity, limits.acceleration, limits.jerk)
        for level in range(3):
            slope = (after[level] - before[level]) / (2 * h)
            # at a change of jerk the difference quotient sees both sides of the corner
            wrong = (
                np.abs(slope - here[level + 1]) > 1e-9 * sizes[level] / h + 1e-4 * sizes[level + 1]
            )
            assert wrong.mean() < 0.02, (seed, level)


def dense_times(motion: Trajectory) -> NDArray[np.float64]:
    """Many times in every phase of every axis, however short."""
    piece: Any = motion.pieces[0]
    piece = getattr(piece, "law", piece)
    knots = getattr(piece, "polynomials", piece).knots
    inside = np.linspace(0.0, 1.0, 201)
    phases = knots[:, :-1, None] + np.diff(knots, axis=1)[:, :, None] * inside
    return np.unique(phases)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sync", SYNCS)
def test_extremes_are_what_dense_samples_find(sync: Sync, profile: Profile) -> None:
    for seed in range(80, 101):
        motion = planned(problem(seed), sync, profile)
        exact = motion.extremes()
        assert exact.exact
        q, *rates = motion.evaluate(dense_times(motion))
        for name, rate in zip(("velocity", "acceleration", "jerk"), rates, strict=True):
            found, seen = getattr(exact, name), np.abs(rate).max(axis=0)
            assert (found >= seen * (1 - 1e-12) - 1e-12).all(), (seed, name)
            # one two-hundredth of a phase beside a peak, or beside a steady rise or fall
            assert (found <= seen * 1.04 + 1e-9).all(), (seed, name)
        travel = 0.02 * (exact.highest - exact.lowest) + 1e-9
        assert (exact.lowest <= q.min(axis=0) + 1e-12).all()
        assert (exact.lowest >= q.min(axis=0) - travel).all()
        assert (exact.highest >= q.max(axis=0) - 1e-12).all()
        assert (exact.highest <= q.max(axis=0) + travel).all()


def test_extremes_of_samples_are_for_pieces_without_a_formula() -> None:
    piece = aw.ptp(PUMA, Q0, Q1).pieces[0]
    found, exact = extremes_of_samples(piece, 5001), piece.extremes()
    assert not found.exact
    assert found.velocity == pytest.approx(exact.velocity, rel=1e-3)
    assert found.union(exact).velocity == pytest.approx(exact.velocity, rel=1e-12)


def test_extremes_of_quintics_by_numpy_roots() -> None:
    random = np.random.default_rng(2)
    coefficients = random.normal(size=(5, 3, 6))
    lengths = random.uniform(0.2, 2.0, (5, 3))
    knots = np.zeros((5, 4))
    np.cumsum(lengths, axis=1, out=knots[:, 1:])
    found = PolynomialPiece(knots, coefficients).extremes()
    for axis in range(5):
        values: list[list[float]] = [[], [], [], []]
        for c, length in zip(coefficients[axis], lengths[axis], strict=True):
            p = np.polynomial.Polynomial(c)
            for order in range(4):
                d = p.deriv(order)
                roots = d.deriv().roots()
                real = roots.real[np.abs(roots.imag) < 1e-9]
                inside = [0.0, length, *real[(real > 0) & (real < length)]]
                values[order] += [float(d(x)) for x in inside]
        assert found.lowest[axis] == pytest.approx(min(values[0]), rel=1e-12)
        assert found.highest[axis] == pytest.approx(max(values[0]), rel=1e-12)
        for name, order in (("velocity", 1), ("acceleration", 2), ("jerk", 3)):
            expected = max(map(abs, values[order]))
            assert getattr(found, name)[axis] == pytest.approx(expected, rel=1e-12)


def test_hermite_quintics_give_back_their_polynomial() -> None:
    p = np.polynomial.Polynomial([0.3, -1.0, 2.0, 0.5, -0.7, 0.2])
    times = np.array([0.0, 0.4, 1.0, 1.5])
    rows = [p.deriv(order)(times)[:, None] for order in range(3)]
    piece = hermite_piece(times, *rows)
    x = np.linspace(0.0, 1.5, 50)
    for order, values in enumerate(piece.evaluate(x)):
        assert values[:, 0] == pytest.approx(p.deriv(order)(x), abs=1e-10)


def test_samples_have_the_shape_of_the_times() -> None:
    motion = aw.ptp(PUMA, Q0, Q1)
    q, qd, qdd = motion.sample(0.5)
    assert q.shape == qd.shape == qdd.shape == motion.jerk(0.5).shape == (6,)
    assert motion.sample([0.1, 0.2])[0].shape == motion.jerk([0.1, 0.2]).shape == (2, 6)
    assert motion.sample(-1.0)[0] == pytest.approx(Q0)
    assert motion.sample(1e9)[0] == pytest.approx(Q1)
    with pytest.raises(ShapeError, match="times must be numbers"):
        motion.sample(np.nan)
    with pytest.raises(ShapeError, match="times must be numbers"):
        motion.sample("soon")


def test_a_cycle_ends_exactly_at_the_end() -> None:
    motion = aw.ptp(PUMA, Q0, Q1, duration=2.0)
    times, q, qd, qdd = motion.sampled(0.004)
    assert times == pytest.approx(np.arange(501) * 0.004)
    assert q[-1] == pytest.approx(Q1, abs=1e-9)
    assert qd.shape == qdd.shape == (501, 6)
    times = motion.sampled(0.003)[0]
    assert times[-1] == 2.0
    assert (np.diff(times) > 1e-4).all()
    for wrong in (0.0, -0.1, np.nan, 1e-12):
        with pytest.raises(MotionError, match="cycle"):
            motion.sampled(wrong)


def test_appended_motions_follow_each_other() -> None:
    there = aw.ptp(PUMA, Q0, Q1, v1=np.full(6, 0.2))
    back = aw.ptp(PUMA, Q1, Q0, v0=np.full(6, 0.2), profile="sine")
    both = there + back
    assert both.duration == pytest.approx(there.duration + back.duration)
    assert both.sample(there.duration + 0.1)[0] == pytest.approx(back.sample(0.1)[0])
    assert both.sample(both.duration)[0] == pytest.approx(Q0, abs=1e-9)
    assert len(both.pieces) == 2
    found = both.extremes()
    assert found.velocity == pytest.approx(
        np.maximum(there.extremes().velocity, back.extremes().velocity)
    )
    with pytest.raises(MotionError, match=r"joint 'waist': the position would jump by -1\.2 rad"):
        there.append(there)
    with pytest.raises(MotionError, match=r"the velocity would jump by -0\.2 rad/s"):
        there.append(aw.ptp(PUMA, Q1, Q0))
    with pytest.raises(MotionError, match="a motion of 1 axes cannot follow one of 6"):
        there.append(Trajectory((hermite_piece(np.arange(2.0), *np.zeros((3, 2, 1))),)))


def test_a_jump_of_the_acceleration_is_a_notice() -> None:
    ramp = hermite_piece(
        np.arange(2.0), *np.array([[[0.0], [0.5]], [[0.0], [1.0]], [[1.0], [1.0]]])
    )
    run = hermite_piece(np.arange(2.0), *np.array([[[0.5], [1.5]], [[1.0], [1.0]], [[0.0], [0.0]]]))
    (notice,) = (Trajectory((ramp,)) + Trajectory((run,))).notices
    assert "acceleration jumps by 1 " in str(notice)
    assert "at 1 s" in notice.place


def test_every_piece_is_a_piece() -> None:
    for sync in SYNCS:
        for profile in PROFILES:
            (piece,) = aw.ptp(PUMA, Q0, Q1, sync, profile).pieces
            assert isinstance(piece, TrajectoryPiece)
            assert piece.dof == 6


def test_the_summary_names_the_axis_that_leads() -> None:
    summary = aw.ptp(PUMA, Q0, Q1).summary()
    assert summary.names[summary.leading] == "waist"
    assert summary.fractions[0, 0] == pytest.approx(1.0)
    assert (summary.fractions <= 1 + 1e-9).all()
    assert summary.travel == pytest.approx(np.abs(Q1))
    alone = aw.ptp(PUMA, Q0, Q1, "async").summary()
    assert alone.leading == alone.arrivals.argmax()
    assert "led by waist" in str(summary)
    bare = Trajectory(aw.ptp(PUMA, Q0, Q1).pieces).summary()
    assert np.isnan(bare.fractions).all()


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_is_drawn(tmp_path: Path, ending: str) -> None:
    motion = aw.ptp(PUMA, Q0, Q1, "full", "sine")
    path = motion.plot(tmp_path / f"motion.{ending}")
    if ending == "png":
        with Image.open(path) as picture:
            assert picture.width > 1500
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 100
    else:
        assert "<svg" in path.read_text(encoding="utf-8")[:1000]
    bare = Trajectory(motion.pieces).plot(tmp_path / "bare.png")  # no arm, no limits
    assert bare.stat().st_size > 10_000
    with pytest.raises(DescriptionError, match="picture format"):
        motion.plot(tmp_path / "motion.txt")
    with pytest.raises(ShapeError, match="takes no time"):
        aw.ptp(PUMA, Q0, Q0).plot(tmp_path / "still.png")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sync", SYNCS)
def test_a_motion_travels_between_processes(sync: Sync, profile: Profile) -> None:
    motion = aw.ptp(PUMA, Q0, Q1, sync, profile)
    there = pickle.loads(pickle.dumps(motion))
    times = np.linspace(0.0, motion.duration, 7)
    assert np.array_equal(there.sample(times)[0], motion.sample(times)[0])
    assert there.duration == motion.duration


def test_limits_are_remembered_per_arm() -> None:
    assert Limits.of(PUMA) is Limits.of(aw.model(PUMA))
    assert Limits.of(PUMA).scaled(0.5) is Limits.of(PUMA).scaled(0.5)
    assert Limits.of(aw.load("scara")).units == ("rad", "rad", "m", "rad")
