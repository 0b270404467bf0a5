/** Numbers and moments in words. Ends of intervals are rounded outwards, never inwards. */

const LANGUAGE = "en";

/** 20,000 */
export function count(value) {
  return Number(value).toLocaleString(LANGUAGE);
}

/** "1 question", "20,000 questions"; parts of one are written out: "2.67 questions". */
export function plural(value, one, many = `${one}s`) {
  const shown = Number.isInteger(value) ? count(value) : number(value, 3);
  return `${shown} ${value === 1 ? one : many}`;
}

/** A number with as many digits as matter. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const small = value !== 0 && Math.abs(value) < 1e-4;
  const large = Math.abs(value) >= 1e9;
  if (small || large) return minus(value.toPrecision(3));
  return minus(value.toLocaleString(LANGUAGE, { maximumSignificantDigits: digits }));
}

const minus = (text) => text.replace(/^-/, "−");

/** A share as a percentage: 43.0 % */
export function share(value, round = Math.round) {
  return `${(round(value * 1000 - nudge(round)) / 10).toFixed(1)}\u202f%`;
}

// What is exact up to the last bits of a double must not be pushed to the next tenth by them.
function nudge(round) {
  if (round === Math.ceil) return 1e-9;
  return round === Math.floor ? -1e-9 : 0;
}

/** "34.1 % to 51.8 %", or in the units of a mean. */
export function interval(low, high, isShare) {
  if (isShare) return `${share(low, Math.floor)} to ${share(high, Math.ceil)}`;
  const decimals = places(high - low);
  const step = 10 ** decimals;
  const down = Math.floor(low * step) / step;
  const up = Math.ceil(high * step) / step;
  return `${fixed(down, decimals)} to ${fixed(up, decimals)}`;
}

/** A value next to an interval of this width: no more digits than the interval deserves. */
export function valued(value, width, isShare) {
  return isShare ? share(value) : fixed(value, places(width));
}

function places(width) {
  if (!(width > 0) || !Number.isFinite(width)) return 3;
  return Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(width))));
}

function fixed(value, decimals) {
  return minus(value.toLocaleString(LANGUAGE, {
    minimumFractionDigits: decimals, maximumFractionDigits: decimals, signDisplay: "negative",
  }));
}

/** How far an interval reaches to either side: ±0.088 */
export function reach(radius) {
  if (radius === null || radius === undefined) return "–";
  if (radius === 0) return "±0";
  const step = 10 ** (2 - Math.floor(Math.log10(radius)));
  return `±${number(Math.ceil(radius * step - 1e-9) / step, 3)}`;
}

/** A moment of the ledger, in the reader's time zone. */
export function moment(text) {
  const date = new Date(text);
  if (!text || Number.isNaN(date.getTime())) return "";
  return date.toLocaleString(LANGUAGE, { dateStyle: "medium", timeStyle: "short" });
}

/** With a capital in front, as a sentence or a heading begins. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "a, b and c" */
export function listed(parts) {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}
