"""Kernels are valid Python: asks questions of them compiled and run from their source, each in a fresh process."""

import json
import subprocess
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

FRAME = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "source":
    import uncompiled
    uncompiled.install()
answers = []
{questions}
print(json.dumps([importlib.import_module({kernel!r}).__file__.endswith(".py"), answers]))
"""


class KernelSource:
    """A finder that comes before the ordinary ones."""

    @staticmethod
    def find_spec(name: str, path, target=None) -> ModuleSpec | None:
        if not name.endswith("_kernel"):
            return None
        file = Path(next(iter(path))) / f"{name.rpartition('.')[2]}.py"
        return spec_from_file_location(name, file, loader=SourceFileLoader(name, str(file)))


def install() -> None:
    """Make Python run the kernels from their source instead of the compiled modules."""
    assert not any(name.endswith("_kernel") for name in sys.modules), "a kernel is loaded already"
    sys.meta_path.insert(0, KernelSource)


def asked_both_ways(questions: str, kernel: str, *, overflow: str = "ignore") -> list[Any]:
    """The list ``answers`` that ``questions`` fill, the same both ways, or the test fails; ``kernel`` is one of them.

    ``overflow``: "error" where numbers of the source must not wrap around.
    """
    found = []
    for how in ("compiled", "source"):
        program = FRAME.format(questions=questions, kernel=kernel)
        command = [sys.executable, "-W", f"{overflow}::RuntimeWarning", "-c", program, str(Path(__file__).parent), how]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        from_source, answers = json.loads(done.stdout)
        assert from_source == (how == "source"), "the kernels are not compiled; build them first"
        found.append(answers)
    for compiled, source in zip(*found, strict=True):
        assert compiled == source
    return found[0]
