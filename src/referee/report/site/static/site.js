// Sorts, filters and folds what the page already holds. It computes no number: the leaderboard of
// every choice of filters was made by `referee report` and lies in the page as text.
"use strict";

const COLUMNS = ["rank", "scored", "withheld", "pass1", "private", "public", "fail2pass", "pass2pass", "tokens", "cost"];
const FILTERS = ["domain", "paradigm", "language"];

function number(text) {
  const found = parseFloat(text.replace(/[\s\u202f$]/g, ""));
  return Number.isNaN(found) ? null : found;
}

function sortBy(table, column, kind, down) {
  const body = table.tBodies[0];
  const value = (row) => {
    const cell = row.cells[column];
    const text = (cell.querySelector("span") || cell).textContent.trim();
    return kind === "number" ? number(text) : text.toLowerCase();
  };
  const rows = Array.from(body.rows, (row, place) => ({ row, place, value: value(row) }));
  rows.sort((a, b) => {
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.place - b.place;
    const order = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
    return (down ? -order : order) || a.place - b.place;
  });
  body.append(...rows.map((each) => each.row));
  Array.from(table.tHead.rows[0].cells).forEach((head, place) => {
    if (place === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
}

function makeSortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const kind = head.dataset.kind || "text";
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sortBy(table, column, kind, now ? now === "ascending" : kind === "number" && column > 0);
    });
  });
}

function sortAgain(table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  const column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
  if (column >= 0) sortBy(table, column, heads[column].dataset.kind, heads[column].getAttribute("aria-sort") === "descending");
}

function makeFilters(form, table) {
  let slices = null; // read when it is first needed: the page is usable before
  const chosen = document.getElementById("chosen");
  const value = (name) => (form.elements[name] ? form.elements[name].value : "");

  function show() {
    slices = slices || JSON.parse(document.getElementById("slices").textContent);
    const slice = slices[FILTERS.map(value).join("\n")];
    chosen.textContent = slice ? `${slice.tasks} tasks` : "no task is left";
    for (const row of table.tBodies[0].rows) {
      const cells = slice ? slice.arms[row.dataset.arm] : null;
      row.hidden = !cells || (value("condition") !== "" && row.dataset.condition !== value("condition"));
      COLUMNS.forEach((name, place) => {
        const cell = row.querySelector(`[data-column="${name}"]`);
        cell.querySelector("span").textContent = cells ? cells[place][0] : "–";
        cell.querySelector("small").textContent = cells ? cells[place][1] : "";
      });
    }
    sortAgain(table);
  }

  function remember() {
    const set = new URLSearchParams();
    for (const name of [...FILTERS, "condition"]) if (value(name)) set.set(name, value(name));
    history.replaceState(null, "", set.size ? `#${set}` : location.pathname + location.search);
  }

  function recall() {
    for (const [name, to] of new URLSearchParams(location.hash.slice(1))) {
      if (form.elements[name]) form.elements[name].value = to;
    }
    show();
  }

  form.addEventListener("change", () => { show(); remember(); });
  form.addEventListener("reset", () => setTimeout(() => { show(); remember(); }));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", recall);
  if (location.hash.includes("=")) recall();
}

function makeSearch(input, table) {
  const found = document.getElementById("found");
  input.form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += !row.hidden;
    }
    found.textContent = `${left} tasks`;
  });
}

function makeUnfold(button) {
  const turns = document.querySelectorAll("details.turn");
  button.hidden = turns.length === 0;
  button.addEventListener("click", () => {
    const open = button.textContent === "Unfold all";
    turns.forEach((turn) => { turn.open = open; });
    button.textContent = open ? "Fold all" : "Unfold all";
  });
}

function watch(address) {
  let last = null;
  const said = document.getElementById("live");
  setInterval(async () => {
    try {
      const now = await (await fetch(address, { cache: "no-store" })).text();
      if (last !== null && now !== last) location.reload();
      last = now;
      said.textContent = "Live: this page renews itself while the run goes on.";
    } catch {
      said.textContent = "The server does not answer any more: what stands here is what it said last.";
    }
  }, 2000);
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
const board = document.getElementById("board");
if (board) makeFilters(document.getElementById("filters"), board);
const find = document.getElementById("find");
if (find) makeSearch(find, document.getElementById("heat"));
const unfold = document.getElementById("unfold");
if (unfold) makeUnfold(unfold);
if (document.documentElement.dataset.live) watch(document.documentElement.dataset.live);
