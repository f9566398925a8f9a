"""The static audit: a package without a fault, and each fault beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.metric.rubric.schema import Root
from referee.record.fault import BadInput
from referee.task.reproduction.audit import audit_package
from referee.task.reproduction.package import (
    Caps,
    Copy,
    EvaluationPolicy,
    Layout,
    Mount,
    ReproductionPackage,
    copies_in,
    operations_in,
    public_contract_of,
)

FILES = (
    "instruction.md",
    "environment/Dockerfile",
    "environment/paper/paper.md",
    "environment/paper/paper.pdf",
    "environment/paper/paper_image/fig1.png",
    "environment/paper/addendum.md",
    "environment/starter_submission/reproduce.sh",
    "environment/starter_submission/inputs/geometry.json",
    "tests/rubric.json",
    "tests/config/evaluation.json",
)


def leaf(name, **more):
    return {
        "id": name,
        "requirements": name,
        "weight": 1,
        "task_category": "Validation",
        **more,
    }


CODED = {
    "scoring": {"kind": "binary", "by": "code"},
    "metric_operation": "closure",
    "numeric_checks": ({"path": "/e", "operator": "leq", "upper": 1e-3},),
}


def rubric(*leaves):
    nodes = leaves or (
        leaf("A1", gate=True, evidence_inputs=({"path": "submission/src", "kind": "source"},)),
        leaf("C1", requires=("A1",), **CODED),
    )
    return Root.model_validate(
        {"id": "root", "requirements": "all", "weight": 1, "sub_tasks": nodes}
    )


def policy(**more):
    plain = {
        "source_rubric_sha256": "a" * 64,
        "gate_leaves": ("A1",),
        "leaves": {
            "A1": {
                "scoring_method": "llm_binary",
                "evidence_qualification": "safe_artifact",
            },
            "C1": {
                "scoring_method": "code_numeric",
                "evidence_qualification": "verifier_owned_replay_receipt",
                "leaf_dependencies": ("A1",),
            },
        },
        "generated_roots": ("outputs",),
        "mandatory_inputs": ("geometry.json",),
        "max_input_bytes": 1000,
        "replay_timeout_sec": 600.0,
        "reserve_sec": 120.0,
    }
    return EvaluationPolicy.model_validate(plain | more)


CAPS = Caps(timeout_sec=600.0, cpus=2.0, memory_mb=4096)
SHORTER = CAPS.model_copy(update={"timeout_sec": 500.0})
LAYOUT = Layout(
    declared_context="environment",
    build_context="./environment",
    copies=(Copy(("paper/", "starter_submission/*.sh"), "/home/"),),
    mounts=(
        Mount("agent", "environment/starter_submission", "/home/submission"),
        Mount("agent", "/var/log/agent", "/logs/agent"),
        Mount("verifier", "/var/log/verifier", "/logs/verifier/"),
        Mount("verifier", "tests", "/tests"),
        Mount("replay", "/frozen/src", "/home/submission/src"),
        Mount("replay", "/frozen/inputs", "/home/submission/inputs"),
    ),
    log_mounts={"agent": "/logs/agent", "verifier": "/logs/verifier"},
    initialiser="environment/starter_submission/reproduce.sh",
)
GOOD = ReproductionPackage(
    files=dict.fromkeys(FILES, "a" * 64),
    layout=LAYOUT,
    rubric=rubric(),
    policy=policy(),
    operations=frozenset({"closure"}),
    instruction="Reproduce it.\n",
    addendum="Tolerances.\r\n",
    public_contract="Reproduce it.\n\nTolerances.\n",
    verifier_timeout_sec=720.0,
    advertised=CAPS,
    enforced=CAPS,
)


def without(*names):
    return replace(GOOD, files={k: v for k, v in GOOD.files.items() if k not in names})


def laid_out(**more):
    return replace(GOOD, layout=replace(LAYOUT, **more))


def mounted(*more):
    return laid_out(mounts=(*LAYOUT.mounts, *more))


def test_a_package_without_a_fault():
    assert audit_package(GOOD) == ()


def test_a_paper_of_our_own_words_needs_no_scan():
    package = without("environment/paper/paper.pdf", "environment/paper/paper_image/fig1.png")
    assert audit_package(package) == ()


@pytest.mark.parametrize(
    ("package", "code"),
    [
        (replace(GOOD, files={**GOOD.files, "tests/SCORING_DISABLED": "b"}), "scoring_disabled"),
        (laid_out(build_context="."), "build_context"),
        (laid_out(copies=(*LAYOUT.copies, Copy(("no.txt",), "/x"))), "copy_source"),
        (laid_out(copies=(*LAYOUT.copies, Copy(("no*.txt",), "/x"))), "copy_source"),
        (laid_out(copies=(*LAYOUT.copies, Copy(("../../secret",), "/x"))), "copy_source"),
        (laid_out(initialiser="environment/init.sh"), "no_initialiser"),
        (laid_out(mounts=LAYOUT.mounts[:1] + LAYOUT.mounts[2:]), "no_log_mount"),
        (mounted(Mount("agent", "tests", "/x")), "hidden_mount"),
        (mounted(Mount("agent", "tests/refs/targets", "/x")), "hidden_mount"),
        (mounted(Mount("agent", "environment/refs", "/x")), "hidden_mount"),
        (mounted(Mount("agent", ".", "/x")), "hidden_mount"),
        (mounted(Mount("agent", "environment/../..", "/x")), "hidden_mount"),
        (mounted(Mount("agent", "solution", "/x")), "hidden_mount"),
        (mounted(Mount("agent", "/data", "/home/submission/")), "submission_mounts"),
        (mounted(Mount("agent", "/data", "/home")), "submission_mounts"),
        (without("environment/paper/paper.md"), "paper_missing"),
        (without("environment/paper/addendum.md"), "paper_missing"),
        (laid_out(copies=()), "paper_not_copied"),
        (replace(GOOD, rubric=rubric(leaf("A1", gate=True), leaf("A1"))), "rubric_duplicate_id"),
        (
            replace(GOOD, rubric=rubric(leaf("A1", gate=True), leaf("C1", requires=("C2",)))),
            "rubric_unknown_dependency",
        ),
        (
            replace(GOOD, rubric=rubric(leaf("A", requires=("C",)), leaf("C", requires=("A",)))),
            "rubric_cyclic_dependency",
        ),
        (replace(GOOD, policy=policy(source_rubric_sha256="b" * 64)), "rubric_hash"),
        (without("tests/rubric.json"), "rubric_hash"),
        (replace(GOOD, policy=policy(gate_leaves=())), "gate_leaves"),
        (replace(GOOD, policy=policy(gate_leaves=("A1", "C1"))), "gate_leaves"),
        (replace(GOOD, rubric=rubric(leaf("A1", gate=True))), "policy_leaf"),
        (
            replace(GOOD, rubric=rubric(leaf("A1", gate=True), leaf("C1", **CODED))),
            "policy_dependencies",
        ),
        (
            replace(GOOD, rubric=rubric(leaf("A1", gate=True), leaf("C1", requires=("A1",)))),
            "policy_method",
        ),
        (replace(GOOD, operations=frozenset({"other"})), "unknown_operation"),
        (
            replace(GOOD, rubric=rubric(leaf("C1", **{**CODED, "metric_operation": None}))),
            "no_operation",
        ),
        (replace(GOOD, public_contract="Reproduce it.\n\nTolerance.\n"), "public_contract"),
        (replace(GOOD, acceptance="{}"), "public_contract"),
        (replace(GOOD, verifier_timeout_sec=719.0), "verifier_budget"),
        (replace(GOOD, enforced=SHORTER), "advertised_cap"),
        (replace(GOOD, enforced=SHORTER), "enforced_timeout"),
        (replace(GOOD, advertised=CAPS.model_copy(update={"memory_mb": 8192})), "advertised_cap"),
        (replace(GOOD, policy=policy(generated_roots=("outputs/a",))), "generated_root"),
        (replace(GOOD, policy=policy(generated_roots=("..",))), "generated_root"),
        (replace(GOOD, policy=policy(generated_roots=("/outputs",))), "generated_root"),
        (replace(GOOD, policy=policy(generated_roots=("src",))), "generated_root"),
        (replace(GOOD, policy=policy(mandatory_inputs=("mesh.json",))), "mandatory_input"),
        (replace(GOOD, policy=policy(mandatory_inputs=("../a",))), "mandatory_input"),
    ],
)  # fmt: skip
def test_each_fault_is_found(package, code):
    assert code in {fault.code for fault in audit_package(package)}


@pytest.mark.parametrize("path", ["/etc/passwd", "submission/../refs", "outputs/a.csv", "refs"])
def test_an_evidence_path_stays_in_a_root(path):
    hint = {"path": path, "kind": "csv"}
    package = replace(GOOD, rubric=rubric(leaf("A1", gate=True, evidence_inputs=(hint,))))
    assert "evidence_path" in {fault.code for fault in audit_package(package)}


def test_one_fault_is_said_once_and_alone():
    (fault,) = audit_package(replace(GOOD, verifier_timeout_sec=1.0))
    assert (fault.code, fault.where) == ("verifier_budget", "tests/config/evaluation.json")


def test_operations_are_read_without_running_the_module(tmp_path):
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    assert operations_in(trap + "OPERATIONS = {'a': 1, 'b': f()}\n", "m.py") == {"a", "b"}
    assert operations_in("OPERATIONS: dict = {}\n", "m.py") == frozenset()
    assert not (tmp_path / "ran").exists()
    for source in (
        "x = 1",
        "OPERATIONS = make()",
        "OPERATIONS = {name: 1}",
        "OPERATIONS = {",
        "\0",
    ):
        with pytest.raises(BadInput):
            operations_in(source, "m.py")


def test_copies_of_a_dockerfile():
    text = (
        "FROM python:3.11\n"
        "COPY --chown=agent:agent paper/ \\\n  addendum.md /home/paper/\n"
        'add ["a b.txt", "/home/"]\n'
        "COPY --from=build /wheel /wheel\n"
        "ADD https://example.org/x.tar /x\n"
        "RUN echo COPY me\n"
    )
    assert copies_in(text) == (
        Copy(("paper/", "addendum.md"), "/home/paper/"),
        Copy(("a b.txt",), "/home/"),
    )
    for broken in ("COPY one", 'COPY ["a"', 'COPY "a b'):
        with pytest.raises(BadInput):
            copies_in(broken)


def test_the_public_contract_is_what_the_agent_reads():
    assert public_contract_of("a\r\n", "\nb\n") == "a\n\nb\n"
    assert public_contract_of("a", "b", "c") == "a\n\nb\n\nc\n"
