/** Predictions in a CSV file, as the gateway takes them. The file stays in the browser. */

/** The cells of a text by rows; quotes may hold commas, quotes and line breaks. */
export function cellsOf(text, mark = ",") {
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  const end = () => { row.push(cell); cell = ""; };
  const endRow = () => {
    end();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  const plain = text.replace(/^\uFEFF/, "");
  for (let at = 0; at < plain.length; at += 1) {
    const each = plain[at];
    if (quoted) {
      if (each !== '"') cell += each;
      else if (plain[at + 1] === '"') { cell += each; at += 1; } else quoted = false;
    } else if (each === '"') quoted = true;
    else if (each === mark) end();
    else if (each === "\n") endRow();
    else if (each !== "\r") cell += each;
  }
  if (cell !== "" || row.length) endRow();
  return rows;
}

/** The columns that are likely meant, by their names and their place. */
export function likely(heads, { ids }) {
  const named = (pattern) => heads.findIndex((each) => pattern.test(each.trim()));
  const id = ids ? Math.max(0, named(/^(row_?)?id$/i)) : -1;
  const found = named(/^(prediction|predicted|pred|label|y|y_pred)s?$/i);
  const last = heads.length - 1;
  return { id: heads.length > 1 ? id : -1, prediction: found >= 0 && found !== id ? found : last };
}

/**
 * What is sent: the values of a column, with ids if there is a column of them. Throws an Error
 * with a sentence if a cell is not of the kind that labels have.
 */
export function predictionsOf(rows, { prediction, id, kind }) {
  const values = rows.map((row, index) => {
    const text = row[prediction] ?? "";
    if (kind === "text") return text;
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) {
      throw new Error(`Row ${index + 1} has “${text.slice(0, 40)}” where labels are numbers.`);
    }
    return number;
  });
  return id < 0 ? values : { ids: rows.map((row) => row[id] ?? ""), values };
}
