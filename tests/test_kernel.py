"""Kernels that an earlier process has compiled run without numba, and give the same bits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from armwerk.kernel_content import USUAL
from armwerk.machine_code import ArrayKind, MachineCode, RecordKind, machine, unpacked
from armwerk.native_call import is_possible, linked

MODULE = """
import sys
from typing import NamedTuple
import numpy as np
from armwerk.compiled import RecordText, entry, inner

class Pair(NamedTuple):
    values: np.ndarray
    factor: float

class Flagged(NamedTuple):
    pair: Pair
    shift: float

class Summed(NamedTuple):
    is_doubled: bool
    total: float
    columns: np.ndarray

@inner
def scaled(x, factor):
    return x * factor

@entry("Tuple((float64[:,::1], int64, boolean))(PAIR, int64, float64)",
       PAIR=RecordText(Pair, values="float64[:,::1]", factor="float64"))
def table(pair, more, add):
    rows, columns = pair.values.shape
    if more < 0:
        raise ValueError("more must not be negative")
    out = np.empty((rows, columns + more))
    for r in range(rows):
        for c in range(columns + more):
            out[r, c] = scaled(pair.values[r, c % columns], pair.factor) + np.sin(add + c)
    return out, rows, add > 0.0

PAIR = RecordText(Pair, values="float64[:,::1]", factor="float64")

@entry("SUMMED(FLAGGED, boolean)",
       SUMMED=RecordText(Summed, is_doubled="boolean", total="float64", columns="float64[::1]"),
       FLAGGED=RecordText(Flagged, pair=PAIR, shift="float64"))
def summed(flagged, doubled):
    values = flagged.pair.values
    columns, total = np.zeros(values.shape[1]), flagged.shift
    for r in range(values.shape[0]):
        for c in range(values.shape[1]):
            columns[c] += scaled(values[r, c], 2.0 if doubled else 1.0)
            total += values[r, c]
    return Summed(doubled, total, columns)

@entry("void(boolean[::1], int64[::1])")
def count(flags, counts):
    for k in range(flags.shape[0]):
        counts[0] += flags[k]
"""

ASK = """
import sys, numpy as np
import table_module as m
values = np.random.default_rng(3).uniform(-1.0, 1.0, (3, 4)) if NUMBA else np.load("values.npy")
if NUMBA:
    np.save("values.npy", values)
    import numba
out, rows, flag = m.table(m.Pair(values, 1.7), 2, 0.3)
counts = np.zeros(1, dtype=np.int64)
m.count(np.array([True, False, True]), counts)
for doubled in (False, np.bool(True)):
    one = m.summed(m.Flagged(m.Pair(values, 1.7), 0.5), doubled)
    assert isinstance(one, m.Summed) and one.is_doubled == doubled
    assert abs(one.total - 0.5 - values.sum()) < 1e-12
    assert np.allclose(one.columns, (2.0 if doubled else 1.0) * values.sum(axis=0))
pair, other = m.Pair(values.copy(), 1.7), m.Pair(values[:2].copy(), -0.4)
for one in (pair, pair, other, pair, other):  # what is handed on again is read again
    one.values[0, 0] += 1.0
    assert np.allclose(m.table(one, 0, 0.0)[0], one.factor * one.values + np.sin(np.arange(4.0)))
assert ("numba" in sys.modules) == NUMBA, [name for name in sys.modules if "numba" in name][:3]
print(type(m.table).__name__, out.tobytes().hex(), out.shape, rows, flag, counts[0])
"""

needs_native = pytest.mark.skipif(
    not is_possible(), reason="kept machine code is run on Linux with x86-64 alone"
)


def run(folder: Path, program: str, **switches: str) -> str:
    """Return what a program says in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), **switches},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which numba has compiled the kernels, and what they answered."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "table_module.py").write_text(MODULE)
    return folder, run(folder, ASK.replace("NUMBA", "True"))


@pytest.fixture
def folder(made: tuple[Path, str], tmp_path: Path) -> Path:
    return shutil.copytree(made[0], tmp_path / "copy")


@needs_native
def test_a_second_process_has_the_same_bits_without_numba(
    folder: Path, made: tuple[Path, str]
) -> None:
    first = made[1]
    homes = {path.parent for path in (folder / "kept").rglob("*.code")}
    for home in homes:
        os.utime(home, (0, 0))
    second = run(folder, ASK.replace("NUMBA", "False"))
    assert all(home.stat().st_mtime > 0 for home in homes)  # it is in use, not to be swept away
    assert second.split()[0] == "Kernel"
    assert first.split()[1:] == second.split()[1:]


@needs_native
def test_numba_takes_over_when_it_must(folder: Path) -> None:
    """For an error that a kernel raises, for what only numba knows, after many calls."""
    told = run(
        folder,
        "import sys, threading, numpy as np, table_module as m\n"
        "from armwerk import kernel\n"
        "from armwerk.compiled import follow\n"
        "pair = m.Pair(np.ones((2, 2)), 1.0)\n"
        "class Holder: pass\n"
        "holder = Holder(); holder.table = m.table; follow(holder)\n"
        "whole, wide = np.ones((2, 2), dtype=np.int64), np.ones((2, 4))\n"
        "for wrong in ([1, 2], np.ones(2), whole, wide[:, ::2]):\n"
        "    try: m.table(m.Pair(wrong, 1.0), 0, 1.0)\n"
        "    except TypeError: continue\n"
        "    raise SystemExit(f'{wrong} was taken')\n"
        "assert 'numba' not in sys.modules\n"
        "kernel.ENOUGH = 50\n"
        "first = m.table(pair, 1, 2.0)[0]\n"
        "for _ in range(60): m.table(pair, 1, 2.0)\n"
        "[one.join() for one in threading.enumerate() if one.name.startswith('armwerk')]\n"
        "assert type(m.table).__name__ == 'CPUDispatcher', type(m.table)\n"
        "assert type(holder.table).__name__ == 'CPUDispatcher'\n"
        "assert (m.table(pair, 1, 2.0)[0] == first).all()\n"
        "try: m.table(pair, -1, 2.0)\n"
        "except ValueError as error: print(error)\n",
    )
    assert told == "more must not be negative\n"
    told = run(
        folder,
        "import numpy as np, table_module as m\n"
        "pair = m.Pair(np.ones((2, 2)), 1.0)\n"
        "try: m.table(pair, -1, 2.0)\n"
        "except ValueError as error: print(error)\n"
        "print(m.table.stats.cache_misses, m.table(pair, more=0, add=0.0)[1])\n",
    )
    assert told.split("\n")[0] == "more must not be negative"
    assert told.split("\n")[1].endswith("2")


@needs_native
@pytest.mark.parametrize("harm", ["cut", "changed", "emptied"])
def test_damaged_code_is_left_to_numba(folder: Path, made: tuple[Path, str], harm: str) -> None:
    kept = list((folder / "kept").rglob("*.code"))
    assert len(kept) == 3
    for path in kept:
        content = path.read_bytes()
        half = len(content) // 2
        path.write_bytes(
            {
                "cut": content[:half],
                "changed": content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :],
                "emptied": b"",
            }[harm]
        )
    again = run(folder, ASK.replace("NUMBA", "False").replace("assert", "assert True or"))
    assert again.split()[1:] == made[1].split()[1:]


@needs_native
def test_changed_sources_are_seen(folder: Path, made: tuple[Path, str]) -> None:
    (folder / "table_module.py").write_text(MODULE.replace("x * factor", "x * factor + 1.0"))
    ask = ASK.replace("NUMBA", "False").replace("assert", "assert True or")
    changed = run(folder, ask)
    assert changed.split()[0] == "CPUDispatcher"
    assert changed.split()[1] != made[1].split()[1]
    assert run(folder, ask).split() == ["Kernel", *changed.split()[1:]]


@needs_native
def test_code_for_another_processor_is_kept_from_others(folder: Path) -> None:
    shutil.rmtree(folder / "kept")
    run(folder, ASK.replace("NUMBA", "True"), NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert not list((folder / "kept").rglob("*.code"))


def test_code_is_read_as_it_was_written() -> None:
    code = MachineCode(
        "name",
        (ArrayKind("float64", 2), RecordKind(("int64", "float64"))),
        "none",
        ("sin",),
        b"\n1",
    )
    assert unpacked(code.packed()) == code
    with pytest.raises(ValueError, match="damaged"):
        unpacked(code.packed()[:-1])


@needs_native
def test_what_is_not_there_is_said() -> None:
    with pytest.raises(RuntimeError, match="no_such_name"):
        linked(MachineCode("name", (), "none", ("no_such_name",), b""))
    with pytest.raises(RuntimeError, match="Other"):
        linked(MachineCode("name", (), RecordKind(("int64",)), (), b"", "Other"))


def test_numba_is_as_it_is_taken_to_be() -> None:
    import numba

    if not any(name.startswith("NUMBA_") for name in set(os.environ) - {"NUMBA_CACHE_DIR"}):
        assert repr((numba.config.BOUNDSCHECK, numba.config.OPT)) == USUAL
    told = subprocess.run(
        [sys.executable, "-c", "from armwerk.machine_code import machine; print(machine())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert f"numba {numba.__version__} " in told
    assert told == machine()
