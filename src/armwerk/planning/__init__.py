"""Configuration spaces and ways through them: an arm and bodies come in, maps and paths go out."""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
