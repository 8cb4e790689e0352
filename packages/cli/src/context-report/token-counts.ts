/** Estimates the tokens of messages by kind, and scales estimates to a measured total. */

import { type AgentMessage, type AssistantMessage, convertToLlm, type ModelName, messageTokens } from "@pith/context";

export interface Kind {
  /** For people. */
  readonly kind: string;
  readonly tokens: number;
}

/**
 * Cached, because messages never change.
 * As it is sent to this model; the summary of a compaction and what the system is have places of their own.
 */
export function messageKinds(message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  const name = to === undefined ? "" : `${to.provider}/${to.model}`;
  const known = memory.get(message);
  if (known?.name === name) return known.kinds;
  const kinds = kindsIn(message, to);
  memory.set(message, { name, kinds });
  return kinds;
}

interface Known {
  readonly name: string;
  readonly kinds: readonly Kind[];
}

const memory = new WeakMap<AgentMessage, Known>();

function kindsIn(message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  switch (message.role) {
    case "system":
    case "compactionSummary":
      return [];
    case "user":
      return typeof message.content === "string" && message.content.trim() !== ""
        ? [{ kind: YOURS, tokens: messageTokens(message) }]
        : sentAs(YOURS, message, to);
    case "assistant":
      return replyKinds(message, to);
    case "toolResult":
      return isSound(message.content)
        ? [{ kind: `${RESULTS}${message.toolName}`, tokens: messageTokens(message) }]
        : sentAs(`${RESULTS}${message.toolName}`, message, to);
    case "bashExecution":
      return sentAs("your commands", message, to);
    case "custom":
      return sentAs("notes", message, to);
    case "branchSummary":
      return sentAs("branches that were left", message, to);
  }
}

const RESULTS = "results of ";
const YOURS = "your messages";

/** Files are not checked block by block, and what nobody knows is not sent. */
function isSound(content: readonly { readonly type: string; readonly text?: unknown }[]): boolean {
  return content.length > 0 && content.every((block) => block?.type === "text" && typeof block.text === "string");
}

function sentAs(kind: string, message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  const tokens = convertToLlm([message], to).reduce((sum, sent) => sum + messageTokens(sent), 0);
  return tokens === 0 ? [] : [{ kind, tokens }];
}

/** A reply alone stands behind a question that was made up for it, and before results that were. */
function replyKinds(message: AssistantMessage, to: ModelName | undefined): readonly Kind[] {
  const sent = convertToLlm([message], to).find(({ role }) => role === "assistant");
  if (sent?.role !== "assistant") return [];
  const [only, ...more] = sent.content;
  if (only && more.length === 0) return [{ kind: replies[only.type], tokens: messageTokens(sent) }];
  return sent.content.map((block) => ({
    kind: replies[block.type],
    tokens: messageTokens({ ...sent, content: [block] }),
  }));
}

const replies = { text: "replies", thinking: "thinking", toolCall: "calls of tools" } as const;

export interface Sums {
  /** By kind, in the order in which they came. */
  readonly kept: ReadonlyMap<string, number>;
  readonly fresh: ReadonlyMap<string, number>;
}

export interface Summing {
  /** Where that begins which came since the newest compaction. */
  readonly firstFresh: number;
  readonly to: ModelName | undefined;
}

/** Only new messages are added. From the outside a pure function: messages never change, so the same object means the same words. */
export function sumsOf(messages: readonly AgentMessage[], { firstFresh, to }: Summing): Sums {
  const [first] = messages;
  if (!first) return { kept: new Map(), fresh: new Map() };
  const setting = `${firstFresh} ${to?.provider}/${to?.model}`;
  const known = running.get(first);
  const goesOn = known?.setting === setting && isBeginning(known.taken, messages);
  const sums: Running = goesOn ? known : { setting, taken: [], kept: new Map(), fresh: new Map() };
  for (let at = sums.taken.length; at < messages.length; at++) {
    const message = messages[at];
    if (!message) continue;
    add(at < firstFresh ? sums.kept : sums.fresh, message, to);
    sums.taken.push(message);
  }
  running.set(first, sums);
  return { kept: new Map(sums.kept), fresh: new Map(sums.fresh) };
}

interface Running {
  readonly setting: string;
  readonly taken: AgentMessage[];
  readonly kept: Map<string, number>;
  readonly fresh: Map<string, number>;
}

const running = new WeakMap<AgentMessage, Running>();

function add(sums: Map<string, number>, message: AgentMessage, to: ModelName | undefined): void {
  for (const { kind, tokens } of messageKinds(message, to)) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
}

function isBeginning(taken: readonly unknown[], messages: readonly unknown[]): boolean {
  if (taken.length > messages.length) return false;
  for (let at = 0; at < taken.length; at++) if (taken[at] !== messages[at]) return false;
  return true;
}

/**
 * Whole numbers that add up to `tokens`.
 * Where the boundary between two lies depends on the sums before and behind it alone, however finely these are parted.
 */
export function scaled<Part extends { readonly tokens: number }>(
  parts: readonly Part[],
  tokens: number,
): readonly Part[] {
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  if (sum === 0 || tokens <= 0) return parts.map((part) => ({ ...part, tokens: 0 }));
  let before = 0;
  return parts.map((part) => {
    const from = Math.round((tokens * before) / sum);
    before += part.tokens;
    return { ...part, tokens: Math.round((tokens * before) / sum) - from };
  });
}
