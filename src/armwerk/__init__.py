"""armwerk: describe a robot arm once, and get its models, motion, programs and world.

The names of the stub beside this file are loaded when they are first used, so that
``import armwerk`` stays quick.
"""

from __future__ import annotations

from armwerk.lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__)
