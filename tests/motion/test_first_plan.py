"""The first motion planned in a process: by kept machine code, the same bits as with numba."""

from __future__ import annotations

import subprocess
import sys

import pytest

from armwerk.native_call import is_possible

ASK = """
import hashlib
import sys
import numpy as np
if WITH_NUMBA:
    from armwerk.compiled import use_numba
    use_numba()
import armwerk as aw
bits = []

def keep(path, model, q, **wishes):
    try:
        motion = path.plan(model, q, **wishes)
    except aw.errors.MotionError as error:
        bits.append(str(error).encode())
    else:
        bits.extend(one.tobytes() for one in motion.sampled(0.01))

model, q = aw.model("ur5e"), np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
start = model.fk(q)
x, y, z = start[:3, 3]
path = aw.Path(start, speed=0.3)
keep(path.lin([x, y + 0.05, z]), model, q)
keep(path.lin([x, y + 0.05, z]), model, None)
keep(path.lin([x, y + 0.05, z], blend=0.01).lin([x, y + 0.05, z + 0.05]), model, q)
keep(path.lin([x + 3.0, y, z]), model, q)  # out of reach
keep(path.lin([x, y + 0.05, z], blend=0.01).circ([x, y + 0.1, z - 0.05], [x, y + 0.1, z]), model, q)
keep(path.lines(start[:3, 3] + 1e-3 * np.eye(3), blend=2e-4), model, q)
keep(path.lin([x, y + 0.05, z]), model, q, optimal=True, drives=True)
spare, q = aw.model("iiwa7"), np.array([0.2, -0.6, 0.6, 1.4, 0.7, 0.1, 0.2])
start = spare.fk(q)
keep(aw.Path(start).lin(start[:3, 3] + [0.0, 0.05, 0.0]), spare, q)
keep(aw.Path(start).lin(start[:3, 3] + [0.0, 0.4, -0.9]), spare, q)
for heavy in ("numba", "scipy"):
    assert WITH_NUMBA or heavy not in sys.modules, heavy + " was loaded"
print(hashlib.sha256(b"".join(bits)).hexdigest())
"""


def told(with_numba: bool) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASK.replace("WITH_NUMBA", str(with_numba))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not is_possible(), reason="kept machine code runs on Linux with x86-64 alone")
def test_the_first_motion_of_a_process_needs_no_numba() -> None:
    with_numba = told(True)  # what is not compiled yet is compiled here
    assert told(False) == with_numba
