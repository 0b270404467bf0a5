/** Many questions at once: one a line, priced before, charged together or not at all. */

import { figures, picture } from "./answer-card.js";
import { fromReply } from "./answers.js";
import { axis } from "./charts.js";
import { answersAsRows, download } from "./csv.js";
import { field, h, replace, table } from "./dom.js";
import { examples } from "./examples.js";
import { count, number, plural, reach } from "./format.js";
import { notice, problemNotice, spoken } from "./notice.js";
import { mended, questionError } from "./question-error.js";
import { agreement, costOf } from "./spending.js";

const DELAY = 400;
const DRAWN = 500;
const OWN_UNITS = /\bmean\s*\(|\bquantile\s*\(|^\s*\[/i;

const linesOf = (text) => text.split("\n").map((each) => each.trim()).filter(Boolean);

export function render(root, context) {
  const { dataset, draft, api, at, signal } = context;
  if (dataset.checks_guesses) {
    replace(root, notice("plain", "One at a time", h("p", {},
      "Guesses are checked in this data set, each with its question. Use the view Ask.")));
    return;
  }
  const area = h("textarea", { rows: 8, class: "mono", spellcheck: "false",
    autocapitalize: "off", placeholder: examples(dataset).join("\n") });
  area.value = draft.batch || "";
  const price = h("div", { class: "price", role: "status" });
  const outcome = h("div", { class: "stack" });
  const button = h("button", { type: "submit", class: "primary" }, "Ask all");
  let timer = 0;
  let under = null;

  function changed() {
    draft.batch = area.value;
    clearTimeout(timer);
    under?.abort();
    const questions = linesOf(area.value);
    button.disabled = !questions.length;
    if (questions.length) timer = setTimeout(() => priceAll(questions), DELAY);
    else replace(price, h("span", { class: "muted" }, "The price of all is shown here."));
  }

  async function priceAll(questions) {
    const mine = new AbortController();
    under = mine;
    try {
      const said = await api.post(at(dataset.name, "/price"), { questions },
        { signal: mine.signal, free: true });
      area.setAttribute("aria-invalid", "false");
      replace(price, together(said));
    } catch (error) {
      if (!mine.signal.aborted) replace(price, wrong(error));
    }
  }

  function wrong(error) {
    if (error.fields?.position === undefined) return problemNotice(error);
    const lines = area.value.split("\n");
    const line = lines.findIndex((each) => each.trim() === error.fields.text.trim());
    area.setAttribute("aria-invalid", "true");
    const fix = line < 0 ? null : (from, to, word) => {
      lines[line] = mended(error.fields.text, from, to, word);
      area.value = lines.join("\n");
      changed();
    };
    return h("div", {}, line < 0 ? null : h("p", { class: "muted" }, `Line ${line + 1}`),
      questionError(error, fix));
  }

  async function askAll() {
    const questions = linesOf(area.value);
    if (!questions.length || button.disabled) return;
    button.disabled = true;
    const bar = h("progress", { max: questions.length, "aria-label": "progress" });
    const said = h("p", { class: "muted" }, `Asking ${plural(questions.length, "question")}…`);
    replace(outcome, h("div", { class: "stack" }, said, bar));
    context.announce(said.textContent);
    const found = new Array(questions.length);
    try {
      if (!(await agreement(context, { questions })).agreed) {
        showResults();
        context.announce("Not asked: nothing is charged.");
        area.focus();
        return;
      }
      await api.stream(at(dataset.name, "/batch"), { questions }, (line) => {
        if (line.event === "progress" && line.of) {
          bar.max = line.of;
          bar.value = line.done;
          said.textContent = `Reading rows: ${count(line.done)} of ${count(line.of)}`;
        } else if (line.event === "answer") found[line.index] = fromReply(line.answer);
      });
      draft.results = found;
      showResults();
      context.announce(`${plural(found.length, "answer")} came.`);
    } catch (error) {
      if (signal.aborted) return;
      replace(outcome, error.fields?.position === undefined ? problemNotice(error) : wrong(error));
      context.announce(spoken(error), { urgent: true });
    } finally {
      button.disabled = false;
      context.spent();
      changed();
    }
  }

  function showResults() {
    if (!draft.results?.length) {
      replace(outcome);
      return;
    }
    const answers = draft.results;
    replace(outcome, h("div", { class: "row spread" }, h("h2", {}, "Answers"),
      h("button", { type: "button", onclick: () => download(`${dataset.name}-answers.csv`,
        answersAsRows(answers)) }, "Download CSV")),
    results(answers.slice(0, DRAWN)),
    answers.length > DRAWN
      ? h("p", { class: "hint" }, `The first ${DRAWN} are shown; the file has all.`) : null);
  }

  replace(root, h("section", { class: "card" },
    h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); askAll(); } },
      field("Questions, one a line", area, "Charged together or not at all."),
      h("div", { class: "row spread top" }, price, button))),
  h("section", { class: "card stack results" }, outcome));
  area.addEventListener("input", changed);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) askAll();
    }
  });
  document.addEventListener("peekproof-insert", (event) => {
    event.preventDefault();
    area.setRangeText(event.detail, area.selectionStart, area.selectionEnd, "end");
    area.focus();
    changed();
  }, { signal });
  signal.addEventListener("abort", () => { clearTimeout(timer); under?.abort(); });
  changed();
  showResults();
}

/** What all would cost, and what of it is free; the same question twice is paid for once. */
function together({ prices, remaining }) {
  const fresh = new Map(prices.filter((each) => !each.known).map((each) => [each.digest, each]));
  const free = prices.length - fresh.size;
  const costs = costOf(prices);
  // Radii of means and quantiles are in units of their own; within groups, they depend on these.
  const shares = [...fresh.values()]
    .filter((each) => !OWN_UNITS.test(each.question) && each.least === each.radius);
  const widest = Math.max(0, ...shares.map((each) => each.radius));
  const parts = [h("strong", {}, plural(prices.length, "question")), ": "];
  if (!fresh.size) return [...parts, h("span", { class: "badge good" }, "all free")];
  parts.push("costs ", h("strong", {}, number(costs)),
    widest ? [", shares within ", h("strong", {}, reach(widest))] : "", ".");
  if (free) parts.push(` ${count(free)} of them free.`);
  parts.push(costs > remaining + 1e-9
    ? [" ", h("strong", { class: "bad-text" }, `More than the ${count(remaining)} left for you.`)]
    : ` ${count(remaining)} left.`);
  return parts;
}

function results(answers) {
  const onShares = answers.some((each) => each.kind === "share");
  const rows = answers.map((each) => [h("span", { class: "mono" }, each.title),
    h("p", { class: "figures" }, figures(each)), picture(each), each.replayed ? "free" : "new"]);
  const heading = h("span", {}, h("span", {}, "Interval"), onShares ? axis([0, 1], true) : null);
  return table({ caption: "Answers in the order of the questions", hiddenCaption: true,
    columns: ["Question", "Answer", heading, "Price"], rows });
}
