"""Arms built from parts, closed chains included.

`model` is what users ask; `walk` finds the frame of every part, `loop_closing` settles the passive
elements of a closed chain with the intersections of `closed_chain` and the platform of `stewart`,
`rates` differentiates the ties, `inverse` goes from where the hand shall be to motor values.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
