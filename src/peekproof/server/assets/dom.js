/**
 * Elements, made by hand. Text only ever becomes a text node, so that no column, category or
 * question can become markup.
 */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/**
 * An element: `h("button", {class: "primary", onclick: go}, "Go")`. Functions are listeners,
 * `true` is a bare attribute, `false` and null are left out, and everything else is an attribute.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return fill(element, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  return fill(element, children);
}

/** Put these in place of what an element held. */
export function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, children);
}

let made = 0;

/** An id that nothing else on the page has, to tie labels and descriptions to fields. */
export function fresh(name) {
  made += 1;
  return `${name}-${made}`;
}

/** Tell those who listen to the page: politely, or at once if it is urgent. */
export function announce(text, { urgent = false } = {}) {
  const region = document.getElementById(urgent ? "alerts" : "status");
  // Whoever reads the page later must not find what is over.
  for (const each of ["alerts", "status"]) document.getElementById(each).textContent = "";
  // The same words twice are only read twice if the region was empty in between.
  setTimeout(() => { region.textContent = text; }, 40);
}

/** A table with a caption; rows are lists of cells (text or elements), columns their headings. */
export function table({ caption, columns, rows, hiddenCaption = false }) {
  const heads = columns.map((each) => h("th", { scope: "col" }, each));
  return h("div", { class: "table-wrap", role: "region", tabindex: "0", "aria-label": caption },
    h("table", {},
      h("caption", { class: hiddenCaption ? "unseen" : null }, caption),
      h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))));
}

/** A labelled field; `hint` is read with it. */
export function field(label, input, hint = "") {
  input.id ||= fresh("field");
  const note = hint ? h("p", { class: "hint", id: `${input.id}-hint` }, hint) : null;
  if (note) input.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, note);
}
