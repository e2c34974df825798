"""Parsing by descent: expressions, statements, whole programs, each a class on the last.

What enters is a `SourceText`; what leaves is a `Unit`, and problems noted in the source.
"""
