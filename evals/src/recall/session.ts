/** Writes a long session with planted facts in all kinds of entries and on other branches, compacted many times on the way. */

import { randomPath, randomWords } from "@pith/bench/generated-words";
import { type Random, randomInteger } from "@pith/bench/random";
import { compact, compactionLimits, createBudget, type NewEntry, Session } from "@pith/context";
import { createSession, nodeRuntime } from "@pith/context/node";
import { emptyUsage } from "@pith/context/testing";
import type { PlantedFact } from "./facts.ts";

export interface LongSessionOptions {
  /** Pith's home. */
  readonly home: string;
  readonly entries: number;
  readonly compactions: number;
  readonly facts: readonly PlantedFact[];
  readonly random: Random;
}

export interface LongSession {
  readonly session: Session;
  readonly path: string;
  readonly entryCount: number;
  readonly compactionCount: number;
}

/** Facts, distractors and filler are mixed, and the order is the same for the same seed. */
export async function writeLongSession(options: LongSessionOptions): Promise<LongSession> {
  const { home, compactions } = options;
  const created = await createSession({ cwd: "/work/project", env: { PITH_HOME: home } });
  if (created.type !== "opened") throw new Error(`the session cannot be created: ${created.type}`);
  const session = await Session.open(created.store, nodeRuntime);
  const turns = shuffleTurns(options);
  const turnsPerCompaction = Math.floor(turns.length / compactions);
  let compactionCount = 0;
  for (const [index, turn] of turns.entries()) {
    const leaf = session.leaf;
    const result = await session.append(...toEntries(turn, options.random));
    if (result.type !== "appended") throw new Error(`entry not written: ${result.type}`);
    // Every eighth fact is left behind on another branch.
    if (turn.type === "fact" && turn.position % 8 === 7) await session.move(leaf);
    if ((index + 1) % turnsPerCompaction === 0) compactionCount += await compactNow(session);
  }
  return { session, path: created.store.path, entryCount: await session.store.lastNumber(), compactionCount };
}

type Turn =
  | { readonly type: "fact" | "distractor"; readonly text: string; readonly position: number }
  | { readonly type: "filler" };

function shuffleTurns({ entries, facts, random }: LongSessionOptions): readonly Turn[] {
  const planted = facts.flatMap(({ text, distractors }, position): Turn[] => [
    { type: "fact", text, position },
    ...distractors.map(
      (distractor, index): Turn => ({ type: "distractor", text: distractor, position: position + index }),
    ),
  ]);
  const fillerCount = Math.max(0, Math.ceil((entries - planted.length * 2) / ENTRIES_PER_TURN));
  const turns = [...planted, ...Array.from({ length: fillerCount }, (): Turn => ({ type: "filler" }))];
  const keys = new Map(turns.map((turn) => [turn, random()]));
  return turns.sort((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0));
}

const ENTRIES_PER_TURN = 4;

async function compactNow(session: Session): Promise<number> {
  const budget = createBudget(compactionLimits, { contextWindow: 8_000 });
  const outcome = await compact({ session, budget, runtime: nodeRuntime, summarizers: [], reason: "asked" });
  if (outcome.type !== "compacted") throw new Error(`not compacted: ${JSON.stringify(outcome)}`);
  return 1;
}

/** A planted text is in a user message, a reply, a tool result or a command, in turn. */
function toEntries(turn: Turn, random: Random): readonly NewEntry[] {
  if (turn.type === "filler") return fillerTurn(random);
  switch (turn.position % 4) {
    case 0:
      return [user(turn.text), reply("Noted.")];
    case 1:
      return [user("Go on."), reply(turn.text)];
    case 2:
      return toolTurn("bash", { command: "cat notes" }, `${paddedLines(random)}\n${turn.text}\n${paddedLines(random)}`);
    default:
      return toolTurn("bash", { command: `echo "${turn.text}" >> notes` }, "ok");
  }
}

function fillerTurn(random: Random): readonly NewEntry[] {
  const path = randomPath(random);
  return [
    user(randomWords(random, randomInteger(random, 5, 30))),
    ...toolTurn("read", { path }, randomWords(random, randomInteger(random, 20, 120))),
    reply(randomWords(random, randomInteger(random, 10, 60))),
  ];
}

/** Output in whose middle a fact is planted. It repeats one line, so that it shares no words with the questions. */
function paddedLines(random: Random): string {
  return Array.from({ length: randomInteger(random, 20, 200) }, (_, index) => `ok ${index} passed`).join("\n");
}

function user(text: string): NewEntry {
  return { type: "message", message: { role: "user", content: text, timestamp: 0 } };
}

function reply(text: string): NewEntry {
  return { type: "message", message: { ...assistant, content: [{ type: "text", text }] } };
}

function toolTurn(name: string, args: Readonly<Record<string, unknown>>, output: string): readonly NewEntry[] {
  const id = `call-${nextCall++}`;
  return [
    {
      type: "message",
      message: { ...assistant, content: [{ type: "toolCall", id, name, arguments: args }], stopReason: "toolUse" },
    },
    {
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: [{ type: "text", text: output }],
        isError: false,
        timestamp: 0,
      },
    },
  ];
}

let nextCall = 1;

const assistant = {
  role: "assistant",
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-sonnet-5",
  usage: emptyUsage,
  stopReason: "stop",
  timestamp: 0,
} as const;
