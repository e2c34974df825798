"""Compiled kernels of collision: plain loops over packed rows, see `layout`.

``python -m armwerk.collision.warm`` compiles them all at once.
"""
