/** Hooks after a compaction, and after one that failed: they hear of it, and may put something behind it in the log (B75). */

import { answersOf, type HookHost } from "../../hook.ts";
import type { Ports } from "../../ports.ts";
import type { Session } from "../../session/session.ts";
import type { Reason } from "../receipt.ts";
import { addedIn } from "./added-context.ts";
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
    { host: afterwards(hooks), ports, read: (result) => addedIn(result, { tokens }) },
  );
  const added = answers.flat();
  if (added.length === 0) return;
  const isHere = session.window.entries.some((each) => each.id === id);
  if (isHere) await session.append(...added);
  else hooks.report?.({ event: "session_compact", why: "the session has left the compaction meanwhile" });
}

// What is done cannot be cancelled any more: whatever one of them does, the others hear of it.
function afterwards(hooks: CompactionHooks): HookHost {
  return { ...hooks, onFailure: "go-on" };
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
