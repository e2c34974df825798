"""Mobile robots in MuJoCo: how they are built, driven and felt."""
