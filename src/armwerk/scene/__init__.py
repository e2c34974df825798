"""The surroundings of arms: what comes in is an environment file, what goes out is a `Scene`.

Nothing here moves, and no class named in a file is looked up.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
