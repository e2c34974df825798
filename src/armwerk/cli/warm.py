"""``armwerk warm``: compiles what is used first, once.

Set-up calls this, so that the first command is as quick as every later one, also where Python
itself is told to keep no byte code.
"""

from __future__ import annotations

import compileall
import sys
from importlib import import_module
from pathlib import Path

from armwerk.compiling import NOTICE

_ROOT = Path(__file__).parents[1]
FIRST_ARMS = ("puma560",)  # of the demo


def warm() -> None:
    """Compile all kernels now, once, so that no later command has to.

    Takes a minute or two on a new machine and a few seconds after that; says on stderr what it is
    at. What is compiled is kept in the user's cache, or where NUMBA_CACHE_DIR says, and serves
    every environment and copy of the same armwerk. Closed forms of further arms are compiled when
    they are first used. Lengths and angles play no part here; elsewhere they are metres and
    degrees.

    \b
    Example:
      armwerk warm
    """
    with NOTICE.hushed():
        _compile()


def _compile() -> None:
    """Compile the kernels of all rooms and the closed forms that are used first."""
    from armwerk.compiled import load_waiting
    from armwerk.derivation.runtime.closed import closed_form
    from armwerk.robot import load_arm

    compileall.compile_dir(_ROOT, quiet=2)
    for name in kernel_modules():
        _tell(f"compiling {name.removeprefix('armwerk.')}")
        import_module(name)
        load_waiting()
    for name in FIRST_ARMS:
        closed_form(load_arm(name), progress=_tell, compiled=True)
    _tell("compiling motion")
    _plan_a_corner(FIRST_ARMS[0])
    _tell("compiling maps")
    _draw_maps()
    _tell("compiling the world")
    _run_a_cell("pick_and_place")


def kernel_modules() -> list[str]:
    """Return every module with an entry point."""
    return [
        ".".join(("armwerk", *path.relative_to(_ROOT).with_suffix("").parts))
        for path in sorted(_ROOT.rglob("*.py"))
        if "\n@entry(" in path.read_text(encoding="utf-8")
    ]


def _plan_a_corner(name: str) -> None:
    """Plan a short path: the kernels of motion are compiled when they are called."""
    from armwerk.geometry import transform_from_pose
    from armwerk.motion import Path as ToolPath

    corners = [(0.4, -0.2, 0.9), (0.4, -0.1, 0.9), (0.4, -0.1, 0.8)]
    start, corner, end = (transform_from_pose([*p, 0.0, 1.5, 0.0]) for p in corners)
    ToolPath(start).lin(corner, blend=0.02).lin(end).plan(name, optimal=True)


def _draw_maps() -> None:
    """Make small maps: what cells of one byte need, and a sweep."""
    import numpy as np

    from armwerk.geometry import Box, Sphere
    from armwerk.planning import cspace, problem, reach

    for name in ("tt", "rr"):
        small = problem(name).make(shape=(4, 4))
        small.clearance()
        problem(name).make(shape=(4, 4), method="planar")
    turned = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, -0.6], [0.0, 0.6, 0.8]])
    boxes = {"link2": [Box((0.1, 0.1, 0.1))]}
    cspace("planar_rr", [Box((0.1, 0.1, 0.1), (0.3, 0, 0), turned)], shape=(4, 4), shapes=boxes)
    cspace("planar_rr", [Sphere(0.1, (0.3, 0.0, 0.0))], shape=(4, 4))
    reach("planar_rr", [Box((0.1, 0.1, 0.1))], samples=10)


def _run_a_cell(name: str) -> None:
    """Run a cell for a moment: belts, balls, pads and drives share the kernels of a step."""
    from armwerk.cell import World

    with World.load(name) as world:
        world.run(seconds=0.1)


def _tell(text: str) -> None:
    sys.stderr.write(f"{text} …\n")
    sys.stderr.flush()
