/** The running best, certified: each improvement with its interval, in the order of submissions. */

import { scaleOf } from "./board-standings.js";
import { h, s } from "./dom.js";
import { interval, number, plural } from "./format.js";

const HEIGHT = 220;
const TOP = 12;
const BOTTOM = 26;
const SCALE = 46; // for the numbers at the left

/** The chart, with words that say the same. */
export function runningBest(board) {
  const best = board.running_best;
  if (!best.length) {
    return [h("h2", {}, "Running best"),
      h("p", { class: "muted" }, "The first certified score will begin this chart.")];
  }
  const last = best[best.length - 1];
  const words = `After ${plural(board.entries, "entry", "entries")} the best is entry ${last.number} of ${last.team}: `
    + `${interval(last.low, last.high, true)}.`;
  return [
    h("h2", {}, "Running best"),
    h("p", { class: "hint" }, words, " The line is what is certain: ",
      board.higher_is_better ? "at least so good." : "at most such a loss."),
    h("figure", { class: "best", role: "img", "aria-label": words }, drawn(board, best)),
  ];
}

/** The numbers, and the plot beside them: as wide as there is room, with letters of one size. */
function drawn(board, best) {
  const scale = scaleOf(best);
  const entries = Math.max(board.entries, best[best.length - 1].number, 2);
  const part = (entry) => (100 * (entry - 1)) / (entries - 1);
  const x = (entry) => `${part(entry).toFixed(3)}%`;
  const y = (value) => TOP + ((scale[1] - value) / (scale[1] - scale[0])) * (HEIGHT - TOP - BOTTOM);
  const sure = (entry) => (board.higher_is_better ? entry.low : entry.high);
  const levels = [0, 0.25, 0.5, 0.75, 1].map((each) => scale[0] + each * (scale[1] - scale[0]));
  const line = (x1, x2, y1, y2, kind) => s("line", { x1, x2, y1, y2, class: kind });
  const steps = best.map((each, index) => ({
    each, before: best[index - 1], until: best[index + 1]?.number ?? entries,
  }));
  return [
    s("svg", { width: SCALE, height: HEIGHT, "aria-hidden": "true" }, levels.map((value) => (
      s("text", { x: SCALE - 7, y: y(value) + 4, "text-anchor": "end", class: "tick" },
        `${number(value * 100, 3)}%`)))),
    s("svg", { class: "plot", height: HEIGHT, "aria-hidden": "true" },
      levels.map((value) => line("0%", "100%", y(value), y(value), "rule")),
      steps.map(({ each, until }) => s("rect", { class: "band", x: x(each.number), y: y(each.high),
        width: `${Math.max(0.3, part(until) - part(each.number)).toFixed(3)}%`,
        height: Math.max(1, y(each.low) - y(each.high)) })),
      steps.map(({ each, before, until }) => [
        before && line(x(each.number), x(each.number), y(sure(before)), y(sure(each)), "left"),
        line(x(each.number), x(until), y(sure(each)), y(sure(each)), "left"),
      ]),
      steps.map(({ each }) => s("circle", { cx: x(each.number), cy: y(sure(each)), r: 4, class: "dot" },
        s("title", {}, `entry ${each.number}, ${each.team}: ${interval(each.low, each.high, true)}`))),
      s("text", { x: "0%", y: HEIGHT - 6, class: "tick" }, "entry 1"),
      s("text", { x: "100%", y: HEIGHT - 6, "text-anchor": "end", class: "tick" },
        `entry ${entries}`)),
  ];
}
