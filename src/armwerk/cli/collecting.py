"""How often memory is looked through for garbage: little by little, and not while loading.

Loading numpy, numba and mujoco makes a million objects that all stay; looking through them once
would be a tenth of a short command, and a paced run would be late meanwhile.
"""

from __future__ import annotations

import gc

_LOADING = (500_000, 20, 20)  # new objects after which they are looked through
_RUNNING = (20_000, 20, 20)


def begin_loading() -> None:
    """Look through nothing while a command loads what it needs."""
    gc.set_threshold(*_LOADING)


def end_loading() -> None:
    """Never look through what is loaded, and through what comes in small portions; once."""
    if gc.get_threshold() == _LOADING:
        gc.freeze()
        gc.set_threshold(*_RUNNING)
