/** The leaderboards that a token is for, each with a link to its page. */

import { h, replace } from "./dom.js";
import { plural } from "./format.js";

export function render(root, { boards }) {
  replace(root, h("ul", { class: "board-list stack" }, boards.map(listed)));
}

function listed(board) {
  const title = board.title || board.name;
  const [tone, phase] = board.closed ? ["warn", "closed"] : ["good", "open"];
  return h("li", { class: "card" },
    h("h2", {}, h("a", { href: `/boards/${encodeURIComponent(board.name)}` },
      title), " ", h("span", { class: `badge ${tone}` }, phase)),
    h("p", { class: "hint" }, title === board.name ? "" : `${board.name} · `,
      h("span", { class: "mono" }, board.metric), ` · ${plural(board.entries, "entry", "entries")}`));
}
