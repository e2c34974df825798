"""Compiled kernels: plain loops over one packed array per arm, made ready by numba.

Every kernel has its argument types written down, so a call either fits or raises ``TypeError``;
nothing is compiled behind the user's back. Results are kept on disk (``cache=True``), and
``python -m armwerk.mechanics.warm`` makes them all at once.

A kernel calls only helpers of its own file: the disk cache notices a change of that file and of
no other. What is packed where in the arrays is said in `armwerk.mechanics.chain`.
"""
