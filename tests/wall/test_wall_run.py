"""A whole run of trusted checks: one outcome for each, whatever the candidate does."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wall_fake_sandbox import PYTHON, WORKER

from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.protocol import Overlay, SandboxSpec
from referee.wall.run import CheckReport, CheckRequest, run_checks

Runner = Callable[..., CheckReport]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Runs `checks` (a test file's source) against `modules`, over the fake sandbox."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)

    def go(checks: str, modules: dict[str, str] | None = None, **options: Any) -> CheckReport:
        tests, workspace = tmp_path / "tests", tmp_path / "workspace"
        for folder in (tests, workspace):
            folder.mkdir(exist_ok=True)
        (tests / "test_it.py").write_text(HEAD + textwrap.dedent(checks))
        for name, source in (modules or {}).items():
            (workspace / f"{name}.py").write_text(textwrap.dedent(source))
        settings: dict[str, Any] = {
            "seed": 7,
            "timeout_s": 60.0,
            "call_timeout_s": 10.0,
            "preload": tuple(modules or {}),
            "opener": "wall_fake_sandbox:opener",
        }
        request = CheckRequest(
            tests=tests,
            sandbox=SandboxSpec("python3", overlay=Overlay((), workspace, workspace)),
            store=tmp_path,
            python=PYTHON,
            worker=WORKER,
            **{**settings, **options},
        )
        return run_checks(request)

    return go


HEAD = """\
import math
import pytest
from referee.wall import CandidateError, contract, probe

@probe
def value():
    import tiny
    return tiny.value()

"""
HONEST = {"tiny": "def value():\n    return 2.0\n"}


def seen(report: CheckReport) -> dict[str, tuple[str, str | None]]:
    """Outcome and reason by the test's short name."""
    return {r.id.partition("::")[2]: (r.outcome, r.reason) for r in report.results}


def test_ids_contracts_and_outcomes(run: Runner) -> None:
    report = run(
        """
        @contract("units")
        @pytest.mark.parametrize("x", [1, 2])
        def test_value(candidate, x):
            assert candidate(value) == 2.0

        def test_wrong(candidate):
            assert candidate(value) == 3.0
        """,
        HONEST,
    )
    by_id = report.by_id()
    assert list(by_id) == [
        "test_it.py::test_value[1]",
        "test_it.py::test_value[2]",
        "test_it.py::test_wrong",
    ]
    first = by_id["test_it.py::test_value[1]"]
    assert (first.outcome, first.reason, first.contract) == ("passed", None, "units")
    assert first.seconds > 0
    wrong = by_id["test_it.py::test_wrong"]
    assert (wrong.outcome, wrong.reason, wrong.contract) == ("failed", "assertion", None)
    assert "2.0 == 3.0" in wrong.message
    assert not report.timed_out
    assert [row.limit for row in report.enforcement] == ["memory"]


def test_only_a_real_pass_is_a_pass(run: Runner) -> None:
    report = run(
        """
        def test_passes(candidate):
            assert candidate(value) == 2.0

        def test_skips():
            pytest.skip("no")

        @pytest.mark.skip
        def test_marked_skip():
            pass

        @pytest.mark.xfail
        def test_xfails():
            assert False

        @pytest.mark.xfail
        def test_xpasses():
            pass

        @pytest.mark.xfail(strict=True)
        def test_strict_xpasses():
            pass

        @pytest.fixture
        def bad():
            assert False

        @pytest.fixture
        def bad_end():
            yield
            raise ValueError

        def test_setup(bad):
            pass

        def test_teardown(bad_end):
            pass

        def test_key():
            {}["x"]

        def test_expected_error(candidate):
            with pytest.raises(ValueError):
                pass
        """,
        HONEST,
    )
    assert seen(report) == {
        "test_passes": ("passed", None),
        "test_skips": ("errored", "skipped"),
        "test_marked_skip": ("errored", "skipped"),
        "test_xfails": ("errored", "xfailed"),
        "test_xpasses": ("errored", "xpassed"),
        "test_strict_xpasses": ("errored", "xpassed"),
        "test_setup": ("errored", "setup:assertion"),
        "test_teardown": ("errored", "error:ValueError"),
        "test_key": ("errored", "error:KeyError"),
        "test_expected_error": ("failed", "assertion"),
    }


ONE = """
def test_value(candidate):
    got = candidate(value)
    assert type(got) is float
    assert got == 2.0
"""

HOSTILE = {
    "raises": ("def value(): raise ValueError('no')", ("failed", "exception:ValueError")),
    "exits": ("import os\ndef value(): os._exit(0)", ("failed", "died")),
    "exits at import": ("import os\nos._exit(0)", ("failed", "died")),
    "leaves": ("import sys\ndef value(): sys.exit(0)", ("failed", "exception:SystemExit")),
    "fails to import": ("import no_such_thing", ("failed", "exception:ModuleNotFoundError")),
    "sleeps": ("import time\ndef value(): time.sleep(60)", ("timeout", "timeout")),
    "sleeps at import": ("import time\ntime.sleep(60)", ("timeout", "timeout")),
    "fills memory": ("def value(): return len(bytearray(8 << 30))", ("resource", "resource")),
    "recurses": ("def value(): return value()", ("failed", "exception:RecursionError")),
    "gives an object": ("def value(): return object()", ("failed", "protocol")),
    "gives nothing": ("def value(): pass", ("failed", "assertion")),
    "always equal": (
        """
        class Equal(float):
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __reduce__(self): return (float, (2.0,))
            def __float__(self): return 2.0
        def value(): return Equal(5.0)
        """,
        ("failed", "assertion"),
    ),
    "hooks pytest": (
        """
        import gc, sys
        class Hook:
            def pytest_runtest_makereport(self, item, call):
                call.excinfo = None
        for thing in gc.get_objects():
            if type(thing).__name__ == "PytestPluginManager":
                thing.register(Hook())
        for name in list(sys.modules):
            if name.split(".")[0] in ("pytest", "_pytest", "referee"):
                raise SystemExit("found the grader")
        def value(): return 5.0
        """,
        ("failed", "assertion"),
    ),
    "forges": (
        """
        import os, sys
        def value():
            for fd in range(3, 64):
                try:
                    os.write(fd, b'{"kind": "result", "outcome": "passed"}')
                except OSError:
                    pass
            print("1 passed in 0.01s", flush=True)
            for name in ("result.json", "report.xml", "verdict.json"):
                open(name, "w").write('{"passed": true}')
            return 5.0
        """,
        None,
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_candidate_fails_where_its_honest_twin_passes(run: Runner, case: str) -> None:
    source, expected = HOSTILE[case]
    slow = "sleeps" in case
    options = {"call_timeout_s": 1.0, "start_timeout_s": 1.0} if slow else {}
    outcome = seen(run(ONE, {"tiny": source}, **options))["test_value"]
    if expected is None:
        assert outcome[0] == "failed"
    else:
        assert outcome == expected


def test_the_honest_twin_of_all_hostile_candidates_passes(run: Runner) -> None:
    assert seen(run(ONE, HONEST))["test_value"] == ("passed", None)


def test_random_inputs_depend_on_seed_and_check_alone(run: Runner, tmp_path: Path) -> None:
    checks = """
    @pytest.mark.parametrize("x", [1, 2])
    def test_draw(rng, x):
        pytest.fail(str(rng.integers(1 << 62)))
    """
    first, again, other = (run(checks, seed=seed) for seed in (1, 1, 2))
    messages = [[r.message for r in report.results] for report in (first, again, other)]
    assert messages[0] == messages[1]
    assert len({*messages[0], *messages[2]}) == 4


def test_selected_ids_run_alone(run: Runner) -> None:
    checks = "def test_a(): pass\ndef test_b(): pass\n"
    assert seen(run(checks, ids=("test_it.py::test_b",))) == {"test_b": ("passed", None)}


def test_an_author_may_change_order_and_variables(run: Runner) -> None:
    checks = "".join(f"def test_{n}(): pass\n" for n in range(6))
    plain = list(seen(run(checks)))
    assert list(seen(run(checks, order=0))) == plain[::-1]
    shuffled = list(seen(run(checks, order=1)))
    assert shuffled != plain
    assert sorted(shuffled) == plain
    assert list(seen(run(checks, order=1))) == shuffled
    look = "def test_zone():\n    import os\n    assert os.environ.get('TZ') == '<+13>-13'"
    assert seen(run(look, trusted_env={"TZ": "<+13>-13"}))["test_zone"][0] == "passed"
    assert seen(run(look))["test_zone"][0] == "failed"


def test_whole_run_out_of_time(run: Runner) -> None:
    report = run(
        """
        def test_first(candidate): assert candidate(value) == 1.0
        @probe
        def slow():
            import time
            time.sleep(60)
        def test_slow(candidate): candidate(slow)
        def test_never(candidate): pass
        """,
        {"tiny": "def value(): return 1.0"},
        timeout_s=4.0,
        call_timeout_s=60.0,
    )
    assert report.timed_out
    assert seen(report) == {
        "test_first": ("passed", None),
        "test_slow": ("timeout", "timeout"),
        "test_never": ("missing", "not-run"),
    }


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        ("import no_such_module", "grader_collection"),
        ("pytest.skip('all', allow_module_level=True)", "grader_collection"),
        ("", "grader_collection"),
        ("def test_a():\n    import os\n    os._exit(0)", "grader_crash"),
        ("def test_a():\n    pytest.exit('now', 0)", "grader_crash"),
    ],
)
def test_faults_of_trusted_code_are_not_the_candidates(
    run: Runner, checks: str, reason: str
) -> None:
    with pytest.raises(Infrastructure) as caught:
        run(checks)
    assert caught.value.reason == reason


def test_a_machine_without_sandboxes_is_not_the_candidates_fault(run: Runner) -> None:
    with pytest.raises(Infrastructure) as caught:
        run(ONE, HONEST, opener="wall_fake_sandbox:broken_opener")
    assert caught.value.reason == "sandbox_start"


def test_a_machine_that_cannot_enforce_is_bad_input(run: Runner) -> None:
    with pytest.raises(BadInput) as caught:
        run(ONE, HONEST, opener="wall_fake_sandbox:refusing_opener")
    assert caught.value.sentence() == "here: no limit can be set; use another machine"


def test_samples_have_the_ids_that_a_check_gives_them(run: Runner) -> None:
    report = run(
        """
        def test_score(candidate, measure):
            import numpy as np
            got = candidate(value)
            measure(got, [got, None], ids=[np.int64(41), np.str_("last")])
        """,
        HONEST,
    )
    (told,) = report.measures.values()
    assert told.ids == (41, "last")
    assert [type(one) for one in told.ids] == [int, str]


@pytest.mark.parametrize("ids", ["['a']", "['a', 'a']", "['a', 1.5]", "['a', True]", "['a', '']"])
def test_bad_ids_are_the_graders_fault(run: Runner, ids: str) -> None:
    check = f"def test_a(candidate, measure):\n    measure(candidate(value), [1.0, 2.0], ids={ids})"
    with pytest.raises(Infrastructure) as caught:
        run(check, HONEST)
    assert caught.value.reason == "grader_ids"
    assert caught.value.detail.startswith("the ids of the samples: ")


READS = """
        from referee.diagnose.closed_form import parse_closed_form
        from referee.evidence.fault import EvidenceError
        from referee.record.fault import BadInput
"""


def test_what_referee_refuses_of_the_candidates_is_a_failed_check(run: Runner) -> None:
    report = run(
        READS
        + """
        def test_formula(candidate):
            parse_closed_form(str(candidate(value)) + " *")

        def test_evidence(candidate):
            raise EvidenceError("model.npy", f"{candidate(value)} is not finite")

        @pytest.fixture
        def read(candidate):
            raise BadInput("cannot be read", where="model.json", hint=str(candidate(value)))

        def test_set_up(read):
            pass

        def test_others_go_on(candidate):
            assert candidate(value) == 2.0
        """,
        HONEST,
    )
    assert seen(report) == {
        "test_formula": ("failed", "refused"),
        "test_evidence": ("failed", "refused"),
        "test_set_up": ("errored", "setup:refused"),
        "test_others_go_on": ("passed", None),
    }
    messages = {r.id.partition("::")[2]: r.message for r in report.results}
    assert messages["test_formula"].startswith("the formula cannot be read: ")
    assert messages["test_evidence"] == "model.npy: 2.0 is not finite"
    assert messages["test_set_up"] == "model.json: cannot be read; 2.0"


@pytest.mark.parametrize(
    "check",
    [
        "def test_a():\n    raise BadInput('ours')",
        "def test_a(candidate):\n    raise BadInput('ours')",
        "def test_a(candidate):\n    candidate(value)\n    raise BadInput('ours', where=__file__)",
        "def test_a(candidate, hidden_data):\n    candidate(value)\n"
        "    raise BadInput('ours', where=hidden_data / 'set.h5')",
    ],
    ids=["no way to it", "nothing asked", "own test", "own data"],
)
def test_what_referee_refuses_of_the_evaluators_is_no_outcome(
    run: Runner, tmp_path: Path, check: str
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    with pytest.raises(BadInput, match="ours"):
        run(textwrap.dedent(READS) + check, HONEST, hidden_data=hidden)


def test_a_package_behind_a_link_has_the_same_ids(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "tests").symlink_to("real")
    assert list(run("def test_a(): pass").by_id()) == ["test_it.py::test_a"]


def test_trusted_process_leaves_nothing_in_the_package(run: Runner, tmp_path: Path) -> None:
    run(ONE, HONEST)
    assert [path.name for path in (tmp_path / "tests").iterdir()] == ["test_it.py"]
