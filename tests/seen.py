"""What can be seen in a picture: pixels of a colour, and the shapes that they form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from armwerk.pictures.palette import Colour


def mask(path: Path, colour: Colour, within: int = 10) -> NDArray[np.bool_]:
    """Return where a picture has a colour, up to ``within`` of 255 in each part."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"), dtype=np.int64)
    wanted = np.round(255 * np.array(colour)).astype(np.int64)
    return np.asarray(np.abs(pixels - wanted).max(axis=2) <= within)


def shapes(where: NDArray[np.bool_], least: int = 1) -> list[tuple[slice, slice]]:
    """Return the boxes (rows, columns) around connected shapes of at least so many pixels."""
    labels, count = ndimage.label(where, structure=np.ones((3, 3)))
    sizes = np.bincount(labels.ravel())[1:]
    boxes = ndimage.find_objects(labels)
    large = (boxes[number] for number in range(count) if sizes[number] >= least)
    return [(rows, columns) for rows, columns in large]


def runs_along(where: NDArray[np.bool_], width: int) -> int:
    """Return how many shapes are at least ``width`` pixels wide: lines of a diagram, say."""
    return sum(columns.stop - columns.start >= width for _, columns in shapes(where))
