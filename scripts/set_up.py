"""Sets up the environment of this folder, .venv; needs Python alone, on every system.

``make`` calls it; where there is no make (Windows), it is called by hand:

    python scripts/set_up.py demo     set up what the demo needs, show the main job
    python scripts/set_up.py test     set up the rest, run every test
    python scripts/set_up.py          only set up what armwerk needs
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)
EXTRAS = {  # what make asks for beyond armwerk itself
    "tools": (
        "dev,witness,planning,cluster,video,editors,can",
        "tools and witnesses of the tests (2 GB more)",
    ),
    "docs": ("docs", "what builds the site"),
}


def main(words: list[str]) -> None:
    """Do what is asked for."""
    what = words[0] if words else "base"
    if what in EXTRAS:
        _install(*EXTRAS[what])
        return
    if what not in {"base", "demo", "test"}:
        sys.exit(f"unknown: {what}\n{__doc__}")
    _make_environment()
    _install("", "armwerk and what it needs (1 GB)")
    if what == "demo":
        if _run("-c", HAS_SCREEN) == 0 and _run("scripts/page.py"):
            print("the page of the studio could not be built")
        sys.exit(_run("-m", "armwerk", "demo", "--studio"))
    if what == "test":
        _install(*EXTRAS["tools"])
        for step in (
            ["-m", "armwerk", "warm"],
            ["scripts/page.py"],
            ["-m", "pytest", "-n", "auto"],
        ):
            if status := _run(*step):
                sys.exit(status)


HAS_SCREEN = "import sys; from armwerk.cli.console import has_screen; sys.exit(not has_screen())"


def _make_environment() -> None:
    if sys.version_info < OLDEST:
        sys.exit("armwerk needs Python {}.{} or later".format(*OLDEST))
    if not _has("pip"):
        shutil.rmtree(VENV, ignore_errors=True)
        if subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False).returncode:
            sys.exit(
                "Python cannot make a virtual environment; install its venv module "
                "(Debian: python3-venv)"
            )
    if _run(*PIP, "--quiet", "uv"):
        print("no uv; pip does it all")


PIP = ("-m", "pip", "install", "--disable-pip-version-check", "-c", "constraints.txt")


def _install(extras: str, what: str) -> None:
    """Install armwerk from this folder; pip takes over where uv cannot work.

    Behind a proxy with certificates of its own, for one.
    """
    print(f"installing {what}", flush=True)
    # byte code of all there is takes 20 s; the demo needs a quarter of it, and keeps that itself
    bytecode = ["--compile-bytecode"] if extras else []
    itself = f".[{extras}]" if extras else "."
    uv = ("-m", "uv", "pip", "install", *bytecode, "--python", str(PYTHON))
    chosen = ("-c", "constraints.txt", "-e", itself)
    if (not _has("uv") or _run(*uv, *chosen)) and (status := _run(*PIP, "-e", itself)):
        sys.exit(status)


def _has(module: str) -> bool:
    if not PYTHON.exists():
        return False
    asked = [str(PYTHON), "-m", module, "--version"]
    return subprocess.run(asked, check=False, capture_output=True).returncode == 0


def _run(*words: str) -> int:
    keeping = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.run([str(PYTHON), *words], cwd=ROOT, env=keeping, check=False).returncode


if __name__ == "__main__":
    main(sys.argv[1:])
