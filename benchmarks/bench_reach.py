"""Reachability: configurations and poses a second, threads and processes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from measure import Row, best

import armwerk as aw
from armwerk.geometry import Box, rotation_exp

BOXES = 16
SAMPLES = 1 << 19
STEPS = (12, 12, 12, 10, 8, 6)
ORIENTATIONS = 12
LOOKS = 200  # configurations or poses of a loop over the model's own functions


def run() -> list[Row]:
    """Measure sweeps of a UR5e among boxes against loops over the model one by one."""
    boxes = _boxes()
    aw.reach("ur5e", boxes, samples=1000)
    cores = os.cpu_count() or 1
    one_by_one = _one_by_one(boxes)
    rows = []
    for what, asked in (
        (f"forward grid, {BOXES} boxes, spheres", {"steps": STEPS}),
        (f"forward samples, {BOXES} boxes, spheres", {"samples": SAMPLES}),
        (f"forward samples, {BOXES} boxes, exact", {"samples": SAMPLES // 4, "contact": "exact"}),
    ):
        rows.append(_row(what, boxes, asked, 1, one_by_one["fk"]))
    rows.append(
        _row(
            f"forward samples, {BOXES} boxes, spheres",
            boxes,
            {"samples": SAMPLES},
            cores,
            one_by_one["fk"],
        )
    )
    inverse: dict[str, Any] = {"method": "inverse", "cell": 0.1, "orientations": ORIENTATIONS}
    rows.append(_row("inverse poses, no bodies", (), inverse, cores, one_by_one["ik"]))
    return rows


def _row(what: str, boxes: Any, asked: dict[str, Any], workers: int, peer: float) -> Row:
    found = [aw.reach("ur5e", boxes, workers=workers, **asked) for _ in range(3)]
    rate = max(one.tried / one.seconds for one in found)
    note = f"{found[0].tried:,} in all, {found[0].reached:,} voxels reached"
    plural = "s" * (workers > 1)
    name = f"{what}, {workers} thread{plural}"
    return Row(name, rate, "one by one", peer, "1/s", lower_is_better=False, note=note)


def _one_by_one(boxes: list[Box]) -> dict[str, float]:
    """Return configurations and poses a second of plain loops over the model and the checker."""
    from armwerk.collision import Checker

    model: Any = aw.model("ur5e")
    checker = Checker(model.arm, boxes, self_check=False)
    Q = np.random.default_rng(0).uniform(-np.pi, np.pi, (LOOKS, 6))
    Ts = model.fk(Q)

    def forward() -> None:
        for q in Q:
            if not checker.contact(q):
                model.fk(q)
                model.manipulability(q)

    def inverse() -> None:
        for T in Ts:
            for q in model.ik(T):
                model.manipulability(q)

    spent = best({"fk": forward, "ik": inverse}, repeats=3)
    return {name: LOOKS / seconds for name, seconds in spent.items()}


def _boxes() -> list[Box]:
    draw = np.random.default_rng(16)
    boxes = []
    for _ in range(BOXES):
        angle, away = draw.uniform(-np.pi, np.pi), draw.uniform(0.45, 0.95)
        place = (away * np.cos(angle), away * np.sin(angle), draw.uniform(-0.1, 0.8))
        boxes.append(Box(draw.uniform(0.05, 0.2, 3), place, rotation_exp(draw.normal(size=3))))
    return boxes
