"""Robot programs in IRL: what comes in is text, what goes out is problems and motions.

From text to motion, in the order of the work:

    source, keywords               words with their places; problems with line, column and caret
    parsing, syntax                the syntax tree
    layout                         the tree's text in one form
    types, operators, arithmetic, frames      what values are and what can be done with them
    checking, code                 types, and instructions with jumps between them
    running                        instructions at work, on a machine: robots, signals, a clock
    debugging                      runs stopped anywhere and turned back
    linting                        warnings: what runs and yet is a danger
    exporting                      programs in the languages of three makers
    importing                      the same, in the subset that is written, read back
    irl                            programs as users hold them

Lengths are millimetres and angles degrees, as IRL has them; the room hands out metres and radians.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
