/** What was written to a session since one looked last, whoever wrote it, as it is told. */

import { COMPACTION_USAGE, type Entry, type Session } from "@pith/context";
import type { AgentEvent, UsageEvent } from "../events.ts";

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
