"""The first answer in a process, by kept machine code: no numba, and the same bits as with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import armwerk as aw
from armwerk.native_call import is_possible

ASK = """
import pickle
import sys
import numpy as np
if WITH_NUMBA:
    import numba
import armwerk as aw
arm = aw.load("puma560")
model = aw.model(arm)
rng = [0.3, -0.4, 0.5, 0.6, -0.7, 0.8]
bits = []
for k in range(5):
    T = model.fk(np.roll(rng, k))
    solutions = model.ik(T)
    assert len(solutions) and np.abs(model.fk(solutions) - T).max() < 1e-9
    bits += [solutions.tobytes(), model.ik(T, within_limits=True).tobytes()]
    nearest = model.ik_nearest(T, np.zeros(6))
    bits.append(b"" if nearest is None else nearest.tobytes())
batch, counts = model.ik_batch(np.array([model.fk(np.roll(rng, k)) for k in range(5)]))
bits += [batch.tobytes(), counts.tobytes()]
for wrong in (np.zeros((3, 3)), np.full((4, 4), np.nan), "pose"):
    try:
        model.ik(wrong)
    except aw.errors.ShapeError:
        continue
    raise SystemExit(f"{wrong} was taken")
assert len(model.ik(model.fk(rng).tolist())) == len(model.ik(model.fk(rng)))
straight = model.ik(model.fk(np.zeros(6)))  # a wrist that is stretched: joints 4 and 6 are free
assert len(straight)
bits.append(straight.tobytes())
q = np.array(rng)
bits += [model.jacobian(q).tobytes(), model.inverse_dynamics(q, q, q).tobytes()]
again = pickle.loads(pickle.dumps(aw.model(arm)))
assert np.array_equal(again.fk(q), model.fk(q))
far = np.eye(4)
far[:3, 3] = 9.0
assert len(model.ik(far)) == 0
assert WITH_NUMBA or "numba" not in sys.modules, "numba was loaded"
for heavy in ("scipy", "sympy", "symengine", "flint"):
    assert WITH_NUMBA or heavy not in sys.modules, heavy
import hashlib
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
def test_a_later_process_needs_no_numba_and_answers_the_same() -> None:
    assert aw.model("puma560").method == "closed"  # derived now, if nobody has before
    with_numba = told(True)
    assert told(False) == with_numba
