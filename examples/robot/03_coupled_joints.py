"""Coupled joints: a palletiser sets a crate down, its flange level whatever the arm does.

Shows:
    - an arm whose four drives move five joints: rods hold the forearm's direction and the flange
    - values of drives, angles of joints, and the matrix between them
    - every solution of a pose, and a path whose limits are those of the drives
    - a picture with the rods

Run: python examples/robot/03_coupled_joints.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.pictures import draw_arm


def main(folder: Path) -> None:
    arm = aw.load("irb660")
    model = aw.model(arm)
    print(f"{arm.title}: {arm.dof} drives, {arm.free_chain.dof} joints; angles by drives:")
    print(arm.coupling_matrix)

    q0 = np.array([-0.6, 0.2, 0.4, 0.0])
    over, place = model.fk(q0), model.fk([0.6, 0.3, 0.6, 0.6])
    inside = model.ik(place, within_limits=True)
    print(f"{len(model.ik(place))} solutions, {len(inside)} within the limits")

    lift, above = over.copy(), place.copy()
    lift[2, 3] += 0.2  # [m]
    above[2, 3] += 0.3
    path = aw.Path(over, speed=1.5, acceleration=4.0, jerk=40.0)
    motion = path.lin(lift, blend=0.05).ptp(above).lin(place).plan(model, q0)
    _, q, _, _ = motion.sampled(0.01)
    lean = np.abs(model.fk(q)[:, 2, 2] + 1.0).max()
    print(f"{motion.duration:.2f} s; 1 - cos of the flange's lean is {lean:.0e} at most")

    print(draw_arm(model, inside[0], folder / "palletiser.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
