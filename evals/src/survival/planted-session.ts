/** Creates a realistic session with a fact in each of its long tool results. */

import { type Random, randomInteger } from "@pith/bench/random";
import type { TextSource } from "@pith/bench/texts";
import { MemoryStore, type NewEntry, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { assistantMessage, SESSION_MODEL, toolResult, userMessage } from "../session-entries.ts";
import type { PlantedFact } from "./facts.ts";
import { fillSlots, type Language, pick } from "./languages/language.ts";
import {
  insertFact,
  makeDiff,
  makeJson,
  makeLog,
  makeProse,
  type OutputOptions,
  type ToolOutput,
} from "./tool-outputs.ts";

export interface PlantedSession {
  readonly session: Session;
  /** For each fact, the id of its entry. */
  readonly entryIds: readonly string[];
}

const outputMakers: Readonly<Record<PlantedFact["kind"], (options: OutputOptions) => ToolOutput>> = {
  prose: makeProse,
  log: makeLog,
  json: makeJson,
  diff: makeDiff,
};

export interface RandomSources {
  readonly random: Random;
  /** Prose from a folder, used instead of generated prose. */
  readonly corpus: TextSource | null;
}

export async function createPlantedSession(
  facts: readonly PlantedFact[],
  { random, corpus }: RandomSources,
): Promise<PlantedSession> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const entryIds: string[] = [];
  for (const fact of facts) {
    const outputOptions = {
      language: fact.language,
      letters: randomInteger(random, MIN_LETTERS, MAX_LETTERS),
      random,
      corpus,
    };
    const text = insertFact(outputMakers[fact.kind](outputOptions), fact, random);
    await session.append(...createTurn(fact.language, random));
    await session.append(...createExchange(fact.language, { kind: fact.kind, output: text }, random));
    entryIds.push(session.branch.entries.at(-1)?.id ?? "");
  }
  await appendTail(session, facts[0]?.language, random);
  return { session, entryIds };
}

const MODEL = { ...SESSION_MODEL, model: "planted" };

/** The length of a tool result, in characters. */
const [MIN_LETTERS, MAX_LETTERS] = [6_000, 40_000];

function createTurn(language: Language, random: Random): readonly NewEntry[] {
  const makeReply = (): string => fillSlots(pick(language.replies, random), language, random);
  const request = userMessage(fillSlots(pick(language.requests, random), language, random));
  const shortExchange = createExchange(language, { kind: "log", output: makeReply() }, random);
  return [request, ...(random() < 0.5 ? shortExchange : []), assistantMessage(`${makeReply()} ${makeReply()}`, MODEL)];
}

interface ExchangeOutput {
  readonly kind: PlantedFact["kind"];
  readonly output: string;
}

function createExchange(language: Language, { kind, output }: ExchangeOutput, random: Random): readonly NewEntry[] {
  const id = `call_${randomInteger(random, 1, 1e12)}`;
  const thinking = fillSlots(`${pick(language.replies, random)} ${pick(language.sentences, random)}`, language, random);
  const call = { type: "toolCall" as const, id, ...callsByKind[kind](fillSlots("{path}", language, random)) };
  return [
    assistantMessage([...(random() < 0.3 ? [{ type: "thinking" as const, thinking }] : []), call], MODEL),
    toolResult(output, { toolCallId: id, toolName: call.name }),
  ];
}

interface ToolCallArguments {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const callsByKind: Readonly<Record<PlantedFact["kind"], (path: string) => ToolCallArguments>> = {
  prose: (path) => ({ name: "read", arguments: { path } }),
  log: (path) => ({ name: "bash", arguments: { command: `tail -n 2000 ${path}` } }),
  json: (path) => ({ name: "bash", arguments: { command: `curl -s localhost${path}` } }),
  diff: () => ({ name: "bash", arguments: { command: "git diff main" } }),
};

// Appends a little more than either program keeps uncompacted.
async function appendTail(session: Session, language: Language | undefined, random: Random): Promise<void> {
  for (let letters = 0; language && letters < TAIL_LETTERS; ) {
    const text = fillSlots(language.sentences.join(language.sentenceSeparator), language, random);
    letters += text.length * (language.name === "zh" ? 4 : 1);
    await session.append(...createTurn(language, random), assistantMessage(text, MODEL));
  }
}

/** In characters of a quarter token each. */
const TAIL_LETTERS = 90_000;
