"""From names in a cell to arms, grippers, controllers and trigger processors.

A name is looked for in this order: the library (arms and grippers), a file beside the cell, a
module beside the cell, a module that Python can import.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from armwerk.cell.building.folder import Folder
from armwerk.cell.traces import error_text, last_line, place_of
from armwerk.control.controller import RobotController, is_written
from armwerk.control.processor import TriggerProcessor
from armwerk.errors import ArmwerkError, DescriptionError, UnknownNameError
from armwerk.language.keywords import PROGRAM_ENDINGS
from armwerk.robot import Arm, library, load
from armwerk.robot.files import LIBRARY
from armwerk.robot.formats.saving import ENDINGS
from armwerk.robot.formats.urdf_source import TREE_ENDINGS
from armwerk.robot.installed import is_installed_name, names_robot
from armwerk.robot.parts import Assembly
from armwerk.robot.references import arm_reference

DEFAULT_ARM = "simple_arm"
GRIPPERS = LIBRARY / "grippers"
_Program = TypeVar("_Program", RobotController, TriggerProcessor)


class Finder:
    """Finds what a cell names.

    Args:
        folder: Where the cell file lies; None: it has none, and nothing lies beside it.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._modules = None if folder is None else Folder(folder)

    def close(self) -> None:
        """Forget the modules that were loaded."""
        if self._modules is not None:
            self._modules.close()

    def arm(self, what: object, element: str) -> Arm | Assembly:
        """Return an arm.

        Args:
            what: Library name, file beside the cell ("robot.urdf#tool0"), robot of an installed
                package ("rtb-data:irb140"), "module.Class", an arm, or None: the default arm.
            element: What it is for ("robot 0, manipulator"), for messages.
        """
        if what is None:
            what = DEFAULT_ARM
        return self._description(what, element, library())

    def gripper(self, what: object, element: str) -> Assembly | None:
        """Return a gripper, likewise; None: none."""
        if what is None:
            return None
        found = self._description(what, element, gripper_names())
        if not isinstance(found, Assembly):
            raise DescriptionError(
                "a gripper must be an assembly of parts", element=element, value=what
            )
        return found

    def controller(self, what: object, element: str) -> RobotController:
        """Return a new controller of a class, of "module.Class" or "module:Class", of a program.

        A program is a file, beside the cell or where a whole path says.

        Raises:
            DescriptionError: When there is none, or it has mistakes.
        """
        if isinstance(what, str) and Path(what).suffix.lower() in PROGRAM_ENDINGS:
            return self._robot_program(what, element)
        return self._program(what, element, RobotController)

    def processor(self, what: object, element: str) -> TriggerProcessor:
        """Return a new trigger processor, likewise."""
        return self._program(what, element, TriggerProcessor)

    def _robot_program(self, text: str, element: str) -> RobotController:
        from armwerk.control.irl.controller import load_program

        path = Path(text) if self.folder is None else self.folder / text
        if not path.is_file():
            folder = path.parent
            known = [
                one.name
                for one in (sorted(folder.iterdir()) if folder.is_dir() else ())
                if one.suffix.lower() in PROGRAM_ENDINGS
            ]
            close = get_close_matches(path.name, known, n=1, cutoff=0.5)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise DescriptionError(
                f"there is no program '{text}' beside the cell{hint}",
                element=element,
                allowed=", ".join(known) or f"a file in {folder}",
            )
        return load_program(path)

    def _description(self, what: object, element: str, names: tuple[str, ...]) -> Arm | Assembly:
        if isinstance(what, Arm | Assembly):
            return what
        text = str(what)
        if text in names:
            shipped = GRIPPERS / f"{text}.toml"
            return _described(load(shipped if shipped.is_file() else text), text, element)
        if names_robot(text):
            return load(text)
        meant = None if is_installed_name(text) else arm_reference(text, folder=self.folder)
        if meant is not None and meant.path.suffix.lower() in (*ENDINGS, *TREE_ENDINGS):
            return load(str(meant))
        if "." not in text and ":" not in text:
            raise UnknownNameError(f"arm or gripper ({element})", text, names)
        found = self._attribute(text, element)
        if isinstance(found, Arm | Assembly):
            return found
        if callable(found):
            return _described(_made(found, text, element), text, element)
        return _described(found, text, element)

    def _program(self, what: object, element: str, base: type[_Program]) -> _Program:
        if isinstance(what, base):
            _refuse_idle(what, element)
            return what
        kind = self._attribute(what, element) if isinstance(what, str) else what
        if not isinstance(kind, type) or not issubclass(kind, base):
            raise DescriptionError(
                f"is no {base.__name__}",
                element=f"{element} '{_name(what)}'",
                value=kind,
                allowed=f"a class derived from armwerk.{base.__name__}",
            )
        made = _made(kind, _name(what), element)
        assert isinstance(made, base)
        _refuse_idle(made, element)
        return made

    def _attribute(self, text: str, element: str) -> object:
        """Return what "module.Class" or "module:Class" names."""
        module_name, _, name = text.rpartition(":" if ":" in text else ".")
        words = [*module_name.split("."), name]
        if not all(word.isidentifier() for word in words):
            raise DescriptionError(
                "is no name of a class",
                element=element,
                value=text,
                allowed="module.Class or module:Class",
            )
        module = self._module(module_name, text, element)
        try:
            return getattr(module, name)
        except AttributeError:
            known = [key for key, value in vars(module).items() if isinstance(value, type)]
            known = [key for key in known if not key.startswith("_")]
            close = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise DescriptionError(
                f"module '{module_name}' has no class '{name}'{hint}",
                element=element,
                allowed=", ".join(sorted(known)) or "the module has no classes",
            ) from None

    def _module(self, name: str, text: str, element: str) -> ModuleType:
        beside = self._modules is not None and self._modules.has(name)
        try:
            if beside:
                assert self._modules is not None
                return self._modules.load(name)
            if _exists(name):
                return import_module(name)
        except ModuleNotFoundError as error:
            missing = (error.name or "").removeprefix(self._prefix)
            if missing != name and not name.startswith(f"{missing}."):
                raise _refused(name, element, error) from error
        except (Exception, SystemExit) as error:
            raise _refused(name, element, error) from error
        place = "" if self.folder is None else f" beside the cell in {self.folder} or"
        raise DescriptionError(
            f"module '{name}' was not found{place} among the modules Python can import",
            element=element,
            value=text,
            allowed="the name of a Python file beside the cell, a dot, and a class in it",
        )

    @property
    def _prefix(self) -> str:
        return "" if self._modules is None else f"{self._modules.package}."


def gripper_names() -> tuple[str, ...]:
    """Return the names of the shipped grippers, sorted."""
    return tuple(sorted(path.stem for path in GRIPPERS.glob("*.toml")))


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a parent that does not exist, or is no package
        return False


def _refused(name: str, element: str, error: BaseException) -> DescriptionError:
    place = place_of(error)
    where = f" ({place})" if place else ""
    told = last_line(error_text(error))
    return DescriptionError(f"module '{name}' cannot be loaded: {told}{where}", element=element)


def _made(kind: Callable[[], object], text: str, element: str) -> object:
    try:
        return kind()
    except ArmwerkError:
        raise
    except (Exception, SystemExit) as error:
        told = error_text(error)
        problem = f"'{text}' cannot be made: {last_line(told)}"
        if isinstance(error, TypeError) and "required" in str(error):
            problem = f"'{text}' needs a constructor without arguments: {last_line(told)}"
        raise DescriptionError(problem, element=element) from error


def _described(found: object, text: str, element: str) -> Arm | Assembly:
    if isinstance(found, Arm | Assembly):
        return found
    raise DescriptionError(
        f"'{text}' is no arm",
        element=element,
        value=found,
        allowed="an Arm, an Assembly, or a function or class that makes one",
    )


def _refuse_idle(program: RobotController | TriggerProcessor, element: str) -> None:
    """Refuse a program that would only wait, for it brings nothing to do.

    Raises:
        DescriptionError: With the file and line of its class.
    """
    robot = isinstance(program, RobotController)
    tasks = ("run", "receive_trigger", "receive_line") if robot else ("receive_trigger",)
    base: type[object] = RobotController if robot else TriggerProcessor
    if any(is_written(program, task, base) for task in tasks):
        return
    kind = type(program)
    own = [name for name in (*vars(program), *dir(kind)) if not hasattr(base, name)]
    close = [(task, name) for task in tasks for name in _like(task, own)]
    hint = f": did you mean {close[0][0]} by '{close[0][1]}'?" if close else ""
    file, line = _where_is(kind)
    raise DescriptionError(
        f"'{kind.__name__}' would wait for ever, it has no {' and no '.join(tasks)}{hint}",
        element=element,
        allowed=f"def {tasks[0]}(self{'' if robot else ', text'})",
        file=file,
        line=line,
    )


def _like(task: str, names: list[str]) -> list[str]:
    """Return the names that may be meant for a task, the best first."""
    words = {name.lower(): name for name in names}
    return [words[found] for found in get_close_matches(task, words, n=1, cutoff=0.5)]


def _where_is(kind: type[object]) -> tuple[str | None, int | None]:
    """Return file and line of a class, as far as they can be found."""
    try:
        return inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return None, None


def _name(what: object) -> str:
    return what if isinstance(what, str) else str(getattr(what, "__name__", type(what).__name__))
