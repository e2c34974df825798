"""A free path: around a wall to a pose, timed within limits, proved and slowed down.

Shows:
    - bodies around an arm, and a path that touches none of them
    - a pose as the goal: every inverse solution is tried
    - the motion along the path, checked as a whole, with its smallest distance
    - the same path driven slower near the bodies
    - what is said when there is no way

Run: python examples/planning/02_path_around_a_wall.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.errors import PlanningError


def main(folder: Path) -> None:
    arm = aw.load("ur5e")
    bodies = aw.Bodies(
        [
            aw.Box((0.04, 0.6, 0.9), (-0.45, 0.0, 0.45), name="wall"),
            aw.Sphere(0.08, (-0.1, 0.55, 0.5), name="lamp"),
        ]
    )
    start = np.deg2rad([-60, -90, 90, -90, -90, 0])
    goal = np.deg2rad([60, -90, 90, -90, -90, 0])

    # The straight line in joint space runs into the wall.
    print("straight on:", aw.check(aw.ptp(arm, start, goal, "full"), arm, bodies))

    path = aw.find_path(arm, bodies, start, goal, margin=0.02)
    print(f"around it: {len(path.q)} waypoints, {path.length:.2f} rad, {path.seconds:.3f} s")

    # Rounded corners leave the planned lines, so the finished motion is proved again.
    motion = path.trajectory
    print(f"motion of {motion.duration:.2f} s:", path.check())

    careful = aw.SafetySettings(speeds=((0.02, 0.2), (0.10, 1.0)))
    slow = aw.slowed(motion, arm, bodies, careful)
    print(f"slower near the bodies: {slow.duration:.2f} s")

    # A pose has up to eight solutions here; whichever is free and can be reached will do.
    pose = aw.model(arm).fk(goal)
    print(f"to the pose: {aw.find_path(arm, bodies, start, pose).length:.2f} rad")

    try:
        aw.find_path(arm, bodies, start, [3.0, 0.0, 0.5])
    except PlanningError as error:
        print("too far:", error)

    print("samples:", slow.save(folder / "path.csv"))
    print("picture:", path.plot(folder / "path.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
