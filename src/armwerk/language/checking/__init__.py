"""Checking: from syntax trees to a program with types and instructions, or to all its problems."""
