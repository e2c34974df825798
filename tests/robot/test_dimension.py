"""Dimensions: numbers, expressions, and what is refused."""

from __future__ import annotations

import math

import pytest
import sympy

from armwerk.errors import DescriptionError
from armwerk.robot.dimension import dimension, evaluate, number, symbols


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("pi/2", math.pi / 2),
        ("-pi / 2", -math.pi / 2),
        ("2*(0.1 + 0.05)", 0.30000000000000004),
        ("sqrt(2)/2", math.sqrt(2) / 2),
        ("sin(pi/6)**2", math.sin(math.pi / 6) ** 2),
        ("1e-3", 0.001),
        (" 3 ", 3.0),
    ],
)
def test_text_without_symbols_is_a_number(text: str, value: float) -> None:
    assert dimension(text, "d") == pytest.approx(value, rel=1e-15)
    assert isinstance(dimension(text, "d"), float)


def test_text_with_symbols_stays_and_is_normalised() -> None:
    assert dimension("a1+0.1", "a") == dimension("a1 + 0.1", "a") == "a1 + 0.1"
    assert symbols("a1 + sin(b)*pi") == {"a1", "b"}


def test_sympy_expressions_are_taken() -> None:
    a1, beta = sympy.symbols("a1 beta")
    text = dimension(2 * a1 + sympy.pi / 2 * beta, "a")
    assert isinstance(text, str)
    assert evaluate(text, {"a1": 0.5, "beta": 2.0}) == pytest.approx(1 + math.pi)
    assert dimension(sympy.pi / 2, "alpha") == math.pi / 2


def test_values_may_come_one_after_the_other() -> None:
    half = evaluate("a1 * b - c", {"a1": 2.0})
    assert symbols(half) == {"b", "c"}
    assert evaluate(half, {"b": 3.0, "c": 1.0}) == 5.0


@pytest.mark.parametrize(
    "bad",
    [
        "nan",
        "-inf",
        "Infinity + 1",
        float("nan"),
        float("inf"),
        "1/0",
        "(-8)**0.5",
        "9**9**9",
        10**400,
        "__import__('os').system('true')",
        "a.b",
        "a[0]",
        "lambda: 1",
        "[1]",
        "1 if a else 2",
        "open(a)",
        "sin(a, b)",
        "sin",
        "1j",
        "True",
        "'text'",
        "",
        "   ",
        "((((",
        "a" * 300,
        "\0",
        None,
        True,
        [1.0],
        object(),
    ],
)
def test_anything_else_is_refused(bad: object) -> None:
    with pytest.raises(DescriptionError, match="joint 1, d"):
        dimension(bad, "joint 1, d")


def test_numbers_take_no_text() -> None:
    with pytest.raises(DescriptionError, match="mass: not a number, got '1'"):
        number("1", "mass")
