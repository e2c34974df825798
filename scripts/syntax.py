"""Write the grammars that VS Code and the studio colour robot programs with."""

from __future__ import annotations

from pathlib import Path

from armwerk.editors.syntax import codemirror, textmate

ROOT = Path(__file__).parent.parent
FILES = {
    "editors/vscode/syntaxes/irl.tmLanguage.json": textmate,
    "studio/src/program/words.ts": codemirror,
}


def main() -> None:
    """Write all of them."""
    for name, make in FILES.items():
        (ROOT / name).write_text(make(), encoding="utf-8")
        print(f"written: {name}")


if __name__ == "__main__":
    main()
