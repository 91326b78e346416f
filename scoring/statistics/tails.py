"""Two-sided p-values from counts of extreme resamples, with a normal or Student tail where counts run out."""

from __future__ import annotations

from math import erfc, inf, lgamma, pi, sqrt

import numpy as np

MANY = 200
"""From this many degrees of freedom on, Student's law is taken as normal."""

LEAST = 1e-12
"""No tail is trusted below this."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


def normal_two_sided(z: float) -> float:
    """P(|Z| ≥ |z|) for a standard normal Z."""
    return erfc(abs(z) / sqrt(2))


def student_two_sided(t: float, freedom: int) -> float:
    """P(|T| ≥ |t|) for Student's T.

    With t = √ν·tan θ the density is proportional to cos^(ν−1) θ; Gauss–Legendre over the tail, 64 nodes.
    """
    if freedom >= MANY:
        return normal_two_sided(t)
    start = np.arctan(abs(t) / sqrt(freedom))
    half = (pi / 2 - start) / 2
    angles = start + half * (1 + _NODES)
    tail = half * float(np.sum(_WEIGHTS * np.cos(angles) ** (freedom - 1)))
    # ∫ cos^(ν−1) over (−π/2, π/2) is B(ν/2, 1/2).
    whole = np.exp(lgamma(freedom / 2) + lgamma(0.5) - lgamma((freedom + 1) / 2))
    return min(1.0, 2 * tail / float(whole))


def two_sided(
    extreme: np.ndarray,
    resamples: int,
    observed: np.ndarray,
    error: np.ndarray,
    resolved: int,
    freedom: int = MANY,
) -> np.ndarray:
    """p = (extreme + 1) / (R + 1), for arrays of one shape.

    R resamples cannot show a p-value below 1/(R + 1), which after Holm over many pairs would hide every
    difference. So where fewer than `resolved` are extreme, p is that of observed / error under Student's law,
    at most (resolved + 1) / (R + 1). An observed difference of 0 has p = 1.
    """
    p = (extreme + 1.0) / (resamples + 1.0)
    for place in zip(*np.nonzero(extreme < resolved)):
        t = observed[place] / error[place] if error[place] > 0 else inf
        p[place] = min((resolved + 1.0) / (resamples + 1.0), max(LEAST, student_two_sided(t, freedom)))
    return np.where(observed == 0, 1.0, np.minimum(p, 1.0))
