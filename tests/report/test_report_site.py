"""The static site without a browser: what it says, what it keeps to itself, where it writes."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from site_run import ARMS, MARK, SECRET, SiteRun

from referee.record.fault import BadInput
from referee.report.site.leaderboard import rank_ranges, slices
from referee.report.site.model import letter_of, slugs
from referee.report.site.patch import patch_files
from referee.report.site.reading import read_site
from referee.report.site.render import Renderer
from referee.report.site.text import cut, plain, written_size
from referee.report.site.write import write_site
from referee.report.table import table_rows
from referee.trial.run_folder import open_run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    return SiteRun().write(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def site(run):
    return read_site([run])


@pytest.fixture(scope="module")
def public(site, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("sites") / "public"
    write_site(Renderer(site), out)
    return out


@pytest.fixture(scope="module")
def internal(run, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("sites") / "internal"
    write_site(Renderer(read_site([run], internal=True)), out)
    return out


def texts(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in site.rglob("*")
        if path.is_file()
    }


class Links(HTMLParser):
    def __init__(self, page: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src", "srcset")]


def test_nothing_of_the_evaluators_is_in_a_site(public):
    found = [name for name, text in texts(public).items() if SECRET in text or MARK in text]
    assert found == []


def test_an_internal_site_shows_it_and_says_so(internal):
    pages = texts(internal)
    (page,) = [pages[n] for n in pages if n == "trials/001-task/oracle/1.html"]
    assert f"private/test_area.py::test_1_{SECRET}" in page
    assert f"# {SECRET}" in page
    assert f"in test_{SECRET}" in pages["trials/001-task/mutants/1.html"]
    assert all("Do not publish them" in text for n, text in pages.items() if n.endswith(".html"))
    marked = pages["trials/000-task/solver+science=with/1.html"]
    assert MARK in marked


def test_a_hidden_file_that_an_agent_printed_is_not_passed_on(public):
    page = texts(public)["trials/000-task/solver+science=with/1.html"]
    assert "not shown: it bears the mark" in page
    assert "Mend the area" in page


def test_every_link_leads_to_a_file_of_the_site(public):
    for name, text in texts(public).items():
        if not name.endswith(".html"):
            continue
        for link in Links(text).found:
            assert not re.match(r"[a-z]+:(?!,)|//", link.replace("data:,", "")), (name, link)
            where, _, part = link.partition("#")
            if where and where != "data:,":
                assert (public / name).parent.joinpath(where).is_file(), (name, link)
            elif part:
                assert f'id="{part}"' in text, (name, link)


def test_text_of_a_candidate_is_text(public):
    page = texts(public)["trials/001-task/solver+science=with/1.html"]
    assert "<script>no()" not in page
    assert "&lt;script&gt;no()" in page
    assert "\u202e" not in page
    assert "\\u202e" in page
    failed = texts(public)["trials/002-task/nop/1.html"]
    assert "expected 3.14, observed 3.0 &lt;b&gt;not bold" in failed


def test_the_leaderboard_says_what_the_table_says(run, site):
    board, *others = slices(site, {})
    rows = {row["arm"]: row for row in table_rows(run)}
    assert {line.arm.name for line in board.lines} == set(rows)
    for line in board.lines:
        row = rows[line.arm.name]
        assert {name: row[name] for name in line.row.means} == dict(line.row.means)
        assert (line.row.scored, line.row.withheld) == (row["scored"], row["withheld"])
    split = {(row["arm"], row["domain"]): row["pass1"] for row in table_rows(run, by="domain")}
    for one in others:
        if one.key[0] and not one.key[1]:
            for line in one.lines:
                assert line.row.means["pass1"] == split[line.arm.name, one.key[0]]


def test_an_arm_with_a_gap_has_no_rank(site, public):
    board = slices(site, {})[0]
    ranks = {line.arm.name: line.rank for line in board.lines}
    assert ranks["mutants"] is None
    assert ranks["oracle"] == 1
    assert None not in [rank for name, rank in ranks.items() if name != "mutants"]
    assert board.lines[-1].arm.name == "mutants"
    assert {found.arm for found in rank_ranges(site, board.lines)} == set(ranks) - {"mutants"}
    assert "not ranked" in texts(public)["index.html"]


def test_filters_pick_among_what_was_computed(public):
    page = texts(public)["index.html"]
    (data,) = re.findall(r'<script type="application/json" id="slices">(.*?)</script>', page)
    made = json.loads(data)
    assert made["\n\n"]["tasks"] == 4
    assert made["Physics\nexpert-exploratory\n"]["tasks"] == 1
    assert "Chemistry\nissue-driven\n" not in made  # no such task
    assert made["\n\n"]["arms"]["oracle"][3][0] == "100.0"


def test_languages_are_a_filter_where_they_are_known(site):
    languages = {"000-task": ("Python",), "001-task": ("C++", "Python")}
    made = {one.key: one.tasks for one in slices(site, languages)}
    assert made["", "", "Python"] == 2
    assert made["", "", "C++"] == 1
    assert "language" in Renderer(site, languages).page("index.html")


def test_a_running_run_has_a_site_too(tmp_path):
    made = SiteRun(tasks=2)
    with open_run(tmp_path / "run", made.plan()) as run:
        made.commit(run, run.pending()[0])
        site = read_site([tmp_path / "run"])
        pages = Renderer(site)
        assert "(not finished)" in pages.page("index.html")
        assert "pending" in pages.page("tasks/000-task.html")
    board = slices(site, {})[0]
    assert [line.rank for line in board.lines] == [None] * len(ARMS)


def test_two_runs_share_a_site(run, tmp_path):
    other = SiteRun(arms=ARMS[:1]).write(tmp_path / "other")
    site = read_site([run, other])
    assert [arm.slug for arm in site.arms][-1] == "nop~2"
    assert site.trials["000-task", f"nop ({other})", 1].address == "trials/000-task/nop~2/1.html"
    with pytest.raises(BadInput, match="no run"):
        read_site([])


def test_only_a_report_is_replaced(site, tmp_path):
    out = tmp_path / "site"
    pages = Renderer(site)
    count = write_site(pages, out)
    assert count == len(list(out.rglob("*.html"))) == 5 + 4 + 20 + 10
    (out / "old.html").touch()
    write_site(pages, out)
    assert not (out / "old.html").exists()
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.tex").touch()
    with pytest.raises(BadInput, match="not empty"):
        write_site(pages, taken)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_published_results_stand_apart_and_marked(site):
    page = Renderer(site, with_figures=False, published=True).page("index.html")
    assert "Claude-Opus-5 (max)" in page
    assert "no rank is shared" in page
    assert "Claude-Opus-5" not in Renderer(site, with_figures=False).page("index.html")


def test_a_page_that_is_not_there_is_none(site):
    assert Renderer(site).page("trials/../../etc/passwd") is None


def test_a_text_is_cut_in_its_middle():
    found = cut("<" * 50_000 + "end", 4_000)
    assert written_size(found.text) < 4_200
    assert found.text.endswith("end")
    assert found.left_out + found.text.count("<") == 50_000
    assert cut("short", 4_000).text == "short"
    assert plain("a\x1b[0m\r\nb\u200bc") == "a\\u001b[0m\nb\\u200bc"


def test_a_patch_is_lines_with_their_signs():
    (file, other) = patch_files(
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--old\n++new\n same\n"
        "diff --git a/y z b/y z\nnew file mode 100644\n"
    )
    assert (file.name, file.added, file.removed) == ("x", 1, 1)
    assert [line.kind for line in file.lines] == ["same", "same", "hunk", "del", "add", "same"]
    assert (other.name, other.added) == ("y z", 0)
    assert patch_files("") == ()


def test_arms_have_letters_and_addresses():
    assert [letter_of(n) for n in (0, 25, 26, 53)] == ["A", "Z", "AA", "BB"]
    assert slugs([("a", "a"), ("A", "A"), ("b", "b")]) == ["a", "A~2", "b"]
