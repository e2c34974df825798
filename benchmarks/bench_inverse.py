"""Closed-form inverse kinematics, all solutions and each checked, against EAIK and ssik.

Also how fast a second process is ready, and how many degenerate poses get a right answer.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from measure import Row, best
from numpy.typing import NDArray

import armwerk as aw

Array = NDArray[np.float64]

ARMS = ("puma560", "ur5e", "typ2")
PREBUILT = {
    "puma560": "ssik.prebuilt.unimation.puma560_ik",
    "ur5e": "ssik.prebuilt.universal_robots.ur5e_ik",
}
POSES = 100_000
PEER_POSES = 10_000  # a peer's time per pose does not depend on their number
CALLS = 2000
DEGENERATE = 200
OFF = (1e-6, 1e-3)  # [m, rad] by which dimensions of a calibrated arm differ
GENERAL = 200  # poses of an arm without closed form
_SKEW = ((0.7, 0.1, 0.4), (0.4, 0.3, 0.1), (1.1, 0.2, 0.2))  # alpha [rad], a [m], d [m]
_RIGHT = np.pi / 2
FOURFOLD = {
    "a wrist behind skew axes": (*_SKEW, (-_RIGHT, 0.0, 0.3), (_RIGHT, 0.0, 0.0), (0.0, 0.0, 0.1)),
    "three parallel axes and skew ones": (
        (0.7, 0.1, 0.4), (0.0, 0.3, 0.1), (0.0, 0.35, 0.05), (1.1, 0.2, 0.2), (0.9, 0.15, 0.1),
        (0.0, 0.1, 0.1),
    ),
}  # fmt: skip
UNSEEN = (
    "import time, numpy as np, armwerk as aw\n"
    "h, last = np.pi / 2, 0.1 + SHIFT * 1e-3 + 1e-9 * (time.time_ns() % 10**5)\n"
    "rows = ((0.5, 0.1, h), (0, 0.4, 0), (0, 0.05, h), (0.45, 0, -h), (0, 0, h), (last, 0, 0))\n"
    "arm = aw.Arm.from_dh([aw.Joint('revolute', d=d, a=a, alpha=t) for d, a, t in rows])\n"
    "model = aw.model(arm)\n"
    "assert len(model.ik(model.fk([0.3, 0.5, -0.7, 0.4, 0.9, 0.2]))) == 8\n"
)
START = (
    "import numpy as np, armwerk as aw\n"
    "model = aw.model('puma560')\n"
    "assert len(model.ik(model.fk(np.full(6, 0.3)))) == 8\n"
)


def run() -> list[Row]:
    """Measure everything of this file."""
    rows = [row for name in ARMS for row in speed(name)]
    rows += [row for name in (*ARMS, "typ1") for row in degenerate(name)]
    rows += [row for name in ("ur5e", "puma560") for size in OFF for row in calibrated(name, size)]
    rows += [row for name in FOURFOLD for row in degree_four(name)]
    return [*rows, textbook_puma(), second_process(), command(), unseen_arm()]


def degree_four(name: str) -> Iterator[Row]:
    """An arm that needs an equation of degree four, all solutions, against EAIK."""
    joints = [aw.Joint("revolute", alpha=alpha, a=a, d=d) for alpha, a, d in FOURFOLD[name]]
    model = aw.model(aw.Arm.from_dh(joints, name=name), ik="closed")
    draw = np.random.default_rng(4)
    known = draw.uniform(-np.pi, np.pi, (CALLS, 6))
    poses = np.ascontiguousarray(model.fk(known))
    robot = _eaik(model.arm)
    theirs = [robot.fwdKin(q) for q in known]
    found = sum(_holds(model.ik(T), q) for T, q in zip(poses, known, strict=True))
    model.ik_batch(poses)  # many at once are compiled for; the first single ones Python runs itself
    calls = {
        "armwerk": _each(model.ik, list(poses), CALLS),
        "EAIK": _each(robot.IK, theirs, CALLS),
    }
    times = {who: t / CALLS for who, t in best(calls).items()}
    row = _row(f"ik of an arm with {name}, one call", times, 2.0)
    yield replace(row, note=f"own joints found for {found} of {CALLS}")
    calls = {
        "armwerk": lambda: model.ik_batch(poses),
        "EAIK": lambda: robot.IK_batched(theirs, 1),
    }
    times = {who: t / CALLS for who, t in best(calls).items()}
    yield _row(f"ik of an arm with {name}, {CALLS:,} poses, per pose", times, 6.0)


def textbook_puma() -> Row:
    """The Puma's eight solutions against roboticstoolbox, whose formulas give one at a time."""
    import roboticstoolbox

    model = aw.model("puma560", ik="closed")
    robot = roboticstoolbox.models.DH.Puma560()
    poses = list(model.fk(np.random.default_rng(5).uniform(-1.5, 1.5, (50, 6))))
    words = ["".join(word) for word in product("lr", "ud", "nf")]

    def theirs() -> None:
        for pose in (robot.fkine(np.full(6, 0.1 * k)) for k in range(50)):
            for word in words:
                robot.ikine_a(pose, word)

    times = {who: t / 50 for who, t in best({
        "armwerk": _each(model.ik, poses, 50), "roboticstoolbox": theirs}).items()}  # fmt: skip
    return _row("ik of puma560, all eight, formulas of a textbook", times, 2.0)


def calibrated(name: str, size: float) -> Iterator[Row]:
    """An arm with all dimensions slightly off, which has no closed form: time, and shares.

    No peer stands beside these numbers: EAIK knows no formula for such rows and says so; how long
    ssik 8.2 takes to prepare them is not measured here; ikdh is not installed and only read about.
    """
    draw = np.random.default_rng(2)
    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in aw.load_arm(name).moving])
    rows += size * draw.normal(size=rows.shape)
    joints = [aw.Joint("revolute", alpha=alpha, a=a, d=d) for alpha, a, d in rows]
    arm = aw.Arm.from_dh(joints, name=f"{name} calibrated")
    aw.model(arm, ik="general")  # loads the kernels
    begin = time.process_time()
    model = aw.model(arm, ik="general")
    ready = time.process_time() - begin
    yield Row(f"{name} off by {size:g}, preparing", ready * 1e3, unit="ms")
    sets = {
        "random": draw.uniform(-np.pi, np.pi, (GENERAL, 6)),
        "multiples of 30°": np.deg2rad(30.0) * draw.integers(-5, 7, (GENERAL, 6)),
    }
    for what, known in sets.items():
        poses = list(model.fk(known))
        spent, found, proved = [], 0, 0
        for pose, q in zip(poses, known, strict=True):
            begin = time.process_time()
            solutions = model.ik(pose)
            spent.append(time.process_time() - begin)
            found += _holds(solutions, q)
            proved += model.solutions(pose).proved
        yield Row(
            f"{name} off by {size:g}, {what}, one call",
            float(np.median(spent)) * 1e6,
            note=f"own joints found for {found}, proved complete {proved} of {GENERAL}",
        )


def unseen_arm() -> Row:
    """Seconds from nothing to all solutions of an arm that was never derived."""
    programs = [[sys.executable, "-c", UNSEEN.replace("SHIFT", f"{k}")] for k in range(3)]
    return _start("start, model and first ik of an arm never seen", programs)


def speed(name: str) -> Iterator[Row]:
    """All solutions of many poses in one call, and of one pose."""
    model = aw.model(aw.robot.load_arm(name), ik="closed")
    draw = np.random.default_rng(0)
    poses = np.ascontiguousarray(model.fk(draw.uniform(-np.pi, np.pi, (POSES, 6))))
    robot = _eaik(model.arm)
    theirs = [robot.fwdKin(q) for q in draw.uniform(-np.pi, np.pi, (PEER_POSES, 6))]
    ssik, reachable, count = _ssik(name, model.arm, theirs, draw)
    calls: dict[str, Callable[[], object]] = {"armwerk": lambda: model.ik_batch(poses)}
    for threads in (1, 2, 4):
        calls[f"EAIK, {threads} threads"] = partial(robot.IK_batched, theirs, threads)
    calls["ssik, one by one"] = _each(ssik, reachable, count)
    sizes = {"armwerk": POSES, "ssik, one by one": count}
    times = {who: t / sizes.get(who, PEER_POSES) for who, t in best(calls).items()}
    yield _row(f"ik of {name}, {POSES:,} poses, per pose", times, 6.0)
    calls = {
        "armwerk": _each(model.ik, list(poses[:CALLS]), CALLS),
        "EAIK": _each(robot.IK, theirs[:CALLS], CALLS),
        "ssik": _each(ssik, reachable, count),
    }
    times = {who: t / (count if who == "ssik" else CALLS) for who, t in best(calls).items()}
    yield _row(f"ik of {name}, one call", times, 2.0)


def degenerate(name: str) -> Iterator[Row]:
    """Poses with a right answer, of those whose joints are multiples of 90° or have q5 = 0."""
    model = aw.model(aw.robot.load_arm(name), ik="closed")
    robot = _eaik(model.arm)
    draw = np.random.default_rng(1)
    wrist = draw.uniform(-np.pi, np.pi, (DEGENERATE, 6))
    wrist[:, 4] = 0.0
    sets = {"multiples of 90°": draw.integers(-2, 3, (DEGENERATE, 6)) * np.pi / 2, "q5 = 0": wrist}
    for what, joints in sets.items():
        ours = sum(_right(model.fk, model.ik(T), T) for T in model.fk(joints))
        theirs = sum(
            _right(lambda Q: np.array([robot.fwdKin(q) for q in Q]), np.array(robot.IK(T).Q), T)
            for T in (robot.fwdKin(q) for q in joints)
        )
        yield Row(
            f"{name}, {what}, {DEGENERATE} poses",
            ours,
            "EAIK",
            theirs,
            "right",
            lower_is_better=False,
            note="at least one solution that direct kinematics confirms to 1e-9",
        )


def second_process() -> Row:
    """Seconds from nothing to the first solutions, nothing to be compiled."""
    subprocess.run([sys.executable, "-c", START], check=True)
    return _start("start, model and first ik in a new process", [[sys.executable, "-c", START]] * 5)


def command() -> Row:
    """Seconds that `armwerk ik` takes from start to end."""
    words = [sys.executable, "-m", "armwerk", "ik", "puma560", "--pose", "0.5 0.15 0.8 0 90 0"]
    return _start("armwerk ik, start to end", [words] * 5)


def _start(what: str, commands: list[list[str]]) -> Row:
    """Measure commands that do the same, from start to end; the best counts."""
    waited, computed = [], []
    for words in commands:
        begin = os.times()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        end = os.times()
        waited.append(end.elapsed - begin.elapsed)
        computed.append(
            end.children_user - begin.children_user + end.children_system - begin.children_system
        )
    return Row(what, min(waited), unit="s", note=f"of a core {min(computed):.2f} s")


def _row(what: str, times: dict[str, float], wanted: float) -> Row:
    ours = times.pop("armwerk")
    peer = min(times, key=lambda who: times[who])
    others = ", ".join(f"{who} {t * 1e6:.3g}" for who, t in times.items() if who != peer)
    return Row(what, ours * 1e6, peer, times[peer] * 1e6, wanted=wanted, note=others)


def _eaik(arm: aw.Arm) -> Any:
    from eaik.IK_DH import DhRobot

    return DhRobot(*np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.joints]).T)


def _ssik(
    name: str, arm: aw.Arm, poses: list[Array], draw: np.random.Generator
) -> tuple[Callable[[Array], object], list[Array], int]:
    """Return its fastest solver of the arm, poses it can reach, and how many of them to time."""
    import ssik

    bare = {"respect_limits": False, "enumerate_windings": False}  # each solution once, as we do
    if name in PREBUILT:
        module = importlib.import_module(PREBUILT[name])
        reachable = [module.fk(q) for q in draw.uniform(-np.pi, np.pi, (200, 6))]
        return partial(module.solve, **bare), reachable, 200
    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.joints])
    return partial(ssik.Manipulator.from_dh(*rows.T).solve, **bare), poses[:5], 5


def _each(call: Callable[[Array], object], poses: list[Array], count: int) -> Callable[[], object]:
    some = poses[:count]

    def loop() -> None:
        for pose in some:
            call(pose)

    return loop


def _holds(found: Array, q: Array) -> bool:
    gaps = np.abs(np.angle(np.exp(1j * (found - q)))).max(axis=1, initial=0.0)
    return bool((gaps < 1e-4).any())


def _right(fk: Callable[[Array], Array], joints: Array, pose: Array) -> bool:
    if not len(joints):
        return False
    return bool((np.abs(fk(joints) - pose).max(axis=(1, 2)) <= 1e-9).any())
