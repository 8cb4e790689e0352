/** Appends entries to the session or throws, and reports new entries as events. A turn that cannot be written must not be acted on. */

import { type AppendResult, type Entry, type NewEntry, refusalNotes, type Session } from "@pith/context";
import { COMPACTION_USAGE } from "@pith/context/host";
import type { AgentEvent, UsageEvent } from "./events.ts";

/** Ends the run. Its message tells the user what to do. */
export class AppendError extends Error {}

export async function appendEntries(session: Session, ...drafts: readonly NewEntry[]): Promise<void> {
  assertAppended(await session.append(...drafts));
}

/** For replies and tool results. A power cut may lose the last second of them; a crash of the program does not. */
export async function appendBuffered(session: Session, draft: NewEntry): Promise<void> {
  assertAppended(await session.appendReplaceable(draft));
}

/** For entries that depend on the current leaf. Prepares them again if the leaf moves before the append. Null: there is nothing to append. */
export async function appendAtCurrentLeaf<Result>(
  session: Session,
  prepare: () => Promise<{ readonly result: Result; readonly drafts: readonly NewEntry[] } | null>,
): Promise<Result | null> {
  for (;;) {
    const { leaf } = session;
    const prepared = await prepare();
    if (!prepared) return null;
    const outcome = await session.appendAtLeaf(leaf, prepared.drafts);
    if (outcome.type === "appended") return prepared.result;
    // Retry only if this program moved the leaf. A line of another program stays a conflict.
    if (outcome.type !== "leaf-moved" || session.leaf === leaf) assertAppended(outcome as AppendResult);
  }
}

/** Throws an `AppendError` unless the entries were appended. */
export function assertAppended(outcome: AppendResult): void {
  if (outcome.type !== "appended") throw new AppendError(describeAppendFailure(outcome));
}

function describeAppendFailure(outcome: Exclude<AppendResult, { type: "appended" }>): string {
  return outcome.type === "leaf-moved"
    ? "another process has written to this session; reopen it"
    : refusalNotes[outcome.why];
}

/** Collects events for the entries that are appended to a session. */
export class NewEntryEvents {
  #events: AgentEvent[] = [];
  #leafId: string | null;

  constructor(session: Session) {
    this.#leafId = session.leaf;
    session.watch((batch) => this.#addBatch(batch));
  }

  /** Returns the events since the last call. */
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

// EVT5: the usage of a reply is in `message_end`, that of a compaction in `compaction_end`.
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
