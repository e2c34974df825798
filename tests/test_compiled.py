"""Kernels are compiled once, for the types they name, and anew when a source has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.record_reference import refer

HELPER = "from armwerk.compiled import inner\n@inner\ndef twice(x):\n    return {factor} * x\n"
KERNEL = """
from armwerk.compiled import entry
from helper import twice

@entry("float64(float64)")
def kernel(x):
    return twice(x) + 1.0

print(kernel(3.0), sum(kernel.stats.cache_misses.values()))
"""


@entry("float64(float64, float64)")
def ratio(a: float, b: float) -> float:
    return a / b


@inner(inline=True)
def square(x: float) -> float:
    return x * x


@inner
def half(x: float) -> float:
    return 0.5 * x


@entry("float64(float64)")
def quarter(x: float) -> float:
    return half(half(x))


@entry("float64(float64[::1])")
def squares(values: Array) -> float:
    total = 0.0
    for value in values:
        total += square(value)
    return total


class Span(NamedTuple):
    """Where something lies.

    Attributes:
        low: Its beginning.
        high: Its end.
    """

    low: float
    high: float


class Series(NamedTuple):
    """Numbers and where they belong.

    Attributes:
        values: Shape (n,).
        span: Theirs.
        counts: How many were out of it. Shape (1,).
    """

    values: Array
    span: Span
    counts: Array


@inner
def is_outside(span: Span, value: float) -> bool:
    return not span.low <= value <= span.high


@inner
def clip_series(series: Series) -> None:
    for i in range(series.values.shape[0]):
        if is_outside(series.span, series.values[i]):
            series.counts[0] += 1.0
            series.values[i] = min(max(series.values[i], series.span.low), series.span.high)


@entry("float64(float64[::1], float64[::1])")
def clipped(values: Array, counts: Array) -> float:
    series = refer(Series(values, Span(-1.0, 2.0), counts))
    clip_series(series)
    return float(series.values[-1]) + series.span.high


@entry("float64(float64[::1], float64[::1])")
def shifted(values: Array, counts: Array) -> float:
    total = 0.0
    for k in range(3):  # each round has a record of its own
        series = refer(Series(values, Span(0.0, float(k)), counts))
        total += series.span.high
    return total


def test_records_are_handed_on_by_reference() -> None:
    values, counts = np.array([-3.0, 0.5, 7.0]), np.zeros(1)
    assert clipped(values, counts) == 4.0
    assert values.tolist() == [-1.0, 0.5, 2.0]
    assert counts[0] == 2.0
    assert shifted(values, counts) == 3.0
    record = Series(values, Span(0.0, 1.0), counts)
    assert refer(record) is record  # outside of kernels


def test_what_is_inner_has_no_machine_code_of_its_own() -> None:
    @inner
    def third(x: float) -> float:
        return x / 3.0

    @entry("float64(float64)")
    def ninth(x: float) -> float:
        return third(third(x))

    assert ninth(18.0) == 2.0  # though others take it in
    getattr(third, "compile", print)("float64(float64)")  # by itself, not taken from the disk
    (made,) = getattr(third, "overloads", {}).values()
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0


def test_an_entry_takes_its_types_alone() -> None:
    assert squares(np.array([1.0, 2.0, 3.0])) == 14.0
    with pytest.raises(TypeError, match="No matching definition"):
        squares(np.array([1, 2, 3]))


OUTER = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from armwerk.compiled import entry, load_waiting

@entry("float64(float64[:])")
def total(values):
    return values.sum()

@entry("float64(float64[:,::1])")
def first_row(rows):
    return total(rows[0])

@entry("float64(float64)")
def unused(x):
    return x

kernels = (total, first_row, unused)
assert all(kernel._can_compile for kernel in kernels), "compiled before anybody asked"
with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(first_row, [np.ones((2, 3))] * 32))
assert answers == [3.0] * 32
assert [len(kernel.signatures) for kernel in kernels] == [1, 1, 0]
assert str(total.signatures[0][0].layout) == "A", "compiled for what was given, not what is written"
load_waiting()
assert [len(kernel.signatures) for kernel in kernels] == [1, 1, 1]
assert not any(kernel._can_compile for kernel in kernels)
"""


def test_an_entry_is_loaded_when_first_called_by_whomever(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    done = subprocess.run(
        [sys.executable, "outer.py"],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_what_is_inner_can_be_called_from_python_too() -> None:
    """Kernels compile it without what Python would call; that must not be what Python calls."""
    assert quarter(8.0) == 2.0
    assert half(8.0) == 4.0
    assert half(3) == 1.5
    assert quarter(4.0) == 1.0


def test_division_by_zero_is_infinite_as_in_numpy() -> None:
    assert ratio(1.0, 0.0) == np.inf


def run(folder: Path) -> tuple[float, int]:
    """Return what the kernel says in a process of its own, and how often it was compiled."""
    # Python's own files of bytecode are dated to the second, within which sources change here
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMBA_CACHE_DIR"] = str(folder.parent / "kept")
    done = subprocess.run(
        [sys.executable, "kernel.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    value, misses = done.stdout.split()
    return float(value), int(misses)


def test_a_changed_helper_in_another_file_is_seen(tmp_path: Path) -> None:
    """numba itself looks only at the file of the kernel, and would answer 7 for ever."""
    folder = sources(tmp_path / "one")
    assert run(folder) == (7.0, 1)
    assert run(folder) == (7.0, 0)
    (folder / "helper.py").write_text(HELPER.format(factor=5.0))
    os.utime(folder / "helper.py", (0, 0))  # whatever its date
    assert run(folder) == (16.0, 1)


def test_a_changed_constant_from_elsewhere_is_seen(tmp_path: Path) -> None:
    folder = sources(tmp_path / "one")
    (folder / "elsewhere").mkdir()
    helper = (folder / "helper.py").read_text().replace("2.0", "FACTOR")
    (folder / "helper.py").write_text(f"from elsewhere.constants import FACTOR\n{helper}")
    for factor, answer in ((2.0, 7.0), (5.0, 16.0), (2.0, 7.0)):
        (folder / "elsewhere" / "constants.py").write_text(f"FACTOR = {factor}\n")
        assert run(folder)[0] == answer


def test_a_copy_of_the_sources_finds_what_the_first_has_compiled(tmp_path: Path) -> None:
    assert run(sources(tmp_path / "one")) == (7.0, 1)
    assert run(sources(tmp_path / "two")) == (7.0, 0)


def test_whether_a_kernel_is_compiled_is_known_before_it_is_called(tmp_path: Path) -> None:
    asking = KERNEL.replace("print(", "print(is_compiled(kernel), kernel.signatures, ")
    asking = asking.replace("import entry", "import entry, is_compiled")
    (tmp_path / "helper.py").write_text(HELPER.format(factor=2.0))
    (tmp_path / "asking.py").write_text(asking)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    told = [
        subprocess.run(
            [sys.executable, "asking.py"],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert told == [["False", "[]", "7.0", "1"], ["True", "[]", "7.0", "0"]]


def test_a_kernel_from_disk_can_be_taken_into_another(tmp_path: Path) -> None:
    """What others need of it is read when they ask."""
    (tmp_path / "helper.py").write_text(HELPER.format(factor=2.0))
    (tmp_path / "first.py").write_text(KERNEL)
    (tmp_path / "second.py").write_text(
        "from armwerk.compiled import entry\n"
        "from first import kernel\n"
        "read = kernel.overloads[kernel.signatures[0]].library\n"
        "print(read._shared_module is None)\n"
        "@entry('float64(float64)')\n"
        "def outer(x):\n"
        "    return kernel(x) + 10.0\n"
        "print(outer(3.0), read._shared_module is None)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for _ in range(2):
        told = subprocess.run(
            [sys.executable, "-c", "import first; import second"],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for made in (tmp_path / "kept").rglob("second*"):  # the outer one is compiled again
            made.unlink()
    assert told == ["7.0", "0", "True", "17.0", "False"]


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    folder = sources(tmp_path / "one")
    assert run(folder) == (7.0, 1)
    for kept in (tmp_path / "kept").rglob("*.nb?"):
        kept.write_bytes(kept.read_bytes()[:-20])
    assert run(folder) == (7.0, 1)
    assert run(folder) == (7.0, 0)


def test_what_nobody_has_used_for_long_is_removed(tmp_path: Path) -> None:
    forgotten = tmp_path / "kept" / "kernels" / "forgotten"
    forgotten.mkdir(parents=True)
    os.utime(forgotten, (0, 0))
    run(sources(tmp_path / "one"))
    assert not forgotten.exists()


def sources(folder: Path) -> Path:
    """Write the kernel and its helper into a new folder."""
    folder.mkdir()
    (folder / "kernel.py").write_text(KERNEL)
    (folder / "helper.py").write_text(HELPER.format(factor=2.0))
    return folder


def test_kernels_can_run_as_python() -> None:
    program = (
        "import numpy as np; from armwerk.mechanics.kernels.trig import sincos; print(sincos(0.5))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "0.479" in done.stdout


def test_scipy_is_loaded_when_a_kernel_needs_it_and_not_before() -> None:
    code = (
        "import sys, armwerk.numba_kernels, numpy as np\n"
        "from numba import njit\n"
        "njit(lambda x: x + 1.0)(1.0)\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "a = np.arange(4.0).reshape(2, 2)\n"
        "product = njit(lambda x, y: np.dot(x, y))(a, a)\n"
        "assert (product == a @ a).all()\n"
        "assert njit(lambda x: np.linalg.det(x))(a) == -2.0\n"
        "assert hasattr(sys.modules['scipy.linalg.cython_blas'], '__pyx_capi__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
