"""Every kernel is valid Python: run from source, it answers as the compiled one does."""

import re
from pathlib import Path

import xylogic
from uncompiled import asked_both_ways

QUESTIONS = """
import xylogic as xl
from models import seeded_case
for seed in range(12):
    case = seeded_case(seed)
    e = xl.Explainer(case.model, **case.explainer_options()).explain(case.row)
    e.sufficient_reasons()
    e.necessary_reasons()
    e.sufficient_reason()
    e.sufficient_reason(minimum=True)
    e.robustness()
    e.shortest_flips()
    e.counterfactual()
    e.general_sufficient_reasons()
    e.general_necessary_reasons()
    e.general_necessary_reasons(shortest=True)
    if case.classes:
        e.contrastive()
    found = e.to_dict()
    for answer in found["answers"].values():
        del answer["seconds"]
    answers.append(found)
    e = xl.Explainer(case.model, engine="diagram", **case.explainer_options()).explain(case.row)
    for ask in (e.sufficient_reasons, e.necessary_reasons, e.general_sufficient_reasons, e.general_necessary_reasons):
        answers.append([str(reason) for reason in ask()])
    answers += [str(e.complete_reason()), str(e.general_reason()), str(e.robustness())]
    answers.append(case.model.apply([case.row]).tolist())
"""


def test_kernels_answer_alike_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.search.dive_kernel")


def test_no_kernel_class_uses_a_name_of_its_base_twice():
    """Compiled, a field of that name hides the base's; from source both are one."""
    names: dict[str, set[str]] = {}
    bases: dict[str, str] = {}
    for file in sorted(Path(xylogic.__file__).parent.rglob("*_kernel.pxd")):
        for name, base, body in re.findall(
            r"^cdef class (\w+)(?:\((\w+)\))?:\n((?:    .*\n|\n)*)", file.read_text(), re.M
        ):
            bases[name] = base
            names[name] = {
                field.strip(" *").split()[-1].strip("*")
                for line in re.findall(r"^    cdef (?!.*\()(?:readonly )?(.*)$", body, re.M)
                for field in line.split("#")[0].split(",")
            } | set(re.findall(r"(\w+)\(", re.sub(r"cdef int flip\(", "", body)))
    assert "Shallow" in names
    for name, own in names.items():
        base = bases[name]
        while base:
            assert not own & names[base], (name, base, own & names[base])
            base = bases[base]
