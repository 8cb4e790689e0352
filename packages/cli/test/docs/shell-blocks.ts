/** The shell blocks of a page, in order. */

export interface ShellBlock {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly text: string;
}

export function shellBlocks(page: string): readonly ShellBlock[] {
  const blocks: ShellBlock[] = [];
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at] !== "```sh") continue;
    const end = lines.indexOf("```", at + 1);
    blocks.push({ line: at + 1, text: lines.slice(at + 1, end).join("\n") });
    at = end;
  }
  return blocks;
}
