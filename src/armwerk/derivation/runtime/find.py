"""The closed form of an arm: from the cache, or derived, generated and compiled now."""

from __future__ import annotations

from pathlib import Path

from armwerk.derivation.inverse import inverse_of
from armwerk.derivation.plain import without_inner_fixed_joints
from armwerk.derivation.runtime.cache import digest, read_note, write_note
from armwerk.derivation.runtime.compile import Progress, load_kernels, machine, tell
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.derivation.runtime.layout import GENERATOR_VERSION
from armwerk.derivation.runtime.singular import Numeric
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.errors import UnsupportedError
from armwerk.robot.arm import Arm


def closed_form(
    arm: Arm,
    *,
    method: str | None = None,
    numeric: Numeric | None = None,
    progress: Progress | None = None,
) -> ClosedFormSolver:
    """Return the closed-form solver of an arm.

    The result is kept in the user's cache under the rows of the arm; base, tool, limits and
    masses may change without a new derivation. That an arm has no closed form is kept as well.

    Args:
        arm: With numbers for all dimensions.
        method: "rules", "elimination" or "twists"; None tries them in that order.
        numeric: See `ClosedFormSolver`.
        progress: Told in words when something takes long.

    Raises:
        UnsupportedError: When there is no closed form; says why.
    """
    arm = without_inner_fixed_joints(arm)
    numbers = kinematics(arm)
    note_key = digest(numbers.digest(), method, GENERATOR_VERSION, _derivation_stamp(), machine())
    note = read_note(note_key)
    if isinstance(note, dict):
        if "reason" in note:
            raise UnsupportedError(str(note["reason"]))
        key = str(note.get("key"))
        kernels = load_kernels(key)
        if kernels is not None:
            return ClosedFormSolver.from_kernels(arm, key, kernels, numeric)
    try:
        solver = _derived(arm, method, numeric, progress)
    except UnsupportedError as error:
        write_note(note_key, {"arm": arm.name, "reason": str(error)})
        raise
    write_note(note_key, {"arm": arm.name, "key": solver.key})
    return solver


def _derived(
    arm: Arm, method: str | None, numeric: Numeric | None, progress: Progress | None
) -> ClosedFormSolver:
    tell(progress, f"deriving the inverse kinematics of '{arm.name}'")
    inverse = inverse_of(arm, method)
    if inverse.program is None:
        raise UnsupportedError(
            f"arm '{arm.name}' has no closed-form inverse kinematics: {inverse.reason}"
        )
    return ClosedFormSolver(arm, inverse.program, numeric=numeric, progress=progress)


def _derivation_stamp() -> str:
    """Return what changes whenever the code of the derivation does."""
    folder = Path(__file__).parents[1]
    marks = []
    for path in sorted(folder.rglob("*.py")):
        state = path.stat()
        marks.append(f"{path.relative_to(folder)} {state.st_size} {state.st_mtime_ns}")
    return digest(*marks)
