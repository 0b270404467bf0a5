/** What custodians do with a board: close it for good. */

import { api } from "./api.js";
import { cancelable, pressed } from "./custodian-card.js";
import { openDialog } from "./dialog.js";
import { announce, field, h, replace } from "./dom.js";
import { plural } from "./format.js";
import { problemNotice } from "./notice.js";

/** The card; `done` is called when the board is closed. */
export function closing(board, { at, done }) {
  return [
    h("h2", {}, "Custodian"),
    h("p", { class: "hint" }, "Closing ends the submissions, scores the chosen entry of every team "
      + "on the rows of the final, and signs the result. Teams without a choice go with their best."),
    h("div", { class: "row" }, h("button", { type: "button", class: "danger",
      onclick: () => confirm(board, { at, done }) }, "Close the board…")),
  ];
}

function confirm(board, { at, done }) {
  const failure = h("div", { role: "alert" });
  const typed = h("input", { autocomplete: "off", spellcheck: "false", oninput: () => {
    close.disabled = typed.value !== board.name;
  } });
  const close = pressed(h("button", { type: "button", class: "danger" }, "Close for good"), async () => {
    await api.once(at("/close"), { confirm: typed.value });
    dialog.close();
    announce(`${board.name} is closed for good.`);
    await done();
  }, (error) => replace(failure, problemNotice(error)));
  close.disabled = true;
  const dialog = cancelable(openDialog({
    title: `Close ${board.name} for good`,
    content: [
      h("p", {}, `${plural(board.teams.length, "team")} will be in the final. Nothing more can be `
        + "handed in, and no choice can be changed. This cannot be undone."),
      field(`Type ${board.name} to go on`, typed), failure,
    ],
    actions: [close],
  }));
  typed.focus();
}
