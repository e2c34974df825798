"""A calibrated arm: every dimension measured, no closed form left, and still all solutions.

Shows:
    - by how much the formulas of the drawn arm miss the poses of the real one
    - every solution of the real arm, counted, with the names of the drawn arm's
    - how long that takes, and a picture of two of them

Run: python examples/robot/04_calibrated_arm.py [FOLDER]
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.pictures import draw_arm


def calibrated(drawn: aw.Arm, seed: int) -> aw.Arm:
    """Return an arm as it may be measured: half a millimetre and 0.03 degrees off throughout."""
    off = np.random.default_rng(seed).normal(0.0, 5e-4, (6, 4))
    joints = [
        replace(
            joint,
            d=float(joint.d) + d,
            a=float(joint.a) + a,
            alpha=float(joint.alpha) + alpha,
            offset=float(joint.offset) + turn,
        )
        for joint, (d, a, alpha, turn) in zip(drawn.joints, off, strict=True)
    ]
    return aw.Arm.from_dh(joints, name=f"{drawn.name} number {seed}", tool=drawn.tool)


def main(folder: Path) -> None:
    drawn = aw.load_arm("puma560")
    robot, drawing = aw.model(calibrated(drawn, 7)), aw.model(drawn)
    pose = robot.fk(np.radians([20, 40, -70, 30, 60, 10]))

    places = robot.fk(drawing.ik(pose))[:, :3, 3]
    missed = np.linalg.norm(places - pose[:3, 3], axis=1).max()
    print(f"the formulas of the drawn arm miss the pose by {1e3 * missed:.1f} mm")

    answer = robot.solutions(pose)
    wrong = np.abs(robot.fk(answer.joints) - pose).max()
    print(f"{len(answer.joints)} solutions, proved complete: {answer.proved}; off by {wrong:.0e} m")
    for name, q in zip(robot.configurations(answer.joints), answer.joints, strict=True):
        print(f"{name:>20} " + " ".join(f"{angle:8.3f}" for angle in np.degrees(q)) + " deg")

    poses = robot.fk(np.random.default_rng(1).uniform(-2.0, 2.0, (2000, 6)))
    begin = time.perf_counter()
    _, counts = robot.ik_batch(poses)
    each = (time.perf_counter() - begin) / len(poses)
    print(f"{len(poses)} poses, {counts.sum()} solutions, {1e6 * each:.0f} µs a pose")

    unflipped = robot.ik(pose, configuration="right unflipped")  # elbow up, elbow down
    print(draw_arm(robot, unflipped, folder / "calibrated_arm.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
