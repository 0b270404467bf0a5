/** The certificate of an answer: what holds, why, and where the ledger says so. */

import { copyButton, openDialog } from "./dialog.js";
import { h, replace, table } from "./dom.js";
import { count, interval, listed, moment, number, plural, reach } from "./format.js";
import { mechanismName } from "./mechanisms.js";
import { busy, problemNotice } from "./notice.js";
import { readable } from "./readable.js";

/** Open the dialog; what it shows is read from the gateway. */
export async function showCertificate(digest, context) {
  const content = h("div", { class: "stack certificate" }, busy("Reading the certificate…"));
  let text = "";
  openDialog({ title: "Certificate", content, actions: [copyButton("Copy as text", () => text)] });
  try {
    const path = context.at(context.dataset.name, `/answers/${encodeURIComponent(digest)}`);
    const receipt = await context.api.get(path, { signal: context.signal });
    text = receipt.text || plain(receipt);
    replace(content, parts(receipt), h("details", {}, h("summary", {}, "As plain text"),
      h("pre", { class: "mono", tabindex: "0" }, text)));
  } catch (error) {
    replace(content, problemNotice(error));
  }
}

const isMean = ({ question }) => /^\s*(?:mean\s*\(|\[\s*"mean")/i.test(question);

function isShare(receipt) {
  const { low, high } = receipt.answer;
  return low >= 0 && high <= 1 && !isMean(receipt);
}

/** What the answer says about the population. */
function claim(receipt) {
  const { answer, certificate } = receipt;
  const sure = `With confidence ${receipt.confidence}, all intervals of at most `
    + `${plural(certificate.questions ?? 0, "answer")} hold together. `;
  if (answer.low !== undefined) {
    return [sure, "This one says: in the population, the ",
      isShare(receipt) ? "share" : "mean", " is from ",
      h("strong", {}, interval(answer.low, answer.high, isShare(receipt))), "."];
  }
  if (answer.lowest_level !== undefined) {
    return [sure, "This one says: ", h("strong", {}, number(answer.value)),
      " is a quantile of a level from ",
      h("strong", {}, interval(answer.lowest_level, answer.highest_level, true)), "."];
  }
  if (answer.cells) {
    return [sure, `This one covers all of its ${plural(answer.cells.length, "number")}.`];
  }
  return [sure, `No candidate is better than the chosen one by more than ${number(answer.gap)}.`];
}

function parts(receipt) {
  const { certificate } = receipt;
  return [
    h("p", { class: "question mono" }, readable(receipt.question)),
    h("p", { class: "claim" }, claim(receipt)),
    h("h3", {}, `Why it reaches ${reach(certificate.radius)}${
      isMean(receipt) ? " of the width between its bounds" : ""}`),
    reasons(certificate),
    h("h3", {}, "Assumed"),
    h("ul", {}, certificate.assumptions.map((each) => h("li", {}, each))),
    h("h3", {}, "Theorems"),
    h("ul", { class: "citations" }, certificate.citations.map((each) => h("li", {}, each))),
    h("h3", {}, "In the ledger"),
    h("dl", { class: "facts" }, [
      ["Answer", `number ${count(receipt.number)}`],
      ["Entry", [`${count(receipt.entry)}, ${moment(receipt.at)}, `,
        h("code", { class: "digest" }, receipt.entry_digest)]],
      ["Counted as", plural(receipt.draws, "question")],
      ["Mechanism", mechanismName(receipt.mechanism.kind)],
      ["Rows", count(receipt.rows)],
      ["Data", h("code", { class: "digest" }, receipt.data)],
    ].map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  ];
}

function reasons(certificate) {
  return h("div", { class: "reasons" }, table({
    caption: `Parts of the radius, joined by ${certificate.joined_by}`,
    columns: ["Part", "Covers", "Theorem"],
    rows: certificate.parts.map((each) => [
      h("span", { class: "mono whole" }, number(each.radius)),
      [each.covers, h("p", { class: "hint" }, listed(Object.entries(each.numbers)
        .map(([name, value]) => `${name} = ${number(value)}`)))],
      h("span", { class: "mono" }, each.theorem)]),
  }));
}

/** For answers that someone else asked for, whose receipt has no text of its own. */
function plain(receipt) {
  const { answer, certificate } = receipt;
  return [
    `Peekproof certificate: answer ${receipt.number}`,
    `Question    ${receipt.question}`,
    `Answer      ${JSON.stringify(answer)}`,
    `Confidence  ${receipt.confidence}, for all answers together`,
    `Rows        ${receipt.rows}, ${receipt.data}`,
    `Entry       ${receipt.entry} ${receipt.entry_digest}`,
    `Radius      ${certificate.radius} (${certificate.joined_by})`,
    ...certificate.parts.map((each) => (
      `            ${each.radius}  ${each.covers} (${each.theorem})`)),
    "Assumed", ...certificate.assumptions.map((each) => `  - ${each}`),
    "Theorems", ...certificate.citations.map((each) => `  ${each}`),
  ].join("\n");
}
