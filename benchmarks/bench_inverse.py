"""Inverse kinematics, all solutions and each checked, against EAIK and ssik.

Ours and the peers' measurements take turns in one run, so that a noisy machine is noisy for all;
the best of the repeats counts. Ratios say how many times as fast as the faster peer we are.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import armwerk as aw

ARMS = ("puma560", "ur5e", "typ2")
PREBUILT = {
    "puma560": "ssik.prebuilt.unimation.puma560_ik",
    "ur5e": "ssik.prebuilt.universal_robots.ur5e_ik",
}
POSES = 100_000
PEER_POSES = 10_000  # a peer's time per pose does not depend on their number
REPEATS = 7
BATCH_TARGET, SINGLE_TARGET = 6.0, 2.0


def run() -> list[dict[str, Any]]:
    """Return one row per arm and way of calling."""
    rows = []
    for name in ARMS:
        ours, peers = _contestants(name)
        rows.append(_row(name, "batch", ours["batch"], peers["batch"], BATCH_TARGET))
        rows.append(_row(name, "one call", ours["one"], peers["one"], SINGLE_TARGET))
    return rows


def _row(
    name: str,
    way: str,
    ours: Callable[[], float],
    peers: dict[str, Callable[[], float]],
    goal: float,
) -> dict[str, Any]:
    best = {"armwerk": np.inf, **dict.fromkeys(peers, np.inf)}
    for _ in range(REPEATS):
        for who, measure in (("armwerk", ours), *peers.items()):
            best[who] = min(best[who], measure())
    peer = min(peers, key=lambda who: best[who])
    return {
        "name": f"inverse kinematics {name}, {way}",
        "unit": "us per pose",
        "ours": best["armwerk"] * 1e6,
        "peer": peer,
        "peers": {who: best[who] * 1e6 for who in peers},
        "ratio": best[peer] / best["armwerk"],
        "target": goal,
    }


def _contestants(name: str) -> tuple[dict[str, Callable[[], float]], dict[str, Any]]:
    model = aw.model(name, ik="closed")
    rng = np.random.default_rng(0)
    poses = np.ascontiguousarray(model.fk(rng.uniform(-np.pi, np.pi, (POSES, 6))))
    ours = {
        "batch": lambda: _seconds(lambda: model.ik_batch(poses)) / POSES,
        "one": _each(model.ik, poses),
    }
    robot, theirs = _eaik(model.arm, rng)
    peers: dict[str, dict[str, Callable[[], float]]] = {"batch": {}, "one": {}}
    many = list(theirs)
    for threads in (1, 2, 4):
        peers["batch"][f"EAIK {threads} threads"] = lambda t=threads: (
            _seconds(lambda: robot.IK_batched(many, t)) / PEER_POSES
        )
    peers["one"]["EAIK"] = _each(robot.IK, theirs)
    solve, reachable = _ssik(name, model.arm, theirs, rng)
    peers["one"]["ssik"] = _each(solve, reachable, 100 if name in PREBUILT else 5)
    peers["batch"]["ssik"] = peers["one"]["ssik"]  # it has no batch
    return ours, peers


def _eaik(arm: aw.Arm, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    from eaik.IK_DH import DhRobot

    rows = np.array([[float(j.alpha), float(j.a), float(j.d)] for j in arm.joints]).T
    robot = DhRobot(*rows)
    poses = [robot.fwdKin(q) for q in rng.uniform(-np.pi, np.pi, (PEER_POSES, 6))]
    return robot, np.array(poses)


def _ssik(
    name: str, arm: aw.Arm, poses: np.ndarray, rng: np.random.Generator
) -> tuple[Callable[[Any], Any], np.ndarray]:
    import ssik

    if name in PREBUILT:
        module = importlib.import_module(PREBUILT[name])
        return module.solve, np.array([module.fk(q) for q in rng.uniform(-2, 2, (200, 6))])
    rows = [[float(j.alpha), float(j.a), float(j.d)] for j in arm.joints]
    return ssik.Manipulator.from_dh(*np.array(rows).T).solve, poses


def _each(call: Callable[[Any], Any], poses: np.ndarray, count: int = 2000) -> Callable[[], float]:
    some = list(poses[:200])

    def measure() -> float:
        order = [some[k % len(some)] for k in range(count)]
        begin = time.perf_counter()
        for pose in order:
            call(pose)
        return (time.perf_counter() - begin) / count

    return measure


def _seconds(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


if __name__ == "__main__":
    for row in run():
        peers = ", ".join(f"{who} {value:.2f}" for who, value in row["peers"].items())
        print(
            f"{row['name']:45s} {row['ours']:7.3f} us   {row['ratio']:5.1f} times {row['peer']}"
            f" (target {row['target']:.0f})   [{peers}]"
        )
