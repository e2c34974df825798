"""Warnings: what runs and yet is a danger, each found where it is and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armwerk as aw
from armwerk.errors import UnsupportedError
from armwerk.language import Lint

START = "move ptp joint(0, -3, -130, 0, 87, 0);"
SET = "r_tool.pos.z := 0; r_base.pos.z := 0;"


def lints(text: str) -> list[tuple[str, int]]:
    """Return kind and line of the warnings about a text."""
    program = aw.irl.loads(f"program P;\n{text}\nendprogram;")
    return [(lint.kind, lint.problem.line) for lint in program.lint()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("begin\nhalt;\nwriteln('x');\nwriteln('y');", [("dead code", 4)]),
        ("begin\nwhile false\nwriteln('x');\nendwhile;", [("dead code", 4)]),
        ("begin\nwhile true\nwait 1 sec;\nendwhile;\nwriteln('x');", [("dead code", 6)]),
        ("begin\ngoto a;\nwriteln('x');\na: writeln('y');", [("dead code", 4)]),
        ("procedure Q;\nbegin\nwriteln('x'); endproc;\nbegin", [("dead code", 4)]),
        (
            "function F: int; begin\nreturn 1;\nwriteln('x'); endfct;\nbegin writeln(F);",
            [("dead code", 4)],
        ),
        ("begin if true writeln('a'); endif; writeln('b');", []),
        ("var int: i; begin if i = 1 return; else halt; endif;", []),
        ("signal input bool: a;\nbegin\nwait for a;", [("time-out", 4)]),
        ("signal input bool: a; begin wait for a timeout 3 sec;", []),
        ("begin\nmove ptp (1, 2, 3);", [("frames", 3), ("frames", 3)]),
        (f"begin {SET}\nmove ptp (1, 2, 3);", []),
        ("begin move ptp joint(1, 2);", []),
        (
            f"var pose: a, b; begin {SET} a.pos.x := 1;\nmove ptp a;\nmove ptp b;",
            [("never set", 4)],
        ),
        ("var semaphore: s; begin\nsem_wait(s);", [("deadlock", 3)]),
        ("var semaphore: s := 1; begin\nsem_wait(s);", []),
        (
            "var semaphore: a := 1, b := 1; process Q; begin sem_wait(b);\nsem_wait(a); endprocess;"
            "\n"
            "begin start Q; sem_wait(a);\nsem_wait(b);",
            [("deadlock", 5)],
        ),
        (
            "var semaphore: a := 1, b := 1; process Q; begin sem_wait(a); sem_wait(b); endprocess;"
            "\n"
            "begin start Q; sem_wait(a); sem_wait(b);",
            [],
        ),
    ],
)
def test_warnings_of_a_text(text: str, found: list[tuple[str, int]]) -> None:
    assert lints(text) == found


def on_the_puma(statements: str, bodies: aw.Bodies | None = None) -> list[Lint]:
    """Return the warnings that a program on the Puma adds to those of its text."""
    program = aw.irl.loads(f"program P; begin {SET}\n{START}\n{statements}\nendprogram;")
    found = program.lint([aw.model("puma560")], bodies)
    assert all(lint.model is not None and lint.q is not None for lint in found)
    return found


def test_nothing_to_warn_of() -> None:
    assert on_the_puma("move_inc lin (0, 50, 0) c_cp := 5; move_inc lin (0, 0, 50);") == []


def test_targets_out_of_reach_and_out_of_limits() -> None:
    found = on_the_puma(
        "move ptp ((5000, 0, 0), orizyx(0, 0, 0));\nmove_inc lin (0, 20, 0);\n"
        "move ptp joint(0, 500);"
    )
    assert [(lint.kind, lint.problem.line) for lint in found] == [("unreachable", 3), ("limit", 5)]
    assert found[0].point is not None
    np.testing.assert_allclose(found[0].point, [5.0, 0.0, 0.0])


def test_a_blend_that_cannot_be_kept() -> None:
    (lint,) = on_the_puma("move_inc lin (0, 20, 0) c_cp := 40;\nmove_inc lin (0, 0, 50);")
    assert (lint.kind, lint.problem.line) == ("blend", 3)
    assert "shrunk" in lint.problem.message


def test_a_singular_place() -> None:
    (lint,) = on_the_puma("move ptp joint(0, -3, -130, 0, 1, 0);\nmove_inc lin (0, 0, 2);")
    assert (lint.kind, lint.problem.line) == ("singular", 4)


def test_a_contact_with_a_body(tmp_path: Path) -> None:
    first = aw.model("puma560").fk(np.radians([0, -3, -130, 0, 87, 0]))[:3, 3]
    wall = aw.Box(size=(0.05, 0.05, 0.05), position=first + np.array([0.0, 0.12, 0.0]), name="wall")
    found = on_the_puma("writeln('on');\nmove_inc lin (0, 150, 0);", aw.Bodies([wall]))
    assert [(lint.kind, lint.problem.line) for lint in found] == [("contact", 4)]
    assert "wall" in found[0].problem.message
    assert found[0].draw(tmp_path / "place.png").stat().st_size > 5000


def test_a_warning_about_text_has_no_picture(tmp_path: Path) -> None:
    (lint,) = aw.irl.loads("program P; begin halt; writeln('x'); endprogram;").lint()
    with pytest.raises(UnsupportedError, match="no place in space"):
        lint.draw(tmp_path / "x.png")
