"""Write the tables of docs/cli.md from the commands themselves; run it after changing an option.

Between two marks of the page stands what this makes, everything else is written by hand:

    <!-- made: list -->      the table of all commands
    <!-- made: ik -->        usage, arguments and options of one command
    <!-- end -->

With ``--check`` nothing is written, and the exit code says whether the page is as it should be.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer.main

from armwerk.cli.app import COMMANDS, app

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
_MADE = re.compile(r"<!-- made: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def made(text: str) -> str:
    """Return a page with its tables made anew."""
    found = set(_MADE.findall(text))
    missing = {"list", *COMMANDS} - found
    if missing:
        raise SystemExit(f"docs/cli.md has no place for: {', '.join(sorted(missing))}")
    return _MADE.sub(lambda place: _block(place[1]), text)


def _block(name: str) -> str:
    inside = _list() if name == "list" else _command(name)
    return f"<!-- made: {name} -->\n{inside}\n<!-- end -->"


def _list() -> str:
    lines = ["| command | what it does |", "|---|---|"]
    for name in COMMANDS:
        lines.append(f"| [`armwerk {name}`](#{name}) | {_cell(_first_line(name))} |")
    lines.append("| `armwerk --version`, `armwerk --help`, `armwerk NAME --help` | |")
    return "\n".join(lines)


def _first_line(name: str) -> str:
    return (COMMANDS[name].__doc__ or "").strip().splitlines()[0]


def command_of(name: str) -> Any:
    """Return the parser of a command; typer keeps its classes to itself."""
    return typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]


def _command(name: str) -> str:
    command = command_of(name)
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    words = [_written(one) for one in arguments]
    needed = [f"{one.opts[0]} {_value(one)}" for one in options if one.required]
    usage = " ".join(["armwerk", name, *words, *needed, *(["[options]"] if options else [])])
    lines = [f"`{usage}`", "", "| | |", "|---|---|"]
    lines += [f"| `{_written(one)}` | {_cell(one.help or '')} |" for one in arguments]
    lines += [f"| `{_option(one)}` | {_cell(_meaning(one))} |" for one in options]
    return "\n".join(lines if arguments or options else lines[:1])


def _written(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper()).replace("|", "\\|")


def _option(option: Any) -> str:
    names = ", ".join(option.opts) + "".join(f" / {name}" for name in option.secondary_opts)
    value = "" if option.is_flag else f" {_value(option)}"
    return (names + value).replace("|", "\\|")


def _value(option: Any) -> str:
    choices = getattr(option.type, "choices", None)
    if choices:
        return "|".join(getattr(one, "value", str(one)) for one in choices)
    return str(option.metavar or getattr(option.type, "name", "text").upper())


def _meaning(option: Any) -> str:
    text = option.help or ""
    if option.multiple and "repeat" not in text and "again" not in text:
        text += " May be given again."
    default = option.default() if callable(option.default) else option.default
    if option.required or default in (None, False, True, "", (), []) or option.multiple:
        return text
    return f"{text} Default: {getattr(default, 'value', default)}."


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the page, or check it."""
    before = PAGE.read_text(encoding="utf-8")
    after = made(before)
    if "--check" in sys.argv[1:]:
        raise SystemExit(before != after)
    PAGE.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
