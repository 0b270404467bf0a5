/**
 * A text area that completes: an ARIA combobox with a list box. Arrows choose, Enter or Tab takes
 * what was chosen, Escape closes, Ctrl+Space opens. Nothing is chosen until an arrow says so, so
 * that Enter and Tab keep their meaning.
 */

import { fresh, h, replace } from "./dom.js";
import { completions } from "./words.js";

/** Make `area` complete questions about these columns; returns the element around it. */
export function completing(area, columns) {
  const list = h("ul", { id: fresh("words"), role: "listbox", class: "words", hidden: true,
    "aria-label": "Words that fit here" });
  let found = { start: 0, end: 0, options: [] };
  let active = -1;

  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-haspopup": "listbox",
    "aria-expanded": "false", "aria-controls": list.id, autocomplete: "off", spellcheck: "false",
    autocapitalize: "off", autocorrect: "off",
  })) area.setAttribute(name, value);

  function close() {
    if (list.hidden) return;
    list.hidden = true;
    active = -1;
    area.setAttribute("aria-expanded", "false");
    area.removeAttribute("aria-activedescendant");
    area.dispatchEvent(new Event("words-closed"));
  }

  function show({ unasked }) {
    found = completions(area.value, area.selectionStart, columns);
    const due = found.options.length && !(unasked && found.start === found.end);
    if (!due || area.selectionStart !== area.selectionEnd) {
      close();
      return;
    }
    active = -1;
    area.removeAttribute("aria-activedescendant");
    replace(list, found.options.map((each, index) => h("li", {
      id: `${list.id}-${index}`, role: "option", "aria-selected": "false", class: `of-${each.kind}`,
      onpointerdown: (event) => { event.preventDefault(); take(index); },
    }, h("span", { class: "mono" }, each.text.trim()), h("span", { class: "hint" }, each.detail))));
    list.hidden = false;
    area.setAttribute("aria-expanded", "true");
  }

  function choose(index) {
    list.children[active]?.setAttribute("aria-selected", "false");
    const size = found.options.length;
    active = (index + size) % size;
    const chosen = list.children[active];
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", chosen.id);
  }

  function take(index) {
    const { text } = found.options[index];
    area.setSelectionRange(found.start, found.end);
    insert(area, text);
    close();
  }

  area.addEventListener("input", () => show({ unasked: true }));
  area.addEventListener("blur", close);
  area.addEventListener("click", close);
  area.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (event.key === " " && event.ctrlKey) show({ unasked: false });
    else if (!open || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "ArrowDown") choose(active + 1);
    else if (event.key === "ArrowUp") choose(active < 0 ? -1 : active - 1);
    else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) take(active);
    else if (event.key === "Escape") close();
    else {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) close();
      return;
    }
    event.preventDefault();
  });
  return h("div", { class: "completing" }, area, list);
}

/** Put text in place of the selection, so that the browser's undo knows of it. */
export function insert(area, text) {
  area.focus();
  if (!document.execCommand?.("insertText", false, text)) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
