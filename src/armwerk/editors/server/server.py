"""The language server: one object that holds open texts and arms, and one function a question."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from armwerk import __version__
from armwerk.editors.analysis import Analysis
from armwerk.editors.arms import ArmShelf, named_arms
from armwerk.editors.calls import call_help
from armwerk.editors.completion import complete
from armwerk.editors.hover import PlaceInSpace, hover
from armwerk.editors.outline import folds, outline
from armwerk.editors.renaming import renamable, renamed
from armwerk.editors.server import convert
from armwerk.editors.server.texts import OpenText, OpenTexts
from armwerk.editors.tokens import TOKEN_MODIFIERS, TOKEN_TYPES, encoded
from armwerk.errors import ArmwerkError
from armwerk.language.layout import write
from armwerk.language.linting.text import text_lints
from armwerk.language.linting.warning import Lint

QUIET = 0.3  # [s] without a keystroke before a program is tried on its arms


class PlaceQuestion(Protocol):
    """A question about a place in a text."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class ProgramServer(LanguageServer):
    """Helps an editor with robot programs.

    Args:
        arms: On which programs are tried that name none; from the library, or files.
    """

    def __init__(self, arms: Sequence[str] = ()) -> None:
        super().__init__("armwerk", __version__)
        self.texts = OpenTexts()
        self.shelf = ArmShelf()
        self.arms = tuple(arms)
        self._told: dict[str, set[str]] = {}
        self._moving: dict[str, tuple[list[Lint], str]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def report_server_error(self, error: Exception, source: object) -> None:
        """Write to the editor's log; a window for each would be in the way."""
        self.window_log_message(
            types.LogMessageParams(types.MessageType.Error, f"armwerk: {error}")
        )

    def shutdown(self) -> None:
        """End, and load and try no more arms."""
        self.shelf.close()
        super().shutdown()  # type: ignore[no-untyped-call]  # pygls leaves it untyped

    def set_arms(self, settings: object) -> None:
        """Take arms from settings: ``{"arms": ["puma560"]}``, or inside ``"armwerk"``."""
        if isinstance(settings, Mapping):
            inner = settings.get("armwerk", settings)
            given = inner.get("arms") if isinstance(inner, Mapping) else None
            if isinstance(given, str):
                given = [given]
            if isinstance(given, list | tuple) and all(isinstance(one, str) for one in given):
                self.arms = tuple(given)

    def arms_of(self, analysis: Analysis) -> tuple[str, ...]:
        """Return the arms a program is tried on; a file is looked for beside the program."""
        found = named_arms(analysis.source)
        names = self.arms if found is None else found.names
        if analysis.path is None:
            return names
        beside = [analysis.path.parent / name for name in names]
        return tuple(
            str(path) if Path(name).suffix and path.is_file() else name
            for name, path in zip(names, beside, strict=True)
        )

    # problems

    def look(self, uri: str) -> None:
        """Look at a text that is new or has changed, and tell what is wrong with it."""
        self._moving.pop(uri, None)
        self.tell(uri)
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
        analysis = self.texts.analysis(uri)
        if analysis is None or not self.arms_of(analysis) or analysis.checked is None:
            return
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(QUIET, self._try, uri, analysis)

    def _try(self, uri: str, analysis: Analysis) -> None:
        """Try a program on its arms, in another thread."""
        loop = asyncio.get_running_loop()
        if analysis.checked is None or self.texts.analysis(uri) is not analysis:
            return

        def done(lints: list[Lint], refused: str) -> None:
            loop.call_soon_threadsafe(self._tried, uri, analysis, lints, refused)

        self.shelf.lint(analysis.checked, self.arms_of(analysis), done)

    def _tried(self, uri: str, analysis: Analysis, lints: list[Lint], refused: str) -> None:
        if self.texts.analysis(uri) is analysis:
            self._moving[uri] = (lints, refused)
            self.tell(uri)

    def tell(self, uri: str) -> None:
        """Send all problems and warnings of a text and of the modules it uses."""
        analysis = self.texts.analysis(uri)
        if analysis is None:
            return
        found: dict[str, list[types.Diagnostic]] = {uri: []}
        for unit in range(len(analysis.units)):
            address = uri if unit == analysis.own else self.texts.uri(analysis.file(unit))
            problems = analysis.problems(unit)
            if address == uri or self.texts.get(address) is None:
                found.setdefault(address, []).extend(map(convert.diagnostic, problems))
        lints, refused = self._moving.get(uri, ([], ""))
        texts = [] if analysis.checked is None else text_lints(analysis.checked)
        for lint in [*texts, *lints]:
            address = uri
            if lint.file and lint.file != analysis.file(analysis.own):
                address = self.texts.uri(lint.file)
            if address in found:
                found[address].append(convert.warning(lint))
        if refused:
            found[uri].append(self._refused(analysis, refused))
        for address in self._told.get(uri, set()) - set(found):
            found[address] = []
        self._told[uri] = {address for address, problems in found.items() if problems}
        text = self.texts.get(uri)
        for address, told in found.items():
            version = text.version if text is not None and address == uri else None
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(address, told, version)
            )

    @staticmethod
    def _refused(analysis: Analysis, why: str) -> types.Diagnostic:
        """Return that a program could not be tried, at the comment that names its arms."""
        named = named_arms(analysis.source)
        start = 0 if named is None else named.start
        end = start + (1 if named is None else named.length)
        return types.Diagnostic(
            range=convert.lsp_range(analysis.lines.range(start, end)),
            message=f"the program is not tried on its arms: {why}",
            severity=types.DiagnosticSeverity.Warning,
            source=convert.SOURCE,
            code="arm",
        )

    def closed(self, uri: str) -> None:
        """Let a text go, and its problems with it."""
        self.texts.close(uri)
        self._moving.pop(uri, None)
        for address in {uri, *self._told.pop(uri, set())}:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(address, []))

    # places

    def asked(self, given: PlaceQuestion) -> tuple[Analysis, int] | None:
        """Return what is known of a text, and the offset that a question is about."""
        analysis = self.texts.analysis(given.text_document.uri)
        if analysis is None:
            return None
        return analysis, analysis.lines.offset(convert.to_position(given.position))

    def picture(self, analysis: Analysis, place: PlaceInSpace) -> str:
        """Return a picture of the arm at a place, in markdown; empty: there is no arm."""
        from armwerk.editors.picture import data_uri

        names = self.arms_of(analysis)
        if not names:
            return ""
        svg = self.shelf.picture(names[0], place)
        if svg is None:
            return f"_{names[0]} is being loaded_"
        if not svg:
            return f"_{names[0]} does not reach this_"
        return f"![{names[0]}]({data_uri(svg)})"


def make_server(arms: Sequence[str] = ()) -> ProgramServer:
    """Return a server that answers all questions.

    Args:
        arms: On which programs are tried that name none.
    """
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_worth_logging)
    server = ProgramServer(arms)
    _add_texts(server)
    _add_names(server)
    _add_help(server)
    _add_shape(server)
    return server


def _add_texts(server: ProgramServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(given: types.InitializeParams) -> None:
        server.set_arms(given.initialization_options)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configure(given: types.DidChangeConfigurationParams) -> None:
        server.set_arms(given.settings)
        for uri in server.texts.uris():
            server.look(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(given: types.DidOpenTextDocumentParams) -> None:
        item = given.text_document
        others = server.texts.open(OpenText(item.uri, item.text, item.version))
        server.look(item.uri)
        for uri in others:
            server.look(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(given: types.DidChangeTextDocumentParams) -> None:
        text = server.texts.get(given.text_document.uri)
        if text is None:
            return
        for change in given.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                text.change(convert.to_range(change.range), change.text)
            else:
                text.change(None, change.text)
        text.version = given.text_document.version
        others = server.texts.forget(text)
        server.look(text.uri)
        for uri in others:
            server.look(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(given: types.DidCloseTextDocumentParams) -> None:
        server.closed(given.text_document.uri)


def _add_names(server: ProgramServer) -> None:
    def address(analysis: Analysis, uri: str, unit: int) -> str:
        return uri if unit == analysis.own else server.texts.uri(analysis.file(unit))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(given: types.DefinitionParams) -> types.Location | None:
        asked = server.asked(given)
        if asked is None:
            return None
        analysis, offset = asked
        at = analysis.word_at(offset)
        if at is None or analysis.in_comment(offset):
            return None
        file = analysis.imported(at)
        if file is not None:
            start = types.Position(0, 0)
            return types.Location(from_fs_path(str(file)) or "", types.Range(start, start))
        one = analysis.declared(analysis.own, at)
        if one is None:
            return None
        uri = address(analysis, given.text_document.uri, one.unit)
        return convert.place(analysis, uri, one.unit, one.at)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(given: types.ReferenceParams) -> list[types.Location]:
        asked = server.asked(given)
        one = None if asked is None else renamable(*asked)
        if asked is None or one is None:
            return []
        return [
            convert.place(asked[0], address(asked[0], given.text_document.uri, unit), unit, at)
            for unit, at in asked[0].uses(one)
            if given.context.include_declaration or (unit, at) != (one.unit, one.at)
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(given: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        asked = server.asked(given)
        one = None if asked is None else renamable(*asked)
        if asked is None or one is None:
            return []
        places = [at for unit, at in asked[0].uses(one) if unit == asked[0].own]
        return [
            types.DocumentHighlight(convert.lsp_range(asked[0].range(asked[0].own, at)))
            for at in places
        ]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(given: types.PrepareRenameParams) -> types.Range | None:
        asked = server.asked(given)
        if asked is None or renamable(*asked) is None:
            return None
        at = asked[0].word_at(asked[1])
        return None if at is None else convert.lsp_range(asked[0].range(asked[0].own, at))

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(given: types.RenameParams) -> types.WorkspaceEdit | None:
        asked = server.asked(given)
        one = None if asked is None else renamable(*asked)
        if asked is None or one is None:
            return None
        try:
            places = renamed(asked[0], one, given.new_name)
        except ArmwerkError as error:
            raise Refusal(str(error)) from None
        return types.WorkspaceEdit(
            changes={
                address(asked[0], given.text_document.uri, unit): [
                    types.TextEdit(convert.lsp_range(where), given.new_name) for where in ranges
                ]
                for unit, ranges in places.items()
            }
        )


class Refusal(JsonRpcException):
    """Tells the editor why a question has no answer.

    Args:
        message: Why.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, types.LSPErrorCodes.RequestFailed.value)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether a log entry is a fault; refusals are answers."""
    return not (record.exc_info and isinstance(record.exc_info[1], Refusal))


def _add_help(server: ProgramServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def show(given: types.HoverParams) -> types.Hover | None:
        asked = server.asked(given)
        found = None if asked is None else hover(*asked)
        if asked is None or found is None:
            return None
        parts = [f"```irl\n{found.code}\n```", found.text]
        if found.place is not None:
            parts.append(server.picture(asked[0], found.place))
        text = "\n\n".join(part for part in parts if part)
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, convert.lsp_range(found.range))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."])
    )
    def propose(given: types.CompletionParams) -> types.CompletionList:
        asked = server.asked(given)
        found = [] if asked is None else complete(*asked)
        snippets = _takes_snippets(server)
        items = [
            convert.proposal(one, snippets) for one in found if snippets or one.kind != "snippet"
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        types.SignatureHelpOptions(trigger_characters=["(", ","]),
    )
    def call(given: types.SignatureHelpParams) -> types.SignatureHelp | None:
        asked = server.asked(given)
        found = None if asked is None else call_help(*asked)
        return None if found is None else convert.signature(found)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    def mend(given: types.CodeActionParams) -> list[types.CodeAction]:
        uri = given.text_document.uri
        found = []
        for problem in given.context.diagnostics:
            guess = convert.GUESS.search(problem.message)
            if guess and problem.source == convert.SOURCE:
                edit = types.WorkspaceEdit({uri: [types.TextEdit(problem.range, guess[1])]})
                found.append(
                    types.CodeAction(
                        f"Write '{guess[1]}'",
                        types.CodeActionKind.QuickFix,
                        [problem],
                        is_preferred=True,
                        edit=edit,
                    )
                )
        return found


def _takes_snippets(server: ProgramServer) -> bool:
    texts = server.client_capabilities.text_document
    item = None if texts is None or texts.completion is None else texts.completion.completion_item
    return bool(item and item.snippet_support)


def _add_shape(server: ProgramServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(given: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        analysis = server.texts.analysis(given.text_document.uri)
        return [] if analysis is None else [convert.symbol(item) for item in outline(analysis)]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(given: types.FoldingRangeParams) -> list[types.FoldingRange]:
        analysis = server.texts.analysis(given.text_document.uri)
        comment = types.FoldingRangeKind.Comment
        return [
            types.FoldingRange(one.first, one.last, kind=comment if one.is_comment else None)
            for one in ([] if analysis is None else folds(analysis))
        ]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def tidy(given: types.DocumentFormattingParams) -> list[types.TextEdit]:
        analysis = server.texts.analysis(given.text_document.uri)
        if analysis is None:
            return []
        if analysis.syntax[analysis.own]:
            problem = analysis.syntax[analysis.own][0]
            raise Refusal(f"line {problem.line}: {problem.message}; mend it first")
        new = write(analysis.units[analysis.own])
        if new == analysis.text:
            return []
        return [types.TextEdit(convert.lsp_range(analysis.lines.whole), new)]

    @server.feature(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.SemanticTokensLegend(TOKEN_TYPES, TOKEN_MODIFIERS),
    )
    def colours(given: types.SemanticTokensParams) -> types.SemanticTokens:
        analysis = server.texts.analysis(given.text_document.uri)
        return types.SemanticTokens([] if analysis is None else encoded(analysis))
