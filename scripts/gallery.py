"""Run every example and keep the pictures it writes, for the gallery of the site.

Run: python scripts/gallery.py; the pictures are in out/gallery/CHAPTER/EXAMPLE afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "out" / "gallery"


def pictures_of(example: Path) -> list[Path]:
    """Run an example in a folder of its own and return its pictures, moved to the gallery."""
    place = OUT / example.relative_to(ROOT / "examples").with_suffix("")
    place.mkdir(parents=True, exist_ok=True)
    for old in place.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        command = [sys.executable, str(example)]
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        for picture in Path(folder).rglob("*.png"):
            (place / picture.name).write_bytes(picture.read_bytes())
    return sorted(place.glob("*.png"))


def main() -> None:
    """Make the gallery, but only what is older than armwerk's sources or its example."""
    sources = max(path.stat().st_mtime for path in (ROOT / "src").rglob("*.py"))
    for example in sorted((ROOT / "examples").glob("*/*.py")):
        place = OUT / example.relative_to(ROOT / "examples").with_suffix("")
        made = place.stat().st_mtime if place.exists() else 0.0
        if made < max(sources, example.stat().st_mtime):
            found = pictures_of(example)
            print(f"{example.relative_to(ROOT)}: {len(found)} pictures")


if __name__ == "__main__":
    main()
