"""My fixture is an STL file: does the motion touch it, where, when?"""

from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.collision import load_mesh

x, y, z = -550.0, 0.0, 500.0  # [mm] centre of a block of 100 x 100 x 600 mm, as CAD writes it
corners = np.array(
    [(x + sx * 50, y + sy * 50, z + sz * 300) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
)
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
lines = ["solid block"]
for a, b, c, d in faces:
    for triangle in ((a, b, c), (a, c, d)):
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*corners[corner]) for corner in triangle]
        lines += ["endloop", "endfacet"]
Path("block.stl").write_text("\n".join([*lines, "endsolid block"]), encoding="utf-8")

block = load_mesh("block.stl", unit="mm")
model = aw.model("ur5e")
motion = aw.ptp(model, [-1.2, -1.2, 1.2, -1.6, -1.6, 0], [1.2, -1.2, 1.2, -1.6, -1.6, 0])
verdict = aw.check(motion, model, [block])
print(verdict)
assert verdict.contact is not None
first = verdict.contact
print(f"{first.part} touches {first.body} after {first.time:.3f} s at {first.point.round(3)}")
assert 0 < first.time < motion.duration
