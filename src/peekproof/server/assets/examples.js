/** Questions to begin with, made of the columns of a data set alone. */

import { nameOf, quoted } from "./words.js";

const PLAIN = /^[A-Za-z_]\w*$/;

/** A few questions that can be read; numbers in them are to be changed. */
export function examples(dataset) {
  const of = (kind) => dataset.columns.filter((each) => each.kind === kind);
  const short = (columns) => columns.find((each) => PLAIN.test(each.name)) || columns[0];
  const number = short(of("number"));
  const text = short(of("text").filter((each) => each.categories?.length));
  const flag = short(of("true/false"));
  const found = [];
  if (number) found.push(`${nameOf(number.name)} > 50`);
  if (text) found.push(`${nameOf(text.name)} = ${quoted(text.categories[0])}`);
  if (dataset.checks_guesses) return found;
  if (number && flag) found.push(`${nameOf(number.name)} > 50 given ${nameOf(flag.name)}`);
  if (number) found.push(`mean(${nameOf(number.name)}, 0, 100)`);
  if (number && text) found.push(`${nameOf(number.name)} > 50 by ${nameOf(text.name)}`);
  return found;
}
