/**
 * Intervals as pictures. Places are percentages of the width, so that a picture fits any column
 * without being drawn again; colours come from classes. Words next to it say the same.
 */

import { h, s } from "./dom.js";
import { interval, number, share, valued } from "./format.js";

const HEIGHT = 22;

function place(value, [from, to]) {
  const part = to > from ? (value - from) / (to - from) : 0.5;
  return `${(Math.min(1, Math.max(0, part)) * 100).toFixed(3)}%`;
}

/** An interval on a scale: a bar from low to high, and a dot for the value. */
export function intervalPicture({ value, low, high }, scale, { bar = false, tone = "" } = {}) {
  const middle = HEIGHT / 2;
  const [x1, x2, at] = [place(low, scale), place(high, scale), place(value, scale)];
  const zero = place(Math.max(scale[0], Math.min(0, scale[1])), scale);
  const cap = (x) => s("line", { x1: x, x2: x, y1: middle - 5, y2: middle + 5, class: "cap" });
  return s("svg", { class: `interval ${tone}`, height: HEIGHT, "aria-hidden": "true" },
    bar ? between(zero, at, HEIGHT - 8, "filled") : ruler(middle),
    bar ? [s("line", { x1, x2, y1: middle, y2: middle, class: "whisker" }), cap(x1), cap(x2)]
      : [between(x1, x2, 7, "span"), s("circle", { cx: at, cy: middle, r: 4.5, class: "dot" })]);
}

function between(one, other, height, kind) {
  const [a, b] = [parseFloat(one), parseFloat(other)].sort((x, y) => x - y);
  return s("rect", { x: `${a}%`, width: `${(b - a).toFixed(3)}%`, y: (HEIGHT - height) / 2, height,
    rx: kind === "span" ? height / 2 : 1, class: kind });
}

function ruler(middle) {
  return [
    s("line", { x1: "0%", x2: "100%", y1: middle, y2: middle, class: "rule" }),
    ["0%", "25%", "50%", "75%", "100%"].map((x) => s("line", {
      x1: x, x2: x, y1: middle - 4, y2: middle + 4, class: "rule",
    })),
  ];
}

/** The axis of a list of shares, or of one mean; `name` says what else its numbers are. */
export function axis(scale, isShare, name = "") {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return s("svg", { class: "axis", height: 16, "aria-hidden": "true" }, ticks.map((part) => {
    const anchor = { 0: "start", 1: "end" }[part] || "middle";
    const value = scale[0] + part * (scale[1] - scale[0]);
    const shown = isShare ? `${Math.round(value * 100)}%` : number(value, 3);
    const text = name && part === 0.5 ? `${name} ${shown}` : shown;
    const inner = part === 0.25 || part === 0.75 ? "tick minor" : "tick";
    return s("text", { x: `${part * 100}%`, y: 12, "text-anchor": anchor, class: inner }, text);
  }));
}

/** Numbers of cells as bars with their intervals; within groups, as dots with the group's size. */
export function cellsPicture(cells, { isShare = true, scale = null, most = 300 } = {}) {
  const shown = cells.slice(0, most);
  const on = scale || spanOf(shown, isShare);
  const grouped = cells[0]?.share !== undefined;
  const rows = shown.map((each, index) => {
    const width = each.high - each.low;
    return h("li", { class: "cell" },
      h("span", { class: "cell-label" }, labelled(each.label, index),
        grouped ? h("span", { class: "hint" }, ` ${share(each.share)} of all rows`) : null),
      intervalPicture(each, on, { bar: !grouped }),
      h("span", { class: "cell-value" }, h("strong", {}, valued(each.value, width, isShare)),
        h("span", { class: "hint" }, ` ${interval(each.low, each.high, isShare)}`)));
  });
  const rest = cells.length - shown.length;
  return h("div", { class: "cells" },
    h("div", { class: "cell axis-row", "aria-hidden": "true" }, h("span", {}), axis(on, isShare),
      h("span", {})),
    h("ul", {}, rows),
    rest > 0 ? h("p", { class: "hint" }, `${rest} more cells are not drawn.`) : null);
}

// Signs as in print, unless they may belong to a text in quotes.
function labelled(label, index) {
  if (label === undefined) return `cell ${index + 1}`;
  return label.includes("'") ? label : label.replaceAll("<=", "≤").replaceAll(">=", "≥");
}

/** Round numbers around all ends, and 0 among them. */
function spanOf(cells, isShare) {
  const high = Math.max(0, ...cells.map((each) => each.high));
  const low = Math.min(0, ...cells.map((each) => each.low));
  if (isShare) return [0, [0.04, 0.08, 0.2, 0.4, 0.6, 0.8].find((each) => each >= high) ?? 1];
  const power = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
  for (const round of [1, 2, 2.5, 5, 10, 20]) {
    const step = round * power;
    const from = Math.floor(low / step) * step;
    if (from + 4 * step >= high) return [from, from + 4 * step];
  }
  return [low, high];
}
