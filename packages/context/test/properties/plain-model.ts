/** Models a session as simply as possible, as a list of entries and a walk along their parents; the real one is compared with it. */

import type { Entry } from "../../src/entry.ts";
import type { AgentMessage } from "../../src/message.ts";
import { initialSessionState, type SessionState } from "../../src/session/state.ts";

export interface PlainSession {
  readonly entries: readonly Entry[];
  readonly leaf: string | null;
}

export function plainAppend({ entries }: PlainSession, added: readonly Entry[]): PlainSession {
  return { entries: [...entries, ...added], leaf: added.at(-1)?.id ?? null };
}

export function plainBranch({ entries }: PlainSession, leaf: string | null): readonly Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: Entry[] = [];
  for (let id = leaf; id !== null; id = byId.get(id)?.parentId ?? null) {
    const entry = byId.get(id);
    if (entry) path.unshift(entry);
  }
  return path;
}

/** What holds at a leaf: the last entry decides, and what compactions carry does not count. */
export function plainState(session: PlainSession, leaf: string | null): SessionState {
  let [model, thinkingLevel, activeTools]: [SessionState["model"], string, SessionState["activeTools"]] = [
    null,
    "off",
    null,
  ];
  for (const entry of plainBranch(session, leaf)) {
    if (entry.type === "thinking_level_change") thinkingLevel = entry.thinkingLevel;
    if (entry.type === "active_tools_change") activeTools = entry.activeToolNames;
    if (entry.type === "model_change") model = { provider: entry.provider, modelId: entry.modelId };
    if (entry.type === "message" && entry.message.role === "assistant")
      model = { provider: entry.message.provider, modelId: entry.message.model };
  }
  return { ...initialSessionState, model, thinkingLevel, activeTools };
}

/** Section b5 of the format, word for word. */
export function plainContext(session: PlainSession, leaf: string | null): readonly AgentMessage[] {
  const path = plainBranch(session, leaf);
  const compaction = path.filter((entry) => entry.type === "compaction").at(-1);
  let chosen = path;
  if (compaction?.type === "compaction") {
    const at = path.indexOf(compaction);
    const from = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
    const kept = path.filter((entry, index) => from !== -1 && index >= from && index < at && !isSystem(entry));
    chosen = [compaction, ...kept, ...path.slice(at + 1)];
  }
  const edits = new Map(
    chosen.flatMap((entry) => (entry.type === "context_edit" ? [[entry.targetId, entry] as const] : [])),
  );
  return chosen.flatMap((entry) => {
    const replacement = edits.get(entry.id)?.replacement;
    if (replacement === null) return [];
    const message = plainMessage(entry, compaction);
    if (!message) return [];
    return [replacement === undefined ? message : ({ ...message, content: replacement.content } as AgentMessage)];
  });
}

function plainMessage(entry: Entry, newest: Entry | undefined): AgentMessage | null {
  if (entry.type === "message") return entry.message;
  const timestamp = Date.parse(entry.timestamp);
  if (entry.type === "compaction" && entry === newest)
    return { role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp };
  if (entry.type === "branch_summary" && entry.summary !== "")
    return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
  if (entry.type === "custom_message") {
    const { customType, content, display } = entry;
    return { role: "custom", customType, content, display, timestamp };
  }
  return null;
}

const isSystem = (entry: Entry): boolean => entry.type === "message" && entry.message.role === "system";
