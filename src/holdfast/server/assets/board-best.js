/** The running best, certified: each improvement with its interval, in the order of submissions. */

import { scaleOf } from "./board-standings.js";
import { fresh, h, s } from "./dom.js";
import { interval, number, plural } from "./format.js";

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 58;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 26;

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
  const id = fresh("best");
  return [
    h("h2", {}, "Running best"),
    h("p", { class: "hint" }, words, " The line is what is certain: ",
      board.higher_is_better ? "at least so good." : "at most such a loss."),
    h("figure", { class: "best" },
      s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": id },
        s("title", { id }, words), drawn(board, best))),
  ];
}

function drawn(board, best) {
  const scale = scaleOf(best);
  const entries = Math.max(board.entries, best[best.length - 1].number, 2);
  const x = (entry) => LEFT + ((entry - 1) / (entries - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => TOP + ((scale[1] - value) / (scale[1] - scale[0])) * (HEIGHT - TOP - BOTTOM);
  const sure = (entry) => (board.higher_is_better ? entry.low : entry.high);
  const steps = best.map((each, index) => ({
    each, from: x(each.number), to: index + 1 < best.length ? x(best[index + 1].number) : x(entries),
  }));
  return [
    [0, 0.25, 0.5, 0.75, 1].map((part) => {
      const value = scale[0] + part * (scale[1] - scale[0]);
      return [
        s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "rule" }),
        s("text", { x: LEFT - 7, y: y(value) + 4, "text-anchor": "end", class: "tick" },
          `${number(value * 100, 3)}%`),
      ];
    }),
    steps.map(({ each, from, to }) => s("rect", {
      x: from, width: Math.max(2, to - from), y: y(each.high), height: Math.max(1, y(each.low) - y(each.high)),
      class: "band",
    })),
    s("polyline", { class: "left", points: steps.flatMap(({ each, from, to }) => [
      `${from.toFixed(1)},${y(sure(each)).toFixed(1)}`, `${to.toFixed(1)},${y(sure(each)).toFixed(1)}`,
    ]).join(" ") }),
    steps.map(({ each, from }) => s("circle", { cx: from, cy: y(sure(each)), r: 4, class: "dot" },
      s("title", {}, `entry ${each.number}, ${each.team}: ${interval(each.low, each.high, true)}`))),
    s("text", { x: LEFT, y: HEIGHT - 6, class: "tick" }, "entry 1"),
    s("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end", class: "tick" },
      `entry ${entries}`),
  ];
}
