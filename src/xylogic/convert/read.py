"""``read_model``: whatever holds a tree model becomes an ``Ensemble``."""

from __future__ import annotations

import numbers
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xylogic.convert.own import from_library, is_own
from xylogic.convert.sklearn import unwrap_search
from xylogic.errors import InvalidInputError, InvalidModelError, UnsupportedModelError
from xylogic.model.ensemble import Ensemble

__all__ = ["ACCEPTED", "open_path", "read_model"]

ACCEPTED = (
    "a fitted scikit-learn DecisionTree, ExtraTree, RandomForest or ExtraTrees classifier or regressor, "
    "a Pipeline of scalers that ends in one, a River Hoeffding tree, an xylogic estimator, a fitted search over these, "
    "an xylogic Ensemble, or a path to a saved model"
)
_PICKLES = (".joblib", ".pkl", ".pickle")


def read_model(source: Any, *, feature_names: Sequence[str] | None = None, trusted: bool = False) -> Ensemble:
    """Read a fitted tree model.

    Parameters
    ----------
    source : a fitted scikit-learn tree, forest, or Pipeline of scalers and one of these; a River Hoeffding tree whose
        leaves answer by class shares or means (see ``convert/river.py``); a fitted xylogic estimator; a search with a
        best estimator; an ``Ensemble``, returned as it is; or a path to ``.json``/``.json.gz`` (our own
        format) or to a joblib or pickle file.
    feature_names : names for the columns, in order, in place of the source's own. River keeps no list of columns: there
        they are all columns, in order, by the names that its rows use.
    trusted : whether a joblib or pickle file may be opened. Opening one runs code that its writer chose.

    Raises
    ------
    UnsupportedModelError, NotFittedError, InvalidModelError, InvalidInputError (names; a pickle that is not trusted).
    """
    names = None if feature_names is None else _check_names(feature_names)
    if isinstance(source, str | os.PathLike):
        source = open_path(Path(source), trusted)
    source = unwrap_search(source)
    if isinstance(source, Ensemble):
        model = source
    elif is_own(source):
        model = source.to_model()
    elif from_library(source, "sklearn"):
        model = _read_sklearn(source)
    elif from_library(source, "river"):
        return _read_river(source, names)
    else:
        raise _unsupported(source)
    return model if names is None else _rename(model, names)


def _read_sklearn(source: Any) -> Ensemble:
    from xylogic.convert import pipeline, sklearn

    if pipeline.is_pipeline(source):
        model, core = pipeline.read_pipeline(source), source.steps[-1][1]
    elif sklearn.is_tree_model(source):
        model, core = sklearn.read_trees(source), source
    else:
        raise _unsupported(source)
    if not type(core).__module__.startswith("sklearn.") or not sklearn.is_known_version():
        _spot_check(model, source, "scikit-learn")
    return model


def _read_river(source: Any, names: Sequence[str] | None) -> Ensemble:
    from xylogic.convert import river

    if not river.is_hoeffding_tree(source):
        raise _unsupported(source)
    model = river.read_river(source, names)
    if not type(source).__module__.startswith("river.") or not river.is_known_version():
        _spot_check(model, source, "River")
    return model


def _spot_check(model: Ensemble, source: Any, library: str) -> None:
    """Refuse a derived class, or a library version not seen before, that answers otherwise than it was read."""
    from xylogic.convert.verify import spot_check

    verdict = spot_check(model, source)
    if not verdict:
        raise UnsupportedModelError(
            f"a {type(source).__name__} (from {type(source).__module__}) does not predict as the "
            f"{library} class does that it derives from: {verdict}"
        )


def _unsupported(source: Any) -> UnsupportedModelError:
    if isinstance(source, type):
        return UnsupportedModelError(f"received the class {source.__name__} and not a model; accepted: {ACCEPTED}")
    kind = type(source)
    return UnsupportedModelError(f"received a {kind.__name__} (from {kind.__module__}); accepted: {ACCEPTED}")


def open_path(path: Path, trusted: bool) -> Any:
    """The object in a file: an Ensemble from our own format, or, if ``trusted``, whatever a pickle holds."""
    if path.suffix.lower() not in _PICKLES:
        from xylogic.model.file import load

        return load(path)
    if not trusted:
        raise InvalidInputError(
            f"{str(path)!r} is a joblib or pickle file, and opening it runs code that its writer chose; "
            "pass trusted=True (on the command line --trusted) if you trust that writer"
        )
    import joblib

    try:
        return joblib.load(path)
    except OSError:
        raise
    except Exception as error:  # unpickling can raise anything
        raise InvalidModelError(f"{str(path)!r} cannot be opened: {type(error).__name__}: {error}") from error


def _check_names(names: Sequence[str]) -> list[str]:
    if isinstance(names, str | bytes) or not hasattr(names, "__iter__"):
        raise InvalidInputError(f"feature_names is {names!r}; a sequence of names is accepted")
    places: dict[str, int] = {}
    for position, name in enumerate(names):
        if not isinstance(name, str | numbers.Integral):
            raise InvalidInputError(f"feature_names[{position}] is {name!r}; a str is accepted")
        first = places.setdefault(str(name), position)
        if first != position:
            raise InvalidInputError(f"feature_names[{first}] and [{position}] are both {name!r}")
    return list(places)


def _rename(model: Ensemble, names: list[str]) -> Ensemble:
    if len(names) != len(model.features):
        raise InvalidInputError(f"feature_names has {len(names)} names; the model has {len(model.features)} features")
    features = tuple(replace(feature, name=name) for feature, name in zip(model.features, names, strict=True))
    return replace(model, features=features, named=True)
