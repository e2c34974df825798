"""The program view in a real browser: mistakes, run, step forwards and back, breakpoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Visitor
from playwright.sync_api import Browser
from viewer import studio

from armwerk.studio import StudioServer

READY = "window.armwerk && armwerk.greeted"
DRAWN = "window.armwerkProgram && armwerkProgram.drawn > 0"
PROGRAM = """program Count;
var int: n;
begin
  move ptp ((350, 0, 250), orizyx(0, 180, 0));
  for n := 1 to 3
    move_inc lin (0, 20, 0);
  endfor;
  writeln('n is ', n);
endprogram;
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudioServer]:
    """A cell in the background."""
    with studio(tmp_path) as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: StudioServer) -> Iterator[Visitor]:
    """Somebody who has opened the program view."""
    visitor = Visitor(browser, server.url, (1200, 750))
    visitor.until(READY)
    visitor.page.click("#tab-program")
    visitor.until(DRAWN, 120)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def put(visitor: Visitor, text: str) -> None:
    """Write a program."""
    visitor.page.evaluate("text => armwerkProgram.put(text)", text)


def text(visitor: Visitor, selector: str) -> str:
    """Return what an element says."""
    return visitor.page.text_content(selector) or ""


def test_mistakes_are_marked_where_they_are(visitor: Visitor) -> None:
    put(visitor, PROGRAM.replace("move ptp", "move pttp"))
    visitor.until("document.querySelector('#program-problems').textContent.includes('line 4')")
    assert "did you mean 'ptp'" in text(visitor, "#program-problems")
    shadow = "document.querySelector('#program-editor').shadowRoot"
    marks = f"{shadow}.querySelectorAll('.cm-lintRange-error')"
    assert visitor.until(f"{marks}.length")
    visitor.page.locator("#program-problems button").first.click()
    put(visitor, PROGRAM)
    visitor.until(f"{marks}.length === 0")
    visitor.until("document.querySelector('#program-problems').textContent.includes('never set')")


def test_a_run_is_stepped_forwards_and_back(visitor: Visitor) -> None:
    put(visitor, PROGRAM)
    visitor.page.click("#program-step")
    visitor.until("armwerkProgram.steps > 0", 120)
    lines = [visitor.page.evaluate("armwerkProgram.line")]
    for _ in range(3):
        visitor.page.click("#program-step")
        lines.append(visitor.page.evaluate("armwerkProgram.line"))
    assert lines == [4, 5, 6, 5]
    assert visitor.page.locator("#program-values tr").all_text_contents() == ["n1"]
    visitor.page.click("#program-step")
    assert visitor.page.locator("#program-values tr.changed").all_text_contents() == ["n2"]
    for _ in range(3):
        visitor.page.click("#program-back")
    assert visitor.page.evaluate("armwerkProgram.line") == 5
    assert visitor.page.locator("#program-values tr").all_text_contents() == ["n0"]
    shadow = "document.querySelector('#program-editor').shadowRoot"
    shown = visitor.page.evaluate(f"{shadow}.querySelector('.cm-present').textContent")
    assert shown.strip() == "for n := 1 to 3"


def test_a_run_stops_at_breakpoints_and_at_its_end(visitor: Visitor) -> None:
    put(visitor, PROGRAM)
    visitor.page.evaluate("armwerkProgram.stopAt(8)")
    visitor.page.click("#program-run")
    visitor.until("armwerkProgram.line === 8 && !armwerkProgram.plays", 120)
    assert text(visitor, "#program-console") == ""
    visitor.picture("program")
    visitor.page.click("#program-run")
    visitor.until("armwerkProgram.at === armwerkProgram.steps - 1 && !armwerkProgram.plays")
    assert text(visitor, "#program-console") == "n is 3\n"
    assert "done after" in text(visitor, "#program-said")


def test_what_cannot_be_driven_is_told_with_its_line(visitor: Visitor) -> None:
    put(visitor, PROGRAM.replace("(0, 20, 0)", "(0, 2000, 0)"))
    visitor.page.click("#program-run")
    visitor.until(
        "document.querySelector('#program-problem').textContent.startsWith('line 6')", 120
    )
    assert "out of reach" in text(visitor, "#program-problem")


def test_a_program_is_tidied_exported_and_saved(visitor: Visitor, tmp_path: Path) -> None:
    put(visitor, PROGRAM.replace("  move", "move"))
    visitor.page.click("#program-tidy")
    visitor.until("armwerkProgram.text.includes('\\n  move ptp')")
    visitor.page.click("#program-krl")
    visitor.until("document.querySelector('#program-export').textContent.includes('DEF Count')")
    visitor.page.fill("[aria-label='File to save program to']", "count.irl")
    visitor.page.press("[aria-label='File to save program to']", "Enter")
    visitor.until("document.querySelector('#messages').textContent.includes('count.irl')")
    assert (tmp_path / "count.irl").read_text(encoding="utf-8").startswith("program Count;")


def test_what_was_written_survives_a_reload(visitor: Visitor) -> None:
    put(visitor, PROGRAM)
    visitor.page.reload()
    visitor.until(DRAWN, 60)
    assert visitor.page.evaluate("armwerkProgram.text") == PROGRAM


def test_words_and_names_are_completed(visitor: Visitor) -> None:
    put(visitor, PROGRAM.replace("int: n", "int: n, parcels"))
    offered = (
        "[...document.querySelector('#program-editor').shadowRoot"
        ".querySelectorAll('.cm-completionLabel')].map(one => one.textContent)"
    )
    visitor.page.locator("#program-editor .cm-content").click()
    visitor.page.keyboard.press("Control+End")
    visitor.page.keyboard.type("parc")
    visitor.until(f"{offered}.includes('parcels')")
    visitor.page.wait_for_timeout(200)  # an answer that comes at once is not taken by mistake
    visitor.page.keyboard.press("Enter")
    visitor.until("armwerkProgram.text.endsWith('parcels')")
    visitor.page.keyboard.type(" := dist")
    visitor.until(f"{offered}.includes('distance')")
    visitor.page.keyboard.press("Escape")
    visitor.page.keyboard.type("; { dist")
    visitor.page.wait_for_timeout(300)
    assert visitor.page.evaluate(offered) == []  # a comment means what it says
