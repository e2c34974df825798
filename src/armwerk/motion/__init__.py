"""Motion: from where to where becomes when and how.

What comes in are joint values or poses, what goes out is a `Trajectory`: position, velocity,
acceleration and jerk at any time, within every limit. `ptp` moves joints; `Path` moves the tool
along curves.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
