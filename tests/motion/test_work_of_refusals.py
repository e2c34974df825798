"""What was found on the way to a refusal is not looked for again; what cannot help is left out."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from refused import Count, lines, moved, refusal

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.kernels.following import JUMPED, THROUGH
from armwerk.motion.path import (
    branches,
    driving,
    few_joints,
    follow,
    search,
    wrist,
)
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.marching import LostError
from armwerk.motion.path.refining import refined
from armwerk.motion.path.singular_ends import CLEAR
from armwerk.motion.path.track import Track

STANDS = [0.0, 0.0, 0.0]
ELBOW = np.deg2rad([90.0, 0.0, 0.0, 0.0, 0.0, -90.0])
"""Of a UR, stretched all along."""
SCARA = np.array([0.5, 0.5 * np.pi, 0.0, 0.25 * np.pi])
"""Of a SCARA with its elbow stretched."""


def scara() -> tuple[SerialModel, Array]:
    """Return a SCARA with its elbow stretched."""
    return aw.model("scara2"), SCARA.copy()


def test_a_start_that_nothing_foretells_is_refused_by_its_first_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From nearer to it the whole way is not followed closely again only to be refused."""
    model = aw.model("ur5e")
    gone_through = Count(monkeypatch, follow, "refined")
    told = Count(monkeypatch, follow, "first_cells")
    path = lines(model, ELBOW, ([0.0576, 0.0817, 0.0015], STANDS))
    assert "a change of configuration is forced" in refusal(path, model, ELBOW)
    assert told.calls >= 1
    assert gone_through.calls <= 8  # for each configuration that is tried about one


def test_what_is_put_off_is_what_would_not_have_been_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All that is clear next to a start tried one after the other ends the same."""
    inner = follow._held_at_ends
    same = refusals = 0

    def in_turn(*given: Any) -> Follower:
        nonlocal same, refusals
        track, constants, scale, start, points, singular = given
        best: Follower | None = None
        off = np.inf
        lost: LostError | None = None
        for share in (1.0, *follow._CLOSER):
            one = singular._replace(clear=share * CLEAR)
            try:
                other = refined(track, constants, scale, points, one)
            except LostError as error:
                if share == 1.0:
                    lost = error
                    break
                continue
            found = follow._off_at_ends(other, constants, scale, one)
            if found < off:
                best, off = other, found
            if off <= THROUGH:
                break
        if best is not None and np.abs(best.table[0, 0] - start).max() > follow._SAME:
            lost = LostError(0.0, start, JUMPED)
        if lost is not None:
            refusals += 1
            with pytest.raises(LostError) as caught:
                inner(*given)
            assert (caught.value.s, caught.value.state) == (lost.s, lost.state)
            raise caught.value
        told = inner(*given)
        assert best is not None
        assert np.array_equal(told.grid, best.grid)
        assert np.array_equal(told.table, best.table)
        same += 1
        return told

    monkeypatch.setattr(follow, "_held_at_ends", in_turn)
    random = np.random.default_rng(3)
    for name, q in (("ur5e", ELBOW), ("scara2", SCARA)):
        model = aw.model(name)
        for _ in range(20):
            way = random.normal(size=3)
            path = lines(model, q, ((0.02 * way / np.linalg.norm(way)).tolist(), STANDS))
            with suppress(MotionError):
                path.plan(model, q)
    assert same > 10
    assert refusals > 10


def test_a_branch_that_is_known_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few joints to a stretched elbow there is one way; a look from ahead finds no other."""
    model, q = scara()
    asked: list[tuple[int, bytes]] = []
    tracks: list[Track] = []  # so that no two have the same address
    inner = follow.follow_known

    def noted(track: Track, *given: Any) -> Follower:
        tracks.append(track)
        asked.append((id(track), given[2].tobytes()))
        return inner(track, *given)

    monkeypatch.setattr(branches, "follow_known", noted)
    refusal(leaning_path(model, q), model, q)
    assert len(asked) == len(set(asked)) >= 2


def test_a_stretch_of_few_joints_is_stepped_along_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns on the spot ask again for the branches that lead out of the place they are made in."""
    model = aw.model("scara2")
    q = np.array([0.0, 0.5 * np.pi, 0.0, 0.5 * np.pi])
    steps = Count(monkeypatch, few_joints.PartOfTrack, "_stepped")
    asked = Count(monkeypatch, few_joints.PartOfTrack, "_stretch")
    path = lines(model, q, ([0.0115, -0.0137, -0.0467], STANDS), ([-0.2838, 0.054, 0.0807], STANDS))
    refusal(path, model, q)
    assert asked.calls > steps.calls > 0


def test_what_nothing_reaches_is_not_come_to_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second line leaves the reach of a SCARA: no turn before the first leads on."""
    model, q = scara()
    trials = Count(monkeypatch, driving, "path_trial")
    turns = Count(monkeypatch, search.BranchSearch, "_after")
    path = lines(model, q, ([0.0014, -0.0042, -0.0083], STANDS), ([0.02, 0.04, 0.01], STANDS))
    assert refusal(path, model, q).startswith("segment 2 'lin'")
    assert turns.calls == 0
    assert trials.calls == 2  # whole poses, and places alone


def test_a_turn_to_beside_where_the_track_was_lost_from_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An elbow that bends to either side is stretched at the start of both branches."""
    model = aw.model("five_axis")
    q = np.array([0.5 * np.pi, 0.0, 0.0, 0.0, 0.5 * np.pi])
    turns = Count(monkeypatch, search.BranchSearch, "_after")
    path = lines(model, q, ([0.1779, 0.0746, -0.2298], [0.0, 0.0, 0.5]))
    assert "a change of configuration is forced" in refusal(path, model, q)
    assert 0 < turns.calls <= 5


def test_less_that_is_demanded_along_the_same_track_is_not_followed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Five joints keep their inclination when only the place counts too."""
    model = aw.model("five_axis")
    q = np.array([0.0, -1e-9, -1e-9, -2e-9, 1.570796325])
    tried = Count(monkeypatch, branches, "_followed")
    anew = Count(monkeypatch, branches, "_followed_anew")
    path = lines(model, q, ([-0.0052, 0.0027, -0.0081], [0.0, 0.0, 0.5 * np.pi]))
    refusal(path, model, q)
    assert tried.calls > anew.calls > 0


def test_a_track_that_a_wrist_does_not_pass_is_marched_along_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = aw.model("ur5e")
    q = np.deg2rad([90.0, 90.0, 0.0, 0.0, 0.0, 180.0])
    marched = Count(monkeypatch, wrist, "march")
    eased = Count(monkeypatch, branches, "eased")
    path = lines(model, q, ([0.0052, 0.0078, -0.0035], STANDS))
    with suppress(MotionError):
        path.plan(model, q, wrist=0.02)
    assert marched.calls == eased.calls > 0


def test_in_haste_a_branch_that_begins_elsewhere_is_not_looked_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other configurations of an iiwa stand a hair beside the pose that its joints have."""
    model = aw.model("iiwa7")
    q = [1.570796678, -1.524e-06, -0.523598077, 5.4e-08, -0.785397132, -0.785398947, -1.570794976]
    gone_through = Count(monkeypatch, follow, "refined")
    path = lines(model, np.array(q), ([0.0245, 0.0131, -0.0416], STANDS))
    assert "a change of configuration is forced" in refusal(path, model, np.array(q))
    assert gone_through.calls == 0


def leaning_path(model: SerialModel, q: Array) -> aw.Path:
    """Return a line out of a singular place to where no joints of a SCARA hold the tool."""
    path = lines(model, q, ([0.0003, -0.0014, -0.0099], [0.0, 0.0, 0.5]))
    upright = np.asarray(model.fk(q))
    pose = moved(upright, np.array([0.0078, -0.0048, -0.0156]))
    pose[:3, :3] = upright[:3, :3] @ rotation_exp(np.array([0.0, 0.5 * np.pi, 0.0]))
    return path.ptp(pose)
