"""``xylogic update``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylogic.cli.grow import FOLDS
from xylogic.cli.judging import ENOUGH, Judged, judged_at_once, judged_by_folds, makers
from xylogic.cli.labelled import Rows, read_rows
from xylogic.cli.output import BUDGET, DONE, NEGATIVE, Progress, check_out, interrupts, print_json, say
from xylogic.errors import InvalidInputError
from xylogic.view.release import release_text

if TYPE_CHECKING:
    from xylogic.model.ensemble import Ensemble
    from xylogic.update.compatibility import Compatibility

__all__ = ["update_file"]


@dataclass(frozen=True)
class Rules:
    """What decides about a release: the loss it may cost, and whether any row may become wrong."""

    max_loss_increase: float
    strict: bool


def update_file(
    old: Path,
    data: Path,
    target: str,
    *,
    test: Path | None,
    out: Path | None,
    strength: float,
    dissimilarity: str,
    tolerance: float,
    prune: str | None,
    rules: Rules,
    regions: int,
    time_limit: float | None,
    as_json: bool,
    trusted: bool,
    header: bool,
    parameters: dict[str, Any],
) -> int:
    """Grow a tree to replace an old one, print what that changes and whether it may be released; the exit code."""
    from xylogic.convert.read import read_model
    from xylogic.update.compatibility import compatibility
    from xylogic.update.reading import read_tree

    check_out(out, (old, data, test))
    model = read_tree(read_model(old, trusted=trusted), "the old tree")
    if model.classes is not None and tolerance:
        raise InvalidInputError("--tolerance is for numbers; the old tree answers classes, which are right or wrong")
    rows = read_rows(data, target, model, header)
    tested = rows if test is None else read_rows(test, target, model, header)
    given = {name: value for name, value in parameters.items() if value is not None}

    def judge(tree: Any, those: Rows, reference: Any) -> Compatibility:
        return compatibility(model, tree, those.X, those.y, tolerance=tolerance, reference=reference)

    with Progress("update"):
        sides = makers(
            model, rows, given, strength=strength, dissimilarity=dissimilarity, tolerance=tolerance, prune=prune
        )
        trees = {name: side.grow() for name, side in sides.items()}
        final = {name: judged_at_once(judge, tree, tested, rows.X) for name, tree in trees.items()}
        held_out: dict[str, Judged] | None = None
        if test is None and len(rows.X) >= ENOUGH:
            by_class = model.classes is not None
            held_out = {name: judged_by_folds(judge, side, rows, by_class) for name, side in sides.items()}
    judged = final if held_out is None else held_out
    # The new tree takes what the old one takes, whatever numbers happen to be in DATA.
    new = read_model(trees["compatible"], feature_names=model.feature_names if model.named else None)
    kinds = [feature.kind for feature in model.features]
    new = replace(new, features=tuple(replace(f, kind=kind) for f, kind in zip(new.features, kinds, strict=True)))
    document: dict[str, Any] = {
        "old": str(old), "target": target, "rows": len(rows.X), "columns": len(model.features),
        "strength": strength, "dissimilarity": dissimilarity, "tolerance": tolerance, "parameters": given,
        "loss_name": final["compatible"].found[0].loss_name, "judged_on": judged_on(test, held_out),
        "is_judged": test is not None or held_out is not None,
        "trees": {name: {"leaves": tree.get_n_leaves(), **judged[name].figures()} for name, tree in trees.items()},
        "old_tree": {"leaves": int((model.trees[0].left < 0).sum()), "loss": judged["compatible"].old_loss},
        **relied(model, rows, tolerance),
        "right_rows": final["compatible"].n_right,
        "flips_on": str(data if test is None else test),
        "negative_flips": final["compatible"].flips(),
        "held_out_flips": None if held_out is None else held_out["compatible"].flips(),
        "kinds": dict(zip(model.feature_names, kinds, strict=True)),
    }  # fmt: skip
    document |= changes(model, new, tested.X, tolerance, regions, time_limit)
    reasons = list(objections(document, rules))
    document |= {"release": not reasons, "reasons": reasons, "saved": None}
    if out is not None and not reasons:
        new.save(out)
        document["saved"] = str(out)
    if as_json:
        print_json(document)
    else:
        print(release_text(document))
    if reasons:
        return NEGATIVE
    return DONE if document["changes"]["status"] == "exact" else BUDGET


def judged_on(test: Path | None, held_out: dict[str, Judged] | None) -> str:
    if test is not None:
        return f"the rows of {test}"
    return "the rows that the trees were grown on" if held_out is None else f"held-out rows, {FOLDS} folds"


def relied(model: Ensemble, rows: Rows, tolerance: float) -> dict[str, Any]:
    """On how many of the rows that the new tree is grown on the old one is right; by how much numbers are off."""
    import numpy as np

    from xylogic.update.relied import answers, relied_rows

    values = model.encode(rows.X)
    found: dict[str, Any] = {"relied_rows": int(relied_rows(model, values, rows.y, tolerance).sum())}
    if model.classes is None:
        found["old_tree_is_off_by"] = float(np.median(np.abs(answers(model, values) - rows.y)))
    return found


def changes(
    old: Ensemble, new: Ensemble, X: Any, tolerance: float, most: int, time_limit: float | None
) -> dict[str, Any]:
    """What the new tree changes over all rows: where it decides otherwise, and where it explains otherwise.

    Ctrl-C leaves a partial answer.
    """
    from xylogic.update.release import release_changes

    with interrupts() as seen, Progress("regions"):
        try:
            found = release_changes(old, new, X, tolerance=tolerance, limit=most, time_limit=time_limit)
        except KeyboardInterrupt:  # before or after the search, which takes one for its limit
            found = release_changes(old, new, X, tolerance=tolerance, limit=most, node_limit=0)
    if seen:
        say("interrupted at the regions; what was found follows")
    whole = found.to_dict()
    listed = whole.pop("regions")
    return {
        "changes": whole,
        "decision_regions": [region for region in listed if region["decides_otherwise"]],
        "explanation_regions": [region for region in listed if not region["decides_otherwise"]],
    }


def objections(document: dict[str, Any], rules: Rules) -> Iterator[str]:
    """Why the new tree may not be released; what cannot be measured is not met."""
    rows = document["rows"]
    if not document["is_judged"]:
        yield f"{rows} rows are too few to hold some out, which takes {ENOUGH}: without --test it cannot be judged"
    if not document["relied_rows"]:
        if "old_tree_is_off_by" in document:
            yield (
                f"no explanation is relied on: the old tree is off by more than {document['tolerance']:g} on all "
                f"{rows} rows (by {document['old_tree_is_off_by']:.4g} in the median); a --tolerance is needed"
            )
        else:
            yield f"no explanation is relied on: the old tree answers none of the {rows} rows right"
    new, old = document["trees"]["compatible"]["loss"], document["old_tree"]["loss"]
    if not new <= old + rules.max_loss_increase:
        yield (
            f"its {document['loss_name']} of {new:.6g} is above the old tree's {old:.6g} by more than "
            f"{rules.max_loss_increase:g} ({document['judged_on']})"
        )
    if not rules.strict:
        return
    right, where = document["right_rows"], document["flips_on"]
    if not right:
        yield f"--strict has no row to judge by: of those of {where}, the old tree answers none right"
    for flips, how in ((document["negative_flips"], ""), (document["held_out_flips"], ", held out")):
        if flips:
            yield f"{len(flips)} of {right} rows of {where} that the old tree answers right become wrong{how}"
