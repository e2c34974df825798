"""The closed form of an arm on an accelerator: the text of its kernel, loaded and launched."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armwerk import accelerator
from armwerk.accelerator import Tensor
from armwerk.arrays import Array, Integers
from armwerk.caching import cache_folder
from armwerk.derivation.runtime.compile import digest
from armwerk.derivation.runtime.kinematics import PLAIN
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.files import write_text

BLOCK = 128  # poses of one program


def device_kernel(text: str, arm: str) -> Any:
    """Return the kernel of a text, as triton takes it.

    Raises:
        UnsupportedError: When the closed form cannot be rounded there as it is here.
    """
    if not text:
        raise UnsupportedError(
            f"the closed form of arm '{arm}' needs a cosine, which accelerators round otherwise "
            "than processors; use device='cpu'"
        )
    return _kernel(text, os.environ.get("TRITON_INTERPRET"))


@cache
def _kernel(text: str, _interpreted: str | None) -> Any:
    name = f"armwerk_accelerated_{digest(text)}"
    with accelerator.NOTICE.heard():  # triton and torch
        spec = importlib.util.spec_from_file_location(name, _file(name, text))
        if spec is None or spec.loader is None:
            raise ImportError(f"cannot load {name}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return module.solve


def _file(name: str, text: str) -> Path:
    """Return a file with the text: triton reads functions from where they stand."""
    path = cache_folder() / "accelerated" / f"{name}.py"
    try:
        if path.read_text(encoding="utf-8") == text:
            return path
    except (OSError, ValueError):
        pass
    try:
        return write_text(path, text, make_folder=True)
    except DescriptionError:
        return write_text(Path(tempfile.mkdtemp(prefix="armwerk-")) / f"{name}.py", text)


def solve_there(
    kernel: Any,
    poses: Array,
    setting: Array,
    out: Array,
    counts: Integers,
    care: NDArray[np.uint8],
) -> None:
    """Fill solutions, numbers and what needs care, as `Kernels.batch` does.

    Args:
        kernel: From `device_kernel`.
        poses: Shape (m, 4, 4).
        setting: See `armwerk.derivation.runtime.kinematics`.
        out: Solutions. Shape (m, branches, n).
        counts: Shape (m,).
        care: Shape (m,).
    """
    if not len(poses):
        return
    memory = accelerator.accelerator()
    there = memory.put(setting)
    small = np.empty(len(poses), np.int8)
    rough = np.empty(len(poses), np.int8)

    def work(targets: Tensor, results: Sequence[Tensor], rows: int) -> None:
        launch(kernel, targets, targets, 1, there, results, rows, plain=bool(setting[PLAIN]))

    memory.stream(poses, work, (out, small, rough))
    counts[:] = small
    care[:] = rough


def launch(
    kernel: Any,
    targets: Tensor,
    orientations: Tensor,
    each: int,
    setting: Tensor,
    results: Sequence[Tensor],
    rows: int,
    *,
    plain: bool,
    grid: bool = False,
) -> None:
    """Solve poses that lie on the accelerator; results stay there."""
    kernel[(-(-rows // BLOCK),)](
        targets,
        orientations,
        each,
        setting,
        *results,
        rows,
        PLAIN=plain,
        GRID=grid,
        BLOCK=BLOCK,
        **accelerator.options(),
    )
