"""Compiled kernels of collision: plain loops over packed rows.

What an array holds stands in `layout`, what a row says is asked by the functions of `fields`.
"""
