/** What stands where in a context, in tokens by the letter: the front that a compaction made, what it kept, what came since. Pure. */

import {
  buildSessionContext,
  type CompactionEntry,
  type FrontKind,
  frontParts,
  type ModelName,
  messageTokens,
  type Window,
} from "@pith/context";
import { sumsOf } from "./running-sums.ts";

export interface RawParts {
  readonly front: readonly RawFront[];
  /** By kind, in the order in which they came. */
  readonly kept: ReadonlyMap<string, number>;
  readonly fresh: ReadonlyMap<string, number>;
}

export interface RawFront {
  readonly kind: FrontKind;
  readonly tokens: number;
}

export function rawParts(window: Window, to: ModelName | undefined): RawParts {
  const { messages, sources } = buildSessionContext(window);
  return { front: frontOf(window), ...sumsOf(messages, { firstFresh: freshFrom(window, sources), to }) };
}

function frontOf({ entries, compactionAt }: Window): readonly RawFront[] {
  const compaction = entries[compactionAt];
  if (compaction?.type !== "compaction") return [];
  const parts = frontParts(compaction);
  return parts.length > 0 ? parts : [{ kind: "story", tokens: summaryTokens(compaction) }];
}

function summaryTokens({ summary }: CompactionEntry): number {
  return messageTokens({ role: "user", content: summary, timestamp: 0 });
}

/** Where in the messages that begins what came since the newest compaction; without one, all did. */
function freshFrom({ entries, compactionAt }: Window, sources: readonly string[]): number {
  if (compactionAt < 0) return 0;
  const kept = new Set(entries.slice(0, compactionAt + 1).map(({ id }) => id));
  const at = sources.findIndex((id) => !kept.has(id));
  return at === -1 ? sources.length : at;
}
