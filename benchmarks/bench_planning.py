"""Planning: a hundred seeded problems among boxes, proofs of lines, and checks of whole motions."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from measure import Row, best

import armwerk as aw
from armwerk.collision import Prover
from armwerk.errors import PlanningError
from armwerk.planning import PlannedPath
from armwerk.planning.example_problems import BoxProblem, box_problem
from armwerk.planning.options import PlannerName
from armwerk.robot import ArmName

PROBLEMS = 100
LIMIT = 10.0  # [s]
KNOWN = Path(__file__).parent / "shortest_known.csv"
FINE = 5e-4  # [rad] ten times finer than planners usually look


def run() -> list[Row]:
    """Measure everything of this file."""
    rows: list[Row] = []
    rows += problems("ur5e", "rrt-connect", PROBLEMS)
    rows += problems("puma560", "rrt-connect", PROBLEMS)
    rows += problems("ur5e", "prm", PROBLEMS // 5)
    return [*rows, *proofs()]


def problems(name: ArmName, planner: PlannerName, count: int) -> list[Row]:
    """Solve problems for one arm; those given up take the whole time and count as that."""
    arm = aw.load(name)
    aw.find_path(arm, (), np.mean(arm.limits, axis=1), np.mean(arm.limits, axis=1), planner)
    known = _known(name)
    times, ratios, touching, closed = [], [], 0, 0
    for seed in range(count):
        problem = box_problem(arm, seed)
        begin = time.process_time()  # what others do on the machine does not count
        path, proved = _solved(problem, planner, seed)
        times.append(time.process_time() - begin)
        closed += proved
        if path is not None:
            ratios.append(path.length / known[seed])
            touching += bool(path.checker.contacts(path.sampled(FINE)).any())
    what = f"{name}, {planner}, {count} problems among 12 boxes"
    return [
        Row(f"{what}: median", 1e3 * float(np.median(times)), unit="ms", note="checker included"),
        Row(f"{what}: longest", max(times), "promised", LIMIT, "s", wanted=1.0),
        Row(f"{what}: solved", len(ratios), unit="problems", lower_is_better=False),
        Row(f"{what}: proved to have no way", closed, unit="problems", lower_is_better=False),
        Row(f"{what}: length, median", float(np.median(ratios)), unit="best known"),
        Row(f"{what}: length, longest", max(ratios), "promised", 1.2, "best known"),
        Row(f"{what}: paths in contact at 0.5 mrad", touching, unit="paths", note="0 promised"),
    ]


def _solved(
    problem: BoxProblem, planner: PlannerName, seed: int
) -> tuple[PlannedPath | None, bool]:
    """Return the path, or None and whether there is proved to be none."""
    try:
        return aw.find_path(*problem, planner, LIMIT, seed), False
    except PlanningError as error:
        return None, error.reason == "no way"


def _known(name: str) -> dict[int, float]:
    """Return the length of the shortest path known of each problem, by long searches [rad]."""
    lines = KNOWN.read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines if line.startswith(f"{name},")]
    return {int(seed): float(length) for _, seed, length in rows}


def proofs() -> list[Row]:
    """A line of 1 rad proved, against samples of the same checker; a whole motion checked."""
    problem = box_problem(aw.load("ur5e"), 3)
    path = aw.find_path(*problem)
    prover = Prover(path.checker)
    a, b = path.q[0], path.q[1]
    line = np.stack([a, a + (b - a) / np.linalg.norm(b - a)])
    samples = line[0] + np.linspace(0, 1, 257)[:, None] * (line[1] - line[0])
    motion = path.trajectory
    took = best(
        {
            "proof": lambda: prover.segments(line),
            "samples": lambda: path.checker.contacts(samples),
            "motion": lambda: aw.check(motion, path.checker),
        },
        repeats=9,
    )
    free = "proved free" if prover.segments(line)[0] else "not free"
    return [
        Row(
            "line of 1 rad, from end to end",
            1e6 * took["proof"],
            "257 samples of it",
            1e6 * took["samples"],
            note=free,
        ),
        Row(
            "whole motion with its smallest distance",
            1e3 * took["motion"],
            unit="ms",
            note=f"motion of {motion.duration:.2f} s",
        ),
    ]
