"""xylogic: exact explanations of decision trees and tree ensembles.

Names load on first use (PEP 562), so that ``import xylogic`` costs next to nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from xylogic._version import __version__

if TYPE_CHECKING:
    from xylogic.circuit.diagram import Diagram
    from xylogic.circuit.formula import Formula
    from xylogic.circuit.sorting import sorting_network
    from xylogic.compare.comparison import Comparison, Region, Regions, compare, compare_many
    from xylogic.compare.distinct import distinct
    from xylogic.compare.equivalence import Equivalence, equivalent
    from xylogic.compare.fingerprint import fingerprint
    from xylogic.compare.monotone import Monotonicity, is_monotone
    from xylogic.compare.primes import Primes, prime_implicants
    from xylogic.compare.rashomon import RashomonSet
    from xylogic.compile.formulas import ClassFormulas
    from xylogic.convert.read import read_model
    from xylogic.convert.verify import Verification, verify_model
    from xylogic.domain.box import Clause, Term
    from xylogic.domain.feature import Feature
    from xylogic.errors import (
        BudgetExceeded,
        InvalidInputError,
        InvalidModelError,
        InvalidTypeError,
        MissingLibraryError,
        NotFittedError,
        UnsupportedModelError,
        XylogicError,
    )
    from xylogic.explain import Explainer, Explanation
    from xylogic.explain.compiled import compile_model
    from xylogic.grow.criteria import impurity, split_gain
    from xylogic.grow.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from xylogic.grow.forests import RandomForestClassifier, RandomForestRegressor
    from xylogic.grow.prune import PruningResult, prune, prune_cv, prune_reduced_error
    from xylogic.grow.stability import stability
    from xylogic.importance.scores import Importance
    from xylogic.model.ensemble import Ensemble
    from xylogic.model.file import load
    from xylogic.model.handmade import build_ensemble, build_tree
    from xylogic.reason.answers import Flips, Reasons
    from xylogic.update.bounds import tree_bounds
    from xylogic.update.compatibility import Compatibility, compatibility
    from xylogic.update.estimators import CompatibleTreeClassifier, CompatibleTreeRegressor
    from xylogic.update.forests import update_forest
    from xylogic.update.intervals import IntervalExplanation, interval_explanation
    from xylogic.update.path import UpdatePath, update_path
    from xylogic.update.pruning import prune_compatible
    from xylogic.update.release import ReleaseChanges, release_changes
    from xylogic.view.plots import plot_partition, plot_pruning
    from xylogic.view.tree_plot import plot_tree
    from xylogic.view.update_plot import plot_update_path

# Where each name lives; a test keeps it equal to the imports above.
_HOMES = {
    "BudgetExceeded": "xylogic.errors",
    "ClassFormulas": "xylogic.compile.formulas",
    "Clause": "xylogic.domain.box",
    "Comparison": "xylogic.compare.comparison",
    "Compatibility": "xylogic.update.compatibility",
    "CompatibleTreeClassifier": "xylogic.update.estimators",
    "CompatibleTreeRegressor": "xylogic.update.estimators",
    "DecisionTreeClassifier": "xylogic.grow.estimators",
    "DecisionTreeRegressor": "xylogic.grow.estimators",
    "Diagram": "xylogic.circuit.diagram",
    "Ensemble": "xylogic.model.ensemble",
    "Equivalence": "xylogic.compare.equivalence",
    "Explainer": "xylogic.explain",
    "Explanation": "xylogic.explain",
    "Feature": "xylogic.domain.feature",
    "Flips": "xylogic.reason.answers",
    "Formula": "xylogic.circuit.formula",
    "Importance": "xylogic.importance.scores",
    "IntervalExplanation": "xylogic.update.intervals",
    "InvalidInputError": "xylogic.errors",
    "InvalidModelError": "xylogic.errors",
    "InvalidTypeError": "xylogic.errors",
    "MissingLibraryError": "xylogic.errors",
    "Monotonicity": "xylogic.compare.monotone",
    "NotFittedError": "xylogic.errors",
    "Primes": "xylogic.compare.primes",
    "PruningResult": "xylogic.grow.prune",
    "RandomForestClassifier": "xylogic.grow.forests",
    "RandomForestRegressor": "xylogic.grow.forests",
    "RashomonSet": "xylogic.compare.rashomon",
    "Reasons": "xylogic.reason.answers",
    "Region": "xylogic.compare.comparison",
    "Regions": "xylogic.compare.comparison",
    "ReleaseChanges": "xylogic.update.release",
    "Term": "xylogic.domain.box",
    "UnsupportedModelError": "xylogic.errors",
    "UpdatePath": "xylogic.update.path",
    "Verification": "xylogic.convert.verify",
    "XylogicError": "xylogic.errors",
    "build_ensemble": "xylogic.model.handmade",
    "build_tree": "xylogic.model.handmade",
    "compare": "xylogic.compare.comparison",
    "compare_many": "xylogic.compare.comparison",
    "compatibility": "xylogic.update.compatibility",
    "compile_model": "xylogic.explain.compiled",
    "distinct": "xylogic.compare.distinct",
    "equivalent": "xylogic.compare.equivalence",
    "fingerprint": "xylogic.compare.fingerprint",
    "impurity": "xylogic.grow.criteria",
    "interval_explanation": "xylogic.update.intervals",
    "is_monotone": "xylogic.compare.monotone",
    "load": "xylogic.model.file",
    "plot_partition": "xylogic.view.plots",
    "plot_pruning": "xylogic.view.plots",
    "plot_tree": "xylogic.view.tree_plot",
    "plot_update_path": "xylogic.view.update_plot",
    "prime_implicants": "xylogic.compare.primes",
    "prune": "xylogic.grow.prune",
    "prune_compatible": "xylogic.update.pruning",
    "prune_cv": "xylogic.grow.prune",
    "prune_reduced_error": "xylogic.grow.prune",
    "read_model": "xylogic.convert.read",
    "release_changes": "xylogic.update.release",
    "sorting_network": "xylogic.circuit.sorting",
    "split_gain": "xylogic.grow.criteria",
    "stability": "xylogic.grow.stability",
    "tree_bounds": "xylogic.update.bounds",
    "update_forest": "xylogic.update.forests",
    "update_path": "xylogic.update.path",
    "verify_model": "xylogic.convert.verify",
}

__all__ = [
    "BudgetExceeded",
    "ClassFormulas",
    "Clause",
    "Comparison",
    "Compatibility",
    "CompatibleTreeClassifier",
    "CompatibleTreeRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Diagram",
    "Ensemble",
    "Equivalence",
    "Explainer",
    "Explanation",
    "Feature",
    "Flips",
    "Formula",
    "Importance",
    "IntervalExplanation",
    "InvalidInputError",
    "InvalidModelError",
    "InvalidTypeError",
    "MissingLibraryError",
    "Monotonicity",
    "NotFittedError",
    "Primes",
    "PruningResult",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RashomonSet",
    "Reasons",
    "Region",
    "Regions",
    "ReleaseChanges",
    "Term",
    "UnsupportedModelError",
    "UpdatePath",
    "Verification",
    "XylogicError",
    "__version__",
    "build_ensemble",
    "build_tree",
    "compare",
    "compare_many",
    "compatibility",
    "compile_model",
    "distinct",
    "equivalent",
    "fingerprint",
    "impurity",
    "interval_explanation",
    "is_monotone",
    "load",
    "plot_partition",
    "plot_pruning",
    "plot_tree",
    "plot_update_path",
    "prime_implicants",
    "prune",
    "prune_compatible",
    "prune_cv",
    "prune_reduced_error",
    "read_model",
    "release_changes",
    "sorting_network",
    "split_gain",
    "stability",
    "tree_bounds",
    "update_forest",
    "update_path",
    "verify_model",
]


class _Face(ModuleType):
    """The package. ``xylogic.compare`` is the function; importing the room of that name would put the room there."""

    @property
    def compare(self) -> Any:
        return __getattr__("compare")

    @compare.setter
    def compare(self, room: ModuleType) -> None:
        pass


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Face
