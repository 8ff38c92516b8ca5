"""The commands and their options; each command's work is loaded when it is called."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from xylogic._version import __version__
from xylogic.cli.output import BUDGET, DONE, INTERNAL, INTERRUPTED, PIPE_CLOSED, UNUSABLE, say
from xylogic.cli.questions import ALL, DEFAULT, QUESTIONS
from xylogic.errors import BudgetExceeded, XylogicError

__all__ = ["cli", "run"]

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
DATA_HELP = """
DATA is .csv, .csv.gz or .parquet with one row a line. Columns are matched by name; empty, NA, N/A, NaN, nan, null,
NULL and None are missing, unless a categorical feature knows the word as a category."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
trusted_option = click.option(
    "--trusted",
    is_flag=True,
    help="Read MODEL with joblib or pickle. Opening such a file can run any code.",
)
header_option = click.option(
    "--no-header", is_flag=True, help="DATA has no line of names; columns go by position: x0, x1, ..."
)


class Number(click.FloatRange):
    """A finite number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class Band(click.ParamType):
    """``EPS``, ``LO,HI`` or, through :class:`BandCommand`, ``LO HI``."""

    name = "LO HI | EPS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            numbers = [float(part) for part in value.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2) or any(map(math.isnan, numbers)) or numbers == [math.inf]:
            self.fail(f"{value!r} is not one number (epsilon) or two (lowest and highest)", param, ctx)
        return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


class BandCommand(click.Command):
    """A command whose ``--band`` takes one number or two."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = list(args)
        if "--band" in args:
            at = args.index("--band")
            numbers = [text for text in args[at + 1 : at + 3] if is_number(text)]
            if len(numbers) == 2:
                args[at : at + 3] = [f"--band={numbers[0]},{numbers[1]}"]
        return super().parse_args(ctx, args)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="xylogic")
def cli() -> None:
    """Exact explanations of decision trees and tree ensembles.

    Exit codes: 0 yes or done, 1 a negative verdict, 2 unusable input, 3 budget reached (a partial answer is printed).
    """


@cli.command()
@json_option
def demo(as_json: bool) -> int:
    """Explain a random forest of 100 trees on the breast cancer data that scikit-learn ships."""
    from xylogic.cli.demo import demonstrate

    return demonstrate(as_json)


@cli.command(epilog=DATA_HELP)
@click.argument("model", type=EXISTING)
@click.argument("data", type=EXISTING)
@json_option
@trusted_option
@header_option
def verify(model: Path, data: Path, as_json: bool, trusted: bool, no_header: bool) -> int:
    """Check that MODEL, as xylogic reads it, predicts what its source predicts, bit for bit.

    The rows are those of DATA and made-up ones on and beside every cut. With --trusted the source is the pickled
    model itself; for xylogic's own JSON the fast prediction is checked against the plain reference.
    """
    from xylogic.cli.verify import verify_file

    return verify_file(model, data, as_json=as_json, trusted=trusted, header=not no_header)


@cli.command(cls=BandCommand, epilog=DATA_HELP)
@click.argument("model", type=EXISTING)
@click.argument("data", type=EXISTING)
@click.option("--row", "row", type=click.IntRange(min=0), required=True, help="Row to explain; the first is 0.")
@click.option(
    "--question",
    "questions",
    type=click.Choice([*QUESTIONS, ALL]),
    multiple=True,
    metavar="NAME",
    help=f"May be repeated; one of {', '.join([*QUESTIONS, ALL])}. Without it: {', '.join(DEFAULT)}.",
)
@json_option
@click.option("--time-limit", type=Number(min=0), metavar="SECONDS", help="For each question.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop a list of reasons or flips after N.")
@click.option(
    "--ties",
    type=click.Choice(["model", "merged", "winners"]),
    default="model",
    show_default=True,
    help="What a tie of classes counts as.",
)
@click.option("--target", metavar="CLASS", help="The class that a contrastive reason or a counterfactual leads to.")
@click.option("--band", type=Band(), help="Regression: the prediction stays from LO to HI, or within EPS of itself.")
@trusted_option
@header_option
def explain(model: Path, data: Path, **options: Any) -> int:
    """Explain MODEL's prediction for one row of DATA."""
    from xylogic.cli.explain import explain_file

    return explain_file(model, data, header=not options.pop("no_header"), **options)


@cli.command(epilog=DATA_HELP)
@click.argument("data", type=EXISTING)
@click.option("--target", required=True, metavar="NAME", help="The column to predict.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Save the model here: .json or .json.gz.")
@click.option(
    "--task",
    type=click.Choice(["auto", "classes", "numbers"]),
    default="auto",
    show_default=True,
    help="What the target holds. By itself: text, truth values and up to 10 whole numbers are classes.",
)
@click.option("--criterion", metavar="NAME", help="For classes gini, entropy, ...; for numbers squared_error, ...")
@click.option("--max-depth", type=click.IntRange(min=1), metavar="N")
@click.option("--max-leaf-nodes", type=click.IntRange(min=2), metavar="N")
@click.option("--min-samples-leaf", type=click.IntRange(min=1), metavar="N")
@click.option("--ccp-alpha", type=Number(min=0), metavar="ALPHA", help="Prune by this cost of a leaf.")
@click.option(
    "--prune",
    type=click.Choice(["best", "1se"]),
    help="Choose that cost by cross-validation: of the best score, or the largest within a standard error of it.",
)
@click.option("--missing", type=click.Choice(["direction", "level", "surrogate", "fractional"]))
@json_option
@header_option
def grow(data: Path, target: str, as_json: bool, no_header: bool, **options: Any) -> int:
    """Grow a decision tree on DATA and print its rules.

    Without --max-depth and the like it is grown until its leaves are pure. Columns of numbers are compared with
    thresholds, all others are split by their categories. Scores are those of the rows it was grown on, and of
    five trees grown without the rows they are scored on.
    """
    from xylogic.cli.grow import grow_file

    own = {name: options.pop(name) for name in ("out", "task", "prune")}
    if own["prune"] is not None and options["ccp_alpha"] is not None:
        raise click.UsageError("--prune chooses what --ccp-alpha gives; one of them is accepted")
    return grow_file(data, target, **own, as_json=as_json, header=not no_header, parameters=options)


@cli.command(name="compare", epilog=DATA_HELP)
@click.argument("first", type=EXISTING)
@click.argument("second", type=EXISTING)
@click.option("--data", type=EXISTING, help="Rows of which to tell the share on which the models differ.")
@click.option(
    "--regions",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=10,
    metavar="[N]",
    help="List up to N boxes (10) on which the models differ, with both answers.",
)
@click.option(
    "--output",
    type=click.Choice(["label", "probability"]),
    default="label",
    show_default=True,
    help="What is compared.",
)
@click.option("--tolerance", type=Number(min=0), default=0.0, help="Numbers and probabilities may differ by so much.")
@click.option("--time-limit", type=Number(min=0), metavar="SECONDS", help="For each question.")
@json_option
@trusted_option
@header_option
def compare_models(first: Path, second: Path, no_header: bool, **options: Any) -> int:
    """Tell whether the models FIRST and SECOND are the same function, and where they differ.

    Exit codes: 0 equivalent, 1 not, 2 the models cannot be compared, 3 undecided within the limit.
    """
    from xylogic.cli.compare import compare_files

    return compare_files(first, second, header=not no_header, **options)


@cli.command(epilog=DATA_HELP)
@click.argument("old", type=EXISTING)
@click.argument("data", type=EXISTING)
@click.option("--target", required=True, metavar="NAME", help="The column that OLD predicts.")
@click.option(
    "--strength",
    type=Number(min=0),
    default=0.005,
    show_default=True,
    help="How much the explanations' dissimilarity counts beside the loss.",
)
@click.option("--dissimilarity", type=click.Choice(["jac", "jlu", "mae", "mse"]), default="mse", show_default=True)
@click.option(
    "--tolerance",
    type=Number(min=0),
    default=0.0,
    help="Numbers: OLD is right, and its explanation relied on, where it is off by at most this.",
)
@click.option("--test", type=EXISTING, help="Rows to judge the trees on; without it, folds of DATA are held out.")
@click.option(
    "--max-loss-increase",
    type=Number(),
    default=0.0,
    show_default=True,
    help="Refuse a tree whose loss is above that of OLD by more; below 0, unless it is lower by so much.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse a tree if any row that OLD answers right becomes wrong: of --test, or else of DATA, by the tree "
    "itself or by one grown without the row.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Save a tree that is not refused here.")
@click.option("--max-depth", type=click.IntRange(min=1), metavar="N")
@click.option("--max-leaf-nodes", type=click.IntRange(min=2), metavar="N")
@click.option("--min-samples-leaf", type=click.IntRange(min=1), metavar="N")
@click.option("--prune", type=click.Choice(["best", "1se"]), help="Prune, by cross-validation; as in grow.")
@click.option("--regions", type=click.IntRange(min=0), default=5, show_default=True, help="How many of a kind to list.")
@click.option("--time-limit", type=Number(min=0), metavar="SECONDS", help="For the regions.")
@json_option
@trusted_option
@header_option
def update(old: Path, data: Path, target: str, no_header: bool, **options: Any) -> int:
    """Grow a tree on DATA that replaces OLD and keeps to its explanations, and tell what that changes.

    Printed beside what plain CART would do: loss, rows that become wrong, how far explanations move, and, proven over
    all rows and not only those of DATA, where the new tree decides or explains otherwise.

    What cannot be measured counts as not met: a tree is refused if there are too few rows to hold some out and no
    --test, if OLD answers no row of DATA right, so that no explanation is relied on, and with --strict if it answers
    no row right of those that are judged.

    Exit codes: 0 release, 1 refused (the loss, --strict, or no grounds to judge by), 2 unusable input, 3 release, but
    the regions are partial.
    """
    from xylogic.cli.update import Rules, update_file

    rules = Rules(options.pop("max_loss_increase"), options.pop("strict"))
    limits = {name: options.pop(name) for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")}
    return update_file(old, data, target, rules=rules, parameters=limits, header=not no_header, **options)


def run(args: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every error becomes one line on stderr."""
    args = sys.argv[1:] if args is None else args
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
            code = cli.main(list(args) or ["--help"], prog_name="xylogic", standalone_mode=False)
            sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except click.ClickException as error:
        say(f"error: {error.format_message()}")
        return UNUSABLE
    except BudgetExceeded as error:
        say(f"error: {error}")
        return BUDGET
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains on its way out
        return PIPE_CLOSED
    except (XylogicError, OSError) as error:
        say(f"error: {error}")
        return UNUSABLE
    except MemoryError:
        say("error: not enough memory")
        return UNUSABLE
    except Exception as error:
        # A fault of ours: still one line, but with its kind and place, so that it can be reported.
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}" if place else "?"
        say(f"internal error: {type(error).__name__}: {error} ({where}); please report it")
        return INTERNAL
    return code or DONE
