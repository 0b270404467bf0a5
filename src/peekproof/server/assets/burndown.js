/** How the budget went: what was left after every charge, over time. */

import { fresh, h, s } from "./dom.js";
import { moment, plural, share } from "./format.js";

const WIDTH = 320;
const HEIGHT = 150;
const LEFT = 38;
const BOTTOM = 22;
const TOP = 8;

const across = (part) => LEFT + part * (WIDTH - LEFT - 6);
const down = (left) => TOP + (1 - left) * (HEIGHT - TOP - BOTTOM);

/** The picture with its legend; `moments` as GET …/spending gives them. */
export function burnDown(budget, moments) {
  const title = fresh("burn");
  const words = said(budget, moments);
  const part = budget.share === null || !budget.questions ? null
    : Math.min(1, budget.remaining / budget.questions);
  return h("figure", { class: "burn" },
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": title },
      s("title", { id: title }, words), frame(moments), steps(moments),
      part === null ? null : s("line", {
        x1: across(0), x2: across(1), y1: down(part), y2: down(part), class: "mine",
      })),
    h("figcaption", { class: "legend" },
      key("left", "left for all"), part === null ? null : key("mine", "left of your share")));
}

function key(kind, text) {
  return h("span", {}, s("svg", { width: 22, height: 8, "aria-hidden": "true" },
    s("line", { x1: 0, x2: 22, y1: 4, y2: 4, class: kind })), text);
}

function frame(moments) {
  const levels = [0, 0.5, 1].map((each) => [
    s("line", { x1: across(0), x2: across(1), y1: down(each), y2: down(each), class: "rule" }),
    s("text", { x: LEFT - 6, y: down(each) + 4, "text-anchor": "end", class: "tick" },
      `${each * 100}%`),
  ]);
  const first = moments[0] && moment(moments[0].at);
  return [levels,
    s("text", { x: across(0), y: HEIGHT - 5, class: "tick" }, first || "nothing spent yet"),
    s("text", { x: across(1), y: HEIGHT - 5, "text-anchor": "end", class: "tick" }, "now")];
}

function steps(moments) {
  const times = moments.map((each) => Date.parse(each.at));
  const begin = times[0] ?? 0;
  const end = Math.max(Date.now(), begin + 1000);
  const points = [[across(0), down(1)]];
  moments.forEach((each, index) => {
    const x = across(Math.min(1, Math.max(0, (times[index] - begin) / (end - begin))));
    points.push([x, points.at(-1)[1]], [x, down(Math.max(0, 1 - each.spent_part))]);
  });
  points.push([across(1), points.at(-1)[1]]);
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const area = `${across(0)},${down(0)} ${line} ${across(1)},${down(0)}`;
  return [s("polygon", { points: area, class: "under" }),
    s("polyline", { points: line, class: "left" })];
}

function said(budget, moments) {
  const left = share(Math.max(0, 1 - budget.spent_part));
  if (!moments.length) return `Nothing is spent yet; ${left} of the budget is left.`;
  return `Since ${moment(moments[0].at)}, ${plural(budget.asked, "question")} of `
    + `${budget.questions} were paid for; ${left} of the budget is left.`;
}
