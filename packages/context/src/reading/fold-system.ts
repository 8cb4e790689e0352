/** The system state at a leaf as one message: what a compaction puts in the place of all that was said about it. */

import type { SystemMessage, Tool } from "../message.ts";
import { isObject } from "../session/codec/line/read-line.ts";
import type { Window } from "../session/window.ts";

/** Null where the log says nothing of it. */
export function foldedSystem({ entries, compactionAt }: Window): SystemMessage | null {
  const compaction = entries[compactionAt];
  const before = compaction?.type === "compaction" ? compaction.systemMessage : undefined;
  const since = entries
    .slice(compactionAt + 1)
    .flatMap((entry) => (entry.type === "message" && entry.message.role === "system" ? [entry.message] : []));
  const [first, ...later] = before?.role === "system" ? [before, ...since] : since;
  return first ? folded(first, later) : null;
}

// CTX13: sections by name, null removes one; tools come and go; words are added to words.
function folded(first: SystemMessage, later: readonly SystemMessage[]): SystemMessage {
  const last = later.at(-1);
  if (!last) return first;
  const sections = new Map<string, string>();
  const tools = new Map<string, Tool>();
  for (const message of [first, ...later]) {
    patchSections(sections, message);
    patchTools(tools, message);
  }
  return {
    role: "system",
    content: contentOf(first, later),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: last.timestamp,
  };
}

// Files are not checked section by section or tool by tool.
function patchSections(named: Map<string, string>, { sections }: SystemMessage): void {
  for (const [name, text] of isObject(sections) ? Object.entries(sections) : []) {
    if (text === null) named.delete(name);
    if (typeof text === "string") named.set(name, text);
  }
}

function patchTools(tools: Map<string, Tool>, { toolsAdded, toolsRemoved }: SystemMessage): void {
  for (const { name } of namedIn(toolsRemoved)) tools.delete(name);
  for (const tool of namedIn(toolsAdded)) {
    // A newer one stands at the end, where it was added.
    tools.delete(tool.name);
    tools.set(tool.name, tool);
  }
}

function namedIn<Each extends { readonly name: string }>(tools: readonly Each[] | undefined): readonly Each[] {
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool?.name === "string") : [];
}

// Words that are said again are not added again: they stand once, where they were said last.
function contentOf(first: SystemMessage, later: readonly SystemMessage[]): SystemMessage["content"] {
  const speaking = [first, ...later].filter((message) => words(message).trim() !== "");
  if (speaking.length <= 1) return speaking[0]?.content ?? "";
  const added = [...new Set(later.map(words).reverse())].reverse().filter((text) => text.trim() !== "");
  return [added.reduce(without, words(first)), ...added].filter((text) => text.trim() !== "").join("\n\n");
}

function without(text: string, paragraphs: string): string {
  const at = `\n\n${text}\n\n`.indexOf(`\n\n${paragraphs}\n\n`);
  if (at === -1) return text;
  const rest = [text.slice(0, Math.max(0, at - 2)), text.slice(at + paragraphs.length + 2)];
  return rest.filter((part) => part !== "").join("\n\n");
}

function words({ content }: SystemMessage): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (block?.type === "text" && typeof block.text === "string" ? [block.text] : []))
    .join("\n");
}
