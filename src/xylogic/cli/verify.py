"""``xylogic verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylogic.cli.data import read_rows
from xylogic.cli.output import DONE, NEGATIVE, Progress, print_json
from xylogic.view.text import verification_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from xylogic.convert.verify import Verification
    from xylogic.model.ensemble import Ensemble

__all__ = ["as_document", "verify_file"]


def verify_file(path: Path, data: Path, *, as_json: bool, trusted: bool, header: bool) -> int:
    """Compare the model in a file with its source, or, where the file holds no source, with the plain reference."""
    from xylogic.convert.read import open_path, read_model
    from xylogic.convert.verify import verify_model

    source = open_path(path, trusted)
    model = read_model(source)
    rows = read_rows(data, model, header=header)
    with Progress("verify"):
        if source is model:
            against, verdict = "the plain reference prediction", check_reference(model, model.encode(rows))
        else:
            against, verdict = model.source, verify_model(model, source, rows)
    document = {"model": str(path), "against": against, **as_document(verdict)}
    if as_json:
        print_json(document)
    else:
        print(f"Against {against}: {verification_text(document)}")
    return DONE if verdict.ok else NEGATIVE


def as_document(verdict: Verification) -> dict[str, Any]:
    """A verification as plain data."""
    return {
        "ok": verdict.ok,
        "rows_checked": verdict.rows_checked,
        "mismatches": [
            {"question": one.question, "model": one.model, "source": one.source, "row": one.row}
            for one in verdict.mismatches
        ],
    }


def check_reference(model: Ensemble, values: NDArray[np.float64]) -> Verification:
    """Compare the kernel's scores and leaves with the reference's, bit for bit."""
    from xylogic.convert.verify import Mismatch, Verification
    from xylogic.model import predict

    mismatches = []
    for question, fast, slow in (
        ("decision_function", predict.scores(model, values), predict.reference_scores(model, values)),
        ("apply", predict.apply(model, values), predict.reference_apply(model, values)),
    ):
        for row in (fast != slow).any(axis=1).nonzero()[0]:
            cells = dict(zip(model.feature_names, values[row].tolist(), strict=True))
            mismatches.append(Mismatch(cells, question, fast[row].tolist(), slow[row].tolist()))
    return Verification(not mismatches, len(values), mismatches)
