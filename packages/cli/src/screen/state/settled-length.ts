/** How far a text that is still being written will not change any more, as Markdown is read: to the end of a whole paragraph. Pure. */

/** From `from`, where a paragraph begins. */
export function settledLength(text: string, from: number): number {
  let settled = from;
  let fence: string | null = null;
  let isBlank = false;
  for (let at = from; at < text.length; ) {
    const end = text.indexOf("\n", at);
    if (end === -1) break;
    const line = text.slice(at, end);
    const mark = FENCE.exec(line)?.[1];
    // What is indented belongs to what stands above it.
    if (fence === null && isBlank && /^\S/.test(line)) settled = at;
    if (fence === null && mark) fence = mark;
    else if (fence !== null && mark?.startsWith(fence) && line.trim() === mark) fence = null;
    isBlank = line.trim() === "";
    at = end + 1;
  }
  return settled;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
