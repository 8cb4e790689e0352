/** A branch as Markdown, to read, keep and paste. */

import type { Block } from "./blocks.ts";
import type { ReadBranch } from "./branch.ts";
import type { Item } from "./items.ts";

type Branch = Extract<ReadBranch, { type: "branch" }>;

export function markdown({ title, facts, items }: Branch): string {
  const head = [`# ${oneLine(title)}`, facts.map(([name, value]) => `- ${name}: ${oneLine(value)}`).join("\n")];
  return `${[...head, ...items.map(section)].join("\n\n")}\n`;
}

function section({ kind, heading, blocks }: Item): string {
  const mark = kind === "user" || kind === "assistant" || kind === "summary" ? "##" : "###";
  return [`${mark} ${oneLine(heading)}`, ...blocks.map((block) => told(block))].join("\n\n");
}

function told(block: Block): string {
  switch (block.type) {
    case "text":
      return closed(block.text.trimEnd());
    case "thinking":
      return quoted(block.text);
    case "call":
      return `Calls \`${block.name.replaceAll("`", "'")}\`:\n\n${fenced(block.text, "json")}`;
    case "output":
      return fenced(block.text);
    case "picture":
      return `*(a picture, ${block.mimeType})*`;
  }
}

/** A fence that nobody has closed, as in a reply that was cut off, would swallow all that follows. */
function closed(text: string): string {
  let open = "";
  for (const [, fence = "", behind = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === "") open = fence.startsWith("`") && behind.includes("`") ? "" : fence;
    else if (fence.startsWith(open) && behind.trim() === "") open = "";
  }
  return open === "" ? text : `${text}\n${open}`;
}

/** The fence is longer than any in the text, so that nothing in it ends it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function quoted(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => `> ${line}`).join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
