"""Point to point: the same goal three ways, three profiles, and what it does to the time.

Shows:
    - axes each on their own, together, and on the straight line of joint space
    - jerk-limited, sin² and quintic motion within the limits of the arm
    - a wished duration, and passing through a point without stopping
    - samples for a controller, a file and a picture

Run: python examples/motion/01_point_to_point.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import armwerk as aw


def main(folder: Path) -> None:
    model = aw.model("puma560")
    start = np.zeros(6)
    goal = np.deg2rad([80, -40, 30, 45, 60, -90])

    for sync in ("async", "sync", "full"):
        for profile in ("trapezoid", "sine", "quintic"):
            t = aw.ptp(model, start, goal, sync, profile)
            print(f"{sync:>6} {profile:<10} {t.duration:.3f} s")

    # The axis that decides the duration runs at its limits, the others are slowed down to it.
    print(aw.ptp(model, start, goal).summary())

    # Through a point in between without stopping: where the first motion ends, the second begins.
    between = 0.5 * goal
    velocity = np.deg2rad([50, -25, 20, 30, 40, -60])
    first = aw.ptp(model, start, between, v1=velocity)
    passing = first + aw.ptp(model, between, goal, v0=velocity)
    stopping = aw.ptp(model, start, between) + aw.ptp(model, between, goal)
    print(
        f"passing the middle: {passing.duration:.3f} s, stopping there: {stopping.duration:.3f} s"
    )

    slow = aw.ptp(model, start, goal, "full", "sine", duration=3.0)
    times, q, *_ = slow.sampled(0.004)  # and velocities, accelerations
    print(f"{len(times)} set points of 4 ms, tool ends at {model.fk(q[-1])[:3, 3].round(4)} m")
    print("samples:", slow.save(folder / "ptp.csv"))
    print("picture:", slow.plot(folder / "ptp.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
