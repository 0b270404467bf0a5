/** The words of the question language, and which of them fit at a place in a question. */

const RESERVED = new Set(["and", "or", "not", "in", "between", "is", "null", "true", "false"]);

const FORMS = [
  ["mean(", "mean(x, low, high)"],
  ["histogram(", "histogram(x, cells)"],
  ["quantile(", "quantile(x, level, low, high)"],
  ["share(", "share(condition)"],
];
const FUNCTIONS = [
  ["abs(", "abs(x)"], ["clip(", "clip(x, low, high)"],
  ["coalesce(", "coalesce(x, constant)"], ["if(", "if(condition, x, y)"],
  ["case when ", "case when p then x else y end"], ["bins(", "bins(low, high, count)"],
  ["year(", "year(date)"], ["month(", "month(date)"], ["day(", "day(date)"],
  ["weekday(", "Monday is 1"], ["hour(", "hour(moment)"], ["minute(", "minute(moment)"],
  ["second(", "second(moment)"], ["startswith(", "startswith(text, 'x')"],
  ["endswith(", "endswith(text, 'x')"], ["contains(", "contains(text, 'x')"],
  ["not ", "the opposite"],
];
const JOINTS = [
  ["and ", "both"], ["or ", "either"], ["in (", "one of a list"], ["between ", "both ends count"],
  ["like ", "a pattern with %"], ["is null", "missing"], ["is not null", "not missing"],
  ["not in (", "none of a list"], ["by ", "within each cell"], ["given ", "among some rows"],
];
const SIGNS = [
  ["= ", "equal"], ["!= ", "not equal"], ["< ", "less"], ["<= ", "at most"], ["> ", "more"],
  [">= ", "at least"],
];
const MOST = 12;

// A name or a text in marks (closed or not yet), a word, a number, a sign, or anything else.
const TOKEN = new RegExp([
  /`[^`]*`?|'(?:[^']|'')*'?|"(?:[^"]|"")*"?/, /[\p{L}_][\p{L}\p{N}_]*/, /[\d.][\w.]*/,
  /[<>=!]+/, /\s+|./,
].map((each) => each.source).join("|"), "gsu");

/** A column as it is written in a question. */
export function nameOf(column) {
  const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(column) && !RESERVED.has(column.toLowerCase());
  return plain ? column : `\`${column}\``;
}

/** A text as it is written in a question. */
export function quoted(text) {
  return `'${text.replaceAll("'", "''")}'`;
}

function split(text) {
  const tokens = [];
  for (const found of text.matchAll(TOKEN)) {
    if (found[0].trim()) tokens.push({ text: found[0], start: found.index });
  }
  return tokens;
}

function columnOf(token, columns) {
  const name = token.startsWith("`") ? token.replaceAll("`", "") : token;
  return columns.find((each) => each.name === name);
}

/** The text column with declared values that was named last: its values are due in quotes. */
function subject(tokens, columns) {
  for (const { text } of tokens.toReversed()) {
    const column = /^[\p{L}_`]/u.test(text) ? columnOf(text, columns) : null;
    if (column) return column.categories ? column : null;
  }
  return null;
}

const option = (kind) => ([text, detail]) => ({ text, detail, kind });

function columnOptions(columns) {
  return columns.map((each) => ({
    text: nameOf(each.name), match: each.name, detail: each.kind, kind: "column",
  }));
}

function valueOptions(column) {
  return (column?.categories || []).map((each) => ({
    text: quoted(each), match: each, detail: column.name, kind: "value",
  }));
}

/** What may follow: something to compare, or something that joins or compares. */
function following(tokens, columns) {
  const last = tokens.at(-1)?.text ?? "";
  const before = tokens.slice(0, -1);
  const column = last && columnOf(last, columns);
  const operand = column || /^[\d.'"]/.test(last) || [")", "null", "true", "false"].includes(last);
  if (operand) {
    const signs = column || last === ")" ? SIGNS.map(option("sign")) : [];
    return [...signs, ...JOINTS.map(option("word"))];
  }
  const compared = /^([<>=!]+|\(|,|in)$/.test(last) ? valueOptions(subject(before, columns)) : [];
  const forms = before.length || last ? [] : FORMS.map(option("form"));
  return [...compared, ...columnOptions(columns), ...forms, ...FUNCTIONS.map(option("function"))];
}

/**
 * What could stand at the caret: {start, end, options}, where options replace start … end.
 * @param {string} text
 * @param {number} caret
 * @param {{name: string, kind: string, categories: string[] | null}[]} columns
 */
export function completions(text, caret, columns) {
  const tokens = split(text.slice(0, caret));
  const last = tokens.at(-1);
  const touching = last && last.start + last.text.length === caret;
  const open = touching && /^['"`]/.test(last.text) && !closed(last.text);
  const word = touching && /^[\p{L}_]/u.test(last.text);
  if (!open && !word) {
    return { start: caret, end: caret, options: following(tokens, columns).slice(0, MOST) };
  }
  const before = tokens.slice(0, -1);
  const typed = open ? last.text.slice(1) : last.text;
  let offered;
  if (!open) offered = following(before, columns);
  else if (last.text[0] === "`") offered = columnOptions(columns);
  else offered = valueOptions(subject(before, columns));
  const options = ranked(offered, typed).filter((each) => each.text !== last.text);
  return { start: last.start, end: caret, options: options.slice(0, MOST) };
}

function closed(text) {
  return text.length > 1 && text.endsWith(text[0]);
}

/** Those that begin with what was typed, then those that hold it. */
function ranked(options, typed) {
  const wanted = typed.toLowerCase();
  const place = (each) => (each.match || each.text).toLowerCase().indexOf(wanted);
  return options.map((each) => [place(each), each]).filter(([found]) => found >= 0)
    .sort(([a], [b]) => Math.min(a, 1) - Math.min(b, 1)).map(([, each]) => each);
}
