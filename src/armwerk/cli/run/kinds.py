"""What a name given to ``armwerk run`` stands for, found out before anything is loaded for it."""

from __future__ import annotations

from pathlib import Path

MESHES = (".glb", ".gltf", ".obj")  # endings that `armwerk.mobile.files.reading` reads


def is_mobile(name: str) -> bool:
    """Whether a name is that of a scene of mobile robots: shipped, a mesh file, or its TOML."""
    named = name.startswith("mobile/") and not Path(name).exists()
    return named or Path(name).suffix.lower() in (*MESHES, ".toml")
