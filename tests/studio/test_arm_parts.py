"""Assemblies as forms, without a browser: parts come, go, are renamed, tied, complained of."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

import armwerk as aw
from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.protocol.configuring import LookAtArm, OpenArm, OpenedArm, SeenArm
from armwerk.protocol.forming import ArmEdit, ArmText, EditArm, FormTable
from armwerk.robot import library
from armwerk.robot.formats.parts_reader import assembly_from_toml
from armwerk.robot.parts import Assembly
from armwerk.studio import StudioFolder
from armwerk.studio.desks.arm import ArmDesk

ASSEMBLIES = [name for name in library() if isinstance(aw.load(name), Assembly)]


class Configurator:
    """Somebody who edits an assembly in its form."""

    def __init__(self, folder: Path, name: str) -> None:
        self.desk = ArmDesk(StudioFolder(folder))
        opened = self.desk.obey(OpenArm(name))
        assert isinstance(opened, OpenedArm)
        self.text = opened.text

    def edit(self, action: ArmEdit, place: str, value: str = "") -> None:
        result = self.desk.obey(EditArm(self.text, action, place, value))
        assert isinstance(result, ArmText)
        self.text = result.text

    def look(self) -> SeenArm:
        seen = self.desk.obey(LookAtArm(self.text, "", ""))
        assert isinstance(seen, SeenArm)
        return seen

    def table(self, title: str) -> FormTable:
        form = self.look().form
        assert form is not None
        return next(table for table in form.tables if table.title == title)

    @property
    def assembly(self) -> Assembly:
        return assembly_from_toml(self.text)


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_every_field_of_an_assembly_is_in_its_form_and_written_back_equal(
    tmp_path: Path, name: str
) -> None:
    one = Configurator(tmp_path, name)
    whole = one.assembly
    assert one.look().is_serial is False
    form = one.look().form
    assert form is not None
    for table in form.tables:
        for number, row in enumerate(table.rows):
            for column, text in zip(table.columns, row, strict=True):
                if text:
                    one.edit("set", f"{table.array}/{number}/{column.field}", text)
    assert one.assembly == whole


def test_a_servo_put_into_a_chain_takes_over_what_hung_there(tmp_path: Path) -> None:
    one = Configurator(tmp_path, "blank parts")
    before = one.assembly
    one.edit("add", "part/2", "servo")
    more = one.assembly
    assert more.dof == before.dof + 1
    assert more.tree["elbow"].fix == "servo1"
    assert more.tree["servo1"].fix == "upper"
    one.edit("remove", "part/3")
    assert one.assembly == before
    one.edit("later", "part/3")
    one.edit("earlier", "part/4")
    assert one.assembly == before


def test_a_tripod_is_built_in_the_form_from_nothing(tmp_path: Path) -> None:
    one = Configurator(tmp_path, "blank parts")
    for _ in range(5):
        one.edit("remove", "part/1")
    one.edit("set", "tip", "touch_point1")
    last = 0
    for leg, place in enumerate(("0.3, 0, 0", "-0.15, 0.26, 0", "-0.15, -0.26, 0")):
        for kind in ("fullrot", "linear_motor", "touch_point" if leg == 0 else "termination_point"):
            one.edit("add", f"part/{last}", kind)
            last += 1
        foot = last - 2
        one.edit("set", f"part/{foot}/position", place)
        one.edit("set", f"part/{foot}/turn", "0, 90 deg, 0")
        one.edit("set", f"part/{foot + 1}/limits", "350 mm, 650 mm")
        if leg:
            one.edit("set", f"part/{foot}/on", "base")
    assert "held by no union" in one.look().problems[0].message
    one.edit("add", "union/-1", "union")
    assert [loop.pattern for loop in one.assembly.loops] == ["TRIPOD"]
    seen = one.look()
    assert seen.geometry is not None
    assert "'union1' (TRIPOD)" in seen.summary
    assert one.table("Closed chains").rows == (
        ("union1", "touch_point1, termination_point1, termination_point2", ""),
    )


def test_a_platform_is_offered_with_the_six_loose_ends(tmp_path: Path) -> None:
    one = Configurator(tmp_path, "stewart")
    one.edit("remove", "platform/0")
    one.edit("add", "platform/-1", "platform")
    (row,) = one.table("Platforms").rows
    assert row[1].count(";") == 5
    assert row[1].startswith("end1: 0.2, 0.0, 0.0; end2: ")


def test_all_that_name_a_part_follow_its_new_name(tmp_path: Path) -> None:
    one = Configurator(tmp_path, "tripod")
    names = [row[0] for row in one.table("Parts").rows]
    one.edit("set", f"part/{names.index('tool')}/name", "stick")
    one.edit("set", f"part/{names.index('base')}/name", "ground")
    one.edit("set", f"part/{names.index('tip')}/name", "nail")
    whole = one.assembly
    assert whole.tip == "nail"
    assert whole.unions[0].points == ("stick", "end2", "end3")
    assert whole.tree["foot2"].fix == "ground"
    assert one.look().problems == ()
    platform = Configurator(tmp_path, "stewart")
    names = [row[0] for row in platform.table("Parts").rows]
    platform.edit("set", f"part/{names.index('end3')}/name", "ball")
    assert platform.assembly.unions[0].points[2] == "ball"


def test_a_name_that_another_has_ties_nothing(tmp_path: Path) -> None:
    one = Configurator(tmp_path, "tripod")
    names = [row[0] for row in one.table("Parts").rows]
    one.edit("set", f"part/{names.index('end2')}/name", "end3")
    (problem, *_) = one.look().problems
    assert "name used twice" in problem.message
    assert problem.place.endswith("/name")
    one.edit("set", f"part/{names.index('end2')}/name", "end2")
    assert one.assembly == aw.load("tripod")


@pytest.mark.parametrize(
    ("place", "value", "where", "says"),
    [
        ("part/2/limits", "1, 0", "part/2/limits", "minimum"),
        ("part/2/limits", "-0.1, 0.3", "part/2/limits", "at least 0 m"),
        ("part/1/kind", "servo", "", "pattern"),
        ("part/5/on", "nowhere", "part/5/on", "no part above has that name"),
        ("part/3/length", "5 deg", "part/3/length", "wrong unit"),
        ("part/0/length", "0.3", "part/0/length", "unknown key"),
        ("union/0/points", "tool, nothing, end3", "union/0/points", "unknown point"),
        ("union/0/branch", "-2", "union/0/branch", "1 or -1"),
        ("part/1/position", "1, 2", "part/1/position", "three numbers"),
    ],
)
def test_a_complaint_stands_at_its_field(
    tmp_path: Path, place: str, value: str, where: str, says: str
) -> None:
    one = Configurator(tmp_path, "tripod")
    one.edit("set", place, value)
    seen = one.look()
    assert seen.form is not None
    assert says in seen.problems[0].message
    if where:
        assert seen.problems[0].place == where


@pytest.mark.parametrize(
    ("action", "place", "value"),
    [
        ("add", "part/0", "boat"),
        ("add", "wheel/0", "servo"),
        ("remove", "part/99", ""),
        ("remove", "part", ""),
        ("later", "union/7", ""),
        ("set", "part/99/name", "x"),
        ("set", "part/0/x/y", "1"),
        ("add", "part/x", "servo"),
    ],
)
def test_rows_that_are_not_there_are_refused(
    tmp_path: Path, action: ArmEdit, place: str, value: str
) -> None:
    one = Configurator(tmp_path, "tripod")
    before = one.text
    with pytest.raises(ArmwerkError):
        one.edit(action, place, value)
    assert one.text == before


def test_torn_assemblies_are_told_and_never_raised(tmp_path: Path) -> None:
    one = Configurator(tmp_path, "stewart")
    whole = one.text
    for cut in range(0, len(whole), 97):
        one.text = whole[:cut] + "\n"
        one.look()
    for text in (
        'kind = "assembly"\nname = "a"\npart = 3\nunion = "x"\n',
        'kind = "assembly"\nname = "a"\nplatform = [{legs = 3}, {legs = [1, {anchor = 5}]}]\n',
        'kind = "assembly"\nname = "a"\n[[union]]\npoints = 4\n[[part]]\nkind = 7\n',
    ):
        one.text = text
        assert one.look().problems
        for place in ("part/0/name", "union/0/points", "platform/0/legs"):
            with suppress(DescriptionError):
                one.edit("set", place, "x: 1; y")
                one.look()
            one.text = text
