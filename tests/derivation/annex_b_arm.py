"""The worked example of the source's annex B: a SCARA of two turns, a slide and a turn."""

from __future__ import annotations

from math import pi

from armwerk.robot import Arm, Joint, Link

_INERTIA = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def _link(i: int, *centre: str | float) -> Link:
    """Table B.4: mass, centre of mass and inertia tensor of link i."""
    return Link(f"m{i}", centre, tuple(f"{name}{i}" for name in _INERTIA))  # type: ignore[arg-type]


def annex_b_arm() -> Arm:
    """Tables B.1 and B.4; gravity is (0, 0, -g)."""
    return Arm.from_dh(
        [
            Joint("revolute", d="d1", a="a1", link=_link(1, "rx1", 0, "rz1")),
            Joint("revolute", a="a2", alpha=pi, link=_link(2, "rx2", 0, "rz2")),
            Joint("prismatic", link=_link(3, 0, 0, "rz3")),
            Joint("revolute", link=_link(4, 0, 0, "rz4")),
        ],
        name="annex_b",
    )
