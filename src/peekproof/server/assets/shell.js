/** The bar at the top of every view, and the promise of the data set below it. */

import { fresh, h, replace, s } from "./dom.js";
import { count, plural, reach, share } from "./format.js";

function themeSwitch() {
  const id = fresh("theme");
  const select = h("select", { id, class: "compact", onchange: () => {
    window.peekproofTheme.choose(select.value);
  } }, ["system", "light", "dark"].map((each) => h("option", {
    value: each, selected: each === window.peekproofTheme.chosen,
  }, { system: "System", light: "Light", dark: "Dark" }[each])));
  return h("div", {}, h("label", { for: id, class: "unseen" }, "Colours"), select);
}

/** Brand, data set, views, and who is here. */
export function topBar({
  visitor, datasets = [], chosen, choose, view, views = [], signOut, kind = "Data set",
}) {
  const brand = h("p", { class: "brand" },
    h("img", { src: "/assets/mark.svg", alt: "", width: 28, height: 28 }),
    h("span", {}, "Peekproof"));
  if (!visitor) return [brand, h("div", { class: "bar-end row" }, themeSwitch())];
  return [
    brand,
    chosen ? chooser(datasets, chosen, choose, kind) : null,
    h("nav", { "aria-label": "Views" }, h("ul", { class: "tabs" },
      views.map(({ key, title, href }) => h("li", {},
        h("a", { href, "aria-current": key === view ? "page" : null }, title))))),
    h("div", { class: "bar-end row" },
      themeSwitch(),
      h("span", { class: "who", title: `signed in as ${visitor.analyst}` }, visitor.analyst),
      h("button", { type: "button", class: "quiet", onclick: signOut }, "Sign out")),
  ];
}

function chooser(datasets, chosen, choose, kind) {
  if (datasets.length < 2) return h("p", { class: "dataset-name" }, chosen);
  const id = fresh("dataset");
  const select = h("select", { id, class: "compact", onchange: () => choose(select.value) },
    datasets.map((each) => h("option", { value: each.name, selected: each.name === chosen },
      each.name)));
  return h("div", { class: "chooser" },
    h("label", { for: id, class: "unseen" }, kind), select);
}

/** What is promised, in words, and how much of it is left. */
export function promise(dataset, context) {
  const left = h("p", { class: "left two-lines" });
  const filled = s("rect", { height: 8, width: "0%" });
  const meter = h("div", { class: "meter", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100,
    "aria-label": "Part of the budget that is left" }, s("svg", { height: 8 }, filled));
  context.onBudget((budget) => {
    const part = Math.max(0, 1 - budget.spent_part);
    filled.setAttribute("width", `${part * 100}%`);
    meter.setAttribute("aria-valuenow", Math.round(part * 100));
    meter.setAttribute("aria-valuetext", share(part));
    replace(left, budget.closed
      ? "Closed: earlier answers can still be asked for."
      : [h("strong", {}, plural(budget.remaining, "question")),
        budget.share === null ? " left" : " left for you",
        h("span", { class: "next-width" }, "the next share: ", h("strong", {}, budget.next_width))]);
  });
  return h("section", { class: "promise", "aria-label": "The promise of this data set" },
    h("div", {},
      h("p", { class: "dataset-title" }, dataset.name,
        dataset.about ? h("span", { class: "muted" }, ` · ${dataset.about}`) : null),
      h("p", { class: "promised" }, words(dataset))),
    h("div", { class: "left-box" }, left, meter));
}

function words(dataset) {
  const most = dataset.questions;
  const many = most ? `up to ${plural(most, "question")}` : "your questions";
  // Whoever chose models by the features has seen them: what is fresh is the labels.
  const about = dataset.holdout ? "fresh labels of these rows" : "the population";
  // A mean reaches as far in parts of its scale; the price of a question says how far it does.
  const within = dataset.radius === null ? ["each as far as its guess may be off."]
    : ["shares within ", h("strong", {}, reach(dataset.radius)), " as planned."];
  return [`${count(dataset.rows)} rows. With confidence `, h("strong", {}, dataset.confidence),
    `, all answers to ${many} hold for ${about} at once, `, within];
}
