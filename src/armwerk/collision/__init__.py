"""Contact and distance: a configuration or motion comes in; contacts and distances go out.

`contact` and `distance` hold two shapes against each other, `Checker` a whole arm against `Bodies`,
itself and other arms, for one configuration or a million. Everything is exact to rounding:
touching counts, and so does a gap that rounding alone can make. `check` proves whole motions,
`slowed` slows them down near bodies, both by `SafetySettings`. Nothing here knows goals, paths to
them, or forces.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
