/** A unified diff as pairs of texts, before and after, which is how editors want it. Pure. */

export interface ChangedHunk {
  readonly oldText: string;
  readonly newText: string;
}

export function changedHunks(diff: string): readonly ChangedHunk[] {
  const hunks: { readonly old: string[]; readonly new: string[] }[] = [];
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) hunks.push({ old: [], new: [] });
    const hunk = hunks.at(-1);
    // Before the first stand the names, and a text without a line end says so itself.
    if (!hunk || line.startsWith("@@") || line.startsWith("\\")) continue;
    if (!line.startsWith("+") && line !== "") hunk.old.push(line.slice(1));
    if (!line.startsWith("-") && line !== "") hunk.new.push(line.slice(1));
  }
  return hunks.map((hunk) => ({ oldText: textIn(hunk.old), newText: textIn(hunk.new) }));
}

function textIn(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
