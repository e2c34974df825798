"""Pictures of cells: a moment of a running world as a PNG, drawn without a screen.

Shows:
    - running a shipped cell up to a moment
    - a picture of it, and how to choose the camera
    - the gallery in docs/cells.md is made this way, with all names given

Run: python examples/world/04_pictures_of_cells.py [FOLDER [CELL ...]]
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import armwerk as aw

# When there is something to see [s], and from where: azimuth and elevation [degrees].
MOMENTS = {
    "drop_and_bounce": (0.75, -75, 12),
    "handover": (3.3, -62, 27),
    "ik_closed": (1.2, -62, 27),
    "ik_jacobian": (1.6, -62, 27),
    "ik_pref": (1.7, -62, 27),
    "ik_simplex": (1.2, -62, 27),
    "labyrinth": (3.9, -100, 10),
    "linear_axes": (26.0, -75, 18),
    "pick_and_place": (3.2, -30, 30),
    "ramp": (0.7, -60, 20),
    "sorting": (11.2, -115, 34),
    "stress": (0.9, -60, 35),
    "ten_arms": (9.0, -50, 32),
    "tower": (21.0, -40, 22),
    "tripod": (5.2, -70, 14),
}


def draw(name: str, folder: Path, size: tuple[int, int] = (480, 360)) -> Path:
    """Run a cell up to its moment and draw it."""
    time, *angles = MOMENTS[name]
    azimuth, elevation = np.deg2rad(angles)
    with aw.World.load(name) as world:
        world.run(seconds=time)
        path = world.draw(folder / f"{name}.png", azimuth=azimuth, elevation=elevation, size=size)
    Image.open(path).quantize(128).save(path, optimize=True)  # small enough for a web page
    return path


def main(folder: Path, names: list[str]) -> None:
    for name in names:
        print("picture:", draw(name, folder))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(Path(words[0]) if words else Path("out"), words[1:] or ["handover", "tripod"])
