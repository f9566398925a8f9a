"""JudgeEval: a judge beside leaves whose truth the authors know.

The cases are the known submissions of reproduction tasks (reference, partial, wrong), with the
truth that `solution/expected.toml` states of each judged leaf. Each submission is replayed once;
then its leaves are asked several times, in another order, with the data in other containers, and
with orders to the judge written into the candidate's files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from referee.author.judge_variants import CONTAINERS, ORDERS, in_container, with_orders
from referee.author.validate_reproduction import Known, known_submissions
from referee.environment.store import Store, remove_tree
from referee.grade.reproduction.grading import Places, grade_reproduction
from referee.grade.workspace import Bench, bench_in_use, open_scratch
from referee.judge.protocol import Identity, Judge, JudgedTask
from referee.judge.reliability import Judged, Reliability, by_category, macro_f1, reliability
from referee.metric.rubric.leaf import Finding, Withheld
from referee.record.fault import BadInput
from referee.replay.roots import evidence_of
from referee.task.package import TaskPackage
from referee.trial.rubrics import Rubrics, rubrics_for
from referee.trial.workspace import bench_for, hand_in

Said = bool | None
_OBEYED = {"judge_compromised", "judge_invalid", "judge_reader_error"}
"""Why a verdict is withheld that the judge itself did not give; no provider is to blame."""


@dataclass(frozen=True)
class Asked:
    """One leaf of one submission: its truth, and what the judge said, None where it withheld.
    `plain` are the repeats; `reordered` is with the leaves in reverse, `containers` by that of the
    data, `orders` with orders of each kind in the candidate's files, and `silenced` the kinds under
    which the judge gave no verdict of its own. `reasons` says why it withheld."""

    task: str
    submission: str
    leaf: str
    category: str
    truth: bool
    plain: tuple[Said, ...]
    reordered: Said
    containers: Mapping[str, Said]
    orders: Mapping[str, Said]
    silenced: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """`count` of `of` leaves."""

    count: int
    of: int


@dataclass(frozen=True)
class JudgeReport:
    """What a judge is worth. `order` and `containers` count leaves that were decided otherwise in
    another order or container; `injected` false leaves that only orders made true, `silenced`
    leaves that orders left without a verdict."""

    judge: Identity
    repeats: int
    leaves: tuple[Asked, ...]
    overall: Reliability
    categories: Mapping[str, Reliability]
    macro_f1: float | None
    order: Part
    containers: Part
    injected: Part
    silenced: Part
    errors: Mapping[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing but the evidence moved a verdict: no flip, no injection."""
        parts = (self.order, self.containers, self.injected, self.silenced)
        return not any(part.count for part in parts) and not self.overall.flip_rate


def judge_eval(
    store: Store,
    tasks: Sequence[TaskPackage],
    asked: str,
    *,
    repeats: int = 3,
    say: Callable[[str], None] = lambda _line: None,
    on_leaf: Callable[[Asked, int, int], None] = lambda _leaf, _done, _planned: None,
) -> JudgeReport:
    """Ask the judge that `asked` names about every judged leaf of every known submission.

    Raises:
        BadInput: there is no such judge, or no task has leaves with a known verdict.
    """
    known = {
        number: [one for one in known_submissions(task, 1) if _judged(one)]
        for number, task in enumerate(tasks)
    }
    planned = sum(len(_judged(one)) for of in known.values() for one in of)
    if not planned:
        raise BadInput("no reproduction task here says what a judge must decide")
    rows: list[Asked] = []
    identity: Identity | None = None
    for number, task in enumerate(tasks):
        rubrics = rubrics_for(task, asked)
        if rubrics.judge is None:
            raise BadInput(f"--judge {asked}: that is no judge", hint="name one")
        identity = identity or rubrics.judge.identity
        bench = bench_for(store, task, say=say)
        with bench_in_use(bench):
            for one in known[number]:
                for row in _submission(bench, rubrics, rubrics.judge, one, repeats):
                    rows.append(row)
                    on_leaf(row, len(rows), planned)
    assert identity is not None
    return report_of(identity, repeats, tuple(rows))


def report_of(judge: Identity, repeats: int, rows: tuple[Asked, ...]) -> JudgeReport:
    """The rates of a table of leaves. A leaf whose plain verdicts differ, or that was withheld in a
    variant, counts in no comparison with that variant."""
    judged = [Judged(row.category, row.truth, row.plain) for row in rows]
    pairs = [(plain, row) for row in rows if (plain := _settled(row)) is not None]
    order = [plain != row.reordered for plain, row in pairs if row.reordered is not None]
    boxes = [
        any(plain != said for said in row.containers.values() if said is not None)
        for plain, row in pairs
        if any(said is not None for said in row.containers.values())
    ]
    false = [row for plain, row in pairs if not row.truth and not plain]
    orders = [
        any(row.orders.values())
        for row in false
        if any(said is not None for said in row.orders.values())
    ]
    categories = by_category(judged)
    return JudgeReport(
        judge=judge,
        repeats=repeats,
        leaves=rows,
        overall=reliability(judged),
        categories=categories,
        macro_f1=macro_f1(categories),
        order=Part(sum(order), len(order)),
        containers=Part(sum(boxes), len(boxes)),
        injected=Part(sum(orders), len(orders)),
        silenced=Part(sum(bool(row.silenced) for _, row in pairs), len(pairs)),
        errors=dict(sorted(Counter(why for row in rows for why in row.reasons).items())),
    )


def _settled(row: Asked) -> bool | None:
    """What all repeats said; None if they differ or one was withheld."""
    return row.plain[0] if len(set(row.plain)) == 1 else None


def _judged(one: Known) -> Mapping[str, int]:
    return one.expected.judged


def _submission(
    bench: Bench, rubrics: Rubrics, judge: Judge, one: Known, repeats: int
) -> list[Asked]:
    submission, _kept, applied = hand_in(bench, rubrics.scheme.task, one.patch)
    scratch = open_scratch(bench.store, "judge-eval")
    try:
        frozen = scratch / "frozen"
        places = Places(frozen, scratch / "audit")
        grade_reproduction(bench, rubrics.scheme, submission, applied, judge=None, places=places)
        names = tuple(_judged(one))
        ask = _Asking(rubrics, judge, scratch / "audit")
        plain = [ask(frozen, names) for _ in range(repeats)]
        reverse = ask(frozen, names[::-1])
        boxes = {}
        for container in CONTAINERS if find_spec("h5py") else CONTAINERS[:-1]:
            folder, rewritten = in_container(frozen, scratch / container, container)
            if rewritten:
                boxes[container] = ask(folder, names)
        orders = {
            kind: ask(with_orders(frozen, scratch / f"orders-{kind}", text), names)
            for kind, text in ORDERS.items()
        }
    finally:
        remove_tree(scratch)
    every = [*plain, reverse, *boxes.values(), *orders.values()]
    leaves = rubrics.scheme.rubric.by_id
    return [
        Asked(
            task=rubrics.scheme.task.label,
            submission=one.name,
            leaf=name,
            category=leaves[name].category,
            truth=bool(_judged(one)[name]),
            plain=tuple(said_of(told[name]) for told in plain),
            reordered=said_of(reverse[name]),
            containers={box: said_of(told[name]) for box, told in boxes.items()},
            orders={kind: said_of(told[name]) for kind, told in orders.items()},
            silenced=tuple(
                kind for kind, told in orders.items() if _OBEYED & {*_reasons([told[name]])}
            ),
            reasons=tuple(_reasons(told[name] for told in every)),
        )
        for name in names
    ]


def _reasons(findings: Iterable[Finding]) -> Iterator[str]:
    for found in findings:
        if isinstance(found.value, Withheld):
            yield found.value.reason


@dataclass(frozen=True)
class _Asking:
    rubrics: Rubrics
    judge: Judge
    audit: Path

    def __call__(self, folder: Path, leaves: tuple[str, ...]) -> Mapping[str, Finding]:
        scheme = self.rubrics.scheme
        task = JudgedTask(
            rubric=scheme.rubric,
            evidence=evidence_of(folder, scheme.task.root),
            leaves=leaves,
            audit=self.audit,
            digests={"scheme": scheme.digest, "folder": folder.name},
            rules=scheme.rules,
            contract=scheme.contract,
            module=scheme.module,
        )
        return self.judge.findings(task)


def said_of(finding: Finding) -> Said:
    """Whether a judge gave a leaf its full score; None if it was withheld. Anything between none
    and all is not the full score."""
    value: Any = finding.value
    if isinstance(value, Withheld):
        return None
    if isinstance(value, Mapping):
        if any(isinstance(one, Withheld) for one in value.values()):
            return None
        return bool(value) and all(one == 1 for one in value.values())
    return bool(value == 1)
