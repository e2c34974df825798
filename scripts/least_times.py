"""Write the least times of the paths that time laws are held against, by an independent solver.

Run it where casadi is installed (the extra `witness`):

    python scripts/least_times.py

It takes a quarter of an hour and writes tests/motion/least_times.toml. With names of paths after
it, or of a table of them, `paths`, `hard` or `drawn`, these alone are solved anew.
"""

from __future__ import annotations

import sys
import tomllib
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "motion"
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from hard_paths import DRAWN, HARD, HardProblem  # noqa: E402
from optimal_paths import CHOSEN, problem  # noqa: E402
from time_witness import cut_path, least_time  # noqa: E402

from armwerk.files import write_text  # noqa: E402
from armwerk.mechanics.serial import SerialModel  # noqa: E402
from armwerk.motion import Limits  # noqa: E402
from armwerk.motion.retiming.time_run import PathPiece  # noqa: E402

FILE = TESTS / "least_times.toml"


def chosen(*words: str) -> HardProblem:
    """Return one of the thirty paths, with the limits of its arm."""
    given = problem(*words)
    assert isinstance(given.model, SerialModel)
    return HardProblem(given.model, given.q0, given.path, Limits.of(given.model.arm))


TABLES: dict[str, dict[str, Callable[[], HardProblem]]] = {
    "paths": {", ".join(words): partial(chosen, *words) for words in CHOSEN},
    "hard": HARD,
    "drawn": DRAWN,
}


def least(given: HardProblem) -> float:
    """Return the least time of a path [s].

    Raises:
        RuntimeError: When ipopt finds none.
    """
    total = 0.0
    for piece in given.plan(optimal=True).pieces:
        assert isinstance(piece, PathPiece)
        arm = given.model.arm if given.drives else None
        answer = least_time(cut_path(piece.run, given.limits, piece.law, arm=arm))
        if not answer.solved:
            raise RuntimeError("ipopt found no optimum")
        total += answer.duration
    return total


def main() -> None:
    """Solve the paths that are named, or all, and write their times."""
    warnings.simplefilter("ignore")
    asked = set(sys.argv[1:])
    known = tomllib.loads(FILE.read_text(encoding="utf-8"))
    lines = [
        "# Least times [s] of paths in optimal_paths.py and hard_paths.py, by casadi and ipopt.",
        "# Written by scripts/least_times.py.",
    ]
    for table, problems in TABLES.items():
        lines += ["", f"[{table}]"]
        for name, make in problems.items():
            time = known.get(table, {}).get(name)
            if time is None or not asked or asked & {table, name}:
                time = least(make())
                print(f"{name}: {time:.5f} s", flush=True)
            lines.append(f'"{name}" = {time:.5f}')
    write_text(FILE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
