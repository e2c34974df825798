from armwerk.derivation.derived import (
    Derivation as Derivation,
    derive as derive,
)
from armwerk.derivation.inverse import Inverse as Inverse
