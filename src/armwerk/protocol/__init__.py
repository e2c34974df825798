"""What programs, control, the physical world and viewers say to each other, without behaviour."""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
