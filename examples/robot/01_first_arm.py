"""A first arm: describe it, ask where its hand is, turn the question round, draw the answers.

Shows:
    - an arm from Denavit-Hartenberg rows, lengths in metres and angles in radians
    - direct kinematics: joint values to tool pose
    - inverse kinematics: tool pose to every set of joint values
    - a picture of all of them

Run: python examples/robot/01_first_arm.py [FOLDER]
"""

import sys
from math import pi
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.pictures import draw_arm


def main(folder: Path) -> None:
    # Waist, shoulder, elbow and a spherical wrist: six turning joints.
    turn = (-0.95 * pi, 0.95 * pi)
    arm = aw.Arm.from_dh(
        [
            aw.Joint("revolute", d=0.40, alpha=pi / 2, limits=turn),
            aw.Joint("revolute", a=0.45, limits=turn),
            aw.Joint("revolute", alpha=pi / 2, offset=pi / 2, limits=turn),
            aw.Joint("revolute", d=0.40, alpha=-pi / 2, limits=turn),
            aw.Joint("revolute", alpha=pi / 2, limits=turn),
            aw.Joint("revolute", d=0.10, limits=turn),
        ],
        name="first_arm",
        title="My first arm",
    )
    model = aw.model(arm)

    q = np.array([0.4, 0.9, -1.3, 0.2, 0.6, -0.4])
    T_world_tool = model.fk(q)
    print("hand at", np.round(T_world_tool[:3, 3], 4), "m")

    solutions = model.ik(T_world_tool)
    print(len(solutions), "ways to hold it there [deg]:")
    for row in solutions:
        miss = np.abs(model.fk(row) - T_world_tool).max()
        print("  ", np.round(np.rad2deg(row), 2), f"off by {miss:.0e}")

    path = draw_arm(model, solutions, folder / "first_arm.png")
    print("picture:", path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
