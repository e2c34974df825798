"""Random numbers for kernels: a state of one word comes in, numbers evenly spread in [0, 1) go out.

G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014. The
state belongs to whoever asks, so that one seed gives one sequence in any thread.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.compiled import TypeText, inner

Words: TypeAlias = NDArray[np.uint64]
WORDS = TypeText("uint64[::1]")

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_SHARE = 2.0**-53


def random_state(*seeds: int) -> Words:
    """Return the state that whole numbers from 0 on stand for. Shape (1,)."""
    return np.random.SeedSequence(seeds).generate_state(1, np.uint64).astype(np.uint64)


@inner
def uniform(state: Words) -> float:
    """Return a number in [0, 1), and move the state on."""
    word = state[0] + _STEP
    state[0] = word
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    word = word ^ (word >> _31)
    return float(word >> _11) * _SHARE
