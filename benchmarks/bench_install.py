"""The first hour in numbers: from nothing to the demo, from a wheel to the first answers.

Every run starts with empty caches, as on a new machine: packages are downloaded, kernels compiled.
Computing is what all processes together used of a core; downloading does not count.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Row

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "install"))

from wheel import Installed, install  # noqa: E402

MOST_COMPUTING = 90.0  # [s] `make demo` from nothing
MOST_SPACE = 1200.0  # [MB] what it leaves in its folder


def run() -> list[Row]:
    """Measure both ways in."""
    folder = Path(tempfile.mkdtemp(prefix="armwerk-install-"))
    try:
        return [*_from_a_clone(folder / "clone"), *_from_a_wheel(folder / "wheel")]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _from_a_clone(folder: Path) -> list[Row]:
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    spent = _computing(["make", "demo"], folder, _new_user(folder.parent / "home"))
    return [
        Row(
            "make demo from nothing, computing", spent, "promised", MOST_COMPUTING, "s", wanted=1.0
        ),
        Row("what it leaves on the disk", _size(folder), "promised", MOST_SPACE, "MB", wanted=1.0),
    ]


def _from_a_wheel(folder: Path) -> list[Row]:
    folder.mkdir()
    install(folder)
    installed = Installed(folder / "environment")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (folder / "ten.py").write_text(re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0])
    user = _new_user(folder / "home")
    python = str(installed.python)
    lines, warm = [python, "ten.py"], [python, "-m", "armwerk", "warm"]
    return [
        Row("an empty environment with the wheel", _size(folder / "environment"), unit="MB"),
        Row("the README's ten lines, first time", _computing(lines, folder, user), unit="s"),
        Row("the same, second time", _computing(lines, folder, user), unit="s"),
        Row("armwerk warm after that", _computing(warm, folder, user), unit="s"),
    ]


def _new_user(home: Path) -> dict[str, str]:
    home.mkdir()
    kept = {key: os.environ[key] for key in os.environ if not key.startswith(("XDG", "ARMWERK"))}
    return {**kept, "HOME": str(home), "UV_CACHE_DIR": str(home / "uv"), "PIP_NO_CACHE_DIR": "1"}


def _computing(words: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Return the seconds of a core that a command and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _size(folder: Path) -> float:
    """Return what the files of a folder take [MB]."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6
