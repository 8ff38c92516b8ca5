"""Imports point down only, as the table of docs/architecture.md says; heavy libraries load on first use."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
MODULES = sorted(SOURCE.glob("xylogic/**/*.py"))
HEAVY = {"click", "joblib", "matplotlib", "narwhals", "pandas", "polars", "pyarrow", "rich", "scipy", "sklearn"}
ESTIMATORS = {"xylogic.grow.base", "xylogic.grow.estimators", "xylogic.grow.forests"}
FACE = "xylogic"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def floors() -> dict[str, tuple[int, int]]:
    """Room -> (floor, line of the table); what shares a line counts as one room."""
    lines = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()
    rows = [match for line in lines if (match := re.match(r"\| (\d+) \| ([^|]+) \|", line))]
    return {
        room.removesuffix(".py").removesuffix("/"): (int(floor), place)
        for place, (floor, rooms) in enumerate(row.groups() for row in rows)
        for room in re.findall(r"`([^`]+)`", rooms)
    }


FLOORS = floors()


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {module_name(path) for path in MODULES}


def imported(path: Path, node: ast.AST) -> list[str]:
    """The modules that one statement imports, by absolute name; a name that is no module counts as its module."""
    if isinstance(node, ast.Import):
        return [plain(alias.name) for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    above: list[str] = []
    if node.level:
        package = module_name(path).split(".")[: None if path.name == "__init__.py" else -1]
        above = package[: len(package) - node.level + 1]
    base = plain(".".join([*above, *([node.module] if node.module else [])]))
    names = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in NAMES else base for name in names]


def plain(name: str) -> str:
    return name.removeprefix("cython.cimports.")


def room(module: str) -> str:
    return module.split(".")[1]


def arrows(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        for name in imported(path, node):
            yield name, getattr(node, "lineno", 0)


def module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run on import, those under ``if TYPE_CHECKING`` left out."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            hidden = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            if hidden or isinstance(node, FUNCTIONS):
                continue
            if isinstance(node, ast.stmt):
                yield node
            waiting.append(node)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_arrows_point_down(path: Path) -> None:
    here = module_name(path)
    if here == FACE:
        return  # the face hands on names of every floor
    floor, line = FLOORS[room(here)]
    for name, number in arrows(path):
        assert name != FACE, f"{path.name}:{number} imports the package's face"
        if not name.startswith(FACE + "."):
            continue
        other_floor, other_line = FLOORS[room(name)]
        down = other_floor < floor or other_line == line
        assert down, f"{path.name}:{number} (floor {floor}) imports {name} (floor {other_floor})"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_heavy_libraries_load_on_first_use(path: Path) -> None:
    # An estimator has to derive from scikit-learn's BaseEstimator; these modules load when one is first named.
    allowed = {"click"} if room(module_name(path) + ".") == "cli" else set()
    allowed |= {"sklearn"} if module_name(path) in ESTIMATORS else set()
    for node in module_level(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        heavy = {name.split(".")[0] for name in imported(path, node)} & HEAVY
        assert heavy <= allowed, f"{path.name}:{node.lineno} imports {', '.join(sorted(heavy))} at module level"


def test_every_room_has_a_floor() -> None:
    rooms = {room(module_name(path)) for path in MODULES if module_name(path) != FACE}
    assert rooms <= set(FLOORS)


def test_every_kernel_is_known_to_mypy() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    skipped = [part["module"] for part in settings["tool"]["mypy"]["overrides"] if part.get("follow_imports") == "skip"]
    assert skipped == [sorted(name for name in NAMES if name.endswith("_kernel"))]


def test_arrows_are_seen() -> None:
    """The parser resolves each way of writing an import."""
    path = SOURCE / "xylogic" / "reason" / "answers.py"

    def names(text: str) -> list[str]:
        return imported(path, ast.parse(text).body[0])

    assert names("import xylogic.explain as e") == ["xylogic.explain"]
    assert names("from xylogic import errors, Ensemble") == ["xylogic.errors", "xylogic"]
    assert names("from .. import Ensemble") == ["xylogic"]
    assert names("from ..errors import XylogicError") == ["xylogic.errors"]
    assert names("from .. import errors") == ["xylogic.errors"]
    assert names("from .missing import x") == ["xylogic.reason.missing"]
    assert names("from cython.cimports.xylogic.errors import x") == ["xylogic.errors"]
