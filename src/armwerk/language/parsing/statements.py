"""Statements: blocks, branches, loops, assignments and calls; after a problem reading goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

from armwerk.language.keywords import (
    CLOSERS,
    ENDS,
    KEYWORDS,
    MOVE_PARAMETERS,
    PATH_KINDS,
    ROUTINES,
    SECTIONS,
    STATEMENT_WORDS,
    nearest_word,
)
from armwerk.language.parsing.expressions import MOST_NESTED, ExpressionParser, SyntaxProblem
from armwerk.language.source import SourceText
from armwerk.language.syntax import (
    Assignment,
    Branch,
    CallStatement,
    CaseChoice,
    CaseLabel,
    CaseStatement,
    Expression,
    ForStatement,
    GotoStatement,
    IfStatement,
    LabelStatement,
    MoveParameter,
    MoveStatement,
    NameUse,
    RepeatStatement,
    ReturnStatement,
    Statement,
    WaitForStatement,
    WaitTimeStatement,
    WhileStatement,
    WordStatement,
    WriteStatement,
)

_BLOCK_WORDS = frozenset({*CLOSERS, "else", "elsif", "when", *ROUTINES, "program", "module"})
_RESUME = STATEMENT_WORDS | _BLOCK_WORDS | SECTIONS | {"begin"}
_OPTIONAL = frozenset(
    [
        "c_ptp",
        "c_cp",
        "c_speed",
        "c_ori",
        "c_pass",
        "wobble",
        "speed",
        "speed_ptp",
        "speed_ori",
        "acc",
        "acc_ptp",
    ]
)
_SELECTING = frozenset({".", "["})


class StatementParser(ExpressionParser):
    """Reads statements, and remembers how far in each line of the program's layout begins."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.depth = 0
        self.layout: dict[int, int] = {}
        self._readers: dict[str, Callable[[int], Statement]] = {
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "repeat": self._repeat,
            "case": self._case,
            "return": self._return,
            "goto": self._goto,
            "move": self._move,
            "move_inc": self._move,
            "wait": self._wait,
            "write": self._write,
            "writeln": self._write,
            "pause": self._word,
            "halt": self._word,
            "start": self._word,
            "stop": self._word,
        }

    def semicolon(self) -> None:
        """Pass a semicolon; where it is forgotten, say so and go on as if it stood there."""
        if self.words[self.at] == ";":
            self.at += 1
            return
        word = self.words[self.at]
        if word == "" or word in _RESUME or self.source.ends_line(self.at - 1):
            self.source.report_after(self.at - 1, "';' is missing", "';'")
            return
        self.unexpected("';'")

    def statements(self) -> tuple[Statement, ...]:
        """Read statements up to a word that ends or parts a block."""
        found: list[Statement] = []
        words, layout, depth, nested = self.words, self.layout, self.depth, self.nested
        while True:
            at = self.at
            word = words[at]
            if word in _BLOCK_WORDS or not word:
                return tuple(found)
            layout[at] = depth
            try:
                reader = self._readers.get(word)
                found.append(reader(at) if reader else self._named(at, word))
            except SyntaxProblem:
                self.depth, self.nested = depth, nested
                self._recover(at)

    def _recover(self, start: int) -> None:
        """Go to where the next statement may begin."""
        words = self.words
        at = max(self.at, start)
        while words[at] and words[at] != ";" and (words[at] not in _RESUME or at == start):
            at += 1
        self.at = at + 1 if words[at] == ";" else at

    def block(self) -> tuple[Statement, ...]:
        """Read the statements of a block one level further in."""
        self.nested += 1
        if self.nested > MOST_NESTED:
            self.fail("blocks are nested too deeply", f"at most {MOST_NESTED} levels")
        self.depth += 1
        body = self.statements()
        self.depth -= 1
        self.nested -= 1
        return body

    def close(self, opener: str, start: int) -> int:
        """Pass the word that closes a block, and return its index; a missing one is reported."""
        word = self.words[self.at]
        end = self.at
        if word in ENDS[opener]:
            self.layout[end] = self.depth
            self.at += 1
            if self.words[self.at] == ";":
                self.at += 1
            return end
        line = self.source.line(start)
        wanted = f"'{ENDS[opener][0]}'"
        if not word:
            self.source.report(start, f"this '{opener}' has no end", wanted)
        else:
            message = f"'{word}' cannot stand here: the '{opener}' of line {line} is not closed"
            self.source.report(end, message, wanted)
        if word in CLOSERS and self._closes_nothing(word):
            self.at += 1  # a wrong word for the right end
            if self.words[self.at] == ";":
                self.at += 1
        return end

    def _closes_nothing(self, word: str) -> bool:
        return self.depth == 0 or word not in self._open_ends

    @property
    def _open_ends(self) -> set[str]:
        return {end for opener in self.openers[:-1] for end in ENDS[opener]}

    openers: tuple[str, ...] = ()

    def _named(self, at: int, word: str) -> Statement:
        """Read what begins with a name: assignment, call or label."""
        words = self.words
        following = words[at + 1]
        if word in KEYWORDS or not (word[0].isalpha() or word[0] == "_") or not word.isascii():
            self.unexpected("a statement")
        self.at = at + 1
        if following == ":=":
            self.at = at + 2
            value = self.expression()
            self.semicolon()
            return Assignment(at, NameUse(at, word), value)
        if following == "(":
            arguments = self.arguments()
            if words[self.at] == ":=" or words[self.at] in _SELECTING:
                self.fail("a call cannot be assigned to", "a variable", at)
            self.semicolon()
            return CallStatement(at, word, arguments)
        if following in _SELECTING:
            target = self.selectors(NameUse(at, word))
            if words[self.at] == "=":
                self.fail("'=' compares", "':=' to assign")
            self.take(":=")
            value = self.expression()
            self.semicolon()
            return Assignment(at, target, value)
        if following == ":":
            self.at = at + 2
            return LabelStatement(at, word)
        if following == "=":
            self.at = at + 1
            self.fail("'=' compares", "':=' to assign")
        if following != ";":
            guess = nearest_word(word, STATEMENT_WORDS | CLOSERS | {"else", "elsif", "when"})
            if guess:
                spelled = self.source.spelling(at)
                self.fail(f"unexpected '{spelled}'; did you mean '{guess}'?", "a statement", at)
        self.semicolon()
        return CallStatement(at, word, ())

    def _open(self, opener: str) -> tuple[str, ...]:
        before = self.openers
        self.openers = (*before, opener)
        return before

    def _if(self, at: int) -> IfStatement:
        before = self._open("if")
        branches = []
        start = at
        while True:
            self.at += 1
            condition = self.condition("then")
            branches.append(Branch(start, condition, self.block()))
            start = self.at
            if self.words[start] != "elsif":
                break
            self.layout[start] = self.depth
        otherwise: tuple[Statement, ...] = ()
        if self.words[self.at] == "else":
            self.layout[self.at] = self.depth
            self.at += 1
            otherwise = self.block()
        self.close("if", at)
        self.openers = before
        return IfStatement(at, tuple(branches), otherwise)

    def condition(self, word: str) -> Expression:
        """Read a condition, and the word that may stand behind it."""
        try:
            value = self.expression()
            if self.words[self.at] == ":=":
                self.fail("':=' assigns", "'=' to compare")
        except SyntaxProblem:
            # the block behind it is read all the same, so that its end is not taken for a mistake
            line = self.source.line(self.at)
            stops = {word, "", ";", *_RESUME}
            while self.words[self.at] not in stops and self.source.line(self.at) == line:
                self.at += 1
            value = NameUse(self.at, "?")
        if self.words[self.at] == word:
            self.at += 1
        return value

    def _for(self, at: int) -> ForStatement:
        before = self._open("for")
        self.at += 1
        start = self.at
        try:
            variable = NameUse(start, self.name("the variable that counts"))
            self.take(":=")
            first = self.expression()
            word = self.words[self.at]
            if word not in ("to", "downto"):
                self.unexpected("'to' or 'downto'")
            self.at += 1
            last = self.expression()
            step = None
            if self.words[self.at] == "step":
                self.at += 1
                step = self.expression()
        except SyntaxProblem:
            line = self.source.line(start)
            while self.words[self.at] not in ("do", "") and self.source.line(self.at) == line:
                self.at += 1
            variable, first, last = (NameUse(start, "?"),) * 3
            word, step = "to", None
        if self.words[self.at] == "do":
            self.at += 1
        body = self.block()
        self.close("for", at)
        self.openers = before
        return ForStatement(at, variable, first, last, step, word == "downto", body)

    def _while(self, at: int) -> WhileStatement:
        before = self._open("while")
        self.at += 1
        condition = self.condition("do")
        body = self.block()
        self.close("while", at)
        self.openers = before
        return WhileStatement(at, condition, body)

    def _repeat(self, at: int) -> RepeatStatement:
        before = self._open("repeat")
        self.at += 1
        body = self.block()
        end = self.close("repeat", at)
        self.openers = before
        condition: Expression = NameUse(end, "?")
        if self.words[end] == "until":
            condition = self.expression()
            self.semicolon()
        return RepeatStatement(at, body, condition, end)

    def _case(self, at: int) -> CaseStatement:
        before = self._open("case")
        self.at += 1
        value = self.condition("of")
        choices = []
        self.depth += 1
        while self.words[self.at] == "when":
            start = self.at
            self.layout[start] = self.depth
            self.at += 1
            labels = [self._case_label()]
            while self.words[self.at] == ",":
                self.at += 1
                labels.append(self._case_label())
            self.take(":")
            choices.append(CaseChoice(start, tuple(labels), self.block()))
        if not choices and self.words[self.at] not in ("else", "endcase"):
            self.depth -= 1
            self.openers = before
            self.unexpected("'when'")
        otherwise: tuple[Statement, ...] = ()
        has_else = self.words[self.at] == "else"
        if has_else:
            self.layout[self.at] = self.depth
            self.at += 1
            otherwise = self.block()
        self.depth -= 1
        self.close("case", at)
        self.openers = before
        return CaseStatement(at, value, tuple(choices), otherwise, has_else)

    def _case_label(self) -> CaseLabel:
        at = self.at
        low = self.expression()
        high = None
        if self.words[self.at] == "..":
            self.at += 1
            high = self.expression()
        return CaseLabel(at, low, high)

    def _return(self, at: int) -> ReturnStatement:
        self.at += 1
        value = None
        word = self.words[self.at]
        if word != ";" and word not in _RESUME:
            value = self.expression()
        self.semicolon()
        return ReturnStatement(at, value)

    def _goto(self, at: int) -> GotoStatement:
        self.at += 1
        label = self.name("a label")
        self.semicolon()
        return GotoStatement(at, label)

    def _move(self, at: int) -> MoveStatement:
        relative = self.words[at] == "move_inc"
        kind = self.words[at + 1]
        self.at = at + 1
        if kind not in PATH_KINDS:
            hint = self.near(kind, PATH_KINDS)
            self.fail(
                f"the kind of path is missing{hint}", "'ptp', 'lin' or 'circle'; 'bezier', 'spline'"
            )
        self.at = at + 2
        targets = [self.expression()]
        while self.words[self.at] == ",":
            self.at += 1
            targets.append(self.expression())
        parameters = []
        while self.words[self.at] in MOVE_PARAMETERS:
            parameters.append(self._move_parameter())
        if self.words[self.at] not in (";", "") and not self.source.ends_line(self.at - 1):
            hint = self.near(self.words[self.at], MOVE_PARAMETERS)
            if hint:
                spelled = self.source.spelling(self.at)
                self.fail(f"unexpected '{spelled}'{hint}", "a parameter of the move or ';'")
        self.semicolon()
        path = cast(Literal["ptp", "lin", "circle", "bezier", "spline"], kind)
        return MoveStatement(at, relative, path, tuple(targets), tuple(parameters))

    def _move_parameter(self) -> MoveParameter:
        at = self.at
        name = self.words[at]
        self.at = at + 1
        if name == "until":
            condition = self.expression()
            action = None
            if self.words[self.at] == "error":
                self.at += 1
                action = self._action()
            return MoveParameter(at, name, (condition,), action)
        if name == "alter_by":
            return MoveParameter(at, name, (), self._action())
        values = []
        if self.words[self.at] == "=":
            self.fail("'=' compares", "':='")
        while self.words[self.at] == ":=":
            self.at += 1
            values.append(self.expression())
        if not values and name not in _OPTIONAL:
            self.unexpected(f"':=' and a value of '{name}'")
        return MoveParameter(at, name, tuple(values), None)

    def _action(self) -> CallStatement:
        at = self.at
        name = self.name("the name of a procedure")
        arguments = self.arguments() if self.words[self.at] == "(" else ()
        return CallStatement(at, name, arguments)

    def _wait(self, at: int) -> WaitTimeStatement | WaitForStatement:
        self.at += 1
        if self.words[self.at] != "for":
            seconds = self.expression()
            if self.words[self.at] != "sec":
                self.unexpected("'sec'")
            self.at += 1
            self.semicolon()
            return WaitTimeStatement(at, seconds)
        self.at += 1
        condition = self.expression()
        timeout = action = None
        if self.words[self.at] == "timeout":
            self.at += 1
            timeout = self.expression()
            self.take("sec")
            if self.words[self.at] == "error":
                self.at += 1
                action = self._action()
        self.semicolon()
        return WaitForStatement(at, condition, timeout, action)

    def _write(self, at: int) -> WriteStatement:
        ends_line = self.words[at] == "writeln"
        self.at += 1
        arguments: tuple[Expression, ...] = ()
        if self.words[self.at] == "(":
            arguments = self.arguments()
        self.semicolon()
        return WriteStatement(at, ends_line, arguments)

    def _word(self, at: int) -> WordStatement:
        word = cast(Literal["pause", "halt", "start", "stop"], self.words[at])
        self.at += 1
        name, place = "", self.at
        if word in ("start", "stop"):
            name = self.name("the name of a process")
        self.semicolon()
        return WordStatement(at, word, name, place)
