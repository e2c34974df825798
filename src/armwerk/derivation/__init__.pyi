from armwerk.derivation.derive import (
    Derivation as Derivation,
)
from armwerk.derivation.derive import (
    derive as derive,
)
from armwerk.derivation.inverse import Inverse as Inverse
