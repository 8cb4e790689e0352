/** What a context is made of, by kind, in tokens that add up to what the next request weighs. Pure. */

import {
  type Budget,
  contextSize,
  type FrontKind,
  foldedSystem,
  messageTokens,
  type SystemMessage,
  type Window,
} from "@pith/context";
import { type RawParts, rawParts } from "./weighing/raw-parts.ts";
import { scaled } from "./weighing/scaled.ts";

export interface ContextPart {
  /** Where it stands: system and tools, the front that a compaction made, or what is kept as it was said. */
  readonly place: "system" | "front" | "tail";
  /** For people. */
  readonly kind: string;
  readonly tokens: number;
}

/** System, front and tail, those of the same kind together; none is empty. */
export function contextParts(window: Window, budget: Pick<Budget, "to" | "fixed">): readonly ContextPart[] {
  const { tokens, fixed } = contextSize(window, budget);
  const said = merged(rawParts(window, budget.to));
  const own = scaled(systemParts(foldedSystem(window)), fixed);
  // An estimate of the system above what was measured in all would leave no room for what was said.
  const parts = tokens <= fixed ? scaled([...own, ...said], tokens) : [...own, ...scaled(said, tokens - fixed)];
  return parts.filter((part) => part.tokens > 0);
}

function merged({ front, kept, fresh }: RawParts): readonly ContextPart[] {
  const said = [...kept, ...fresh].map(([kind, tokens]): ContextPart => ({ place: "tail", kind, tokens }));
  const parts = [
    ...front.map(({ kind, tokens }): ContextPart => ({ place: "front", kind: fronts[kind], tokens })),
    ...said,
  ];
  const kinds = Map.groupBy(parts, ({ place, kind }) => `${place} ${kind}`);
  return [...kinds.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, tokens: more.reduce((sum, { tokens }) => sum + tokens, first.tokens) }] : [],
  );
}

function systemParts(system: SystemMessage | null): readonly ContextPart[] {
  if (!system) return [{ place: "system", kind: "system prompt and tools", tokens: 1 }];
  const { toolsAdded = [], ...words } = system;
  const tools: SystemMessage = { role: "system", content: "", toolsAdded, timestamp: 0 };
  return [
    { place: "system", kind: "system prompt", tokens: messageTokens({ ...words }) },
    ...(toolsAdded.length > 0
      ? [{ place: "system" as const, kind: `${toolsAdded.length} tools`, tokens: messageTokens(tools) }]
      : []),
  ];
}

const fronts: Readonly<Record<FrontKind, string>> = {
  pins: "pins",
  words: "your words",
  story: "summary",
  notes: "summary",
  ledger: "ledger of files, commands and errors",
  recall: "what can be recalled",
  request: "your latest request",
};
