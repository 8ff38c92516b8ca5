"""What all estimators share: reading tables and targets, row weights, and answers through one model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    validate_data,
)

from xylogic import errors
from xylogic.domain.cells import is_missing
from xylogic.domain.feature import Feature
from xylogic.domain.infer import infer_features, infer_table
from xylogic.domain.sheet import open_sheet
from xylogic.domain.table import read_table
from xylogic.errors import InvalidInputError, InvalidTypeError
from xylogic.grow.parameters import MAX_TARGET
from xylogic.model.ensemble import Ensemble

__all__ = ["Answers", "ClassAnswers", "Kept", "NumberAnswers", "Sample"]

_SEEDS = 2**31 - 1
LEAST_WEIGHT, MOST_WEIGHT = 1e-280, 1e280  # of all rows, so that sums and their ratios are finite
_TABLE = "a 2-D table of numbers is accepted"


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """A training set as the grower takes it; rows of weight 0 are left out.

    Attributes
    ----------
    features : the columns.
    values : float32 or float64 (n, n_features), category codes, NaN for missing.
    target : int64 (n,) positions in ``classes``, or float64 (n,).
    weight : float64 (n,), ``sample_weight``, positive; ``None`` for 1 each.
    classes : the sorted labels, or ``None`` for numbers.
    rows : int64 (n,), which of the rows given these are; ``None`` for all.
    n_given : the number of rows given.
    """

    features: tuple[Feature, ...]
    values: NDArray[Any]
    target: NDArray[Any]
    weight: NDArray[np.float64] | None
    classes: NDArray[Any] | None
    rows: NDArray[np.int64] | None = None
    n_given: int = 0

    @property
    def n_rows(self) -> int:
        return len(self.values)

    def part(self, rows: NDArray[np.intp]) -> Sample:
        """The sample of some of the rows, by position."""
        weight = None if self.weight is None else self.weight[rows]
        return Sample(self.features, self.values[rows], self.target[rows], weight, self.classes)


class Kept:
    """A model made when first asked for, and kept: questions change no attribute of the estimator they are put to."""

    __slots__ = ("model",)

    def __init__(self) -> None:
        self.model: Ensemble | None = None

    def get(self, make: Callable[[], Ensemble]) -> Ensemble:
        if self.model is None:
            self.model = make()
        return self.model


class Answers(BaseEstimator):
    """A fitted model that answers through ``to_model()``, or through ``_scores``, which answers the same."""

    _targets_accepted: str

    def _keeps_classes(self) -> bool:
        """Whether a class whose rows all weigh 0 is one of the classes."""
        return False

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        """The training set; sets ``n_features_in_``, ``feature_names_in_`` and ``features_``.

        Raises InvalidInputError and scikit-learn's own ValueErrors.
        """
        target, classes = self._read_target(y)
        features, values = self._read_training(X)
        n_given = len(values)
        if len(target) != n_given:
            raise InvalidInputError(f"X has {n_given} rows and y has {len(target)} entries; one a row is accepted")
        weight, rows = None, None
        if sample_weight is not None:
            with _accepting("n finite numbers from 0 up are accepted"):
                weight = _check_sample_weight(sample_weight, values, dtype=np.float64, ensure_non_negative=True)
            with np.errstate(over="ignore"):
                total = weight.sum()
            if total and not LEAST_WEIGHT <= total <= MOST_WEIGHT:
                raise InvalidInputError(
                    f"sample_weight adds up to {total:g}; {LEAST_WEIGHT:g} to {MOST_WEIGHT:g} is accepted"
                )
            if not weight.all():
                rows = np.flatnonzero(weight)
                if not len(rows):
                    raise InvalidInputError("every row has sample_weight 0; at least one above 0 is needed")
                values, target, weight = values[rows], target[rows], weight[rows]
                if classes is not None and not self._keeps_classes():
                    there, target = np.unique(target, return_inverse=True)
                    classes = classes[there]
        self.features_ = features
        return Sample(features, values, target, weight, classes, rows, n_given)

    def _read_target(self, y: Any) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """The targets and their classes, if they have any."""
        raise NotImplementedError

    def _checked_target(self, y: Any, **options: Any) -> NDArray[Any]:
        """``y`` as scikit-learn checks it, which makes it forget the columns' names; they are kept."""
        names = getattr(self, "feature_names_in_", None)
        try:
            with _accepting(self._targets_accepted):
                return np.asarray(validate_data(self, y=y, **options))
        finally:
            if names is not None:
                self.feature_names_in_ = names

    def _read_training(self, X: Any) -> tuple[tuple[Feature, ...], NDArray[Any]]:
        categorical = getattr(self, "categorical_features", None)
        by_type = categorical is None or (isinstance(categorical, str) and categorical == "from_dtype")
        if by_type and _is_numbers(X):
            kind = {"b": "boolean", "i": "integer", "u": "integer"}.get(np.asarray(X).dtype.kind, "numeric")
            if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype in (np.float32, np.float64):
                self.n_features_in_ = X.shape[1]  # all that would be found out below, in a tenth of the time
                self.__dict__.pop("feature_names_in_", None)
                values = X
            else:
                with _accepting(_TABLE):
                    values = validate_data(self, X, dtype=[np.float64, np.float32], ensure_all_finite=False)
            return infer_features(values, kind, self._names()), values
        sheet = open_sheet(X)
        if sheet.by_name:
            self.feature_names_in_ = np.array(sheet.names, dtype=object)
        else:
            validate_data(self, X, skip_check_array=True)
        self.n_features_in_ = len(sheet.columns)
        if not (sheet.n_rows and self.n_features_in_):
            raise InvalidInputError(
                f"X has {sheet.n_rows} rows and {self.n_features_in_} columns; at least 1 is needed"
            )
        found = infer_table(sheet, self._names(), self.categorical_features)
        return found.features, found.values

    def _names(self) -> list[str]:
        """The columns' names, or ``x0``, ``x1``, ... where they have none."""
        given = getattr(self, "feature_names_in_", None)
        return [f"x{place}" for place in range(self.n_features_in_)] if given is None else [str(name) for name in given]

    def _values(self, X: Any) -> NDArray[np.float64]:
        """A table to be answered: float64 (n, n_features), category codes, NaN for missing, as ``Ensemble.admit`` says.

        Raises NotFittedError, InvalidInputError, and scikit-learn's own ValueErrors.
        """
        self._check_fitted()
        features: tuple[Feature, ...] = self.features_
        plain = not any(feature.kind in ("categorical", "boolean") for feature in features)
        if plain and _is_numbers(X):
            with _accepting(_TABLE):
                values = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False, order="C")
        else:
            sheet = open_sheet(X, len(features))
            if not sheet.by_name:
                validate_data(self, X, reset=False, skip_check_array=True)
            values = read_table(sheet, features, named=hasattr(self, "feature_names_in_")).values
        if self._cast == "float32":
            with np.errstate(over="ignore"):
                values = values.astype(np.float32).astype(np.float64)
        return values

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise errors.NotFittedError(f"this {type(self).__name__} is not fitted; call fit first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "features_") and hasattr(self, "_cast")

    def _seed(self) -> int:
        """The next seed of ``random_state``."""
        return int(check_random_state(self.random_state).randint(_SEEDS))

    def to_model(self) -> Ensemble:
        """The same function as a frozen ``Ensemble``, for explaining, compiling and saving."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        # Text columns are taken, but ``input_tags.string`` means to scikit-learn that any object in a cell goes;
        # here a cell that is no scalar is refused, naming column and row.
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


class ClassAnswers(ClassifierMixin, Answers):
    """Classifiers; ``classes_`` are the sorted labels of the rows with positive weight."""

    _targets_accepted = "one label a row is accepted: text, whole numbers or booleans"

    def _read_target(self, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iub" and len(y):
            return _numbered(y)
        labels = self._checked_target(y)
        if labels.dtype.kind == "O":
            _refuse_missing([is_missing(label) for label in labels.tolist()], "a label")
        if labels.dtype.kind in "fc":
            with _accepting(self._targets_accepted):
                check_classification_targets(labels)
        try:
            classes, codes = np.unique(labels, return_inverse=True)
        except TypeError as error:
            raise InvalidInputError(f"Unknown label type: the labels cannot be sorted ({error})") from error
        return codes.astype(np.int64, copy=False), classes

    def _scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Class probabilities of encoded rows, float64 (n, n_classes)."""
        raise NotImplementedError

    def _decide(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """The position of each encoded row's class in ``classes_``."""
        return self._scores(values).argmax(axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, of the labels' own dtype, shape (n,). O(n * depth) a tree."""
        codes = self._decide(self._values(X))
        return self.classes_.take(codes, axis=0)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class shares of each row, float64 (n, n_classes), columns as in ``classes_``."""
        return self._scores(self._values(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of ``predict_proba``; -inf for a share of 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class NumberAnswers(RegressorMixin, Answers):
    """Regressors."""

    _targets_accepted = "one finite number a row is accepted"

    def _read_target(self, y: Any) -> tuple[NDArray[Any], None]:
        if type(y) is np.ndarray and y.ndim == 1 and y.dtype in (np.float32, np.float64) and len(y):
            target = np.require(y, np.float64, ["C", "W"])
            if np.abs(target).max() <= MAX_TARGET:
                return target, None  # as below, in a tenth of the time
        given = self._checked_target(y, y_numeric=True)
        if given.dtype.kind not in "fiub":
            raise InvalidInputError(f"y, row 0: {given.tolist()[0]!r} is no number; {self._targets_accepted}")
        target = np.require(given, np.float64, ["C", "W"])  # the kernels take no read-only arrays
        _refuse_missing(np.isnan(target), "a number")
        too_large = np.abs(target) > MAX_TARGET
        if too_large.any():
            row = int(np.argmax(too_large))
            raise InvalidInputError(
                f"y, row {row}: {float(target[row])!r} is too large; numbers up to {MAX_TARGET:g} are accepted"
            )
        return target, None

    def _scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predictions of encoded rows, float64 (n,)."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number predicted for each row, float64 (n,). O(n * depth) a tree."""
        return self._scores(self._values(X))


@contextmanager
def _accepting(words: str) -> Iterator[None]:
    """Inside it, what scikit-learn refuses is refused as by xylogic, saying what is accepted."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = InvalidTypeError if isinstance(error, TypeError) else InvalidInputError
        raise kind(f"{str(error).rstrip('.')}; {words}") from error


def _refuse_missing(missing: ArrayLike, wanted: str) -> None:
    if np.any(missing):
        raise InvalidInputError(f"y, row {int(np.argmax(missing))}: the target is missing; {wanted} is accepted")


def _numbered(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The place of each whole number among the distinct ones, and these, ascending; by counting if they are close."""
    wide = labels.astype(np.uint64 if labels.dtype.kind == "u" else np.int64, copy=False)
    least, most = wide.min(), wide.max()
    width = int(most) - int(least) + 1
    if width > len(labels) + 1000:
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64, copy=False), classes
    above = (wide - least).astype(np.int64, copy=False)
    counts = np.bincount(above, minlength=width)
    found = np.flatnonzero(counts)
    classes = (found.astype(wide.dtype) + least).astype(labels.dtype)
    return (above if len(found) == width else (np.cumsum(counts > 0) - 1)[above]), classes


def _is_numbers(X: Any) -> bool:
    """Whether ``X`` is an array, of numbers only; data frames and lists are not."""
    if isinstance(X, np.ma.MaskedArray | list | tuple) or hasattr(X, "columns") or hasattr(X, "column_names"):
        return False
    if hasattr(X, "tocsr") or hasattr(X, "nnz"):
        return True  # which scikit-learn refuses in its own words
    return hasattr(X, "__array__") and np.asarray(X).dtype.kind in "fiubc"
