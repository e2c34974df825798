"""Still pictures: what comes in is a model and joint values, what goes out is a .png or .svg.

Drawn with matplotlib's own projection left aside: `solids` are placed by a `skeleton`, shaded
and sorted by the `canvas`, and set on a `stage` with a grid in metres.
"""

from __future__ import annotations

from armwerk.pictures.arm import draw_arm
from armwerk.pictures.choice import good_configuration
from armwerk.pictures.motion import draw_motion

__all__ = ["draw_arm", "draw_motion", "good_configuration"]
