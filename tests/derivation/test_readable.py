"""What people read: every length has its own name, theorems their reference, frames a figure."""

from __future__ import annotations

import re

import numpy as np
import pytest

import armwerk as aw
from armwerk.derivation.emit.latex import document
from armwerk.derivation.emit.latex.figure import frames_figure


def test_equal_lengths_keep_their_own_names() -> None:
    """The Puma's a2 and d4 are equal; both stand in the document, and the formulas are right."""
    derivation = aw.derive("puma560")
    assert "d4" not in derivation.ring.parameters  # shared where nobody reads
    own = derivation.readable
    assert {"a2", "d4"} <= set(own.ring.parameters)
    assert own.inverse.branches == derivation.inverse.branches == 8
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, -0.8])
    shared_T, own_T = (
        np.array(one.forward.subs(one.values).subs({f"q{k + 1}": q[k] for k in range(6)}))
        for one in (derivation, own)
    )
    assert np.abs((shared_T - own_T).astype(float)).max() < 1e-12
    text = document(derivation)
    assert "$d_{4} = 0.4318$" in text
    assert "share a name" not in text


@pytest.mark.parametrize("name", ["scara", "planar_rr"])
def test_where_no_lengths_are_equal_it_is_the_same(name: str) -> None:
    derivation = aw.derive(name)
    assert derivation.readable is derivation


def test_theorems_have_their_reference() -> None:
    text = document(aw.derive("scara"))
    theorems = re.findall(r"Theorem [\d.]+[^.]*", text)
    assert theorems
    assert all(r"\cite{wenz}" in one for one in theorems)
    cited = set(re.findall(r"\\cite\{(\w+)\}", text))
    assert cited == set(re.findall(r"\\bibitem\{(\w+)\}", text))


def test_the_figure_has_every_frame() -> None:
    arm = aw.load_arm("stanford")
    text = frames_figure(arm)
    for number in range(7):
        assert f"$x_{{{number}}}$" in text
        assert f"$z_{{{number}}}$" in text
    assert text.count(",circle,") == 5
    assert text.count(",rectangle,") == 1
    places = np.array(re.findall(r"\((-?[\d.]+),(-?[\d.]+)\)", text), dtype=float)
    assert np.isfinite(places).all()
    assert np.ptp(places[:, 0]) < 16.0  # [cm], the width of the text
    symbolic = aw.Arm.from_dh(
        [aw.Joint("revolute", a="a1"), aw.Joint("revolute", a="a2")], name="s"
    )
    assert "drawn alike" in frames_figure(symbolic)
