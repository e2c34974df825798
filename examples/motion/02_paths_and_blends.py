"""Paths of the tool: lines, circles, curves, and corners passed without stopping.

Shows:
    - a path of a line, a circle over a help point, a Bézier curve and a spline
    - what a blend saves against a stop, and what it does to the acceleration
    - orientation related to the path, an orientation zone of its own
    - a place near a singularity, where the motion slows down and says so
    - a path that cannot be driven, and why

Run: python examples/motion/02_paths_and_blends.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.errors import MotionError


def main(folder: Path) -> None:
    model = aw.model("ur5e")
    q0 = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
    start = model.fk(q0)
    x, y, z = start[:3, 3]

    # A corner, once with a stop and once with a blend.
    for blend in (0.0, 0.05):
        corner = aw.Path(start, speed=0.5, acceleration=2.0, jerk=50.0, blend=blend)
        corner = corner.lin([x, y + 0.3, z]).lin([x, y + 0.3, z - 0.3])
        t = corner.plan(model, q0)
        dt = 0.001
        tool = model.fk(t.sampled(dt)[1])[:, :3, 3]
        most = np.linalg.norm(np.diff(tool[:-1], 2, axis=0), axis=1).max() / dt**2
        print(f"corner with r = {1e3 * blend:.0f} mm: {t.duration:.3f} s, up to {most:.2f} m/s²")

    # All kinds of segments in one path; three numbers keep the orientation.
    path = aw.Path(start, speed=0.3, acceleration=1.5, jerk=30.0, blend=0.03, zone=0.05)
    path = (
        path.lin([x, y + 0.2, z])
        .circ([x, y + 0.3, z - 0.05], [x, y + 0.25, z - 0.15], reference="path")
        .bezier([x, y + 0.2, z - 0.25], [x, y + 0.1, z - 0.2], end=[x, y + 0.05, z - 0.1])
        .spline([[x + 0.05, y, z - 0.1], [x, y - 0.05, z - 0.05], start])
        .ptp(q0 + 0.2)
    )
    t = path.plan(model, q0)
    print(t.summary())
    print("picture:", t.plot(folder / "path.png"))
    print("samples:", t.save(folder / "path.csv", 0.004))

    # With the wrist nearly straight, two axes must turn quickly to hold the orientation.
    bent = np.array([0.2, -1.5, 1.6, -1.6, -0.06, 0.1])
    near = model.fk(bent)
    line = aw.Path(near, speed=0.5, acceleration=3.0, jerk=50.0)
    t = line.lin(near[:3, 3] + [0.0, 0.15, 0.1]).plan(model, bent)
    for notice in t.notices:
        print("notice:", notice)

    try:
        aw.Path(start).lin([x, y + 2.0, z], name="P4").plan(model, q0)
    except MotionError as error:
        print("refused:", error)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
