/** Tables as files. */

const cell = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;

/** The rows of answers, one number a line. */
export function answersAsRows(answers) {
  const rows = [["question", "kind", "cell", "value", "low", "high", "confidence", "replayed",
    "digest"]];
  for (const each of answers) {
    const ends = [each.confidence, each.replayed, each.digests.join(" ")];
    if (each.cells) {
      for (const one of each.cells) {
        rows.push([each.question, each.kind, one.label, one.value, one.low, one.high, ...ends]);
      }
    } else if (each.kind === "quantile") {
      rows.push([each.question, each.kind, "level", each.value, each.lowest_level,
        each.highest_level, ...ends]);
    } else rows.push([each.question, each.kind, "", each.value, each.low, each.high, ...ends]);
  }
  return rows;
}

/** Give a table to the reader as a CSV file. */
export function download(name, rows) {
  const text = rows.map((row) => row.map(cell).join(",")).join("\r\n");
  const address = URL.createObjectURL(new Blob([text, "\r\n"], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
