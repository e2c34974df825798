"""A wheel built from a clean tree, installed into an empty environment, once for all workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Installed:
    """An environment that knows armwerk from its wheel alone."""

    folder: Path

    @property
    def python(self) -> Path:
        """Return its interpreter."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def run(self, folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run Python in a folder, and show all that it said when it fails."""
        own = self.python.parent
        environment = {
            name: text for name, text in os.environ.items() if not name.startswith("PYTHON")
        }
        environment["PATH"] = f"{own}{os.pathsep}{environment['PATH']}"
        environment["MPLBACKEND"] = "agg"
        done = subprocess.run(
            [str(self.python), *words],
            cwd=folder,
            env={**environment, **settings},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Have a folder made by the first of several processes, and wait for it in the others."""
    ready = folder.with_suffix(".ready")
    try:
        folder.mkdir()
    except FileExistsError:
        while not ready.exists():
            time.sleep(0.2)
    else:
        try:
            make(folder)
            ready.write_text("made")
        except BaseException as error:
            ready.write_text(f"failed: {error}")
            raise
    if (said := ready.read_text()) != "made":
        raise RuntimeError(said)
    return folder


def install(folder: Path) -> None:
    """Build the wheel from what git would hand out, and install it with what it asks for."""
    tree, environment = folder / "tree", folder / "environment"
    for name in _tracked():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tree / name)
    bundle = Path("src/armwerk/studio/bundle")
    shutil.copytree(ROOT / bundle, tree / bundle)
    _uv("build", "--wheel", "--quiet", "--out-dir", str(folder / "wheels"), str(tree))
    (wheel,) = (folder / "wheels").glob("*.whl")
    _uv("venv", "--quiet", "--python", sys.executable, str(environment))
    python = str(Installed(environment).python)
    constraints = str(ROOT / "constraints.txt")
    _uv("pip", "install", "--quiet", "--python", python, "-c", constraints, str(wheel))
    shutil.rmtree(tree)


def add_notebooks(folder: Path) -> None:
    """Install what runs notebooks into a folder of its own, beside the environment."""
    packages = ("ipykernel", "nbclient", "nbformat")
    constraints = str(ROOT / "constraints.txt")
    _uv("pip", "install", "--quiet", "--target", str(folder), "-c", constraints, *packages)


def _tracked() -> list[str]:
    """Return the files a clone would hold, with changes that are not committed yet."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True)
    names = done.stdout.decode("utf-8").split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def _uv(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "uv", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
