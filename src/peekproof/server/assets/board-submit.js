/** Handing in predictions: a CSV file with ids, read here and sent under a key of its own. */

import { Problem, Unreachable, api } from "./api.js";
import { told } from "./board-mine.js";
import { download } from "./csv.js";
import { announce, field, h, replace } from "./dom.js";
import { count } from "./format.js";
import { busy, notice, problemNotice, spoken } from "./notice.js";
import { cellsOf, predictionsOf } from "./predictions.js";

/** The form; `done` is called when the board has changed. */
export function submitForm({ at, board, done }) {
  const file = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", required: true });
  const name = h("input", { type: "text", maxlength: "100", autocomplete: "off" });
  const declared = h("input", { type: "number", min: "0", max: "1", step: "any", inputmode: "decimal" });
  const trained = h("input", { type: "number", min: "1", step: "1", inputmode: "numeric" });
  const said = h("div", { class: "stack" });
  const button = h("button", { type: "submit", class: "primary" }, "Hand in");
  const number = (input) => (input.value === "" ? null : Number(input.value));

  async function hand(event) {
    event.preventDefault();
    button.disabled = true;
    replace(said, busy("Checking the claim…"));
    try {
      const table = read(await file.files[0].text(), board.labels);
      const entry = await api.once(at("/entries"), { ...table, name: name.value.trim(),
        declared: number(declared), trained_on: number(trained) });
      const words = told(entry, board);
      replace(said, notice(entry.told === "no better" ? "plain" : "good", `Entry ${entry.number}`,
        h("p", {}, words)));
      announce(`Entry ${entry.number}. ${words}`);
      await done();
    } catch (error) {
      failed(error);
    } finally {
      button.disabled = false;
    }
  }

  function failed(error) {
    const sent = error instanceof Problem || error instanceof Unreachable;
    if (error.kind === "ledger-closed") {
      replace(said, notice("warn", "The board is closed", h("p", {}, "Nothing more is scored.")));
      announce("The board is closed.", { urgent: true });
      done();
      return;
    }
    replace(said, sent ? problemNotice(error)
      : notice("bad", "This file cannot be handed in", h("p", {}, error.message)));
    announce(sent ? spoken(error) : error.message, { urgent: true });
  }

  async function ids() {
    try {
      const found = await api.get(at("/ids"));
      download(`${board.name}-ids.csv`, [["id", "prediction"], ...found.ids.map((id) => [id, ""])]);
    } catch (error) {
      failed(error);
    }
  }

  return h("form", { class: "stack", onsubmit: hand },
    field("Predictions", file, "A CSV file with the columns id and prediction, one line for each "
      + `of the ${count(board.rows)} ids.`),
    h("p", {}, h("button", { type: "button", class: "quiet flush", onclick: ids },
      "Download the ids")),
    field("Name of the entry", name),
    field("Declared score", declared, "What your own validation says, from 0 to 1. If the rows "
      + "confirm it, it stands. If they do not, you are told a corrected one, a few times."),
    field("Rows that it was validated on", trained, "So that an honest estimate passes: the fewer "
      + "they are, the farther off it may be."),
    h("div", { class: "row" }, button), said);
}

/** The ids and values of a CSV text. Throws an Error with a sentence if they are not there. */
export function read(text, labels) {
  const mark = text.split("\n", 1)[0].includes("\t") ? "\t" : ",";
  const [heads = [], ...rows] = cellsOf(text, mark);
  const [id, prediction] = ["id", "prediction"].map(
    (name) => heads.findIndex((each) => each.trim().toLowerCase() === name));
  if (id < 0 || prediction < 0) {
    throw new Error("The first line must name the columns id and prediction.");
  }
  const kind = labels === "text" ? "text" : "number";
  return predictionsOf(rows, { prediction, id, kind });
}
