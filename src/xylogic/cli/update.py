"""``xylogic update``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylogic.cli.data import match_names, quoted
from xylogic.cli.grow import FOLDS, folds
from xylogic.cli.output import BUDGET, DONE, NEGATIVE, Progress, check_out, print_json, say
from xylogic.cli.training import Training, read_training
from xylogic.errors import InvalidInputError
from xylogic.view.release import release_text

if TYPE_CHECKING:
    from xylogic.model.ensemble import Ensemble
    from xylogic.update.compatibility import Compatibility

__all__ = ["update_file"]

MEASURES = ("jac", "jlu", "mae", "mse")

Grow = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Rules:
    """What decides about a release: the loss it may cost, and whether any row may become wrong."""

    max_loss_increase: float
    strict: bool


@dataclass(frozen=True)
class Rows:
    """A file as the old tree sees it: float64 (n, n_features) in its columns' order, and the true answers."""

    X: Any
    y: Any


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

    check_out(out)
    model = read_tree(read_model(old, trusted=trusted), "the old tree")
    if model.classes is not None and tolerance:
        raise InvalidInputError("--tolerance is for numbers; the old tree answers classes, which are right or wrong")
    rows = read_rows(data, target, model, header)
    tested = rows if test is None else read_rows(test, target, model, header)
    given = {name: value for name, value in parameters.items() if value is not None}
    sides = makers(model, given, strength, dissimilarity, tolerance, prune)

    def judge(tree: Any, those: Rows, reference: Any) -> Compatibility:
        return compatibility(model, tree, those.X, those.y, tolerance=tolerance, reference=reference)

    with Progress("update"):
        trees = {name: refusing(grow, rows) for name, grow in sides.items()}
        final = {name: judge(tree, tested, rows.X) for name, tree in trees.items()}
        judged = {name: [one] for name, one in final.items()}
        on = f"the rows of {test}" if test is not None else "the rows that the trees were grown on"
        if test is None and (parts := held_out_parts(rows.y, model.classes is not None)):
            on = f"held-out rows, {FOLDS} folds"
            judged = {name: cross_judged(grow, judge, rows, parts) for name, grow in sides.items()}
    new = read_model(trees["compatible"], feature_names=model.feature_names if model.named else None)
    document: dict[str, Any] = {
        "old": str(old), "target": target, "rows": len(rows.X), "columns": len(model.features),
        "strength": strength, "dissimilarity": dissimilarity, "tolerance": tolerance, "parameters": given,
        "loss_name": final["compatible"].loss_name, "judged_on": on,
        "trees": {name: {"leaves": trees[name].get_n_leaves(), **figures(judged[name])} for name in trees},
        "old_tree": {"leaves": int((model.trees[0].left < 0).sum()), "loss": old_loss(judged["compatible"])},
        "right_rows": final["compatible"].n_correct,
        "flips_on": str(data if test is None else test),
        "negative_flips": final["compatible"].to_dict()["negative_flips"],
    }  # fmt: skip
    document |= changes(model, new, tested.X, tolerance, regions, time_limit)
    reasons = objections(document, rules)
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


def makers(
    model: Ensemble, given: dict[str, Any], strength: float, dissimilarity: str, tolerance: float, prune: str | None
) -> dict[str, Grow]:
    """How plain CART and the compatible tree are made of rows."""
    from xylogic.grow import estimators as plain
    from xylogic.grow.prune import prune_cv
    from xylogic.update import estimators as compatible
    from xylogic.update.pruning import prune_compatible

    own: dict[str, Any] = {"dissimilarity": dissimilarity, "strength": strength, **given}
    cart: Any
    kept: Any
    if model.classes is not None:
        cart = plain.DecisionTreeClassifier(zero_gain="refuse", **given)
        kept = compatible.CompatibleTreeClassifier(model, **own)
    else:
        cart = plain.DecisionTreeRegressor(zero_gain="refuse", **given)
        kept = compatible.CompatibleTreeRegressor(model, tolerance=tolerance, **own)

    def maker(tree: Any, choose: Callable[..., Any]) -> Grow:
        def grow(X: Any, y: Any) -> Any:
            from sklearn.base import clone

            if prune is None:
                return clone(tree).fit(X, y)
            return choose(tree, X, y, cv=folds(y, model.classes is not None), rule=prune).estimator

        return grow

    return {"cart": maker(cart, prune_cv), "compatible": maker(kept, prune_compatible)}


def refusing(grow: Grow, rows: Rows) -> Any:
    try:
        return grow(rows.X, rows.y)
    except ValueError as error:  # scikit-learn's own among them
        raise InvalidInputError(str(error)) from error


def held_out_parts(y: Any, by_class: bool) -> list[tuple[Any, Any]]:
    """The folds' rows, to grow on and to judge; none where there are too few rows, or too few of some class."""
    import numpy as np

    if len(y) < 2 * FOLDS or (by_class and np.unique(y, return_counts=True)[1].min() < FOLDS):
        say("too few rows to hold some out: losses are those of the rows that the trees were grown on")
        return []
    return list(folds(y, by_class).split(np.zeros((len(y), 1)), y))


def cross_judged(
    grow: Grow, judge: Callable[[Any, Rows, Any], Compatibility], rows: Rows, parts: Sequence[tuple[Any, Any]]
) -> list[Compatibility]:
    """Each row judged by the tree that was grown without it."""
    return [
        judge(grow(rows.X[known], rows.y[known]), Rows(rows.X[held], rows.y[held]), rows.X[known])
        for known, held in parts
    ]


def figures(judged: Sequence[Compatibility]) -> dict[str, Any]:
    """Loss, BCP, dissimilarities and negative flips over all rows that were judged."""
    right = sum(one.n_correct for one in judged)
    flips = sum(len(one.negative_flips) for one in judged)
    weight = sum(float(one.weights.sum()) for one in judged)
    found: dict[str, Any] = {
        "loss": sum(one.loss * one.n_rows for one in judged) / sum(one.n_rows for one in judged),
        "bcp": (right - flips) / right if right else None,
        "negative_flips": flips,
    }
    for name in MEASURES:
        total = sum(float(one.weights @ one.rows[name]) for one in judged)
        found[name] = total / weight if weight else None
    return found


def old_loss(judged: Sequence[Compatibility]) -> float:
    return sum(one.old_loss * one.n_rows for one in judged) / sum(one.n_rows for one in judged)


def changes(
    old: Ensemble, new: Ensemble, X: Any, tolerance: float, most: int, time_limit: float | None
) -> dict[str, Any]:
    """What the new tree changes over all rows: where it decides otherwise, and where it explains otherwise."""
    from xylogic.compare.comparison import compare
    from xylogic.update.release import release_changes

    with Progress("regions"):
        compared = compare(old, new, missing=(), tolerance=tolerance, time_limit=time_limit)
        decided = compared.regions(most)
        found = release_changes(old, new, X, tolerance=tolerance, limit=most, time_limit=time_limit)
    whole = found.to_dict()
    explained = [region for region in whole.pop("regions") if not region["decides_otherwise"]]
    return {
        "changes": whole,
        "decision_regions": [region.to_dict() for region in decided],
        "decision_regions_status": decided.status,
        "explanation_regions": explained,
    }


def objections(document: dict[str, Any], rules: Rules) -> list[str]:
    """Why the new tree may not be released."""
    found = []
    new, old = document["trees"]["compatible"]["loss"], document["old_tree"]["loss"]
    if new > old + rules.max_loss_increase:
        found.append(
            f"its {document['loss_name']} of {new:.6g} is above the old tree's {old:.6g} by more than "
            f"{rules.max_loss_increase:g} ({document['judged_on']})"
        )
    if rules.strict and document["negative_flips"]:
        found.append(
            f"{len(document['negative_flips'])} of {document['right_rows']} rows of {document['flips_on']} that the "
            "old tree answers right become wrong"
        )
    return found


# ---- reading ----------------------------------------------------------------------------------------------------


def read_rows(path: Path, target: str, model: Ensemble, header: bool) -> Rows:
    """The rows of a file for a model; raises InvalidInputError, naming column and row, for what it does not take."""
    import numpy as np

    from xylogic.update.reading import finite_table

    training = read_training(path, target, header=header)
    places = columns(path, training.names, model)
    X = np.empty((len(training.table), len(places)))
    for column, place in enumerate(places):
        X[:, column] = [number(cell, training.names[place], row) for row, cell in enumerate(training.table[:, place])]
    finite_table(model, X)
    return Rows(X, answers(training, target, model))


def columns(path: Path, names: list[str], model: Ensemble) -> list[int]:
    """Where the file has each of the model's columns: by name where the model has names, else by position."""
    wanted = list(model.feature_names)
    if model.named or set(wanted) <= set(names):
        return match_names(path, names, wanted)
    if len(names) != len(wanted):
        raise InvalidInputError(
            f"{path} has {len(names)} columns beside the target; the old tree, which has no column names, takes "
            f"{len(wanted)}"
        )
    say(f"the old tree has no column names: the columns of {path} are taken by position")
    return list(range(len(wanted)))


def number(cell: Any, name: str, row: int) -> float:
    if cell is None:
        raise InvalidInputError(f"column {name!r}, row {row}: the value is missing; a finite number is accepted")
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise InvalidInputError(f"column {name!r}, row {row}: {cell!r} is not a number") from None


def answers(training: Training, target: str, model: Ensemble) -> Any:
    """The true answers: numbers, or labels as the model has them."""
    import numpy as np

    if model.classes is None:
        return training.numbers()
    by_text = {str(label): label for label in model.classes}
    labels = []
    for row, given in enumerate(training.target):
        label = by_text.get(str(given))
        if label is None:
            raise InvalidInputError(
                f"column {target!r}, row {row}: {given!r} is no class of the old tree; it knows {quoted(list(by_text))}"
            )
        labels.append(label)
    return np.array(labels)
