/** The dialog in which shares of the budget are set aside. */

import { cancelable, pressed } from "./custodian-card.js";
import { approximate, fraction, rest, written } from "./custodian-fractions.js";
import { openDialog } from "./dialog.js";
import { fresh, h, replace } from "./dom.js";
import { share } from "./format.js";
import { problemNotice } from "./notice.js";

/** Open it with what GET …/analysts said; `done` is called when the gateway has taken new ones. */
export function editShares(context, { analysts }, done) {
  const rows = h("div", { class: "share-rows stack" });
  const entries = new Set();
  const left = h("p", { role: "status" });
  const failure = h("div", { role: "alert" });
  const spent = new Map(analysts.map((each) => [each.analyst, each.spent_part]));

  function check() {
    const read = [...entries].map((each) => each.read());
    const twice = new Set(read.map((each) => each.name).filter((name, index, all) => (
      all.indexOf(name) < index)));
    for (const each of read) each.tell(twice.has(each.name));
    const whole = rest(read.filter((each) => each.part).map((each) => each.part));
    const fits = whole[0] >= 0n;
    replace(left, fits
      ? ["Left for everyone else: ", h("strong", {}, written(whole)),
        ` of the budget (${share(approximate(whole))}).`]
      : h("span", { class: "invalid" }, "Together these are more than the whole budget."));
    save.disabled = !fits || twice.size > 0 || read.some((each) => !each.part || !each.name);
    return read;
  }

  function add(name = "", given = "") {
    const entry = shareRow({ name, given, spent, check, remove: () => {
      const next = entry.element.nextElementSibling ?? entry.element.previousElementSibling;
      next?.querySelector("input").focus();
      entry.element.remove();
      entries.delete(entry);
      check();
    } });
    entries.add(entry);
    rows.append(entry.element);
    check();
  }

  const save = pressed(h("button", { type: "button", class: "primary" }, "Set aside"), async () => {
    const shares = Object.fromEntries(check().map((each) => [each.name, written(each.part)]));
    await context.api.put(context.at(context.name, "/shares"), { shares });
    dialog.close();
    context.announce("The shares are set aside.");
    done();
  }, (error) => replace(failure, problemNotice(error)));

  for (const each of analysts) if (each.share !== null) add(each.analyst, each.share);
  if (!rows.childElementCount) add(analysts.find((each) => each.analyst)?.analyst ?? "", "");
  const dialog = cancelable(openDialog({
    title: `Shares of ${context.name}`,
    content: [
      h("p", { class: "hint" }, "A share is a part of the budget and of the questions for one ",
        "analyst alone. What was spent stays spent and counts. Write 1/4, 0.25 or 25 %."),
      rows,
      h("button", { type: "button", onclick: () => {
        add();
        rows.lastElementChild.querySelector("input").focus();
      } }, "Add an analyst"),
      left, failure,
    ],
    actions: [save],
  }));
}

function shareRow({ name, given, spent, check, remove }) {
  const [whoId, partId, noteId] = [fresh("who"), fresh("part"), fresh("note")];
  const who = h("input", { id: whoId, value: name, maxlength: 100, autocomplete: "off",
    spellcheck: "false", oninput: check });
  const part = h("input", { id: partId, value: given, maxlength: 40, autocomplete: "off",
    inputmode: "decimal", placeholder: "1/4", "aria-describedby": noteId, oninput: check });
  const note = h("p", { class: "hint", id: noteId });
  const element = h("div", { class: "share-row" },
    h("div", { class: "field" }, h("label", { for: whoId }, "Analyst"), who),
    h("div", { class: "field" }, h("label", { for: partId }, "Share"), part),
    h("button", { type: "button", class: "quiet", onclick: remove,
      "aria-label": "Remove this share" }, "Remove"),
    note);
  const read = () => {
    const found = fraction(part.value);
    return { name: who.value.trim(), part: found, tell: (twice) => {
      const wrong = part.value.trim() !== "" && found === null;
      part.setAttribute("aria-invalid", String(wrong));
      who.setAttribute("aria-invalid", String(twice));
      note.className = wrong || twice ? "hint invalid" : "hint";
      note.textContent = remark({ wrong, twice, part: found, used: spent.get(who.value.trim()) });
    } };
  };
  return { element, read };
}

function remark({ wrong, twice, part, used = 0 }) {
  if (twice) return "This name is there twice.";
  if (wrong) return "Not a share from 0 to 1.";
  if (!part || used <= approximate(part)) return "";
  return `Has already spent ${share(used)} of the budget: nothing would be left.`;
}
