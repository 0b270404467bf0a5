/** One answer of a list: the question, the value, its interval on the list's axis, what next. */

import { showCertificate } from "./certificate.js";
import { axis, cellsPicture, intervalPicture } from "./charts.js";
import { h } from "./dom.js";
import { interval, moment, number, plural, valued } from "./format.js";

/** The answer in one sentence, for ears and for copying. */
export function inWords(answer) {
  const { kind, value, low, high } = answer;
  if (kind === "share" || kind === "mean") {
    const isShare = kind === "share";
    return `${valued(value, high - low, isShare)}, in the population from `
      + interval(low, high, isShare) + (answer.missing ? `; ${leftOut(answer.missing)}` : "");
  }
  if (kind === "quantile") {
    return `${number(value)}; in the population it is a quantile of a level from `
      + interval(answer.lowest_level, answer.highest_level, true);
  }
  if (kind === "choice") return `no candidate is better by more than ${number(answer.gap)}`;
  return plural(answer.cells.length, "cell");
}

/** How many rows a mean leaves out, because they have no value. */
function leftOut({ value, low, high }) {
  return `missing: ${valued(value, high - low, true)}, ${interval(low, high, true)}`;
}

/** The interval, drawn; what is not a share has an axis of its own, for it is on no other. */
export function picture(answer) {
  const { kind, scale } = answer;
  if (kind === "share") return intervalPicture(answer, [0, 1]);
  if (kind === "mean" && scale) {
    return h("div", {}, intervalPicture(answer, scale, { tone: "own" }), axis(scale, false));
  }
  if (kind === "quantile") {
    const level = answer.level ?? (answer.lowest_level + answer.highest_level) / 2;
    const levels = { value: level, low: answer.lowest_level, high: answer.highest_level };
    return h("div", {}, intervalPicture(levels, [0, 1], { tone: "levels" }),
      axis([0, 1], true, "level"));
  }
  return null;
}

/** The value and its interval, side by side. */
export function figures(answer) {
  const { kind, value, low, high } = answer;
  const isShare = kind === "share";
  if (isShare || kind === "mean") {
    return [h("strong", { class: "value" }, valued(value, high - low, isShare)),
      h("span", { class: "muted" }, interval(low, high, isShare)),
      answer.missing ? h("span", { class: "muted" }, leftOut(answer.missing)) : null];
  }
  if (kind === "quantile") {
    return [h("strong", { class: "value" }, number(value)), h("span", { class: "muted" },
      `level ${interval(answer.lowest_level, answer.highest_level, true)}`)];
  }
  if (kind === "choice") {
    return [h("strong", { class: "mono" }, answer.chosen), h("span", { class: "muted" },
      `none is better by more than ${number(answer.gap)}`)];
  }
  return [h("span", { class: "muted" },
    plural(answer.cells.length, answer.nameless ? "number" : "cell"))];
}

function body(answer) {
  if (answer.nameless || !answer.cells) return null;
  return cellsPicture(answer.cells, { isShare: answer.isShare });
}

function badges(answer) {
  const { guessed } = answer;
  const whose = answer.analyst === undefined ? "" : answer.analyst || "another analyst";
  return [
    answer.replayed ? h("span", { class: "badge good" }, "answered before: free") : null,
    guessed ? h("span", { class: `badge ${guessed.kind}` }, guessed.text) : null,
    whose ? h("span", { class: "badge" }, whose) : null,
    answer.at ? h("time", { class: "hint", datetime: answer.at }, moment(answer.at)) : null,
  ];
}

/**
 * The card; `again(question)` puts a question back, where there is one to put, and
 * `reveal(answer)` asks again for what the history does not tell, which is free.
 */
export function answerCard(answer, { context, again = null, reveal = null }) {
  const title = h("h3", { class: "question mono" }, answer.title);
  return h("li", { class: `answer of-${answer.kind}` },
    h("div", { class: "answer-head" }, title, h("p", { class: "row tight" }, badges(answer))),
    h("div", { class: "answer-line" },
      h("p", { class: "figures" }, figures(answer)), picture(answer)),
    body(answer),
    h("div", { class: "row actions" },
      answer.kind === "choice" || !again ? null : h("button", { type: "button", class: "quiet",
        onclick: () => again(answer.question) },
      "Ask again", h("span", { class: "unseen" }, `: ${answer.title}`)),
      answer.nameless && reveal
        ? h("button", { type: "button", class: "quiet", onclick: () => reveal(answer) },
          "Show the cells (free)") : null,
      answer.digests.map((digest, index) => h("button", {
        type: "button", class: "quiet", onclick: () => showCertificate(digest, context),
      }, answer.digests.length > 1 ? `Certificate, part ${index + 1}` : "Certificate",
      h("span", { class: "unseen" }, ` of ${answer.title}`)))));
}

/** The axis that all shares of a list are drawn on. */
export function sharedAxis() {
  return h("div", { class: "answer-line shared-axis", "aria-hidden": "true" },
    h("span", {}), axis([0, 1], true));
}

/** Whether a guess held, if one was checked. */
export function guessOf(reply) {
  const record = reply.records?.[0];
  if (record?.terms?.kind !== "guess-and-check" || !Array.isArray(record.value)) return null;
  const held = record.value[1] === "0";
  return { kind: held ? "good" : "warn", text: held ? "the guess holds" : "the guess failed" };
}
