"""Arms that programs are tried on, loaded and used beside the answers.

An arm is named by a comment in the text, ``{ arm: puma560 }``, by a setting of the editor, or on
the command line, whichever comes first.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from armwerk.editors.hover import PlaceInSpace
from armwerk.errors import ArmwerkError
from armwerk.language.linting.warning import Lint
from armwerk.language.source import SourceText

if TYPE_CHECKING:
    from armwerk.language.code import CheckedProgram
    from armwerk.mechanics import ArmModel

_COMMENT = re.compile(r"^(?:\{|\(\*|//)\s*arms?:\s*([^{}*]*?)\s*(?:\}|\*\)|$)", re.IGNORECASE)


class NamedArms(NamedTuple):
    """Arms that a comment names.

    Attributes:
        names: From the library, or files.
        start: Offset of the comment.
        length: Of the comment.
    """

    names: tuple[str, ...]
    start: int
    length: int


def named_arms(source: SourceText) -> NamedArms | None:
    """Return the arms that a comment of a text names; None: no comment does."""
    for comment in source.comments:
        found = _COMMENT.match(comment.text)
        if found and found[1]:
            names = tuple(name for name in re.split(r"[,\s]+", found[1]) if name)
            return NamedArms(names, comment.start, len(comment.text))
    return None


class ArmShelf:
    """Arms by name. Loading and trying take turns in a thread of their own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="arms")
        self._arms: dict[str, Future[ArmModel]] = {}
        self._pictures: dict[tuple[str, str], str] = {}

    def ask(self, name: str) -> Future[ArmModel]:
        """Return an arm that is, or will be, loaded."""
        if name not in self._arms:
            self._arms[name] = self._pool.submit(_loaded, name)
        return self._arms[name]

    def ready(self, name: str) -> ArmModel | None:
        """Return an arm; None: it is not loaded yet, or cannot be."""
        asked = self.ask(name)
        return asked.result() if asked.done() and asked.exception() is None else None

    def picture(self, name: str, place: PlaceInSpace) -> str | None:
        """Return a picture of an arm at a place, as SVG; empty: out of reach; None: not loaded."""
        from armwerk.editors.picture import arm_svg, joints_at

        model = self.ready(name)
        if model is None:
            return None
        key = (name, f"{place.kind.name} {place.value}")
        if key not in self._pictures:
            try:
                q = joints_at(model, place)
                self._pictures[key] = "" if q is None else arm_svg(model, q)
            except (ArmwerkError, ValueError, ArithmeticError):
                self._pictures[key] = ""
        return self._pictures[key]

    def lint(
        self,
        program: CheckedProgram,
        names: Sequence[str],
        done: Callable[[list[Lint], str], None],
    ) -> None:
        """Try a program on arms, and tell what was found, or why it could not be tried."""
        arms = [self.ask(name) for name in names]
        self._pool.submit(_tried, program, arms, done)

    def close(self) -> None:
        """Load and try nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _loaded(name: str) -> ArmModel:
    import numpy as np

    from armwerk.editors.picture import arm_svg
    from armwerk.modelling import model

    found = model(name)
    q = np.zeros(found.dof)
    found.ik_nearest(found.fk(q), q)  # derives and compiles what is needed
    with contextlib.suppress(ArmwerkError):  # an arm that cannot be drawn can be tried on
        arm_svg(found, q)
    return found


def _tried(
    program: CheckedProgram,
    arms: list[Future[ArmModel]],
    done: Callable[[list[Lint], str], None],
) -> None:
    from armwerk.language.linting.motion import motion_lints

    try:
        models = [arm.result() for arm in arms]
        done(motion_lints(program, models, None, {}), "")
    except (ArmwerkError, OSError) as error:
        done([], str(error))
