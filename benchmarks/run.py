"""Run the benchmarks: ``python benchmarks/run.py [name …]``, all of them without a name.

Every file ``bench_<name>.py`` beside this one has a function ``run() -> list[Row]``. Results go to
``results/<name>.json`` and ``results/<name>.md``. The exit status is 1 when a promise is broken.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from measure import Row  # noqa: E402

PARTS = (
    *("numpy", "numba", "scipy", "mujoco", "pin", "coal", "python-fcl", "ompl"),
    *("roboticstoolbox-python", "eaik", "ssik", "ruckig"),
)
HEADINGS = ("what", "armwerk", "peer", "its figure", "unit", "ratio", "promised", "note")


def main(wanted: list[str]) -> int:
    """Run what is wanted, show and keep the results; return the exit status."""
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    for name in wanted:
        if name not in known:
            sys.stderr.write(f"no benchmark is called '{name}' (known: {', '.join(known)})\n")
            return 2
    console, broken = Console(width=None if sys.stdout.isatty() else 150), False
    for name in wanted or known:
        console.print(f"[dim]measuring {name} …[/dim]")
        try:
            rows = _rows(name)
        except Exception as error:  # one broken benchmark must not hide the others
            console.print(f"[red]{name} could not be measured: {error!r}[/red]")
            broken = True
            continue
        console.print(_table(name, rows))
        _keep(name, rows)
        broken |= any(row.kept is False for row in rows)
    return int(broken)


def _rows(name: str) -> list[Row]:
    rows = import_module(f"bench_{name}").run()
    for row in rows:
        if not isinstance(row, Row):
            raise TypeError(f"bench_{name}.run() must return Rows, got {type(row).__name__}")
    return list(rows)


def _cells(row: Row) -> list[str]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f} ×"
    theirs = "" if row.theirs is None else f"{row.theirs:.4g}"
    promised = "" if row.wanted is None else f"≥ {row.wanted:.3g} ×"
    if row.kept is not None:
        promised += " kept" if row.kept else " BROKEN"
    return [row.what, f"{row.ours:.4g}", row.peer, theirs, row.unit, ratio, promised, row.note]


def _table(name: str, rows: list[Row]) -> Table:
    table = Table(title=f"{name}: ratio above 1 means armwerk is better")
    for heading in HEADINGS:
        right = heading in ("armwerk", "its figure", "ratio")
        table.add_column(heading, justify="right" if right else "left")
    for row in rows:
        table.add_row(*_cells(row), style="red" if row.kept is False else None)
    return table


def _keep(name: str, rows: list[Row]) -> None:
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    facts = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "packages": {part: found for part in PARTS if (found := _version(part))},
    }
    figures = [asdict(row) | {"ratio": row.ratio, "kept": row.kept} for row in rows]
    text = json.dumps({"machine": facts, "rows": figures}, indent=2, ensure_ascii=False)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    lines = [" | ".join(HEADINGS), " | ".join("---" for _ in HEADINGS)]
    lines += [" | ".join(_cells(row)) for row in rows]
    body = "\n".join(f"| {line} |" for line in lines)
    packages = ", ".join(f"{part} {found}" for part, found in facts["packages"].items())  # type: ignore[union-attr]
    head = (
        f"# {name}\n\nBest of repeats, all sides taking turns in one run on {facts['cores']} "
        f"cores, Python {facts['python']}, {packages}. A ratio above 1 means armwerk is better.\n\n"
    )
    (folder / f"{name}.md").write_text(head + body + "\n", encoding="utf-8")


def _version(part: str) -> str:
    try:
        return version(part)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
