/** Appends to the session log or throws, and collects new entries as events. A turn that cannot be written must not be acted on. */

import { type AppendResult, type Entry, type NewEntry, refusalNotes, type Session } from "@pith/context";
import { COMPACTION_USAGE } from "@pith/context/host";
import type { AgentEvent, UsageEvent } from "./events.ts";

/** What could not be written ends the run; its message says what to do. */
export class AppendError extends Error {}

export async function appendEntries(session: Session, ...drafts: readonly NewEntry[]): Promise<void> {
  assertAppended(await session.append(...drafts));
}

/** What a model or a tool said: a power cut may cost the last second of it, nothing else does. */
export async function appendBuffered(session: Session, draft: NewEntry): Promise<void> {
  assertAppended(await session.appendReplaceable(draft));
}

/** For what follows from where the log stands: looked at again until nobody comes in between. Null: there is nothing to write. */
export async function appendAtCurrentLeaf<Said>(
  session: Session,
  prepare: () => Promise<{ readonly result: Said; readonly drafts: readonly NewEntry[] } | null>,
): Promise<Said | null> {
  for (;;) {
    const { leaf } = session;
    const prepared = await prepare();
    if (!prepared) return null;
    const outcome = await session.appendAtLeaf(leaf, prepared.drafts);
    if (outcome.type === "appended") return prepared.result;
    // Somebody of this program was first; another program's line stays there however often we look.
    if (outcome.type !== "leaf-moved" || session.leaf === leaf) assertAppended(outcome as AppendResult);
  }
}

/** What could not be written is thrown. */
export function assertAppended(outcome: AppendResult): void {
  if (outcome.type !== "appended") throw new AppendError(describeAppendFailure(outcome));
}

function describeAppendFailure(outcome: Exclude<AppendResult, { type: "appended" }>): string {
  return outcome.type === "leaf-moved"
    ? "another program has written to this session; open it again"
    : refusalNotes[outcome.why];
}

export class NewEntryEvents {
  #events: AgentEvent[] = [];
  #leafId: string | null;

  constructor(session: Session) {
    this.#leafId = session.leaf;
    session.watch((batch) => this.#addBatch(batch));
  }

  take(): readonly AgentEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #addBatch(batch: readonly Entry[]): void {
    const [first] = batch;
    const leafId = batch.at(-1)?.id;
    if (!first || leafId === undefined) return;
    this.#events.push(...batch.flatMap(entryEvents));
    if (first.parentId !== this.#leafId) this.#events.push({ type: "leaf_moved", leafId, oldLeafId: this.#leafId });
    this.#leafId = leafId;
  }
}

function entryEvents(entry: Entry): readonly AgentEvent[] {
  return [{ type: "entry_appended", entry }, ...renameEvents(entry), ...usageEvents(entry)];
}

function renameEvents(entry: Entry): readonly AgentEvent[] {
  if (entry.type !== "session_info") return [];
  return [{ type: "session_info_changed", ...(entry.name && { name: entry.name }) }];
}

// EVT5: a reply tells by itself what it cost, and so does a compaction.
function usageEvents(entry: Entry): readonly UsageEvent[] {
  if (entry.type === "usage" && entry.kind !== COMPACTION_USAGE) {
    const { kind, provider, model, usage } = entry;
    return [{ type: "usage", kind, provider, model, usage }];
  }
  if (entry.type !== "branch_summary" || !entry.usage) return [];
  return [{ type: "usage", kind: entry.type, ...parseSummaryModel(entry.details), usage: entry.usage }];
}

function parseSummaryModel(details: unknown): Pick<UsageEvent, "provider" | "model"> {
  const modelId = (details as { readonly pith?: { readonly by?: unknown } } | undefined)?.pith?.by;
  const [provider = "", ...model] = typeof modelId === "string" ? modelId.split("/") : [];
  return { provider, model: model.join("/") };
}
