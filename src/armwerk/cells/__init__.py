"""Shipped cells: environment files (``NAME.env``) and, beside them, the controllers they name.

``aw.World.load("tower")`` and ``armwerk run tower`` find them by name. Copy a pair of files to
begin a cell of your own; `picker` holds what most of the controllers share.
"""
