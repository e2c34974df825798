"""File formats of descriptions: TOML, XML and URDF, one reader and one writer for each.

Writers take the data of a description and stand below the classes, so that ``Arm.save`` can call
them; readers make the classes and stand above them. `armwerk.robot.files` picks one by ending.
"""
