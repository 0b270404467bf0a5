/** All answers so far, newest first: mine or everyone's, searched, asked again, certified. */

import { answerCard, sharedAxis } from "./answer-card.js";
import { fromPast, fromReply } from "./answers.js";
import { field, h, replace } from "./dom.js";
import { count, plural } from "./format.js";
import { busy, problemNotice } from "./notice.js";
import { isScore } from "./readable.js";

const PAGE = 50;

export function render(root, context) {
  const { draft, visitor, at, api, dataset, signal } = context;
  const list = h("ul", { class: "answers" });
  const foot = h("div", { class: "stack" });
  const told = h("p", { class: "muted", role: "status" });
  let read = []; // newest first
  let total = 0;
  let next = null; // how many of the oldest are not read yet

  const search = h("input", { type: "search", value: draft.search || "", autocomplete: "off",
    oninput: () => { draft.search = search.value; draw(); } });
  const whose = h("select", { onchange: () => { draft.whose = whose.value; draw(); } },
    [["everyone", "Everyone"], ["mine", "Mine"]].map(([value, text]) => h("option",
      { value, selected: value === (draft.whose || "everyone") }, text)));

  function fits(answer) {
    if (whose.value === "mine" && answer.analyst !== visitor.analyst) return false;
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = `${answer.title} ${answer.question} ${answer.analyst || ""}`.toLowerCase();
    return words.every((each) => text.includes(each));
  }

  function draw() {
    const shown = read.filter(fits);
    replace(list, shown.map((each) => answerCard(each, {
      context, again: isScore(each.question) ? null : again, reveal,
    })));
    const whole = next === 0 ? plural(total, "answer")
      : `the last ${count(read.length)} of ${plural(total, "answer")}`;
    told.textContent = total === 0 ? "Nothing was asked yet."
      : `${count(shown.length)} shown, out of ${whole}.`;
    replace(foot, next
      ? h("button", { type: "button", onclick: older }, "Read older answers") : null);
  }

  function again(question) {
    draft.question = question;
    context.go("ask");
  }

  // It was answered, so it is free; the reply names the cells.
  async function reveal(answer) {
    try {
      const { question } = answer;
      const reply = await api.once(at(dataset.name, "/ask"), { question }, { signal });
      const { at: when, analyst } = answer;
      read = read.map((each) => (each === answer
        ? { ...fromReply(reply), at: when, analyst, replayed: false } : each));
      draw();
    } catch (error) {
      if (!signal.aborted) replace(foot, problemNotice(error));
    }
  }

  async function page(after, limit) {
    return api.get(at(dataset.name, `/answers?after=${after}&limit=${limit}`), { signal });
  }

  async function older() {
    replace(foot, busy("Reading…"));
    try {
      const from = Math.max(0, next - PAGE);
      const found = await page(from, next - from);
      read = [...read, ...found.answers.reverse().map(fromPast)];
      next = from;
      draw();
    } catch (error) {
      if (!signal.aborted) replace(foot, problemNotice(error, h("button", { type: "button",
        onclick: older }, "Retry")));
    }
  }

  // What others asked since comes on top.
  async function newer() {
    const found = await page(total, 1000);
    if (!found.answers.length) return;
    read = [...found.answers.reverse().map(fromPast), ...read];
    total = found.total;
    draw();
  }

  async function begin() {
    total = (await page(0, 0)).total;
    next = total;
    await older();
    let asked = null;
    context.onBudget((budget) => {
      if (asked !== null && budget.asked !== asked) newer().catch(() => null);
      asked = budget.asked;
    });
  }

  replace(root, h("section", { class: "card stack" }, h("h2", {}, "All answers so far"),
    h("div", { class: "row fields" }, field("Search", search), field("Whose", whose)),
    told, sharedAxis(), list, foot));
  replace(foot, busy("Reading…"));
  begin().catch((error) => { if (!signal.aborted) replace(foot, problemNotice(error)); });
}
