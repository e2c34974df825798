"""A weld seam: a line, an arc, a line, one speed; curves to look at, a table for the controller."""

import csv
from pathlib import Path

import numpy as np

import armwerk as aw

model = aw.model("irb140")
start = np.array([0.0, 0.2, 0.3, 0.0, 0.8, 0.0])
T = model.fk(start)
x, y, z = T[:3, 3]
seam = (
    aw.Path(T, speed=0.02, acceleration=0.5, jerk=10.0)
    .lin([x, y + 0.1, z], blend=0.005)
    .circ([x + 0.02, y + 0.12, z], [x, y + 0.14, z], blend=0.005)
    .lin([x, y + 0.05, z - 0.05])
)
motion = seam.plan(model, start)
motion.plot("seam.png")
motion.save("seam.csv")

with Path("seam.csv").open(encoding="utf-8", newline="") as file:
    rows = list(csv.reader(line for line in file if not line.startswith("#")))
header, values = rows[0], np.array(rows[1:], dtype=float)
print(header)
assert header[0].startswith("t")
assert abs(values[-1, 0] - motion.duration) < 0.011
times, q, *_ = motion.sampled(0.001)
tool = model.fk(q)[:, :3, 3]
speed = np.linalg.norm(np.diff(tool[:-1], axis=0), axis=1) / np.diff(times[:-1])
assert speed.max() < 0.02 * 1.001
