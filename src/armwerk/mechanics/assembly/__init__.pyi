from armwerk.mechanics.assembly.model import (
    AssemblyModel as AssemblyModel,
    AssemblyState as AssemblyState,
)
