"""Trajectory generators in C against the motions of the library; limits by differences."""

from __future__ import annotations

import math
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from emitted import FLAGS
from emitted_motion import PATH, TURN, CompiledMotion
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import armwerk as aw
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.laws.families import AxisTask, axes_of
from armwerk.motion.limits import Limits

Array = NDArray[np.float64]
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
N = 6


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> CompiledMotion:
    return CompiledMotion("puma560", N, tmp_path_factory.mktemp("motion"))


def alike(count: int, rates: Array) -> Limits:
    """Return axes with the same largest velocity, acceleration and jerk."""
    velocity, acceleration, jerk = (np.full(count, rate) for rate in rates)
    return Limits(velocity, acceleration, jerk)


@cache
def model() -> SerialModel:
    return SerialModel(aw.load("puma560"), "numeric")


def pairs() -> list[tuple[Array, Array]]:
    """Return starts and goals: long, short, hardly any, one axis alone, from stop to stop."""
    low, high = model().limits.T.copy()
    random = np.random.default_rng(8)
    found = [tuple(random.uniform(low, high, (2, N))) for _ in range(20)]
    for size in (0.3, 0.05, 1e-3, 1e-6, 1e-10):
        q = random.uniform(0.5 * low, 0.5 * high)
        found.append((q, q + size * random.uniform(-1, 1, N)))
    one = np.zeros(N)
    one[2] = -math.pi / 2
    return [*found, (np.zeros(N), one), (low, high), (high, low)]


@pytest.mark.parametrize("straight", [0, 1])
def test_durations_and_samples(code: CompiledMotion, straight: int) -> None:
    for q0, q1 in pairs():
        motion = code.ptp(q0, q1, straight)
        known = aw.ptp("puma560", q0, q1, sync="full" if straight else "sync", profile="trapezoid")
        duration = float(motion[2 * N])
        assert duration == pytest.approx(known.duration, rel=1e-9)
        times = np.linspace(0.0, duration, 41)
        q, qd, qdd = code.ptp_at(motion, times)
        if straight:
            want = known.sample(times)
        else:
            tasks = [
                AxisTask(b - a, 0.0, 0.0, *r) for a, b, r in zip(q0, q1, code.rates, strict=True)
            ]
            piece = axes_of("trapezoid", tasks).piece(q0, np.zeros(N), [duration] * N)
            want = piece.evaluate(times)[:3]
        size = float(np.abs(q1 - q0).max())
        assert q == pytest.approx(want[0], abs=1e-8 * size + 1e-14)
        assert qd[1:-1] == pytest.approx(want[1][1:-1], abs=1e-6 * float(np.abs(qd).max()) + 1e-12)
        assert (q[-1] == q1).all()
        assert not qd[-1].any()
        assert not qdd[-1].any()


@pytest.mark.parametrize("straight", [0, 1])
def test_limits_hold_by_differences(code: CompiledMotion, straight: int) -> None:
    used = np.zeros((N, 3))
    for q0, q1 in pairs()[:21] + pairs()[-2:]:
        motion = code.ptp(q0, q1, straight)
        dt = float(motion[2 * N]) / 2000
        q, qd, qdd = code.ptp_at(motion, dt * np.arange(2001, dtype=np.float64))
        speeds = np.diff(q, axis=0) / dt
        changes = np.diff(qd, axis=0) / dt
        jerks = np.diff(qdd, axis=0) / dt
        for k, rates in enumerate((speeds, changes, jerks)):
            share = np.abs(rates).max(axis=0) / code.rates[:, k]
            used[:, k] = np.maximum(used[:, k], share)
    assert used.max() <= 1.0 + 1e-7
    assert used.max(axis=0).min() > 0.99  # the leading axis uses all of them


def test_refused_motions(code: CompiledMotion) -> None:
    motion = np.full(2 * N + 1 + 5 * N, 7.0)
    home, far = np.zeros(N), np.full(N, 10.0)
    bad = code.rates.copy()
    bad[3, 2] = 0.0
    for q0, q1, rates in (
        (home, far, code.rates), (far, home, code.rates), (home, home * np.nan, code.rates),
        (home, home, bad), (home, home, -code.rates), (home, home, code.rates * np.nan),
    ):  # fmt: skip
        assert code.call("planPtp", motion, q0, q1, rates, 0) == 0
    assert (motion == 7.0).all()
    assert code.ptp(home, home, 0)[2 * N] == 0.0
    assert code.ptp(home, home, 1)[2 * N] == 0.0


def poses() -> list[tuple[Array, Array, Array]]:
    """Return joint values, their tool pose and a goal: shifted, turned, both, half a turn."""
    found = []
    q = np.array([0.5, 0.9, -2.9, -0.9, 0.7, 2.3])
    start = np.ascontiguousarray(model().fk(q))
    for way, turn in (
        ((0.05, -0.2, 0.1), (0, 0, 0)), ((0, 0, 0), (0.3, 0.2, -0.5)),
        ((0.1, 0.1, 0), (0.2, -0.4, 0.1)), ((0, 0.15, 0), (0, 0, math.pi)),
        ((0, 0, 0.1), (math.pi - 1e-9, 0, 0)), ((0.2, 0, 0), (1e-13, 0, 0)),
    ):  # fmt: skip
        goal = start.copy()
        goal[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ start[:3, :3]
        goal[:3, 3] += way
        found.append((q, start, goal))
    return found


def test_line_is_straight_and_keeps_its_limits(code: CompiledMotion) -> None:
    for _, start, goal in poses():
        line = code.line(start, goal)
        duration, way = float(line[37]), goal[:3, 3] - start[:3, 3]
        length = float(np.linalg.norm(way))
        turn = float(Rotation.from_matrix(goal[:3, :3] @ start[:3, :3].T).magnitude())
        laws = [
            aw.ptp(None, [0.0], [size], limits=alike(1, rates))
            for size, rates in ((length, PATH), (turn, TURN))
            if size > 1e-9
        ]
        least = max(law.duration for law in laws)
        assert duration >= least * (1 - 1e-9)
        if len(laws) == 1:
            assert duration == pytest.approx(least, rel=1e-9)
        times = np.linspace(0.0, duration, 1001)
        tracked = np.array([code.line_pose(line, time) for time in times])
        assert tracked[0] == pytest.approx(start, abs=1e-12)
        assert tracked[-1] == pytest.approx(goal, abs=0)
        assert tracked[-2] == pytest.approx(goal, abs=1e-5)
        offset = tracked[:, :3, 3] - start[:3, 3]
        if length:
            along = offset @ way / length
            assert offset == pytest.approx(np.outer(along, way / length), abs=1e-12)
            dt = times[1]
            for order, limit in enumerate(PATH, 1):
                rates = np.diff(along, n=order) / dt**order
                assert np.abs(rates).max() <= limit * (1 + 1e-3)
        turns = Rotation.from_matrix(tracked[:, :3, :3] @ start[:3, :3].T)
        turned = np.asarray(turns.magnitude())
        assert turned[-1] == pytest.approx(turn, abs=1e-7)
        assert (np.diff(turned) > -1e-7).all()
        assert np.abs(np.diff(turned)).max() / times[1] <= TURN[0] * (1 + 1e-3)


def test_joints_follow_a_line_as_the_library_does(code: CompiledMotion) -> None:
    q, start, goal = poses()[0]
    line, when = code.line(start, goal), np.zeros(1)
    share = code.call("checkLine", line, q, code.rates, 0.004, when, real=True)
    assert 0.0 < share < 1.0
    path = aw.Path(start, speed=PATH[0], acceleration=PATH[1], jerk=PATH[2]).lin(goal)
    fast = alike(N, np.array([1e3, 1e4, 1e5]))
    known = path.plan(aw.model("puma560"), q, limits=fast)
    assert float(line[37]) == pytest.approx(known.duration, rel=1e-3)
    near = q.copy()
    for time in np.linspace(0.0, float(line[37]), 60):
        assert code.call("lineAt", line, float(time), near) == 1
        assert model().fk(near) == pytest.approx(code.line_pose(line, time), abs=1e-8)
        want = known.sample(time * known.duration / float(line[37]))[0]
        assert near == pytest.approx(want, abs=1e-3)


def test_a_line_that_is_too_fast_is_slowed_down(code: CompiledMotion) -> None:
    q, start, goal = poses()[2]
    line, when = code.line(start, goal), np.zeros(1)
    slow = code.rates * 0.05
    before = float(line[37])
    share = code.call("checkLine", line, q, slow, 0.002, when, real=True)
    assert share > 1.0
    assert 0.0 < when[0] < before
    code.call("slowLine", line, float(share))
    assert float(line[37]) == pytest.approx(before * share)
    again = code.call("checkLine", line, q, slow, 0.002 * float(share), when, real=True)
    assert again == pytest.approx(1.0, abs=1e-9)
    assert code.line_pose(line, float(line[37]) * 0.999999) == pytest.approx(goal, abs=1e-6)


def test_a_line_that_ends_out_of_reach(code: CompiledMotion) -> None:
    q, start, goal = poses()[0]
    goal[:3, 3] += (3.0, 0.0, 0.0)
    line, when = code.line(start, goal), np.zeros(1)
    assert code.call("checkLine", line, q, code.rates, 0.01, when, real=True) == -1.0
    assert 0.0 < when[0] < float(line[37])
    assert code.call("checkLine", line, q, code.rates, 0.0, when, real=True) == -2.0
    assert code.call("checkLine", line, q, code.rates, 1e-12, when, real=True) == -2.0


def test_arms_without_inverse_and_with_symbols(tmp_path: Path) -> None:
    twisted = aw.Arm((aw.Joint("revolute", a="l1"), aw.Joint("revolute", a="l2")), name="links")
    for arm in ("xarm6", twisted):
        files = aw.derive(arm).write(tmp_path, formats=("c", "motion"))
        for path in files:
            if path.suffix == ".c":
                out = str(path.with_suffix(".o"))
                subprocess.run(["gcc", *FLAGS, "-c", str(path), "-o", out], check=True)
        names = subprocess.run(["nm", out], capture_output=True, text=True, check=True).stdout
        assert ("lineAt" in names) == (arm is twisted)
        assert "alloc" not in names
