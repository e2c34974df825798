"""Arms with their inverse kinematics written by hand, as the derivation would hand it over."""

from __future__ import annotations

import math
from collections.abc import Callable

from symengine import symbols

from armwerk.derivation.program import Expression, Let, Program, Root, Slide, Sum, Turn
from armwerk.derivation.ring import Angle
from armwerk.robot import Arm, Joint

HALF = math.pi / 2
nx, ny, nz, ox, oy, oz, ax, ay, az = symbols("nx ny nz ox oy oz ax ay az")
px, py, pz = symbols("px py pz")


def angle(*numbers: int) -> Angle:
    """Return the sum of the joint angles of the given numbers; negative ones are subtracted."""
    return Angle(tuple((abs(n), 1 if n > 0 else -1) for n in numbers))


def rotated(arm: Arm, offsets: dict[int, float]) -> Arm:
    """Return the arm with other joint offsets, counted from 1."""
    joints = list(arm.joints)
    for number, offset in offsets.items():
        old = joints[number - 1]
        joints[number - 1] = Joint(
            old.kind, d=old.d, a=old.a, alpha=old.alpha, offset=offset, limits=old.limits
        )
    return Arm.from_dh(joints, name=arm.name, base=arm.base, tool=arm.tool)


def puma() -> tuple[Arm, Program]:
    """Return a Puma 560: shoulder offset d3, elbow offset a3, spherical wrist."""
    d = (0.6604, 0.0, 0.15005, 0.4318, 0.0, 0.0)
    a = (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0)
    alpha = (HALF, 0.0, -HALF, HALF, -HALF, 0.0)
    arm = Arm.from_dh(
        [Joint("revolute", d=d[i], a=a[i], alpha=alpha[i]) for i in range(6)], name="puma"
    )
    d1, d3, d4, a2, a3 = symbols("d1 d3 d4 a2 a3")
    c1, s1, c3, s3, c23, s23, c4, s4 = symbols("c1 s1 c3 s3 c23 s23 c4 s4")
    r1, r3, u, v, k, big, small, flip = symbols("r1 r3 u v k big small flip")
    k1, k2 = symbols("k1 k2")

    def x3(x: Expression, y: Expression, z: Expression) -> Expression:
        return c23 * (c1 * x + s1 * y) + s23 * z

    def y3(x: Expression, y: Expression, z: Expression) -> Expression:
        return c1 * y - s1 * x

    steps = (
        Root("r1", px**2 + py**2 - d3**2),
        Turn(angle(1), d3 * px + r1 * py, r1 * px - d3 * py),
        Let("u", c1 * px + s1 * py),
        Let("v", pz - d1),
        Let("k", (px**2 + py**2 - d3**2 + v**2 - a2**2 - a3**2 - d4**2) / (2 * a2)),
        Root("r3", a3**2 + d4**2 - k**2),
        Turn(angle(3), a3 * r3 - d4 * k, a3 * k + d4 * r3),
        Let("big", a2 * c3 + a3),
        Let("small", a2 * s3 - d4),
        Turn(angle(2, 3), small * u + big * v, big * u - small * v),
        Sum(angle(2), ((1, angle(2, 3)), (-1, angle(3)))),
        Let("k1", x3(ax, ay, az)),
        Let("k2", y3(ax, ay, az)),
        Root("flip", symbols("flip") * 0 + 1),
        Turn(angle(4), flip * k2, flip * k1),
        Turn(angle(5), -c4 * k1 - s4 * k2, c23 * az - s23 * (c1 * ax + s1 * ay)),
        Turn(
            angle(6),
            -s4 * x3(nx, ny, nz) + c4 * y3(nx, ny, nz),
            -s4 * x3(ox, oy, oz) + c4 * y3(ox, oy, oz),
        ),
    )
    values = {"d1": d[0], "d3": d[2], "d4": d[3], "a2": a[1], "a3": a[2]}
    return arm, Program(6, steps, (True,) * 6, (0.0,) * 6, values)


def ur5e() -> tuple[Arm, Program]:
    """Return a UR5e: three parallel axes, no spherical wrist."""
    d = (0.1625, 0.0, 0.0, 0.1333, 0.0997, 0.0996)
    a = (0.0, -0.425, -0.3922, 0.0, 0.0, 0.0)
    alpha = (HALF, 0.0, 0.0, HALF, -HALF, 0.0)
    arm = Arm.from_dh(
        [Joint("revolute", d=d[i], a=a[i], alpha=alpha[i]) for i in range(6)], name="ur5e"
    )
    d1, d4, d5, d6, a2, a3 = symbols("d1 d4 d5 d6 a2 a3")
    c1, s1, c3, s3, c234, s234 = symbols("c1 s1 c3 s3 c234 s234")
    r1, r3, r5, x5, y5, u, v, k, big, small, along = symbols("r1 r3 r5 x5 y5 u v k big small along")
    steps = (
        Let("x5", px - d6 * ax),
        Let("y5", py - d6 * ay),
        Root("r1", x5**2 + y5**2 - d4**2),
        Turn(angle(1), d4 * x5 + r1 * y5, r1 * x5 - d4 * y5),
        Let("along", c1 * ax + s1 * ay),
        Root("r5", along**2 + az**2),
        Turn(angle(5), r5, s1 * ax - c1 * ay),
        Turn(angle(2, 3, 4), -r5 * az, -r5 * along),
        Turn(
            angle(6),
            c234 * nz - s234 * (c1 * nx + s1 * ny),
            c234 * oz - s234 * (c1 * ox + s1 * oy),
        ),
        Let("u", c1 * x5 + s1 * y5 - d5 * s234),
        Let("v", pz - d6 * az - d1 + d5 * c234),
        Let("k", (u**2 + v**2 - a2**2 - a3**2) / (2 * a2 * a3)),
        Root("r3", (1 - k) * (1 + k)),
        Turn(angle(3), r3, k),
        Let("big", a2 + a3 * c3),
        Let("small", a3 * s3),
        Turn(angle(2), big * v - small * u, big * u + small * v),
        Sum(angle(2, 3), ((1, angle(2)), (1, angle(3)))),
        Sum(angle(4), ((1, angle(2, 3, 4)), (-1, angle(2, 3)))),
    )
    values = {"d1": d[0], "d4": d[3], "d5": d[4], "d6": d[5], "a2": a[1], "a3": a[2]}
    return arm, Program(6, steps, (True,) * 6, (0.0,) * 6, values)


def scara() -> tuple[Arm, Program]:
    """Return a SCARA arm RRTR whose hand points down."""
    arm = Arm.from_dh(
        [
            Joint("revolute", d=0.4, a=0.35),
            Joint("revolute", a=0.25, alpha=math.pi, offset=0.3),
            Joint("prismatic", limits=(0.0, 0.3)),
            Joint("revolute", d=0.05, offset=-HALF),
        ],
        name="scara",
    )
    d1, d4, a1, a2 = symbols("d1 d4 a1 a2")
    c2, s2, k, r2, big, small = symbols("c2 s2 k r2 big small")
    steps = (
        Let("k", (px**2 + py**2 - a1**2 - a2**2) / (2 * a1 * a2)),
        Root("r2", (1 - k) * (1 + k)),
        Turn(angle(2), r2, k),
        Let("big", a1 + a2 * c2),
        Let("small", a2 * s2),
        Turn(angle(1), big * py - small * px, big * px + small * py),
        Sum(angle(1, 2), ((1, angle(1)), (1, angle(2)))),
        Turn(angle(1, 2, -4), ny, nx),
        Sum(angle(4), ((1, angle(1, 2)), (-1, angle(1, 2, -4)))),
        Slide(3, d1 - d4 - pz, symbols("k") * 0 + 1),
    )
    values = {"d1": 0.4, "d4": 0.05, "a1": 0.35, "a2": 0.25}
    return arm, Program(4, steps, (True, True, False, True), (0.0, 0.3, 0.0, -HALF), values)


ARMS: dict[str, Callable[[], tuple[Arm, Program]]] = {
    "puma": puma,
    "ur5e": ur5e,
    "scara": scara,
}
