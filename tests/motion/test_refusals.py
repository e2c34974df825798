"""What is refused is refused with little work, and what a refusal advises can be driven."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from refused import Count, moved, refusal, turned
from scipy.optimize import brentq

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp
from armwerk.mechanics import extent
from armwerk.mechanics.kernels import search
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.kernels import relaxing
from armwerk.motion.kernels.relaxing import Relaxed
from armwerk.motion.path import (
    branches,
    driving,
    follow,
    marching,
    opening,
    refining,
    search as search_of_branches,
    self_motion,
    solved_poses,
    start_trial,
)
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.marching import BranchPoints
from armwerk.motion.path.spot_turn import BentTurns
from armwerk.motion.path.wrist_flip import wrist_flip

CONFIGURATIONS = 8
"""As many as an arm with six joints usually has."""


def test_turns_on_the_spot_are_tried_without_looking_for_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other configurations are tried once, not again behind each turn on the spot."""
    model = aw.model("irb140")
    q = np.array([0.2, 0.3, -0.2, 0.4, 0.0, 0.1])
    start = model.fk(q)
    asked = Count(monkeypatch, driving, "other_starts")
    trials = Count(monkeypatch, driving, "path_trial")
    followed = Count(monkeypatch, branches, "follow_track")
    words = refusal(aw.Path(start).lin(moved(start, np.array([-0.7, 0.0, 0.0]))), model, q)
    assert "a change of configuration is forced" in words
    assert trials.calls == 1  # turns on the spot are tried where it stands
    assert asked.calls == 1
    assert followed.calls <= 2 * CONFIGURATIONS


@pytest.mark.parametrize("name", ["ur5e", "kr6_r900", "iiwa7"])
@pytest.mark.parametrize("beyond", [1e-3, 0.1, 3.0])
def test_the_reach_is_not_measured_to_refuse(
    name: str, beyond: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a place that may be meant in millimetres needs to know how far the arm gets."""
    model = aw.model(name)
    q = np.full(model.dof, 0.4)
    start = model.fk(q)
    searched = Count(monkeypatch, extent, "search_maximum")
    out = start[:3, 3] / np.linalg.norm(start[:3, 3])
    goal = moved(start, (1.5 + beyond) * out)
    refusal(aw.Path(start).ptp(goal), model, q)
    assert all(one["rounds"] == 0 for one in searched.named)
    monkeypatch.undo()
    assert "millimetres" in refusal(aw.Path(start).ptp(moved(start, 400.0 * out)), model, q)


def test_a_closed_path_is_followed_once_for_all_whole_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = aw.model("ur5e")
    q = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
    start = model.fk(q)
    path = aw.Path(start)
    for k in range(1, 6):
        path = path.lin(turned(start, 1.5 * k))  # more than the flange can turn by
    followed = Count(monkeypatch, branches, "follow_track")
    assert "runs into its stop" in refusal(path.lin(start), model, q, close=True)
    once = len(path.segments) + 1
    assert followed.calls <= once * (CONFIGURATIONS + 2)


def test_an_open_path_that_is_to_be_closed_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = aw.model("ur5e")
    q = np.array([0.2, -1.5, 1.6, -1.6, -1.5, 0.1])
    path = aw.Path(model.fk(q)).lin(moved(model.fk(q), np.array([0.0, 0.1, 0.0])))
    followed = Count(monkeypatch, branches, "follow_track")
    assert "must end where it begins" in refusal(path, model, q, close=True)
    assert followed.calls == 1


@pytest.mark.parametrize("beyond", [1e-6, 1e-3, 0.1, 10.0])
def test_poses_beyond_the_longest_line_of_an_arm_are_not_searched(
    beyond: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stretched from shoulder to wrist an iiwa just reaches; further off nothing is to be found."""
    model = aw.model("iiwa7")
    q = np.array([0.3, 0.5, 0.2, 0.0, 0.4, 0.6, 0.1])
    pose = model.fk(q)
    shoulder = np.array([0.0, 0.0, 0.34])
    wrist = pose[:3, 3] - 0.126 * pose[:3, 2]
    assert abs(np.linalg.norm(wrist - shoulder) - 0.8) < 1e-12
    out = (wrist - shoulder) / 0.8
    assert len(model.ik(moved(pose, -1e-6 * out)))
    descents = Count(monkeypatch, search, "search")
    assert not len(model.ik(moved(pose, beyond * out)))
    assert model.ik_nearest(moved(pose, beyond * out), q) is None
    assert descents.calls == 0 or beyond <= 1e-6


@pytest.mark.parametrize("name", ["scara", "five_axis", "planar_rr"])
@pytest.mark.parametrize("kind", ["lin", "ptp"])
def test_an_end_that_no_orientation_reaches_is_told_without_trying_them(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = aw.model(name)
    assert isinstance(model, SerialModel)
    q = model.chain.ranges() @ np.array([0.45, 0.55])
    pose = model.fk(q)
    path = aw.Path(pose)
    for k in range(1, 6):
        path = path.lin(model.fk(q + 0.01 * k)[:3, 3], orientation="free")
    far = moved(pose, np.array([9.0, 0.0, 0.0]))
    path = path.ptp(far) if kind == "ptp" else path.lin(far[:3, 3])
    trials = Count(monkeypatch, driving, "path_trial")
    said = refusal(path, model, q)
    assert trials.calls == 1
    assert said.startswith(f"segment 6 '{kind}'"), said
    assert "out of reach" in said
    assert f"{np.round(far[0, 3], 6)}" in said


def test_joints_to_spare_that_swing_between_stops_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    model = aw.model("gen3")
    q = np.array([0.5, -0.7, -1.7, -1.5, 1.1, 1.1, 0.4])
    pose = model.fk(q)
    path = aw.Path(pose, speed=0.2)
    for k in range(1, 5):
        path = path.lin(moved(turned(pose, 1.5 * k), np.array([0.0, 0.02 * k, 0.0])))
    rounds: list[int] = []
    inner = relaxing.relaxed

    def watched(*given: Any) -> Relaxed:
        found = inner(*given)
        rounds.append(found.rounds)
        return found

    monkeypatch.setattr(self_motion, "relaxed", watched)
    assert "joint_7" in refusal(path, model, q)
    assert 0 < sum(rounds) < 60


def test_a_joint_that_no_self_motion_moves_is_not_pushed_off_its_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How far an elbow is bent follows from where the wrist is."""
    model = aw.model("iiwa7")
    q = np.deg2rad([10.0, 40.0, 20.0, -110.0, 30.0, 50.0, 10.0])
    start = model.fk(q)
    tried = Count(monkeypatch, self_motion, "relaxed")
    inwards = moved(start, 0.2 * (np.array([0.0, 0.0, 0.34]) - start[:3, 3]))
    said = refusal(aw.Path(start).lin(inwards), model, q)
    assert "joint 'A4': runs into its stop" in said
    assert tried.calls == 0


@pytest.mark.parametrize("beside", [0.0, 1e-6])
def test_no_way_is_cut_into_endless_pieces(beside: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rates jump from point to point no number of points makes the way smooth."""
    model = aw.model("iiwa7")
    q = np.deg2rad([30.0, 0.0, 90.0, 30.0, 0.0, 0.0, 0.0])
    q[5] += beside
    start = model.fk(q)
    most = 0
    inner = refining._new_points

    def watched(follower: Follower, *given: Any) -> BranchPoints:
        nonlocal most
        most = max(most, len(follower.grid))
        assert most < 5000  # or it goes on until nothing is left of the memory
        return inner(follower, *given)

    monkeypatch.setattr(refining, "_new_points", watched)
    random = np.random.default_rng(4)
    for _ in range(6):
        way = random.normal(size=3)
        way *= random.uniform(0.05, 0.4) / np.linalg.norm(way)
        with suppress(MotionError):
            aw.Path(start, speed=0.2).lin(moved(start, way)).plan(model, q)
    assert most < 1500


def test_a_way_that_only_grows_in_points_is_given_up_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within a singularity rounding tells the joints, however near points lie to one another."""
    model = aw.model("typ1")
    q = np.array([-0.523598775, 3.141592654, 0.785398162, -0.785398164, 0.0, 1.570796325])
    start = model.fk(q)
    goal = moved(start, np.array([0.006, -0.048, 0.014]))
    goal[:3, :3] = start[:3, :3] @ rotation_exp(np.array([0.5, 0.0, 0.0]))
    points: list[int] = []
    inner = refining._new_points

    def watched(follower: Follower, *given: Any) -> BranchPoints:
        points.append(len(follower.grid))
        return inner(follower, *given)

    monkeypatch.setattr(refining, "_new_points", watched)
    aw.Path(start).lin(goal).plan(model, q)  # another joint held, the way is smooth
    assert 200 < max(points) < 800


def test_a_turn_to_a_branch_that_something_is_in_the_way_of_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From a stretched wrist branches that need no turn are followed, and not again behind one."""
    model = aw.model("stanford")
    q = np.array([0.5236, 0.0, 0.5, -1.5708, 0.0, 1.5708])
    start = model.fk(q)
    goal = moved(start, np.array([0.506, 1.841, 0.594]))
    goal[:3, :3] = start[:3, :3] @ rotation_exp(np.array([0.0, 0.5, 0.0]))
    followed = Count(monkeypatch, branches, "follow_track")
    assert "joint 'boom': runs into its stop" in refusal(aw.Path(start).lin(goal), model, q)
    assert followed.calls <= 6


def test_a_turn_to_a_branch_that_leads_to_a_stop_later_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Behind a turn on the spot it would lead there again."""
    model = aw.model("typ2")
    q = np.array([-0.7853974428599735, -1.5707979736284838, 0.7853980031935022])
    q = np.append(q, [-1.5707964693205838, 1.570797955141961, -0.5235984835961277])
    pose = model.fk(q)
    path = aw.Path(pose)
    for way, turn in (
        ([-0.0359, -0.0329, -0.0112], [0.0, 0.0, 0.5 * np.pi]),
        ([0.0045, -0.0089, -0.0006], [0.0, 0.0, 0.0]),
        ([-0.0146, -0.0466, 0.0107], [0.5 * np.pi, 0.0, 0.0]),
    ):
        pose = moved(pose, np.array(way))
        pose[:3, :3] = pose[:3, :3] @ rotation_exp(np.array(turn))
        path = path.lin(pose)
    tried = Count(monkeypatch, search_of_branches.BranchSearch, "_after")
    assert "joint 'q4': runs into its stop" in refusal(path, model, q)
    assert tried.calls == 0


def test_a_wrist_that_is_turned_over_meets_the_same_stops_of_the_arm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What one of its two configurations met is not followed again with the other."""
    model = aw.model("typ2")
    q = np.array([1.5707963272909462, 1.570796326794961, -0.5235987746463616])
    q = np.append(q, [-1.5707963305814157, 1.5707963258410753, -1.5707963262965827])
    start = model.fk(q)
    path = aw.Path(start).lin(moved(start, np.array([0.0603, 0.0748, -0.0277])))
    followed = Count(monkeypatch, branches, "follow_track")
    with pytest.raises(MotionError, match="runs into its stop"):
        path.plan(model)
    assert followed.calls <= 7


def test_other_configurations_of_a_singular_start_are_looked_at_from_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For advice no way is followed out of a place that no branch leaves with these joints."""
    model = aw.model("irb140")
    q = np.array([0.523598695, -9.12e-07, -1.570795422, -0.523597597, -7.26e-07, 1.570798797])
    start = model.fk(q)
    followed = Count(monkeypatch, branches, "follow_track")
    path = aw.Path(start).lin(moved(start, np.array([-0.062, 0.008, -0.078])))
    assert "a change of configuration is forced" in refusal(path, model, q)
    assert followed.calls <= 6


@pytest.mark.parametrize("name", ["stanford", "typ2", "irb140", "puma560", "kr6_r900"])
def test_a_wrist_turned_over_holds_the_tool_alike_along_a_track(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = aw.model(name)
    assert isinstance(model, SerialModel)
    flip = wrist_flip(model)
    assert flip is not None
    q = np.array([0.4, 0.3, 0.4, 0.5, 0.6, 0.7])
    start = model.fk(q)
    found: list[Follower] = []

    def kept(*given: Any, **named: Any) -> Follower:
        found.append(follow.follow_track(*given, **named))
        return found[-1]

    monkeypatch.setattr(branches, "follow_track", kept)
    aw.Path(start).lin(moved(start, np.array([-0.02, -0.01, -0.02]))).plan(model, q)
    other = q * [1, 1, 1, 1, -1, 1] + [0, 0, 0, -np.pi, 0, -np.pi]
    assert flip.gap(q, other) < 1e-12
    assert flip.gap(q + np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1e-3]), other) == pytest.approx(1e-3)
    driven = found[0]
    turned_over = flip.follower(driven, other)
    assert np.abs(turned_over.table[0, 0] - other).max() < 1e-9
    poses = model.fk(driven.table[:, 0])
    assert np.abs(model.fk(turned_over.table[:, 0]) - poses).max() < 1e-9
    assert np.abs(turned_over.table[:, 1:, :3] - driven.table[:, 1:, :3]).max() == 0.0


@pytest.mark.parametrize("name", ["ur5e", "typ1", "iiwa7", "scara", "planar_rr"])
def test_wrists_whose_axes_do_not_meet_have_no_other_side(name: str) -> None:
    model = aw.model(name)
    assert isinstance(model, SerialModel)
    assert wrist_flip(model) is None


PAST = {
    "irb120": [0.3, 0.2, -0.1, 2.2, 0.0, 0.4],
    "typ2": [0.3, 0.5, 0.1, 2.7, 0.0, -1.5],
}


def past_wrists(name: str) -> list[tuple[aw.ArmModel, aw.Path, Array]]:
    """Return lines past a stretched wrist, in all directions."""
    model = aw.model(name)
    q = np.array(PAST[name])
    q[4] = 1e-7
    pose = model.fk(q)
    found = []
    for angle in np.linspace(0.0, 2.0 * np.pi, 9)[:-1]:
        way = 0.05 * (np.cos(angle) * pose[:3, 0] + np.sin(angle) * pose[:3, 1])
        path = aw.Path(moved(pose, -way), speed=0.2).lin(moved(pose, way))
        start = model.ik_nearest(moved(pose, -way), q)
        assert start is not None
        found.append((model, path, start))
    return found


@pytest.mark.parametrize("name", PAST)
def test_a_wrist_at_its_stop_is_advised_to_pass_straight_and_does(name: str) -> None:
    advised = 0
    for model, path, q in past_wrists(name):
        try:
            path.plan(model, q)
        except MotionError as error:
            if "wrist=0.02 would do" in str(error):
                advised += 1
                motion = path.plan(model, q, wrist=0.02)
                assert any("passes its singularity straight" in str(n) for n in motion.notices)
            else:
                with pytest.raises(MotionError):
                    path.plan(model, q, wrist=0.02)
    assert advised


def advised_starts(count: int) -> list[tuple[aw.SerialModel, aw.Path, Array, str]]:
    """Return paths that are refused where the arm stands, with a configuration that would do."""
    found = []
    random = np.random.default_rng(11)
    for name in ("puma560", "kr6_r900", "ur5e"):
        model = aw.model(name)
        low, high = np.clip(model.chain.limits.T, -3.0, 3.0)
        for _ in range(count):
            q = low + (high - low) * random.uniform(0.1, 0.9, model.dof)
            pose = model.fk(q)
            way = random.normal(size=3)
            path = aw.Path(pose).lin(moved(pose, 0.4 * way / np.linalg.norm(way)))
            try:
                path.plan(model, q)
            except MotionError as error:
                if "would fit with" in str(error):
                    found.append((model, path, q, str(error)))
    return found


def test_the_configuration_that_is_advised_drives_the_path() -> None:
    advised = advised_starts(12)
    assert len(advised) >= 3
    for model, path, _, words in advised:
        told = np.array([float(x) for x in words.split("q = [")[1].split("]")[0].split(",")])
        motion = path.plan(model, near=told)
        assert np.abs(motion.sample(0.0)[0] - told).max() < 1e-3


def test_what_is_out_of_reach_of_all_configurations_is_said_to_be() -> None:
    """The first stops at a singularity; another gets further, to where none can go."""
    model = aw.model("kr6_r900")
    q = np.array([0.8, -1.6, -0.8, 0.7, -0.4, -0.7])
    goal = moved(model.fk(q), np.array([0.1, 0.3, 0.0]))
    assert not len(model.ik(goal))
    assert "out of reach: no joint values" in refusal(aw.Path(model.fk(q)).lin(goal), model, q)


def test_branches_to_a_singular_start_are_followed_once_for_all_configurations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other configurations of the same place, and turns on the spot, lead to the same branches."""
    model = aw.model("irb140")
    q = np.array([0.4, -0.72, 0.35, 0.6, 0.8, 0.2])
    q[1] = _over_the_base(model, q)
    start = model.fk(q)
    # from here the arm would get away by a turn on the spot; what is looked at is the refusal
    monkeypatch.setattr("armwerk.motion.path.search.bent_turns", lambda *_: BentTurns([], []))
    marched = Count(monkeypatch, opening, "march")
    asked = Count(monkeypatch, branches, "openings")
    words = refusal(aw.Path(start).lin(moved(start, np.array([0.05, 0.06, 0.0]))), model, q)
    assert "a change of configuration is forced" in words
    assert asked.calls > 1
    assert 0 < marched.calls <= CONFIGURATIONS


def _over_the_base(model: aw.ArmModel, q: Array) -> float:
    """Return the second joint's value with which the wrist is over the first axis [rad]."""

    def bent(value: float) -> float:
        row = q.copy()
        row[1] = value
        return float(np.linalg.det(model.jacobian(row)))

    return float(brentq(bent, -1.5, 1.5, xtol=1e-16))


def test_where_nothing_reaches_no_branches_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a stretched elbow straight on: no joint values reach, whatever the branch."""
    model = aw.model("typ1")
    q = np.zeros(model.dof)
    start = model.fk(q)
    asked = Count(monkeypatch, branches, "openings")
    out = start[:3, 3] / np.linalg.norm(start[:3, 3])
    assert "out of reach" in refusal(aw.Path(start).lin(moved(start, 0.3 * out)), model, q)
    assert asked.calls == 0


def test_a_start_with_all_axes_in_line_is_refused_with_bounded_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its inverse has whole families: places within a singularity are no branches out of it."""
    model = aw.model("ur5e")
    q = np.array([np.pi / 2, 0.0, 0.0, np.pi, 0.0, 0.0])
    start = model.fk(q)
    stepped = Count(monkeypatch, marching, "follow")
    for way in ([0.03, 0.02, 0.03], [0.0, 0.05, 0.0], [0.02, -0.03, 0.04]):
        with suppress(MotionError):
            aw.Path(start).lin(moved(start, np.array(way))).plan(model, q)
    assert stepped.calls < 30_000


@pytest.mark.parametrize(
    ("degrees", "way"),
    [([180, 0, 0, 180, 0, -90], [0.03, -0.04, 0.02]), ([0, 0, 0, 0, 90, 0], [0.02, 0.03, -0.04])],
)
def test_no_pose_is_solved_twice_to_refuse(
    degrees: list[float], way: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each configuration of a singular start asks for the way out of it, and for its end."""
    model = aw.model("typ1")
    q = np.deg2rad(np.array(degrees, dtype=np.float64))
    start = model.fk(q)
    asked: list[bytes] = []
    inner = type(model.inverse).all

    def watched(solver: Any, T: Array, *given: Any, **named: Any) -> Array:
        asked.append(np.asarray(T).tobytes())
        found: Array = inner(solver, T, *given, **named)
        return found

    monkeypatch.setattr(type(model.inverse), "all", watched)
    refusal(aw.Path(start).lin(moved(start, np.array(way))), model, q)
    assert asked
    assert len(asked) == len(set(asked))


def test_solutions_that_are_kept_are_those_of_the_model() -> None:
    """Of its own model, its own pose, and however many have been asked for."""
    for name in ("typ1", "ur5e", "puma560"):
        model = aw.model(name)
        random = np.random.default_rng(3)
        for _ in range(70):  # more than are kept
            pose = model.fk(random.uniform(-1.5, 1.5, model.dof))
            for _ in range(2):
                found = solved_poses.solutions_of(model, pose)
                assert np.array_equal(found, model.ik(pose))
                assert np.abs(model.fk(found) - pose).max() < 1e-8


def test_of_a_family_of_starts_one_member_is_tried() -> None:
    """A UR whose wrist is stretched has solutions a hair apart; whole turns of one remain."""
    model = aw.model("ur5e")
    q0 = np.deg2rad([-90.0, -45.0, 0.0, -30.0, 180.0, 0.0])
    starts = list(start_trial.other_starts(model, q0))
    assert starts
    pose = model.fk(q0)
    for k, one in enumerate(starts):
        assert np.abs(model.fk(one) - pose).max() < 1e-8
        for other in starts[:k]:
            gap = np.abs(np.angle(np.exp(1j * (one - other)))).max()
            assert gap < 1e-6 or gap >= 0.01


@pytest.mark.parametrize("name", ["irb140", "puma560", "kr6_r900", "ur5e", "typ1", "typ2"])
def test_typed_singular_starts_are_driven_or_refused_in_words(name: str) -> None:
    """Turns and lines from right angles end as motions or as refusals, never otherwise."""
    model = aw.model(name)
    low, high = np.array([joint.limits for joint in model.arm.moving]).T
    draw = np.random.default_rng(37)
    for _ in range(20):
        q = np.clip(0.5 * np.pi * draw.integers(-2, 3, model.dof), low, high)
        start = model.fk(q)
        path = aw.Path(start).turn(turned(start, float(draw.uniform(0.3, 2.0))))
        if draw.random() < 0.5:
            path = aw.Path(start).lin(moved(start, draw.uniform(-0.1, 0.1, 3)))
        with suppress(MotionError):
            motion = path.plan(model, q)
            assert np.isfinite(motion.sampled(0.01)[1]).all()
