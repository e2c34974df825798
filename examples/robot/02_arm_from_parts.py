"""An arm from parts: a chain of servos, then a tripod that closes on itself.

Parts hang on each other: `chain` strings them together, `at` says where and how turned. Points of
several chains can be tied to one; the passive elements then follow by themselves.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from armwerk.mechanics.assembly import AssemblyModel
from armwerk.robot import Arm
from armwerk.robot.parts import (
    Assembly,
    Body,
    Connection,
    LinearMotor,
    Passive,
    Segment,
    Servo,
    TerminationPoint,
    TouchPoint,
    Union,
    at,
    chain,
)

np.set_printoptions(precision=4, suppress=True)

# An open chain: everything an Arm can do, it can do.
arm = chain(
    at(Servo("stand", limits=(-pi, pi)), z=0.05),
    Segment("post"),
    at(Servo("femur", limits=(-2.0, 2.0)), z=0.2, c=pi / 2),
    Segment("upper", 0.25),
    Servo("tibia", limits=(-2.5, 2.5)),
    Segment("lower", 0.2),
    TouchPoint("hand"),
)
simple = Assembly("simple", Body(tails=[arm]))
print(simple)
for joint in Arm.from_parts(simple).joints:
    print(f"  {joint.name:6s} d={joint.d:.3f} m  a={joint.a:.3f} m  alpha={joint.alpha:.4f} rad")


# A closed chain: three linear motors on ball joints, their ends tied to one point.
def leg(number: int) -> Connection:
    angle = 2 * pi * number / 3
    return chain(
        at(Passive(f"foot{number}"), 0.3 * cos(angle), 0.3 * sin(angle), b=pi / 2),
        LinearMotor(f"leg{number}", limits=(0.35, 0.65)),
        TerminationPoint(f"end{number}"),
    )


tripod = Assembly(
    "tripod",
    Body(tails=[leg(1), leg(2), leg(3)]),
    unions=[Union("apex", ("end1", "end2", "end3"))],
)
print(tripod)
model = AssemblyModel(tripod)
print("  apex with legs of 0.5 m:", model.fk([0.5, 0.5, 0.5])[:3, 3], "m")
print("  legs for the apex at 0.1, 0, 0.4 m:", model.ik_position([0.1, 0.0, 0.4])[0], "m")
print("  legs of 0.2 m:", model.state([0.2, 0.2, 0.2]).problems[0])
