"""Trees that keep to an old tree's explanations: the experiments of "Backward Compatibility in Tree-Based Explanations
and Enhanced CART Algorithm".

paths: Figures 2 to 4; time: Figure 5; incremental: Figure 6, beside River's VFDT and HAT; trees: old and new trees of
spambase side by side; forests: the same of forests, tree by tree. `--repeats 100` is the paper's number of trials.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything that starts OpenMP

from pathlib import Path

import common
import update_data
import update_forests
import update_incremental
import update_paths
import update_time
import update_trees

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
STRENGTHS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
RUN = {
    "paths": update_paths.measure,
    "time": update_time.measure,
    "incremental": update_incremental.measure,
    "trees": update_trees.measure,
    "forests": update_forests.measure,
}
CLAIMS = {"paths": update_paths.claims, "incremental": update_incremental.claims}


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--parts", nargs="*", default=list(RUN), choices=list(RUN))
    parser.add_argument("--sets", nargs="*", default=[*update_data.CLASSES, *update_data.NUMBERS])
    parser.add_argument("--repeats", type=int, default=5, help="trials")
    parser.add_argument("--old", type=int, default=500, help="old rows")
    parser.add_argument("--new", type=int, default=1000, help="new rows, the old ones among them")
    parser.add_argument("--strengths", nargs="*", type=float, default=list(STRENGTHS))
    parser.add_argument("--folds", type=int, default=5, help="that choose how far trees are pruned; 0: not at all")
    parser.add_argument("--tolerance", type=float, default=0.5, help="of regression, in deviations of the target")
    parser.add_argument("--sizes", nargs="*", type=int, default=[1_000, 10_000], help="rows of made data, for times")
    parser.add_argument("--time-strengths", nargs="*", type=float, default=[0.005, 0.05])
    parser.add_argument("--rounds", type=int, default=7, help="of times")
    parser.add_argument("--default-trials", type=int, default=2, help="in which River's default leaves learn too")
    parser.add_argument("--forest-trials", type=int, default=2, help="trials with forests, at most")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder for the pictures")
    args = parser.parse_args()
    if args.data_dir is None:
        parser.error("--data-dir names the folder of the data sets")
    for part in args.parts:
        notes: list[str] = []
        records = RUN[part](args, notes)
        notes += CLAIMS[part](records) if part in CLAIMS else []
        settings = {key: value for key, value in vars(args).items() if not isinstance(value, Path)}
        common.write(args.out, f"update_{part}", settings, records, notes)
        print("\n".join(notes))


if __name__ == "__main__":
    main()
