/** Preformatted text as a fenced block: every space stays, and nothing inside can end the fence. */

import { blocks } from "./tags.ts";
import type { Element, Node } from "./tree.ts";

export function codeText(element: Element): string {
  const text = raw(element.children).replace(/^\n/, "").trimEnd();
  if (text === "") return "";
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${languageOf(element)}\n${text}\n${fence}`;
}

function raw(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : rawElement(node))).join("");
}

/** Some pages wrap each line of code in a block. */
function rawElement({ tag, children }: Element): string {
  if (tag === "br") return "\n";
  const text = raw(children);
  return blocks.has(tag) && !text.endsWith("\n") ? `${text}\n` : text;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function languageOf({ attributes, children }: Element): string {
  const inner = children.find((child) => typeof child !== "string" && child.tag === "code");
  const classes = [attributes, ...(typeof inner === "object" ? [inner.attributes] : [])].map((all) => all.get("class"));
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(classes.join(" "))?.[1] ?? "";
}
