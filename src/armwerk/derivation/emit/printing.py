"""A LaTeX document becomes a PDF without leaving anything else behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from armwerk.errors import UnsupportedError

_RUNS = 2  # the second one knows the numbers of pages and equations
_LONGEST = 120.0  # [s] a run may take


def pdflatex() -> str:
    """Return the program.

    Raises:
        UnsupportedError: When it is not installed.
    """
    found = shutil.which("pdflatex")
    if found is None:
        raise UnsupportedError(
            "a PDF needs the program pdflatex, which is not installed (the LaTeX document can be "
            "had without it)"
        )
    return found


def make_pdf(document: Path) -> Path:
    """Compile a document; return the PDF beside it."""
    program, target = pdflatex(), document.with_suffix(".pdf")
    with tempfile.TemporaryDirectory(prefix=".pdf-", dir=document.parent) as folder:
        # pdflatex works in the document's folder, so the name of the other one must not depend on
        # where armwerk was started: mkdtemp gives a relative one for a relative ``dir`` until 3.12
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        command += [f"-output-directory={Path(folder).name}", document.name]
        for _ in range(_RUNS):
            done = subprocess.run(
                command,
                cwd=document.parent,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=_LONGEST,
                check=False,
            )
            if done.returncode:
                raise UnsupportedError(f"pdflatex failed on {document}: {_reason(done.stdout)}")
        os.replace(Path(folder) / target.name, target)
    return target


def _reason(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").splitlines()
    return next((line for line in lines if line.startswith("!")), "see its log")
