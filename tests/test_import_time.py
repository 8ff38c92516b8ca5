"""What an import costs is told by the modules it loads, not by a clock."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import xylogic

ESTIMATORS = {
    "xylogic.grow.estimators",
    "xylogic.grow.forests",
    "xylogic.grow.prune",
    "xylogic.update.estimators",
    "xylogic.update.forests",
    "xylogic.update.path",
    "xylogic.update.pruning",
}
HEAVY = {"joblib", "matplotlib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn"}


def loaded(code: str) -> set[str]:
    """The top-level modules that a new interpreter holds after running ``code``."""
    report = "import json, sys; print('\\n' + json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_loads_nothing_heavy() -> None:
    assert not loaded("import xylogic") & (HEAVY | {"click", "numpy", "Cython", "cython"})


def test_public_names_load_nothing_heavy() -> None:
    # An estimator has to be one of scikit-learn's, and so has the error it raises; pruning grows estimators.
    names = [n for n in xylogic.__all__ if n != "NotFittedError" and xylogic._HOMES.get(n) not in ESTIMATORS]
    code = f"import xylogic\nfor name in {names}: getattr(xylogic, name)"
    modules = loaded(code)
    assert "numpy" in modules
    assert not modules & (HEAVY | {"click", "Cython"})


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["explain", "--help"], ["demo", "--help"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    modules = loaded(f"from xylogic.cli.app import run\nassert run({args}) == 0")
    assert not modules & (HEAVY | {"numpy"})


def test_face_tells_type_checkers_the_same_names() -> None:
    tree = ast.parse(Path(xylogic.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    told = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert told == xylogic._HOMES
    assert set(xylogic.__all__) == {*told, "__version__"}
    assert set(xylogic.__all__) <= set(dir(xylogic))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'grow_everything'"):
        xylogic.grow_everything  # noqa: B018
