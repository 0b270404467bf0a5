/** Answers in one shape, whether they come from asking, from a batch or from the history. */

import { readable } from "./readable.js";

/**
 * @typedef {object} Shown
 * @property {string} question  as it was asked
 * @property {string} title     for reading
 * @property {string[]} digests of what was drawn for it
 * @property {"share"|"mean"|"cells"|"groups"|"quantile"|"choice"} kind
 * @property {number} [value]
 * @property {number} [low]
 * @property {number} [high]
 * @property {[number, number]} [scale] where a mean can lie
 * @property {boolean} isShare  whether its numbers are shares of something
 * @property {object[]} [cells]
 * @property {boolean} replayed
 * @property {object} raw
 */

const quotient = (text) => {
  const [over, under = "1"] = text.split("/");
  return Number(over) / Number(under);
};

function scaleOf(terms) {
  if (!terms || terms.low === undefined || terms.high === undefined) return null;
  return [quotient(terms.low), quotient(terms.high)];
}

// Means are rounded to levels between their bounds; shares need none.
const ofShares = (terms) => terms?.levels === undefined && scaleOf(terms) === null;

/** The reply to a question. @returns {Shown} */
export function fromReply(reply) {
  const terms = reply.records[0]?.terms;
  const scale = scaleOf(terms);
  const numeric = scale ? "mean" : "share";
  const kinds = { number: numeric, conditional: numeric, histogram: "cells", grouped: "groups",
    quantile: "quantile", choice: "choice" };
  return {
    ...reply, raw: reply, kind: kinds[reply.kind], scale, isShare: ofShares(terms),
    title: readable(reply.question), digests: reply.records.map((each) => each.digest), at: null,
  };
}

/** An answer of the history. If its cells have no names, asking again, which is free, tells them. */
export function fromPast(past) {
  const { terms } = past.record;
  const scale = scaleOf(terms);
  let kind = scale ? "mean" : "share";
  if (past.found.cells) kind = "cells";
  else if (past.found.lowest_level !== undefined) kind = "quantile";
  else if (past.found.chosen !== undefined) kind = "choice";
  return {
    ...past.found, raw: past, kind, scale, isShare: ofShares(terms), question: past.question,
    title: readable(past.question), digests: [past.digest], replayed: false, at: past.at,
    analyst: past.analyst, draws: past.draws, number: past.number,
    level: terms.level ? quotient(terms.level) : null,
    nameless: Boolean(past.found.cells) && past.found.cells[0].label === undefined,
  };
}
