"""The cell: physics, programs and triggers wired together, and the clock."""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
