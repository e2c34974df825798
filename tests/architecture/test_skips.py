"""In CI a skipped test is a failure, unless its reason is on the list."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import ROOT

TESTS = """
import pytest

def test_listed():
    pytest.skip("no OpenGL without a screen")

@pytest.mark.skipif(True, reason="no C compiler")
def test_marked():
    pass

def test_inside():
    pytest.importorskip("no_such_module")

@pytest.mark.xfail(reason="known")
def test_known():
    assert False
"""


def run_tests(file: str, folder: Path, ci: str) -> str:
    """Return what pytest says of a file under the rules of our conftest."""
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", file],
        cwd=folder,
        env=os.environ | {"CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout


@pytest.mark.parametrize(
    ("ci", "summary"),
    [("true", "1 failed, 1 skipped, 1 xfailed, 1 error"), ("", "3 skipped, 1 xfailed")],
)
def test_a_test_that_skips_itself(ci: str, summary: str, tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    assert summary in run_tests("test_some.py", tmp_path, ci)


@pytest.mark.parametrize(("ci", "summary"), [("true", "1 error"), ("", "1 skipped")])
def test_a_file_that_skips_itself(ci: str, summary: str, tmp_path: Path) -> None:
    (tmp_path / "test_whole.py").write_text("import pytest\npytest.importorskip('no_such')")
    assert summary in run_tests("test_whole.py", tmp_path, ci)
