"""The texts that an editor has open, each looked at once for each version."""

from __future__ import annotations

from pathlib import Path

from pygls.uris import from_fs_path, to_fs_path

from armwerk.editors.analysis import Analysis
from armwerk.editors.positions import TextRange, changed, normalised
from armwerk.language import irl
from armwerk.language.parsing.units import ParsedUnit, parse


class OpenText:
    """A text as the editor shows it.

    Args:
        uri: Its address.
        text: Its letters.
        version: Counted by the editor.
    """

    def __init__(self, uri: str, text: str, version: int) -> None:
        self.uri, self.version = uri, version
        self.text = normalised(text).removeprefix("\ufeff")
        found = to_fs_path(uri)
        self.path = Path(found) if found else None

    def change(self, where: TextRange | None, new: str) -> None:
        """Replace letters; None: all of them."""
        self.text = normalised(new) if where is None else changed(self.text, where, new)


class OpenTexts:
    """All open texts by their addresses."""

    def __init__(self) -> None:
        self._texts: dict[str, OpenText] = {}
        self._known: dict[str, Analysis] = {}

    def open(self, text: OpenText) -> list[str]:
        """Take a text in; return others that depend on it."""
        self._texts[text.uri] = text
        return self.forget(text)

    def close(self, uri: str) -> None:
        """Let a text go: its file counts again."""
        text = self._texts.pop(uri, None)
        if text is not None:
            self.forget(text)

    def get(self, uri: str) -> OpenText | None:
        """Return an open text; None: it is not open."""
        return self._texts.get(uri)

    def uris(self) -> list[str]:
        """Return the addresses of all open texts."""
        return list(self._texts)

    def forget(self, text: OpenText) -> list[str]:
        """Forget what is known of a text that has changed; return others that depend on it."""
        self._known.pop(text.uri, None)
        name = "" if text.path is None else str(text.path.resolve())
        users = [
            uri
            for uri, analysis in self._known.items()
            if name and any(_is_file(parsed.source.file, name) for parsed in analysis.units)
        ]
        for uri in users:
            del self._known[uri]
        return [uri for uri in users if uri in self._texts]

    def analysis(self, uri: str) -> Analysis | None:
        """Return what is known of a text; None: it is not open."""
        text = self._texts.get(uri)
        if text is None:
            return None
        if uri not in self._known:
            self._known[uri] = Analysis(text.text, text.path, self._read)
        return self._known[uri]

    def _read(self, path: Path) -> ParsedUnit:
        name = path.resolve()
        for text in self._texts.values():
            if text.path is not None and text.path.resolve() == name:
                return parse(text.text, str(path))
        return irl.read_unit(path)

    def uri(self, file: str) -> str:
        """Return the address of a file."""
        for text in self._texts.values():
            if text.path is not None and _is_file(file, str(text.path.resolve())):
                return text.uri
        return from_fs_path(str(Path(file).resolve())) or ""


def _is_file(file: str, resolved: str) -> bool:
    return bool(file) and str(Path(file).resolve()) == resolved
