"""Scenes on disk: mesh files with named groups, attributes beside them, settings."""
