"""How long derivations take in a fresh process, and the compiled dynamics against pinocchio.

The promised times are the peer of the first rows: a ratio above 1 means the promise is kept. The
rule-based tool IKBT was measured at 155 s for the Puma and 162 s for the Stanford arm.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pinocchio as pin
from measure import Row, best

import armwerk as aw

REPEATS = 3
STATES = 100_000
ALL_MODELS = """
import time; begin = time.perf_counter()
import armwerk as aw
d = aw.derive({arm!r})
d.forward, d.jacobian, d.twists, d.equations, d.singularities
assert d.inverse.program is not None
d.dynamics("lagrange", parameters="symbolic").polynomials
print(time.perf_counter() - begin)
"""
LAGRANGE = """
import armwerk as aw, time
ring = aw.derive({arm!r}).ring
from armwerk.derivation.dynamics import dynamics
begin = time.perf_counter()
dynamics(ring, "lagrange", "symbolic").polynomials
print(time.perf_counter() - begin)
"""


def run() -> list[Row]:
    """Measure everything of this file."""
    rows = [
        Row(
            f"all models of {arm}, fresh process, imports included",
            _in_fresh_process(ALL_MODELS, arm),
            "promise",
            promised,
            "s",
            wanted=1.0,
        )
        for arm, promised in (
            ("puma560", 3.0),
            ("ur5e", 3.0),
            ("stanford", 3.0),
            ("typ1", 5.0),
            ("typ2", 5.0),
        )
    ]
    rows.append(
        Row(
            "mass, Coriolis, centrifugal, gravity of puma560 by Lagrange, symbolic inertias",
            _in_fresh_process(LAGRANGE, "puma560"),
            "promise",
            1.0,
            "s",
            wanted=1.0,
        )
    )
    return [*rows, *_dynamics("puma560")]


def _in_fresh_process(code: str, arm: str) -> float:
    call = [sys.executable, "-c", code.format(arm=arm)]
    runs = [
        subprocess.run(call, capture_output=True, text=True, check=True) for _ in range(REPEATS)
    ]
    return min(float(done.stdout) for done in runs)


def _dynamics(name: str) -> Iterator[Row]:
    arm = aw.load_arm(name)
    compiled = aw.derive(arm).compiled_dynamics()
    model = aw.model(arm, ik="numeric")
    draw = np.random.default_rng(0)
    q, qd, qdd = (draw.uniform(-1.0, 1.0, (STATES, arm.dof)) for _ in range(3))
    peer = pin.buildSampleModelManipulator()  # six revolute joints with full inertias
    pool = pin.ModelPool(peer, 2)
    columns = [np.asfortranarray(rows.T) for rows in (q, qd, qdd)]
    out = np.zeros((arm.dof, STATES), order="F")
    times = best(
        {
            "compiled": lambda: compiled.inverse_dynamics(q, qd, qdd),
            "generic": lambda: model.inverse_dynamics(q, qd, qdd),
            "1 thread": lambda: pin.rneaInParallel(1, pool, *columns, out),
            "2 threads": lambda: pin.rneaInParallel(2, pool, *columns, out),
        }
    )
    theirs = min(times["1 thread"], times["2 threads"]) / STATES * 1e6
    peer_name = "pinocchio rneaInParallel"
    what = f"inverse dynamics of {name}, {STATES:,} states, per state"
    yield Row(f"{what}, generated", times["compiled"] / STATES * 1e6, peer_name, theirs, wanted=2.0)
    yield Row(f"{what}, generic kernel", times["generic"] / STATES * 1e6, peer_name, theirs)
