"""The example scenes: made of simple solids, kept as small mesh files."""
