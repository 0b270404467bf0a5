/** What is wrong with a question, and where: the place is marked in its text. */

import { h } from "./dom.js";
import { sentence } from "./notice.js";

const AROUND = 60;

/** Positions count characters; strings of this language count parts of them. */
function sliced(text, from, to) {
  return Array.from(text).slice(Math.max(0, from), to).join("");
}

/** The error and its place; `fix(from, to, word)` is offered when it knows a better word. */
export function questionError(error, fix = null) {
  const { problem, text, position, length, hint } = error.fields;
  const end = position + Math.max(1, length);
  const marked = sliced(text, position, end);
  const better = /^did you mean [`'](.+?)[`']\?$/.exec(hint || "");
  return h("div", { class: "question-error" },
    h("p", { class: "mono place" },
      position > AROUND ? "…" : "", sliced(text, position - AROUND, position),
      h("mark", {}, marked || "\u2038"), sliced(text, end, end + AROUND)),
    h("p", {}, sentence(`${problem}, at character ${position + 1}`), " ",
      hint ? sentence(hint).replace(/\?\.$/, "?") : ""),
    better && fix ? h("button", { type: "button", onclick: () => fix(position, end, better[1]) },
      `Use ${better[1]}`) : null);
}

/** The text with the characters from … to replaced. */
export function mended(text, from, to, word) {
  return sliced(text, 0, from) + word + sliced(text, to);
}
