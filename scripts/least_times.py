"""Write the least times of the paths that time laws are held against, by an independent solver.

Run it where casadi is installed (the extra `witness`):

    python scripts/least_times.py

It takes a minute and writes tests/motion/least_times.toml.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "motion"
sys.path.insert(0, str(TESTS))

from optimal_paths import CHOSEN, problem  # noqa: E402
from time_witness import cut_path, least_time  # noqa: E402

from armwerk.files import write_text  # noqa: E402
from armwerk.motion.retiming.time_run import PathPiece  # noqa: E402


def main() -> None:
    """Solve all paths and write their times."""
    warnings.simplefilter("ignore")
    lines = [
        "# Least times [s] of the paths in optimal_paths.py, by casadi and ipopt.",
        "# Written by scripts/least_times.py.",
        "",
    ]
    for chosen in CHOSEN:
        given = problem(*chosen)
        trajectory = given.path.plan(given.model, given.q0)
        assert trajectory.limits is not None
        total = 0.0
        for piece in trajectory.pieces:
            assert isinstance(piece, PathPiece)
            answer = least_time(cut_path(piece.run, trajectory.limits, piece.law))
            if not answer.solved:
                sys.exit(f"{given.name}: ipopt found no optimum")
            total += answer.duration
        lines.append(f'"{given.name}" = {total:.5f}')
        print(lines[-1], flush=True)
    write_text(TESTS / "least_times.toml", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
