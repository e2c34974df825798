"""Skeletons of assemblies: legs end where the closed chain ends."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest

from armwerk.errors import UnsupportedError
from armwerk.mechanics.assembly import AssemblyModel
from armwerk.pictures import draw_arm, good_configuration
from armwerk.pictures.assembly import assembly_skeleton
from armwerk.pictures.palette import PRISMATIC, solution_colour
from armwerk.robot.parts import (
    Assembly,
    Body,
    Connection,
    LinearMotor,
    Passive,
    TerminationPoint,
    Union,
    at,
)
from seen import mask, shapes


def leg(number: int, angle: float) -> Connection:
    end = TerminationPoint(f"end{number}")
    motor = LinearMotor(f"motor{number}", limits=(0.35, 0.7), tail=end)
    ball = Passive(f"foot{number}", "FULLROT", tail=motor)
    return at(ball, x=0.3 * cos(angle), y=0.3 * sin(angle))


TRIPOD = Assembly(
    "tripod",
    Body(tails=[leg(number, number * 2 * pi / 3) for number in range(3)]),
    unions=(Union("top", ("end0", "end1", "end2")),),
)


def test_legs_have_the_commanded_lengths_and_meet() -> None:
    q = [0.5, 0.52, 0.48]
    skeleton = assembly_skeleton(AssemblyModel(TRIPOD), q)
    rods = [bar.points for bar in skeleton.bars if bar.square]
    lengths = [float(np.linalg.norm(points[1] - points[0])) for points in rods]
    assert lengths == pytest.approx(q)
    tops = np.stack([points[1] for points in rods])
    assert np.allclose(tops, tops[0], atol=1e-9)
    feet = {tuple(np.round(points[0], 9)) for points in rods}
    assert feet == {
        tuple(np.round([0.3 * cos(k * 2 * pi / 3), 0.3 * sin(k * 2 * pi / 3), 0.0], 9))
        for k in range(3)
    }
    assert sum(joint.passive for joint in skeleton.joints) == 4  # three feet and the union
    assert len(skeleton.plates) == 1
    assert not skeleton.footed


def test_picture_of_a_tripod(tmp_path: Path) -> None:
    model = AssemblyModel(TRIPOD)
    q = good_configuration(model)
    assert q == pytest.approx([0.525] * 3)
    one = draw_arm(model, q, tmp_path / "one.png")
    assert len(shapes(mask(one, PRISMATIC, 30), least=100)) >= 3  # a motor on each leg
    two = draw_arm(model, [q, q + 0.05], tmp_path / "two.png")
    assert mask(one, solution_colour(0), 30).sum() < 20
    for number in range(2):  # each configuration in a colour of its own
        assert mask(two, solution_colour(number), 30).sum() > 500


def test_open_chain_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="'tripod' cannot be drawn"):
        draw_arm(AssemblyModel(TRIPOD), [0.36, 0.36, 2.0], tmp_path / "x.png")
