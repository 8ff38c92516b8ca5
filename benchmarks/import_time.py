"""What `import xylogic` costs beyond numpy, and what `xylogic --help` costs, each in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

import common

IMPORT = "import numpy, time; start = time.perf_counter(); import xylogic; {}; print(time.perf_counter() - start)"
IMPORTS = {
    "import xylogic, beyond numpy": IMPORT.format("pass"),
    "the same and its Explainer and read_model": IMPORT.format("xylogic.Explainer, xylogic.read_model"),
}
COMMANDS = {
    "python": ["-c", "pass"],
    "python and numpy": ["-c", "import numpy"],
    "xylogic --help": ["-m", "xylogic.cli", "--help"],
}
TARGET_MS = 300.0


def timed(arguments: list[str]) -> float:
    """Milliseconds of a whole process."""
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    return (perf_counter() - start) * 1e3


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--runs", type=int, default=9)
    args = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in (*IMPORTS, *COMMANDS)}
    for _ in range(args.runs + 1):  # the first one fills the caches of the disk
        for name, code in IMPORTS.items():
            printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            found[name].append(float(printed) * 1e3)
        for name, arguments in COMMANDS.items():
            found[name].append(timed(arguments))
    records = []
    for name, times in found.items():
        record = {"what": name, "median ms": common.median(times[1:]), "max ms": max(times[1:]), "runs": args.runs}
        judged = not name.startswith("python")
        records.append(record | {"target ms": TARGET_MS if judged else None})
        records[-1]["within"] = bool(record["median ms"] < TARGET_MS) if judged else None
    print(common.table(records))
    common.write(args.out, "import_time", {"runs": args.runs}, records, [])


if __name__ == "__main__":
    main()
