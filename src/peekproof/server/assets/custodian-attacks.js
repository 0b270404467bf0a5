/** Attacks against a copy of the configuration: chosen, run, and told side by side. */

import { card, pressed } from "./custodian-card.js";
import { duel } from "./custodian-duel.js";
import { field, h, replace } from "./dom.js";
import { count } from "./format.js";
import { sentence, problemNotice } from "./notice.js";

export function attacksCard(context) {
  const { api, signal } = context;
  return card({
    title: "Attacks on a copy", signal,
    about: "An analyst who knows the population asks one question after another to be told "
      + "something false at the end. It runs on made-up rows with the sizes, the confidence and "
      + "the mechanism of this data set: the rows held here and their ledger take no part, and "
      + "nothing is charged.",
    read: () => api.get("/v1/attacks", { signal }),
    show: (attacks) => form(context, attacks),
  }).element;
}

function form(context, attacks) {
  const about = h("p", { class: "hint" });
  const found = h("div", { class: "stack" });
  const choose = h("select", { onchange: describe },
    attacks.map((each) => h("option", { value: each.name }, each.name)));
  const seed = h("input", { type: "number", min: 0, max: 2 ** 32 - 1, step: 1, value: 1 });

  function describe() {
    const each = attacks.find((one) => one.name === choose.value);
    replace(about, sentence(each.does), " The sample overstates what it asks at the end by ",
      `${each.forces}, with k questions before on n rows, or on a list of N numbers. `
      + `Source: ${each.after}.`);
  }

  const run = pressed(h("button", { type: "button", class: "primary" }, "Run the attack"),
    async () => {
      if (!seed.reportValidity()) return;
      const body = { attack: choose.value, seed: Number(seed.value || 1) };
      await attacked(context, body, found);
    },
    (error) => { if (!context.signal.aborted) replace(found, problemNotice(error)); });
  describe();
  return [
    h("div", { class: "attack-form" }, field("Attack", choose),
      field("Seed", seed), run),
    about, found,
  ];
}

async function attacked(context, body, found) {
  const bar = h("progress", { "aria-label": "Questions asked" });
  const words = h("p", { class: "hint" }, "Starting…");
  replace(found, bar, words);
  context.announce("The attack runs.");
  let result = null;
  await context.api.stream(context.at(context.name, "/attacks"), body, (said) => {
    if (said.event === "end") result = said.attacked;
    else if (said.of) {
      bar.max = said.of;
      bar.value = said.done;
      words.textContent = `${count(said.done)} of up to ${count(said.of)} questions, asked of both`;
    }
  }, { signal: context.signal });
  const shown = duel(result);
  replace(found, shown.element);
  context.announce(shown.summary);
}
