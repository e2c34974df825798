"""When MuJoCo complains: an error that says what, when and which thing.

Left alone, MuJoCo writes its warnings into a file in the current folder, and starts a simulation
that has become unstable anew without a word. Here its warnings are listened to, nothing is started
anew (`armwerk.physics.build` sees to that), and the simulation concerned raises.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import mujoco

from armwerk.errors import PhysicsError

_log = logging.getLogger("armwerk.physics")
_Kind = mujoco.mjtWarning
_UNSTABLE: dict[mujoco.mjtWarning, str] = {
    _Kind.mjWARN_BADQPOS: "its place is no number below 1e10 any more",
    _Kind.mjWARN_BADQVEL: "its velocity is no number below 1e10 any more",
    _Kind.mjWARN_BADQACC: "its acceleration is no number below 1e10 any more",
    _Kind.mjWARN_INERTIA: "its inertia cannot be inverted",
}
_FULL: dict[mujoco.mjtWarning, str] = {
    _Kind.mjWARN_CONTACTFULL: "there are more contacts than fit into memory",
    _Kind.mjWARN_CNSTRFULL: "there are more contact forces than fit into memory",
}
HINT = "a smaller step of time, lower speeds or things that do not overlap at the start may help"

_heard = 0  # warnings of all simulations of this process so far


class _Listener:
    """Counts warnings; hands them on to whoever listened before."""

    def __init__(self, before: Callable[[str], None] | None) -> None:
        self._before = before

    def __call__(self, text: str) -> None:
        global _heard  # noqa: PLW0603 - MuJoCo does not say whose warning it is
        _heard += 1
        _log.debug("MuJoCo: %s", text)
        if self._before is not None:
            self._before(text)


def listen() -> None:
    """Take MuJoCo's warnings; a listener of the user's own still hears them."""
    before = mujoco.get_mju_user_warning()
    if not isinstance(before, _Listener):
        mujoco.set_mju_user_warning(_Listener(before))


class Alarms:
    """Watches one simulation.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data.
        names: Of the things, which come first in the model.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, names: Sequence[str]) -> None:
        listen()
        self._model, self._data, self._names = model, data, tuple(names)
        self._seen = _heard

    def check(self) -> None:
        """Raise when the simulation has become unstable; next to nothing while all is well.

        Raises:
            PhysicsError: In every step from then on, until `forget`.
        """
        if _heard != self._seen:
            self._look()

    def forget(self) -> None:
        """Begin afresh; the state has been replaced."""
        for statistic in self._data.warning:
            statistic.number = 0
        self._seen = _heard

    def _look(self) -> None:
        time = float(self._data.time)
        for kind, reason in _UNSTABLE.items():
            statistic = self._data.warning[int(kind)]
            if statistic.number:
                what = self._name(kind, int(statistic.lastinfo))
                raise PhysicsError(f"{reason}; {HINT}", thing=what, time=time)
        for kind, reason in _FULL.items():
            if self._data.warning[int(kind)].number:
                raise PhysicsError(reason, thing="", time=time)
        self._seen = _heard  # it was another simulation

    def _name(self, kind: mujoco.mjtWarning, index: int) -> str:
        """Return the thing, or the joint of a robot, that a place or degree of freedom is of."""
        each = 7 if kind == _Kind.mjWARN_BADQPOS else 6
        if index < each * len(self._names):
            return self._names[index // each]
        first = self._model.jnt_qposadr if each == 7 else self._model.jnt_dofadr
        joint = int((first <= index).sum()) - 1
        return str(self._model.joint(joint).name)
