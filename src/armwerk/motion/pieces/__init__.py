"""What a trajectory is made of: pieces of motion that can be evaluated at any time.

Every `TrajectoryPiece` runs from time 0 to its duration, moves all axes and is evaluated for many
times at once.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
