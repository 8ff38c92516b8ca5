"""How far the orders tried for many categories fall short of trying all subsets."""

from __future__ import annotations

from typing import Any

import common
import numpy as np

LEVELS = (9, 11, 13)  # up to 8 all subsets are tried anyway
TARGETS: dict[str, tuple[str, int]] = {
    "gini, 3 classes": ("gini", 3),
    "gini, 10 classes": ("gini", 10),
    "entropy, 5 classes": ("entropy", 5),
    "absolute error": ("absolute_error", 0),
}


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """Gains of the best split at the root, ordered and exhaustive, over random tables of one column."""
    from xylogic import Feature
    from xylogic.grow.columns import read_columns
    from xylogic.grow.grower import Limits, grow
    from xylogic.grow.target import class_target, number_target

    records: list[common.Record] = []
    for name, (criterion, n_classes) in TARGETS.items():
        for n_levels in LEVELS:
            rng = np.random.default_rng(n_levels)
            gaps = []
            for _ in range(args.tables):
                sizes = rng.integers(3, 30, n_levels)
                codes = np.repeat(np.arange(n_levels), sizes)
                if n_classes:
                    shares = rng.dirichlet(np.ones(n_classes), n_levels)
                    y = np.concatenate([rng.choice(n_classes, n, p=p) for n, p in zip(sizes, shares, strict=True)])
                    target = class_target(y.astype(np.int32), n_classes, None, criterion)
                else:
                    target = number_target(
                        rng.standard_t(2, len(codes)) + rng.normal(size=n_levels)[codes], None, criterion
                    )
                feature = Feature("x", "categorical", tuple(range(n_levels)))
                columns = read_columns(codes[:, None].astype(np.float64), [feature])
                gains = [
                    float(grow(columns, target, Limits(max_depth=1, most_subsets=most)).gain[0])
                    for most in (0, 2 ** (n_levels - 1))
                ]
                gaps.append(1.0 - gains[0] / gains[1] if gains[1] > 0 else 0.0)
            record = {"target": name, "levels": n_levels, "tables": args.tables}
            record |= {"not the best %": 100.0 * float(np.mean(np.array(gaps) > 1e-9))}
            record |= {"mean gap %": 100.0 * float(np.mean(gaps)), "largest gap %": 100.0 * max(gaps)}
            records.append(record)
            print(common.table(records[-1:]).splitlines()[-1], flush=True)
    return records
