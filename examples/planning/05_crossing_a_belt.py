"""A robot crosses a belt with crates on it, and two arms change sides, all told by files.

Shows:
    - bodies that move, and several arms with their starts and goals, in files
    - a motion that is in time for one crate and meets the next
    - a motion planned in space and time, at two times
    - pictures: moments with the distance over time, and films
    - a bodies file written with the motion of another robot in it

Run: python examples/planning/05_crossing_a_belt.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw
from armwerk.collision import BodiesAround, MotionPicture, MovingArm
from armwerk.planning import ArmsTogether

HERE = Path(__file__).parent


def main(folder: Path) -> None:
    arm = aw.load_arm("ur5e")
    around = BodiesAround.load(HERE / "belt.toml")
    print(around)
    left, right = (np.deg2rad([turn, -80, 110, -120, -90, 0]) for turn in (-50, 50))

    # Straight across: whether that works is a question of time.
    straight = aw.ptp(arm, left, right, "full")
    for start in (0.0, 1.5, 3.0):
        verdict = aw.check(straight, arm, around.bodies, moving=around.moving, start=start)
        print(f"straight on at {start} s:", verdict)
    touching = MotionPicture([MovingArm(arm, straight, 1.5)], around.bodies, around.moving)
    print("picture:", touching.moments(folder / "straight_on.png"))

    # Planned in space and time the arm goes round the crate, or lets it by.
    for start in (1.0, 1.5):
        path = aw.find_path(
            arm, around.bodies, left, right, margin=0.02, moving=around.moving, start=start
        )
        print(f"planned at {start} s: {path.trajectory.duration:.2f} s,", path.check())
    print("picture:", path.picture().moments(folder / "crossing.png"))
    print("film:", path.picture().film(folder / "crossing.gif", rate=10.0))

    # What others need to know of it is a bodies file again.
    own = MovingArm(arm, path.trajectory, start, name="first")
    known = BodiesAround(around.bodies, [*around.moving, own])
    known.save(folder / "with_the_first.toml")
    print("written:", BodiesAround.load(folder / "with_the_first.toml"))

    both = ArmsTogether.load(HERE / "swap.toml").find(margin=0.005)
    for one, verdict in zip(both.arms, both.check(), strict=True):
        print(f"{one.name}:", verdict)
    print("picture:", both.picture().moments(folder / "swap.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
