"""Mobile robots: a scene of bodies and robots on wheels in; a running world, senses and events out.

A scene comes from mesh files or from Python (`MobileScene`); `MobileWorld` runs it, with physics in
the same MuJoCo world that arms, belts and things of environment files live in, or without.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
