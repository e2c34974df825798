"""An editor asks, through pipes, and is answered."""

from __future__ import annotations

import base64
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from language_client import Editor, Json, inside, read_message, rows, text_of, write_message

from armwerk.language import formatted

PROGRAM = """program Pick; { Größe 😀 }
type
  part = record int: number; pose: place; endrecord;
const
  real: height = 2 * 25.0;
var
  { where it waits }
  pose: home := ((400, 100, 300), orizyx(0, 180, 0));
  array[1..3] of part: parts;
  int: i, count;
procedure fetch(in pose: p; inout int: n);
var
  int: count;
begin
  move lin p speed := 100;
  count := n;
  n := count + 1;
endproc;
begin
  for i := 1 to 3
    /* 😀 */ parts[i].number := i;
    fetch(home, count);
    move ptp home;
    again:
    writeln(parts[i].place.pos.x + sqrt(height));
  endfor;
endprogram;
""".replace("/*", "{").replace("*/", "}")
LINES = PROGRAM.split("\n")


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Return an editor with a server that many tests use."""
    with Editor(tmp_path_factory.mktemp("editor")) as one:
        yield one


def spot(text: str, word: str, skip: int = 0) -> tuple[int, int]:
    """Return line and UTF-16 column of a word, after so many other ones."""
    start = -1
    for _ in range(skip + 1):
        start = text.index(word, start + 1)
    line = text.count("\n", 0, start)
    column = text[text.rfind("\n", 0, start) + 1 : start]
    return line, len(column.encode("utf-16-le")) // 2


def cut(text: str, where: Json) -> str:
    """Return the letters of a range, counted as UTF-16 counts."""
    lines = text.split("\n")
    start, end = inside(where, "start"), inside(where, "end")
    assert inside(start, "line") == inside(end, "line")
    line = lines[int(str(inside(start, "line")))].encode("utf-16-le")
    first, last = (2 * int(str(inside(side, "character"))) for side in (start, end))
    return line[first:last].decode("utf-16-le")


def applied(text: str, edits: Json) -> str:
    """Return a text after edits, the last first."""
    lines = text.split("\n")
    for edit in sorted(rows(edits), key=lambda one: str(sort_key(one)), reverse=True):
        (a, b), (c, d) = sort_key(edit)
        head = lines[a].encode("utf-16-le")[: 2 * b].decode("utf-16-le")
        tail = lines[c].encode("utf-16-le")[2 * d :].decode("utf-16-le")
        lines[a : c + 1] = (head + text_of(edit, "newText") + tail).split("\n")
    return "\n".join(lines)


def sort_key(edit: Json) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the places an edit lies between."""
    places = []
    for side in ("start", "end"):
        place = inside(edit, "range", side)
        places.append((int(str(inside(place, "line"))), int(str(inside(place, "character")))))
    return places[0], places[1]


def test_a_right_program_has_no_mistakes(editor: Editor) -> None:
    assert not [one for one in editor.open("right.irl", PROGRAM) if inside(one, "severity") == 1]


def test_mistakes_are_told_at_each_keystroke(editor: Editor) -> None:
    editor.open("typed.irl", PROGRAM)
    line, column = spot(PROGRAM, "number := i")
    editor.change("typed.irl", (line, column), (line, column + 6), "numbr")
    (problem,) = [one for one in editor.told("typed.irl") if inside(one, "severity") == 1]
    assert "did you mean 'number'?" in text_of(problem, "message")
    changed = PROGRAM.replace("number := i", "numbr := i")
    assert cut(changed, inside(problem, "range")) == "numbr"
    actions = editor.ask(
        "textDocument/codeAction",
        editor.whole(
            "typed.irl", range=inside(problem, "range"), context={"diagnostics": [problem]}
        ),
    )
    edits = inside(actions, 0, "edit", "changes", editor.uri("typed.irl"))
    assert applied(changed, edits) == PROGRAM
    for letter in range(5):
        editor.change("typed.irl", (line, column + 4 - letter), (line, column + 5 - letter), "")
    editor.change("typed.irl", (line, column), (line, column), "number")
    assert not [one for one in editor.told("typed.irl") if inside(one, "severity") == 1]


def test_dangers_are_told_as_warnings(editor: Editor) -> None:
    text = (
        "program P;\nsignal input bool: there;\nbegin\n  wait for there;\n  halt;\n"
        "  writeln(1);\nendprogram;"
    )
    found = {str(inside(one, "code")): one for one in editor.open("danger.irl", text)}
    assert set(found) == {"time-out", "dead code"}
    assert inside(found["time-out"], "severity") == 2
    assert inside(found["dead code"], "tags") == [1]


def hover_text(editor: Editor, name: str, text: str, word: str, skip: int = 0) -> str:
    """Return what is shown beside a word."""
    found = editor.ask("textDocument/hover", editor.at(name, *spot(text, word, skip)))
    return "" if found is None else text_of(found, "contents", "value")


def test_hover_tells_type_value_and_comment(editor: Editor) -> None:
    editor.open("hover.irl", PROGRAM)
    shown = [
        hover_text(editor, "hover.irl", PROGRAM, *word)
        for word in (("home",), ("height", 1), ("fetch", 1), ("number :=",), ("sqrt",), ("lin",))
    ]
    assert "var pose: home := ((400, 100, 300), orizyx(0, 180, 0));" in shown[0]
    assert "where it waits" in shown[0]
    assert "const real: height = 50;" in shown[1]
    assert "procedure fetch(in pose: p; inout int: n)" in shown[2]
    assert "int: part.number" in shown[3]
    assert "sqrt(real): real" in shown[4]
    assert "straight line" in shown[5]
    assert hover_text(editor, "hover.irl", PROGRAM, "Größe") == ""


def test_a_local_name_hides_a_global_one(editor: Editor) -> None:
    editor.open("local.irl", PROGRAM)
    inner, outer = spot(PROGRAM, "count := n"), spot(PROGRAM, "count);")
    places = [
        editor.ask("textDocument/definition", editor.at("local.irl", *place))
        for place in (inner, outer)
    ]
    assert inside(places[0], "range", "start", "line") == spot(PROGRAM, "count;\nbegin")[0]
    assert inside(places[1], "range", "start", "line") == spot(PROGRAM, "count;\nprocedure")[0]


def labels(editor: Editor, name: str, line: int, column: int) -> list[str]:
    """Return what is proposed, the nearest first."""
    found = rows(
        inside(editor.ask("textDocument/completion", editor.at(name, line, column)), "items")
    )
    found.sort(key=lambda one: text_of(one, "sortText"))
    return [text_of(one, "label") for one in found]


def test_completion_knows_fields_names_and_words(editor: Editor) -> None:
    editor.open("complete.irl", PROGRAM)
    line, column = spot(PROGRAM, "number := i")
    assert labels(editor, "complete.irl", line, column) == ["number", "place"]
    line, column = spot(PROGRAM, "pos.x")
    assert labels(editor, "complete.irl", line, column + 4) == ["x", "y", "z"]
    editor.change("complete.irl", (19, 0), (19, 0), "  move lin parts[2].\n")
    assert labels(editor, "complete.irl", 19, 20) == ["number", "place"]
    editor.change("complete.irl", (19, 0), (19, 20), "  move ")
    assert labels(editor, "complete.irl", 19, 7) == ["bezier", "circle", "lin", "ptp", "spline"]
    editor.change("complete.irl", (19, 0), (19, 7), "  move lin home sp")
    assert labels(editor, "complete.irl", 19, 18)[:3] == ["speed", "speed_ori", "speed_ptp"]
    editor.change("complete.irl", (19, 0), (19, 18), "  goto ")
    assert labels(editor, "complete.irl", 19, 7) == ["again"]
    editor.change("complete.irl", (19, 0), (19, 7), "  fe")
    assert labels(editor, "complete.irl", 19, 4)[0] == "fetch"
    editor.change("complete.irl", (19, 0), (19, 4), "  for")
    items = rows(
        inside(editor.ask("textDocument/completion", editor.at("complete.irl", 19, 5)), "items")
    )
    snippets = [one for one in items if inside(one, "kind") == 15]
    assert "endfor" in text_of(snippets[0], "insertText")
    editor.change("complete.irl", (19, 0), (19, 5), "  { for")
    assert labels(editor, "complete.irl", 19, 7) == []


def test_signatures_follow_the_arguments(editor: Editor) -> None:
    editor.open("call.irl", PROGRAM)
    line, column = spot(PROGRAM, "fetch(home")
    first = editor.ask("textDocument/signatureHelp", editor.at("call.irl", line, column + 6))
    second = editor.ask("textDocument/signatureHelp", editor.at("call.irl", line, column + 13))
    assert text_of(first, "signatures", 0, "label") == "fetch(in pose: p; inout int: n)"
    assert (inside(first, "activeParameter"), inside(second, "activeParameter")) == (0, 1)
    line, column = spot(PROGRAM, "orizyx(0, 180")
    inner = editor.ask("textDocument/signatureHelp", editor.at("call.irl", line, column + 12))
    assert text_of(inner, "signatures", 0, "label") == "orizyx(real; real; real): orientation"
    assert inside(inner, "activeParameter") == 1


def test_references_and_renaming_keep_to_their_scope(editor: Editor) -> None:
    editor.open("rename.irl", PROGRAM)
    place = spot(PROGRAM, "count);")
    found = rows(
        editor.ask(
            "textDocument/references",
            editor.at("rename.irl", *place, context={"includeDeclaration": True}),
        )
    )
    assert len(found) == 2
    edits = editor.ask("textDocument/rename", editor.at("rename.irl", *place, newName="Teile"))
    new = applied(PROGRAM, inside(edits, "changes", editor.uri("rename.irl")))
    assert new == PROGRAM.replace("int: i, count", "int: i, Teile").replace(
        "(home, count)", "(home, Teile)"
    )
    place = spot(PROGRAM, "number :=")  # behind an emoji
    edits = editor.ask("textDocument/rename", editor.at("rename.irl", *place, newName="nummer"))
    new = applied(PROGRAM, inside(edits, "changes", editor.uri("rename.irl")))
    assert new == PROGRAM.replace("number", "nummer")


@pytest.mark.parametrize(
    ("word", "new", "said"),
    [
        ("home", "count", "declared in line 10 already"),
        ("count := n", "home", "declared in line"),
        ("home", "while", "reserved"),
        ("home", "2nd", "is no name"),
        ("home", "r_tool", "known to every program"),
    ],
)
def test_names_that_cannot_be_given(editor: Editor, word: str, new: str, said: str) -> None:
    text = PROGRAM.replace("count := n;", "count := n; move lin home;")
    editor.open("clash.irl", text)
    message = editor.request(
        "textDocument/rename", editor.at("clash.irl", *spot(text, word), newName=new)
    )
    assert said in text_of(message, "error", "message")


def test_the_outline_and_folds(editor: Editor) -> None:
    editor.open("outline.irl", PROGRAM)
    (whole,) = rows(editor.ask("textDocument/documentSymbol", editor.whole("outline.irl")))
    names = [text_of(one, "name") for one in rows(inside(whole, "children"))]
    assert names == ["part", "height", "home", "parts", "i", "count", "fetch"]
    folds = [
        (inside(one, "startLine"), inside(one, "endLine"))
        for one in rows(editor.ask("textDocument/foldingRange", editor.whole("outline.irl")))
    ]
    start, end = spot(PROGRAM, "for i")[0], spot(PROGRAM, "endfor")[0]
    assert (start, end - 1) in folds
    assert (spot(PROGRAM, "procedure")[0], spot(PROGRAM, "endproc")[0] - 1) in folds


def test_formatting_gives_the_one_form(editor: Editor) -> None:
    text = "PROGRAM  P ;\nVAR int:a ; { 😀 }\nBEGIN a:=1 ;\n a:= a+1;ENDPROGRAM ;"
    editor.open("form.irl", text)
    options: Json = {"tabSize": 2, "insertSpaces": True}
    edits = editor.ask("textDocument/formatting", editor.whole("form.irl", options=options))
    assert applied(text, edits) == formatted(text)
    editor.replace("form.irl", formatted(text))
    assert editor.ask("textDocument/formatting", editor.whole("form.irl", options=options)) == []
    editor.replace("form.irl", "program P; begin if")
    message = editor.request("textDocument/formatting", editor.whole("form.irl", options=options))
    assert "mend it first" in text_of(message, "error", "message")


def test_colours_stand_where_their_words_do(editor: Editor) -> None:
    editor.open("colour.irl", PROGRAM)
    data = rows(
        inside(editor.ask("textDocument/semanticTokens/full", editor.whole("colour.irl")), "data")
    )
    legend = inside(editor.capabilities, "semanticTokensProvider", "legend", "tokenTypes")
    line = column = 0
    found: dict[str, set[str]] = {}
    for index in range(0, len(data), 5):
        down, right, length, kind, _ = (int(str(number)) for number in data[index : index + 5])
        line, column = line + down, right if down else column + right
        word = LINES[line].encode("utf-16-le")[2 * column : 2 * (column + length)]
        found.setdefault(word.decode("utf-16-le"), set()).add(text_of(legend, kind))
    assert found["number"] == {"property"}
    assert found["fetch"] == {"function"}
    assert found["p"] == {"parameter"}
    assert found["move"] == {"keyword"}
    assert found["{ Größe 😀 }"] == {"comment"}
    assert found["part"] == {"type"}
    assert found["again"] == {"label"}


def test_a_module_is_followed_and_told_of(editor: Editor) -> None:
    (editor.folder / "hand.decl").write_text(
        "module Hand;\nvar int: grip;\nprocedure close_hand;\nbegin\n  grip := 1;\nendproc;\n"
        "endmodule;\n",
        encoding="utf-8",
    )
    text = "program P;\nimport 'hand.decl';\nbegin\n  close_hand;\n  grip := 2;\nendprogram;\n"
    assert not [one for one in editor.open("uses.irl", text) if inside(one, "severity") == 1]
    place = editor.ask("textDocument/definition", editor.at("uses.irl", 3, 5))
    assert text_of(place, "uri") == editor.uri("hand.decl")
    assert inside(place, "range", "start", "line") == 2
    file = editor.ask("textDocument/definition", editor.at("uses.irl", 1, 12))
    assert text_of(file, "uri") == editor.uri("hand.decl")
    edits = editor.ask("textDocument/rename", editor.at("uses.irl", 4, 3, newName="grasp"))
    changes = inside(edits, "changes")
    assert isinstance(changes, dict)
    assert set(changes) == {editor.uri("hand.decl"), editor.uri("uses.irl")}
    editor.open("hand.decl", "module Hand;\nvar int: grip;\nendmodule;\n")
    problem = editor.wait_for("uses.irl", "close_hand")
    assert "not declared" in text_of(problem, 0, "message")


def test_half_a_program_is_answered_too(editor: Editor) -> None:
    editor.open("half.irl", "")
    for end in range(0, len(PROGRAM), 23):
        editor.replace("half.irl", PROGRAM[:end])
        line = PROGRAM.count("\n", 0, end)
        editor.ask("textDocument/completion", editor.at("half.irl", line, 99))
        editor.ask("textDocument/semanticTokens/full", editor.whole("half.irl"))


def test_questions_about_texts_that_are_not_open(editor: Editor) -> None:
    assert editor.ask("textDocument/hover", editor.at("nobody.irl", 3, 3)) is None
    assert editor.ask("textDocument/documentSymbol", editor.whole("nobody.irl")) == []


def test_windows_line_ends_count_as_one(editor: Editor) -> None:
    editor.open("windows.irl", PROGRAM.replace("\n", "\r\n"))
    line, column = spot(PROGRAM, "number :=")
    editor.change("windows.irl", (line, column), (line, column + 6), "place.pos.x")
    found = editor.told("windows.irl")
    assert not [one for one in found if inside(one, "severity") == 1]


def test_arms_are_named_in_the_text_and_tried_beside_the_answers(tmp_path: Path) -> None:
    text = (
        "{ arm: scara }\nprogram P;\nvar\n"
        "  position: near := (300, 100, 200), far := (3000, 0, 0);\n"
        "  joint: rest := joint(10, 20, 0, 0);\nbegin\n"
        "  move ptp rest;\n  move ptp far;\nendprogram;\n"
    )
    with Editor(tmp_path, options={"arms": ["no_such_arm"]}) as editor:
        editor.open("arm.irl", text)
        found = editor.wait_for("arm.irl", "reach")
        (problem,) = [one for one in found if inside(one, "code") == "unreachable"]
        assert inside(problem, "range", "start", "line") == 7
        shown = hover_text(editor, "arm.irl", text, "rest;")
        (address,) = re.findall(r"data:image/svg\+xml;base64,([^)]*)", shown)
        picture = ElementTree.fromstring(base64.b64decode(address))
        assert len(picture.findall("{http://www.w3.org/2000/svg}circle")) >= 4
        assert "does not reach" in hover_text(editor, "arm.irl", text, "far;")
        editor.replace("arm.irl", text.replace("{ arm: scara }", ""))
        found = editor.wait_for("arm.irl", "no_such_arm")
        assert "scara" in text_of(found, -1, "message")
        settings: Json = {"armwerk": {"arms": "scara"}}
        editor.tell("workspace/didChangeConfiguration", {"settings": settings})
        editor.wait_for("arm.irl", "reach")


def test_a_server_by_tcp_ends_with_its_editor(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "armwerk", "language-server", "--tcp", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        with (
            socket.create_connection(("127.0.0.1", port), timeout=60) as connection,
            connection.makefile("rb") as heard,
            connection.makefile("wb") as said,
        ):
            start: Json = {"processId": None, "rootUri": None, "capabilities": {}}
            write_message(
                said, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start}
            )
            assert inside(read_message(heard), "result", "capabilities", "hoverProvider") is True
            write_message(said, {"jsonrpc": "2.0", "id": 2, "method": "shutdown"})
            assert inside(read_message(heard), "id") == 2
            write_message(said, {"jsonrpc": "2.0", "method": "exit"})
        assert server.wait(timeout=60) == 0
        assert "Traceback" not in server.stderr.read()
