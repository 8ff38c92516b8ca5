"""How much the models of a set rely on one feature."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Reliance"]


class Reliance(NamedTuple):
    """Shares between 0 and 1. "Testing" is about how trees are written: some node tests the feature. "Depending" is
    about what they compute: the feature's value can change the answer. Equivalent trees count each in a share of
    trees, once in a share of functions, where the smallest tree stands for its function."""

    trees_testing: float
    trees_depending: float
    functions_testing: float
    functions_depending: float
