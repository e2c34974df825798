"""The reserved words of IRL, and what each of them can begin or end."""

from __future__ import annotations

from difflib import get_close_matches

PROGRAM_ENDINGS = (".irl", ".mod", ".src", ".script")
"""Of files that hold a robot program: IRL, RAPID, KRL, URScript."""
MOVE_PARAMETERS = frozenset(
    [
        "act_rob",
        "adax_control",
        "device",
        "c_ptp",
        "c_cp",
        "c_speed",
        "c_ori",
        "c_pass",
        "speed",
        "speed_ptp",
        "speed_ori",
        "acc",
        "acc_ptp",
        "time",
        "until",
        "wobble",
        "alter_by",
    ]
)
PATH_KINDS = frozenset(["ptp", "lin", "circle", "bezier", "spline"])
SECTIONS = frozenset(["var", "const", "type", "signal", "import"])
ROUTINES = frozenset(["procedure", "function", "process"])
ENDS = {
    "program": ("endprogram",),
    "module": ("endmodule",),
    "procedure": ("endproc", "endprocedure"),
    "function": ("endfct", "endfunction"),
    "process": ("endprocess",),
    "record": ("endrecord",),
    "if": ("endif",),
    "for": ("endfor",),
    "while": ("endwhile",),
    "repeat": ("until",),
    "case": ("endcase",),
}
"""The words that close what a word opens; the first is the one that is written."""
CLOSERS = frozenset(word for words in ENDS.values() for word in words)
STATEMENT_WORDS = frozenset(
    [
        "if",
        "for",
        "while",
        "repeat",
        "case",
        "return",
        "goto",
        "move",
        "move_inc",
        "wait",
        "write",
        "writeln",
        "pause",
        "halt",
        "start",
        "stop",
    ]
)
OPERATOR_WORDS = frozenset(["and", "or", "exor", "not", "div", "mod"])
KEYWORDS = frozenset(
    {
        *MOVE_PARAMETERS,
        *PATH_KINDS,
        *SECTIONS,
        *ROUTINES,
        *ENDS,
        *CLOSERS,
        *STATEMENT_WORDS,
        *OPERATOR_WORDS,
        *[
            "begin",
            "then",
            "elsif",
            "else",
            "do",
            "to",
            "downto",
            "step",
            "of",
            "when",
            "in",
            "out",
            "inout",
            "input",
            "output",
            "at",
            "array",
            "from",
            "sec",
            "timeout",
            "error",
            "true",
            "false",
        ],
    }
)
"""None of these can be the name of anything."""


def nearest_word(word: str, words: frozenset[str] | list[str]) -> str:
    """Return the word that was probably meant; empty: none is near."""
    close = get_close_matches(word, sorted(words), n=1, cutoff=0.65)
    return close[0] if close else ""
