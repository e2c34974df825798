"""Derivations of arms for the page: model after model, and as files."""

from __future__ import annotations

import base64
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.protocol.deriving import (
    DerivationStage,
    DerivedFile,
    DerivedFiles,
    DerivedFormat,
    DerivedLine,
    DerivedModel,
)
from armwerk.robot.arm import Arm
from armwerk.studio.desks.arm_form import read_arm

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation
    from armwerk.derivation.emit.sheets import SheetLine

_KEPT = 3


class _Shelved:
    """A derivation; whoever works with it holds its lock."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.working = threading.Lock()
        self.models: dict[str, DerivedModel] = {}


class DerivationShelf:
    """Keeps the latest derivations: what has been derived is not derived again."""

    def __init__(self) -> None:
        self._shelved: OrderedDict[str, _Shelved] = OrderedDict()
        self._keeping = threading.Lock()

    def derived(self, text: str, stage: DerivationStage) -> DerivedModel:
        """Return one model, step by step.

        Raises:
            ArmwerkError: When the description is wrong or cannot be derived; says why.
        """
        one = self._find(text)
        with one.working:
            if stage not in one.models:
                begin = time.perf_counter()
                lines = tuple(DerivedLine(*line) for line in _sheet(stage)(one.derivation))
                one.models[stage] = DerivedModel(stage, lines, time.perf_counter() - begin)
            return one.models[stage]

    def written(self, text: str, written: DerivedFormat) -> DerivedFiles:
        """Return a derivation as files.

        Raises:
            ArmwerkError: Likewise, and for C and Python of an arm with symbols, or a PDF where
                there is no pdflatex.
        """
        from armwerk.derivation.emit.files import texts

        one = self._find(text)
        with one.working:
            found = texts(one.derivation, ("latex" if written == "pdf" else written,))
        if written != "pdf":
            return DerivedFiles(tuple(DerivedFile(*pair) for pair in found.items()))
        return DerivedFiles((_pdf(*next(iter(found.items()))),))

    def _find(self, text: str) -> _Shelved:
        from armwerk.derivation import derive

        with self._keeping:
            if text in self._shelved:
                self._shelved.move_to_end(text)
                return self._shelved[text]
            arm, _, problems = read_arm(text)
            if arm is None:
                raise DescriptionError(problems[0].message, line=problems[0].line or None)
            if not isinstance(arm, Arm):
                raise UnsupportedError(
                    "an assembly of parts is not derived: only serial arms have rows"
                )
            self._shelved[text] = made = _Shelved(derive(arm))
            while len(self._shelved) > _KEPT:
                self._shelved.popitem(last=False)
            return made


def _sheet(stage: DerivationStage) -> Callable[[Derivation], list[SheetLine]]:
    from armwerk.derivation.emit import sheets

    return {
        "direct": sheets.direct_sheet,
        "equations": sheets.equations_sheet,
        "inverse": sheets.inverse_sheet,
        "velocity": sheets.velocity_sheet,
        "dynamics": sheets.dynamics_sheet,
        "operations": sheets.operations_sheet,
    }[stage]


def _pdf(name: str, document: str) -> DerivedFile:
    from armwerk.derivation.emit.printing import make_pdf, pdflatex

    pdflatex()  # refuses before anything is written
    with tempfile.TemporaryDirectory(prefix="armwerk-") as folder:
        source = Path(folder) / name
        source.write_text(document, encoding="utf-8")
        made = make_pdf(source)
        return DerivedFile(made.name, base64.b64encode(made.read_bytes()).decode())
