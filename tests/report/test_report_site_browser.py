"""The site in headless Chromium, from the file system: every view, filters, keyboard, rules of
accessibility, and no request to anywhere else."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest
from site_run import SECRET, SiteRun

from referee.report.site.reading import read_site
from referee.report.site.render import Renderer
from referee.report.site.write import write_site

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LACKING = [n for n in ("playwright", "axe_playwright_python") if not importlib.util.find_spec(n)]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install the package `chromium`"),
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]

VIEWS = {
    "index.html": "Leaderboard",
    "tasks.html": "Tasks and arms",
    "compare.html": "Comparisons",
    "composition.html": "What the tasks are",
    "methods.html": "Methods",
    "tasks/001-task.html": "001-task",
    "trials/001-task/solver+science=with/1.html": "solver+science=with, attempt 1",
    "trials/001-task/mutants/1.html": "mutants, attempt 1",
    "compare/oracle/solver+science=with.html": "oracle and solver+science=with",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    write_site(Renderer(read_site([SiteRun().write(folder / "run")])), folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # as root, Chromium has no sandbox of its own; the pages are ours
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(params=["light", "dark", "phone"])
def look(request) -> dict:
    if request.param == "phone":
        return {"viewport": {"width": 390, "height": 800}, "is_mobile": True}
    return {"viewport": {"width": 1200, "height": 900}, "color_scheme": request.param}


@pytest.fixture
def opened(browser, place):
    """Opens a view, and holds that nothing went wrong and nothing was asked of any host."""
    said: list[str] = []
    contexts = []

    def open_view(address: str, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: said.append(asked.url) if is_foreign(asked.url) else None)
        file, sign, state = address.partition("#")
        page.goto((place / file).as_uri() + sign + state)
        return page

    def is_foreign(url: str) -> bool:
        return not url.startswith((place.as_uri(), "data:"))

    yield open_view
    for context in contexts:
        context.close()
    assert said == []


def column(page, name: str) -> list[str]:
    cells = page.locator(f"#board tbody tr:visible [data-column={name}] span")
    return cells.all_text_contents()


def arms(page) -> list[str]:
    return page.locator("#board tbody tr:visible").evaluate_all("r => r.map(x => x.dataset.arm)")


@pytest.mark.parametrize(("address", "head"), VIEWS.items())
def test_each_view_is_whole_and_accessible(opened, look, address, head):
    from axe_playwright_python.sync_playwright import Axe

    page = opened(address, **look)
    assert page.locator("h1").text_content() == head
    assert SECRET not in page.content()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    images = page.locator("img").evaluate_all("all => all.map(i => i.complete && i.naturalWidth)")
    assert all(images)
    # by itself, axe would fetch the stylesheet, which the pages forbid
    broken = Axe().run(page, options={"preload": False}).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in broken] == []


def test_a_figure_follows_the_theme(opened):
    for scheme, end in (("light", "score-tokens.svg"), ("dark", "score-tokens-dark.svg")):
        page = opened("index.html", color_scheme=scheme)
        assert page.locator("img").first.evaluate("i => i.currentSrc").endswith(end)


def test_filters_show_what_was_computed_and_stay_in_the_address(opened):
    page = opened("index.html")
    whole = column(page, "pass1")
    page.get_by_label("Domain").select_option("Biology")
    assert page.locator("#chosen").text_content() == "1 tasks"
    assert dict(zip(arms(page), column(page, "pass1"), strict=True)) == {
        "oracle": "100.0",
        "solver+science=with": "100.0",
        "solver+science=without": "100.0",
        "nop": "0.0",
        "mutants": "0.0",
    }
    assert page.url.endswith("#domain=Biology")
    page.get_by_label("Condition").select_option("science=with")
    assert arms(page) == ["solver+science=with"]
    again = opened("index.html#" + page.url.partition("#")[2])
    assert arms(again) == ["solver+science=with"]
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.querySelector('#chosen').textContent === '4 tasks'")
    assert column(page, "pass1") == whole


def test_a_filter_that_leaves_no_task_says_so(opened):
    page = opened("index.html")
    page.get_by_label("Domain").select_option("Biology")
    page.get_by_label("Paradigm").select_option("expert-exploratory")
    assert page.locator("#chosen").text_content() == "no task is left"
    assert arms(page) == []


def test_heads_sort_by_keyboard_and_say_how(opened):
    page = opened("index.html")
    assert arms(page)[0] == "oracle"
    assert arms(page)[-1] == "mutants"
    button = page.get_by_role("button", name="Arm", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    assert arms(page) == sorted(arms(page))
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert arms(page) == sorted(arms(page), reverse=True)
    page.get_by_role("button", name="Tokens").press("Enter")
    assert arms(page)[:2] == ["solver+science=without", "solver+science=with"]


def test_the_first_tab_leads_to_the_content(opened):
    page = opened("index.html")
    page.keyboard.press("Tab")
    assert page.locator(":focus").text_content() == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_tasks_are_found_by_words_and_lead_to_trials(opened):
    page = opened("tasks.html")
    page.get_by_role("searchbox", name="Find").fill("chemistry")
    assert page.locator("#found").text_content() == "1 tasks"
    page.locator("#heat tbody tr:visible a.s").last.click()
    assert page.locator("h1").text_content() == "solver+science=without, attempt 1"


def test_a_trial_folds_its_turns(opened):
    page = opened("trials/001-task/solver+science=with/1.html")
    turn = page.locator("details.turn").nth(1)
    assert not turn.locator("pre").first.is_visible()
    page.get_by_role("button", name="Unfold all").click()
    assert turn.locator("pre").first.is_visible()
    assert "I look at the area." in turn.inner_text()
    turn.locator("summary").press("Enter")
    assert not turn.locator("pre").first.is_visible()
    assert "-    return 3 * r" in page.locator("details.diff").inner_text()
    assert "memory_bytes" in page.locator("main").inner_text()


def test_a_comparison_lists_transitions(opened):
    page = opened("compare/oracle/solver+science=with.html")
    only = page.locator("details.transition").nth(1)
    assert "Only oracle solved" in only.inner_text()
    assert only.locator("li").count() == 3
    only.locator("li a").first.click()
    assert page.locator("h1").text_content() == "oracle, attempt 1"


def test_pages_print_without_what_is_for_the_screen(opened):
    page = opened("index.html")
    page.emulate_media(media="print")
    assert not page.locator("#filters").is_visible()
    assert page.locator("#board").is_visible()


def test_without_its_script_a_page_still_says_everything(browser, place):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((place / "index.html").as_uri())
    assert page.locator("#board tbody tr").count() == 5
    assert "need the script" in page.locator("noscript").inner_text()
    context.close()
