/** What a context is made of, by kind, in tokens that add up to what the next request weighs. Pure. */

import {
  type AgentMessage,
  type AssistantMessage,
  type Budget,
  buildSessionContext,
  type CompactionEntry,
  contextSize,
  convertToLlm,
  type FrontKind,
  foldedSystem,
  frontParts,
  type Message,
  type ModelName,
  messageTokens,
  type SystemMessage,
  type Window,
} from "@pith/context";

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
  const said = [...frontOf(window), ...tailOf(window, budget.to)];
  const own = scaled(systemParts(foldedSystem(window)), fixed);
  // An estimate of the system above what was measured in all would leave no room for what was said.
  if (tokens <= fixed) return scaled([...own, ...merged(said)], tokens);
  return [...own, ...scaled(merged(said), tokens - fixed)];
}

/** Estimates by the letter, brought to what was measured. */
function scaled(parts: readonly ContextPart[], tokens: number): readonly ContextPart[] {
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  if (sum === 0 || tokens <= 0) return [];
  let before = 0;
  return parts
    .map((part) => {
      const from = Math.round((tokens * before) / sum);
      before += part.tokens;
      return { ...part, tokens: Math.round((tokens * before) / sum) - from };
    })
    .filter((part) => part.tokens > 0);
}

function merged(parts: readonly ContextPart[]): readonly ContextPart[] {
  const kinds = new Map<string, ContextPart>();
  for (const part of parts) {
    const known = kinds.get(`${part.place} ${part.kind}`);
    kinds.set(`${part.place} ${part.kind}`, known ? { ...known, tokens: known.tokens + part.tokens } : part);
  }
  return [...kinds.values()];
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

function frontOf({ entries, compactionAt }: Window): readonly ContextPart[] {
  const compaction = entries[compactionAt];
  if (compaction?.type !== "compaction") return [];
  const parts = frontParts(compaction);
  if (parts.length === 0) return [{ place: "front", kind: "summary", tokens: summaryTokens(compaction) }];
  return parts.map(({ kind, tokens }) => ({ place: "front", kind: fronts[kind], tokens }));
}

function summaryTokens({ summary }: CompactionEntry): number {
  return messageTokens({ role: "user", content: summary, timestamp: 0 });
}

/** What was said as it is sent, since a file of another program may hold what no request takes; then what is only told. */
function tailOf(window: Window, to: ModelName | undefined): readonly ContextPart[] {
  // The summary of a compaction is the front.
  const messages = buildSessionContext(window).messages.filter(({ role }) => role !== "compactionSummary");
  const said = convertToLlm(
    messages.filter(({ role }) => !notes[role]),
    to,
  );
  const kinds = [...said.flatMap(kindsIn), ...messages.flatMap((message) => noteKinds(message, to))];
  return kinds.map((part) => ({ ...part, place: "tail" }));
}

type Kind = Omit<ContextPart, "place">;

function kindsIn(message: Message): readonly Kind[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ kind: "your messages", tokens: messageTokens(message) }];
    case "assistant":
      return replyKinds(message);
    case "toolResult":
      return [{ kind: `results of ${message.toolName}`, tokens: messageTokens(message) }];
  }
}

function replyKinds(message: AssistantMessage): readonly Kind[] {
  return message.content.map((block) => ({
    kind: replies[block.type],
    tokens: messageTokens({ ...message, content: [block] }),
  }));
}

const replies = { text: "replies", thinking: "thinking", toolCall: "calls of tools" } as const;

function noteKinds(message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  const kind = notes[message.role];
  if (kind === undefined) return [];
  return [{ kind, tokens: convertToLlm([message], to).reduce((sum, each) => sum + messageTokens(each), 0) }];
}

const notes: Partial<Readonly<Record<AgentMessage["role"], string>>> = {
  bashExecution: "your commands",
  custom: "notes",
  branchSummary: "branches that were left",
};
