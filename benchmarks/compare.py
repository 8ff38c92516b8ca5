"""Comparing trees and ensembles: the gadget trees, prime implicants, Rashomon sets, forests and importance, by part.

Each part is a module ``compare_PART.py`` with ``run(options) -> {"records": rows}``, maybe with ``"notes"``,
``"columns"`` to print and ``"settings"`` of its own. A part that measured nothing leaves its earlier results alone.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import common

PARTS = ("gadgets", "primes", "rashomon", "forests", "importance")


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--seconds", type=float, help="until a slow side is not asked for more; each part has its own")
    parser.add_argument("--rounds", type=int, default=20, help="of a quick measurement; the least counts")
    parser.add_argument("--sizes", nargs="*", type=int, default=[200, 500, 1000, 10_000, 50_000], help="gadgets: r")
    options = parser.parse_args()
    settings = {key: value for key, value in vars(options).items() if not isinstance(value, Path)}
    for part in options.parts:
        found = importlib.import_module(f"compare_{part}").run(options)
        if found["records"]:
            own = found.get("settings", settings)
            common.write(options.out, f"compare_{part}", own, found["records"], found.get("notes", []))
        print(f"\n{part}\n" + common.table(found["records"], found.get("columns")))
        print("\n".join(found.get("notes", [])), flush=True)


if __name__ == "__main__":
    main()
