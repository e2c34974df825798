"""Warnings name the line of the user, not one of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

import armwerk as aw
from armwerk.errors import AssumedLimitsWarning

URDF = """<robot name="warned"><link name="a"/><link name="b"/>
<joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def test_a_warning_names_the_line_that_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARMWERK_NOTICES", raising=False)
    (tmp_path / "warned.urdf").write_text(URDF, encoding="utf-8")
    model = aw.model(tmp_path / "warned.urdf")
    with pytest.warns(AssumedLimitsWarning) as caught:
        aw.ptp(model, [0.0], [0.5])
    assert Path(caught[0].filename) == Path(__file__)
