"""Holm's step-down correction (Holm 1979, Scandinavian Journal of Statistics 6)."""

from __future__ import annotations

from typing import List, Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> List[float]:
    """Adjusted p-values in the given order: max over the smaller ones of (m − i)·p₍ᵢ₎, i from 0, at most 1.

    Rejecting where the adjusted value is below α keeps the chance of any false rejection below α.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    adjusted = np.empty_like(p)
    adjusted[order] = stepped
    return adjusted.tolist()
