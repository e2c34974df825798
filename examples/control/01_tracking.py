"""Servo control: how far an arm is behind its set points, with and without feed-forward.

Shows:
    - the cascade of position, velocity and current on the force-limited drives of a world
    - what inverse dynamics fed forward are worth, for a Puma at full speed
    - a load nobody told of, estimated from the motors' forces and adapted to
    - monitors that stop an arm whose source of set points goes wrong

Run: python examples/control/01_tracking.py [FOLDER]
"""

import sys
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

import armwerk as aw
from armwerk.control.servo import PositionLoop, ServoController, Supervisor
from armwerk.motion import Limits
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings
from armwerk.scene import Scene

mpl.use("Agg")
DT = 0.002  # [s]
START = np.zeros(6)
GOALS = np.deg2rad([[80, -40, 30, 45, 60, -90], [-80, 100, -100, -45, -60, 90]])


def lag(servo: ServoController, arm: aw.Arm, rounds: int = 1) -> NDArray[np.float64]:
    """Return the largest error of all axes in every step of motions at full speed [rad]."""
    base = np.eye(4)
    base[2, 3] = 2.0  # m, high above the floor
    placement = RobotPlacement(arm, None, base, q=START, controller=servo)
    sim = Simulation(Scene(), [placement], SimulationSettings(dt=DT))
    robot, errors = sim.robots[0], []
    sim.run(0.5)
    for goal in [*GOALS, START] * rounds:
        rows = aw.ptp(arm, robot.setpoints, goal).sampled(DT)[1][1:]
        robot.follow(rows)
        for row in rows:
            sim.step()
            errors.append(np.abs(robot.q - row).max())
    return np.array(errors)


def main(folder: Path) -> None:
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    arm = aw.load("puma560")
    assert isinstance(arm, aw.Arm)
    model = aw.model(arm)
    tuned = ServoController.of(model)
    runs = {
        "cascade alone": lag(ServoController.of(model, feed_forward=False), arm),
        "speeds fed forward": lag(ServoController(tuned.velocity, PositionLoop()), arm),
        "inverse dynamics too": lag(tuned, arm),
    }
    for name, errors in runs.items():
        print(f"{name:<22} peak error {errors.max() * 1e3:8.3f} mrad")

    # 2.5 kg at the flange that the servo does not know of
    last = arm.joints[-1]
    heavy = replace(last, link=aw.Link(2.59, (0.0, 0.0, 0.06), (0.01, 0.01, 0.005, 0, 0, 0)))
    loaded = replace(arm, joints=(*arm.joints[:-1], heavy))
    runs["2.5 kg, unknown"] = lag(ServoController.of(model), loaded)
    adapting = ServoController.of(model, adapt=True)
    runs["2.5 kg, adapted to"] = lag(adapting, loaded, rounds=2)
    half = len(runs["2.5 kg, adapted to"]) // 2
    print(f"found: {adapting.load.mass:.3f} kg at {adapting.load.com.round(4)} m of the flange")
    print(f"error before {runs['2.5 kg, unknown'].max() * 1e3:.3f} mrad, once adapted", end=" ")
    print(f"{runs['2.5 kg, adapted to'][half:].max() * 1e3:.3f} mrad")

    # set points that run on though the arm was told to rest: the servo brakes and holds
    supervisor = Supervisor.of(Limits.of(arm))
    supervisor.expect("rest")
    lag(ServoController.of(model, supervisor=supervisor), arm)
    print("alarm:", supervisor.alarm)

    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    for name, errors in runs.items():
        axes.semilogy(np.arange(len(errors)) * DT, np.maximum(errors, 1e-7) * 1e3, label=name, lw=1)
    axes.set(xlabel="time [s]", ylabel="largest error of an axis [mrad]")
    axes.set_title("Puma 560 at full speed: tracking error of the servo")
    axes.set_ylim(1e-3, 100)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
    figure.savefig(folder / "tracking.png", dpi=120)
    print("picture:", folder / "tracking.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
