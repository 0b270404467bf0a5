/** Questions that were asked as lists of JSON, in the words of the language. For reading only. */

import { nameOf, quoted } from "./words.js";

const FIELDS = new Set(["year", "month", "day", "weekday", "hour", "minute", "second"]);
const BETWEEN = new Set(["<", "<=", ">", ">=", "=", "!=", "+", "*", "/"]);
const MATCHES = { "begins with": "startswith", "ends with": "endswith", contains: "contains" };

// A score is told by its metric and the digest of its predictions; no question begins like that.
const SCORE = /^(pairs: )?[a-z_][^'"]*? of (predictions [0-9a-f]{16}\b|the labels\b)/;

/** Whether a question is about predictions, which only those who have them can ask again. */
export function isScore(text) {
  return SCORE.test(text);
}

/** The question, readable if it can be; anything unforeseen stays as it is. */
export function readable(text) {
  if (isScore(text)) return text.replace(/\b([0-9a-f]{8})[0-9a-f]{8}\b/g, "$1…");
  if (!text.startsWith("[")) return text;
  try {
    return written(JSON.parse(text));
  } catch {
    return text;
  }
}

function written(part, inside = false) {
  if (typeof part === "string") return quoted(part);
  if (!Array.isArray(part)) return String(part);
  const [head, ...rest] = part;
  const all = rest.map((each) => written(each, true));
  const joined = (sign) => (inside ? `(${all.join(sign)})` : all.join(sign));
  if (head === "share") return written(rest[0]);
  if (head === "column") return nameOf(rest[0]);
  if (head === "and" || head === "or") return joined(` ${head} `);
  if (BETWEEN.has(head)) return joined(` ${head} `);
  if (head === "not") return `not ${all[0]}`;
  if (head === "is true") return all[0];
  if (head === "is false") return `not ${all[0]}`;
  if (head === "is null" || head === "is not null") return `${all[0]} ${head}`;
  if (head === "in" || head === "not in") return `${all[0]} ${head} ${values(rest[1])}`;
  if (head === "edges" || head === "values") return `${all[0]}, ${values(rest[1])}`;
  if (head === "mean") return `mean(${(rest[3] === null ? all.slice(0, 3) : all).join(", ")})`;
  if (head === "clip" || head === "if" || FIELDS.has(head)) return `${head}(${all.join(", ")})`;
  if (head === "given") return `${all[0]} given ${all[1]}`;
  const match = MATCHES[String(head).replace(/^not /, "")];
  if (match) return `${head.startsWith("not ") ? "not " : ""}${match}(${all.join(", ")})`;
  throw new Error(`not a form that is read here: ${head}`);
}

function values(list) {
  return `(${list.map((each) => written(each)).join(", ")})`;
}
