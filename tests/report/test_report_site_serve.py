"""The live site: the same pages as the files, renewed when the ledger grows, on this host only."""

from __future__ import annotations

import pytest
from site_run import SECRET, SiteRun
from starlette.testclient import TestClient

from referee.record.fault import BadInput
from referee.report.site.serve import LiveSite, live_app
from referee.trial.run_folder import open_run


def client(live: LiveSite, host: str = "127.0.0.1") -> TestClient:
    return TestClient(live_app(live), base_url=f"http://{host}")


def test_pages_follow_a_run_that_goes_on(tmp_path):
    made = SiteRun(tasks=1)
    with open_run(tmp_path / "run", made.plan()) as run:
        browser = client(LiveSite([tmp_path / "run"], figures=False))
        first, head = browser.get("/"), browser.get("/head.json").json()
        assert "0 trials recorded" in first.text
        assert 'data-live="head.json"' in first.text
        made.commit(run, run.pending()[1])  # the oracle
        assert browser.get("/head.json").json() != head
        assert "1 trials recorded" in browser.get("/").text
        page = browser.get("/trials/000-task/oracle/1.html")
        assert "oracle, attempt 1" in page.text
        assert SECRET not in page.text
        assert 'data-live="../../../head.json"' in page.text


def test_what_is_not_there_is_not_found_and_other_hosts_are_refused(tmp_path):
    live = LiveSite([SiteRun(tasks=1).write(tmp_path / "run")])
    browser = client(live)
    assert browser.get("/trials/000-task/nobody/1.html").status_code == 404
    assert browser.get("/..%2f..%2frun.json").status_code == 404
    assert browser.get("/site.css").headers["content-type"].startswith("text/css")
    assert browser.get("/figures/nothing.svg").status_code == 404
    assert b"<svg" in browser.get("/figures/domains.svg").content
    assert client(live, "evil.example").get("/").status_code == 400


def test_a_run_that_cannot_be_read_is_said(tmp_path):
    live = LiveSite([tmp_path / "none"])
    with pytest.raises(BadInput):
        live.file("index.html")
    assert client(live).get("/").status_code == 503
