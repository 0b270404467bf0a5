/** The table of a board: intervals on one axis; what they do not tell apart is a tie. */

import { axis, intervalPicture } from "./charts.js";
import { download } from "./csv.js";
import { h } from "./dom.js";
import { interval, listed, share } from "./format.js";
import { notice } from "./notice.js";

const MOST_NAMED = 3;

/** The public phase: the best entry of each team. */
export function standings(board) {
  if (!board.teams.length) {
    return [h("h2", {}, "Standings"), h("p", { class: "muted" }, "Nobody has handed in anything yet.")];
  }
  const scale = scaleOf(board.teams.map(({ entry }) => entry).filter(known));
  const rows = board.teams.map((each, index) => row({
    rank: each.rank, tied: each.tied, team: each.entry.team, name: each.entry.name,
    shown: words(each.entry, board), picture: picture(each.entry, scale, board),
    first: index > 0 && board.teams[index - 1].group !== each.group,
    own: each.entry.team === board.yours.team,
  }));
  return [h("h2", {}, "Standings"), tableOf("Standings, best first", rows, scale),
    legend("Below a heavy line are teams that the first one above it beats for sure.")];
}

/** The final, on rows that nobody had been told anything about. */
export function finalRanking(board, at) {
  const scale = scaleOf(board.final.finalists);
  const rows = board.final.finalists.map((each) => row({
    rank: each.rank, tied: each.tied_with.length > 0, team: each.team, name: each.name,
    shown: interval(each.low, each.high, true), picture: intervalPicture(each, scale, { tone: "own" }),
    ties: each.tied_with, own: each.team === board.yours.team,
  }));
  return [
    h("div", { class: "row spread" }, h("h2", {}, "Final ranking"),
      h("div", { class: "row" },
        h("a", { href: at("/export"), download: "board-export.json" }, "Signed export"),
        h("button", { type: "button", class: "quiet", onclick: () => download("final.csv", csv(board)) },
          "CSV"))),
    notice("good", "", h("p", {}, board.final.promise)),
    tableOf("Final ranking, best first", rows, scale), legend(),
    h("details", {}, h("summary", {}, "Verify the result"),
      h("p", { class: "hint" }, "Anyone who has the signed export and the public key from the "
        + "announcement of the contest can check that nothing was changed. It should be this key:"),
      h("p", { class: "digest mono" }, board.public_key),
      h("pre", { class: "mono" }, `peekproof board verify board-export.json --public-key ${board.public_key}`)),
  ];
}

const known = (entry) => entry.told !== "no better";

function words(entry, board) {
  if (known(entry)) return interval(entry.low, entry.high, true);
  return board.higher_is_better ? `not above ${share(entry.high, Math.ceil)}`
    : `not below ${share(entry.low, Math.floor)}`;
}

function picture(entry, scale, board) {
  if (known(entry)) return intervalPicture(entry, scale);
  const end = board.higher_is_better ? entry.high : entry.low;
  return intervalPicture({ value: end, low: entry.low, high: entry.high }, scale, { tone: "unknown" });
}

function row({ rank, tied, team, name, shown, picture: drawn, first, own, ties = [] }) {
  const badge = tied ? h("span", { class: "badge" }, "tie") : null;
  const about = [name, ties.length ? `tied with ${ties.length > MOST_NAMED ? `${ties.length} teams`
    : listed(ties)}` : ""].filter(Boolean).join(" · ");
  return h("tr", { class: [first ? "next-group" : "", own ? "own-row" : ""].join(" ").trim() || null },
    h("td", { class: "rank" }, String(rank), " ", badge),
    h("td", {}, h("strong", {}, team), own ? h("span", { class: "hint" }, " (you)") : null,
      about ? h("div", { class: "hint" }, about) : null),
    h("td", { class: "score" }, shown),
    h("td", { class: "drawn" }, drawn));
}

function tableOf(caption, rows, scale) {
  return h("div", { class: "table-wrap", role: "region", tabindex: "0", "aria-label": caption },
    h("table", { class: "standings" },
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "rank" }, "Rank"), h("th", { scope: "col" }, "Team"),
        h("th", { scope: "col" }, "Score of fresh labels"),
        h("th", { scope: "col", class: "drawn" }, h("span", { class: "unseen" }, "Interval, drawn"),
          axis(scale, true)))),
      h("tbody", {}, rows)));
}

function legend(more = "") {
  return h("p", { class: "hint" },
    "A rank is one more than the number of teams that are better for sure. Teams marked as a tie "
    + "cannot be told apart by what is known. ", more);
}

/** A round stretch of 0 to 1 that has all intervals in it. */
export function scaleOf(entries) {
  if (!entries.length) return [0, 1];
  const low = Math.min(...entries.map((each) => each.low));
  const high = Math.max(...entries.map((each) => each.high));
  for (const step of [0.01, 0.02, 0.05, 0.1, 0.15, 0.2]) {
    const fitting = Math.floor((low - step / 8) / step) * step;
    const from = Math.max(0, Math.min(fitting, 1 - 4 * step));
    if (from + 4 * step >= high - 1e-9) return [from, from + 4 * step];
  }
  return [0, 1];
}

function csv(board) {
  const rows = board.final.finalists.map((each) => [each.rank, each.team, each.name, each.value,
    each.low, each.high, each.tied_with.join(" ")]);
  return [["rank", "team", "entry", "value", "low", "high", "tied with"], ...rows];
}
