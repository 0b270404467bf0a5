/** Signing in: a token from the link or typed, shown once for a cookie that no script can read. */

import { api } from "./api.js";
import { announce, field, h, replace } from "./dom.js";
import { busy, problemNotice } from "./notice.js";

/** The token in the address, if any; it is taken out at once, so that no history keeps it. */
export function tokenOfAddress() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", location.pathname);
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return found[1];
  }
}

/** The form; a token that is already there is tried without being asked for. */
export function signInForm({ message, token, signedIn }) {
  const said = h("div", { class: "stack" },
    message ? h("p", { class: "notice plain" }, message) : null);
  const input = h("input", {
    type: "password", name: "token", autocomplete: "off", autocapitalize: "off",
    spellcheck: "false", required: true, placeholder: "pp_…", class: "mono", maxlength: "200",
  });
  const button = h("button", { type: "submit", class: "primary" }, "Sign in");
  const form = h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    begin(input.value.trim());
  } }, field("Token", input, "The custodian of the data gave you one. It begins with pp_."),
  h("div", { class: "row" }, button));

  async function begin(text) {
    button.disabled = true;
    replace(said, busy("Signing in…"));
    try {
      await signedIn(await api.post("/v1/visit", { token: text }, { open: true }));
    } catch (error) {
      button.disabled = false;
      const wrong = error.status === 401;
      replace(said, problemNotice(error));
      announce(wrong ? "This token is not valid." : error.message, { urgent: true });
      input.focus();
    }
  }

  if (message) announce(message);
  if (token) queueMicrotask(() => begin(token));
  else queueMicrotask(() => input.focus({ preventScroll: true }));
  return h("div", { class: "sign-in card stack" },
    h("h1", {}, "Ask about data that stays where it is"),
    h("p", { class: "muted" },
      "Every answer comes with an interval that holds for the population, ",
      "however cleverly the next question is chosen."),
    said, form);
}
