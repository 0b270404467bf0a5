/** The view of a holdout: predictions from a file, what they are expected to score, the answer. */

import { answerCard, guessOf, inWords, sharedAxis } from "./answer-card.js";
import { fromReply } from "./answers.js";
import { newKey, Unreachable } from "./api.js";
import { field, h, replace } from "./dom.js";
import { count, plural } from "./format.js";
import { busy, notice, problemNotice, spoken } from "./notice.js";
import { cellsOf, likely, predictionsOf } from "./predictions.js";

export function render(root, context) {
  const { draft } = context;
  draft.scores ||= [];
  const list = h("ul", { class: "answers" });
  const recent = h("section", { class: "card stack" });

  function drawList() {
    replace(list, draft.scores.map((each) => answerCard(each, { context })));
    replace(recent, h("h2", {}, "Scores of this visit"), draft.scores.length
      ? [sharedAxis(), list]
      : h("p", { class: "muted" }, "None yet. Those of before are in the view History."));
  }

  replace(root, scoreForm(context, (answer) => {
    const same = answer.digests.join();
    draft.scores = [answer, ...draft.scores.filter((each) => each.digests.join() !== same)];
    drawList();
  }), recent);
  drawList();
}

function scoreForm(context, answered) {
  const { dataset, draft, api, at } = context;
  const { holdout } = dataset;
  const file = h("input", { type: "file", accept: ".csv,text/csv" });
  const columns = h("div", { class: "row fields" });
  const told = h("p", { class: "hint", role: "status" });
  const outcome = h("div", {});
  const button = h("button", { type: "submit", class: "primary" }, "Score");
  const guess = number(draft, "guess", "Your guess",
    "What your own validation says, from 0 to 1.");
  const tolerance = number(draft, "tolerance", "Tolerance", "How far off it may be. Optional.");
  const where = h("input", { type: "text", class: "mono", autocomplete: "off",
    value: draft.where || "", oninput: () => { draft.where = where.value; } });
  let table = null;

  async function read(chosen) {
    table = null;
    replace(columns);
    replace(outcome);
    if (!chosen) return;
    const [heads, ...rows] = cellsOf(await chosen.text());
    if (!heads || !rows.length) {
      told.textContent = "This file has no rows below its first line.";
      return;
    }
    const found = likely(heads, holdout);
    const pick = (selected, none) => h("select", {}, none === undefined ? null
      : h("option", { value: -1, selected: selected < 0 }, none),
    heads.map((each, index) => h("option", { value: index, selected: index === selected }, each)));
    table = { name: chosen.name, rows, prediction: pick(found.prediction),
      id: holdout.ids ? pick(found.id, "none: in the order of rows") : null };
    replace(columns, field("Column of predictions", table.prediction),
      table.id ? field("Column of ids", table.id) : null);
    told.textContent = `${plural(rows.length, "prediction")} in the file; the holdout has `
      + `${plural(holdout.rows, "row")}.`;
  }

  function body() {
    if (!table) throw new Error("Choose a file with predictions first.");
    if (guess.value() === undefined) throw new Error("A guess is a number from 0 to 1.");
    const predictions = predictionsOf(table.rows, { kind: holdout.label,
      prediction: Number(table.prediction.value), id: Number(table.id?.value ?? -1) });
    return { predictions, guess: guess.value(), tolerance: tolerance.value(),
      where: where.value.trim() };
  }

  async function score() {
    if (button.disabled) return;
    let asked = null;
    try {
      asked = body();
    } catch (wrong) {
      replace(outcome, notice("bad", "That cannot be scored", h("p", {}, wrong.message)));
      context.announce(wrong.message, { urgent: true });
      return;
    }
    button.disabled = true;
    replace(outcome, busy("Scoring. The question is paid for and answered…"));
    try {
      const key = keyOf(draft, asked);
      const reply = await api.post(at(dataset.name, "/score"), asked, { key });
      draft.scored = null;
      const title = `${holdout.metric} of ${table.name}${asked.where ? `, ${asked.where}` : ""}`;
      const answer = { ...fromReply(reply), title, guessed: guessOf(reply) };
      replace(outcome);
      answered(answer);
      context.announce(`Score: ${inWords(answer)}`);
    } catch (failed) {
      if (!(failed instanceof Unreachable)) draft.scored = null;
      replace(outcome, problemNotice(failed));
      context.announce(spoken(failed), { urgent: true });
    } finally {
      button.disabled = false;
      context.spent();
    }
  }

  file.addEventListener("change", () => read(file.files[0]));
  const kind = holdout.label === "text" ? "texts" : "numbers";
  return h("section", { class: "card" },
    h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); score(); } },
      h("h2", {}, "Score predictions"),
      field("A CSV file", file, `One line a row, below a line of names: ${count(holdout.rows)} `
        + `rows, whose labels are ${kind}. Drop it here, or choose it.`),
      columns, told,
      h("div", { class: "row fields" }, guess.element, tolerance.element),
      h("details", { open: Boolean(draft.where) }, h("summary", {}, "More"),
        field("Only where", where, "Rows for which this does not hold count 0.")),
      h("div", { class: "row" }, button), outcome));
}

function number(draft, name, label, hint) {
  const input = h("input", { type: "text", inputmode: "decimal", value: draft[name] || "",
    autocomplete: "off", oninput: () => { draft[name] = input.value; } });
  return {
    element: field(label, input, hint),
    value() {
      const text = input.value.trim().replace(",", ".");
      const right = text !== "" && Number.isFinite(Number(text));
      input.setAttribute("aria-invalid", text && !right ? "true" : "false");
      return right ? Number(text) : undefined;
    },
  };
}

/** The same request keeps its key until it has a reply, so that sending it again is safe. */
function keyOf(draft, asked) {
  const text = JSON.stringify(asked);
  if (draft.scored?.text !== text) draft.scored = { text, key: newKey() };
  return draft.scored.key;
}
