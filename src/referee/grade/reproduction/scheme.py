"""How a reproduction task is decided: rubric, plans, metric module and the judge's rules, loaded
from its package after the audit found no fault."""

from __future__ import annotations

from dataclasses import dataclass

from referee.evidence.measure import MetricModule
from referee.grade.reproduction.module import load_metrics
from referee.grade.reproduction.plans import Plans, read_plans
from referee.metric.rubric.tree import Rubric, rubric_of
from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.task.package import TaskPackage
from referee.task.reproduction.audit import audit_package
from referee.task.reproduction.load import CONTRACT, METRICS, PLANS, load_reproduction
from referee.task.reproduction.package import RUBRIC, ReproductionPackage
from referee.task.strict import read_text

JUDGE_PROMPT = "tests/config/judge_prompt.md"
_DECIDING = (RUBRIC, PLANS, METRICS, JUDGE_PROMPT, "tests/config/evaluation.json")


@dataclass(frozen=True)
class Scheme:
    """What a grading needs of a package. `digest` names all that decides about a score."""

    task: TaskPackage
    package: ReproductionPackage
    rubric: Rubric
    module: MetricModule
    plans: Plans
    rules: str
    contract: str

    @property
    def digest(self) -> str:
        """SHA-256 over rubric, plans, metric module, judge's rules and policy."""
        return sha256_json({name: self.package.files[name] for name in _DECIDING})


def load_scheme(task: TaskPackage) -> Scheme:
    """The scheme of a sound package.

    Raises:
        BadInput: the audit of the package finds a fault, or a plan or the metric module is not
            usable.
    """
    package = load_reproduction(task)
    for fault in audit_package(package):
        hint = f"`referee task check {task.root}` lists every fault"
        raise BadInput(f"{fault.code}: {fault.where}: {fault.what}", where=task.root, hint=hint)
    rubric = rubric_of(package.rubric)
    module = load_metrics(task.root / METRICS)
    return Scheme(
        task=task,
        package=package,
        rubric=rubric,
        module=module,
        plans=read_plans(task.root / PLANS, rubric, module),
        rules=read_text(task.root / JUDGE_PROMPT),
        contract=read_text(task.root / CONTRACT),
    )
