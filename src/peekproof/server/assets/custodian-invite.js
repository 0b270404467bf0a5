/** The dialog that makes a token, and the one that shows it, once. */

import { cancelable, pressed } from "./custodian-card.js";
import { copyButton, openDialog } from "./dialog.js";
import { field, h, replace } from "./dom.js";
import { notice, problemNotice } from "./notice.js";

const DAYS = 90;
const MOST_DAYS = 3650;

/** Ask for whom, what for and how long; `done` is called once the token is made. */
export function invite(context, done) {
  const who = h("input", { maxlength: 100, autocomplete: "off", spellcheck: "false" });
  const scope = h("select", {}, h("option", { value: "analyst" }, "analyst: may ask"),
    h("option", { value: "custodian" }, "custodian: may do all that is on this page"));
  const days = h("input", { type: "number", min: 1, max: MOST_DAYS, value: DAYS });
  const boxes = [...context.datasets, ...context.boards].map((each) => {
    const box = h("input", { type: "checkbox", value: each.name });
    box.checked = each.name === context.name;
    return box;
  });
  const failure = h("div", { role: "alert" });

  const make = pressed(h("button", { type: "button", class: "primary" }, "Make the link"),
    async () => {
      const chosen = boxes.filter((each) => each.checked).map((each) => each.value);
      if (!chosen.length) throw wrong(boxes[0], "Choose at least one of them.");
      const name = who.value.trim();
      if (!name) throw wrong(who, "Give a name: shares and the ledger go by it.");
      const lasting = days.value.trim();
      if (lasting && !days.checkValidity()) throw wrong(days, `Give 1 to ${MOST_DAYS} days.`);
      const made = await context.api.post("/v1/tokens", {
        analyst: name, scope: scope.value, datasets: chosen.length === boxes.length ? [] : chosen,
        days: lasting ? Number(lasting) : null,
      });
      dialog.close();
      showOnce(name, made.token, done);
    },
    (error) => replace(failure, error.at ? notice("bad", "", h("p", {}, error.message))
      : problemNotice(error)));

  const dialog = cancelable(openDialog({
    title: "Invite someone",
    content: [
      field("Name", who, "The same name as before keeps the same share."),
      field("Scope", scope),
      h("fieldset", {}, h("legend", {}, context.boards.length ? "Data sets and boards" : "Data sets"),
        boxes.map((box) => h("label", { class: "check" }, box, ` ${box.value}`)),
        h("p", { class: "hint" }, "If all are chosen, those that are added later count as well.")),
      field("Days until it ends", days, "Leave it empty for a token that does not end by itself."),
      failure,
    ],
    actions: [make],
  }));
  who.focus();
}

function wrong(input, message) {
  input?.focus();
  return Object.assign(new Error(message), { at: input ?? true });
}

/** Show a link with a token in it; afterwards nobody can. */
export function showOnce(name, token, done) {
  const link = `${location.origin}/#token=${token}`;
  const text = h("textarea", { readonly: true, rows: 3, class: "mono", spellcheck: "false",
    onfocus: () => text.select() });
  text.value = link;
  const plain = h("input", { readonly: true, class: "mono", onfocus: () => plain.select() });
  plain.value = token;
  const { element } = openDialog({
    title: `A link for ${name}`,
    content: [
      notice("warn", "It is shown this once", h("p", {},
        "The gateway keeps no copy. Whoever has the link can ask in this name: send it over a ",
        "channel that nobody else reads, and revoke the token if it gets lost.")),
      field("Link", text, "It opens this page, signed in."),
      field("Token alone", plain, "For the Python client and plain HTTP."),
    ],
    actions: [copyButton("Copy the link", () => link), copyButton("Copy the token", () => token)],
    onclose: done,
  });
  // A click beside it must not take away what cannot be shown again.
  element.addEventListener("click", (event) => {
    if (event.target === element) event.stopImmediatePropagation();
  }, { capture: true });
  text.focus();
}
