"""Still pictures: what comes in is a model and joint values, what goes out is a .png or .svg.

Drawn with matplotlib's own projection left aside: `solids` are placed by a `skeleton`, shaded
and sorted by the `canvas`, and set on a `stage` with a grid in metres.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
