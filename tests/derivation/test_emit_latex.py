"""The LaTeX document: it compiles without a warning that matters and holds what it must."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from annex_b_arm import annex_b_arm

import armwerk as aw
from armwerk.derivation.emit.files import texts
from armwerk.derivation.emit.latex.inverse import solution_tree
from armwerk.derivation.emit.latex.text import (
    LINE,
    FormulaTerm,
    escaped,
    filled,
    joined,
    number,
    width_of,
)
from armwerk.derivation.emit.latex.turned import turned_helpers
from armwerk.derivation.program import Let

MATTERS = re.compile(
    r"^(LaTeX (?:Font )?Warning.*|Package \w+ Warning.*|Missing character.*|! .*)$", re.MULTILINE
)
OVERFULL = re.compile(r"Overfull \\[hv]box \(([\d.]+)pt")


def document(derivation: Any) -> str:
    return next(iter(texts(derivation, ("latex",)).values()))


CASES = {
    "scara": lambda: aw.derive("scara"),
    "puma560": lambda: aw.derive("puma560"),
    "cylindrical": lambda: aw.derive("cylindrical"),
    "typ1": lambda: aw.derive("typ1"),
    "twists": lambda: aw.derive("stanford", method="twists"),
    "symbols": lambda: aw.derive(annex_b_arm()),
    "no_closed_form": lambda: aw.derive("xarm6"),
    "redundant": lambda: aw.derive("iiwa7"),
}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("case", CASES)
def test_compiles_without_warnings(case: str, tmp_path: Path) -> None:
    (tmp_path / "arm.tex").write_text(document(CASES[case]()), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "arm.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-1500:].decode("utf-8", "replace")
    log = (tmp_path / "arm.log").read_text(encoding="latin-1")
    assert MATTERS.findall(log) == []
    assert [float(width) for width in OVERFULL.findall(log) if float(width) > 2.0] == []


def test_holds_every_part() -> None:
    d = aw.derive("puma560")
    text = document(d)
    for title in (
        "The arm", "largest", "Twists", "Direct kinematics", "All kinematic equations",
        "Inverse kinematics", "Solution tree", "Jacobian", "Determinant and singular", "Dynamics",
        "Mass matrix", "Gravity", "Coriolis and centrifugal", "Operation counts",
    ):  # fmt: skip
        assert title in text, title
    for step in d.inverse.steps:
        assert f"Theorem {step.rule}" in text
        for used in step.equations:
            assert rf"\tag{{E{used}$^\ast$}}\label{{eq:E{used}}}" in text
    assert " & ".join(["equations", *map(str, d.equation_counts)]) in text
    assert "at most 8 solutions" in text
    assert "Corke" in text  # the source of the numbers


def test_every_reference_has_its_equation() -> None:
    for name in ("ur5e", "typ2", "stanford"):
        text = document(aw.derive(name))
        labels = re.findall(r"\\label\{(eq:E?\d+)\}", text)
        assert len(labels) == len(set(labels))
        assert set(re.findall(r"\\ref\{(eq:\d+)\}", text)) <= set(labels)
        # those of the steps are numbered without a gap, in the order in which they come
        own = [int(label.removeprefix("eq:")) for label in labels if "E" not in label]
        assert own == list(range(1, len(own) + 1))


def test_annex_b_reads_like_the_source() -> None:
    text = document(aw.derive(annex_b_arm()))
    assert r"a_{1} \, c_{1} + a_{2} \, c_{12}" in text  # px of the direct kinematics
    assert r"\det J &= a_{1} \, a_{2} \, s_{2}" in text


def test_sums_are_broken_between_terms() -> None:
    pieces = [
        FormulaTerm("-" if k % 3 else "+", rf"a_{{{k}}} \, c_{{{k}}} \, s_{{{k}}}")
        for k in range(60)
    ]
    lines = filled(pieces, LINE)
    assert len(lines) > 3
    assert all(width_of(line) <= LINE for line in lines)
    whole = " ".join(line.removeprefix("{} ") for line in lines)
    assert whole == joined(pieces)


def test_text_is_escaped() -> None:
    assert escaped("50 % & more_of #1") == r"50 \% \& more\_of \#1"
    assert escaped("Schöne Ärmel") == r"Sch\"{o}ne \"{A}rmel"
    assert escaped("π ☃") == r"$\pi$ ?"
    assert number(0.4318) == "0.4318"
    assert number(1.5e-7) == r"1.5\cdot 10^{-7}"


def test_tree_has_a_leaf_for_every_solution() -> None:
    text = solution_tree([(("θ1",), 2), (("θ3", "θ2"), 2), (("q4",), 1), (("θ5",), 2)])
    assert text.count(r"\node[leaf]") == 8
    assert text.count(r"\draw") == 2 + 4 + 4 + 8
    assert "at most 8 solutions" in text


SHORT = {
    "puma560": lambda: aw.derive("puma560"),
    "ur5e": lambda: aw.derive("ur5e"),
    "twists": lambda: aw.derive("stanford", method="twists"),
    "symbols": lambda: aw.derive(annex_b_arm()),
    "no_closed_form": lambda: aw.derive("xarm6"),
}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("case", SHORT)
def test_the_short_document_has_two_pages(case: str, tmp_path: Path) -> None:
    ((name, text),) = texts(SHORT[case](), ("short",)).items()
    assert name.endswith("_inverse.tex")
    (tmp_path / "arm.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "arm.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-1500:].decode("utf-8", "replace")
    log = (tmp_path / "arm.log").read_text(encoding="latin-1")
    assert MATTERS.findall(log) == []
    assert [float(width) for width in OVERFULL.findall(log) if float(width) > 2.0] == []
    pages = re.search(r"Output written on arm.pdf \((\d) page", log)
    assert pages is not None
    assert int(pages[1]) <= 2


def test_the_short_document_of_a_puma_has_what_a_book_has() -> None:
    (text,) = texts(aw.derive("puma560"), ("short",)).values()
    (whole,) = texts(aw.derive("puma560"), ("latex",)).values()
    formulas = re.findall(r"\\theta_\{\d\} &= [^\n]*", whole)
    assert len(formulas) == 7  # six angles and a sum of two
    for formula in formulas:  # the same ones
        assert formula.rstrip("\\[2pt] ") in text
    for length in ("a_{2}", "a_{3}", "d_{1}", "d_{3}", "d_{4}"):  # in the figure
        assert re.search(rf"\\node\[font[^\n]*\{{\${re.escape(length)}\$\}};", text)
    assert "centre of the wrist" in text
    assert "right & right & right & right & left" in text
    for place in ("Wrist", "Elbow", "Shoulder"):
        assert rf"\emph{{{place}}}" in text


def test_helpers_of_twists_say_what_they_are() -> None:
    derivation = aw.derive("stanford", method="twists")
    turned = turned_helpers(derivation)
    helpers = [
        one
        for step in derivation.inverse.steps
        for one in step.steps
        if isinstance(one, Let) and not one.role
    ]
    assert helpers
    assert {one.name for one in helpers} == set(turned)
    assert turned[helpers[0].name] == r"centre of the wrist, turned back by $\theta_{1}$"
    assert r"$o$, turned back by $\theta_{1}$, $\theta_{2}$" in turned.values()  # through a helper
    for one in helpers:
        names = {symbol.name for symbol in one.value.free_symbols}
        assert ("turned back" in turned[one.name]) == any(name[0] in "cs" for name in names)
