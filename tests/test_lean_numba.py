"""numba is loaded without what armwerk does not need, and nobody else misses it."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from armwerk.lean_numba import hidden

LOADS = "import sys, armwerk.numba_kernels; print(sorted({'coverage', 'yaml'} & set(sys.modules)))"


def test_a_hidden_module_is_missing_for_one_thread_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with ThreadPoolExecutor(1) as other:
        with hidden("colorsys"):
            with pytest.raises(ModuleNotFoundError, match="colorsys"):
                import_module("colorsys")
            assert other.submit(import_module, "colorsys").result().rgb_to_hsv
        monkeypatch.delitem(sys.modules, "colorsys")
        assert import_module("colorsys").rgb_to_hsv


@pytest.mark.parametrize("has_settings", [False, True])
def test_settings_in_the_current_folder_are_still_read(tmp_path: Path, has_settings: bool) -> None:
    pytest.importorskip("yaml")
    ask = "import armwerk.numba_kernels; from numba import config; print(config.SHOW_HELP)"
    if has_settings:
        (tmp_path / ".numba_config.yaml").write_text("show_help: 1\n")
    command = [sys.executable, "-c", ask]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == ("1" if has_settings else "0")


def test_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LOADS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
