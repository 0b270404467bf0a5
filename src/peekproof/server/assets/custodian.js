/** What custodians see: who spent what, who may come, the ledger, and attacks on a copy. */

import { analystsCard } from "./custodian-analysts.js";
import { attacksCard } from "./custodian-attacks.js";
import { ledgerCard } from "./custodian-ledger.js";
import { tokensCard } from "./custodian-tokens.js";
import { field, h, replace } from "./dom.js";
import { plural, reach } from "./format.js";
import { mechanismName } from "./mechanisms.js";
import { notice } from "./notice.js";

export function render(root, context) {
  const parts = h("div", { class: "custody" });
  const names = context.datasets.map((each) => each.name);
  if (!names.includes(context.draft.custody)) [context.draft.custody] = names;
  const about = h("p", { class: "custody-about muted" });
  let ending = null;

  function show(name) {
    ending?.abort();
    ending = new AbortController();
    context.draft.custody = name;
    const summary = context.datasets.find((each) => each.name === name);
    replace(about, summary ? described(summary) : "");
    const signal = AbortSignal.any([context.signal, ending.signal]);
    const chosen = { ...context, name, summary, signal };
    replace(parts, summary ? [analystsCard(chosen), ledgerCard(chosen)] : nothingServed(),
      tokensCard(chosen), summary ? attacksCard(chosen) : null);
  }

  replace(root, h("div", { class: "custody-head" }, chooser(names, context, show), about), parts);
  show(context.draft.custody);
}

function chooser(names, context, show) {
  if (names.length < 2) return h("h2", {}, names[0] ?? "");
  const select = h("select", { onchange: () => {
    show(select.value);
    context.announce(`Showing ${select.value}.`);
  } }, names.map((each) => h("option", {
    value: each, selected: each === context.draft.custody,
  }, each)));
  return field("Data set", select);
}

function described(summary) {
  const closed = summary.closed ? [h("span", { class: "badge" }, "closed"), " "] : null;
  return [closed, `${plural(summary.rows, "row")}, up to ${plural(summary.questions, "question")}, `
    + (summary.radius === null ? "" : `shares within ${reach(summary.radius)}, `)
    + `with confidence ${summary.confidence} for all `
    + `together, by ${mechanismName(summary.mechanism)}.`];
}

function nothingServed() {
  return notice("plain", "No data set", h("p", {}, "Your token is for none that is served here."));
}

const LINK = "/assets/custodian.css";
if (!document.querySelector(`link[href="${LINK}"]`)) {
  document.head.append(h("link", { rel: "stylesheet", href: LINK }));
}
