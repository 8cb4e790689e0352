/** The end of an answer that is still being written: more of it than the screen shows need not be read again for every picture. Pure. */

/** Where the last rows begin, at a line's beginning; a line without end counts as several. */
export function liveTail(text: string, from: number, rows: number): number {
  const nearest = Math.max(from, text.length - rows * LONGEST_ROW);
  let at = text.length;
  for (let count = 0; count <= rows; count++) {
    const before = text.lastIndexOf("\n", at - 1);
    if (before < nearest) return nearest === from ? from : wholeSign(text, nearest);
    at = before;
  }
  return at + 1;
}

/** Not inside a sign of two halves. */
function wholeSign(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at + 1 : at;
}

/** No row of a terminal has more letters. */
const LONGEST_ROW = 500;
