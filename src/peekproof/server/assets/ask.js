/** The view to ask in: one question at a time, its price before, its answer below. */

import { answerCard, guessOf, inWords, sharedAxis } from "./answer-card.js";
import { fromPast, fromReply } from "./answers.js";
import { newKey, Unreachable } from "./api.js";
import { completing, insert } from "./complete.js";
import { field, fresh, h, replace } from "./dom.js";
import { examples } from "./examples.js";
import { busy, problemNotice, spoken } from "./notice.js";
import { livePrice } from "./price.js";
import { mended, questionError } from "./question-error.js";
import { isScore } from "./readable.js";
import { agreement, inQuestions } from "./spending.js";

const RECENT = 10;

export function render(root, context) {
  const { draft } = context;
  draft.answers ||= null;
  const list = h("ul", { class: "answers" });
  const form = askForm(context, (answer) => {
    const same = answer.digests.join();
    draft.answers = [answer,
      ...(draft.answers || []).filter((each) => each.digests.join() !== same)];
    drawList();
  });

  function drawList() {
    const shown = draft.answers || [];
    replace(list, shown.map((each) => answerCard(each, {
      context, again: isScore(each.question) ? null : form.put, reveal: form.reveal,
    })));
    replace(recent, h("h2", {}, "Answers"), shown.length
      ? [sharedAxis(), list] : h("p", { class: "muted" }, "None yet."));
  }

  const recent = h("section", { class: "card stack" }, h("h2", {}, "Answers"));
  replace(root, form.element, recent);
  if (draft.answers) drawList();
  else {
    replace(recent, h("h2", {}, "Answers"), busy("Reading your answers…"));
    lately(context).then((found) => {
      draft.answers = [...(draft.answers || []), ...found];
      drawList();
    }).catch((error) => {
      if (!context.signal.aborted) replace(recent, h("h2", {}, "Answers"), problemNotice(error));
    });
  }
}

/** My last answers, newest first. */
async function lately({ api, at, dataset, signal, visitor }) {
  const { total } = await api.get(at(dataset.name, "/answers?limit=0"), { signal });
  const after = Math.max(0, total - 50);
  const path = at(dataset.name, `/answers?after=${after}&limit=50`);
  const { answers } = await api.get(path, { signal });
  return answers.filter((each) => each.analyst === visitor.analyst).slice(-RECENT).reverse()
    .map(fromPast).map((each) => ({ ...each, analyst: undefined }));
}

function askForm(context, answered) {
  const { dataset, draft } = context;
  const errorId = fresh("error");
  const priceId = fresh("price");
  const area = h("textarea", { id: fresh("question"), rows: 2, maxlength: 100000, class: "mono",
    "aria-describedby": `${priceId} ${errorId}`, placeholder: examples(dataset)[0] || "" });
  area.value = draft.question || "";
  const error = h("div", { id: errorId });
  const price = h("p", { id: priceId });
  const outcome = h("div", {});
  const button = h("button", { type: "submit", class: "primary" }, "Ask");
  const extra = extras(dataset, draft, changed);
  const follow = livePrice(price, context, (found) => point(found, { calm: true }));

  function body() {
    const question = area.value.trim();
    return question ? { question, ...extra.values(question) } : null;
  }

  function changed() {
    draft.question = area.value;
    const asked = body();
    follow(asked && toPrice(asked));
  }

  // While words are offered, an unfinished one is no error yet.
  let held = false;

  function point(found, { calm }) {
    held = Boolean(found) && calm && area.getAttribute("aria-expanded") === "true";
    if (held) {
      replace(price, h("span", { class: "muted" }, "Choose a word, or go on typing."));
      price.hidden = false;
      replace(error);
      return;
    }
    area.setAttribute("aria-invalid", found && !calm ? "true" : "false");
    error.className = calm ? "calm" : "";
    price.hidden = Boolean(found); // there is none while it cannot be read
    replace(error, found ? questionError(found, (from, to, word) => {
      put(mended(found.fields.text, from, to, word));
    }) : null);
  }

  function put(question) {
    area.value = question;
    area.focus();
    area.scrollIntoView({ block: "nearest" });
    replace(outcome);
    changed();
  }

  async function ask(asked) {
    if (!asked || button.disabled) return;
    button.disabled = true;
    button.textContent = "Asking…";
    context.announce("Asking…");
    try {
      if (await agreed(asked)) await send(asked);
      else withdrawn();
    } catch (failed) {
      failure(failed);
    } finally {
      button.disabled = false;
      button.textContent = "Ask";
      context.spent();
      changed();
    }
  }

  // What was typed a moment ago may have no price yet: it is read for exactly this.
  async function agreed(asked) {
    replace(outcome, busy("Reading the price…"));
    const found = await agreement(context, toPrice(asked));
    if (found.agreed) replace(outcome, busy(`Asking. It costs ${inQuestions(found.cost)}…`));
    return found.agreed;
  }

  async function send(asked) {
    try {
      const path = context.at(dataset.name, "/ask");
      const reply = await context.api.post(path, asked, { key: keyOf(draft, asked) });
      draft.sent = null;
      const answer = { ...fromReply(reply), guessed: guessOf(reply) };
      replace(outcome);
      answered(answer);
      context.announce(`Answer: ${inWords(answer)}`);
    } catch (failed) {
      if (!(failed instanceof Unreachable)) draft.sent = null;
      throw failed;
    }
  }

  function withdrawn() {
    replace(outcome);
    context.announce("Not asked: nothing is charged.");
    area.focus();
  }

  function failure(failed) {
    if (failed.fields?.position !== undefined) {
      replace(outcome);
      point(failed, { calm: false });
      area.focus();
    } else replace(outcome, problemNotice(failed));
    context.announce(spoken(failed), { urgent: true });
  }

  const element = h("section", { class: "card" },
    h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); ask(body()); } },
      h("div", { class: "field" }, h("label", { for: area.id }, "Your question"),
        completing(area, dataset.columns)),
      extra.guesses,
      h("div", { class: "row spread top" }, h("div", { class: "price" }, price, error),
        h("div", { class: "row" },
          h("span", { class: "hint keys", "aria-hidden": "true" }, "Ctrl + Enter"), button)),
      outcome, extra.more, exampleChips(dataset, put)));

  area.addEventListener("input", changed);
  area.addEventListener("words-closed", () => { if (held) changed(); });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) ask(body());
    }
  });
  document.addEventListener("peekproof-insert", (event) => {
    event.preventDefault();
    area.focus();
    insert(area, event.detail);
  }, { signal: context.signal });
  changed();
  return { element, put, reveal: (answer) => ask({ question: answer.question }) };
}

/** The body of a price request for the body of a question. */
const toPrice = ({ question, ...rest }) => ({ questions: [question], ...rest });

/** The same request keeps its key until it has a reply, so that asking again is safe. */
function keyOf(draft, asked) {
  const text = JSON.stringify(asked);
  if (draft.sent?.text !== text) {
    draft.sent = { text, key: newKey() };
  }
  return draft.sent.key;
}

function exampleChips(dataset, put) {
  const found = examples(dataset);
  return h("div", { class: "row chips" }, h("span", { class: "hint" }, "For example"),
    found.map((each) => h("button", { type: "button", class: "chip mono",
      onclick: () => put(each) }, each)));
}

/** A radius of one's own; a guess and its tolerance where guesses are checked. */
function extras(dataset, draft, changed) {
  const asNumber = (name, label, hint) => {
    const input = h("input", { type: "text", inputmode: "decimal", value: draft[name] || "",
      autocomplete: "off", oninput: () => { draft[name] = input.value; changed(); } });
    return { input, element: field(label, input, hint) };
  };
  const value = ({ input }) => {
    const found = Number(input.value.trim().replace(",", "."));
    const right = input.value.trim() !== "" && Number.isFinite(found);
    input.setAttribute("aria-invalid", input.value.trim() && !right ? "true" : "false");
    return right ? found : undefined;
  };
  const radius = asNumber("radius", "A radius of your own",
    "How far the interval may reach, in the units of the answer. Wider is cheaper. "
    + "Left out, it is the planned one.");
  const guess = asNumber("guess", "Your guess", "What you expect the answer to be.");
  const tolerance = asNumber("tolerance", "Tolerance", "How far off a guess may be. Optional.");
  const given = dataset.opening.mechanism?.tolerance !== undefined;
  const checks = dataset.checks_guesses;
  return {
    guesses: checks ? h("div", { class: "row fields" }, guess.element,
      given ? null : tolerance.element) : null,
    more: checks ? null : h("details", { open: Boolean(draft.radius) },
      h("summary", {}, "More"), radius.element),
    values(question) {
      if (checks) return { guess: value(guess), tolerance: given ? undefined : value(tolerance) };
      const own = value(radius);
      const quantile = /^\s*(\[\s*")?quantile\s*[("]/i.test(question);
      return own === undefined ? {} : { [quantile ? "loss" : "radius"]: own };
    },
  };
}
