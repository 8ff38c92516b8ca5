"""``xylogic grow``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from xylogic.cli.output import DONE, Progress, check_out, print_json, say
from xylogic.cli.training import Training, read_training
from xylogic.errors import InvalidInputError
from xylogic.view.text import printable

__all__ = ["grow_file"]

FOLDS = 5
SEED = 0


def grow_file(
    data: Path,
    target: str,
    *,
    out: Path | None,
    task: str,
    prune: str | None,
    as_json: bool,
    header: bool,
    parameters: dict[str, Any],
) -> int:
    """Grow a tree on a file, print its leaves and its scores, and save it; the exit code."""
    from xylogic.convert.read import read_model
    from xylogic.grow.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from xylogic.grow.reading import unsaid

    if out is not None and parameters.get("missing") == "fractional":
        raise InvalidInputError("--missing fractional makes no model that can be saved; leave --out away")
    check_out(out, [data])
    training = read_training(data, target, header=header)
    classes = training.is_classes if task == "auto" else task == "classes"
    if task == "auto":
        say(f"the target holds {'classes' if classes else 'numbers'}; --task says otherwise")
    given = {name: value for name, value in parameters.items() if value is not None}
    tree: Any = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(random_state=SEED, **given)
    answers = labels(training) if classes else training.numbers()
    with Progress("grow"):
        try:
            tree.fit(training.table, answers)
        except ValueError as error:  # scikit-learn's own among them
            raise InvalidInputError(str(error)) from error
        if prune is None:
            score = held_out(tree, training.table, answers, classes)
        else:
            tree, score = pruned(tree, training.table, answers, classes, prune)
            given["ccp_alpha"] = tree.ccp_alpha
    leaves = tree.leaves(feature_names=training.names)
    document = {
        "model": f"xylogic {type(tree).__name__}",
        "parameters": given,
        "target": target,
        "rows": len(training.table),
        "columns": len(training.names),
        "leaves": len(leaves),
        "depth": tree.get_depth(),
        "measure": "accuracy" if classes else "R2",
        "score_in_training": float(tree.score(training.table, answers)),
        "score_held_out": score,
        "rules": [*map(str, leaves), *unsaid(tree.grown_)],
        "saved": None if out is None else str(out),
    }
    if out is not None:
        read_model(tree, feature_names=training.names).save(out)
    if as_json:
        print_json(document)
    else:
        print("\n".join(printable(line) for line in lines(document, prune)))
    return DONE


def lines(document: dict[str, Any], prune: str | None) -> list[str]:
    held_out = document["score_held_out"]
    tested = "too few rows to hold some out" if held_out is None else f"{held_out:.4g} in {FOLDS}-fold cross-validation"
    if prune is not None:
        tested += f", which chose ccp_alpha {document['parameters']['ccp_alpha']:.6g}"
    return [
        f"{document['model']} of {document['target']}: {document['leaves']} leaves, depth {document['depth']}, "
        f"from {document['rows']} rows of {document['columns']} columns",
        f"{document['measure']}: {document['score_in_training']:.4g} on the rows it was grown on, {tested}",
        *document["rules"],
        *([] if document["saved"] is None else [f"saved as {document['saved']}"]),
    ]


def labels(training: Training) -> Any:
    """The target's classes as an array of one type."""
    import numpy as np

    kinds = {type(label) for label in training.target}
    if len(kinds) > 1 and not kinds <= {int, float}:
        raise InvalidInputError("the target mixes text, numbers and truth values; make it one of them")
    return np.array(training.target)


def held_out(tree: Any, table: Any, answers: Any, classes: bool) -> float | None:
    """The mean score of trees of the same parameters on rows held out; ``None`` for too few of them."""
    from sklearn.model_selection import cross_val_score

    if len(table) < 2 * FOLDS:
        return None
    return float(cross_val_score(tree, table, answers, cv=folds(answers, classes)).mean())


def pruned(tree: Any, table: Any, answers: Any, classes: bool, rule: str) -> tuple[Any, float]:
    """The tree pruned by cross-validation, and the mean score at the alpha chosen."""
    from xylogic.grow.prune import prune_cv

    if len(table) < 2 * FOLDS:
        raise InvalidInputError(f"there are {len(table)} rows; --prune holds some out and needs {2 * FOLDS}")
    result = prune_cv(tree, table, answers, cv=folds(answers, classes), rule=rule)
    return result.estimator, float(result.scores[result.alphas == result.best_alpha][0])


def folds(answers: Any, classes: bool) -> Any:
    """Shuffled folds, each with its share of every class where no class is too small for that."""
    import numpy as np
    from sklearn.model_selection import KFold, StratifiedKFold

    stratified = classes and np.unique(answers, return_counts=True)[1].min() >= FOLDS
    return (StratifiedKFold if stratified else KFold)(FOLDS, shuffle=True, random_state=SEED)
