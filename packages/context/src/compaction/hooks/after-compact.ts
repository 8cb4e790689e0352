/** Hooks after a compaction, and after one that failed: they hear of it, and may put something behind it in the log (B75). */

import { afterwards, answersOf } from "../../hook.ts";
import type { Ports } from "../../ports.ts";
import type { Session } from "../../session/session.ts";
import type { Reason } from "../receipt.ts";
import { addingUpTo, appendAdded } from "./added-context.ts";
import { type CompactionHooks, occurrence } from "./events.ts";

export interface AfterParts {
  readonly session: Session;
  readonly hooks: CompactionHooks;
  readonly ports: Pick<Ports, "sleep">;
  readonly reason: Reason;
  /** Of what hooks may add. */
  readonly tokens: number;
}

export async function afterCompact(id: string, { session, hooks, ports, reason, tokens }: AfterParts): Promise<void> {
  const { session_compact = [] } = hooks;
  const entry = session_compact.length > 0 ? await session.store.entry(id) : undefined;
  if (entry?.type !== "compaction") return;
  const { answers } = await answersOf(
    session_compact,
    () => ({
      type: "session_compact" as const,
      compactionEntry: structuredClone(entry),
      fromExtension: entry.fromHook === true,
      ...occurrence(reason),
    }),
    { host: afterwards(hooks), ports, read: addingUpTo(tokens) },
  );
  await appendAdded(answers.flat(), { session, behind: id, host: hooks, event: "session_compact" });
}

export interface FailedCompact {
  readonly errorMessage?: string;
  readonly aborted: boolean;
}

export async function afterFailedCompact(failed: FailedCompact, { hooks, ports, reason }: AfterParts): Promise<void> {
  const event = { type: "session_compact_failed" as const, ...failed, fromExtension: false, ...occurrence(reason) };
  await answersOf(hooks.session_compact_failed ?? [], () => ({ ...event }), {
    host: afterwards(hooks),
    ports,
    read: () => null,
  });
}
