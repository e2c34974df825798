"""Configuration spaces: for which joint values does an arm hit something, and what?

Shows:
    - the TT and RR problems of a practical on configuration spaces, counted and drawn
    - what a cell holds, and which joint values belong to it
    - how far the arm is from everything: the clearance map
    - any two joints of a six-axis arm, and three of them as slices

Run: python examples/planning/01_configuration_space.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

from armwerk.collision.bodies import Bodies
from armwerk.geometry import Box, Cylinder, Sphere
from armwerk.planning import cspace, problem


def main(folder: Path) -> None:
    # A cell holds the sum of obstacle number + 1 over all hits; 0 is free.
    for name in ("tt", "rr"):
        task = problem(name)
        c = task.make()
        print(f"{task.title}: {c.hits:,} of {c.tests:,} tests hit ({c.share:.6f})")
        print(f"    {1000 * c.seconds:.2f} ms by {c.method}; 2016: {1000 * task.seconds:,.0f} ms")
        print("    picture:", c.plot(folder / f"{name}.png", title=task.title))

    # Where the first link hits, no second joint angle helps: a whole band is blocked.
    blocked = [
        q1 for q1, column in zip(c.axes[0].values, c.free.T, strict=True) if not column.any()
    ]
    print(f"    {len(blocked)} of 360 values of q1 have no free q2")

    row, column = c.index(np.deg2rad([-60, 30]))
    q = np.rad2deg(c.at(row, column))
    print(f"    q1 {q[0]:.0f}°, q2 {q[1]:.0f}° is cell [{row}, {column}]: {c.cells[row, column]}")

    distance = c.clearance()
    row, column = map(int, np.unravel_index(distance.argmax(), distance.shape))
    q = np.rad2deg(c.at(row, column))
    print(f"    safest: q1 {q[0]:.0f}°, q2 {q[1]:.0f}°, {1000 * distance.max():.1f} mm from all")
    print("    picture:", c.plot(folder / "clearance.png", clearance=True))

    # Any arm, any two joints, bodies of every kind; links without shapes become capsules.
    cell = Bodies(
        [
            Box((0.5, 0.3, 0.3), (0.55, 0.0, 0.15), name="crate"),
            Cylinder(0.06, 0.9, (-0.3, 0.45, 0.45), name="post"),
            Sphere(0.15, (-0.2, -0.5, 0.6), name="lamp"),
        ]
    )
    c = cspace("ur5e", cell, axes=(0, 1), q=np.deg2rad([0, 0, 80, 0, 90, 0]))
    print(f"UR5e: {100 * c.free_share:.1f} % of the cells free, {1000 * c.seconds:.0f} ms")
    print("    picture:", c.save(folder / "ur5e.png"))

    c = cspace("ur5e", cell, axes=(0, 1, 2), shape=(60, 60, 12))
    print("    slices:", c.save(folder / "ur5e_slices.png"))
    print("    cells:", c.save(folder / "ur5e_slices.npz"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
