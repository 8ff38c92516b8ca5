"""``Explanation``: everything that can be asked of one decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.domain.box import Box, Clause, Term
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.explain.answering import Answers, json_ready
from xylogic.explain.engines import Reasoner
from xylogic.explain.scoring import Question
from xylogic.explain.verdict import Verdict, Voice
from xylogic.importance.scores import Importance
from xylogic.reason.answers import EXACT, PARTIAL, Flips, Reasons, Status
from xylogic.reason.counterfactual import Counterfactual
from xylogic.reason.diagrams import CircuitGeneral
from xylogic.reason.enumeration import one_sufficient
from xylogic.reason.flips import Robustness, flip_rows, shortest_flips
from xylogic.reason.general import GeneralEnumeration, GeneralReasons, wide_box
from xylogic.reason.smallest import SmallestSufficient
from xylogic.search.engine import Goal
from xylogic.search.sets import bit_set, members
from xylogic.view.text import explanation_text

__all__ = ["Explanation"]


class Explanation(Verdict):
    """The decision about one row. Answers are computed when asked, and kept once they are exact.

    A question that reaches a limit of its explainer, or Ctrl-C, answers with what is proven and ``status`` says
    ``"partial"``: reasons and flips are the ones found, a sufficient reason is sufficient though perhaps not minimal,
    a counterfactual flips though perhaps not nearest. Where no such part would be honest (a smallest reason,
    robustness, feature lists, "there is no counterfactual"), :class:`BudgetExceeded` carries the bounds reached.
    """

    def __init__(self, voice: Voice, values: NDArray[np.float64], cast: NDArray[np.float64]) -> None:
        super().__init__(voice, values, cast)
        self._answers = Answers(voice.new_budget)
        self._enumerations: dict[Goal, Reasoner] = {}
        self._generals: dict[str, GeneralEnumeration | CircuitGeneral] = {}
        self._tree = voice.route.tree

    # ---- why --------------------------------------------------------------------------------------------------

    def sufficient_reason(self, minimum: bool = False) -> Term:
        """Features that force the decision, whatever the others are; dropping any one would not. ``minimum``: one of
        the fewest features, proven; the first by column order among those.

        One search a feature by deletion, on a single tree O(n_nodes) in all; the smallest by implicit hitting sets.
        Raises BudgetExceeded for ``minimum`` with bounds ``lower`` and ``upper`` on its size.
        """
        decision = self._decision
        engine, states = decision.engine, decision.states

        def one(budget: Budget) -> tuple[Term, BaseException | None, dict[str, Any]]:
            if self._tree is not None:
                return decision.term(self._tree.sufficient(decision)), None, {}
            found, stop = one_sufficient(engine, decision.flip, states, budget)
            return decision.term(found), stop, {}

        def smallest(budget: Budget) -> tuple[Term, BaseException | None, dict[str, Any]]:
            work = SmallestSufficient(engine, decision.flip, states)
            try:
                return decision.term(work.find(budget)), None, {}
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                raise _limited(stop, {"lower": work.lower, "upper": work.upper}) from None

        return self._answers.ask(*(("smallest_sufficient_reason", smallest) if minimum else ("sufficient_reason", one)))

    def sufficient_reasons(self, limit: int | None = None) -> Reasons:
        """All minimal sufficient reasons (prime implicants of the complete reason), or the first ``limit`` found."""
        return self._reasons("sufficient_reasons", self._decision.flip, "sufficient", limit)

    def necessary_reasons(self, limit: int | None = None) -> Reasons:
        """All minimal necessary reasons: sets of features of which some change flips the decision (as clauses)."""
        return self._reasons("necessary_reasons", self._decision.flip, "necessary", limit)

    def iter_sufficient_reasons(self) -> Iterator[Term]:
        """The sufficient reasons one by one, as they are found. Raises BudgetExceeded at a limit."""
        stream = self._enumeration(self._decision.flip).stream("sufficient", self._voice.new_budget())
        return (self._decision.term(found) for found in stream)

    def iter_necessary_reasons(self) -> Iterator[Clause]:
        """The necessary reasons one by one, as they are found. Raises BudgetExceeded at a limit."""
        stream = self._enumeration(self._decision.flip).stream("necessary", self._voice.new_budget())
        return (self._decision.clause(found) for found in stream)

    def contrastive(self, target: Any = None) -> Any:
        """Minimal sets of features of which some change makes the model decide ``target``: :class:`Reasons`.

        Without a target, a dict of that for every other class. Raises InvalidInputError for an unknown class and for
        the decision's own.
        """
        if target is None:
            return {label: self.contrastive(label) for label in self._targets().values()}
        goal = self._target_goal(target)
        return self._reasons(("contrastive", target), goal, "necessary", None)

    def general_sufficient_reasons(self, limit: int | None = None) -> Reasons:
        """All general sufficient reasons: sufficient reasons whose features may take the widest sets of values, by set
        inclusion, that still force the decision; or the first ``limit`` found.
        """
        return self._general("general_sufficient_reasons", "sufficient", limit)

    def general_necessary_reasons(self, limit: int | None = None, shortest: bool = False) -> Reasons:
        """All general necessary reasons: whatever violates one, by changing all of its features, flips the decision.

        ``shortest``: those with the fewest features, which :meth:`robustness` counts (Algorithm 7 of the circuits
        paper): their violations are the shortest flips.
        """
        return self._general(f"{'shortest_' * shortest}general_necessary_reasons", "necessary", limit)

    def _general(self, question: str, kind: str, limit: int | None) -> Reasons:
        _check_limit(limit)
        decision = self._decision

        def ask(budget: Budget) -> tuple[Reasons, BaseException | None, dict[str, Any]]:
            stop: BaseException | None = None
            work = self._generals.get(question)
            try:
                if work is None:
                    reasoner, given = self._enumeration(decision.flip), None
                    if question.startswith("shortest"):
                        given = reasoner.shortest_sets(self.robustness(), budget)
                    work = self._generals[question] = reasoner.general(kind, given, budget)
                work.run_until(limit, budget)
            except (BudgetExceeded, KeyboardInterrupt) as caught:
                stop = caught
            found = work.found if work else []
            whole = work is not None and work.complete and (limit is None or len(found) <= limit)
            make = partial(wide_box, decision, kind)
            reasons = GeneralReasons(found[:limit], make, EXACT if whole else PARTIAL)
            return reasons, stop, {} if whole else {"found": len(reasons)}

        return self._answers.ask(question, ask, again=limit is not None)

    def complete_reason(self) -> Formula:
        """The complete reason: true of a row exactly if what it shares with this one forces the decision. Its prime
        implicants and implicates are the sufficient and the necessary reasons.

        From a diagram linear in its edges; by search the conjunction of all necessary reasons. Raises BudgetExceeded.
        """
        return self._formula("complete_reason", False)

    def general_reason(self) -> Formula:
        """The general reason: true of a row exactly if the decision stays, whichever of its values go back to this
        row's. It knows of other values than the row's own that keep the decision.

        From a diagram linear in its edges; by search the disjunction of its prime implicants, perhaps many, so that
        ``engine="auto"`` tries to compile first. Raises BudgetExceeded.
        """
        return self._formula("general_reason", True)

    def _formula(self, question: str, general: bool) -> Formula:
        def ask(budget: Budget) -> tuple[Formula, BaseException | None, dict[str, Any]]:
            try:
                return self._enumeration(self._decision.flip).formula(general, budget), None, {}
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                raise _limited(stop, {}) from None

        return self._answers.ask(question, ask)

    def _enumeration(self, goal: Goal) -> Reasoner:
        found = self._enumerations.get(goal)
        if found is None:
            found = self._enumerations[goal] = Reasoner(self._voice.route, self._decision, goal)
        return found

    def _reasons(self, question: Any, goal: Goal, kind: str, limit: int | None) -> Reasons:
        _check_limit(limit)
        work = self._enumeration(goal)

        def ask(budget: Budget) -> tuple[Reasons, BaseException | None, dict[str, Any]]:
            stop: BaseException | None = None
            try:
                work.run_until(kind, limit, budget)
            except (BudgetExceeded, KeyboardInterrupt) as caught:
                stop = caught
            sets = work.sets(kind)
            whole = work.has_all(kind) and (limit is None or len(sets) <= limit)
            make: Callable[[Any], Box] = self._decision.term if kind == "sufficient" else self._decision.clause
            reasons = Reasons(sets[:limit], make, EXACT if whole else PARTIAL)
            return reasons, stop, {} if whole else {"found": len(reasons)}

        return self._answers.ask(question, ask, again=limit is not None)

    def relevant_features(self) -> tuple[str, ...]:
        """The features in some sufficient reason (equally: in some necessary one). Exponential at worst.

        Raises BudgetExceeded with the bound ``found``.
        """

        def ask(budget: Budget) -> tuple[tuple[str, ...], BaseException | None, dict[str, Any]]:
            work = self._enumeration(self._decision.flip)
            every = self._decision.engine.varying
            try:
                if self._tree is not None:
                    work.run_until("necessary", None, budget)
                while not work.has_all("necessary"):
                    work.run(budget, 16)
                    if (np.bitwise_or.reduce(work.sets("necessary"), axis=0, initial=0) == every).all():
                        break
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                found = np.bitwise_or.reduce(work.sets("necessary"), axis=0, initial=0)
                raise _limited(stop, {"found": list(self._decision.names(found))}) from None
            return self._decision.names(np.bitwise_or.reduce(work.sets("necessary"), axis=0, initial=0)), None, {}

        return self._answers.ask("relevant_features", ask)

    def necessary_features(self) -> tuple[str, ...]:
        """The features in every sufficient reason: changing one alone can flip the decision. One search a feature."""
        decision = self._decision
        engine = decision.engine

        def ask(budget: Budget) -> tuple[tuple[str, ...], BaseException | None, dict[str, Any]]:
            found: list[int] = []
            work = self._enumeration(decision.flip)
            try:
                if self._tree is not None:
                    work.run_until("necessary", None, budget)
                if work.has_all("necessary"):
                    sets = work.sets("necessary")
                    alone = sets[np.bitwise_count(sets).sum(axis=1) == 1]
                    return decision.names(np.bitwise_or.reduce(alone, axis=0, initial=0)), None, {}
                with engine.search(decision.flip, decision.states, budget) as (search, _):
                    for f in members(engine.varying):
                        if search.can_flip(bit_set([f], engine.width)):
                            found.append(f)
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                names = decision.names(bit_set(found, engine.width))
                raise _limited(stop, {"found": list(names)}) from None
            return decision.names(bit_set(found, engine.width)), None, {}

        return self._answers.ask("necessary_features", ask)

    def importance(
        self,
        index: str = "shapley",
        *,
        normalised: bool = False,
        marginals: Mapping[str, ArrayLike] | None = None,
        samples: int = 20_000,
        random_state: int | None = 0,
    ) -> Importance:
        """How much each feature counts: its power in the game "is this set of features sufficient".

        Parameters
        ----------
        index : ``"shapley"``, ``"banzhaf"``, ``"johnston"``, ``"deegan-packel"``, ``"holler-packel"`` or
            ``"responsibility"``: more than 0 exactly for the features of some sufficient reason. For comparison
            ``"expected-value"``: the usual SHAP scores (of the predicted class's score, features being independent),
            which may rank features that decide nothing above features that decide.
        normalised : divide by the sum. Johnston's scores need it to be comparable: they double with each feature that
            decides nothing.
        marginals : for ``"expected-value"``, feature name -> probability of each of its states; a feature left out has
            equal states. :meth:`Diagram.marginals` counts them in a table.
        samples, random_state : for the estimate below: random orders at most, and the seed.

        Scores are floats, the nearest ones to the exact fractions. Of more than 64 relevant features, or a large game,
        Shapley and Banzhaf values are integrated: within 1e-12.

        Exponential at worst. At a limit the Shapley values are estimated in the other half of the time: the answer's
        ``status`` is then ``"partial"`` and its ``intervals`` hold the true values with probability 95 % each; the
        other indices raise BudgetExceeded, as Johnston does from 21 relevant features on.
        """
        question = Question(index, normalised, marginals, samples, random_state)
        work = self._enumeration(self._decision.flip)

        def ask(budget: Budget) -> tuple[Importance, BaseException | None, dict[str, Any]]:
            try:
                return question.answer(self._voice.model, self._position, self._decision, work, budget)
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                raise _limited(stop, getattr(stop, "bounds", {})) from None

        return self._answers.ask(question.name, ask, again=marginals is not None)

    # ---- what would change it ---------------------------------------------------------------------------------

    def robustness(self) -> float:
        """The least number of features whose change can flip the decision (int); ``math.inf`` if none can.

        Raises BudgetExceeded with bounds ``lower`` and ``upper``.
        """

        def ask(budget: Budget) -> tuple[float, BaseException | None, dict[str, Any]]:
            known = self._enumeration(self._decision.flip)
            if self._tree is not None:
                return self._tree.fewest_changes(self._decision), None, {}
            if known.complete:
                sizes = np.bitwise_count(known.sets("necessary")).sum(axis=1)
                return (int(sizes.min()) if len(sizes) else math.inf), None, {}
            work = Robustness(self._decision)
            try:
                value = known.circuit().robustness(budget) if known.circuits_only else work.find(budget)
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                raise _limited(stop, {"lower": work.lower, "upper": work.upper}) from None
            return value if value == math.inf else int(value), None, {}

        return self._answers.ask("robustness", ask)

    def shortest_flips(self, limit: int | None = None) -> Flips:
        """All ways to flip the decision by changing the fewest features, as disjoint boxes (at most ``limit``).

        The answer of Algorithm 7 of the circuits paper, counted in cells.
        """
        _check_limit(limit)
        decision = self._decision

        def ask(budget: Budget) -> tuple[Flips, BaseException | None, dict[str, Any]]:
            boxes: list[Box] = []
            stop: BaseException | None = None
            try:
                robustness = self.robustness()
                if robustness < math.inf:
                    boxes, stop = shortest_flips(decision, int(robustness), limit, budget)
            except BudgetExceeded as caught:
                stop = caught
            status = EXACT if stop is None else PARTIAL
            flips = Flips(boxes, lambda box: flip_rows(decision, box), status)
            return flips, stop, {} if stop is None else {"found": flips.n_flips}

        return self._answers.ask("shortest_flips", ask, again=limit is not None)

    def counterfactual(self, target: Any = None) -> dict[str, Any] | None:
        """The nearest row that gets another decision (or ``target``): least sum of cost * abs(change) / scale.

        Only mutable features change, within their bounds, integers to integers. ``None``: proven that there is no
        such row. Raises BudgetExceeded if a limit is reached before any was found.
        """
        goal = self._decision.flip if target is None else self._target_goal(target)

        def ask(budget: Budget) -> tuple[dict[str, Any] | None, BaseException | None, dict[str, Any]]:
            work = Counterfactual(self._decision, goal)
            try:
                work.find(budget)
            except (BudgetExceeded, KeyboardInterrupt) as stop:
                if work.row is None:
                    raise _limited(stop, {"lower": work.lower, "upper": math.inf}) from None
                return self._decision.confirmed(work.row, goal), stop, {"lower": work.lower, "upper": work.cost}
            if work.row is not None:
                self._decision.confirmed(work.row, goal)
            return work.row, None, {"cost": work.cost}

        return self._answers.ask("counterfactual" if target is None else ("counterfactual", target), ask)

    # ---- all of it --------------------------------------------------------------------------------------------

    @property
    def status(self) -> dict[str, Status]:
        """Per question asked: exact or partial, the bounds reached, seconds."""
        return self._answers.status()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C cut a question short; who asks many in a row should stop."""
        return self._answers.interrupted

    def answers(self, what: Sequence[str]) -> dict[str, Any]:
        """Some members by name, with ``"status"``; ``None`` for one that a limit left without an answer."""
        found: dict[str, Any] = {}
        status = EXACT
        for name in what:
            try:
                if name == "smallest_sufficient_reason":
                    found[name] = self.sufficient_reason(minimum=True)
                elif name == "shortest_general_necessary_reasons":
                    found[name] = self.general_necessary_reasons(shortest=True)
                elif name.endswith("_importance"):
                    found[name] = self.importance(name.removesuffix("_importance").replace("_", "-"))
                else:
                    member = getattr(self, name)
                    found[name] = member() if callable(member) else member
            except BudgetExceeded:
                found[name] = None
            if name in self.status and self.status[name].status == PARTIAL:
                status = PARTIAL
        return {**found, "status": status}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the decision, and every question asked so far with its status."""
        model = self._voice.model
        return json_ready(
            {
                "model": f"{model.source}, {model.n_trees} tree{'s' * (model.n_trees != 1)}, voting {model.voting}",
                "prediction": self.prediction,
                "scores": {str(label): score for label, score in self.scores.items()},
                "margin": self.margin,
                **({} if model.classes else {"band": list(self._band())}),
                "row": self._decision.row,
                "answers": self._answers.to_dict(),
            }
        )

    def __str__(self) -> str:
        """Text: the decision, a sufficient reason, a necessary reason, robustness, and what else was asked."""
        self.sufficient_reason()
        with suppress(BudgetExceeded):
            self.robustness()
        if "necessary_reasons" not in self.status:
            self.necessary_reasons(limit=1)
        return explanation_text(self.to_dict())

    def __repr__(self) -> str:
        return f"<Explanation: {self.prediction!r}, margin {self.margin:.6g}>"


def _check_limit(limit: int | None) -> None:
    if limit is not None and not (isinstance(limit, int | np.integer) and limit >= 0):
        raise InvalidInputError(f"limit is {limit!r}; a whole number >= 0, or None, is accepted")


def _limited(stop: BaseException, bounds: dict[str, Any]) -> BudgetExceeded:
    message = str(stop) if isinstance(stop, BudgetExceeded) else "interrupted"
    known = ", ".join(f"{name}: {value}" for name, value in bounds.items())
    interrupted = isinstance(stop, KeyboardInterrupt)
    return BudgetExceeded(f"{message}; proven so far: {known or 'nothing'}", bounds, interrupted=interrupted)
