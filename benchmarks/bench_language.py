"""Robot programs: parsing, checking, and statements a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

from measure import Row

from armwerk.language import irl, parse
from armwerk.language.checking.units import check

HEAD = """program Big;
var pose: take, lay, up, down; int: x, xn, y, yn; bool: full; position: dx, dy;
signal output int: gripper;
begin
"""
BODY = """  move ptp up;
  gripper := 1;
  while not full and xn > 0
    for y := 1 to yn
      for x := 1 to xn { places }
        move ptp up;
        move lin take speed := 100.0;
        gripper := 0; { take }
        move lin up speed := 100.0 c_cp := 5;
        move ptp down;
        if x mod 2 = 0 then
          move lin lay;
        else
          lay.pos := lay.pos + dx * 0.5;
        endif;
        down.pos := down.pos + dx;
      endfor;
      down.pos := down.pos - (xn - 1) * dx + dy;
    endfor;
  endwhile;
"""
PROGRAM = HEAD + BODY * 50 + "endprogram;\n"
LOOP = """program Loop; var int: i, x; real: r; begin
while i < 100000 i := i + 1; x := x + i mod 7; r := r + 0.5 * x; endwhile; endprogram;"""
GRAMMAR = r"""
start: "program" NAME ";" section* "begin" statement* "endprogram" ";"
section: "var" item+ | "signal" ("output" item)+
item: NAME ":" NAME ("," NAME)* ";"
?statement: target ":=" sum ";" -> assign
  | "move" KIND target parameter* ";" -> move
  | "while" test statement* "endwhile" ";" -> while
  | "for" NAME ":=" sum "to" sum statement* "endfor" ";" -> for
  | "if" test "then" statement* ("else" statement*)? "endif" ";" -> if
parameter: PARAMETER ":=" sum
target: NAME ("." NAME)*
?test: both
?both: negated ("and" negated)*
?negated: "not" negated | compared
?compared: sum (COMPARE sum)?
?sum: product (SIGN product)*
?product: value (TIMES value)*
?value: NUMBER | target | "(" sum ")"
KIND.2: "ptp" | "lin"
PARAMETER.2: "speed" | "c_cp"
COMPARE: "=" | "<" | ">"
SIGN: "+" | "-"
TIMES.2: "*" | "mod"
NAME: /(?!(WORDS)\b)[a-z_]\w*/i
NUMBER: /\d+(\.\d+)?/
%ignore /\s+/
%ignore /\{[^}]*\}/
"""
WORDS = (
    "program begin endprogram var signal output move while endwhile for to endfor if then else "
    "endif and not mod ptp lin speed c_cp"
)


def run() -> list[Row]:
    """Measure a program of a thousand lines against lark's LALR parser of the same subset."""
    lines = PROGRAM.count("\n")
    ours = _quickest(lambda: parse(PROGRAM))
    checking = min(_checking() for _ in range(15))
    theirs = None
    if find_spec("lark") is not None:
        from lark import Lark

        peer = Lark(GRAMMAR.replace("WORDS", WORDS.replace(" ", "|")), parser="lalr")
        theirs = 1e3 * _quickest(lambda: peer.parse(PROGRAM))
    else:
        sys.stderr.write("lark is not installed: nothing to compare with\n")
    note = f"{lines} lines"
    program = irl.loads(LOOP)
    run = program.interpreter()
    seconds = _quickest(lambda: program.interpreter().run(), 5)
    run.run()
    return [
        Row("parsing", 1e3 * ours, "lark LALR", theirs, "ms", wanted=4.0, note=note),
        Row("checking", 1e3 * checking, "lark LALR", theirs, "ms", wanted=4.0, note=note),
        Row(
            "simple statements a second",
            run.count / seconds,
            "promise",
            300_000.0,
            "1/s",
            lower_is_better=False,
            wanted=1.0,
        ),
    ]


def _quickest(act: Callable[[], object], repeats: int = 15) -> float:
    """Return the least processor time of several runs [s]."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        act()
        times.append(time.process_time() - start)
    return min(times)


def _checking() -> float:
    parsed = parse(PROGRAM)
    start = time.process_time()
    program, problems = check([parsed])
    assert program is not None, problems
    return time.process_time() - start
