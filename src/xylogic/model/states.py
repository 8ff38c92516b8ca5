"""The states of a model's features."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from xylogic.domain.cells import Cells, make_cells
from xylogic.domain.feature import Feature
from xylogic.model.ensemble import Ensemble

__all__ = ["model_cells"]


def model_cells(
    model: Ensemble, features: Sequence[Feature] | None = None, missing: Collection[str] = ()
) -> tuple[Cells, ...]:
    """The cells of every feature: of the model's own, or of ``features``, which refine them and have its cuts.

    ``missing``: names of features that may be missing beside those that say so themselves.
    """
    top = math.inf if model.accepts_infinite else float(np.finfo(model.cast).max)
    limits = model.limits or [(-top, top)] * len(model.features)
    return tuple(
        make_cells(f, model.cast, limit, missing=f.may_be_missing or f.name in missing)
        for f, limit in zip(features or model.features, limits, strict=True)
    )
