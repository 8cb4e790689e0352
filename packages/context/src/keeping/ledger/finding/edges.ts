/** The beginning and the end of a text: what lies between is too long to look at. */

/** Whole lines where there are any. */
export function edges(text: string): readonly string[] {
  if (text.length <= 2 * LETTERS) return [text];
  const head = text.slice(0, LETTERS);
  const tail = text.slice(-LETTERS);
  return [head.slice(0, head.lastIndexOf("\n") + 1 || LETTERS), tail.slice(tail.indexOf("\n") + 1)];
}

const LETTERS = 20_000;
