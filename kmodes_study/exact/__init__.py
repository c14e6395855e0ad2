"What no clustering can be cheaper than, and proofs that one is the best."

from .bounds import lower_bound
from .optima import (
    Certificate,
    Proof,
    check_certificate,
    optimal_partitions,
    prove_optimum,
)

__all__ = [
    "Certificate",
    "Proof",
    "check_certificate",
    "lower_bound",
    "optimal_partitions",
    "prove_optimum",
]
