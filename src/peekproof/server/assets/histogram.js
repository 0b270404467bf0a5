/** A histogram, or shares or means by cells, built from choices instead of words. */

import { answerCard, inWords } from "./answer-card.js";
import { fromReply } from "./answers.js";
import { answersAsRows, download } from "./csv.js";
import { field, h, replace } from "./dom.js";
import { busy, notice, problemNotice, spoken } from "./notice.js";
import { livePrice } from "./price.js";
import { questionError } from "./question-error.js";
import { agreement } from "./spending.js";
import { nameOf, quoted } from "./words.js";

const CUT = new Set(["number", "date", "date and time"]);
const SHOWN = {
  rows: "the share in each cell",
  share: "the share of a condition within each cell",
  mean: "the mean of a column within each cell",
};

export function render(root, context) {
  const { dataset, draft, api, at } = context;
  const columns = dataset.columns.filter((each) => CUT.has(each.kind) || each.kind === "text"
    || each.kind === "true/false");
  if (dataset.checks_guesses || !columns.length) {
    const why = dataset.checks_guesses ? "This data set checks guesses of shares and means only."
      : "No column can be cut into cells.";
    replace(root, notice("plain", "No histograms here", h("p", {}, why)));
    return;
  }
  const kept = draft.histogram ||= { column: columns[0].name };
  const cells = h("input", { type: "text", class: "mono", autocomplete: "off", spellcheck: "false",
    oninput: () => { kept.cells = cells.value; changed(); } });
  const column = h("select", { onchange: () => { kept.column = column.value; fresh(); } },
    columns.map((each) => h("option", { value: each.name, selected: each.name === kept.column },
      each.name)));
  const what = h("select", { onchange: () => { kept.what = what.value; fresh(); } },
    Object.entries(SHOWN).map(([value, text]) => h("option",
      { value, selected: value === kept.what }, text)));
  const weight = h("input", { type: "text", class: "mono", autocomplete: "off", spellcheck: "false",
    oninput: () => { kept.weight = weight.value; changed(); } });
  const weightField = field("Within each cell", weight);
  const cellsField = field("Cells", cells, " ");
  const shown = h("p", { class: "mono question" });
  const price = h("p", {});
  const error = h("div", { class: "calm" });
  const outcome = h("div", { class: "stack" });
  const button = h("button", { type: "submit", class: "primary" }, "Draw it");
  const follow = livePrice(price, context, (found) => {
    price.hidden = Boolean(found);
    replace(error, found ? questionError(found) : null);
  });

  const chosen = () => columns.find((each) => each.name === column.value);

  function fresh() {
    const { kind, categories } = chosen();
    if (kind === "number") kept.cells = "bins(0, 100, 10)";
    else if (CUT.has(kind)) kept.cells = "('2020-01-01', '2021-01-01')";
    else kept.cells = categories ? `(${categories.map(quoted).join(", ")})` : "";
    const number = dataset.columns.find((each) => each.kind === "number");
    kept.weight = what.value === "mean" ? `mean(${nameOf(number?.name || "x")}, 0, 100)`
      : `${nameOf(number?.name || "x")} > 50`;
    fill();
  }

  function fill() {
    const { kind, categories } = chosen();
    cells.value = kept.cells ?? "";
    weight.value = kept.weight ?? "";
    cellsField.querySelector(".hint").textContent = CUT.has(kind)
      ? "Edges such as (0, 15, 60), or bins(low, high, count). They must not come from the data."
      : categories ? "Values in quotes; left out, they are the declared ones."
        : kind === "text" ? "Values in quotes, such as ('a', 'b')." : "Left out, true and false.";
    weightField.hidden = what.value === "rows";
    changed();
  }

  function question() {
    const name = nameOf(column.value);
    const listed = cells.value.trim();
    if (what.value === "rows") return `histogram(${name}${listed ? `, ${listed}` : ""})`;
    return `${weight.value.trim()} by ${name}${listed ? ` ${listed}` : ""}`;
  }

  function changed() {
    const text = question();
    shown.textContent = text;
    follow({ questions: [text] });
  }

  async function ask() {
    if (button.disabled) return;
    button.disabled = true;
    replace(outcome, busy("Asking…"));
    context.announce("Asking…");
    try {
      const asked = question();
      if (!(await agreement(context, { questions: [asked] })).agreed) {
        replace(outcome);
        draw();
        context.announce("Not asked: nothing is charged.");
        return;
      }
      const reply = await api.once(at(dataset.name, "/histogram"), { question: asked });
      const answer = fromReply(reply);
      draft.drawn = answer;
      draft.answers = draft.answers ? [answer, ...draft.answers] : null;
      draw();
      context.announce(`The answer has ${inWords(answer)}.`);
    } catch (failed) {
      replace(outcome, failed.fields?.position === undefined
        ? problemNotice(failed) : questionError(failed));
      context.announce(spoken(failed), { urgent: true });
    } finally {
      button.disabled = false;
      context.spent();
      changed();
    }
  }

  function draw() {
    if (!draft.drawn) return;
    replace(outcome, h("div", { class: "row spread" }, h("h2", {}, "Answer"),
      h("button", { type: "button", onclick: () => download(`${dataset.name}-cells.csv`,
        answersAsRows([draft.drawn])) }, "Download CSV")),
    h("ul", { class: "answers" }, answerCard(draft.drawn, { context, again: (text) => {
      draft.question = text;
      context.go("ask");
    } })));
  }

  replace(root, h("section", { class: "card" },
    h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); ask(); } },
      h("div", { class: "row fields" }, field("Column", column), field("Show", what)),
      cellsField, weightField,
      h("div", {}, h("p", { class: "hint" }, "The question is"), shown),
      h("div", { class: "row spread top" }, h("div", { class: "price" }, price, error), button))),
  h("section", { class: "card stack results" }, outcome));
  if (kept.cells === undefined) fresh();
  else fill();
  draw();
}
