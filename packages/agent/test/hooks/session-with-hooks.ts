/** Runs a session that calls every hook: prompts, tool calls, a queued message, a cancelled compaction, a compaction and a move. */

import { type Entry, MemoryStore, type Model, Session } from "@pith/context";
import { emptyUsage, testRuntime } from "@pith/context/testing";
import { type AgentHooks, mergeHooks, type RunEnd, type Tool } from "../../src/index.ts";
import { createTestAgent, quiet, type TestAgent } from "../loop/held.ts";

export interface SessionRun {
  readonly test: TestAgent;
  readonly ends: readonly RunEnd[];
  /** The outcomes of the cancelled compaction, of the other one, and of the move. */
  readonly outcomes: readonly string[];
  /** The entries as text, without times. */
  readonly log: readonly string[];
  /** The tool calls that were run. */
  readonly ran: readonly string[];
  readonly opensAgain: boolean;
}

export async function runWithHooks(hooks: AgentHooks): Promise<SessionRun> {
  const ran: string[] = [];
  const test = await createTestAgent(createModel(), {
    tools: [createTool(ran)],
    hooks: mergeHooks(hooks, { session_before_compact: [cancelOnRequest] }),
    summarizers: [],
  });
  const { agent } = test;
  const ends = [await test.prompt(`Begin. ${"This is what it is about. ".repeat(900)}`)];
  await agent.followUp("And this.");
  ends.push(await test.prompt("Go on."));
  const outcomes = [
    await agent.compact(CANCEL),
    await agent.compact(),
    await agent.navigateTree(agent.session.branch.entries[0]?.id ?? null),
  ];
  ends.push(await test.prompt("Once more."));
  await quiet();
  const branch = await agent.session.branchEntries();
  const { store } = agent.session;
  if (!(store instanceof MemoryStore)) throw new Error("the store must be a MemoryStore");
  const reopened = await Session.open(MemoryStore.open(store.bytes(), testRuntime("z")), testRuntime("z"));
  const log = branch.map(formatEntry);
  const opensAgain = JSON.stringify((await reopened.branchEntries()).map(formatEntry)) === JSON.stringify(log);
  return { test, ends, outcomes: outcomes.map(({ type }) => type), log, ran, opensAgain };
}

const CANCEL = "not now";

const cancelOnRequest: NonNullable<AgentHooks["session_before_compact"]>[number] = ({ customInstructions }) =>
  customInstructions?.includes(CANCEL) ? { cancel: true } : undefined;

/** Replies alternate between two parallel tool calls and a text. */
function createModel(): Model {
  let requestCount = 0;
  const name = { api: "anthropic-messages", provider: "anthropic", model: "talker" };
  return {
    ...name,
    contextWindow: 24_000,
    maxTokens: 4_000,
    async *stream(_, { transport }) {
      requestCount += 1;
      transport?.onResponse?.({ "x-request-id": `r${requestCount}` });
      transport?.onChunk?.({ piece: requestCount });
      const call = (at: string) =>
        ({ type: "toolCall", id: `c${requestCount}${at}`, name: "work", arguments: { at } }) as const;
      const isCalling = requestCount % 2 === 1;
      yield {
        type: "reply-ended",
        message: {
          role: "assistant",
          content: isCalling ? [call("a"), call("b")] : [{ type: "text", text: `Said ${requestCount}.` }],
          ...name,
          usage: emptyUsage,
          stopReason: isCalling ? "toolUse" : "stop",
          timestamp: 0,
        },
      };
    },
  };
}

function createTool(ran: string[]): Tool {
  return {
    name: "work",
    description: "It works.",
    parameters: { type: "object" },
    isIdempotent: true,
    run: async ({ id, arguments: { at } }) => {
      ran.push(`${id} ${JSON.stringify(at)}`);
      return { content: [{ type: "text", text: `worked ${"well ".repeat(900)}` }], details: { at } };
    },
  };
}

/** Ids depend on how often the clock and the id generator were called, so only the content is compared. */
function formatEntry(entry: Entry): string {
  if (entry.type === "message") return JSON.stringify({ ...entry.message, timestamp: 0 });
  if (entry.type === "custom_message") return `${entry.customType}: ${JSON.stringify(entry.content)}`;
  return entry.type === "custom" ? `custom ${entry.customType}` : entry.type;
}
