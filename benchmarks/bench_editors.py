"""Editors: how long answers take on a program of a thousand lines, asked through the protocol."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_language import PROGRAM
from measure import Row

from armwerk.language import irl
from armwerk.language.debugging.debugger import Breakpoint, ProgramPlace

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "editors"))

from debug_client import Debuggee, timed
from language_client import Editor, Json

ANSWER, STOP = 50.0, 10.0  # [ms] what was promised
LINE = PROGRAM.count("\n") // 2
LOOP = """program Loop;
var int: i, sum;
begin
  for i := 1 to 1000000
    sum := (sum + i) mod 1000;
  endfor;
endprogram;
"""


def run() -> list[Row]:
    """Measure every question, and stops of a program that runs."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_questions(Path(folder)), *_stops(Path(folder))]


def _busy(process: int) -> float:
    """Return how long a program has been at work [s]; without Linux's clock, what the wall says."""
    try:
        tasks = list(Path(f"/proc/{process}/task").glob("*/schedstat"))
        return 1e-9 * sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)
    except OSError:
        return time.perf_counter()


def _quickest(act: Callable[[], object], process: int, repeats: int = 15) -> float:
    """Return the least time that a program was at work for an answer [ms]: others may be busy."""
    times = []
    for _ in range(repeats):
        begin = _busy(process)
        act()
        times.append(_busy(process) - begin)
    return 1e3 * min(times)


def _questions(folder: Path) -> list[Row]:
    text = PROGRAM.replace("{ places }", "{ Plätze 😀 }")
    lines = text.split("\n")
    row = next(k for k in range(LINE, len(lines)) if "lay.pos := lay.pos" in lines[k])
    column = lines[row].index("lay")
    options: Json = {"tabSize": 2, "insertSpaces": True}
    with Editor(folder) as editor:
        editor.open("big.irl", text)
        server = editor.piped.process.pid

        def key() -> None:
            editor.change("big.irl", (row, column), (row, column), " ")
            editor.told("big.irl")
            editor.change("big.irl", (row, column), (row, column + 1), "")
            editor.told("big.irl")

        def asking(method: str, params: Json) -> float:
            return _quickest(lambda: editor.ask(f"textDocument/{method}", params), server)

        here = editor.at("big.irl", row, column + 1)
        whole = editor.whole("big.irl")
        times = {
            "mistakes after a keystroke": _quickest(key, server) / 2,
            "hover": asking("hover", here),
            "completion of a name": asking("completion", editor.at("big.irl", row, column)),
            "completion of a field": asking("completion", editor.at("big.irl", row, column + 4)),
            "definition": asking("definition", here),
            "references": asking(
                "references",
                editor.at("big.irl", row, column + 1, context={"includeDeclaration": True}),
            ),
            "renaming": asking("rename", editor.at("big.irl", row, column + 1, newName="put")),
            "outline": asking("documentSymbol", whole),
            "folding": asking("foldingRange", whole),
            "formatting": asking("formatting", editor.whole("big.irl", options=options)),
            "colours": asking("semanticTokens/full", whole),
        }
    note = f"{len(lines) - 1} lines; time at work"
    return [
        Row(what, time_taken, "promise", ANSWER, "ms", wanted=1.0, note=note)
        for what, time_taken in times.items()
    ]


def _stops(folder: Path) -> list[Row]:
    with Debuggee(folder, LOOP) as debuggee:
        debuggee.begin(5)
        debuggee.stop()
        hit = 1e3 * min(timed(debuggee, ["continue"] * 30))
        step = 1e3 * min(timed(debuggee, ["next"] * 30))
        debuggee.breakpoints({"line": 5, "condition": "i = 200000"})
        debuggee.go("continue")
        back = 1e3 * min(timed(debuggee, ["stepBack"] * 10))
    program = irl.loads(LOOP)
    begin = time.process_time()
    program.interpreter().run()
    plain = time.process_time() - begin
    debugger = program.debugger()
    place = debugger.breakpoint_at(ProgramPlace(0, 6))
    assert place is not None
    debugger.set_stops([Breakpoint(place[0] + 100, lambda process: False)])
    begin = time.process_time()
    debugger.resume()
    watched = time.process_time() - begin
    return [
        Row("a breakpoint is hit", hit, "promise", STOP, "ms", wanted=1.0, note="there and back"),
        Row("a step", step, "promise", STOP, "ms", wanted=1.0, note="there and back"),
        Row("a step back", back, unit="ms", note="200,000 turns of a loop in"),
        Row(
            "statements a second in the debugger",
            debugger.count / watched,
            "without it",
            debugger.count / plain,
            "1/s",
            lower_is_better=False,
        ),
    ]
