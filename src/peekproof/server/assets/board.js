/** A leaderboard: who stands where as far as intervals tell, and a place to hand in predictions. */

import { api, on, usePageKey } from "./api.js";
import { runningBest } from "./board-best.js";
import { closing } from "./board-close.js";
import { mine } from "./board-mine.js";
import { finalRanking, standings } from "./board-standings.js";
import { submitForm } from "./board-submit.js";
import { h, replace, s } from "./dom.js";
import { count, plural, share } from "./format.js";
import { busy, problemNotice } from "./notice.js";
import { topBar } from "./shell.js";
import { signInForm, tokenOfAddress } from "./visit.js";

const EVERY = 15000; // milliseconds between looks: looking is free

const main = document.getElementById("main");
const bar = document.getElementById("bar");
const banner = document.getElementById("banner");
const name = nameOf(location.pathname.replace(/^\/boards\//, ""));
const at = (rest = "") => `/v1/boards/${encodeURIComponent(name)}${rest}`;

let visitor = null;
let timer = 0;
let parts = null;
let before = "";

function nameOf(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no name of ours: nothing will be found
  }
}

function showSignIn(message = "", token = "") {
  clearTimeout(timer);
  visitor = null;
  usePageKey(null);
  for (const each of document.querySelectorAll("dialog[open]")) each.close();
  replace(bar, topBar({}));
  replace(main, signInForm({ message, token, signedIn }));
}

async function signedIn(found) {
  visitor = found;
  usePageKey(found.page_key);
  before = "";
  parts = {
    head: h("section", { class: "promise", "aria-label": "The promise of this board" }),
    table: h("section", { class: "card stack", "aria-label": "Ranking" }),
    best: h("section", { class: "card stack", "aria-label": "Running best" }),
    own: h("section", { class: "card stack", "aria-label": "Your team", tabindex: "-1" }),
    form: h("section", { class: "card stack", "aria-label": "Hand in predictions" }),
  };
  replace(main, busy("Reading the board…"));
  const first = await look();
  showBar();
  if (!first) return;
  replace(parts.form, visitor.scope === "custodian" ? closing(first, { at, done: look })
    : [h("h2", {}, "Hand in predictions"), submitForm({ at, board: first, done: look })]);
  replace(main, parts.head, h("div", { class: "columns" },
    h("div", { class: "leading stack" }, parts.table, parts.best),
    h("div", { class: "beside stack" }, parts.form, parts.own)));
  main.focus({ preventScroll: true });
}

/** The bar, with the way back and to other boards. */
async function showBar() {
  const [boards, datasets] = await Promise.all([api.get("/v1/boards"), api.get("/v1/datasets")])
    .catch(() => [[], []]);
  if (!visitor) return;
  const views = [{ key: "boards", title: "All boards", href: "/#/boards" }];
  if (datasets.length) views.unshift({ key: "data", title: "Data sets", href: "/#/ask" });
  replace(bar, topBar({
    visitor, datasets: boards, chosen: name, kind: "Board", views, signOut,
    choose: (other) => { location.pathname = `/boards/${encodeURIComponent(other)}`; },
  }));
}

async function signOut() {
  await api.remove("/v1/visit").catch(() => null);
  showSignIn("You are signed out.");
}

/** Read the board and show what has changed. */
async function look() {
  clearTimeout(timer);
  let board;
  try {
    board = await api.get(at());
  } catch (error) {
    if (!visitor || error.status === 401) return null;
    if (before) timer = setTimeout(look, EVERY); // what is shown stays, and so does what was typed
    else {
      const again = h("button", { type: "button", onclick: () => location.reload() }, "Try again");
      replace(main, problemNotice(error, again));
    }
    return null;
  }
  const text = JSON.stringify(board);
  if (text !== before) show(board); // else what is focused or selected stays
  before = text;
  timer = setTimeout(look, EVERY);
  return board;
}

function show(board) {
  const focused = parts.own.contains(document.activeElement);
  document.title = `${board.title || name} · Peekproof`;
  replace(parts.head, ...head(board));
  replace(parts.table, board.final ? finalRanking(board, at) : standings(board));
  replace(parts.best, runningBest(board));
  replace(parts.own, mine(board, { at, done: look }));
  parts.own.hidden = visitor.scope === "custodian" && !board.yours.entries.length;
  parts.form.hidden = board.closed;
  if (focused) parts.own.focus();
}

function head(board) {
  const phase = board.closed ? ["badge warn", "closed"] : ["badge good", "open"];
  const better = board.higher_is_better ? "higher is better" : "lower is better";
  return [
    h("div", {},
      h("h1", { class: "dataset-title" }, board.title || name, " ",
        h("span", { class: phase[0] }, phase[1])),
      h("p", { class: "promised" }, "Scored by ", h("strong", { class: "mono" }, board.metric),
        ` (${better}). With confidence `, h("strong", {}, board.confidence),
        ", all intervals of a phase hold together for fresh labels of the same rows, whatever teams "
        + "made of earlier scores.")),
    h("div", { class: "left-box" },
      h("p", { class: "left" }, board.closed
        ? `${plural(board.entries, "entry was", "entries were")} handed in.`
        : [h("strong", {}, count(board.left)), ` of ${plural(board.submissions, "submission")} left, `,
          `${plural(board.entries, "entry", "entries")}`]),
      board.closed ? null : meter(board)),
  ];
}

function meter(board) {
  const part = board.submissions ? board.left / board.submissions : 0;
  return h("div", { class: "meter", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100,
    "aria-valuenow": Math.round(part * 100), "aria-valuetext": share(part),
    "aria-label": "Part of the submissions that is left" },
  s("svg", { height: 8 }, s("rect", { height: 8, width: `${part * 100}%` })));
}

on("reached", (reached) => {
  replace(banner, reached ? null
    : h("p", { class: "notice warn" }, "The gateway cannot be reached. Trying again…"));
});
on("expired", () => { if (visitor) showSignIn("Your visit has ended. Sign in again."); });
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

async function start() {
  const token = tokenOfAddress();
  if (token) return showSignIn("", token);
  try {
    return await signedIn(await api.get("/v1/visit", { open: true }));
  } catch (error) {
    return showSignIn(error.status === 401 ? "" : error.message);
  }
}

start();
