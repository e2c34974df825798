"""Messages as JSON: what goes out can be read, and what comes in is a command or is refused."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from armwerk.errors import DescriptionError
from armwerk.protocol import Command, decoded, encoded
from armwerk.protocol.commands import AddRobot, MoveBody, RunClock, SetSpeed, SteerProgram
from armwerk.protocol.replies import Answer, TextProblem
from armwerk.studio.typescript import typescript


@pytest.mark.parametrize(
    "command",
    [
        RunClock(),
        SetSpeed(0.25),
        SteerProgram("pause", None),
        SteerProgram("start", 3),
        MoveBody("ball0", (1.0, 2.0, 3.0), None),
        AddRobot((0.5, -0.5), 1.5, "ur5e", None),
    ],
)
def test_a_command_comes_back_as_it_was(command: Command) -> None:
    data = json.loads(encoded(command))
    assert data["type"] == type(command).__name__
    assert decoded(json.dumps({**data, "request": 7})) == (7, command)


def test_a_whole_number_will_do_for_any_other() -> None:
    assert decoded('{"type": "SetSpeed", "speed": 2}') == (0, SetSpeed(2.0))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("nonsense", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"type": "SetSpeed", "speed": NaN}', "NaN is no number"),
        ("[1]", "no object"),
        ("{}", "no command"),
        ('{"type": ["SetSpeed"]}', "no command"),
        ('{"type": "Greeting"}', "no command"),
        ('{"type": "SetSpeed"}', "wrong fields"),
        ('{"type": "SetSpeed", "speed": 1, "more": 2}', "wrong fields"),
        ('{"type": "SetSpeed", "speed": "1"}', "of another kind"),
        ('{"type": "SetSpeed", "speed": true}', "of another kind"),
        ('{"type": "SetSpeed", "speed": 1e999}', "of another kind"),
        ('{"type": "SetSpeed", "speed": 1' + "0" * 400 + "}", "of another kind"),
        ('{"type": "SetSpeed", "speed": null}', "of another kind"),
        ('{"type": "StepClock", "steps": 1.5}', "of another kind"),
        ('{"type": "RunClock", "request": "7"}', "request"),
        ('{"type": "SteerProgram", "action": "kill", "robot": null}', "of another kind"),
        ('{"type": "MoveBody", "name": "a", "position": 1, "angle": null}', "position"),
        ('{"type": "AddLines", "lines": "\\u0000"}', "of another kind"),
        ('{"type": "AddLines", "lines": "\\ud800"}', "of another kind"),
        ('{"type": "AddLines", "lines": "' + "x" * 1_000_001 + '"}', "too long"),
    ],
)
def test_what_is_no_command_is_refused(text: str, says: str) -> None:
    with pytest.raises(DescriptionError, match=says):
        decoded(text)


def test_a_row_of_numbers_has_a_longest_length() -> None:
    fields = {"name": "a", "position": [0] * 65, "angle": None}
    with pytest.raises(DescriptionError, match="position"):
        decoded(json.dumps({"type": "MoveBody", **fields}))


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_any_value_is_read_or_refused(value: object) -> None:
    for field in ("speed", "request", "type"):
        data = {"type": "SetSpeed", "speed": 1.0, field: value}
        try:
            decoded(json.dumps(data))
        except DescriptionError:
            continue


def test_numbers_that_json_has_not_become_null() -> None:
    data = json.loads(encoded(SetSpeed(float("inf"))))
    assert data["speed"] is None


def test_an_answer_carries_its_problems() -> None:
    answer = Answer(3, "wrong", (TextProblem(1, 2, 3, "missing", ""),))
    data = json.loads(encoded(answer))
    assert data["problems"] == [
        {"line": 1, "column": 2, "length": 3, "message": "missing", "expected": ""}
    ]


def test_every_command_has_its_type_in_the_page() -> None:
    text = typescript()
    for command in get_args(Command):
        assert f'  type: "{command.__name__}";' in text
        assert f"| {command.__name__}" in text
