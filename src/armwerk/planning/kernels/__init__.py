"""Compiled loops of the planning room; arrays in, arrays out, nothing checked.

Maps are filled line by line: along a line one joint runs, from line to line the other one. A pose
of an arm part is the product of a transform that belongs to the line and one that belongs to the
place on it.
"""
