/** Tokens: who may come, until when; made, renewed and revoked here. */

import { cancelable, card, pressed } from "./custodian-card.js";
import { invite, showOnce } from "./custodian-invite.js";
import { openDialog } from "./dialog.js";
import { h, table } from "./dom.js";
import { plural } from "./format.js";
import { notice, problemNotice } from "./notice.js";

export function tokensCard(context) {
  const { api, signal } = context;
  const make = h("button", { type: "button", class: "primary", disabled: true, onclick: () => {
    invite(context, refresh);
  } }, "Invite…");
  const all = { shown: false };
  const { element, refresh } = card({
    title: "Tokens", actions: [make], signal,
    about: "A token lets someone in. Its secret is shown once, when it is made.",
    read: () => api.get("/v1/tokens", { signal }).catch((error) => {
      if (error.status === 403) return null;
      throw error;
    }),
    show: (found) => {
      make.disabled = found === null;
      return found === null ? keptByOthers() : listed(context, found, all, refresh);
    },
  });
  return element;
}

function keptByOthers() {
  return notice("plain", "Kept by others", h("p", {},
    "Your token is for some data sets only. Tokens are made by custodians of all of them."));
}

function listed(context, tokens, all, refresh) {
  const ended = tokens.filter((each) => stateOf(each) !== "valid").length;
  const body = h("div", {});
  const draw = () => body.replaceChildren(rows(context, all.shown ? tokens
    : tokens.filter((each) => stateOf(each) === "valid"), refresh));
  const box = h("input", { type: "checkbox", onchange: () => {
    all.shown = box.checked;
    draw();
  } });
  box.checked = all.shown;
  draw();
  return [body, ended ? h("label", { class: "check" }, box,
    ` Show ${plural(ended, "token")} that ${ended === 1 ? "has" : "have"} ended`) : null];
}

function rows(context, tokens, refresh) {
  return h("div", { class: "tokens" }, table({
    caption: "Tokens", hiddenCaption: true,
    columns: ["For", "Scope", "Data sets", "Made", "Ends", "State", "Change"],
    rows: tokens.map((each) => [
      [each.analyst, each.own ? [" ", h("span", { class: "badge" }, "you")] : null],
      each.scope, each.datasets.length ? each.datasets.join(", ") : "all",
      day(each.created), each.expires === null ? "never" : day(each.expires),
      stateOf(each), changes(context, each, refresh),
    ]),
  }));
}

function day(seconds) {
  return new Date(seconds * 1000).toLocaleDateString("en", { dateStyle: "medium" });
}

function stateOf(token) {
  if (token.revoked) return "revoked";
  return token.expires !== null && token.expires * 1000 <= Date.now() ? "expired" : "valid";
}

function changes(context, token, refresh) {
  if (stateOf(token) !== "valid") return "";
  const button = (text, label, onclick, kind) => h("button", {
    type: "button", class: `small ${kind}`, "aria-label": `${label} ${token.analyst}`, onclick,
  }, text);
  return h("div", { class: "row" },
    button("Rotate…", "Rotate the token of", () => rotate(context, token, refresh), "quiet"),
    button("Revoke…", "Revoke the token of", () => revoke(context, token, refresh), "danger"));
}

const OWN = "It is the one you came with: you will be signed out.";

function rotate(context, token, refresh) {
  confirmed({
    title: `Rotate the token of ${token.analyst}`, word: "Rotate", token,
    text: "It gets a new secret, shown once. The old one, and all visits with it, end now.",
    action: async () => {
      const made = await context.api.post(`/v1/tokens/${token.id}/rotate`);
      return () => showOnce(token.analyst, made.token, token.own ? null : refresh);
    },
  });
}

function revoke(context, token, refresh) {
  confirmed({
    title: `Revoke the token of ${token.analyst}`, word: "Revoke for good", token,
    text: "It ends now, with all visits, and cannot be brought back. What was asked stays asked.",
    action: async () => {
      await context.api.remove(`/v1/tokens/${token.id}`);
      context.announce(`The token of ${token.analyst} is revoked.`);
      return refresh;
    },
  });
}

function confirmed({ title, text, word, token, action }) {
  const failure = h("div", { role: "alert" });
  const button = pressed(h("button", { type: "button", class: "danger" }, word), async () => {
    const next = await action();
    dialog.close();
    next();
  }, (error) => failure.replaceChildren(problemNotice(error)));
  const where = token.datasets.length ? token.datasets.join(", ") : "all data sets";
  const dialog = cancelable(openDialog({
    title, actions: [button],
    content: [h("p", {}, text), token.own ? h("p", {}, h("strong", {}, OWN)) : null,
      h("p", { class: "hint" }, `For ${where}, made ${day(token.created)}.`), failure],
  }));
}
