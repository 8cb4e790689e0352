/** The system state at a leaf as one message: what a compaction puts in the place of all that was said about it. */

import type { SystemMessage, Tool } from "../message.ts";
import type { Window } from "../session/window.ts";

/** Null where the log says nothing of it. */
export function foldedSystem({ entries, compactionAt }: Window): SystemMessage | null {
  const compaction = entries[compactionAt];
  const before = compaction?.type === "compaction" && compaction.systemMessage ? [compaction.systemMessage] : [];
  const since = entries
    .slice(compactionAt + 1)
    .flatMap((entry) => (entry.type === "message" && entry.message.role === "system" ? [entry.message] : []));
  const [first, ...later] = [...before, ...since];
  return first ? later.reduce(patched, first) : null;
}

// CTX13: sections by name, null removes one; tools come and go; words are added to words.
function patched(system: SystemMessage, change: SystemMessage): SystemMessage {
  const { content, sections, toolsAdded } = system;
  const named = Object.entries({ ...sections, ...change.sections }).filter(([, text]) => text !== null);
  const tools = withTools(toolsAdded ?? [], change);
  return {
    role: "system",
    content: isSilent(change) ? content : isSilent(system) ? change.content : `${words(system)}\n\n${words(change)}`,
    ...(named.length > 0 && { sections: Object.fromEntries(named) }),
    ...(tools.length > 0 && { toolsAdded: tools }),
    timestamp: change.timestamp,
  };
}

function withTools(tools: readonly Tool[], { toolsAdded = [], toolsRemoved = [] }: SystemMessage): readonly Tool[] {
  const gone = new Set([...toolsRemoved, ...toolsAdded].map(({ name }) => name));
  return [...tools.filter(({ name }) => !gone.has(name)), ...toolsAdded];
}

function words({ content }: SystemMessage): string {
  return typeof content === "string" ? content : (content ?? []).map((block) => block?.text ?? "").join("\n");
}

const isSilent = (message: SystemMessage): boolean => words(message).trim() === "";
