"""Every sub-problem alone: against matrix exponentials, Newton's method, and the redundant cases.

p and q are symbols, the axes are numbers in a random arrangement of the case's kind. The steps
are derived once and then run on fresh data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import root

from armwerk.derivation.inverse.knowledge import StepNames
from armwerk.derivation.inverse.subproblems import POINT_PROBLEMS, solve_point_problem
from armwerk.derivation.inverse.subproblems.axis import TwistAxis, contains, meeting_point
from armwerk.derivation.inverse.subproblems.one_rotation import (
    rotate_to_distance,
    rotate_to_moment,
    rotate_to_plane,
)
from armwerk.derivation.inverse.subproblems.quantity import Vector, dot, subtract
from armwerk.derivation.inverse.subproblems.slides import slide_to_distance
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder
from armwerk.derivation.program import Let, Root, Slide, Step, Sum, Turn
from armwerk.derivation.ring import Angle

SAME = 1e-6  # [rad], [m]
START, GOAL = ("x", "y", "z"), ("gx", "gy", "gz")
POSES = 25


@dataclass
class Screw:
    """An axis in numbers: kind R or T, direction, point."""

    kind: str
    direction: np.ndarray
    point: np.ndarray

    def motion(self, value: float) -> np.ndarray:
        """exp of the twist, by the series of scipy and not by Rodrigues' formula."""
        hat = np.zeros((4, 4))
        if self.kind == "T":
            hat[:3, 3] = self.direction
        else:
            x, y, z = self.direction
            hat[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
            hat[:3, 3] = -np.cross(self.direction, self.point)
        return expm(hat * value)


def random_axes(kinds: str, seed: int) -> list[Screw]:
    draw = np.random.default_rng(seed)
    screws = []
    for kind in kinds:
        direction = draw.normal(size=3)
        screws.append(Screw(kind, direction / np.linalg.norm(direction), draw.uniform(-1, 1, 3)))
    return screws


def parallel(i: int, j: int, sign: float = 1.0) -> Callable[[list[Screw]], None]:
    def arrange(axes: list[Screw]) -> None:
        axes[j].direction = sign * axes[i].direction

    return arrange


def square(i: int, j: int) -> Callable[[list[Screw]], None]:
    """Put axis j at right angles to axis i."""

    def arrange(axes: list[Screw]) -> None:
        v = axes[j].direction - axes[i].direction * (axes[i].direction @ axes[j].direction)
        axes[j].direction = v / np.linalg.norm(v)

    return arrange


def meet(i: int, j: int) -> Callable[[list[Screw]], None]:
    def arrange(axes: list[Screw]) -> None:
        axes[j].point = axes[i].point + 0.4 * axes[i].direction - 0.7 * axes[j].direction

    return arrange


def same_line(i: int, j: int) -> Callable[[list[Screw]], None]:
    def arrange(axes: list[Screw]) -> None:
        parallel(i, j)(axes)
        meet(i, j)(axes)

    return arrange


def equally_steep(axes: list[Screw]) -> None:
    w = axes[1].direction
    side = np.cross(w, axes[2].direction)
    side /= np.linalg.norm(side)
    axes[0].direction = (w @ axes[2].direction) * w + math.sqrt(
        1 - (w @ axes[2].direction) ** 2
    ) * side


def in_one_plane(axes: list[Screw]) -> None:
    v = axes[0].direction + 0.5 * axes[1].direction
    axes[2].direction = v / np.linalg.norm(v)


CASES: dict[str, tuple[str, str, int, list[Callable[[list[Screw]], None]]]] = {
    # case: kinds, number of the first sub-problem, most solutions, arrangement
    "1": ("R", "1", 1, []),
    "2": ("RR", "2", 2, [meet(0, 1)]),
    "2 at right angles": ("RR", "2", 2, [square(0, 1), meet(0, 1)]),
    "5": ("T", "5", 1, []),
    "6": ("TT", "6", 1, []),
    "7": ("TTT", "7", 1, []),
    "8": ("RT", "8", 1, []),
    "8 at right angles": ("RT", "8", 2, [square(0, 1)]),
    "9": ("TR", "9", 1, []),
    "9 at right angles": ("TR", "9", 2, [square(0, 1)]),
    "10 skew": ("RR", "10", 2, []),
    "10 parallel": ("RR", "10", 2, [parallel(0, 1)]),
    "10 opposite": ("RR", "10", 2, [parallel(0, 1, -1.0)]),
    "11 third at right angles": ("TRT", "11", 2, [square(1, 2)]),
    "11 first at right angles": ("TRT", "11", 2, [square(1, 0)]),
    "11 steep": ("TRT", "11", 2, []),
    "11 equally steep": ("TRT", "11", 1, [equally_steep]),
    "12": ("RTT", "12", 2, []),
    "12 one at right angles": ("RTT", "12", 2, [square(0, 2)]),
    "13": ("TTR", "13", 2, []),
    "14 parallel": ("RTR", "14", 2, [parallel(0, 2)]),
    "14 slide square to first": ("RTR", "14", 4, [square(0, 1)]),
    "14 slide square to third": ("RTR", "14", 4, [square(2, 1)]),
    "15 parallel": ("TRR", "15", 2, [parallel(1, 2)]),
    "15 slide square to second": ("TRR", "15", 4, [square(1, 0)]),
    "16 parallel": ("RRT", "16", 2, [parallel(0, 1)]),
    "16 slide square to second": ("RRT", "16", 4, [square(1, 2)]),
    "17 first two parallel": ("RRR", "17", 4, [parallel(0, 1)]),
    "17 last two parallel": ("RRR", "17", 4, [parallel(1, 2)]),
    "17 last two opposite": ("RRR", "17", 4, [parallel(1, 2, -1.0)]),
    "17 first two meet": ("RRR", "3", 4, [meet(0, 1)]),
    "17 last two meet": ("RRR", "3", 4, [meet(1, 2)]),
}
REFUSED: dict[str, tuple[str, list[Callable[[list[Screw]], None]]]] = {
    # redundant, by the source
    "6 parallel": ("TT", [parallel(0, 1)]),
    "7 in one plane": ("TTT", [in_one_plane]),
    "10 one line": ("RR", [same_line(0, 1)]),
    "11 both at right angles": ("TRT", [square(1, 0), square(1, 2)]),
    "12 both at right angles": ("RTT", [square(0, 1), square(0, 2)]),
    "13 both at right angles": ("TTR", [square(2, 0), square(2, 1)]),
    "14 parallel, slide at right angles": ("RTR", [parallel(0, 2), square(0, 1)]),
    "15 parallel, slide at right angles": ("TRR", [parallel(1, 2), square(1, 0)]),
    "16 parallel, slide at right angles": ("RRT", [parallel(0, 1), square(0, 2)]),
    "17 parallel": ("RRR", [parallel(0, 1), parallel(1, 2)]),
    # no solution by square roots, by the source
    "14 general": ("RTR", []),
    "15 general": ("TRR", []),
    "16 general": ("RRT", []),
    "17 general": ("RRR", []),
}


class Bench:
    """One arrangement, its builder, and the steps that solve it."""

    def __init__(self, kinds: str, arrange: list[Callable[[list[Screw]], None]], seed: int) -> None:
        self.screws = random_axes(kinds, seed)
        for one in arrange:
            one(self.screws)
        self.draw = np.random.default_rng(seed + 1)
        self.builder = StepBuilder([self.probe() for _ in range(3)], StepNames())
        self.axes = tuple(self.axis(k) for k in range(len(kinds)))
        self.start, self.goal = self.vector(START), self.vector(GOAL)

    def axis(self, k: int) -> TwistAxis:
        screw = self.screws[k]
        unknown = k + 1 if screw.kind == "T" else Angle(((k + 1, 1),))
        return TwistAxis(unknown, self.constant(screw.direction), self.constant(screw.point))

    def constant(self, values: np.ndarray) -> Vector:
        x, y, z = (self.builder.number(float(value)) for value in values)
        return x, y, z

    def vector(self, names: tuple[str, str, str]) -> Vector:
        x, y, z = (self.builder.symbol(name) for name in names)
        return x, y, z

    def forward(self, joints: np.ndarray, start: np.ndarray) -> np.ndarray:
        point = np.append(start, 1.0)
        for screw, value in reversed(list(zip(self.screws, joints, strict=True))):
            point = np.asarray(screw.motion(value) @ point)
        return point[:3]

    def joints(self) -> np.ndarray:
        return np.array([self.draw.uniform(-3, 3) for _ in self.screws])

    def probe(self) -> dict[str, float]:
        joints, start = self.joints(), self.draw.uniform(-1, 1, 3)
        data = self.data(start, self.forward(joints, start))
        return {str(name): value for name, value in data.items()} | self.names(joints)

    def data(self, start: np.ndarray, goal: np.ndarray) -> dict[object, float]:
        numbers = (*start, *goal)
        return dict(zip((*START, *GOAL), map(float, numbers), strict=True))

    def names(self, joints: np.ndarray) -> dict[str, float]:
        named: dict[str, float] = {}
        for k, (screw, value) in enumerate(zip(self.screws, joints, strict=True), 1):
            if screw.kind == "T":
                named[f"q{k}"] = float(value)
            else:
                named |= {f"c{k}": math.cos(value), f"s{k}": math.sin(value)}
        return named

    def steps(self) -> list[Step]:
        return [step for one in self.builder.conclusions for step in one.steps]

    def solutions(self, start: np.ndarray, goal: np.ndarray) -> list[np.ndarray]:
        """All branches that really bring start to goal."""
        found = []
        for values in run(self.steps(), self.data(start, goal)):
            joints = np.array([values[k + 1] for k in range(len(self.screws))])
            if np.abs(self.forward(joints, start) - goal).max() < SAME:
                found.append(joints)
        return found

    def same(self, one: np.ndarray, two: np.ndarray) -> bool:
        gaps = one - two
        turns = np.array([screw.kind == "R" for screw in self.screws])
        gaps = np.where(turns, np.arctan2(np.sin(gaps), np.cos(gaps)), gaps)
        return bool(np.abs(gaps).max() < SAME)


def run(steps: list[Step], names: Mapping[object, float]) -> Iterator[dict[object, float]]:
    """Execute steps; yield one set of values for every real branch."""
    values: dict[object, float] = dict(names)
    for k, step in enumerate(steps):
        match step:
            case Let(name, value):
                values[name] = number(value, values)
            case Root(name, radicand):
                square = number(radicand, values)
                if square >= 0:
                    for sign in (1, -1):
                        yield from run(steps[k + 1 :], {**values, name: sign * math.sqrt(square)})
                return
            case Turn(angle, sine, cosine):
                size = math.atan2(number(sine, values), number(cosine, values))
                values[angle.cos], values[angle.sin] = math.cos(size), math.sin(size)
                values[angle.terms[0][0]] = size
            case Slide(joint, numerator, denominator):
                way = number(numerator, values) / number(denominator, values)
                values[joint] = values[f"q{joint}"] = way
            case Sum():
                raise AssertionError("a sub-problem alone has no sums")
    yield values


def number(expression: object, values: Mapping[object, float]) -> float:
    free = expression.free_symbols  # type: ignore[attr-defined]
    return float(expression.subs({s: values[s.name] for s in free}))  # type: ignore[attr-defined]


def solved(case: str, seed: int) -> Bench:
    kinds, _, _, arrange = CASES[case]
    bench = Bench(kinds, arrange, seed)
    assert solve_point_problem(bench.builder, bench.axes, bench.start, bench.goal)
    return bench


@pytest.mark.parametrize("case", CASES)
def test_finds_the_joints_that_made_the_goal(case: str) -> None:
    _, problem, most, _ = CASES[case]
    bench = solved(case, seed=5)
    assert bench.builder.conclusions[0].problem.number == f"sub-problem {problem}"
    for _ in range(POSES):
        joints, start = bench.joints(), bench.draw.uniform(-1, 1, 3)
        found = bench.solutions(start, bench.forward(joints, start))
        assert any(bench.same(joints, one) for one in found)
        assert len(found) <= most
        assert not any(bench.same(a, b) for k, a in enumerate(found) for b in found[:k])


@pytest.mark.parametrize("case", [case for case, row in CASES.items() if len(row[0]) == 3])
def test_misses_nothing_that_newtons_method_finds(case: str) -> None:
    bench = solved(case, seed=11)
    for _ in range(3):
        joints, start = bench.joints(), bench.draw.uniform(-1, 1, 3)
        goal = bench.forward(joints, start)
        found = bench.solutions(start, goal)

        def miss(q: np.ndarray, start: np.ndarray = start, goal: np.ndarray = goal) -> np.ndarray:
            gap: np.ndarray = bench.forward(q, start) - goal
            return gap

        for _ in range(12):
            end = root(miss, bench.joints())
            if end.success and np.abs(end.fun).max() < 1e-9:
                assert any(bench.same(end.x, one) for one in found)


@pytest.mark.parametrize("case", [case for case, row in CASES.items() if "T" not in row[0]])
def test_gives_nothing_for_a_goal_out_of_reach(case: str) -> None:
    bench = solved(case, seed=3)
    start = np.array([0.2, -0.3, 0.4])
    assert bench.solutions(start, np.array([30.0, -40.0, 20.0])) == []


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_what_is_redundant_or_has_no_closed_form(case: str) -> None:
    kinds, arrange = REFUSED[case]
    bench = Bench(kinds, arrange, seed=8)
    assert not solve_point_problem(bench.builder, bench.axes, bench.start, bench.goal)


def test_every_point_sub_problem_has_a_case() -> None:
    assert {row[0] for row in CASES.values()} == set(POINT_PROBLEMS)


def test_a_point_on_its_own_axis_leaves_the_angle_free() -> None:
    bench = Bench("R", [], seed=4)
    on_axis = bench.axes[0].point
    assert contains(bench.axes[0], on_axis)
    assert not solve_point_problem(bench.builder, bench.axes, on_axis, on_axis)


def test_meeting_point_lies_on_both_axes_and_skew_axes_have_none() -> None:
    bench = Bench("RR", [meet(0, 1)], seed=6)
    point = meeting_point(*bench.axes)
    assert point is not None
    assert all(contains(axis, point) for axis in bench.axes)
    skew = Bench("RR", [], seed=6)
    assert meeting_point(*skew.axes) is None
    side = Bench("RR", [parallel(0, 1)], seed=6)
    assert meeting_point(*side.axes) is None


def distance_bench(kind: str) -> Bench:
    """Sub-problem 3 or 4: q is a point at hand, the distance is that of another one, (gx gy gz)."""
    bench = Bench(kind, [], seed=21)
    centre = bench.constant(np.array([0.3, -0.2, 0.9]))
    axis = bench.axes[0]
    gap = subtract(bench.goal, centre)
    if kind == "T":
        assert slide_to_distance(bench.builder, axis, bench.start, centre, dot(gap, gap))
    else:
        height = dot(axis.direction, subtract(bench.start, centre))
        flat = dot(gap, gap) - height * height
        assert rotate_to_distance(bench.builder, axis, bench.start, centre, flat)
    return bench


@pytest.mark.parametrize("kind", ["R", "T"])
def test_distance_has_two_solutions_or_none(kind: str) -> None:
    bench = distance_bench(kind)
    centre = np.array([0.3, -0.2, 0.9])
    for _ in range(POSES):
        joints, start = bench.joints(), bench.draw.uniform(-1, 1, 3)
        goal = bench.forward(joints, start)
        found = [np.array([v[1]]) for v in run(bench.builder.pending, bench.data(start, goal))]
        assert len(found) == 2
        assert any(bench.same(joints, one) for one in found)
        for one in found:
            reached = np.linalg.norm(bench.forward(one, start) - centre)
            assert reached == pytest.approx(np.linalg.norm(goal - centre), abs=1e-9)
    near = centre + np.array([1e-3, 0, 0])  # a distance the line or circle never comes to
    assert list(run(bench.builder.pending, bench.data(np.array([0.5, 0.5, -0.5]), near))) == []


def test_plane_and_moment_hold_after_the_turn() -> None:
    draw = np.random.default_rng(17)
    f, d, t = draw.normal(size=3), draw.normal(size=3), draw.uniform(-1, 1, 3)

    def height(point: np.ndarray, motion: np.ndarray) -> float:
        return float(f @ (motion[:3, :3] @ point + motion[:3, 3]))

    def moment(point: np.ndarray, motion: np.ndarray) -> float:
        turned, moved = motion[:3, :3] @ d, motion[:3, :3] @ point + motion[:3, 3]
        return float(f @ np.cross(turned, moved - t))

    for invariant in (height, moment):
        bench = Bench("R", [], seed=30)
        value = bench.builder.symbol("gx")
        fixed = bench.constant(f)
        if invariant is height:
            assert rotate_to_plane(bench.builder, bench.axes[0], fixed, bench.start, value)
        else:
            line, other = (bench.start, bench.constant(d)), (bench.constant(t), fixed)
            assert rotate_to_moment(bench.builder, bench.axes[0], line, other, value)
        for _ in range(POSES):
            start, joint = draw.uniform(-1, 1, 3), draw.uniform(-3, 3)
            wanted = invariant(start, bench.screws[0].motion(joint))
            data = bench.data(start, np.array([wanted, 0, 0]))
            found = [values[1] for values in run(bench.builder.pending, data)]
            assert len(found) == 2
            assert any(abs(math.remainder(one - joint, 2 * math.pi)) < SAME for one in found)
            for one in found:
                assert invariant(start, bench.screws[0].motion(one)) == pytest.approx(wanted)
