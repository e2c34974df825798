"""One axis: least times, gaps, limits, against ruckig, brute force and the source's formulas."""

from __future__ import annotations

import numpy as np
import pytest
from ruckig import InputParameter, Ruckig, Trajectory

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.laws import LAWS, law, quintic, sine, trapezoid
from armwerk.motion.laws.families import axis_of
from armwerk.motion.laws.ramped import SineRamp, TrapezoidRamp, rising_root
from armwerk.motion.options import PROFILES, Profile


def numbers(seed: int) -> tuple[float, ...]:
    """Distance, start, end, velocity, acceleration, jerk."""
    random = np.random.default_rng(seed)
    v, a, j = 10.0 ** random.uniform((-0.5, 0.0, 0.5), (0.7, 1.5, 3.0))
    d = random.normal() * 10.0 ** random.uniform(-2.5, 0.7)
    u, w = random.uniform(-1.0, 1.0, 2) * v
    if seed % 5 == 0:
        u, w = np.sign([u, w]) * v
    if seed % 7 == 0:
        w = u
    return tuple(float(x) for x in (d, u, w, v, a, j))


def ruckig_time(given: tuple[float, ...], minimum: float) -> float:
    d, u, w, v, a, j = given
    asked = InputParameter(1)
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = [v], [a], [j]
    asked.current_velocity, asked.target_position, asked.target_velocity = [u], [d], [w]
    if minimum > 0.0:
        asked.minimum_duration = minimum
    found = Trajectory(1)
    Ruckig(1).calculate(asked, found)
    return float(found.duration)


def test_root_is_found_to_the_last_bit() -> None:
    for f, low, high, root in (
        (lambda x: x**3 - 2.0, 0.0, 5.0, 2.0 ** (1 / 3)),
        (lambda x: np.sqrt(x) - 1e-9, 0.0, 4.0, 1e-18),
        (lambda x: -1.0 if x < 0.3 else 1.0, 0.0, 1.0, 0.3),
    ):
        assert rising_root(f, low, high) == pytest.approx(root, rel=1e-13)


def test_trapezoid_takes_the_time_ruckig_takes() -> None:
    for seed in range(300):
        given = numbers(seed)
        axis = axis_of("trapezoid", *given)
        minimum = axis.next_duration(0.0)
        assert minimum == pytest.approx(ruckig_time(given, 0.0), rel=1e-9)
        for stretch in (1.1, 1.6, 3.0):
            wished = stretch * minimum
            expected = ruckig_time(given, wished)
            assert axis.next_duration(wished) == pytest.approx(expected, rel=1e-7), (seed, stretch)


def least_sine_time(d: float, u: float, w: float, v: float, a: float, j: float) -> float:
    """Try every cruising speed; where the ramps alone do not fit, stretch what helps most."""

    def time(x: Array) -> Array:
        return np.maximum(2 * np.abs(x) / a, np.sqrt(2 * np.pi * np.abs(x) / j))

    around = np.concatenate(
        [c + s * np.geomspace(1e-12, 2 * v, 4000) for c in (u, w) for s in (-1, 1)]
    )
    p = np.unique(np.clip(np.concatenate([np.linspace(-v, v, 60001), around, [u, w, 0]]), -v, v))
    ramps = time(p - u), time(p - w)
    missing = d - (u + p) / 2 * ramps[0] - (p + w) / 2 * ramps[1]
    speeds = np.stack([(u + p) / 2, p, (p + w) / 2])
    best = np.where(missing >= 0, speeds.max(axis=0), speeds.min(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        extra = missing / best
    extra = np.where(np.isfinite(extra) & (extra >= 0), extra, np.inf)
    return float((ramps[0] + ramps[1] + extra).min())


def test_sine_takes_the_least_time_of_its_family() -> None:
    for seed in range(80):
        given = numbers(seed)
        minimum = axis_of("sine", *given).next_duration(0.0)
        tried = least_sine_time(*given)
        assert minimum <= tried * (1 + 1e-9), seed
        assert minimum >= tried * (1 - 2e-3), seed  # the grid of speeds is no finer than that


def test_sine_follows_the_source_where_the_jerk_does_not_count() -> None:
    v, a, u, w, way = 2.0, 5.0, 0.4, 0.9, 6.0
    t1, t32 = 2 * (v - u) / a, 2 * (v - w) / a  # 6.14
    expected = way / v + a / (4 * v) * (t1**2 + t32**2)  # 6.15
    assert sine(way, v, a, 1e9, u, w).duration == pytest.approx(expected, rel=1e-12)
    short = 0.8
    top = np.sqrt((u**2 + w**2 + short * a) / 2)  # 6.16
    expected = 2 * (top - u) / a + 2 * (top - w) / a
    assert sine(short, v, a, 1e9, u, w).duration == pytest.approx(expected, rel=1e-9)


def test_sine_keeps_the_jerk_the_source_forgets() -> None:
    short = sine(0.01, 2.0, 5.0, 20.0)
    found = short.piece.extremes()
    assert found.jerk[0] == pytest.approx(20.0, rel=1e-12)
    assert found.acceleration[0] < 5.0


def test_quintic_from_rest_to_rest_has_its_known_times() -> None:
    random = np.random.default_rng(3)
    for _ in range(100):
        d, v, a, j = 10.0 ** random.uniform(-2, 2, 4)
        known = max(1.875 * d / v, np.sqrt(10 / np.sqrt(3) * d / a), np.cbrt(60 * d / j))
        assert quintic(d, v, a, j).duration == pytest.approx(known, rel=1e-12)


def quintic_peaks(d: float, u: float, w: float, time: Array) -> tuple[Array, Array, Array]:
    """Largest rates of the quintic through both ends, by its linear equations and samples."""
    x = np.linspace(0.0, 1.0, 201)
    powers = np.stack([x**i for i in range(6)])
    rows = np.array(
        [
            [1, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0],
            [0, 0, 2, 0, 0, 0],
            [1, 1, 1, 1, 1, 1],
            [0, 1, 2, 3, 4, 5],
            [0, 0, 2, 6, 12, 20],
        ],
        dtype=float,
    )
    zero = np.zeros_like(time)
    right = np.stack([zero, u * time, zero, zero + d, w * time, zero])
    c = np.linalg.solve(rows, right)
    first = np.stack([i * powers[max(i - 1, 0)] for i in range(6)])
    second = np.stack([i * (i - 1) * powers[max(i - 2, 0)] for i in range(6)])
    third = np.stack([i * (i - 1) * (i - 2) * powers[max(i - 3, 0)] for i in range(6)])
    peaks = [np.abs(c.T @ row).max(axis=1) for row in (first, second, third)]
    return peaks[0] / time, peaks[1] / time**2, peaks[2] / time**3


def test_quintic_durations_are_those_that_keep_the_limits() -> None:
    gaps = 0
    for seed in range(80):
        d, u, w, v, a, j = numbers(seed)
        axis = axis_of("quintic", d, u, w, v, a, j)
        minimum = axis.next_duration(0.0)
        times = minimum * np.concatenate([np.linspace(0.2, 1.5, 150), np.geomspace(1.5, 50, 100)])
        peaks = quintic_peaks(d, u, w, times)
        excess = np.max([peak / most for peak, most in zip(peaks, (v, a, j), strict=True)], axis=0)
        ours = np.array([axis.next_duration(t) <= t for t in times])
        assert (excess[ours] < 1 + 1e-6).all(), seed
        assert (excess[~ours] > 1 - 2e-3).all(), seed  # samples may miss the very peak
        gaps += bool(np.diff(ours.astype(int)).min() < 0)
    assert gaps > 3  # the hard cases were among them


@pytest.mark.parametrize("profile", PROFILES)
def test_laws_start_and_end_as_asked_and_are_what_they_say(profile: Profile) -> None:
    for seed in range(60):
        d, u, w, v, a, j = numbers(seed)
        for wish in (None, 2.5):
            minimum = law(profile, d, v, a, j, u, w).duration
            time = (
                None
                if wish is None
                else axis_of(profile, d, u, w, v, a, j).next_duration(wish * minimum)
            )
            planned = law(profile, d, v, a, j, u, w, duration=time)
            if time is not None:
                assert planned.duration == pytest.approx(time, rel=1e-9)
            T = planned.duration
            s, sd, sdd, sddd = planned.evaluate(np.linspace(0.0, T, 20001))
            assert [s[0], sd[0], sdd[0]] == pytest.approx([0.0, u, 0.0], abs=1e-12)
            assert [s[-1], sd[-1], sdd[-1]] == pytest.approx([d, w, 0.0], abs=1e-10)
            for rate, most in ((sd, v), (sdd, a), (sddd, j)):
                assert np.abs(rate).max() <= most * (1 + 1e-9)
            step = T / 20000
            rounded = 1e-15 * (1.0 + abs(d) + v) / step
            speed, bend = (sd[1:] + sd[:-1]) / 2, (sdd[1:] + sdd[:-1]) / 2
            assert np.abs(np.diff(s) / step - speed).max() < j * step**2 + rounded
            assert np.abs(np.diff(sd) / step - bend).max() < 2 * j * step + rounded
            assert s[-1] - s[0] == pytest.approx(
                np.trapezoid(sd, dx=step), abs=2e-6 * max(1, v * T)
            )


def test_a_stretched_law_of_the_same_shape_keeps_its_phases() -> None:
    ramp = TrapezoidRamp(4.0, 20.0)
    phases = np.array(ramp.phases(1.5, 2.0 * ramp.time(1.5)))
    assert phases[:, 0].sum() == pytest.approx(2.0 * ramp.time(1.5))
    quick = np.array(ramp.phases(1.5, ramp.time(1.5)))
    assert phases[:, 0] == pytest.approx(2.0 * quick[:, 0])
    assert phases[:, 1] == pytest.approx(quick[:, 1] / 4)


@pytest.mark.parametrize("ramp", [SineRamp(3.0, 40.0), TrapezoidRamp(3.0, 40.0)])
def test_ramps_invert_their_times(ramp: SineRamp | TrapezoidRamp) -> None:
    for change in np.geomspace(1e-12, 1e3, 40):
        assert ramp.change(ramp.time(change)) == pytest.approx(change, rel=1e-12)
    assert ramp.time(ramp.kink * 0.999) < ramp.time(ramp.kink * 1.001)


def test_no_way_at_rest_takes_no_time() -> None:
    for make in LAWS.values():
        still = make(0.0, 1.0, 1.0, 1.0)
        assert still.duration == 0.0
        assert [float(x) for x in still.evaluate(0.0)] == [0.0] * 4
        assert make(0.0, 1.0, 1.0, 1.0, duration=2.0).duration == pytest.approx(2.0)


def test_one_time_gives_numbers_and_many_give_arrays() -> None:
    run = trapezoid(1.0, 1.0, 2.0, 10.0)
    assert np.shape(run.evaluate(0.1)[0]) == ()
    assert run.evaluate([0.1, 0.2, 0.3])[2].shape == (3,)
    assert run.evaluate(99.0)[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"velocity": 0.0}, "velocity must be finite and above 0"),
        ({"jerk": np.inf}, "jerk must be finite and above 0"),
        ({"length": np.nan}, "length must be finite"),
        ({"start": 1.5}, "start speed 1.5 is beyond the limit 1"),
        ({"duration": 0.5}, "shortest possible, 1.7"),
        ({"duration": -1.0}, "not negative"),
        ({"profile": "cosine"}, "trapezoid, sine, quintic"),
    ],
)
def test_bad_input_is_named(change: dict[str, float], words: str) -> None:
    given = {
        "profile": "trapezoid",
        "length": 1.0,
        "velocity": 1.0,
        "acceleration": 2.0,
        "jerk": 10.0,
    }
    with pytest.raises(MotionError, match=words):
        law(**{**given, **change})  # type: ignore[arg-type]


def test_a_duration_in_a_gap_is_refused_with_the_next_one() -> None:
    axis = axis_of("sine", 0.5, 1.0, 1.0, 1.2, 2.0, 50.0)
    times = np.linspace(0.3, 8.0, 200)
    blocked = [t for t in times if axis.next_duration(t) > t > axis.next_duration(0.0)]
    assert blocked
    following = axis.next_duration(blocked[0])
    with pytest.raises(MotionError, match=f"next possible is {following:.4g}"[:-1]):
        sine(0.5, 1.2, 2.0, 50.0, 1.0, 1.0, duration=blocked[0])
    assert sine(0.5, 1.2, 2.0, 50.0, 1.0, 1.0, duration=following).duration == following
