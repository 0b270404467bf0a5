/** The ledger: replayed and certified anew, taken away as a file, closed for good. */

import { cancelable, pressed } from "./custodian-card.js";
import { copyButton, openDialog } from "./dialog.js";
import { field, fresh, h, replace } from "./dom.js";
import { count, plural, share } from "./format.js";
import { notice, problemNotice } from "./notice.js";

export function ledgerCard(context) {
  const id = fresh("card");
  const found = h("div", { class: "stack" });
  const verify = pressed(h("button", { type: "button" }, "Verify"), () => verified(context, found),
    (error) => { if (!context.signal.aborted) replace(found, problemNotice(error)); });
  const { name, summary } = context;
  return h("section", { class: "card stack", "aria-labelledby": id },
    h("div", { class: "card-head" }, h("h2", { id }, "Ledger"), h("div", { class: "row" }, verify,
      h("a", { class: "button", href: context.at(name, "/ledger"), download: `${name}.jsonl` },
        "Download"))),
    h("p", { class: "hint" }, "Everything that was asked and answered, in a chain of ",
      "digests. Verifying replays it from the first entry and certifies every answer anew; the ",
      "download can be checked elsewhere. Keep it to custodians: if every question or round has ",
      "rows of its own, it tells which rows answer which question."),
    found,
    summary.closed
      ? notice("plain", "Closed", h("p", {},
        "No new question is answered. Those of before stay free."))
      : h("p", {}, h("button", { type: "button", class: "danger small", onclick: () => {
        closeForGood(context);
      } }, "Close for good…")));
}

async function verified(context, found) {
  const bar = h("progress", { "aria-label": "Entries replayed" });
  const words = h("p", { class: "hint" }, "Replaying…");
  replace(found, bar, words);
  let replay = null;
  const path = context.at(context.name, "/verify");
  await context.api.stream(path, undefined, (said) => {
    if (said.event === "end") replay = said.replay;
    else if (said.of) {
      bar.max = said.of;
      bar.value = said.done;
      words.textContent = `${count(said.done)} of ${plural(said.of, "entry", "entries")}`;
    }
  }, { signal: context.signal });
  replace(found, told(replay));
  context.announce(`The ledger is whole: ${plural(replay.entries, "entry", "entries")}, `
    + `${plural(replay.certificates, "answer")} certified anew.`);
}

function told(replay) {
  const facts = [
    ["Entries", count(replay.entries)],
    ["Answers certified anew", `${count(replay.certificates)} of ${count(replay.answers)}`],
    ["Paid for, not answered", count(replay.unanswered)],
    ["Spent", `${share(part(replay))} of the budget`],
    ["Overrides", count(replay.overrides.length)],
  ];
  return [
    notice("good", "The ledger is whole", h("p", {},
      "Every entry follows from the one before, and the theorems certify every answer again.")),
    h("div", { class: "replayed" },
      h("dl", { class: "facts" },
        facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      h("div", {},
        h("p", { class: "hint" }, "Digest of the last entry. Whoever writes it down can tell ",
          "later whether anything before it was changed:"),
        h("p", { class: "digest mono" }, replay.digest),
        copyButton("Copy the digest", () => replay.digest))),
  ];
}

function part({ spent, budget }) {
  const whole = quotient(budget);
  return whole ? quotient(spent) / whole : 0;
}

// Numerators and denominators may be too long for a double; their first digits are enough here.
function quotient(text) {
  const [over, under = "1"] = text.split("/").map((each) => BigInt(each));
  const scale = 10n ** 30n;
  return Number((over * scale) / BigInt(under)) / 1e30;
}

function closeForGood(context) {
  const { name } = context;
  const failure = h("div", { role: "alert" });
  const typed = h("input", { autocomplete: "off", spellcheck: "false", oninput: () => {
    close.disabled = typed.value !== name;
  } });
  const close = h("button", { type: "button", class: "danger" }, "Close for good");
  pressed(close, async () => {
    await context.api.post(context.at(name, "/close"), { confirm: typed.value });
    dialog.close();
    context.announce(`${name} is closed for good.`);
    context.reload();
  }, (error) => replace(failure, problemNotice(error)));
  close.disabled = true;
  const dialog = cancelable(openDialog({
    title: `Close ${name} for good`,
    content: [
      h("p", {}, "No new question about these rows will be answered, ever: what is left of the ",
        "budget is given up. Earlier answers stay free. This cannot be undone."),
      field(`Type ${name} to go on`, typed), failure,
    ],
    actions: [close],
  }));
  typed.focus();
}
