/** Who asked how much, and how much of the budget is set aside for whom. */

import { card } from "./custodian-card.js";
import { editShares } from "./custodian-shares.js";
import { h, s, table } from "./dom.js";
import { count, share } from "./format.js";
import { approximate, fraction } from "./custodian-fractions.js";

export function analystsCard(context) {
  const { api, at, name, signal } = context;
  let known = null;
  const edit = h("button", { type: "button", disabled: true, onclick: () => {
    editShares(context, known, refresh);
  } }, "Edit shares…");
  const { element, refresh } = card({
    title: "Analysts", actions: [edit], signal,
    read: () => api.get(at(name, "/analysts"), { signal }),
    show: (found) => {
      known = found;
      edit.disabled = false;
      return [shown(found), restOf(found)];
    },
  });
  const every = setInterval(() => { if (!document.hidden) refresh(); }, 10_000);
  signal.addEventListener("abort", () => clearInterval(every));
  return element;
}

/** A name, or what stands for those who gave none. */
export function called(name) {
  return name || h("em", {}, "no name given");
}

function shown({ analysts, rest }) {
  if (!analysts.length) return h("p", { class: "muted" }, "Nobody has asked yet.");
  return h("div", { class: "analysts" }, table({
    caption: "Analysts of this data set", hiddenCaption: true,
    columns: ["Analyst", "Asked", "Part of the budget spent", "Share", "Questions left"],
    rows: analysts.map((each) => [
      called(each.analyst), count(each.asked),
      part(each, each.share ?? rest ?? "1"),
      each.share === null ? h("span", { class: "muted" }, "none") : each.share,
      count(each.questions_left),
    ]),
  }));
}

// The lighter track is as long as the share, so that a full one is seen to be full.
function part({ spent_part: spent }, own) {
  const most = approximate(fraction(own) ?? [1n, 1n]);
  const width = (value) => `${(100 * Math.min(1, value)).toFixed(2)}%`;
  return h("span", { class: "part" },
    s("svg", { height: 10, "aria-hidden": "true" },
      s("rect", { width: "100%", height: 10, class: "whole" }),
      s("rect", { width: width(most), height: 10, class: "share" }),
      s("rect", { width: width(spent), height: 10, class: "spent" })),
    h("span", {}, share(spent)));
}

function restOf({ rest }) {
  const text = rest === null
    ? "No shares are set aside: everyone draws on the whole budget."
    : `Those without a share have ${rest} of the budget together.`;
  return h("p", { class: "hint" }, text);
}
