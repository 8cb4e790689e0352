/** Appends to the session log or throws, and collects new entries as events. A turn that cannot be written must not be acted on. */

import { type AppendResult, type Entry, type NewEntry, refusalNotes, type Session } from "@pith/context";
import { COMPACTION_USAGE } from "@pith/context/host";
import type { AgentEvent, UsageEvent } from "./events.ts";

/** What could not be written ends the run; its message says what to do. */
export class NotWritten extends Error {}

export async function appended(session: Session, ...drafts: readonly NewEntry[]): Promise<void> {
  written(await session.append(...drafts));
}

/** What a model or a tool said: a power cut may cost the last second of it, nothing else does. */
export async function appendedSoon(session: Session, draft: NewEntry): Promise<void> {
  written(await session.appendReplaceable(draft));
}

/** For what follows from where the log stands: looked at again until nobody comes in between. Null: there is nothing to write. */
export async function appendedHere<Said>(
  session: Session,
  said: () => Promise<{ readonly said: Said; readonly drafts: readonly NewEntry[] } | null>,
): Promise<Said | null> {
  for (;;) {
    const { leaf } = session;
    const next = await said();
    if (!next) return null;
    const outcome = await session.appendAtLeaf(leaf, next.drafts);
    if (outcome.type === "appended") return next.said;
    // Somebody of this program was first; another program's line stays there however often we look.
    if (outcome.type !== "leaf-moved" || session.leaf === leaf) written(outcome as AppendResult);
  }
}

/** What could not be written is thrown. */
export function written(outcome: AppendResult): void {
  if (outcome.type !== "appended") throw new NotWritten(noteOf(outcome));
}

function noteOf(outcome: Exclude<AppendResult, { type: "appended" }>): string {
  return outcome.type === "leaf-moved"
    ? "another program has written to this session; open it again"
    : refusalNotes[outcome.why];
}

export class NewEntries {
  #written: AgentEvent[] = [];
  #leaf: string | null;

  constructor(session: Session) {
    this.#leaf = session.leaf;
    session.watch((written) => this.#take(written));
  }

  take(): readonly AgentEvent[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }

  #take(batch: readonly Entry[]): void {
    const [first] = batch;
    const leafId = batch.at(-1)?.id;
    if (!first || leafId === undefined) return;
    this.#written.push(...batch.flatMap(told));
    if (first.parentId !== this.#leaf) this.#written.push({ type: "leaf_moved", leafId, oldLeafId: this.#leaf });
    this.#leaf = leafId;
  }
}

function told(entry: Entry): readonly AgentEvent[] {
  return [{ type: "entry_appended", entry }, ...renamed(entry), ...paidBeside(entry)];
}

function renamed(entry: Entry): readonly AgentEvent[] {
  if (entry.type !== "session_info") return [];
  return [{ type: "session_info_changed", ...(entry.name && { name: entry.name }) }];
}

// EVT5: a reply tells by itself what it cost, and so does a compaction.
function paidBeside(entry: Entry): readonly UsageEvent[] {
  if (entry.type === "usage" && entry.kind !== COMPACTION_USAGE) {
    const { kind, provider, model, usage } = entry;
    return [{ type: "usage", kind, provider, model, usage }];
  }
  if (entry.type !== "branch_summary" || !entry.usage) return [];
  return [{ type: "usage", kind: entry.type, ...writerOf(entry.details), usage: entry.usage }];
}

function writerOf(details: unknown): Pick<UsageEvent, "provider" | "model"> {
  const by = (details as { readonly pith?: { readonly by?: unknown } } | undefined)?.pith?.by;
  const [provider = "", ...model] = typeof by === "string" ? by.split("/") : [];
  return { provider, model: model.join("/") };
}
