"""What an arm reaches: in how many ways, how well, and what a cell takes away.

Shows:
    - random configurations: free ways per voxel and the best manipulability there
    - bodies around the arm, contact by spheres around it and by its exact solids
    - inverse solutions of the tool pointing down, voxel by voxel
    - arrays to work on, a picture, a file

Run: python examples/planning/03_reach.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw


def main(folder: Path) -> None:
    free = aw.reach("ur5e", cell=0.1, samples=100_000)
    print(f"alone:   {free.volume:.2f} m³, best manipulability {free.manipulability.max():.3f} m³")

    cell = aw.Bodies(
        [
            aw.Box((0.4, 1.2, 0.05), (0.55, 0.0, 0.1), name="table"),
            aw.Box((0.1, 0.1, 1.0), (-0.4, 0.4, 0.5), name="post"),
        ]
    )
    among = aw.reach("ur5e", cell, cell=0.1, samples=100_000)
    exact = aw.reach("ur5e", cell, cell=0.1, samples=100_000, contact="exact")
    for found in (among, exact):
        print(f"in a cell ({found.contact}): {found.volume:.2f} m³, {100 * found.share:.1f} % free")

    # Where above the table can the tool point down, and in how many ways?
    down = aw.reach("ur5e", cell, method="inverse", cell=0.1, orientations="down")
    above = down.centres()[np.abs(down.centres() - [0.55, 0.0, 0.3]).max(axis=1) < 0.2]
    ways = [down.counts[down.index(place)] for place in above]
    print(f"above the table: {len(above)} voxels, {min(ways)} to {max(ways)} solutions each")

    print(
        f"written: {among.save(folder / 'reach.png').name}, {down.save(folder / 'down.npz').name}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
