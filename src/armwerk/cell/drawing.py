"""`draw_world`: how a world looks now, as a PNG file; needs no screen."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from armwerk.cell.moments import Moments, drawn_robots
from armwerk.errors import DescriptionError


def draw_world(
    world: Any,
    path: str | Path,
    *,
    azimuth: float | None = None,
    elevation: float | None = None,
    size: tuple[int, int] = (640, 480),
) -> Path:
    """Draw a world and return where the picture is; its folder is made when it is missing.

    Args:
        world: A `World`.
        path: Ends in .png.
        azimuth: Of the eye about z from the x axis [rad]; None: from the front.
        elevation: Of the eye above the floor [rad]; None: a little from above.
        size: Width and height [pixel].
    """
    from PIL import Image

    from armwerk.pictures.cell import AZIMUTH, ELEVATION, CellPicture, camera_of

    path = Path(path)
    if path.suffix.lower() != ".png":
        raise DescriptionError(
            "unknown picture format", element=f"picture '{path}'", value=path.suffix, allowed=".png"
        )
    for name, angle in (("azimuth", azimuth), ("elevation", elevation)):
        if angle is not None and not math.isfinite(angle):
            raise DescriptionError(
                "not finite", element=name, value=angle, allowed="an angle [rad]"
            )
    robots, _ = drawn_robots(world.scene)
    eye = camera_of(
        world.scene,
        robots,
        size,
        azimuth=AZIMUTH if azimuth is None else azimuth,
        elevation=ELEVATION if elevation is None else elevation,
    )
    pixels = CellPicture(world.scene, robots, size, eye).draw(Moments(world).now())
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, optimize=True)
    return path
