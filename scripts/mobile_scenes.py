"""Writes the example scenes of mobile robots: ``python scripts/mobile_scenes.py``."""

from __future__ import annotations

from armwerk.mobile.examples.shipped import FOLDER, write_scenes

if __name__ == "__main__":
    for path in write_scenes(FOLDER):
        print(f"{path.name}: {path.stat().st_size} bytes")
