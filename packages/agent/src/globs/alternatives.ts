/** A glob with braces as globs without: `a.{js,ts}` stands for `a.js` and `a.ts`. */

const MOST = 256;

/** Null where they are too many: each pair of braces multiplies them. */
export function alternatives(glob: string): readonly string[] | null {
  const done: string[] = [];
  const waiting = [glob];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const braces = firstBraces(one);
    if (braces === null) done.push(one);
    else waiting.push(...braces);
    if (done.length + waiting.length > MOST) return null;
  }
  return done;
}

/** With each choice of the first pair in its place; null where there is none that is closed. */
function firstBraces(glob: string): readonly string[] | null {
  const start = glob.search(/(?<!\\)\{/);
  if (start < 0) return null;
  const edges = [start];
  let depth = 0;
  for (let at = start; at < glob.length; at += 1) {
    if (glob[at] === "\\") at += 1;
    else if (glob[at] === "{") depth += 1;
    else if (glob[at] === "}") depth -= 1;
    if (depth === 0 || (depth === 1 && glob[at] === ",")) edges.push(at);
    if (depth === 0) return choices(glob, edges);
  }
  return null;
}

function choices(glob: string, edges: readonly number[]): readonly string[] {
  const before = glob.slice(0, edges[0]);
  const after = glob.slice((edges.at(-1) ?? 0) + 1);
  return edges.slice(1).map((end, index) => before + glob.slice((edges[index] ?? 0) + 1, end) + after);
}
