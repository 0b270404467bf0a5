/** Shares of a budget as people write them, added up exactly. */

const FORMS = [
  [/^(\d{1,15})\s*\/\s*(\d{1,15})$/, (over, under) => [BigInt(over), BigInt(under)]],
  [/^(\d{1,3}(?:\.\d{1,15})?)\s*%$/, (text) => decimal(text, 2)],
  [/^(\d{1,3}(?:\.\d{1,15})?|\.\d{1,15})$/, (text) => decimal(text, 0)],
];

function decimal(text, shift) {
  const [whole, part = ""] = text.split(".");
  return [BigInt(`${whole}${part}`), 10n ** BigInt(part.length + shift)];
}

function reduced([over, under]) {
  let [a, b] = [over, under];
  while (b) [a, b] = [b, a % b];
  return a ? [over / a, under / a] : [0n, 1n];
}

/** A share such as 1/4, 0.25 or 25 %, as [over, under]; null if it is none. */
export function fraction(text) {
  for (const [form, read] of FORMS) {
    const found = form.exec(text.trim());
    if (!found) continue;
    const [over, under] = read(...found.slice(1));
    return under > 0n && over <= under ? reduced([over, under]) : null;
  }
  return null;
}

/** What is left of one after these, which may be less than nothing. */
export function rest(parts) {
  const [over, under] = parts.reduce(
    ([a, b], [c, d]) => reduced([a * d + c * b, b * d]), [0n, 1n],
  );
  return [under - over, under];
}

/** "1/4"; the gateway reads it exactly. */
export function written([over, under]) {
  return under === 1n ? String(over) : `${over}/${under}`;
}

/** The same for pictures and percentages. */
export function approximate([over, under]) {
  return Number((over * 10n ** 9n) / under) / 1e9;
}
