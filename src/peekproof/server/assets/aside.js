/** Beside every view: the budget over time, and the columns that can be asked about. */

import { burnDown } from "./burndown.js";
import { h, replace } from "./dom.js";
import { count, plural, share } from "./format.js";
import { nameOf } from "./words.js";

/** The part beside a view of a data set. */
export function aside(dataset, context) {
  return h("aside", { class: "beside stack", "aria-label": "Budget and columns" },
    budgetCard(context), columnsCard(dataset, context));
}

function budgetCard(context) {
  const chart = h("div", {});
  const facts = h("dl", { class: "facts" });
  context.onBudget((budget, moments) => {
    replace(chart, burnDown(budget, moments));
    replace(facts, factsOf(budget).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  });
  return h("section", { class: "card stack" }, h("h2", {}, "Budget"), chart, facts);
}

function factsOf(budget) {
  const facts = [
    ["Left for you", plural(budget.remaining, "question")],
    ["Left for all", plural(budget.remaining_for_all, "question")],
    ["Paid for so far", `${count(budget.asked)} of ${count(budget.questions)}`],
  ];
  if (budget.remaining_rounds !== null) facts.push(["Rounds left", count(budget.remaining_rounds)]);
  if (budget.failures !== null) facts.push(["Failed guesses", count(budget.failures)]);
  if (budget.share !== null) facts.push(["Your share", `${budget.share} of the budget`]);
  facts.push(["Next share", budget.next_width]);
  facts.push(["Spent", share(budget.spent_part)]);
  return facts;
}

function columnsCard(dataset, context) {
  const items = dataset.columns.map((column) => h("li", {},
    h("button", {
      type: "button", class: "column", title: "put it into the question",
      onclick: () => insert(nameOf(column.name), context),
    }, h("span", { class: "mono" }, column.name), h("span", { class: "badge" }, column.kind)),
    column.categories ? h("p", { class: "hint" }, shortList(column.categories)) : null));
  return h("section", { class: "card stack" }, h("h2", {}, "Columns"),
    h("ul", { class: "column-list" }, items));
}

// A view with a question takes the name; from any other, it goes to the question.
function insert(name, context) {
  const event = new CustomEvent("peekproof-insert", { detail: name, cancelable: true });
  if (!document.dispatchEvent(event)) return;
  context.draft.question = `${context.draft.question || ""} ${name}`.trim();
  context.go("ask");
}

function shortList(categories) {
  const most = 8;
  const first = categories.slice(0, most).join(", ");
  const rest = categories.length - most;
  return rest > 0 ? `${first} and ${count(rest)} more` : first;
}
