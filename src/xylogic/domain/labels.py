"""Which class labels are the same one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

__all__ = ["label_key", "label_position"]


def label_key(label: Hashable) -> tuple[bool, Hashable]:
    """What equal labels share: 1.0 is 1, and True is not."""
    return isinstance(label, bool | np.bool_), label


def label_position(label: Any, classes: Sequence[Hashable]) -> int | None:
    """Where a label stands among the classes; ``None`` where it is none of them."""
    if not isinstance(label, Hashable):
        return None
    own = label_key(label)
    return next((position for position, known in enumerate(classes) if label_key(known) == own), None)
