/** Creates the sessions of the documents: from drawings such as `u1 a1 t1 a1`, whose context is drawn with the same letters, and from their samples. */

import { buildSessionContext } from "../../src/context/build-context.ts";
import type { CompactOptions } from "../../src/default-compaction.ts";
import { type Budget, compactionLimits, createBudget, MemoryStore, type Runtime, Session } from "../../src/index.ts";
import type { AgentMessage, AssistantMessage } from "../../src/message.ts";
import { story, testRuntime } from "../../src/testing/index.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { createSession, repeatWord } from "./small-session.ts";
import { storyModel } from "./story-context.ts";

/** u is a user message, a an assistant message, t a tool result. The names are the entry ids; a repeated name gets a dash. */
export async function drawSession(drawing: string): Promise<Session> {
  const session = await createSession();
  await appendDrawing(session, drawing);
  return session;
}

/** An assistant message calls as many tools as results follow it. */
export async function appendDrawing(session: Session, drawing: string): Promise<void> {
  const names = drawing.split(" ");
  const usedIds = (await session.branchEntries()).map(({ id }) => id);
  let calls: readonly string[] = [];
  for (const [index, name] of names.entries()) {
    const id = freeId(name, usedIds);
    usedIds.push(id);
    const results = names.slice(index + 1).findIndex((next) => !next.startsWith("t"));
    if (name.startsWith("a")) calls = createCallIds(id, results === -1 ? names.length - index - 1 : results);
    await session.append({ type: "message", id, message: createMessage(name, calls) });
    if (name.startsWith("t")) calls = calls.slice(1);
  }
}

function freeId(name: string, usedIds: readonly string[]): string {
  return usedIds.includes(name) ? freeId(`${name}'`, usedIds) : name;
}

function createCallIds(id: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${id}-${at + 1}`);
}

// User messages are short because a compaction keeps them verbatim; the other messages are what it saves.
function createMessage(name: string, calls: readonly string[]): AgentMessage {
  const text = { type: "text" as const, text: `${name} ${repeatWord(200)}` };
  if (name.startsWith("u")) return { role: "user", content: name, timestamp: 1 };
  if (name.startsWith("t"))
    return {
      role: "toolResult",
      toolCallId: calls[0] ?? "",
      toolName: "look",
      content: [text],
      isError: false,
      timestamp: 1,
    };
  const content: AssistantMessage["content"] = [
    text,
    ...calls.map((id) => ({ type: "toolCall" as const, id, name: "look", arguments: {} })),
  ];
  const stopReason = calls.length > 0 ? "toolUse" : "stop";
  return { role: "assistant", ...storyModel, content, usage: emptyUsage, stopReason, timestamp: 1 };
}

/** Draws the context: one name per message. */
export function drawContext({ branch }: Session): string {
  return messageNames(buildSessionContext(branch).messages);
}

function messageNames(messages: readonly AgentMessage[]): string {
  return messages.map(messageName).join(" ");
}

function messageName(message: AgentMessage): string {
  if (message.role === "compactionSummary") return "[summary]";
  if (message.role === "branchSummary") return "[left]";
  if (message.role === "bashExecution") return "[shell]";
  const [first = ""] = typeof message.content === "string" ? [message.content] : message.content.map(blockText);
  return first.split(" ")[0] ?? "";
}

const blockText = (block: object): string => ("text" in block ? String(block.text) : "");

export interface HookInput {
  readonly history: string;
  readonly turn: string;
  readonly previous: string;
}

export function summarizingHook(summary: string, inputs: HookInput[] = []): Pick<CompactOptions, "hooks"> {
  return {
    hooks: {
      session_before_compact: [
        ({ preparation }) => {
          const { messagesToSummarize, turnPrefixMessages, previousSummary = "" } = preparation;
          inputs.push({
            history: messageNames(messagesToSummarize),
            turn: messageNames(turnPrefixMessages),
            previous: previousSummary,
          });
          return { compaction: { summary, firstKeptEntryId: preparation.firstKeptEntryId } };
        },
      ],
    },
  };
}

export interface Sample {
  readonly session: Session;
  readonly budget: Budget;
  readonly runtime: Runtime;
}

const report = Array.from({ length: 400 }, (_, at) => `line ${at} of the report`).join("\n");

/** Entries e1 to e6. The budget keeps the last two, so a compaction covers the first four. */
export const sampleLines: readonly string[] = [
  "user: read the schema",
  "calls: read path=schema.sql",
  `result: ${report}`,
  "says: there are nine tables",
  "user: add an index",
  "says: on which column?",
];

export async function createSample(...lines: readonly string[]): Promise<Sample> {
  const ports = testRuntime("n");
  const store = MemoryStore.create(ports);
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  const budget = createBudget({ ...compactionLimits, tail: { tokens: 30, share: 1 } }, { contextWindow: 200_000 });
  return { session: await Session.open(store, ports), budget, runtime: ports };
}
