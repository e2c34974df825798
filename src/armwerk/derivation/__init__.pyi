from armwerk.derivation.derive import (
    Derivation as Derivation,
    derive as derive,
)
from armwerk.derivation.inverse import Inverse as Inverse
