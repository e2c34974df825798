"""My own arm, typed from its data sheet; every way it can hold a pose."""

from pathlib import Path

import numpy as np

import armwerk as aw

SHEET = """
name = "schweißer"
title = "Schweißarm, 6 Achsen"
source = "maker's data sheet, page 3"
"""
ROWS = [  # name, d [mm], a [mm], alpha [deg], limits [deg], speed [deg/s]
    ("turn", 412, 146, -90, 170, 150),
    ("shoulder", 0, 617, 0, 110, 150),
    ("elbow", 0, 131, -90, 150, 160),
    ("roll", 637, 0, 90, 185, 330),
    ("pitch", 0, 0, -90, 120, 330),
    ("flange", 103, 0, 0, 350, 420),
]
for name, d, a, alpha, limit, speed in ROWS:
    SHEET += f"""
[[joint]]
name = "{name}"
kind = "revolute"
d = "{d} mm"
a = "{a} mm"
alpha = "{alpha} deg"
limits = ["-{limit} deg", "{limit} deg"]
max_velocity = "{speed} deg/s"
"""
Path("welder.toml").write_text(SHEET, encoding="utf-8")

arm = aw.load("welder.toml")
print(arm)
model = aw.model(arm)
for degrees in ([20, -40, 30, 60, 50, 10], [0, -90, 90, 0, 30, 0], [45, -60, 0, 90, -90, 180]):
    pose = model.fk(np.radians(degrees))
    solutions = model.ik(pose)
    print(len(solutions), "solutions")
    assert len(solutions) >= 4
    assert np.allclose(model.fk(solutions), pose, atol=1e-9)
    offsets = (solutions - np.radians(degrees) + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(offsets).max(axis=1).min() < 1e-6, "my own joints are not among them"
