"""The relation of frames that the derivation of a station states holds for numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from station_cases import station

from armwerk.stations import derive_station


@pytest.mark.parametrize("name", ["welding_station", "rail_station", "kr16_rail"])
def test_the_relation_is_that_of_the_numbers(name: str) -> None:
    model, derived = station(name), derive_station(name)
    draw = np.random.default_rng(0)
    for _ in range(5):
        e = draw.uniform(-2, 2, len(model.external_names))
        values = dict(zip(derived.symbols.values(), e, strict=True))
        found = np.array(derived.mount_from_piece.subs(values), dtype=np.float64)
        np.testing.assert_allclose(found, model.mount_from_piece(e), atol=1e-9)


def test_words_and_files(tmp_path: Path) -> None:
    derived = derive_station("rail_station")
    words = derived.explain()
    assert "T_mount_tool = T_mount_piece(e) T_piece_tool" in words
    assert "cos(turn)" in words
    assert "rail" in words
    assert derived.own.inverse.method == "rules"
    assert derived.own.inverse.branches == 8
    assert derived.own.inverse.explain() in words
    files = derived.write(tmp_path)
    assert files[0].name == "rail_station_relation.tex"
    assert r"\cos{\left(turn \right)}" in files[0].read_text()
    assert len(files) > 3
    assert all(file.exists() for file in files)
