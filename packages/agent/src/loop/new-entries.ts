/** What was written to a session since one looked last, whoever wrote it, as it is told. */

import { COMPACTION_USAGE, type Entry, type Session } from "@pith/context";
import type { AgentEvent, UsageEvent } from "../events.ts";

export class NewEntries {
  #written: Entry[] = [];

  constructor(session: Session) {
    session.watch((written) => void this.#written.push(...written));
  }

  take(): readonly AgentEvent[] {
    const written = this.#written;
    this.#written = [];
    return written.flatMap((entry) => [{ type: "entry_appended", entry } as const, ...paidBeside(entry)]);
  }
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
