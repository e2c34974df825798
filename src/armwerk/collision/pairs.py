"""Two shapes: whether they touch, and how far apart they are."""
from __future__ import annotations
import numpy as np
from armwerk.collision.packing import MeshShelf, row_of
from armwerk.geometry import Shape

def contact(a: Shape, b: Shape) -> bool:
    from armwerk.collision.kernels.pair_contact import touch_many
    shelf = MeshShelf()
    rows = np.stack([row_of(a, shelf), row_of(b, shelf)])
    return bool(touch_many(rows[:1], rows[1:], *shelf.tables())[0])
