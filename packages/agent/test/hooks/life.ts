/** A life in which every hook is asked: words, calls, a wait in the queue, a compaction, a compaction that comes to nothing, and a move. */

import { type Entry, MemoryStore, type Model, Session } from "@pith/context";
import { emptyUsage, testRuntime } from "@pith/context/testing";
import { type AgentHooks, mergeHooks, type RunEnd, type Tool } from "../../src/index.ts";
import { quiet, type Stage, stage } from "../loop/held.ts";

export interface Life {
  readonly scene: Stage;
  readonly ends: readonly RunEnd[];
  /** What came of the compaction that was cancelled, of the other one, and of the move. */
  readonly outcomes: readonly string[];
  /** The log, line by line, without times. */
  readonly log: readonly string[];
  /** How often each call was run. */
  readonly ran: readonly string[];
  readonly opensAgain: boolean;
}

export async function lived(hooks: AgentHooks): Promise<Life> {
  const ran: string[] = [];
  const scene = await stage(talker(), {
    tools: [worker(ran)],
    hooks: mergeHooks(hooks, { session_before_compact: [notNow] }),
    summarizers: [],
  });
  const { agent } = scene;
  const ends = [await scene.prompt(`Begin. ${"This is what it is about. ".repeat(900)}`)];
  await agent.followUp("And this.");
  ends.push(await scene.prompt("Go on."));
  const outcomes = [
    await agent.compact(NOT_NOW),
    await agent.compact(),
    await agent.navigateTree(agent.session.branch.entries[0]?.id ?? null),
  ];
  ends.push(await scene.prompt("Once more."));
  await quiet();
  const branch = await agent.session.branchEntries();
  const { store } = agent.session;
  if (!(store instanceof MemoryStore)) throw new Error("it is kept in memory");
  const again = await Session.open(MemoryStore.open(store.bytes(), testRuntime("z")), testRuntime("z"));
  const log = branch.map(lineOf);
  const opensAgain = JSON.stringify((await again.branchEntries()).map(lineOf)) === JSON.stringify(log);
  return { scene, ends, outcomes: outcomes.map(({ type }) => type), log, ran, opensAgain };
}

const NOT_NOW = "not now";

const notNow: NonNullable<AgentHooks["session_before_compact"]>[number] = ({ customInstructions }) =>
  customInstructions?.includes(NOT_NOW) ? { cancel: true } : undefined;

/** It calls twice at once, then says something; and so on. */
function talker(): Model {
  let asked = 0;
  const name = { api: "anthropic-messages", provider: "anthropic", model: "talker" };
  return {
    ...name,
    contextWindow: 24_000,
    maxTokens: 4_000,
    async *stream(_, { transport: line }) {
      asked += 1;
      line?.onResponse?.({ "x-request-id": `r${asked}` });
      line?.onChunk?.({ piece: asked });
      const call = (at: string) =>
        ({ type: "toolCall", id: `c${asked}${at}`, name: "work", arguments: { at } }) as const;
      const isCalling = asked % 2 === 1;
      yield {
        type: "reply-ended",
        message: {
          role: "assistant",
          content: isCalling ? [call("a"), call("b")] : [{ type: "text", text: `Said ${asked}.` }],
          ...name,
          usage: emptyUsage,
          stopReason: isCalling ? "toolUse" : "stop",
          timestamp: 0,
        },
      };
    },
  };
}

function worker(ran: string[]): Tool {
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

/** Ids count every look at the clock and every new id; what counts is what stands there. */
function lineOf(entry: Entry): string {
  if (entry.type === "message") return JSON.stringify({ ...entry.message, timestamp: 0 });
  if (entry.type === "custom_message") return `${entry.customType}: ${JSON.stringify(entry.content)}`;
  return entry.type === "custom" ? `custom ${entry.customType}` : entry.type;
}
