"""Our answers in the words of the protocol."""

from __future__ import annotations

import re

from lsprotocol import types

from armwerk.editors.analysis import Analysis, DeclaredKind
from armwerk.editors.calls import CallHelp
from armwerk.editors.completion import CompletionProposal, ProposalKind
from armwerk.editors.outline import OutlineItem
from armwerk.editors.positions import TextPosition, TextRange, units
from armwerk.errors import Problem
from armwerk.language.linting.warning import Lint

SOURCE = "armwerk"
_SYMBOLS: dict[DeclaredKind, types.SymbolKind] = {
    "variable": types.SymbolKind.Variable,
    "constant": types.SymbolKind.Constant,
    "type": types.SymbolKind.Struct,
    "signal": types.SymbolKind.Event,
    "parameter": types.SymbolKind.Variable,
    "procedure": types.SymbolKind.Function,
    "function": types.SymbolKind.Function,
    "process": types.SymbolKind.Function,
    "field": types.SymbolKind.Field,
    "label": types.SymbolKind.Key,
    "program": types.SymbolKind.Module,
}
_PROPOSALS: dict[ProposalKind, types.CompletionItemKind] = {
    "variable": types.CompletionItemKind.Variable,
    "constant": types.CompletionItemKind.Constant,
    "type": types.CompletionItemKind.Struct,
    "function": types.CompletionItemKind.Function,
    "procedure": types.CompletionItemKind.Function,
    "process": types.CompletionItemKind.Function,
    "field": types.CompletionItemKind.Field,
    "keyword": types.CompletionItemKind.Keyword,
    "snippet": types.CompletionItemKind.Snippet,
    "label": types.CompletionItemKind.Reference,
    "signal": types.CompletionItemKind.Event,
    "parameter": types.CompletionItemKind.Variable,
    "program": types.CompletionItemKind.Module,
}
GUESS = re.compile(r"did you mean '(\w+)'\?")


def to_position(position: types.Position) -> TextPosition:
    """Return a place of the protocol as ours."""
    return TextPosition(position.line, position.character)


def to_range(where: types.Range) -> TextRange:
    """Return a stretch of the protocol as ours."""
    return TextRange(to_position(where.start), to_position(where.end))


def lsp_range(where: TextRange) -> types.Range:
    """Return a stretch as the protocol has it."""
    return types.Range(types.Position(*where.start), types.Position(*where.end))


def _problem_range(problem: Problem) -> types.Range:
    line = problem.line - 1
    start = units(problem.source[: problem.column - 1])
    end = start + units(problem.source[problem.column - 1 :][: problem.length])
    return types.Range(types.Position(line, start), types.Position(line, max(end, start + 1)))


def diagnostic(problem: Problem) -> types.Diagnostic:
    """Return a mistake."""
    hint = f" (expected {problem.expected})" if problem.expected else ""
    return types.Diagnostic(
        range=_problem_range(problem),
        message=problem.message + hint,
        severity=types.DiagnosticSeverity.Error,
        source=SOURCE,
        code="mistake",
    )


def warning(lint: Lint) -> types.Diagnostic:
    """Return a danger."""
    hidden = [types.DiagnosticTag.Unnecessary] if lint.kind == "dead code" else None
    return types.Diagnostic(
        range=_problem_range(lint.problem),
        message=lint.problem.message,
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
        code=lint.kind,
        tags=hidden,
    )


def symbol(item: OutlineItem) -> types.DocumentSymbol:
    """Return a part of the outline."""
    return types.DocumentSymbol(
        name=item.name,
        kind=_SYMBOLS[item.kind],
        range=lsp_range(item.range),
        selection_range=lsp_range(item.selection),
        detail=item.detail,
        children=[symbol(child) for child in item.children],
    )


def proposal(one: CompletionProposal, with_snippets: bool) -> types.CompletionItem:
    """Return a proposal."""
    is_snippet = bool(one.snippet) and with_snippets
    return types.CompletionItem(
        label=one.label,
        kind=_PROPOSALS[one.kind],
        detail=one.detail or None,
        documentation=one.text or None,
        sort_text=f"{one.rank}{one.label.lower()}",
        insert_text=one.snippet if is_snippet else None,
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else None,
    )


def signature(found: CallHelp) -> types.SignatureHelp:
    """Return what is known of a call."""
    return types.SignatureHelp(
        signatures=[
            types.SignatureInformation(
                label=head.label,
                documentation=head.text or None,
                parameters=[types.ParameterInformation(label=part) for part in head.parameters],
            )
            for head in found.heads
        ],
        active_signature=found.active,
        active_parameter=found.parameter,
    )


def place(analysis: Analysis, uri: str, unit: int, at: int) -> types.Location:
    """Return where a word stands."""
    return types.Location(uri, lsp_range(analysis.range(unit, at)))
