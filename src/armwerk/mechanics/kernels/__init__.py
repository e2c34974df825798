"""Compiled kernels: plain loops over one packed array per arm, see `armwerk.compiled`.

``armwerk warm`` compiles them all at once. What is packed where in the arrays
is said in `armwerk.mechanics.chain`.
"""
