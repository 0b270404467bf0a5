/** One attack, told side by side: the plain way and the mechanism, on one axis. */

import { h, s, table } from "./dom.js";
import { capital, count, number, plural, share } from "./format.js";
import { mechanismName } from "./mechanisms.js";

const STRIP = 34;
const AXIS = 24;
const PAD = 0.06;
const TOO_NARROW = 0.02; // of what is drawn

// Opponents of these kinds have limits of their own, because an attack names none.
const TEN = {
  rounds: "The copy has ten rounds, however many are configured here; each question takes one.",
  "limited-checking": "In the copy ten guesses may fail, however many may here.",
  thresholdout: "In the copy ten guesses may be corrected, however many may here.",
};

/** {element, summary}: the picture, the numbers and the words for what POST …/attacks said. */
export function duel(found) {
  const summary = `${verdict(found.plain, "The plain interval")} ${verdict(found.ours, "Ours")}`;
  const both = [found.plain, found.ours].filter((each) => each.claim);
  return { summary, element: h("div", { class: "duel stack" },
    both.length ? picture(found, summary) : null,
    h("div", { class: "told" }, numbers(found), h("div", { class: "stack" },
      words("What this shows", shown(found)),
      words("What it does not show", notShown(found))))) };
}

function verdict(side, name) {
  if (!side.applies) return `${name} does not answer such questions.`;
  if (side.refusal) return `${name} would not begin.`;
  if (!side.claim) return `${name}: the last question was refused.`;
  return `${name} ${side.claim.holds ? "holds the truth." : "misses the truth."}`;
}

/** From the least to the greatest of all ends, as places in percent of the width. */
function scaleOf(sides) {
  const ends = sides.flatMap(({ claim }) => [claim.low, claim.high, claim.truth]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = (high - low || 1) * PAD;
  const place = (value) => `${((100 * (value - low + pad)) / (high - low + 2 * pad)).toFixed(3)}%`;
  return { low, high, place, span: high - low };
}

function picture(found, summary) {
  const sides = ["plain", "ours"].map((kind) => ({ ...found[kind], kind }))
    .filter((each) => each.claim);
  const scale = scaleOf(sides);
  return h("figure", { class: "duel-picture", role: "img", "aria-label": summary },
    sides.map((each) => side(each, scale)), axis(scale),
    h("figcaption", { class: "legend" },
      key("what exact answers claim", "plain"), key("what this configuration claims", "ours"),
      key("the truth of the population", "truth")));
}

function side({ kind, claim, mechanism }, { place, span }) {
  const middle = STRIP / 2;
  const narrow = claim.high - claim.low < TOO_NARROW * span;
  const name = kind === "plain" ? "Exact answers with a textbook interval"
    : `This configuration: ${mechanismName(mechanism)}`;
  const line = (x1, x2, y1, y2, what) => s("line", { x1, x2, y1, y2, class: what });
  const [low, high, truth] = [claim.low, claim.high, claim.truth].map(place);
  return h("div", { class: "duel-side" },
    h("p", {}, h("strong", {}, name), " ",
      h("span", { class: claim.holds ? "badge good" : "badge bad" },
        claim.holds ? "holds the truth" : "misses the truth"),
      narrow ? h("span", { class: "hint" }, " almost too narrow to be seen here") : null),
    s("svg", { height: STRIP, "aria-hidden": "true" },
      line(truth, truth, 0, STRIP, "truth"),
      line(low, high, middle, middle, kind),
      line(low, low, middle - 7, middle + 7, kind), line(high, high, middle - 7, middle + 7, kind),
      s("circle", { cx: place(claim.value), cy: middle, r: narrow ? 2.5 : 5.5, class: kind })));
}

function axis({ low, high, place }) {
  const step = niceStep((high - low) / 5);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const ticks = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) ticks.push(at * step);
  return s("svg", { height: AXIS, "aria-hidden": "true" },
    s("line", { x1: "0%", x2: "100%", y1: 1, y2: 1, class: "rule" }),
    ticks.map((value) => [
      s("line", { x1: place(value), x2: place(value), y1: 1, y2: 6, class: "rule" }),
      s("text", { x: place(value), y: 20, "text-anchor": "middle", class: "tick" },
        value.toFixed(digits)),
    ]));
}

function niceStep(least) {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * 0.999);
}

function key(text, kind) {
  const mark = kind === "truth"
    ? s("line", { x1: 9, x2: 9, y1: 0, y2: 14, class: kind })
    : [s("line", { x1: 0, x2: 18, y1: 7, y2: 7, class: kind }),
      s("circle", { cx: 9, cy: 7, r: 4, class: kind })];
  return h("span", {}, s("svg", { width: 18, height: 14, "aria-hidden": "true" }, mark), text);
}

function numbers(found) {
  const both = [found.plain, found.ours];
  const row = (name, cell) => [h("span", { class: "muted" }, name), ...both.map(cell)];
  const claimed = (read) => ({ claim }) => (claim ? read(claim, places(claim)) : "–");
  return table({
    caption: "The last question, and all of them", hiddenCaption: true,
    columns: ["", "Exact answers", capital(mechanismName(found.ours.mechanism))],
    rows: [
      row("Claimed", claimed((claim) => claim.value.toFixed(4))),
      row("Interval", claimed((claim, digits) => (
        `${down(claim.low, digits)} to ${up(claim.high, digits)}`))),
      row("Truth", claimed((claim, digits) => claim.truth.toFixed(digits))),
      row("Error", claimed((claim) => claim.error.toFixed(4))),
      row("Holds", claimed((claim) => h("strong", { class: claim.holds ? "holds" : "misses" },
        claim.holds ? "yes" : "no"))),
      row("Answered", ({ answered, asked }) => `${count(answered)} of ${count(asked)}`),
      row("Intervals that missed", ({ missed }) => count(missed)),
    ],
  });
}

// Outwards, but not by a whole step for the last bit of a double.
const up = (value, digits) => stepped(Math.ceil(value * 10 ** digits - 1e-9), digits);
const down = (value, digits) => stepped(Math.floor(value * 10 ** digits + 1e-9), digits);
const stepped = (steps, digits) => (steps / 10 ** digits).toFixed(digits);

/** Four digits, or as many as show an interval that misses by less to miss. */
function places(claim) {
  for (let digits = 4; digits < 13; digits += 1) {
    const told = Number(claim.truth.toFixed(digits));
    const [low, high] = [down(claim.low, digits), up(claim.high, digits)].map(Number);
    const inside = low <= told && told <= high;
    if (inside === claim.holds) return digits;
  }
  return 13;
}

function words(title, sentences) {
  return h("div", {}, h("h3", {}, title), h("ul", {}, sentences.map((each) => h("li", {}, each))));
}

function shown({ plain, ours, predicted, rows, asks }) {
  const told = [`On ${plural(rows, "made-up row")}, after up to ${plural(asks, "question")}, the `
    + `sample should overstate the last one by about ${number(predicted, 3)}; exact answers `
    + "repeat it."];
  if (plain.claim) {
    told.push(plain.claim.holds
      ? "In this run the plain interval holds the truth all the same: another seed, or more "
        + "questions, may break it."
      : `The plain way claims ${plain.claim.value.toFixed(4)} where the truth is `
        + `${plain.claim.truth.toFixed(4)}, and its interval does not reach there.`);
  }
  told.push(...outcomeOf(ours));
  if (plain.claim && ours.claim) told.push(width(plain.claim, ours.claim));
  return told;
}

function outcomeOf(ours) {
  if (!ours.applies) return ["This configuration does not answer such questions."];
  if (ours.refusal) {
    const why = ours.refusal.replace(/^refused: /, "");
    return [`This configuration would not begin: ${why}.`];
  }
  if (ours.missed) {
    return [`${plural(ours.missed, "interval")} of this configuration missed. The promise allows `
      + "that once in a while; see with other seeds that it stays so rare."];
  }
  const all = `All ${plural(ours.answered, "interval")} of this configuration hold`;
  return [ours.claim ? `${all}, the last one too.` : `${all}; the last question was refused.`];
}

function width(plain, ours) {
  const times = (ours.high - ours.low) / (plain.high - plain.low);
  return `That has a price: its interval is ${number(times, 2)} times as wide as the plain one, `
    + "which is narrow because it ignores that questions were chosen by answers.";
}

function notShown(found) {
  const miss = share(1 - found.confidence);
  const told = [
    "One run is an example, not a proof. The guarantee is a theorem's: all intervals together "
    + `hold with probability ${found.confidence}, and in up to ${miss} of all conversations one `
    + "may miss.",
    "Nothing about the rows that are held here: they took no part, and their ledger has no entry "
    + "of it.",
  ];
  if (TEN[found.ours.mechanism]) told.push(TEN[found.ours.mechanism]);
  const { rows, questions, held_rows: heldRows, held_questions: heldQuestions } = found;
  if (rows < heldRows || questions < heldQuestions) {
    told.push(`The copy is smaller, so that it takes seconds: ${count(rows)} of ${count(heldRows)} `
      + `rows, ${count(questions)} of ${count(heldQuestions)} questions. Its intervals have the `
      + "widths of that size.");
  }
  return told;
}
