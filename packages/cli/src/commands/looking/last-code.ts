/** The last code in an answer: what stands between two fences of its Markdown. Pure. */

/** Null where there is none. One that was not closed, because the answer broke off, goes to the end. */
export function lastCode(markdown: string): string | null {
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  let last: string | null = null;
  for (const line of markdown.split("\n")) {
    const [, fence = "", behind = ""] = FENCE.exec(line) ?? [];
    if (open && fence.startsWith(open.fence) && behind.trim() === "") {
      last = open.lines.join("\n");
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence !== "") open = { fence, lines: [] };
  }
  return open ? open.lines.join("\n") : last;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
