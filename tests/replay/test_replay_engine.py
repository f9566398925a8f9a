"""A clean replay: what completes, what fails, whose failure it is, and what is removed."""

from __future__ import annotations

import json
import time

import pytest

from referee.record.fault import BadInput, Infrastructure
from referee.replay.engine import STEPS, outcome_of, replay
from referee.replay.failures import CONSEQUENCES, consequence_of
from referee.replay.record import Isolation
from referee.replay.sandboxed import export_outputs
from referee.replay.verify import verify
from referee.sandbox.protocol import Completed


def test_a_replay_completes_and_is_frozen(case):
    record = case.replay()
    assert (record.status, record.reason, record.exit_code) == ("completed", None, 0), record
    assert set(record.outputs) == {"outputs/transmission.json", "outputs/evidence_manifest.json"}
    assert (case.folder / "console.log").read_text() == "transmission computed\n"
    frozen = case.folder / "outputs/outputs/transmission.json"
    power = json.loads(frozen.read_text())["power"]
    assert power[0] == pytest.approx(1.0)  # a half-wave slab is clear
    assert frozen.stat().st_mode & 0o777 == 0o444
    assert verify(case.folder).state == "verified"


def test_stored_output_is_gone_before_the_script_runs(case):
    (case.submission / "outputs").mkdir()
    (case.submission / "outputs/result.npz").write_text("made before")
    (case.submission / "src/__pycache__").mkdir()
    (case.submission / "src/__pycache__/a.pyc").write_text("x")
    case.script("ls -A outputs src; echo $REFEREE_REPLAY_NONCE; env | grep -c OPENAI || true\n")
    record = case.replay()
    assert record.status == "completed"
    assert record.outputs == {}
    assert (case.folder / "console.log").read_text() == (
        f"outputs:\n\nsrc:\nsolve.py\n{record.nonce}\n0\n"
    )


@pytest.mark.parametrize("path", ["src/a", "inputs/slab.json", "reproduce.sh", "/etc/a"])
def test_only_generated_roots_can_be_written(case, path):
    case.script(f"echo x > {path} || true\necho kept > outputs/a\n")
    record = case.replay()
    assert (record.status, record.source_inputs_unchanged) == ("completed", True)
    assert set(record.outputs) == {"outputs/a"}
    assert "Read-only" in (case.folder / "console.log").read_text()


def test_a_failed_script_leaves_what_it_made(case):
    case.script("echo part > outputs/a; exit 3\n")
    record = case.replay()
    assert (record.status, record.reason, record.exit_code) == ("failed", "nonzero_exit", 3)
    assert set(record.outputs) == {"outputs/a"}
    assert verify(case.folder).state == "prefix_verified"


@pytest.mark.parametrize("trap", ["", "trap '' TERM\n"])
def test_time_runs_out(case, trap):
    case.script(f"{trap}echo part > outputs/a\nwhile :; do sleep 0.1; done\n")
    record = case.replay(replay_timeout_sec=1.0)
    assert (record.reason, record.exit_code, record.timed_out) == ("timeout", 124, True)
    assert set(record.outputs) == {"outputs/a"}
    assert consequence_of(record.reason).effect == "judge_prefix"


def test_a_script_that_says_124_was_not_late(case):
    case.script("exit 124\n")
    assert case.replay().reason == "nonzero_exit"


def pretended(case, monkeypatch, wall_s, code, write=lambda stage: None):
    """A script that ended as told, after the sandbox took its time to start."""

    def run(stage, store, budget_s, grace_s):
        time.sleep(0.2)
        write(stage)
        told = Completed((), "exit", code, None, b"", b"", False, wall_s, 0.0, 0)
        return told, Isolation(backend="none", network="none", uid=65534, limits=())

    monkeypatch.setattr("referee.replay.engine.run_script", run)


def test_the_start_of_the_sandbox_is_not_the_scripts_time(case, monkeypatch):
    pretended(case, monkeypatch, 0.05, 124)
    record = case.replay(replay_timeout_sec=0.1)
    assert (record.reason, record.timed_out, record.wall_s) == ("nonzero_exit", False, 0.05)
    pretended(case, monkeypatch, 0.11, 124)
    assert case.replay(replay_timeout_sec=0.1).reason == "timeout"


def test_outputs_that_still_change_are_the_machines_fault(case, monkeypatch):
    pretended(case, monkeypatch, 0.05, 0, lambda stage: (stage.upper / "outputs").mkdir())

    def copied(stage, roots, folder):
        made = export_outputs(stage, roots, folder)
        (stage.upper / "outputs/late").write_text("1")
        return made

    monkeypatch.setattr("referee.replay.engine.export_outputs", copied)
    record = case.replay()
    assert (record.status, record.reason) == ("runner_failed", "outputs_unstable")
    assert consequence_of(record.reason).effect == "withhold"


def test_the_receipt_names_the_environment(case):
    record = case.replay()
    assert record.environment == case.request().around.environment == "e" * 64
    assert verify(case.folder, environment="e" * 64).state == "verified"
    assert verify(case.folder, environment="f" * 64).state == "invalid"


@pytest.mark.parametrize(
    ("line", "named"), [("echo run $REFEREE_REPLAY_NONCE", True), ("echo run 0011", False)]
)
def test_a_log_that_names_its_replay(case, line, named):
    case.script(f"{line}\n")
    assert case.replay().nonce_in_console is named


def test_a_daemon_does_not_outlive_success(case):
    case.script(
        "setsid bash -c 'while :; do date +%N >> outputs/late; sleep 0.01; done' &\n"
        "sleep 0.2; echo done\n"
    )
    record = case.replay()
    assert record.status == "completed"
    assert verify(case.folder).state == "verified"


def test_there_is_no_network(case):
    case.script("exec 3<>/dev/tcp/192.0.2.1/80 || echo closed > outputs/a\n")
    assert set(case.replay().outputs) == {"outputs/a"}


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("ln -s /etc/passwd outputs/a\n", "output_link"),
        ("mkfifo outputs/a\n", "output_special"),
        ("echo a > outputs/a; ln outputs/a outputs/b\n", "output_link"),
        ("rmdir outputs; ln -s src outputs\n", "output_link"),
    ],
)
def test_links_and_specials_among_outputs(case, script, reason):
    case.script(script)
    record = case.replay()
    assert (record.status, record.reason) == ("failed", reason), record.detail
    assert verify(case.folder).state == "prefix_verified"


def test_the_candidates_own_receipts_are_no_evidence(case):
    case.script(
        "echo 1 > reward.txt; echo '{}' > trusted_replay.json; echo '{}' > outputs/r.json\n"
    )
    (case.submission / "trusted_replay.json").write_text('{"status": "completed"}')
    record = case.replay()
    assert json.loads((case.folder / "trusted_replay.json").read_text())["nonce"] == record.nonce
    assert set(record.outputs) == {"outputs/r.json"}
    assert not list(case.folder.rglob("reward.txt"))


def test_a_missing_entry_point_keeps_the_source(case):
    (case.submission / "reproduce.sh").unlink()
    record = case.replay()
    assert (record.status, record.reason, record.exit_code) == ("failed", "missing_entrypoint", 127)
    assert "src/solve.py" in record.source_before
    assert consequence_of(record.reason).effect == "source_only"
    assert verify(case.folder).state == "prefix_verified"


def test_the_machine_fails(case, monkeypatch):
    def broken(*arguments):
        raise Infrastructure("sandbox_start", "no namespaces")

    monkeypatch.setattr("referee.replay.engine.run_script", broken)
    record = case.replay()
    assert (record.status, record.reason) == ("runner_failed", "sandbox_start")
    assert record.error.type == "Infrastructure"
    assert consequence_of(record.reason).effect == "withhold"
    assert verify(case.folder).state == "incomplete"


class Crash(BaseException):
    pass


@pytest.mark.parametrize("step", STEPS)
def test_a_replay_can_be_repeated_after_a_crash(case, step):
    def crash(reached):
        if reached == step:
            raise Crash

    with pytest.raises(Crash):
        case.replay(crash)
    if step != "recorded":
        assert not verify(case.folder).ok
    record = case.replay()
    assert record.status == "completed"
    assert verify(case.folder).state == "verified"
    assert len(list((case.folder.parent / "history").iterdir())) == 1
    assert record.nonce == json.loads((case.folder / "trusted_replay.json").read_text())["nonce"]


def test_evidence_does_not_mix_with_the_submission(case):
    case.folder = case.submission / "evidence"
    with pytest.raises(BadInput, match="would mix"):
        replay(case.request(), case.store)


def done(ended, code):
    return Completed((), ended, code, None, b"", b"", False, 1.0, 1.0, 0)


@pytest.mark.parametrize(
    ("how", "unchanged", "late", "status", "reason"),
    [
        (done("exit", 0), True, False, "completed", None),
        (done("exit", 0), False, False, "failed", "source_changed"),
        (done("exit", 3), True, False, "failed", "nonzero_exit"),
        (done("timeout", None), True, True, "failed", "timeout"),
        (done("memory", None), True, False, "failed", "memory"),
        (done("disk", None), True, False, "failed", "disk"),
        (done("signal", None), True, False, "failed", "killed"),
    ],
)
def test_the_status_table(how, unchanged, late, status, reason):
    assert outcome_of(how, unchanged, late) == (status, reason)
    assert reason is None or reason in CONSEQUENCES


def test_what_the_machine_says_is_never_a_nought():
    assert consequence_of("sandbox_died").effect == "withhold"
    assert consequence_of("anything else").effect == "withhold"
