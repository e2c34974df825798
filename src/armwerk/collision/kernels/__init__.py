"""Compiled kernels of collision: plain loops over packed rows, see `layout`.

Entry points have their argument types written down and are kept on disk, as in
`armwerk.mechanics.kernels`; ``python -m armwerk.collision.warm`` makes them all at once.
"""

from __future__ import annotations

from pathlib import Path

from armwerk.mechanics.kernels import _drop_stale

_drop_stale(Path(__file__).parent)
