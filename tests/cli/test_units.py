"""Numbers for people."""

from __future__ import annotations

import math

import pytest

from armwerk.cli.units import Units, plain, small

DEGREES_MM = Units(degrees=True, millimetres=True)
SI = Units(degrees=False, millimetres=False)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (math.pi / 2, "revolute", "90"),
        (-math.pi, "revolute", "-180"),
        (0.4318, "prismatic", "431.8"),
        (-1e-17, "prismatic", "0"),
        (None, "revolute", "-"),
        ("a1 + 0.1", "prismatic", "a1 + 0.1"),
    ],
)
def test_degrees_and_millimetres(value: float | str | None, kind: str, text: str) -> None:
    assert DEGREES_MM.text(value, kind) == text


def test_si() -> None:
    assert SI.text(math.pi / 2, "revolute") == "1.570796"
    assert SI.text(0.4318, "prismatic") == "0.4318"
    assert (SI.name("revolute"), SI.name("prismatic")) == ("rad", "m")


def test_fixed_keeps_zeros_and_drops_the_sign_of_zero() -> None:
    assert plain(1.5, 3, fixed=True) == "1.500"
    assert plain(-1e-9, 3, fixed=True) == "0.000"
    assert plain(100.0, 0) == "100"


def test_small_numbers() -> None:
    assert small(0.0) == "0"
    assert small(3.2e-13) == "3e-13"
    assert small(0.25) == "0.25"
