"""What replacing a tree takes, whatever holds it, and what it refuses in the package's own words."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import xylogic as xl

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
Y = (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int)
NUMBERS = X[:, 0] ** 2 + X[:, 1]
WEIGHTS = RNG.uniform(0.5, 2, len(X))
Classifier, Regressor = xl.CompatibleTreeClassifier, xl.CompatibleTreeRegressor


def old_tree(y=Y, **options):
    kind = xl.DecisionTreeRegressor if y.dtype.kind == "f" else xl.DecisionTreeClassifier
    return kind(max_depth=3, **options).fit(X, y)


def forest(y=Y):
    kind = xl.RandomForestRegressor if y.dtype.kind == "f" else xl.RandomForestClassifier
    return kind(2, random_state=0).fit(X, y)


def frozen(values):
    made = np.array(values)
    made.setflags(write=False)
    return made


def refused(words, kind=xl.InvalidInputError):
    return pytest.raises(kind, match=words)


# Weights


@pytest.mark.parametrize("factor", [2.0**1023, 2.0**-1022, 5e-324])
def test_a_common_factor_of_weights_means_nothing(factor):
    factors, ones = np.full(len(X), factor), np.ones(len(X))
    tree = Classifier(old_tree(), strength=0.1)
    found, wanted = (tree.fit(X, Y, relied=relied).grown_ for relied in (factors, ones))
    assert (found.gain == wanted.gain).all() and len(found.gain) > 9
    measured = [xl.compatibility(old_tree(), tree, X, 1 - Y, weights=weights) for weights in (factors, ones)]
    for name in ("mse", "mae", "jac", "jlu"):
        assert getattr(measured[0], name) == getattr(measured[1], name) > 0
    assert (measured[0].weights == factors).all()
    pruned = [xl.prune_compatible(tree, X, Y, 3, relied=relied) for relied in (factors, ones)]
    assert (pruned[0].scores == pruned[1].scores).all()
    forests = [xl.update_forest(forest(), forest(), X, Y, relied=relied, strength=0.1) for relied in (factors, ones)]
    assert all((a.gain == b.gain).all() for a, b in zip(*(made.grown_ for made in forests), strict=True))


@pytest.mark.parametrize(("weight", "relied"), [(2.0**900, 2.0**700), (2.0**-900, 2.0**-700)])
def test_the_product_of_weights_may_be_of_any_size(weight, relied):
    ones = np.ones(len(X))
    tree = Classifier(old_tree(), strength=0.1)
    found = tree.fit(X, Y, ones * weight, relied=ones * relied).rules()
    assert found == tree.fit(X, Y, relied=ones).rules() != xl.DecisionTreeClassifier().fit(X, Y).rules()


@pytest.mark.parametrize("hold", [frozen, pd.Series, pl.Series, list])
def test_arrays_may_be_held_by_anything(hold):
    for tree, y in ((Classifier(old_tree()), Y), (Regressor(old_tree(NUMBERS), tolerance=0.1), NUMBERS)):
        wanted = tree.fit(X, y, WEIGHTS, relied=WEIGHTS).rules()
        assert tree.fit(frozen(X), hold(y), hold(WEIGHTS), relied=hold(WEIGHTS)).rules() == wanted
        alone = tree.fit(X, y, relied=WEIGHTS).rules()
        assert tree.fit(frozen(X), hold(y), relied=hold(WEIGHTS)).rules() == alone
        given = {"sample_weight": hold(WEIGHTS), "relied": hold(WEIGHTS)}
        assert xl.prune_compatible(tree, X, hold(y), 3, **given).alphas[0] == 0
        assert xl.update_forest(forest(y), forest(y), X, hold(y), **given).predict(X).shape == y.shape
        assert tree.compatibility(X, hold(y), weights=hold(WEIGHTS)).mse > 0


# Labels


def test_false_is_not_0_and_one_point_is_1():
    tree = Classifier(old_tree())
    for call in (
        lambda y: tree.fit(X, y),
        lambda y: xl.update_path(old_tree(), X, y, [0.1], cv=2),
        lambda y: xl.update_forest(forest(), forest(), X, y),
    ):
        with refused(r"0, 1 only in the old tree and False, True only in the new data; .* accepted$"):
            call(Y == 1)
    with refused("y, row 0: (True|False) is no class of these trees; accepted: 0, 1"):
        xl.compatibility(old_tree(), old_tree(), X, Y == 1)
    assert tree.fit(X, Y.astype(float)).compatibility(X, Y).loss == 0
    with refused("False, True only in the old tree"):
        Classifier(old_tree(Y == 1)).fit(X, Y)


def test_a_row_of_weight_0_declares_a_class_that_has_no_row_left():
    """R082: declared classes persist, and the columns of probabilities keep their order."""
    three = np.where(X[:, 2] > 1, 1, 2 * Y)
    old, left = old_tree(three), three != 1
    with refused("classes 1 only in the old tree; .*declared by a row of sample_weight 0"):
        Classifier(old).fit(X[left], three[left])
    given = X, three, left.astype(float)
    for weight in (None, "balanced"):
        tree = Classifier(old, class_weight=weight).fit(*given)
        assert tree.classes_.tolist() == [0, 1, 2] and (tree.predict_proba(X)[:, 1] == 0).all()
        assert 0 < tree.compatibility(X, three).loss < 0.4
    without = Classifier(old_tree(2 * Y)).fit(X[left], three[left])
    assert (Classifier(old_tree(three, splitter="best")).fit(*given).predict(X[left]) == three[left]).all()
    assert without.classes_.tolist() == [0, 2]
    made = xl.update_forest(forest(), forest(three), *given[:2], sample_weight=given[2])
    assert made.classes_.tolist() == [0, 1, 2] and (made.predict_proba(X)[:, 1] == 0).all()
    assert xl.DecisionTreeClassifier().fit(*given).classes_.tolist() == [0, 2]


def test_made_up_names_are_names_where_a_table_has_just_them():
    turned = pd.DataFrame(X, columns=["x0", "x1", "x2"])[["x2", "x0", "x1"]]
    tree, wanted = Classifier(old_tree(), strength=1.0), Classifier(old_tree(), strength=1.0).fit(X, Y)
    assert tree.fit(turned, Y).compatibility(turned, Y).mse == pytest.approx(wanted.compatibility(X, Y).mse)


# Cells and targets


@pytest.mark.parametrize("when", [pd.Timestamp("2020"), np.datetime64("2020-01-01", "D"), pd.Timedelta(1)])
def test_dates_are_refused_by_a_public_error(when):
    frame = pd.DataFrame(X, columns=["age", "b", "c"])
    old = xl.DecisionTreeClassifier(max_depth=2).fit(frame, Y)
    dated = frame.assign(age=when)
    for tree in (Classifier(old), xl.DecisionTreeClassifier(), xl.RandomForestClassifier(2)):
        with refused("column 'age', row 0: .*; numbers and text are accepted: the days since") as raised:
            tree.fit(dated, Y)
        assert raised.type is xl.InvalidTypeError and issubclass(raised.type, TypeError)
    with refused("column 'age', row 0: .* is not a number"):
        old.predict(dated)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Regressor(old_tree(NUMBERS)),
        xl.DecisionTreeRegressor,
        lambda: xl.RandomForestRegressor(2),
    ],
)
@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a"] * 150, "y, row 0: 'a' is no number; one finite number a row is accepted"),
        (["1"] * 150, "y, row 0: '1' is no number"),
        (pd.Series(["a"] * 150, dtype="category"), "one finite number a row is accepted"),
        (np.arange(150).astype("datetime64[D]"), "y, row 0: .* is no number"),
        (list(pd.date_range("2020", periods=150)), "one finite number a row is accepted"),
        (np.where(NUMBERS > 1, np.nan, NUMBERS), "Input y contains NaN; one finite number"),
        (np.where(NUMBERS > 1, np.inf, NUMBERS), "Input y contains infinity.*; one finite number"),
        (NUMBERS[:5], "X has 150 rows and y has 5 entries"),
        (NUMBERS + 1j, "one finite number a row is accepted"),
        (NUMBERS * 1e300, "numbers up to 1e[+]140 are accepted"),
        (5, "one finite number a row is accepted"),
    ],
)
def test_targets_that_are_no_numbers(make, y, words):
    with refused(words):
        make().fit(X, y)
    with refused("y"):
        xl.compatibility(old_tree(NUMBERS), old_tree(NUMBERS), X, y)


def test_text_is_no_number_in_a_comparison_either():
    with refused("y, row 0: '1' is text; one finite number a row is accepted"):
        xl.compatibility(old_tree(NUMBERS), old_tree(NUMBERS), X, ["1"] * 150)


def test_what_is_refused_is_not_called_accepted():
    wrong = [["x", 0.0, 0.0]] * 150
    for call in (
        lambda: xl.tree_bounds(old_tree(), wrong),
        lambda: xl.compatibility(old_tree(), old_tree(), wrong, Y),
        lambda: xl.release_changes(old_tree(), old_tree(), wrong),
        lambda: xl.interval_explanation(old_tree(), wrong[0]),
    ):
        with refused("column 'x0', row 0: 'x' is not a number; a finite number is accepted$"):
            call()


# Options

ARRAY = np.array(["mse", "jac"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: xl.update_forest(forest(), forest(), X, Y, dissimilarity=ARRAY), "dissimilarity is array"),
        (lambda: xl.update_forest(forest(), forest(), X, Y, jlu=ARRAY), "jlu is array"),
        (lambda: xl.update_forest(forest(), forest(), X, 5, relied=WEIGHTS), "y is a int"),
        (lambda: xl.update_forest(forest(), forest(), X, Y[:5], relied=WEIGHTS), "y has 5 entries for 150 rows"),
        (lambda: xl.compatibility(old_tree(), old_tree(), X, Y, jlu=ARRAY), "jlu is array"),
        (lambda: xl.prune_compatible(Classifier(old_tree()), X, Y, rule=ARRAY), "rule is array"),
        (lambda: xl.prune_cv(xl.DecisionTreeClassifier(), X, Y, candidates=ARRAY), "candidates is array"),
        (lambda: Classifier(old_tree()).cost_complexity_pruning_path(X, Y, risk=ARRAY), "risk is array"),
        (lambda: xl.DecisionTreeClassifier().cost_complexity_pruning_path(X, Y, risk=ARRAY), "risk is array"),
        (lambda: xl.Explainer(old_tree(), ties=ARRAY), "ties is array"),
        (lambda: xl.equivalent(old_tree(), old_tree(), output=ARRAY), "output is array"),
        (lambda: xl.compile_model(old_tree(), method=ARRAY), "method is array"),
        (lambda: xl.update_path(old_tree(), X, Y, [0.1], strength=5), "strength is 5; here strengths"),
        (lambda: xl.update_path(old_tree(), X, Y, [True]), "strengths is .*True; a number from 0"),
        (lambda: xl.update_path(old_tree(), X, Y, "12"), "strengths is '12'; a sequence of numbers"),
    ],
)
def test_options_that_make_no_sense(call, words):
    with refused(words):
        call()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (None, "X is a NoneType"),
        ("x", "X is a str"),
        (X[0], "a 2-D table of numbers is accepted"),
        (X[np.newaxis], "a 2-D table of numbers is accepted"),
        (X + 1j, "a 2-D table of numbers is accepted"),
        (X[:5], "X has 5 rows and y has 150 entries"),
        (csr_matrix(X), "Sparse data.*; a 2-D table of numbers is accepted"),
    ],
)
def test_tables_that_are_none(table, words):
    for call in (
        lambda: Classifier(old_tree()).fit(table, Y),
        lambda: xl.update_path(old_tree(), table, Y, [0.1]),
        lambda: xl.prune_compatible(Classifier(old_tree()), table, Y),
        lambda: xl.DecisionTreeClassifier().fit(table, Y),
    ):
        with refused(f"(?s){words}"):
            call()


FIRST = np.arange(len(X)) < 100


def folded(cv):
    return (
        lambda: xl.update_path(old_tree(), X, Y, [0.1], cv=cv).loss,
        lambda: xl.prune_compatible(Classifier(old_tree()), X, Y, cv=cv).scores,
        lambda: xl.prune_cv(xl.DecisionTreeClassifier(), X, Y, cv=cv).scores,
    )


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([(range(100), [5000])], "fold 0 of cv is no pair of rows from 0 to 149"),
        ([(range(100), [-1])], "fold 0 of cv is no pair"),
        ([5], "fold 0 of cv is no pair"),
        ([("a", "b")], "fold 0 of cv is no pair"),
        ([([0.5, 1.5], [2.0])], "fold 0 of cv is no pair"),
        ([(FIRST[:5], ~FIRST)], "fold 0 of cv is no pair"),
        (1, "cv is 1: .*; a number of folds from 2 up to that of the rows, a splitter or"),
        (500, "cv is 500"),
        ("x", "cv is 'x'"),
    ],
)
def test_folds_that_are_none(cv, words):
    for call in folded(cv):
        with refused(words):
            call()


def test_masks_are_folds():
    places = np.flatnonzero(FIRST), np.flatnonzero(~FIRST)
    for by_mask, by_place in zip(folded([(FIRST, ~FIRST)]), folded([places]), strict=True):
        assert (by_mask() == by_place()).all()


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
def test_numbers_of_any_precision_are_what_they_are(kind):
    low = kind(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options in (
            {"strength": low},
            {"min_samples_leaf": low},
            {"min_weight_fraction_leaf": low},
            {"min_impurity_decrease": low},
            {"ccp_alpha": low / 10},
        ):
            plain = {name: float(value) for name, value in options.items()}
            found, wanted = (Classifier(old_tree(), **given).fit(X, Y).grown_.gain for given in (options, plain))
            assert np.array_equal(found, wanted)
        tree = Regressor(old_tree(NUMBERS), tolerance=kind(1), strength=low).fit(X, NUMBERS.astype(kind))
        same = Regressor(old_tree(NUMBERS), tolerance=1.0, strength=float(low))
        assert tree.rules() == same.fit(X, NUMBERS.astype(kind).astype(float)).rules()
        assert tree.objective(X, NUMBERS) == same.objective(X, NUMBERS)
        xl.update_path(old_tree(), X, Y, [low], cv=2).best(low)
        xl.RandomForestClassifier(2, max_samples=kind(0.5)).fit(X, Y)
    with refused("strength is .*inf"):
        Classifier(old_tree(), strength=kind(np.inf)).fit(X, Y)
    many = xl.DecisionTreeClassifier(min_samples_leaf=np.float16(0.5)).fit(
        np.arange(140_000.0)[:, None], FIRST[0:1].repeat(140_000)
    )
    assert many.get_n_leaves() == 1


# The picture


def test_axes_of_several_measures_are_called_after_all_of_them():
    pytest.importorskip("matplotlib")
    path = xl.update_path(old_tree(), X, Y, [0.1], cv=2)
    ax = xl.plot_update_path(path)
    one = ax.get_xlabel()
    xl.plot_update_path(path, ax)
    assert ax.get_xlabel() == one == "mean dissimilarity (MSE)"
    xl.plot_update_path(path, ax, measure="bcp")
    assert ax.get_xlabel().split("\n") == [one, "right before and still right"]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["MSE", "old tree", "CART", "MSE", "MSE, by BCP"]
    for ax in (3, "axes"):
        for draw in (xl.plot_update_path, xl.plot_tree):
            with refused("ax is .*; one Axes of matplotlib's, or None, is accepted"):
                draw(path if draw is xl.plot_update_path else old_tree(), ax)
