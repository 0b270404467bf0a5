/** Before anything is charged: the price of exactly what is sent, and a question if it is dear. */

import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { number, plural } from "./format.js";

/** What prices cost together, in questions; the same question twice is paid for once. */
export function costOf(prices) {
  const fresh = new Map(prices.filter((each) => !each.known).map((each) => [each.digest, each]));
  const sum = [...fresh.values()].reduce((all, each) => all + each.questions, 0);
  return Math.ceil(sum * 100 - 1e-6) / 100; // never less than it is
}

/** "80 questions", never fewer than it costs, or "nothing". */
export function inQuestions(cost) {
  if (cost === 0) return "nothing";
  const shown = cost > 10 ? Math.ceil(cost) : cost;
  return shown === 1 ? "1 question" : `${number(shown)} questions`;
}

/**
 * Read the price of `questions`, with whatever else the request will have, and resolve to
 * {cost, agreed}. Where the gateway says that it is dear, whoever asks is told the price and has
 * to agree. Throws what is wrong with the questions.
 */
export async function agreement(context, body) {
  const path = context.at(context.dataset.name, "/price");
  const { signal } = context;
  const { prices, remaining, dear } = await context.api.post(path, body, { signal, free: true });
  const cost = costOf(prices);
  return { cost, agreed: !dear || await confirmed(cost, remaining, context) };
}

function confirmed(cost, remaining, { signal }) {
  return new Promise((resolve) => {
    let agreed = false;
    const words = inQuestions(cost);
    const go = h("button", { type: "button", class: "primary", onclick: () => {
      agreed = true;
      dialog.close();
    } }, `Ask for ${words}`);
    const dialog = openDialog({
      title: `This costs ${words}`, actions: [go], onclose: () => resolve(agreed && !signal.aborted),
      content: [
        h("p", {}, `You have ${plural(remaining, "question")} left. `, cost > remaining
          ? h("strong", { class: "bad-text" }, "That is not enough.")
          : `${plural(Math.max(0, Math.floor(remaining - cost + 1e-6)), "question")} would remain.`),
        h("p", { class: "hint" }, "Nothing is charged yet."),
      ],
    });
    // Not on the other one: whoever presses Enter twice has not read the price.
    const cancel = dialog.element.querySelector(".dialog-foot > button:last-child");
    cancel.textContent = "Cancel";
    cancel.focus();
    signal.addEventListener("abort", dialog.close);
  });
}
