"""Runs upstream tests inside the sandbox and reports one outcome per test over a socket.

It shares a process with candidate code, so nothing that it says can earn anything: a test counts
only towards Pass2Pass and Pass@1, where it can lower a score and never raise it.
Usage: python regression_inside.py IDS_FILE [PYTEST_ARGUMENT ...]
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest


class Reporter:
    """Sends `{"id", "outcome"}` as each test ends, and `{"done": true}` at the end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.outcomes: dict[str, str] = {}

    def send(self, value: dict[str, object]) -> None:
        data = json.dumps(value).encode() + b"\n"
        while data:
            data = data[os.write(self.descriptor, data) :]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        skipped = report.outcome == "skipped" or hasattr(report, "wasxfail")
        worse = "skipped" if skipped else report.outcome
        known = self.outcomes.get(report.nodeid, "passed")
        self.outcomes[report.nodeid] = known if worse == "passed" else worse
        if report.when == "teardown":
            self.send({"id": report.nodeid, "outcome": self.outcomes[report.nodeid]})


def main() -> None:
    descriptor = int(os.environ.pop("REFEREE_CHANNEL"))
    ids = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    reporter = Reporter(descriptor)
    # An unknown id would end the whole session before any test ran: name files, select by id.
    files = list(dict.fromkeys(name.split("::", 1)[0] for name in ids))
    wanted = set(ids)

    class Select:
        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            items[:] = [item for item in items if item.nodeid in wanted]

    code = pytest.main(
        ["-q", "-p", "no:cacheprovider", "--rootdir=/workspace", *sys.argv[2:], *files],
        plugins=[Select(), reporter],
    )
    reporter.send({"done": True, "exit": int(code)})


if __name__ == "__main__":
    main()
