"""Programs become trees, and problems are found where they are, several at once."""

from __future__ import annotations

import pytest

from armwerk.language import parse
from armwerk.language.syntax import (
    Assignment,
    BinaryOperation,
    Expression,
    IfStatement,
    LiteralValue,
    MoveStatement,
    NameUse,
    UnaryOperation,
)


def program(statements: str) -> str:
    """Return a program of these statements; they begin in line 2."""
    return f"program p; begin\n{statements}\nendprogram;"


def problems(text: str) -> list[tuple[int, int, str]]:
    """Return line, column and message of every problem."""
    return [(one.line, one.column, one.message) for one in parse(text).source.problems]


def shown(tree: Expression) -> str:
    """Return an expression with all its parentheses."""
    match tree:
        case NameUse(_, name):
            return name
        case LiteralValue(_, value):
            return str(value)
        case UnaryOperation(_, operator, operand):
            return f"({operator} {shown(operand)})"
        case BinaryOperation(_, operator, left, right):
            return f"({shown(left)} {operator} {shown(right)})"
    raise AssertionError(tree)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("-a ** b", "(- (a ** b))"),
        ("a ** b ** c", "(a ** (b ** c))"),
        ("-a * b", "((- a) * b)"),
        ("not a = b and c", "((not (a = b)) and c)"),
        ("a or b and c exor d", "((a or (b and c)) exor d)"),
        ("a + 1 < b * 2 and not c", "(((a + 1) < (b * 2)) and (not c))"),
        ("a div b mod c @ d", "(((a div b) mod c) @ d)"),
        ("a - -b", "(a - (- b))"),
    ],
)
def test_operators_bind_as_the_table_says(text: str, meaning: str) -> None:
    parsed = parse(program(f"x := {text};"))
    assert not parsed.source.problems
    (statement,) = parsed.unit.body
    assert isinstance(statement, Assignment)
    assert shown(statement.value) == meaning


def test_then_do_and_semicolons_behind_ends_may_be_left_out() -> None:
    one = parse(program("if a x; elsif b y; else z; endif while c w; endwhile")).unit.body
    two = parse(program("IF a THEN x; ELSIF b THEN y; ELSE z; ENDIF; WHILE c DO w; ENDWHILE;"))
    assert not two.source.problems
    assert isinstance(one[0], IfStatement)
    assert [type(s) for s in one] == [type(s) for s in two.unit.body]
    assert len(one[0].branches) == 2


def test_every_parameter_of_a_move_is_read() -> None:
    text = (
        "move lin p act_rob := 1 adax_control := 2 c_cp c_cp := 5 c_speed speed_ori := 3 c_pass "
        "speed := 100.0 acc time := 2 until a = 1 error stopit wobble alter_by guide(1, x);"
        "move_inc ptp [p, q] c_ptp := 50 speed_ptp := 10 := 20 acc_ptp;"
        "move circle h, e; move circle path wobble := false; move spline [a, b]; move bezier a, b;"
    )
    parsed = parse(program(text))
    assert not parsed.source.problems
    first, second, *_ = parsed.unit.body
    assert isinstance(first, MoveStatement)
    assert isinstance(second, MoveStatement)
    assert [p.name for p in first.parameters] == [
        "act_rob",
        "adax_control",
        "c_cp",
        "c_cp",
        "c_speed",
        "speed_ori",
        "c_pass",
        "speed",
        "acc",
        "time",
        "until",
        "wobble",
        "alter_by",
    ]
    assert second.is_relative
    assert len(second.parameters[1].values) == 2


@pytest.mark.parametrize(
    ("statements", "column", "message"),
    [
        ("x := 1", 7, "';' is missing"),
        ("x = 1;", 3, "'=' compares"),
        ("if x := 1 y; endif;", 6, "':=' assigns"),
        ("x := ;", 6, "unexpected ';'"),
        ("x := (1 + 2;", 12, "unexpected ';'"),
        ("while a b;", 1, "the 'while' of line 2 is not closed"),
        ("for i := 1 to 3 b; endwhile;", 20, "the 'for' of line 2 is not closed"),
        ("move p;", 6, "the kind of path is missing"),
        ("move lni p;", 6, "did you mean 'lin'?"),
        ("move lin p sped := 3;", 12, "did you mean 'speed'?"),
        ("move lin p speed = 3;", 18, "'=' compares"),
        ("whlie a b; endwhile;", 1, "did you mean 'while'?"),
        ("x := 'abc;", 6, "this text has no end on its line"),
        ("x := 1 < 2 < 3;", 12, "comparisons cannot be chained"),
        ("f(1) := 2;", 1, "a call cannot be assigned to"),
        ("x := a § b;", 8, "the character '§' (U+00A7) is unknown"),
        ("speed := 3;", 1, "the word 'speed' cannot stand here"),
        ("x := 99999999999999;", 6, "this number is too large for an int"),
        ("x := 1e999;", 6, "this number is too large for a real"),
        ("wait 3;", 7, "unexpected ';'"),
        ("else x;", 1, "'else' without what it belongs to"),
        ("x := " + "(" * 90 + "1" + ")" * 90 + ";", 65, "this is nested too deeply"),
    ],
)
def test_a_problem_is_shown_where_it_is(statements: str, column: int, message: str) -> None:
    found = problems(program(statements))
    assert any(place[1] == column and message in place[2] for place in found), found
    assert len(found) <= 2


def test_one_mistake_is_one_problem() -> None:
    mistakes = ("x = 1;", "x := 1", "move lni p;", "for i := 1 to 3 b; endwhile;", "if ( x; endif;")
    for text in mistakes:
        assert len(problems(program(f"{text}\ny := 2;"))) == 1, text


def test_several_problems_are_found_at_once() -> None:
    text = program("x = 1;\nmove p;\nif a := 2\n  y := ;\nendif;\nz := (3;\nw := 4")
    assert [line for line, _, _ in problems(text)] == [2, 3, 4, 5, 7, 8]


def test_declarations() -> None:
    text = """program P;
const real: g = 9.81, h = 2.0; int: n = 3;
type Row = array[1..4, 0..n] of pose; Part = record int: id; Row: places; endrecord;
var Part: a; int: i := 1, j; array[1..3] of real: v;
signal input bool: there at 3; output int: gripper;
import a, b from 'more.irl';
procedure Go(in int: a, b; inout pose: c; out real: d); var int: k; begin k := a; endproc;
function Twice(real: x): real; begin return 2 * x; endfct;
process Watch; begin wait for there timeout 5 sec error Go; endprocess;
begin
  goto ende; case i of when 1, 3..5: j := 1; when 2: j := 2; else j := 3; endcase;
ende: halt;
endprogram"""
    parsed = parse(text)
    assert not parsed.source.problems
    assert [routine.kind for routine in parsed.unit.routines] == [
        "procedure",
        "function",
        "process",
    ]
    assert [len(parameter.names) for parameter in parsed.unit.routines[0].parameters] == [2, 1, 1]
    assert len(parsed.unit.sections) == 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "program",
        "program ;",
        "program p; begin",
        "endprogram",
        "begin endprogram",
        "{",
        "'",
    ],
)
def test_fragments_give_problems(text: str) -> None:
    assert problems(text)


def test_the_page_lists_the_reserved_words() -> None:
    from pathlib import Path

    from armwerk.language.keywords import KEYWORDS

    page = (Path(__file__).parents[2] / "docs" / "irl.md").read_text(encoding="utf-8")
    listed = page.split("```text\n")[1].split("```")[0].split()
    assert listed == sorted(KEYWORDS)
