"""Motion against ruckig: planning point to point, and evaluating what was planned."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import Row, best
from ruckig import InputParameter, Ruckig, Trajectory

import armwerk
from armwerk.motion import Limits
from armwerk.motion.options import Profile, Sync

REFERENCE = Path(__file__).parents[1] / "tests" / "data" / "ptp_reference.json"
CYCLE = 0.004  # [s]
ARM = "ur5e"


def run() -> list[Row]:
    """Measure everything of this file."""
    data = json.loads(REFERENCE.read_text(encoding="utf-8"))
    limits = Limits(*(data["limits"][name] for name in ("vmax", "amax", "jmax")))
    return [
        *planning(data["cases"], limits),
        *evaluation(data["cases"][0], limits),
        *durations(data["cases"], limits),
    ]


def planning(cases: list[dict[str, Any]], limits: Limits) -> list[Row]:
    """One synchronous motion of six axes, from arrays to a trajectory."""
    arm = armwerk.load(ARM)
    resting = [case for case in cases if not any(case["v0"] + case["v1"])]
    pairs = [(np.array(case["q0"]), np.array(case["q1"])) for case in resting]
    planner, asked = Ruckig(6), InputParameter(6)
    asked.max_velocity = limits.velocity.tolist()
    asked.max_acceleration = limits.acceleration.tolist()
    asked.max_jerk = limits.jerk.tolist()

    def theirs() -> None:
        for q0, q1 in pairs:
            asked.current_position, asked.target_position = q0.tolist(), q1.tolist()
            planner.calculate(asked, Trajectory(6))

    def ours(sync: Sync, profile: Profile) -> Callable[[], None]:
        def call() -> None:
            for q0, q1 in pairs:
                armwerk.ptp(arm, q0, q1, sync, profile, limits=limits)

        return call

    kinds: list[tuple[Sync, Profile]] = [
        ("sync", "trapezoid"),
        ("async", "trapezoid"),
        ("full", "trapezoid"),
        ("sync", "sine"),
        ("sync", "quintic"),
    ]
    calls = {f"{sync} {profile}": ours(sync, profile) for sync, profile in kinds}
    times = best({"ruckig": theirs, **calls}, number=3, repeats=15)
    scale = 1e6 / len(pairs)
    rows = []
    for name in calls:
        promised = 1 / 3 if name == "sync trapezoid" else None
        figures = times[name] * scale, "ruckig's own call, inputs set", times["ruckig"] * scale
        rows.append(Row(f"ptp planned, 6 axes, {name}", *figures, wanted=promised))
    return rows


def evaluation(case: dict[str, Any], limits: Limits) -> list[Row]:
    """A planned motion read out and sampled to a cycle, against ruckig time by time."""
    arm = armwerk.load(ARM)
    asked, found = InputParameter(6), Trajectory(6)
    asked.max_velocity = limits.velocity.tolist()
    asked.max_acceleration = limits.acceleration.tolist()
    asked.max_jerk = limits.jerk.tolist()
    asked.current_position, asked.target_position = case["q0"], case["q1"]
    Ruckig(6).calculate(asked, found)
    moments = armwerk.ptp(arm, case["q0"], case["q1"], limits=limits).times(CYCLE)

    def theirs() -> Any:
        return np.array([found.at_time(time) for time in moments.tolist()])

    def ours() -> Any:
        return armwerk.ptp(arm, case["q0"], case["q1"], limits=limits).sample(moments)

    apart = np.abs(theirs()[:, 0] - ours()[0]).max()
    if apart > 1e-9:
        raise RuntimeError(f"the two sides disagree by {apart:.1e} rad")
    times = best({"ours": ours, "theirs": theirs}, number=5, repeats=9)
    what = f"ptp sampled at {len(moments)} cycles"
    note = "ours planned, read out, checked and evaluated; theirs evaluated only"
    return [Row(what, times["ours"] * 1e6, "ruckig", times["theirs"] * 1e6, note=note)]


def durations(cases: list[dict[str, Any]], limits: Limits) -> list[Row]:
    """How much longer the smoother profiles take than the time-optimal one."""
    arm = armwerk.load(ARM)
    rows = []
    resting = [case for case in cases if not any(case["v0"] + case["v1"])]
    for profile in ("trapezoid", "sine", "quintic"):
        shares = [
            armwerk.ptp(arm, case["q0"], case["q1"], "sync", profile, limits=limits).duration
            / case["Time"]
            for case in resting
        ]
        promised = 1 / (1 + 1e-6) if profile == "trapezoid" else None
        rows.append(
            Row(
                f"duration from rest to rest, {profile}",
                float(np.mean(shares)),
                "time-optimal",
                1.0,
                "× optimum",
                wanted=promised,
                note=f"mean of {len(shares)} problems, worst {max(shares):.3f}",
            )
        )
    return rows
