/** A card whose content is read from the gateway, and can be read again. */

import { fresh, h, replace } from "./dom.js";
import { busy, problemNotice } from "./notice.js";

/**
 * {element, refresh}: a section with a heading, buttons and a body. `read` fetches, `show` makes
 * elements of what came; a failure is told in their place, with a way to try again.
 */
export function card({ title, about, actions = [], read, show, signal }) {
  const id = fresh("card");
  const body = h("div", { class: "stack" });
  let before = null;

  async function refresh() {
    if (!body.childElementCount) replace(body, busy("Reading…"));
    try {
      const found = await read();
      const text = JSON.stringify(found);
      if (signal.aborted || text === before) return; // what is focused or selected stays
      before = text;
      replace(body, show(found));
    } catch (error) {
      before = null;
      if (!signal.aborted) replace(body, told(error, refresh));
    }
  }

  const element = h("section", { class: "card stack", "aria-labelledby": id },
    h("div", { class: "card-head" }, h("h2", { id }, title), h("div", { class: "row" }, actions)),
    about ? h("p", { class: "hint" }, about) : null, body);
  refresh();
  return { element, refresh };
}

function told(error, refresh) {
  return problemNotice(error, h("button", { type: "button", onclick: refresh }, "Read again"));
}

/** Say of a dialog's last button that nothing happens by it. */
export function cancelable(dialog) {
  dialog.element.querySelector(".dialog-foot > button:last-child").textContent = "Cancel";
  return dialog;
}

/** A dialog's main button: it waits for what it does, and cannot be pressed twice meanwhile. */
export function pressed(button, action, failed) {
  button.addEventListener("click", async () => {
    button.setAttribute("aria-busy", "true");
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      failed(error);
    } finally {
      button.removeAttribute("aria-busy");
      button.disabled = false;
    }
  });
  return button;
}
