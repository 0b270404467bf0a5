/** Dialogs: the browser's own, which keep the focus inside and give it back. */

import { fresh, h } from "./dom.js";

/**
 * Open a dialog; returns {element, close}. `actions` are buttons for its foot, next to Close.
 */
export function openDialog({ title, content, actions = [], onclose = null }) {
  const id = fresh("dialog");
  const element = h("dialog", { "aria-labelledby": id },
    h("div", { class: "dialog-head" },
      h("h2", { id }, title),
      h("button", { type: "button", class: "quiet icon", "aria-label": "Close",
        onclick: () => element.close() }, "×")),
    h("div", { class: "dialog-body stack" }, content),
    h("div", { class: "dialog-foot row" }, actions,
      h("button", { type: "button", onclick: () => element.close() }, "Close")));
  element.addEventListener("close", () => { element.remove(); onclose?.(); });
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close(); // beside the dialog
  });
  document.body.append(element);
  element.showModal();
  return { element, close: () => element.close() };
}

/** A button that copies text and says so. */
export function copyButton(label, text) {
  const button = h("button", { type: "button" }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text and copy it"; // no clipboard without HTTPS
    }
    setTimeout(() => { button.textContent = label; }, 2500);
  });
  return button;
}
