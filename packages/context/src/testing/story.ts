/** Builds a session from short lines (ids e1, e2 … and numbers 1, 2 …, calls c1, c2 …, in written order), and shows messages as lines, for tests and docs. */

import { type Draft, type Entry, MOVE } from "../entry.ts";
import type { AgentMessage, AssistantMessage, Block, Message, ToolCallBlock, Usage } from "../message.ts";

/**
 * Each line is `word: rest`, and adds one entry behind the one before it:
 *
 * - `user: text`, `says: text`, `thinks: text` (reasoning of the next `says` or `calls`)
 * - `calls: read path=a.ts; bash command=ls` (one assistant message, its calls c1 and c2)
 * - `result: text` (of the oldest open call), `result c2: text`, `fails: text` (a result that is an error)
 * - `fails to answer: text` (a failed reply), `stops: text` (an aborted one), `bash: ls -> output`, `note: text` (a custom message)
 * - `system: text`, `model: provider/model`, `thinking: high`, `names: text` (the session)
 * - `compacts: summary, keeps e5` (or `keeps nothing`), `edits e4: new text`, `drops e4`, `labels e2: name`
 * - `moves: e3` (or `moves: root`), `left e7: summary` (of a branch)
 */
export function story(...lines: readonly string[]): readonly Entry[] {
  const teller: Teller = { entries: [], calls: [], open: [], thought: null };
  for (const line of lines) tell(teller, line);
  return teller.entries;
}

interface Teller {
  readonly entries: Entry[];
  readonly calls: ToolCallBlock[];
  open: readonly ToolCallBlock[];
  thought: string | null;
}

function tell(teller: Teller, line: string): void {
  const [, head = "", rest = ""] = /^([^:]+)(?::\s?([\s\S]*))?$/.exec(line) ?? [];
  const word = ["fails to answer"].includes(head) ? head : (head.split(" ")[0] ?? "");
  const about = head.slice(word.length).trim();
  const telling = words[word];
  if (!telling) throw new Error(`"${line}": a story has no word "${word}"; it has ${Object.keys(words).join(", ")}`);
  const told = telling({ teller, rest, about });
  if (told) add(teller, told);
}

interface Told {
  readonly teller: Teller;
  readonly rest: string;
  readonly about: string;
}

type Placing = Draft & { readonly parentId?: string | null };

const words: Readonly<Record<string, (told: Told) => Placing | null>> = {
  user: ({ teller, rest }) => ({ type: "message", message: { role: "user", content: rest, timestamp: time(teller) } }),
  thinks: ({ teller, rest }) => {
    teller.thought = rest;
    return null;
  },
  says: ({ teller, rest }) => assistant(teller, { content: [{ type: "text", text: rest }] }),
  calls: ({ teller, rest }) => {
    teller.open = rest.split(";").map((text) => call(teller, text.trim()));
    return assistant(teller, { content: teller.open, stopReason: "toolUse" });
  },
  result: ({ teller, rest, about }) => result(teller, { text: rest, callId: about, isError: false }),
  fails: ({ teller, rest, about }) => result(teller, { text: rest, callId: about, isError: true }),
  "fails to answer": ({ teller, rest }) => assistant(teller, { content: [], stopReason: "error", errorMessage: rest }),
  stops: ({ teller, rest }) => assistant(teller, { content: [{ type: "text", text: rest }], stopReason: "aborted" }),
  bash: ({ teller, rest }) => {
    const [command = "", output = ""] = rest.split(" -> ");
    const ran = { command, output, exitCode: 0, cancelled: false, truncated: false };
    return { type: "message", message: { role: "bashExecution", ...ran, timestamp: time(teller) } };
  },
  note: ({ rest }) => ({ type: "custom_message", customType: "note", content: rest, display: true }),
  system: ({ teller, rest }) => ({
    type: "message",
    message: { role: "system", content: rest, timestamp: time(teller) },
  }),
  model: ({ rest }) => {
    const [provider = "", modelId = ""] = rest.split("/");
    return { type: "model_change", provider, modelId };
  },
  thinking: ({ rest }) => ({ type: "thinking_level_change", thinkingLevel: rest }),
  names: ({ rest }) => ({ type: "session_info", name: rest }),
  compacts: ({ teller, rest }) => {
    const [, summary = rest, kept = "nothing"] = /^([\s\S]*), keeps (\S+)$/.exec(rest) ?? [];
    const firstKeptEntryId = kept === "nothing" ? nextId(teller) : kept;
    return { type: "compaction", summary, firstKeptEntryId, tokensBefore: 1000 };
  },
  edits: ({ rest, about }) => ({ type: "context_edit", targetId: about, replacement: { content: rest } }),
  drops: ({ about }) => ({ type: "context_edit", targetId: about, replacement: null }),
  labels: ({ rest, about }) => ({ type: "label", targetId: about, ...(rest && { label: rest }) }),
  moves: ({ rest }) => ({ type: "custom", customType: MOVE, parentId: rest === "root" ? null : rest }),
  left: ({ rest, about }) => ({ type: "branch_summary", fromId: about || "root", summary: rest }),
};

function add({ entries }: Teller, { parentId = entries.at(-1)?.id ?? null, ...draft }: Placing): void {
  const at = entries.length + 1;
  const timestamp = new Date(STORY_BEGINS + at * 1000).toISOString();
  const { type, ...rest } = draft;
  entries.push({ type, id: `e${at}`, parentId, timestamp, number: at, ...rest } as Entry);
}

function assistant(teller: Teller, said: Partial<AssistantMessage>): Placing {
  const thinking =
    teller.thought === null
      ? []
      : [{ type: "thinking" as const, thinking: teller.thought, thinkingSignature: "signed" }];
  teller.thought = null;
  const message: AssistantMessage = {
    role: "assistant",
    content: [],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "storyteller",
    usage: nothingUsed,
    stopReason: "stop",
    timestamp: time(teller),
    ...said,
  };
  return { type: "message", message: { ...message, content: [...thinking, ...message.content] } };
}

function call(teller: Teller, text: string): ToolCallBlock {
  const [name = "", ...pairs] = text.split(" ");
  const args = Object.fromEntries(pairs.map((pair) => pair.split("=", 2)));
  const made: ToolCallBlock = { type: "toolCall", id: `c${teller.calls.length + 1}`, name, arguments: args };
  teller.calls.push(made);
  return made;
}

function result(
  teller: Teller,
  { text, callId, isError }: { text: string; callId: string; isError: boolean },
): Placing {
  const of = teller.calls.find(({ id }) => id === callId) ?? teller.open[0];
  if (!of) throw new Error(`"result: ${text}": no call waits for it`);
  teller.open = teller.open.filter((open) => open !== of);
  const content = text === "" ? [] : [{ type: "text" as const, text }];
  return {
    type: "message",
    message: { role: "toolResult", toolCallId: of.id, toolName: of.name, content, isError, timestamp: time(teller) },
  };
}

const STORY_BEGINS = 1767225600000;
const time = ({ entries }: Teller): number => STORY_BEGINS + (entries.length + 1) * 1000;
const nextId = ({ entries }: Teller): string => `e${entries.length + 1}`;

export const nothingUsed: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** One line per message: `3 assistant  [c1: read path=a.ts]`. */
export function show(messages: readonly (Message | AgentMessage)[]): string {
  return messages.map((message, at) => `${at} ${label(message).padEnd(9)} ${text(message)}`.trimEnd()).join("\n");
}

function label({ role }: AgentMessage): string {
  return SHORT[role] ?? role;
}

const SHORT: Readonly<Partial<Record<AgentMessage["role"], string>>> = {
  toolResult: "tool",
  bashExecution: "shell",
  compactionSummary: "summary",
  branchSummary: "left",
};

function text(message: AgentMessage): string {
  switch (message.role) {
    case "toolResult":
      return `${message.toolCallId} -> ${message.isError ? "(error) " : ""}${content(message.content)}`;
    case "bashExecution":
      return oneLine(`${message.command} -> ${message.output}`);
    case "compactionSummary":
    case "branchSummary":
      return oneLine(message.summary);
    case "system":
    case "user":
    case "assistant":
    case "custom":
      return content(message.content);
  }
}

function content(content: string | readonly Block[]): string {
  if (typeof content === "string") return oneLine(content);
  return content.map(blockText).join(" ");
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return oneLine(block.text);
    case "thinking":
      return `(thinks: ${oneLine(block.thinking)})`;
    case "image":
      return `[${block.mimeType}]`;
    case "toolCall": {
      const args = Object.entries(block.arguments).map(([name, value]) => ` ${name}=${value}`);
      return `[${block.id}: ${block.name}${args.join("")}]`;
    }
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
