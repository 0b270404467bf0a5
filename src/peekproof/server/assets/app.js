/**
 * The page. This module keeps the visit, the chosen data set and the address; views show the rest.
 *
 * A view is a module with `export function render(root, context)`: it fills `root`, an empty
 * element that already has a heading of level 1 above it, and may return a function that is called
 * when the view is left. `context` is
 *
 *   visitor        {analyst, scope, page_key}; scope is "analyst" or "custodian"
 *   datasets       what GET /v1/datasets said, and boards what GET /v1/boards said
 *   dataset        what GET /v1/datasets/{name} said of the chosen one (null in #/custodian)
 *   api, at        from api.js: await api.get(at(name, "/budget"), {signal}); errors are Problem
 *                  (.kind "budget-exhausted", .message, .fields, .status) or Unreachable
 *   signal         an AbortSignal that ends with the view; give it to every request
 *   announce       (text, {urgent}) to those who listen to the page
 *   spent()        tell the page that the budget may have changed
 *   onBudget(f)    f(budget, moments) whenever the budget changed, and now if it is known; moments
 *                  are those of GET …/spending (there is no budget in #/custodian)
 *   go(view, name) open another view, of this data set or another
 *   draft          an object that is kept for this data set: what was typed outlives the view
 *   reload()       read data sets again and show the view anew
 *
 * Building blocks: dom.js (h, s, replace, fresh, announce, table, field), notice.js (notice,
 * problemNotice, busy), dialog.js (openDialog), format.js (count, number, share, moment, plural),
 * and charts.js. Classes of style.css: card, stack, row, field, hint, primary, danger, quiet,
 * badge, muted, mono, table-wrap, unseen. Text becomes text by h() only; styles are classes.
 */

import { api, at, on, usePageKey } from "./api.js";
import * as ask from "./ask.js";
import { aside } from "./aside.js";
import * as batch from "./batch.js";
import * as boards from "./boards.js";
import { budgetOf } from "./budget.js";
import { announce, h, replace } from "./dom.js";
import * as histogram from "./histogram.js";
import * as past from "./history.js";
import { busy, notice, problemNotice } from "./notice.js";
import * as score from "./score.js";
import { promise, topBar } from "./shell.js";
import { signInForm, tokenOfAddress } from "./visit.js";

const VIEWS = {
  score: { title: "Score", view: score, fits: (each) => Boolean(each?.holdout) },
  ask: { title: "Ask", view: ask },
  histogram: { title: "Histogram", view: histogram, fits: (each) => !each?.holdout },
  batch: { title: "Batch", view: batch, fits: (each) => !each?.holdout },
  history: { title: "History", view: past },
  boards: { title: "Boards", view: boards, alone: true, fits: () => state.boards.length > 0 },
  custodian: {
    // Analysts never need it, so it is not loaded for them.
    title: "Custodian", load: () => import("./custodian.js"), alone: true, scope: "custodian",
  },
};

const state = { visitor: null, datasets: [], boards: [], drafts: new Map(), leave: null, owner: null };
const main = document.getElementById("main");
const bar = document.getElementById("bar");
const banner = document.getElementById("banner");

function route() {
  const [view, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  let name = "";
  try {
    name = decodeURIComponent(rest.join("/"));
  } catch {
    // Not an address of ours; the first data set is shown.
  }
  const summary = state.datasets.find((each) => each.name === name) || state.datasets[0];
  const mine = offered(summary);
  if (mine.some(([key]) => key === view)) return { view, summary };
  // A view that only other data sets have: the first of this one.
  return { view: VIEWS[view]?.fits ? mine[0][0] : home(mine), summary };
}

function offered(summary) {
  const mine = Object.entries(VIEWS).filter(([, each]) => {
    if (each.scope && each.scope !== state.visitor.scope) return false;
    if (each.fits && !each.fits(summary)) return false;
    return each.alone || state.datasets.length > 0;
  });
  return mine.length ? mine : [["ask", VIEWS.ask]];
}

function home(mine) {
  return state.visitor.scope === "custodian" && state.datasets.length ? "custodian" : mine[0][0];
}

function address(view, name) {
  return VIEWS[view].alone ? `#/${view}` : `#/${view}/${encodeURIComponent(name)}`;
}

function leave() {
  state.leave?.();
  state.leave = null;
}

function showSignIn(message = "", token = "") {
  leave();
  state.visitor = null;
  usePageKey(null);
  document.title = "Peekproof";
  for (const each of document.querySelectorAll("dialog[open]")) each.close();
  replace(bar, topBar({}));
  replace(main, signInForm({ message, token, signedIn }));
}

async function signedIn(visitor) {
  // What was typed is for the same person only.
  if (state.owner !== visitor.analyst) state.drafts.clear();
  state.owner = visitor.analyst;
  state.visitor = visitor;
  usePageKey(visitor.page_key);
  await reload();
  main.focus({ preventScroll: true });
}

async function reload() {
  replace(main, busy("Reading the data sets…"));
  try {
    [state.datasets, state.boards] = await Promise.all([
      api.get("/v1/datasets"), api.get("/v1/boards"),
    ]);
  } catch (error) {
    if (error.status !== 401) {
      replace(main, problemNotice(error, retry(reload)));
    }
    return;
  }
  await show();
}

function retry(action) {
  return h("button", { type: "button", onclick: () => action() }, "Try again");
}

async function signOut() {
  await api.remove("/v1/visit").catch(() => null);
  state.drafts.clear();
  showSignIn("You are signed out.");
}

let shown = 0;

async function show() {
  if (!state.visitor) return;
  leave();
  shown += 1;
  const turn = shown;
  const { view, summary } = route();
  const { title, alone } = VIEWS[view];
  const chosen = summary?.name || "";
  if (summary || alone) history.replaceState(null, "", address(view, chosen));
  replace(bar, topBar({
    visitor: state.visitor, datasets: state.datasets, chosen: alone ? "" : chosen, view, signOut,
    views: offered(summary).map(([key, each]) => ({ key, title: each.title, href: address(key, chosen) })),
    choose: (other) => { location.hash = address(view, other); },
  }));
  document.title = alone ? `${title} · Peekproof` : `${title} · ${chosen} · Peekproof`;
  if (!alone && !summary) {
    replace(main, notice("plain", "No data set", h("p", {},
      "Your token is for nothing that is served here. Ask the custodian.")));
    return;
  }
  const ending = new AbortController();
  state.leave = () => ending.abort();
  const dataset = alone ? null : await described(chosen, ending.signal);
  const module = VIEWS[view].view || await VIEWS[view].load();
  if (turn !== shown || (!alone && !dataset)) return;
  open({ module, title, dataset, ending });
}

async function described(name, signal) {
  try {
    return await api.get(at(name), { signal });
  } catch (error) {
    if (!signal.aborted && error.status !== 401) {
      replace(main, problemNotice(error, retry(show)));
    }
    return null;
  }
}

function open({ module, title, dataset, ending }) {
  const root = h("div", { class: "view stack" });
  const budget = dataset ? budgetOf(dataset.name, ending.signal) : null;
  const context = {
    visitor: state.visitor, datasets: state.datasets, boards: state.boards, dataset, api, at,
    announce, reload,
    signal: ending.signal,
    spent: () => budget?.refresh(),
    onBudget: (listener) => budget?.listen(listener),
    go: (view, name = dataset?.name) => { location.hash = address(view, name); },
    draft: draftOf(dataset?.name || ""),
  };
  const heading = h("h1", { class: dataset ? "unseen" : null }, title);
  if (dataset) {
    replace(main, promise(dataset, context),
      h("div", { class: "columns" },
        h("div", { class: "leading" }, heading, root), aside(dataset, context)));
  } else replace(main, h("div", { class: "leading" }, heading, root));
  const left = module.render(root, context);
  state.leave = () => {
    ending.abort();
    if (typeof left === "function") left();
  };
  budget?.refresh();
}

function draftOf(name) {
  if (!state.drafts.has(name)) state.drafts.set(name, {});
  return state.drafts.get(name);
}

let hiding = 0;

function showBanner(text, seconds = 0) {
  clearTimeout(hiding);
  replace(banner, text ? h("p", { class: "notice warn" }, text) : null);
  if (seconds) hiding = setTimeout(() => showBanner(""), seconds * 1000);
}

let lost = false;

on("reached", (reached) => {
  if (reached === !lost) return;
  lost = !reached;
  showBanner(lost ? "The gateway cannot be reached. Trying again…" : "");
  if (!lost) announce("The gateway can be reached again.");
});
on("waiting", (seconds) => {
  showBanner(`Too many requests at once: waiting for ${Math.ceil(seconds)} s as the gateway asks.`,
    seconds + 1);
});
on("expired", (error) => {
  if (!state.visitor) return;
  const why = /revoked|expired/.test(error.message) ? "Your token is no longer valid."
    : "Your visit has ended.";
  showSignIn(`${why} Sign in again; what you typed is kept.`);
});

window.addEventListener("hashchange", () => {
  const token = tokenOfAddress();
  if (token) showSignIn("", token);
  else show().then(() => main.focus({ preventScroll: true }));
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment is the address of a view
  main.focus();
});

async function start() {
  const token = tokenOfAddress();
  if (token) {
    showSignIn("", token);
    return;
  }
  try {
    await signedIn(await api.get("/v1/visit", { open: true }));
  } catch (error) {
    showSignIn(error.status === 401 ? "" : error.message);
  }
}

start();
