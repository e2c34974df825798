"""Runs that are stopped anywhere and turned back; expressions read and variables set meanwhile."""
