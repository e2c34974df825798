"""One name for one option, in Python and on the command line."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable
from typing import Literal, get_args, get_origin

import pytest
import typer.main

import armwerk as aw
from armwerk.cli.app import app
from armwerk.cli.derive import DerivationMethod
from armwerk.cli.ik import SolutionMethod
from armwerk.derivation.inverse import DerivationMethod as MethodInPython
from armwerk.mechanics.inverse.interface import InverseMethod
from armwerk.physics.settings import SimulationSettings
from armwerk.planning.paths.finding import find_path
from armwerk.planning.paths.together import find_together
from armwerk.robot import Joint

# A command, and the functions whose arguments its options are.
FUNCTIONS: dict[str, list[Callable[..., object]]] = {
    "derive": [aw.derive, aw.Derivation.write],
    "ik": [aw.model, aw.SerialModel.ik_nearest, aw.SerialModel.ik],
    "ptp": [aw.ptp, aw.load, Joint, aw.Trajectory.sampled],
    "move": [aw.Path.__init__, aw.Path.plan, aw.Path.lin, aw.load, Joint, aw.Bodies.load, aw.check],
    "cspace": [aw.cspace, aw.load, aw.ConfigurationSpace.plot, aw.Bodies.load],
    "reach": [aw.reach, aw.load, aw.Reach.plot, aw.Bodies.load],
    "plan": [find_path, Joint, aw.Bodies.load],
    "together": [find_together, aw.Bodies.load],
    "run": [aw.World, aw.World.run, SimulationSettings],
}
# What a program gets in another form: units, files to write, a word Python keeps for itself.
FORMS = {"radians", "mm", "json", "plot", "save", "out", "arm", "tip", "cycle", "safety"} | {
    "video",
    "moments",
}
OTHERWISE: dict[str, dict[str, str]] = {
    "derive": {"pdf": "a program of its own", "explain": "derivation.inverse.explain()"},
    "ik": {
        "pose": "the argument T",
        "near": "the argument q",
        "names": "model.configurations(q)",
        "method": "the same as --ik, as derive has it",
    },
    "ptp": {"from": "q0", "to": "q1"},
    "move": {"points": "a file of points", "from": "q0", "near": "q0"},
    "plan": {"from": "q0", "to": "goal", "pose": "goal", "near": "q0"},
}
# The options of ArmBot, and what concerns the screen and files alone.
ONLY_ARMBOTS = {"run"}


def options(name: str) -> dict[str, list[str]]:
    """Return the options of a command without their dashes, each with its choices."""
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    return {
        word.lstrip("-").replace("-", "_"): list(getattr(option.type, "choices", ()))
        for option in command.params
        if option.param_type_name == "option"
        for word in (*option.opts, *option.secondary_opts)
    }


def arguments(name: str) -> dict[str, set[str]]:
    """Return the arguments of a command's functions, each with the words it allows, if it does."""
    found: dict[str, set[str]] = {}
    for function in FUNCTIONS[name]:
        words = sys.modules[function.__module__].__dict__
        for one, parameter in inspect.signature(function).parameters.items():
            found[one] = set()
            with contextlib.suppress(NameError, SyntaxError):  # none, or for a checker alone
                found[one] = literals(eval(str(parameter.annotation), dict(words)))
    return found


def literals(kind: object) -> set[str]:
    """Return the words of a Literal, alone or among others."""
    parts = (kind, *get_args(kind))
    return {word for part in parts if get_origin(part) is Literal for word in get_args(part)}


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ONLY_ARMBOTS])
def test_options_are_called_like_arguments(name: str) -> None:
    known = arguments(name).keys() | FORMS | OTHERWISE.get(name, {}).keys()
    known |= {f"no_{one}" for one in known}  # of what is chosen or not
    assert sorted(options(name).keys() - known) == []


@pytest.mark.parametrize("name", ["ptp", "cspace", "reach", "plan"])
def test_choices_are_the_same(name: str) -> None:
    given = arguments(name)
    compared = {option: words for option, words in options(name).items() if words}
    assert compared
    for option, words in compared.items():
        assert set(words) <= given[option], option


def test_methods_are_the_same() -> None:
    assert {one.value for one in SolutionMethod} == set(get_args(InverseMethod))
    assert {one.value for one in DerivationMethod} == set(get_args(MethodInPython))


@pytest.mark.parametrize("option", ["seconds", "pace", "ik", "skills", "drives"])
def test_running_a_cell_has_the_names_of_a_world(option: str) -> None:
    assert option in options("run")
    assert option in arguments("run")


@pytest.mark.parametrize("name", ["cspace", "reach", "plan", "ptp", "move"])
def test_results_are_saved_by_one_word(name: str) -> None:
    assert "save" in options(name)
