"""How near to the least time paths are driven, against casadi and ipopt, and what that costs."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from measure import Row, best

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "motion"))

from optimal_paths import CHOSEN, TimedProblem, problem
from time_witness import cut_path, least_time

from armwerk.motion import Trajectory
from armwerk.motion.retiming.time_run import PathPiece

NEAR = 1.0 / 1.05  # of the least time
WISHES: dict[bool | None, float] = {None: 30.0, True: 100.0, False: 30.0}
"""How quick a motion is to be, and what planning it may cost [ms]."""


def run() -> list[Row]:
    """Measure everything of this file."""
    warnings.simplefilter("ignore")
    given = [problem(*chosen) for chosen in CHOSEN]
    return [*(durations(one) for one in given), *(computing(given, wish) for wish in WISHES)]


def durations(given: TimedProblem) -> Row:
    """Return how long a motion takes that nobody asked to be quick, and the least it could."""
    usual, plain, careful = (
        given.path.plan(given.model, given.q0, optimal=wish) for wish in (None, False, True)
    )
    # where the witness ends depends on what it begins with
    least = min(witnessed(motion) for motion in (usual, careful))
    return Row(
        f"{given.name}: least time",
        usual.duration,
        "casadi, ipopt",
        least,
        "s",
        wanted=NEAR,
        note=f"{usual.duration / least:.4f} of the optimum; with optimal=True "
        f"{careful.duration / least:.4f}, optimal=False {plain.duration / least:.3f}",
    )


def witnessed(motion: Trajectory) -> float:
    """Return the least time that the witness finds for the curves of a motion [s]."""
    assert motion.limits is not None
    least = 0.0
    for piece in motion.pieces:
        assert isinstance(piece, PathPiece)
        least += least_time(cut_path(piece.run, motion.limits, piece.law)).duration
    return least


def computing(given: list[TimedProblem], wish: bool | None) -> Row:
    """Return what planning costs, on average."""

    def ours() -> None:
        for one in given:
            one.path.plan(one.model, one.q0, optimal=wish)

    took = best({"ours": ours}, repeats=3)["ours"] / len(given)
    return Row(
        f"a path planned with optimal={wish}, mean of all",
        1e3 * took,
        "promised",
        WISHES[wish],
        "ms",
        wanted=1.0,
    )
