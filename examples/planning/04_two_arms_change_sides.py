"""Two arms change sides above a table, planned together; and one lets a crate by on a belt.

Shows:
    - motions of two arms that begin together and keep clear of each other
    - the proof: each motion among the other arm's, at every moment
    - a body that moves, a motion planned in space and time, and what is said when it is in the way
    - the same motion slowed down near what moves

Run: python examples/planning/04_two_arms_change_sides.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.collision import ConstantVelocity, MovingArm, MovingBody
from armwerk.planning import find_together


def main(folder: Path) -> None:
    arm = aw.load_arm("ur5e")
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = np.diag([-1.0, -1.0, 1.0]), (-1.0, 0.0, 0.0)
    opposite = aw.Arm.from_dh(arm.joints, "opposite", base)  # a metre away, face to face
    table = aw.Box((2.4, 1.6, 0.04), (-0.5, 0.0, -0.06), name="table")
    left, right = (np.deg2rad([turn, -80, 110, -120, -90, 0]) for turn in (-50, 50))

    # Both straight on and at once: they meet in the middle.
    one, two = (aw.ptp(each, left, right, "full") for each in (arm, opposite))
    print("at once:", aw.check(one, arm, [table], moving=[MovingArm(opposite, two)]))

    both = find_together([arm, opposite], [table], [left, left], [right, right], margin=0.005)
    times = ", ".join(f"{trajectory.duration:.2f} s" for trajectory in both.trajectories)
    print(f"together, {both.method}: {times}")
    for verdict in both.check():
        print("  ", verdict)
    print("picture:", both.plot(folder / "two_arms.png"))

    # A crate comes along between start and goal; the arm lets it by or goes round.
    middle = aw.model(arm).fk((left + right) / 2)
    crate = MovingBody(
        aw.Box((0.12, 0.12, 0.3), name="crate"),
        ConstantVelocity((0.0, 0.0, 0.5), pose=middle, at=0.5),
    )
    print("straight on:", aw.check(one, arm, [table], moving=[crate]))
    path = aw.find_path(arm, [table], left, right, moving=[crate], margin=0.01)
    print(f"planned in time: {path.trajectory.duration:.2f} s,", path.check())
    slow = aw.slowed(path.trajectory, arm, [table], moving=[crate])
    print(f"slower near it: {slow.duration:.2f} s,", aw.check(slow, arm, [table], moving=[crate]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
