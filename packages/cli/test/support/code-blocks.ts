/** The blocks of code of a page in one language, in order. */

export interface CodeBlock {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly text: string;
}

export function codeBlocks(page: string, language: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at] !== `\`\`\`${language}`) continue;
    const end = lines.indexOf("```", at + 1);
    blocks.push({ line: at + 1, text: lines.slice(at + 1, end).join("\n") });
    at = end;
  }
  return blocks;
}
