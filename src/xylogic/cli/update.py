"""``xylogic update``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
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


@dataclass(frozen=True)
class Rules:
    """What decides about a release: the loss it may cost, and whether no row may become wrong."""

    max_loss_increase: float
    strict: bool


@dataclass(frozen=True)
class Rows:
    """A file as the old tree sees it: float64 (n, n_features) in its columns' order, and the true answers."""

    X: Any
    y: Any

    def part(self, rows: Any) -> Rows:
        return Rows(self.X[rows], self.y[rows])


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

    check_out(out, old, data, test)
    model = read_tree(read_model(old, trusted=trusted), "the old tree")
    if model.classes is not None and tolerance:
        raise InvalidInputError("--tolerance is for numbers; the old tree answers classes, which are right or wrong")
    rows = read_rows(data, target, model, header)
    tested = rows if test is None else read_rows(test, target, model, header)
    given = {name: value for name, value in parameters.items() if value is not None}

    def judge(tree: Any, those: Rows, reference: Any) -> Compatibility:
        return compatibility(model, tree, those.X, those.y, tolerance=tolerance, reference=reference)

    with Progress("update"):
        sides = {
            name: Side.of(tree, rows, choose, prune)
            for name, (tree, choose) in kinds(model, given, strength, dissimilarity, tolerance).items()
        }
        trees = {name: side.grown() for name, side in sides.items()}
        if test is not None:
            on = f"the rows of {test}"
            judged = {name: [judge(tree, tested, rows.X)] for name, tree in trees.items()}
            places = [range(len(tested.X))]
        elif parts := held_out_parts(rows.y, model.classes is not None):
            on = f"held-out rows, {FOLDS} folds"
            judged = {
                name: [judge(side.grown(known), rows.part(held), rows.X[known]) for known, held in parts]
                for name, side in sides.items()
            }
            places = [held.tolist() for _, held in parts]
        else:
            on = "the rows that the trees were grown on"
            judged = {name: [judge(tree, rows, rows.X)] for name, tree in trees.items()}
            places = [range(len(rows.X))]
    new = read_model(trees["compatible"], feature_names=model.feature_names if model.named else None)
    document: dict[str, Any] = {
        "old": str(old), "target": target, "rows": len(rows.X), "columns": len(model.features),
        "strength": strength, "dissimilarity": dissimilarity, "tolerance": tolerance, "parameters": given,
        "loss_name": judged["compatible"][0].loss_name, "judged_on": on,
        "trees": {name: {"leaves": trees[name].get_n_leaves(), **figures(judged[name])} for name in trees},
        "old_tree": {"leaves": int((model.trees[0].left < 0).sum()), "loss": old_loss(judged["compatible"])},
        "right_rows": sum(one.n_correct for one in judged["compatible"]),
        "negative_flips": flips(judged["compatible"], places),
        "rows_of": str(data if test is None else test),
    }  # fmt: skip
    document |= changes(model, new, tested.X, tolerance, regions, time_limit)
    reasons = objections(document, rules, len(rows.X) if test is None else None)
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
    stopped = document["changes"]["status"] != "exact" or document["decision_regions_stopped"]
    return BUDGET if stopped else DONE


@dataclass(frozen=True)
class Side:
    """A tree that has read all rows, and how trees of all or some of them are made."""

    reader: Any
    sample: Any
    choose: Callable[..., Any] | None
    rule: str

    @classmethod
    def of(cls, tree: Any, rows: Rows, choose: Callable[..., Any], prune: str | None) -> Side:
        from xylogic.grow.single import read_sample

        try:
            reader, sample = read_sample(tree, rows.X, rows.y)
        except ValueError as error:  # scikit-learn's own among them
            raise InvalidInputError(str(error)) from error
        return cls(reader, sample, choose if prune else None, prune or "")

    def grown(self, rows: Any = None) -> Any:
        """The tree of some rows, by position, or of all."""
        from xylogic.grow.prune import fold_rows
        from xylogic.grow.single import fitted_on

        if self.choose is None:
            return fitted_on(self.reader, self.sample, rows=rows)
        sample, reader = self.sample if rows is None else self.sample.part(rows), copy(self.reader)
        cv = folds(sample.target, sample.classes is not None)
        return self.choose(reader, sample, fold_rows(reader, cv, sample.target, sample, None), self.rule).estimator


def kinds(
    model: Ensemble, given: dict[str, Any], strength: float, dissimilarity: str, tolerance: float
) -> dict[str, tuple[Any, Callable[..., Any]]]:
    """Plain CART and the compatible tree, not fitted, and how each is pruned."""
    from xylogic.grow import estimators as plain
    from xylogic.grow.prune import prune_by_folds
    from xylogic.update import estimators as compatible
    from xylogic.update.pruning import prune_compatible_by_folds

    own: dict[str, Any] = {"dissimilarity": dissimilarity, "strength": strength, **given}
    cart: Any
    kept: Any
    if model.classes is not None:
        cart = plain.DecisionTreeClassifier(zero_gain="refuse", **given)
        kept = compatible.CompatibleTreeClassifier(model, **own)
    else:
        cart = plain.DecisionTreeRegressor(zero_gain="refuse", **given)
        kept = compatible.CompatibleTreeRegressor(model, tolerance=tolerance, **own)
    return {"cart": (cart, prune_by_folds), "compatible": (kept, prune_compatible_by_folds)}


def held_out_parts(y: Any, by_class: bool) -> list[tuple[Any, Any]]:
    """The folds' rows, to grow on and to judge; none where there are too few."""
    import numpy as np

    return list(folds(y, by_class).split(np.zeros((len(y), 1)), y)) if len(y) >= 2 * FOLDS else []


def flips(judged: Sequence[Compatibility], places: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """The rows that became wrong, by their places in the file, ascending."""
    found = [
        {**flip, "row": at[flip["row"]]}
        for one, at in zip(judged, places, strict=True)
        for flip in one.to_dict()["negative_flips"]
    ]
    return sorted(found, key=lambda flip: int(flip["row"]))


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
        "decision_regions_stopped": decided.status != "exact" and len(decided) < most,
        "explanation_regions": explained,
    }


def objections(document: dict[str, Any], rules: Rules, held_out_of: int | None) -> list[str]:
    """Why the new tree may not be released; what cannot be measured is no ground for a release.

    ``held_out_of``: the number of rows that some were to be held out of, ``None`` where others were given.
    """
    found = []
    new, old = document["trees"]["compatible"]["loss"], document["old_tree"]["loss"]
    right, wrong, on = document["right_rows"], len(document["negative_flips"]), document["judged_on"]
    if held_out_of is not None and held_out_of < 2 * FOLDS:
        found.append(f"{held_out_of} rows are too few to hold some out, which takes {2 * FOLDS}; --test gives others")
    if new > old + rules.max_loss_increase:
        found.append(
            f"its {document['loss_name']} of {new:.6g} is above the old tree's {old:.6g} by more than "
            f"{rules.max_loss_increase:g} ({on})"
        )
    if document["loss_name"] == "mean squared error" and not right:
        found.append(
            f"the old tree is off by more than {document['tolerance']:g} on all rows, so that no explanation is relied "
            "on; --tolerance says how far off a right answer may be"
        )
    if rules.strict and wrong:
        found.append(f"{wrong} of {right} rows that the old tree answers right become wrong ({on})")
    return found


# ---- reading ----------------------------------------------------------------------------------------------------


def read_rows(path: Path, target: str, model: Ensemble, header: bool) -> Rows:
    """The rows of a file for a model; raises InvalidInputError, naming column and row, for what it does not take."""
    import numpy as np

    from xylogic.update.reading import finite_table

    training = read_training(path, target, header=header)
    places = columns(path, training.names, model, header)
    X = np.empty((len(training.table), len(places)))
    for column, place in enumerate(places):
        X[:, column] = [number(cell, training.names[place], row) for row, cell in enumerate(training.table[:, place])]
    finite_table(model, X)
    return Rows(X, answers(training, target, model))


def columns(path: Path, names: list[str], model: Ensemble, header: bool) -> list[int]:
    """Where the file has each of the model's columns: by name where both have names, else by position."""
    wanted = list(model.feature_names)
    if header and (model.named or set(wanted) <= set(names)):
        return match_names(path, names, wanted)
    if len(names) != len(wanted):
        raise InvalidInputError(
            f"{path} has {len(names)} columns beside the target; the old tree takes {len(wanted)}, by position as "
            f"{'it' if header else 'the file'} has no column names"
        )
    if header:
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
