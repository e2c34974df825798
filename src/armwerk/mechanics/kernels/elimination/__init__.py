"""Kernels of the general six-axis inverse: lines, reduction, determinant, roots on the circle."""
