"""Derivations as sheets of single formulas: complete, balanced, and true."""

from __future__ import annotations

import re
from math import prod

import numpy as np
import pytest
from sympy import Matrix, cos, lambdify, sin, symbols
from sympy.parsing.sympy_parser import parse_expr

import armwerk as aw
from armwerk.derivation.emit.sheets import (
    SheetLine,
    direct_sheet,
    dynamics_sheet,
    equations_sheet,
    inverse_sheet,
    operations_sheet,
    velocity_sheet,
)
from armwerk.robot import load_arm

SHEETS = (
    direct_sheet,
    equations_sheet,
    inverse_sheet,
    velocity_sheet,
    dynamics_sheet,
    operations_sheet,
)
ARMS = ("scara", "puma560", "ur5e", "stanford", "iiwa7", "xarm6", "planar_tt", "cartesian")


def formulas(lines: list[SheetLine]) -> list[str]:
    found = [line.text for line in lines if line.kind == "formula"]
    for line in lines:
        if line.kind in {"text", "heading", "singular"}:
            parts = line.text.split("$")
            assert len(parts) % 2 == 1, line.text
            found += parts[1::2]
    return found


@pytest.mark.parametrize("name", ARMS)
def test_every_formula_is_balanced_mathematics(name: str) -> None:
    derivation = aw.derive(name)
    for sheet in SHEETS:
        for text in formulas(sheet(derivation)):
            assert text.count("{") == text.count("}")
            assert text.count(r"\begin{aligned}") == text.count(r"\end{aligned}")
            assert not re.search(r"\\(texorpdfstring|hyperref|label|tag|theorembox)", text)


@pytest.mark.parametrize("name", ["puma560", "stanford", "typ1"])
def test_the_direct_kinematics_on_the_sheet_is_that_of_the_arm(name: str) -> None:
    derivation = aw.derive(name)
    text = " ".join(formulas(direct_sheet(derivation)))
    q = np.linspace(0.2, 0.9, derivation.arm.dof)
    names = [f"q{k}" for k in range(1, derivation.arm.dof + 1)]
    true = derivation.forward.subs(derivation.values)
    numbers = np.array(lambdify(symbols(names), Matrix(true))(*q), dtype=float)
    for row, letters in enumerate(("nx ox ax px", "ny oy ay py", "nz oz az pz")):
        for column, entry in enumerate(letters.split()):
            left = rf"{entry[0]}_\{{{entry[1]}\}} &= (.*?)(?= \\\\ \w_\{{[xyz]\}} &=| \\end)"
            found = re.search(left, text)
            assert found is not None
            value = _value(found[1], dict(zip(names, q, strict=True)) | derivation.values)
            np.testing.assert_allclose(value, numbers[row, column], atol=1e-9)


def _value(text: str, values: dict[str, float]) -> float:
    """Evaluate a formula as somebody who reads it would."""
    for noise in (r"\\", r"&\phantom{{}={}}", "{}", "&"):
        text = text.replace(noise, " ")
    text = text.replace("{-}", "-")
    text = re.sub(r"c_\{([\d+-]+)\}", lambda m: f"cos({_sum(m[1])})", text)
    text = re.sub(r"s_\{([\d+-]+)\}", lambda m: f"sin({_sum(m[1])})", text)
    text = re.sub(r"([a-z])_\{(\d+)\}", r"\1\2", text)
    text = re.sub(r"\^\{(\d+)\}", r"**\1", text).replace(r" \, ", "*").replace(r"\,", "*")
    known = {"cos": cos, "sin": sin, **{name: symbols(name) for name in values}}
    return float(parse_expr(text, known).subs(values))


def _sum(index: str) -> str:
    if index.isdigit():
        return "+".join(f"q{one}" for one in index)
    return re.sub(r"(\d+)", r"q\1", index)


@pytest.mark.parametrize("name", ["scara", "puma560", "ur5e", "stanford"])
def test_the_tree_has_as_many_leaves_as_there_are_solutions(name: str) -> None:
    derivation = aw.derive(name)
    (tree,) = (line for line in inverse_sheet(derivation) if line.kind == "tree")
    assert prod(int(values) for _, values in tree.rows) == derivation.inverse.branches
    steps = [line for line in inverse_sheet(derivation) if line.text.startswith("Step ")]
    assert len(steps) == len(derivation.inverse.steps)


@pytest.mark.parametrize("name", ["scara", "puma560", "ur5e", "stanford", "irb120"])
def test_examples_of_singular_configurations_are_singular(name: str) -> None:
    derivation, model = aw.derive(name), aw.model(load_arm(name))
    shown = [line for line in velocity_sheet(derivation) if line.kind == "singular" and line.joints]
    assert shown
    usual = float(model.manipulability(np.full(model.dof, 0.6)))
    for line in shown:
        assert float(model.manipulability(line.joints)) < 1e-6 * usual


def test_counts_are_those_of_the_derivation() -> None:
    derivation = aw.derive("scara")
    (table,) = (line for line in operations_sheet(derivation) if line.kind == "table")
    head, *rows = table.rows
    counts = derivation.operations()
    for row in rows:
        if row[0] in counts:
            assert [int(cell) for cell in row[1:-1]] == [
                counts[row[0]].get(operator, 0) for operator in head[1:-1]
            ]
    (equations,) = (line for line in equations_sheet(derivation) if line.kind == "table")
    assert equations.rows[1][1:] == ("26", "25", "23", "46", "0")
