"""The first poses of an arm never seen are solved without its closed form, and as well."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics import SerialModel
from armwerk.mechanics.inverse.first import FirstAnswers, is_ready

HALF = np.pi / 2
Q = np.array([0.3, 0.5, -0.7, 0.4, 0.9, 0.2])


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """Have elimination compiled, as on a machine where it has been used."""
    model = aw.model(aw.load_arm("puma560"), ik="general")
    model.ik(model.fk(Q))


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> SerialModel:
    """Return the model of an arm as if its closed form were not kept."""
    monkeypatch.setattr("armwerk.derivation.runtime.closed.is_kept", lambda arm: False)
    return aw.model(aw.load_arm("puma560"))


def in_rows(q: Array) -> Array:
    return np.asarray(q[np.lexsort(np.round(q, 6).T[::-1])])


def test_first_answers_are_those_of_the_closed_form(waiting: SerialModel) -> None:
    closed = aw.model(aw.load_arm("puma560"), ik="closed")
    draw = np.random.default_rng(1)
    low, high = closed.limits.T
    quick = 0
    for q in draw.uniform(low, high, (30, 6)):
        T = closed.fk(q)
        before = "inverse" in waiting.__dict__
        one, other = waiting.ik(T), closed.ik(T)
        np.testing.assert_allclose(in_rows(one), in_rows(other), rtol=0, atol=1e-7)
        near, wanted = waiting.ik_nearest(T, q), closed.ik_nearest(T, q)
        assert near is not None
        assert wanted is not None
        np.testing.assert_allclose(near, wanted, rtol=0, atol=1e-7)
        inside = waiting.ik(T, within_limits=True)
        np.testing.assert_allclose(
            in_rows(inside), in_rows(closed.ik(T, within_limits=True)), atol=1e-7
        )
        quick += not before and "inverse" not in waiting.__dict__
        waiting.__dict__.pop("inverse", None)
    assert quick > 15
    assert waiting.method == "closed"


def test_names_and_batches_wait_for_the_closed_form(waiting: SerialModel) -> None:
    T = waiting.fk(Q)
    assert len(waiting.ik(T)) == 8
    assert "inverse" not in waiting.__dict__
    waiting.ik_batch(T[None])
    assert waiting.inverse.name == "closed"


def test_after_many_answers_the_closed_form_is_made(
    waiting: SerialModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armwerk.mechanics.inverse.first.ENOUGH", 2)
    T = waiting.fk(Q)
    for _ in range(2):
        waiting.ik(T)
    assert isinstance(waiting._first, FirstAnswers)
    assert "inverse" not in waiting.__dict__
    assert len(waiting.ik(T)) == 8
    assert waiting.inverse.name == "closed"


def test_no_symbols_are_needed_for_the_first_answer() -> None:
    program = (
        "import sys, time, armwerk as aw\n"
        "unseen = 0.1 + 1e-9 * (time.time_ns() % 10**7)\n"
        f"rows = ((0.5, 0.1, {HALF}), (0, 0.4, 0), (0, 0.05, {HALF}), (0.45, 0, {-HALF}),\n"
        f"        (0, 0, {HALF}), (unseen, 0, 0))\n"
        "arm = aw.Arm.from_dh([aw.Joint('revolute', d=d, a=a, alpha=t) for d, a, t in rows])\n"
        "model = aw.model(arm)\n"
        "assert len(model.ik(model.fk([0.3, 0.5, -0.7, 0.4, 0.9, 0.2]))) == 8\n"
        "assert 'inverse' not in model.__dict__\n"
        "assert not {'sympy', 'flint', 'symengine'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_where_elimination_is_not_compiled_nobody_waits_for_it(
    waiting: SerialModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_ready()
    monkeypatch.setattr("armwerk.mechanics.inverse.first.is_ready", lambda: False)
    assert len(waiting.ik(waiting.fk(Q))) == 8
    assert waiting._first is None
    assert waiting.inverse.name == "closed"
