"""Tables of trajectories and help points, as they are edited by hand, and the path they make."""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
