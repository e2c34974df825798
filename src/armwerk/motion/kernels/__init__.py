"""Compiled loops of the motion room; arrays in, arrays out, nothing checked."""
