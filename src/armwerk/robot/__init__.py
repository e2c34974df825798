"""The description of an arm: what comes in is a file, rows, axes or parts; what goes out is data.

Nothing here computes where an arm is; that is `armwerk.mechanics`.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
