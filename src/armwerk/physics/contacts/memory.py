"""MuJoCo's memory: everything this repository knows about it stands in this module.

The kernels change what contacts aim at between the two halves of a step. Asking MuJoCo's bindings
for contacts and constraint rows costs more than a small step itself, so the kernels look them up
where MuJoCo keeps them. Where that is, is found out by two probes that know nothing of each other:

- `declared_layout` reads the headers that come with the library and reckons as a C compiler does;
- `observed_places` searches the memory of a small model for the addresses and counts that the
  public views report, in several states; how much there is to search, the allocator says.

When they agree, `StepMemory` compares what lies at those places with the public views in the first
step of every simulation, and in its first step with contacts. When anything disagrees, it copies
the contacts from the public views in every step instead: slower, and the same to the last bit.
"""

from __future__ import annotations

import ctypes
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Integers

_log = logging.getLogger("armwerk.physics")

COUNTS = ("ncon", "nefc", "nisland")
POINTERS = (
    "contact", "efc_aref", "efc_vel", "efc_force", "efc_D", "iefc_D", "map_efc2iefc",
)  # fmt: skip
_ROWS = POINTERS[1:5]  # one number per constraint row each
_ISLANDS = POINTERS[5:]  # the same where islands are solved apart
FIELDS = ("dist", "pos", "frame", "friction", "geom", "efc_address", "dim")
"""The fields of a contact that kernels read; the first four are numbers, the others integers."""

_COPY = np.dtype(
    [
        ("dist", "f8"),
        ("pos", "f8", 3),
        ("frame", "f8", 9),
        ("friction", "f8", 5),
        ("geom", "i4", 2),
        ("efc_address", "i4"),
        ("dim", "i4"),
    ]
)
_ADDRESS = 8  # [bytes]
_ROUNDED = 1.25  # times as much as was asked for, and _ALIGNED: what allocators give at most
_ALIGNED = 160  # [bytes]
_C_TYPES = {  # size of each [bytes], which is also what it is aligned to
    "mjtNum": 8,
    "mjtSize": 8,
    "size_t": 8,
    "uintptr_t": 8,
    "uint64_t": 8,
    "int": 4,
    "mjtBool": 1,
}
_STATISTICS = ("mjWarningStat", "mjTimerStat", "mjSolverStat")
_CONSTANTS = {
    "mjNREF": mujoco.mjNREF,
    "mjNIMP": mujoco.mjNIMP,
    "mjNISLAND": mujoco.mjNISLAND,
    "mjNSOLVER": mujoco.mjNSOLVER,
    "mjNWARNING": int(mujoco.mjtWarning.mjNWARNING),
    "mjNTIMER": int(mujoco.mjtTimer.mjNTIMER),
}
_FIELD = re.compile(r"^(\w+)\s*(\**)\s*(\w+)(?:\[([\w*]+)\])?$")
# a box has several contacts and a tendon makes an array of its own, so that no two counts and no
# two addresses are equal by chance
_PROBE = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><site name="a"/>
<body pos="0 0 .09"><freejoint/><geom size=".1"/><site name="b"/></body>
<body pos="1 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
<body pos="2 0 .09"><freejoint/><geom size=".1" condim="6"/></body></worldbody>
<tendon><spatial><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
_LIFTED: tuple[tuple[int, ...], ...] = ((), (0,), (0, 2), (1,))  # bodies off the plane, per state

Places: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where MuJoCo keeps what the kernels look up.

    Args:
        data: Place of `COUNTS` (32 bits), `POINTERS` and "arena" in mjData [bytes].
        data_size: Of mjData [bytes].
        contact: Place of `FIELDS` in mjContact [bytes].
        contact_size: Of mjContact [bytes].
    """

    data: Places
    data_size: int
    contact: Places
    contact_size: int


def address_of(array: NDArray[np.generic]) -> int:
    """Return where an array begins in memory."""
    return int(array.__array_interface__["data"][0])


def declared_layout(headers: Path | None = None) -> Layout | None:
    """Return the layout that the headers of the library declare.

    Args:
        headers: Their folder; None: the one that comes with the library.

    Returns:
        None when they are missing or say something that is not understood.
    """
    folder = headers or Path(mujoco.__file__).parent / "include" / "mujoco"
    try:
        text = (folder / "mjdata.h").read_text(encoding="utf-8")
        sizes = dict(_C_TYPES)
        aligned = dict(_C_TYPES)
        for name in _STATISTICS:
            aligned[name] = _ADDRESS if "mjtNum" in _body(text, name) else 4
            sizes[name] = _struct(_body(text, name), sizes, aligned)[1]
        data, data_size = _struct(_body(text, "mjData"), sizes, aligned)
        contact, contact_size = _struct(_body(text, "mjContact"), sizes, aligned)
        return Layout(
            {name: data[name] for name in (*COUNTS, *POINTERS, "arena")},
            data_size,
            {name: contact[name] for name in FIELDS},
            contact_size,
        )
    except (OSError, KeyError, ValueError):
        return None


def _body(text: str, name: str) -> str:
    """Return what stands between the braces of a struct, without comments."""
    found = re.search(rf"typedef struct {name}_ \{{(.*?)\n\}} {name};", text, re.DOTALL)
    if found is None:
        raise ValueError(f"no struct {name}")
    return re.sub(r"//.*", "", found.group(1))


def _struct(body: str, sizes: Mapping[str, int], aligned: Mapping[str, int]) -> tuple[Places, int]:
    """Return the place of every field of a struct, and its size, as C lays them out [bytes]."""
    places: dict[str, int] = {}
    at, widest = 0, 1
    for declaration in filter(None, (line.strip() for line in body.split(";"))):
        found = _FIELD.match(declaration)
        if found is None:
            raise ValueError(f"cannot read '{declaration}'")
        kind, star, name, dimension = found.groups()
        size, align = (_ADDRESS, _ADDRESS) if star else (sizes[kind], aligned[kind])
        at += -at % align
        places[name] = at
        at += size * _product(dimension)
        widest = max(widest, align)
    return places, at + -at % widest


def _product(dimension: str | None) -> int:
    """Return the value of a product of numbers and constants of the library; None: 1."""
    total = 1
    for factor in dimension.split("*") if dimension else ():
        total *= int(factor) if factor.isdigit() else _CONSTANTS[factor]
    return total


def allocated_size(address: int) -> int:
    """Return how much memory was given out at an address [bytes]; 0: nobody can tell."""
    with suppress(OSError, TypeError):
        library = ctypes.CDLL(None)
        for name in ("malloc_usable_size", "malloc_size"):  # of Linux, of macOS
            if hasattr(library, name):
                ask = getattr(library, name)
                ask.restype, ask.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
                return int(ask(address))
    return 0


def observed_places() -> tuple[dict[str, set[int]], int]:
    """Return at which places of mjData counts and pointers were seen in every state, and its size.

    Addresses are those of the public views; that what is written through a view is found behind
    the pointer is made sure of with a value of its own for every row. The size is the least that
    was given out, rounded up by the allocator; 0, and no places, when nobody can tell. In bytes.
    """
    model = mujoco.MjModel.from_xml_string(_PROBE)
    found: dict[str, set[int]] = {}
    sizes: list[int] = []
    for lifted in _LIFTED:
        data = mujoco.MjData(model)
        data_size = allocated_size(data._address) // _ADDRESS * _ADDRESS
        if data_size == 0:
            return {}, 0
        sizes.append(data_size)
        mujoco.mj_forward(model, data)  # so that the most contacts ever are not those of now
        for body in lifted:
            data.qpos[7 * body + 2] = 1.0
        mujoco.mj_forward(model, data)
        memory = np.frombuffer(_raw(data._address, data_size), dtype=np.uint8)
        words, halves = memory.view(np.uint64), memory.view(np.int32)
        seen = {name: 4 * np.flatnonzero(halves == getattr(data, name)) for name in COUNTS}
        apart = {name: getattr(data, name) for name in _ISLANDS}
        views = {"contact": data.contact.dist, **{name: getattr(data, name) for name in _ROWS}}
        views |= apart
        for name, view in views.items():
            seen[name] = 8 * np.flatnonzero(words == address_of(view))
        written = (*_ROWS, "iefc_D")
        marks = {name: k + 0.5 + np.arange(data.nefc) for k, name in enumerate(written)}
        for name, mark in marks.items():
            getattr(data, name)[:] = mark
        for name, mark in marks.items():
            behind = np.frombuffer(_raw(address_of(views[name]), 8 * data.nefc))
            if not np.array_equal(behind, mark):
                seen[name] = np.zeros(0, dtype=np.int64)
        for name, places in seen.items():
            mine = set(places.tolist())
            found[name] = found.get(name, mine) & mine
    return found, min(sizes)


def observed_contact() -> tuple[Places, int]:
    """Return where the public views see the fields of a contact, and the size of one [bytes]."""
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    fields = {name: getattr(data.contact, name) for name in FIELDS}
    begin = address_of(fields["dist"])
    places = {name: address_of(field) - begin for name, field in fields.items()}
    return places, int(fields["dist"].strides[0])


def disagreement(declared: Layout | None) -> str:
    """Return what the two probes do not agree on; nothing when they do."""
    if declared is None:
        return "the headers of the library cannot be read"
    seen, size = observed_places()
    if not declared.data_size <= size <= _ROUNDED * declared.data_size + _ALIGNED:
        return f"mjData is declared to have {declared.data_size} bytes, seen with {size}"
    for name, places in seen.items():
        # contacts begin where the arena begins, so both places hold the same address
        others = places - {declared.data[name]}
        if declared.data[name] not in places or others - {declared.data["arena"]}:
            return f"'{name}' is declared at {declared.data[name]}, seen at {sorted(places)}"
    if observed_contact() != (declared.contact, declared.contact_size):
        return "contacts are declared otherwise than they are seen"
    return ""


@cache
def find_layout() -> Layout | None:
    """Return the layout both probes agree on; None, with one notice, when there is none."""
    declared = declared_layout()
    text = disagreement(declared)
    if text:
        _notice(text)
        return None
    return declared


@cache
def _notice(text: str) -> None:
    """Say once why the slow way is taken."""
    _log.warning(
        "MuJoCo %s keeps its contacts in an unknown way (%s); they are copied in every step: "
        "the same results, more slowly",
        mujoco.__version__,
        text,
    )


def mismatch(layout: Layout, data: mujoco.MjData) -> str:
    """Return what of a layout is not so in a simulation; nothing when all is as it says.

    Only mjData itself is read; pointers are compared with the public views, not followed.
    """
    base = int(data._address)
    for name in COUNTS:
        seen = ctypes.c_int32.from_address(base + layout.data[name]).value
        if seen != getattr(data, name):
            return f"'{name}' is {getattr(data, name)}, not {seen}"
    views = {name: getattr(data, name) for name in _ROWS} if data.nefc else {}
    if data.nefc and data.nisland:
        views |= {name: getattr(data, name) for name in _ISLANDS}
    if data.ncon:
        views["contact"] = data.contact.dist
    for name, view in views.items():
        if ctypes.c_uint64.from_address(base + layout.data[name]).value != address_of(view):
            return f"'{name}' does not lie where it should"
    if data.ncon:
        for name in FIELDS:
            field = getattr(data.contact, name)
            begin = address_of(field) - address_of(views["contact"])
            if begin != layout.contact[name] or field.strides[0] != layout.contact_size:
                return f"'{name}' of a contact does not lie where it should"
    return ""


class StepMemory:
    """Where the kernels find the contacts and constraint rows of one simulation.

    Args:
        data: MuJoCo's data.
        layout: None: take the slow way at once.

    Attributes:
        direct: Whether the kernels look into MuJoCo's own memory.
        cells: Addresses at which the counts and pointers of a step are kept: `COUNTS` (32 bits),
            then `POINTERS`. Shape (10,).
        contact_size: Of a contact [bytes].
        columns: Where `FIELDS` begin in a contact, counted in numbers of their own size.
            Shape (7,).
    """

    def __init__(self, data: mujoco.MjData, layout: Layout | None) -> None:
        self._data = data
        self._layout = layout
        self._counts = np.zeros(len(COUNTS), dtype=np.int32)
        self._pointers = np.zeros(len(POINTERS), dtype=np.uint64)
        self._kept: tuple[NDArray[np.generic], ...] = ()
        self._checked = False
        self.direct = layout is not None
        self._describe()

    def renew(self) -> bool:
        """Make sure that the kernels find this step's contacts; call after mj_step1.

        Returns:
            Whether it must be called in the next step too: until contacts have been checked once,
            and always on the slow way.
        """
        data = self._data
        if self._layout is not None and self.direct:
            untouched = data.ncon == 0
            if untouched and self._checked:
                return True
            text = mismatch(self._layout, data)
            if not text:
                self._checked = True
                return bool(untouched)
            _notice(text)
            self.direct = False
            self._describe()
        contacts = np.empty(data.ncon, dtype=_COPY)
        for name in FIELDS:
            contacts[name] = getattr(data.contact, name)
        self._kept = (contacts, *(getattr(data, name) for name in _ROWS + _ISLANDS))
        self._counts[:] = len(contacts), len(self._kept[1]), data.nisland
        self._pointers[:] = [address_of(array) for array in self._kept]
        return True

    def _describe(self) -> None:
        """Say where counts, pointers and fields are, on the way that is taken."""
        layout = self._layout
        if layout is not None and self.direct:
            base = int(self._data._address)
            cells = [base + layout.data[name] for name in (*COUNTS, *POINTERS)]
            places, self.contact_size = layout.contact, layout.contact_size
        else:
            cells = [address_of(self._counts) + 4 * k for k in range(len(COUNTS))]
            cells += [address_of(self._pointers) + 8 * k for k in range(len(POINTERS))]
            one = np.zeros(1, dtype=_COPY)
            places = {name: address_of(one[name]) - address_of(one) for name in FIELDS}
            self.contact_size = _COPY.itemsize
        self.cells: Integers = np.array(cells, dtype=np.int64)
        sizes = [_COPY[name].base.itemsize for name in FIELDS]
        columns = [places[name] // size for name, size in zip(FIELDS, sizes, strict=True)]
        self.columns: Integers = np.array(columns, dtype=np.int64)


def _raw(address: int, size: int) -> memoryview[int]:
    return memoryview((ctypes.c_byte * size).from_address(address))
