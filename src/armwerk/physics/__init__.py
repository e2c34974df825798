"""Physics: a scene and its arms in, their motion out, by MuJoCo and contacts that keep the laws.

`Simulation` is all one needs; the room knows no threads, no controllers and no triggers' texts.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
