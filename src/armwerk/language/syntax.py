"""The syntax tree of a program: frozen nodes, each with the word it stands at.

``at`` is the index of a word of the `SourceText`; names are in small letters.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias


class LiteralValue(NamedTuple):
    """A number, a text, or true or false."""

    at: int
    value: int | float | str | bool


class NameUse(NamedTuple):
    """A name where a value is wanted."""

    at: int
    name: str


class Indexed(NamedTuple):
    """``array[1, 2]``; ``at`` is the bracket."""

    at: int
    array: Expression
    indices: tuple[Expression, ...]


class Selected(NamedTuple):
    """``record.field``; ``at`` is the field."""

    at: int
    record: Expression
    field: str


class UnaryOperation(NamedTuple):
    """``-a``, ``+a``, ``not a``."""

    at: int
    operator: str
    operand: Expression


class BinaryOperation(NamedTuple):
    """``a + b``; ``at`` is the operator."""

    at: int
    operator: str
    left: Expression
    right: Expression


class CallExpression(NamedTuple):
    """``name(a, b)``."""

    at: int
    name: str
    arguments: tuple[Expression, ...]


class Aggregate(NamedTuple):
    """``(a, b, c)``: the fields of a record one after the other."""

    at: int
    items: tuple[Expression, ...]


class PointList(NamedTuple):
    """``[a, b, c]``: the elements of an array, or the points of a path."""

    at: int
    items: tuple[Expression, ...]


Expression: TypeAlias = (
    LiteralValue
    | NameUse
    | Indexed
    | Selected
    | UnaryOperation
    | BinaryOperation
    | CallExpression
    | Aggregate
    | PointList
)


class TypeName(NamedTuple):
    """A type by its name."""

    at: int
    name: str


class ArrayForm(NamedTuple):
    """``array[1..4, 1..3] of pose``."""

    at: int
    ranges: tuple[tuple[Expression, Expression], ...]
    element: TypeForm


class RecordForm(NamedTuple):
    """``record int: n; pose: p; endrecord``."""

    at: int
    items: tuple[VariableItem, ...]


TypeForm: TypeAlias = TypeName | ArrayForm | RecordForm


class DeclaredName(NamedTuple):
    """A name that is declared, with its first value or the channel of a signal."""

    at: int
    name: str
    value: Expression | None


class VariableItem(NamedTuple):
    """``pose: a, b := …;``: what ``var`` and records hold."""

    at: int
    form: TypeForm
    names: tuple[DeclaredName, ...]


class VariableSection(NamedTuple):
    """``var …``."""

    at: int
    items: tuple[VariableItem, ...]


class ConstantItem(NamedTuple):
    """``real: g = 9.81;``."""

    at: int
    form: TypeForm
    names: tuple[DeclaredName, ...]


class ConstantSection(NamedTuple):
    """``const …``."""

    at: int
    items: tuple[ConstantItem, ...]


class TypeItem(NamedTuple):
    """``name = type;``."""

    at: int
    name: str
    form: TypeForm


class TypeSection(NamedTuple):
    """``type …``."""

    at: int
    items: tuple[TypeItem, ...]


class SignalItem(NamedTuple):
    """``input bool: part_there at 3;``."""

    at: int
    is_output: bool
    form: TypeForm
    names: tuple[DeclaredName, ...]


class SignalSection(NamedTuple):
    """``signal …``."""

    at: int
    items: tuple[SignalItem, ...]


class ImportSection(NamedTuple):
    """``import a, b from 'file';``; no names: all of them."""

    at: int
    names: tuple[DeclaredName, ...]
    file: str
    file_at: int


Section: TypeAlias = VariableSection | ConstantSection | TypeSection | SignalSection | ImportSection
Mode: TypeAlias = Literal["in", "out", "inout"]


class Parameter(NamedTuple):
    """``inout pose: a, b`` in the head of a procedure or function."""

    at: int
    mode: Mode
    form: TypeForm
    names: tuple[DeclaredName, ...]


class Routine(NamedTuple):
    """A procedure, function or process."""

    at: int
    kind: Literal["procedure", "function", "process"]
    name: str
    name_at: int
    parameters: tuple[Parameter, ...]
    result: TypeForm | None
    sections: tuple[Section, ...]
    body: tuple[Statement, ...]
    end: int


class Assignment(NamedTuple):
    """``target := value;``."""

    at: int
    target: Expression
    value: Expression


class CallStatement(NamedTuple):
    """``name(a, b);``."""

    at: int
    name: str
    arguments: tuple[Expression, ...]


class Branch(NamedTuple):
    """A condition and what is done when it holds."""

    at: int
    condition: Expression
    body: tuple[Statement, ...]


class IfStatement(NamedTuple):
    """``if … elsif … else … endif``."""

    at: int
    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...]


class ForStatement(NamedTuple):
    """``for i := a to b step s … endfor``."""

    at: int
    variable: NameUse
    first: Expression
    last: Expression
    step: Expression | None
    is_down: bool
    body: tuple[Statement, ...]


class WhileStatement(NamedTuple):
    """``while … endwhile``."""

    at: int
    condition: Expression
    body: tuple[Statement, ...]


class RepeatStatement(NamedTuple):
    """``repeat … until …``."""

    at: int
    body: tuple[Statement, ...]
    condition: Expression
    until: int


class CaseLabel(NamedTuple):
    """A value, or a range of values."""

    at: int
    low: Expression
    high: Expression | None


class CaseChoice(NamedTuple):
    """``when 1, 3..5: …``."""

    at: int
    labels: tuple[CaseLabel, ...]
    body: tuple[Statement, ...]


class CaseStatement(NamedTuple):
    """``case … when … else … endcase``."""

    at: int
    value: Expression
    choices: tuple[CaseChoice, ...]
    otherwise: tuple[Statement, ...]
    has_else: bool


class ReturnStatement(NamedTuple):
    """``return;`` or ``return value;``."""

    at: int
    value: Expression | None


class GotoStatement(NamedTuple):
    """``goto label;``."""

    at: int
    label: str


class LabelStatement(NamedTuple):
    """``label:``."""

    at: int
    label: str


class MoveParameter(NamedTuple):
    """One parameter of a move: ``name``, ``name := value``, a condition or a call."""

    at: int
    name: str
    values: tuple[Expression, ...]
    action: CallStatement | None


class MoveStatement(NamedTuple):
    """``move lin p speed := 100;``."""

    at: int
    is_relative: bool
    kind: Literal["ptp", "lin", "circle", "bezier", "spline"]
    targets: tuple[Expression, ...]
    parameters: tuple[MoveParameter, ...]


class WaitTimeStatement(NamedTuple):
    """``wait 0.5 sec;``."""

    at: int
    seconds: Expression


class WaitForStatement(NamedTuple):
    """``wait for condition timeout 5 sec error procedure;``."""

    at: int
    condition: Expression
    timeout: Expression | None
    action: CallStatement | None


class WriteStatement(NamedTuple):
    """``write(…);`` or ``writeln(…);``."""

    at: int
    ends_line: bool
    arguments: tuple[Expression, ...]


class WordStatement(NamedTuple):
    """``pause;``, ``halt;``, ``start name;`` or ``stop name;``."""

    at: int
    word: Literal["pause", "halt", "start", "stop"]
    name: str
    name_at: int


Statement: TypeAlias = (
    Assignment
    | CallStatement
    | IfStatement
    | ForStatement
    | WhileStatement
    | RepeatStatement
    | CaseStatement
    | ReturnStatement
    | GotoStatement
    | LabelStatement
    | MoveStatement
    | WaitTimeStatement
    | WaitForStatement
    | WriteStatement
    | WordStatement
)


class Unit(NamedTuple):
    """A program, or a module of declarations that is loaded beside one."""

    at: int
    kind: Literal["program", "module"]
    name: str
    name_at: int
    sections: tuple[Section, ...]
    routines: tuple[Routine, ...]
    body: tuple[Statement, ...]
    end: int
