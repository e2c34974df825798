"""Robot programs in editors: what comes in is text as it is typed, what goes out is help.

    positions, analysis            texts, their names and types, half-written ones too
    hover, completion, calls,      what an editor asks for, without a protocol
    outline, tokens, renaming
    explanations                   what predefined names mean, in a sentence
    arms                           arms that programs are tried on, beside the answers
    server                         the Language Server Protocol, by pygls
    adapter                        the Debug Adapter Protocol, by ourselves

The protocols stand at the edge: everything else can be used without them.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
