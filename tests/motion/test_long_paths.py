"""Paths of very many segments: what they are made of, and what drives them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import ArrayLike

from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp, transform
from armwerk.motion import Path

START = transform(np.eye(3), [0.4, 0.0, 0.3])


def test_paths_that_grow_from_one_do_not_mix() -> None:
    stem = Path(START).lin([0.5, 0.0, 0.3]).lin([0.5, 0.1, 0.3])
    one = stem.lin([0.6, 0.0, 0.3])
    two = stem.lin([0.7, 0.0, 0.3]).lin([0.8, 0.0, 0.3])
    three = one.lin([0.9, 0.0, 0.3])
    assert [len(path.segments) for path in (stem, one, two, three)] == [2, 3, 4, 4]
    ends = [path.end[0, 3] for path in (stem, one, two, three) if path.end is not None]
    assert ends == [0.5, 0.6, 0.8, 0.9]
    assert [s.number for s in three.segments] == [1, 2, 3, 4]
    assert stem.segments == one.segments[:2] == two.segments[:2]
    with pytest.raises(IndexError, match="2 segments"):
        _ = stem.segments[2]
    assert stem.segments[-1] is one.segments[1]


def test_threads_may_grow_one_path_at_a_time() -> None:
    stem = Path(START).lin([0.5, 0.0, 0.3])

    def grow(k: int) -> list[float]:
        path = stem
        for j in range(200):
            path = path.lin([0.5, 0.001 * (j + 1), 0.3 + 0.001 * k])
        assert len(path.segments) == 201
        return [s.built.end[2, 3] for s in path.segments[1:] if s.built is not None]

    with ThreadPoolExecutor(8) as pool:
        heights = list(pool.map(grow, range(8)))
    for k, found in enumerate(heights):
        assert found == [0.3 + 0.001 * k] * 200
    assert len(stem.segments) == 1


def test_lines_are_as_many_lins() -> None:
    poses = [transform(rotation_exp([0, 0, 0.01 * k]), [0.4 + 0.01 * k, 0, 0.3]) for k in (1, 2, 3)]
    goals: list[ArrayLike] = [[0.4, 0.1, 0.3], [0.4, 0.1, 0.35, 0.1, 0.0, 0.0], *poses]
    whole = Path(START, blend=0.001).lines(goals, speed=0.1)
    path = Path(START, blend=0.001)
    for goal in goals:
        path = path.lin(goal, speed=0.1)
    assert whole.end is not None
    assert path.end is not None
    assert np.array_equal(whole.end, path.end)
    assert [s.limits for s in whole.segments] == [s.limits for s in path.segments]
    assert {s.kind for s in whole.segments} == {"lin"}
    rows = Path(START).lines(np.array([[0.5, 0.0, 0.3], [0.5, 0.1, 0.3]]))
    assert len(rows.segments) == 2


def test_wrong_goals_of_lines_are_named() -> None:
    with pytest.raises(MotionError, match="at least one goal"):
        Path(START).lines([])
    with pytest.raises(MotionError, match="list of goals"):
        Path(START).lines(3.0)  # type: ignore[arg-type]
    with pytest.raises(MotionError, match="finite") as caught:
        Path(START).lines([[0.5, 0.0, 0.3], [0.5, np.nan, 0.3]])
    assert caught.value.segment == "segment 2 'lin'"


def test_a_long_path_tells_of_itself_in_few_words() -> None:
    path = Path(START).lines([[0.4, 0.001 * k, 0.3] for k in range(1, 1001)])
    assert repr(path).startswith("<Path of 1000 segments: lin, lin, ")
    assert len(repr(path)) < 120
