"""Modules that are loaded when they are first used."""

from __future__ import annotations

import subprocess
import sys

from armwerk.cli.run.kinds import MESHES
from armwerk.lazy import use_later
from armwerk.mobile.files.reading import READERS

LATER = """
import sys
from armwerk.lazy import use_later
use_later("quopri")
import quopri
before = type(sys.modules["quopri"]) is type(sys)
text = quopri.encodestring(b"=").decode()
print(before, text, type(sys.modules["quopri"]) is type(sys), quopri.ESCAPE)
"""
NO_WINDOW = """
import sys
from armwerk.cli import main
sys.argv = ["armwerk", "run", "pick_and_place", "--seconds", "0.002", "--quiet"]
try:
    main()
except SystemExit:
    pass
print("loaded", *(name for name in ("glfw.library", "armwerk.mobile") if name in sys.modules))
"""


def told(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


def test_a_module_is_loaded_when_something_of_it_is_used() -> None:
    assert told(LATER) == "False =3D True b'='"


def test_what_is_loaded_or_missing_is_left_alone() -> None:
    here = sys.modules["subprocess"]
    use_later("subprocess")
    assert sys.modules["subprocess"] is here
    use_later("no_such_module_anywhere")
    assert "no_such_module_anywhere" not in sys.modules


def test_a_run_of_arms_loads_neither_windows_nor_mobile_robots() -> None:
    assert told(NO_WINDOW) == "loaded"


def test_every_mesh_that_can_be_read_is_known_by_its_ending() -> None:
    assert set(MESHES) == set(READERS)
