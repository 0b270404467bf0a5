/** The price of what is being typed, told while it is typed. Free; older requests are dropped. */

import { h, replace } from "./dom.js";
import { number, plural } from "./format.js";
import { sentence } from "./notice.js";

const DELAY = 250;

/**
 * Follow a question: call `changed(body)` on every change, with the body of a price request or
 * null. `told(error)` gets the error of the question, or null.
 */
export function livePrice(element, context, told) {
  let timer = 0;
  let under = null;

  function stop() {
    clearTimeout(timer);
    under?.abort();
  }

  async function ask(body) {
    const mine = new AbortController();
    under = mine;
    try {
      const path = context.at(context.dataset.name, "/price");
      const said = await context.api.post(path, body, { signal: mine.signal, free: true });
      told(null);
      replace(element, priced(said.prices[0], said.remaining));
    } catch (error) {
      if (mine.signal.aborted) return;
      replace(element, unpriced(error, body));
      told(error.fields?.position !== undefined ? error : null);
    }
  }

  context.signal.addEventListener("abort", stop);
  return function changed(body) {
    stop();
    if (body) timer = setTimeout(() => ask(body), DELAY);
    else {
      replace(element, h("span", { class: "muted" }, "The price is shown here before you ask."));
      told(null);
    }
  };
}

/** One price in words. */
export function priced(price, remaining) {
  if (price.known) {
    return [h("span", { class: "badge good" }, "free"),
      " Answered before: asking again costs nothing. The interval reaches ",
      h("strong", {}, price.width), "."];
  }
  const costs = Math.abs(price.questions - 1) < 1e-9 ? "1 question"
    : `${number(Math.ceil(price.questions * 100 - 1e-9) / 100)} questions`;
  const left = price.affordable === 0
    ? [" ", h("strong", { class: "bad-text" }, "More than is left for you.")]
    : ` ${plural(remaining, "question")} left.`;
  // How far it reaches depends on the form: on the group's share, or on what becomes of a guess.
  return ["Costs ", h("strong", {}, costs), ". The width of its interval: ",
    h("strong", {}, price.width), ".", left];
}

function unpriced(error, body) {
  if (error.fields?.position !== undefined) return h("span", { class: "muted" }, "No price yet.");
  if (error.fields?.argument === "guess" && body.guess === undefined) {
    return h("span", { class: "muted" }, "Say what you expect: guesses are checked here.");
  }
  return h("span", { class: "bad-text" }, sentence(error.message));
}
