"""Configuration spaces as maps: the grid, the methods that fill it, the result and its picture."""
