"""One reason, a smallest reason and a contrastive one, beside PyXAI, python-sat and dtai-veritas, on the same rows.

Every answer of every side is then tried against its own vote and against what `forest.predict` computes: by search
(xylogic's `is_sufficient`; for xylogic's own answers also the peers' oracles) and by random completions.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import common
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import xylogic as xl

SIDES = {"xylogic hard": "hard", "PyXAI": "hard", "python-sat": "hard", "xylogic soft": "soft", "veritas": "soft"}
LOADERS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
Reply = tuple[Any, ...]  # ("done", seconds, value), ("unsupported", why), ("failed", why) or ("late",)
DEPTHS = {"4": 4, "6": 6, "unlimited": None}


class Worker:
    """A side in its own process group, killed when an answer is late and started again for the next."""

    def __init__(self, side: str, forest: RandomForestClassifier, setup_seconds: float) -> None:
        self.side, self.forest, self.setup_seconds = side, forest, setup_seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.ready = float("nan")

    def call(self, request: tuple[Any, ...], seconds: float) -> tuple[Any, ...]:
        """("done", seconds, value), ("unsupported", why), ("failed", why) or ("late",)."""
        if self.process is None:
            started = self._start()
            if started[0] != "done":
                return ("failed", f"set-up: {started}")
        return self._exchange(request, seconds)

    def _start(self) -> tuple[Any, ...]:
        command = [sys.executable, str(Path(__file__).with_name("peer_worker.py")), self.side]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        reply = self._exchange(("forest", self.forest), self.setup_seconds)
        if reply[0] == "done":
            self.ready = reply[1]
        else:
            self.close()
        return reply

    def _exchange(self, request: tuple[Any, ...], seconds: float) -> tuple[Any, ...]:
        assert self.process is not None and self.process.stdin is not None and self.process.stdout is not None
        try:
            pickle.dump(request, self.process.stdin)
            self.process.stdin.flush()
            with selectors.DefaultSelector() as waiting:
                waiting.register(self.process.stdout, selectors.EVENT_READ)
                if not waiting.select(seconds):
                    self.close()
                    return ("late",)
            reply: tuple[Any, ...] = pickle.load(self.process.stdout)
            return reply
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            self.close()
            return ("failed", f"the process ended ({type(error).__name__})")

    def close(self) -> None:
        """End the process and whatever it started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


class Judge:
    """Tries answers against a model: by xylogic's search, and by random completions through the source."""

    def __init__(self, forest: RandomForestClassifier, samples: int) -> None:
        self.forest, self.samples = forest, samples
        model = xl.read_model(forest)
        self.names = model.feature_names
        hard = model.with_voting("majority")
        self.models = {"soft": model, "hard": hard}
        self.explainers = {vote: xl.Explainer(self.models[vote]) for vote in self.models}
        trees = [member.tree_ for member in forest.estimators_]
        cuts = [np.unique(np.concatenate([t.threshold[t.feature == f] for t in trees])) for f in range(len(self.names))]
        self.values = [self._probes(cut) for cut in cuts]

    @staticmethod
    def _probes(cuts: np.ndarray) -> np.ndarray:
        if not len(cuts):
            return np.zeros(1)
        return np.concatenate([[cuts[0] - 1], (cuts[:-1] + cuts[1:]) / 2, [cuts[-1] + 1]])

    def decide(self, vote: str, row: np.ndarray) -> Any:
        """The class of one row; the soft vote by the source itself."""
        return (self.forest if vote == "soft" else self.models["hard"]).predict(np.asarray(row, float)[None])[0]

    def sufficient(self, vote: str, row: np.ndarray, value: dict[str, Any]) -> bool:
        """Whether the answer forces the row's class (proof by search)."""
        box = value["box"]
        partial = {self.names[f]: float(row[f]) if box is None else closed(*box[f]) for f in value["features"]}
        return bool(self.explainers[vote].is_sufficient(partial) == self.decide(vote, row))

    def sampled(self, row: np.ndarray, value: dict[str, Any], seed: int) -> bool:
        """Whether no random completion is predicted otherwise by the deployed forest."""
        draw = np.random.default_rng(seed)
        tried = np.column_stack([draw.choice(values, self.samples) for values in self.values])
        for f in value["features"]:
            if value["box"] is None:
                tried[:, f] = row[f]
            else:
                low, high = value["box"][f]
                inside = self.values[f][(self.values[f] > low) & (self.values[f] <= high)]
                tried[:, f] = draw.choice(inside, self.samples) if len(inside) else row[f]
        return bool((self.forest.predict(tried) == self.decide("soft", row)).all())

    def contrastive(self, vote: str, row: np.ndarray, value: dict[str, Any]) -> bool:
        """Whether the change that the answer names is possible and changes the class; without one, whether any does."""
        if value["row"] is None and value["box"] is None:
            return self.can_flip(vote, row, value)
        changed = value["row"]
        if changed is None and value["box"] is not None:
            changed = np.array(row, float)
            for f in value["features"]:
                low, high = closed(*value["box"][f])
                if low > high:
                    return False
                changed[f] = high if np.isfinite(high) else low
        return changed is not None and bool(self.decide(vote, np.asarray(changed)) != self.decide(vote, row))

    def can_flip(self, vote: str, row: np.ndarray, value: dict[str, Any]) -> bool:
        """Whether any change of the named features changes the class (by search)."""
        named = set(value["features"])
        partial = {name: float(row[f]) for f, name in enumerate(self.names) if f not in named}
        return self.explainers[vote].is_sufficient(partial) is None


def closed(low: float, high: float) -> tuple[float, float]:
    """low < x <= high as the closed interval of the float32 numbers in it."""
    first, last = np.float32(low), np.float32(high)
    if np.isfinite(low) and first <= low:
        first = np.nextafter(first, np.float32(np.inf))
    if last > high:
        last = np.nextafter(last, np.float32(-np.inf))
    return float(first), float(last)


def cell(worker: Worker, question: str, rows: np.ndarray, args: Any) -> list[Reply]:
    """One side's answers to one question; stops once its time or its time-outs are used up."""
    replies: list[Reply] = []
    start = perf_counter()
    streams = question.startswith("stream")
    for row in rows[: 3 if streams else None]:
        if streams:
            reply = worker.call(("ask", question, row, args.stream_seconds), args.seconds + args.stream_seconds)
        else:
            reply = worker.call(("ask", question, row, args.seconds), args.seconds)
        replies.append(reply)
        late = sum(one[0] == "late" for one in replies)
        if reply[0] == "unsupported" or late >= args.late or perf_counter() - start > args.cell_seconds:
            break
    return replies


def judged(judge: Judge, side: str, question: str, rows: np.ndarray, replies: list[Reply]) -> dict[str, Any]:
    """How many answers are wrong: for the side's own vote, for the deployed forest, and what sampling sees of that."""
    wrong_own = wrong_deployed = seen = useless = 0
    for position, (row, reply) in enumerate(zip(rows, replies, strict=False)):
        if reply[0] != "done" or question.startswith("stream"):
            continue
        value = reply[2]
        if "contrastive" in question:
            wrong_own += not judge.contrastive(SIDES[side], row, value)
            wrong_deployed += not judge.contrastive("soft", row, value)
            useless += not judge.can_flip("soft", row, value)
        else:
            wrong_own += not judge.sufficient(SIDES[side], row, value)
            wrong_deployed += not judge.sufficient("soft", row, value)
            seen += not judge.sampled(row, value, position)
    found: dict[str, Any] = {"wrong for its vote": wrong_own, "wrong for predict": wrong_deployed}
    return found | ({"cannot flip": useless} if "contrastive" in question else {"seen by sampling": seen})


def refuted(
    judge: Judge, worker: Worker, vote: str, rows: np.ndarray, replies: list[Reply], args: Any
) -> dict[str, int]:
    """Our sufficient reasons before the peer's oracle: how many it tried, to how many it knows a counterexample."""
    tried = against = 0
    start = perf_counter()
    for row, reply in zip(rows, replies, strict=False):
        if reply[0] != "done" or perf_counter() - start > args.cell_seconds:
            continue
        told = worker.call(("refute", reply[2]["features"], row), args.seconds)
        if told[0] == "done":
            tried += 1
            other = told[2]["row"]
            against += other is not None and judge.decide(vote, np.array(other)) != judge.decide(vote, row)
    return {"peer tried": tried, "peer refuted": against}


def measure(name: str, depth: str, args: Any) -> list[dict[str, Any]]:
    """All sides and questions on one forest."""
    if name in LOADERS:
        X, y = LOADERS[name](return_X_y=True)
    else:
        X, y = common.read_table(args.data_dir, name)
    X = np.asarray(X, float)
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.3, random_state=0)
    forest = RandomForestClassifier(args.trees, max_depth=DEPTHS[depth], random_state=0).fit(X_train, y_train)
    rows = X_test[: args.rows]
    judge = Judge(forest, args.samples)
    workers = {side: Worker(side, forest, args.setup_seconds) for side in args.sides}
    records, ours = [], {}
    for question in args.questions:
        for side, worker in workers.items():
            if question.startswith("stream") and not side.startswith("xylogic"):
                continue
            replies = cell(worker, question, rows, args)
            if replies[0][0] == "unsupported":
                continue
            times = [reply[1] if reply[0] == "done" else float("inf") for reply in replies]
            record = {
                "set": name, "depth": depth, "question": question, "side": side, "vote": SIDES[side],
                "rows": len(replies), "time-out s": args.seconds,
                "median ms": common.median(times) * 1e3, "max ms": max(times) * 1e3,
                "late": sum(reply[0] == "late" for reply in replies),
                "failed": sum(reply[0] == "failed" for reply in replies),
                "size": common.median(len(reply[2]["features"]) for reply in replies if reply[0] == "done"),
                "ready ms": worker.ready * 1e3,
            }  # fmt: skip
            record |= judged(judge, side, question, rows, replies)
            failures = [reply[1] for reply in replies if reply[0] == "failed"]
            if failures:
                record["first failure"] = failures[0][:200]
            if question.startswith("stream"):
                rates = [reply[2]["count"] / reply[2]["spent"] for reply in replies if reply[0] == "done"]
                counts = [reply[2]["count"] for reply in replies if reply[0] == "done"]
                record |= {"reasons a second": common.median(rates), "reasons": common.median(counts)}
            if side.startswith("xylogic") and question in ("sufficient", "smallest"):
                peer = "python-sat" if SIDES[side] == "hard" else "veritas"
                if peer in workers:
                    record |= refuted(judge, workers[peer], SIDES[side], rows, replies, args)
            records.append(record)
            ours[question, side] = record["median ms"]
            print(common.table(records[-1:], COLUMNS).splitlines()[-1], flush=True)
    for worker in workers.values():
        worker.close()
    for record in records:
        mine = ours.get((record["question"], f"xylogic {record['vote']}"))
        if mine and not record["side"].startswith("xylogic"):
            record["slower than xylogic"] = record["median ms"] / mine if np.isfinite(record["median ms"]) else None
            record["at least"] = args.seconds * 1e3 / mine if not np.isfinite(record["median ms"]) else None
    return records


COLUMNS = ("set", "depth", "question", "side", "rows", "median ms", "max ms", "late", "failed", "size",
           "wrong for its vote", "wrong for predict", "seen by sampling", "cannot flip", "peer tried", "peer refuted",
           "reasons a second")  # fmt: skip


def kept(args: Any) -> list[dict[str, Any]]:
    """The records of an earlier run on forests that this one leaves alone."""
    earlier = json.loads((args.out / "peers.json").read_text(encoding="utf-8"))["records"]
    return [one for one in earlier if one["set"] not in args.sets or one["depth"] not in args.depths]


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=[*LOADERS, "spambase"])
    parser.add_argument("--depths", nargs="*", default=list(DEPTHS), choices=list(DEPTHS))
    parser.add_argument("--sides", nargs="*", default=list(SIDES), choices=list(SIDES))
    questions = ["sufficient", "smallest", "contrastive", "shortest contrastive"]
    questions += ["stream sufficient", "stream necessary"]
    parser.add_argument("--questions", nargs="*", default=questions, choices=questions)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--samples", type=int, default=2000, help="random completions an answer")
    parser.add_argument("--seconds", type=float, default=30.0, help="time-out of an answer")
    parser.add_argument("--late", type=int, default=2, help="time-outs after which a side is not asked again")
    parser.add_argument("--cell-seconds", type=float, default=90.0, help="time of one side on one question")
    parser.add_argument("--setup-seconds", type=float, default=120.0)
    parser.add_argument("--stream-seconds", type=float, default=3.0)
    parser.add_argument("--add", action="store_true", help="keep what the results hold on other forests")
    args = parser.parse_args()
    notes: list[str] = []
    records = kept(args) if args.add else []
    if args.add:
        notes.append("measured in parts with different limits; the settings are those of the last part")
    for name in args.sets:
        if name not in LOADERS and args.data_dir is None:
            notes.append(f"{name} skipped: no --data-dir")
            continue
        for depth in args.depths:
            records += measure(name, depth, args)
            settings = {key: value for key, value in vars(args).items() if not isinstance(value, Path | str)}
            common.write(args.out, "peers", settings, records, notes)
    print("\n" + common.table(records, COLUMNS))
    print("\n".join(notes))


if __name__ == "__main__":
    main()
