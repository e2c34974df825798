"""Programs for robots: what a controller may say, and what the cell has to offer for it."""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
