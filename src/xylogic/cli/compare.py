"""``xylogic compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from xylogic.cli.data import read_rows
from xylogic.cli.output import BUDGET, DONE, NEGATIVE, Progress, print_json
from xylogic.view.comparison import comparison_text

__all__ = ["compare_files"]


def compare_files(
    first: Path,
    second: Path,
    *,
    data: Path | None,
    regions: int | None,
    output: str,
    tolerance: float,
    time_limit: float | None,
    as_json: bool,
    trusted: bool,
    header: bool,
) -> int:
    """Compare the models in two files; the exit code. ``regions``: how many to list, 0 for none."""
    from xylogic.compare.comparison import compare
    from xylogic.convert.read import read_model

    a, b = (read_model(path, trusted=trusted) for path in (first, second))
    X = None if data is None else _table(read_rows(data, a, header=header), a.feature_names)
    with Progress("compare"):
        found = compare(a, b, X, output=output, tolerance=tolerance, time_limit=time_limit)
        if found.witness is not None or found.status["equivalent"].status != "exact":
            found.measure()
    result: dict[str, Any] = {"first": str(first), "second": str(second), **found.to_dict()}
    if regions:
        with Progress("regions"):
            listed = found.regions(regions)
        result["regions"] = [region.to_dict() for region in listed]
        result["regions_status"] = listed.status
    if as_json:
        print_json(result)
    else:
        print(comparison_text(result, None))
    if result["equivalent"] is None:
        return BUDGET
    return DONE if result["equivalent"] else NEGATIVE


def _table(rows: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Rows by name, so that each model finds its own columns."""
    return [dict(zip(names, row, strict=True)) for row in (rows if isinstance(rows, list) else rows.tolist())]
