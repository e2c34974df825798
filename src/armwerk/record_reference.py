"""Records handed on inside kernels by reference: one address instead of all their fields.

numba hands a named tuple on field by field, and an array as seven numbers: a function that is given
a record of forty arrays has three hundred arguments, and most of the time of compiling goes into
packing and unpacking them. `refer` puts a record down once, in the frame of the function that calls
it; what is handed on from there is its address. Fields are read as those of the record, and records
within it are references too. Outside of kernels, `refer` returns the record itself.

A reference must not outlive the function that made it, nor keep alive what the record holds: arrays
in the record are those of somebody else.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeAlias, TypeVar

from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import lower_builtin, lower_getattr_generic, register_model

OfNumba: TypeAlias = Any  # numba tells no types
Record = TypeVar("Record", bound=tuple[object, ...])


def refer(record: Record) -> Record:
    """Return a reference to a record, to be handed on to inner functions."""
    return record


class _Reference(types.Type):  # type: ignore[misc]  # numba tells no types
    """The type of a reference to a record."""

    def __init__(self, record: OfNumba) -> None:
        self.record = record
        # numba writes the name of a type into every symbol, and that of a record is a page long
        kind = hashlib.sha256(record.name.encode()).hexdigest()[:16]
        super().__init__(name=f"Reference({record.instance_class.__name__},{kind})")

    @property
    def key(self) -> OfNumba:
        """What makes two such types equal."""
        return self.record


@register_model(_Reference)
class _AddressModel(models.PrimitiveModel):  # type: ignore[misc]  # numba tells no types
    """How a reference is kept: as an address."""

    def __init__(self, manager: OfNumba, kind: _Reference) -> None:
        super().__init__(manager, kind, manager.lookup(kind.record).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]  # numba tells no types
    """The types of fields read through a reference."""

    key = _Reference

    def generic_resolve(self, kind: _Reference, field: str) -> OfNumba:
        """Return the type of a field, None: there is none of that name."""
        if field not in kind.record.fields:
            return None
        found = kind.record[kind.record.fields.index(field)]
        return _Reference(found) if isinstance(found, types.BaseNamedTuple) else found


def _read(
    context: OfNumba, builder: OfNumba, kind: _Reference, address: OfNumba, field: str
) -> OfNumba:
    """Generate the reading of a field."""
    place = kind.record.fields.index(field)
    found = cgutils.gep_inbounds(builder, address, 0, place)
    if isinstance(kind.record[place], types.BaseNamedTuple):
        return found
    return impl_ret_borrowed(context, builder, kind.record[place], builder.load(found))


@infer_global(refer)
class _Referring(AbstractTemplate):  # type: ignore[misc]  # numba tells no types
    """The type of what `refer` returns."""

    def generic(self, arguments: OfNumba, _named: object) -> OfNumba:
        """Return the types of a call; None: that is no record."""
        (record,) = arguments
        if isinstance(record, types.BaseNamedTuple):
            return signature(_Reference(record), record)
        return None


def _put_down(
    _context: object, builder: OfNumba, _signature: object, arguments: OfNumba
) -> OfNumba:
    """Generate the putting down of a record."""
    return cgutils.alloca_once_value(builder, arguments[0])


lower_getattr_generic(_Reference)(_read)
lower_builtin(refer, types.BaseNamedTuple)(_put_down)
