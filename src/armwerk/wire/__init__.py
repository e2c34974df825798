"""What viewers see of a cell or an arm, without knowing who they are.

In goes a running world, an arm or a recording; out come its geometry once, packed frames of poses
often, events as they happen, and a clock to steer it with. There is no browser and no socket here.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
