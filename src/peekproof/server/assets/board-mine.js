/** What your team has handed in, and which of it goes to the final. */

import { api } from "./api.js";
import { announce, h, replace } from "./dom.js";
import { interval, moment, plural } from "./format.js";
import { problemNotice } from "./notice.js";

/** The list, latest first. */
export function mine(board, { at, done }) {
  const { team, entries, left, chosen } = board.yours;
  const said = h("div", {});
  const choose = async (number) => {
    try {
      await api.put(at("/choice"), { entry: number });
      announce(`Entry ${number} goes to the final.`);
      await done();
    } catch (error) {
      replace(said, problemNotice(error));
    }
  };
  const listed = [...entries].reverse().map((each) => h("li", {},
    h("div", { class: "row spread" },
      h("strong", {}, each.name || `Entry ${each.number}`),
      each.number === chosen ? h("span", { class: "badge good" }, "goes to the final")
        : !board.closed && h("button", { type: "button", class: "quiet", onclick: () => choose(each.number) },
          "Choose", h("span", { class: "unseen" }, ` entry ${each.number} for the final`))),
    h("p", { class: "hint" }, told(each, board)),
    h("p", { class: "hint" }, moment(each.made))));
  return [
    h("h2", {}, team),
    h("p", { class: "left" }, board.closed ? "The board is closed."
      : [h("strong", {}, plural(left, "submission")), " left for your team"]),
    said,
    entries.length ? h("ul", { class: "own-entries" }, listed)
      : h("p", { class: "muted" }, "Your team has handed in nothing yet."),
  ];
}

/** What became of a claim, in words. */
export function told(entry, board) {
  const known = interval(entry.low, entry.high, true);
  if (entry.told === "confirmed") return `Your declared score was confirmed: ${known}.`;
  if (entry.told === "no better") {
    return board.higher_is_better ? "Not better than the best by a step: nothing else was told, and "
      + "nothing but the submission was used up." : "Not below the best by a step: nothing else was told.";
  }
  if (entry.declared !== null) return `Not as declared; the score is ${known}.`;
  return `An improvement: ${known}.`;
}
