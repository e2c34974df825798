"""What is wrong with the names and texts of a cell, told with their places in its file.

A reader cannot know whether an arm or a class exists; that shows when the cell is built. All
such problems are collected and told in one go, as those of the reader are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from armwerk.errors import ArmwerkError, DescriptionError, Problem, ProgramError, SceneError
from armwerk.scene.scene import Scene, Spot

_Made = TypeVar("_Made")


class Faults:
    """Collects problems that have a place in the file; others are raised at once.

    Args:
        scene: Knows the places.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._problems: list[Problem] = []

    def made(
        self,
        what: str,
        number: int,
        said: object,
        make: Callable[[], _Made],
        instead: tuple[str, object] = ("", None),
    ) -> _Made | None:
        """Return what a function makes of a name or text; None: a problem was noted.

        Args:
            what: Key of its place, see `Scene.spots`.
            number: Of the robot or processor.
            said: The name or text, whose place counts only if it still stands there.
            make: What may fail.
            instead: What and said of the place where the problem is shown when nothing is said.
        """
        try:
            return make()
        except SceneError:
            raise
        except ArmwerkError as error:
            if said is None:
                what, said = instead
            spot = self._scene.spots.get((what, number))
            if spot is None or not isinstance(said, str) or spot.said != said:
                raise
            self._problems.append(_located(error, spot))
            return None

    def tell(self) -> None:
        """Raise what was collected, if anything was.

        Raises:
            SceneError: In the order of the file.
        """
        if self._problems:
            ordered = sorted(self._problems, key=lambda problem: (problem.line, problem.column))
            raise SceneError(ordered, self._scene.file)


def _located(error: ArmwerkError, spot: Spot) -> Problem:
    message, expected = str(error), ""
    if isinstance(error, ProgramError):
        first, *more = error.problems
        place = f"{error.file}:{first.line}:{first.column}: " if error.file else ""
        others = f"; {len(more)} more, see armwerk program FILE --check" if more else ""
        hint = f" (expected {first.expected})" if first.expected else ""
        message = f"{place}{first.message}{hint}{others}"
    elif isinstance(error, DescriptionError):
        expected = error.allowed
        message = message.removesuffix(f" (allowed: {expected})")
    message = " ".join(message.split())
    return Problem(message, spot.line, spot.column, spot.source, expected, spot.length)
