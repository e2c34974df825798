"""Lints: what runs and yet is a danger, each with its line and a picture of the place."""
