/** Notices: what went wrong and what to do, or that something is at work. */

import { Problem, Unreachable } from "./api.js";
import { h } from "./dom.js";

const TITLES = {
  unauthenticated: "This token is not valid",
  "budget-exhausted": "The budget is used up",
  "share-exhausted": "Your share is used up",
  "rounds-exhausted": "All rounds are used up",
  "failures-exhausted": "All failed guesses are used up",
  "ledger-closed": "This data set is closed",
  "too-many-requests": "Too many requests",
  "not-allowed": "Not allowed",
  "not-served": "Not found",
  "gateway-unavailable": "The gateway cannot answer now",
  "too-large": "Too long",
};

/** A box with a heading and words; `kind` is "bad", "good", "warn" or "plain". */
export function notice(kind, title, ...children) {
  return h("div", { class: `notice ${kind}` },
    title ? h("p", { class: "notice-title" }, title) : null, children);
}

/** What happened, for any error; `more` may hold buttons. */
export function problemNotice(error, ...more) {
  if (error instanceof Unreachable) {
    return notice("bad", "The gateway cannot be reached",
      h("p", {}, "What you typed is still here. Asking again is safe: a question that was ",
        "answered in the meantime is free."), more);
  }
  if (error instanceof Problem) {
    const kind = error.status === 409 ? "warn" : "bad";
    return notice(kind, titleOf(error), h("p", {}, sentence(error.message)), more);
  }
  return notice("bad", "Something went wrong on this page", h("p", {}, String(error)), more);
}

function titleOf(problem) {
  return TITLES[problem.kind] || (problem.status === 409 ? "Refused" : "That did not work");
}

/** What a notice says, to be read aloud. */
export function spoken(error) {
  const aboutText = error.fields?.position !== undefined; // shown at the question, without a title
  const title = error instanceof Problem && !aboutText ? `${titleOf(error)}. ` : "";
  return title + sentence(error.message);
}

/** The first line of a problem's detail as a sentence. */
export function sentence(text) {
  const line = String(text).split("\n")[0].trim().replace(/^refused: /, "");
  const ended = /[.!?…]$/.test(line) ? line : `${line}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** A line that says that something is at work. */
export function busy(text) {
  return h("p", { class: "busy" }, h("span", { class: "spinner", "aria-hidden": "true" }), text);
}
