"""Shorter paths by more rounds, one path for one seed in any thread, and trees of closed chains."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.collision import Checker, Prover
from armwerk.planning.example_problems import BoxProblem, box_problem
from armwerk.planning.kernels.splitmix import random_state, uniform
from armwerk.planning.options import PlannerName
from armwerk.planning.paths import connecting, smoothing
from armwerk.planning.paths.planners import prm
from armwerk.planning.paths.problem import PlanningProblem, length

PLANNED: tuple[PlannerName, ...] = ("prm", "rrt-connect")


@cache
def boxes(seed: int) -> BoxProblem:
    arm = aw.load("ur5e")
    assert isinstance(arm, aw.Arm)
    return box_problem(arm, seed)


def test_random_numbers_are_those_of_the_paper() -> None:
    """The first words of state 1234567, as the authors' Java prints them."""
    state = np.array([1234567], dtype=np.uint64)
    words = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [uniform(state) for _ in words] == [float(word >> 11) * 2.0**-53 for word in words]
    many = random_state(3, 4)
    shares = np.array([uniform(many) for _ in range(20_000)])
    assert abs(shares.mean() - 0.5) < 0.01
    assert shares.min() >= 0.0
    assert shares.max() < 1.0


def test_one_seed_gives_one_path_in_any_thread() -> None:
    def found(seed: int) -> Array:
        return aw.find_path(*boxes(3), seed=seed, rounds=3).q

    seeds = [0, 1, 2, 3] * 3
    alone = [found(seed) for seed in seeds[:4]]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(found, seeds))
    for seed, path in zip(seeds, together, strict=True):
        np.testing.assert_array_equal(path, alone[seed])
    assert any(len(alone[0]) != len(one) or (alone[0] != one).any() for one in alone[1:])


def test_four_times_as_many_rounds_are_never_longer_and_stay_free() -> None:
    lengths = []
    for rounds in (4, 8, 64):
        path = aw.find_path(*boxes(5), rounds=rounds)
        assert path.rounds == rounds
        assert Prover(path.checker).segments(path.q)[0]
        assert not path.checker.contacts(path.sampled(1e-3)).any()
        lengths.append(path.length)
    assert lengths[0] >= lengths[1] >= lengths[2]
    assert lengths[2] < lengths[0]
    assert lengths[2] >= float(np.linalg.norm(boxes(5).q1 - boxes(5).q0))


def test_what_is_worth_a_look_are_the_ways_that_can_be_shorter() -> None:
    """Random ways just below the bound, to either goal, stay in the box and touch all its sides."""
    given = boxes(5)
    checker = Checker(given.arm, given.bodies)
    goals = np.stack([given.q1, given.q1 + np.array([0.5, 0.0, -0.3, 0.2, 0.0, 0.0])])
    problem = PlanningProblem(checker, given.q0, goals)
    assert problem.worth()[0] is problem.low
    assert problem.is_worth(problem.high)
    problem.low, problem.high = problem.low - 9.0, problem.high + 9.0
    problem.bound = 1.1 * float(np.linalg.norm(goals - given.q0, axis=1).max())
    low, high = problem.worth()
    rng = np.random.default_rng(1)
    drawn = rng.uniform(low - 0.1, high + 0.1, (200_000, 6))
    ways = np.linalg.norm(drawn - given.q0, axis=1) + np.linalg.norm(
        drawn[:, None] - goals, axis=2
    ).min(axis=1)
    within = drawn[ways < problem.bound]
    assert len(within) > 1000
    assert (within >= low).all()
    assert (within <= high).all()
    assert ((within.max(axis=0) - within.min(axis=0)) > 0.75 * (high - low)).all()
    for q, way in zip(drawn[:50], ways[:50], strict=True):
        assert problem.is_worth(q) == (way < problem.bound)


def test_every_round_of_a_roadmap_is_another_one() -> None:
    pytest.importorskip("ompl")
    given = boxes(8)
    found = []
    for number in range(3):
        problem = PlanningProblem(Checker(given.arm, given.bodies), given.q0, given.q1[None])
        problem.round = number
        path = prm(problem)
        assert path is not None
        found.append(path)
    assert len({path.tobytes() for path in found}) == 3


def test_paths_by_roadmap_are_about_as_short_as_others() -> None:
    pytest.importorskip("ompl")
    for seed in (1, 4, 9):
        road, tree = (aw.find_path(*boxes(seed), name, seed=seed) for name in PLANNED)
        assert road.length < 1.25 * tree.length


def test_rounds_for_a_detour_end_where_they_are_dear() -> None:
    """A problem whose one search takes tens of thousands of looks is not searched sixteen times."""
    arm = aw.load("puma560")
    assert isinstance(arm, aw.Arm)
    path = aw.find_path(*box_problem(arm, 32), seed=32)
    assert path.rounds == 4
    assert path.checks < 100_000


def test_time_that_is_left_is_spent_and_its_rounds_give_the_path_again() -> None:
    path = aw.find_path(*boxes(5), seconds=1.0, anytime=True)
    assert path.seconds <= 1.0
    assert path.rounds > 1
    again = aw.find_path(*boxes(5), seconds=60.0, rounds=path.rounds)
    assert again.length <= path.length  # the last round may have been cut short by the clock


def test_nothing_is_looked_for_where_the_straight_line_is_free() -> None:
    problem = boxes(5)
    path = aw.find_path(problem.arm, (), problem.q0, problem.q0 + 0.1, rounds=1000, anytime=True)
    assert path.rounds == 1
    assert len(path.q) == 2


@pytest.mark.parametrize("seed", range(3))
def test_trees_line_by_line_do_the_same(seed: int) -> None:
    """What closed chains are planned with, on a serial arm, where all of it can be proved."""
    arm, bodies, q0, q1 = boxes(3)
    problem = PlanningProblem(Checker(arm, bodies), q0, q1[None], seed=seed)
    path = connecting._by_lines(problem, 1.2)
    assert path is not None
    np.testing.assert_array_equal(path[[0, -1]], [q0, q1])
    assert problem.segments_free(path)
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() <= 1.2 + 1e-9
    shorter = smoothing._by_lines(problem, path)
    np.testing.assert_array_equal(shorter[[0, -1]], [q0, q1])
    assert length(shorter) < length(path)
    assert problem.segments_free(shorter)


def test_one_of_several_goals_is_reached() -> None:
    arm, bodies, q0, q1 = boxes(3)
    checker = Checker(arm, bodies)
    goals = np.stack([q1, q0 + 0.02 * (q1 - q0), q1])
    problem = PlanningProblem(checker, q0, goals)
    path = connecting.rrt_connect(problem)
    assert path is not None
    np.testing.assert_array_equal(path[0], q0)
    assert any((path[-1] == goal).all() for goal in goals)


def test_trees_grow_beyond_their_first_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room of a tree and the looks between two looks at the clock change nothing."""
    arm, bodies, q0, q1 = boxes(3)
    problem = PlanningProblem(Checker(arm, bodies), q0, q1[None], seed=7)
    path = connecting.rrt_connect(problem)
    monkeypatch.setattr(connecting, "_ROOM", 3)
    monkeypatch.setattr(connecting, "_LOOKS", 7)
    again = connecting.rrt_connect(problem)
    assert path is not None
    assert again is not None
    np.testing.assert_array_equal(path, again)


def test_detours_get_more_rounds_and_paths_next_to_the_straight_line_do_not() -> None:
    """No path is shorter than the straight line, so that one within a tenth of it is good."""
    counts = []
    for seed in range(12):
        problem = boxes(seed)
        path = aw.find_path(*problem, seed=seed)
        detour = path.length / float(np.linalg.norm(problem.q1 - problem.q0))
        assert path.rounds in (4, 8, 12, 16)
        assert path.rounds == 16 or detour <= 1.1
        again = aw.find_path(*problem, seed=seed, rounds=path.rounds)
        assert again.rounds == path.rounds
        np.testing.assert_array_equal(again.q, path.q)
        counts.append(path.rounds)
    assert min(counts) == 4
    assert max(counts) > 4
