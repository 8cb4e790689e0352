/** Plants facts, made up or from a file, in a session, and takes it through one compaction after another. */

import { readFileSync } from "node:fs";
import { type Random, randomInteger } from "@pith/bench/random";
import type { TextSource } from "@pith/bench/texts";
import {
  type Budget,
  type CompactionOutcome,
  compact,
  compactionLimits,
  createBudget,
  MemoryStore,
  type NewEntry,
  pinText,
  Session,
  type Summarizer,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { emptyUsage } from "@pith/context/testing";

export interface PlantedSession {
  readonly session: Session;
  readonly budget: Budget;
  /** Plants this round's share of the facts, talks until the window is full, and compacts. */
  runRound(at: number): Promise<CompactionOutcome>;
}

export const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "planted" };

export async function createPlantedSession(
  facts: Facts,
  options: {
    readonly contextWindow: number;
    readonly rounds: number;
    readonly text: TextSource;
    /** Without them code writes alone. */
    readonly writers?: readonly Summarizer[];
  },
): Promise<PlantedSession> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const budget = createBudget(compactionLimits, { contextWindow: options.contextWindow, model: MODEL });
  const { rules } = facts;
  await session.append(
    createEntry({
      role: "system",
      content: rules.system.join("\n"),
      sections: { "AGENTS.md": rules.files.join("\n") },
      timestamp: 1,
    }),
  );
  for (const pin of rules.pins) await pinText(session, pin);
  return {
    session,
    budget,
    async runRound(index) {
      for (const rule of roundShare(rules.chat, index, options.rounds))
        await session.append(userMessage(rule), assistantMessage(`Understood (${index}).`));
      for (const { path, did: access } of roundShare(facts.files, index, options.rounds))
        await session.append(...touchFile(path, access));
      for (const { command, exitCode } of roundShare(facts.commands, index, options.rounds))
        await session.append(...runCommand(command, exitCode));
      await fillWindow(session, budget, options.text);
      return compact({ session, budget, reason: "due", runtime: nodeRuntime, summarizers: options.writers ?? [] });
    },
  };
}

// Whatever can be done in many ways is done in another way each time.
function touchFile(path: string, access: "read" | "modified"): readonly NewEntry[] {
  const changeArguments =
    path.length % 2 === 0 ? { content: "export const a = 1;\n" } : { old_string: "a", new_string: "b" };
  const pathArgument = path.length % 3 === 0 ? { file_path: path } : { path };
  const callArguments = access === "read" ? pathArgument : { ...pathArgument, ...changeArguments };
  return createExchange(access === "read" ? "view" : "change", callArguments, "done");
}

function runCommand(command: string, exitCode: number): readonly NewEntry[] {
  return createExchange("shell", { command }, exitCode === 0 ? "ok" : `something went wrong\nexit code ${exitCode}`, {
    exitCode,
  });
}

let callCount = 0;
function createExchange(
  name: string,
  args: Readonly<Record<string, unknown>>,
  output: string,
  details?: object,
): readonly NewEntry[] {
  const id = `call_${++callCount}`;
  return [
    assistantMessage("", [{ type: "toolCall", id, name, arguments: args }]),
    createEntry({
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text: output }],
      isError: false,
      timestamp: 1,
      ...(details && { details }),
    }),
  ];
}

async function fillWindow(session: Session, { limit, contextWindow }: Budget, makeText: TextSource): Promise<void> {
  const letters = Math.floor(contextWindow / 8);
  // Two letters are never more than a token's worth, so this ends beyond the limit.
  for (let letterCount = 0; letterCount < limit * 5; letterCount += letters * 2)
    await session.append(
      userMessage("go on"),
      ...createExchange("shell", { command: "cat notes" }, makeText(letters)),
      assistantMessage(makeText(letters)),
    );
}

function roundShare<Each>(list: readonly Each[], position: number, rounds: number): readonly Each[] {
  return list.filter((_, index) => index % rounds === position);
}

type Message = Extract<NewEntry, { type: "message" }>["message"];
const createEntry = (message: Message): NewEntry => ({ type: "message", message });
const userMessage = (content: string): NewEntry => createEntry({ role: "user", content, timestamp: 1 });

function assistantMessage(
  text: string,
  otherBlocks: Extract<Message, { role: "assistant" }>["content"] = [],
): NewEntry {
  const textBlocks = text === "" ? [] : [{ type: "text" as const, text }];
  const stopReason = otherBlocks.length > 0 ? "toolUse" : "stop";
  return createEntry({
    role: "assistant",
    ...MODEL,
    content: [...textBlocks, ...otherBlocks],
    usage: emptyUsage,
    stopReason,
    timestamp: 1,
  });
}

/** What is planted in a session, and looked for after its compactions. */
export interface Facts {
  readonly rules: {
    /** In a context file, as a named section of the system prompt. */
    readonly files: readonly string[];
    readonly system: readonly string[];
    /** Said by the user in passing. */
    readonly chat: readonly string[];
    readonly pins: readonly string[];
  };
  readonly files: readonly { readonly path: string; readonly did: "read" | "modified" }[];
  readonly commands: readonly { readonly command: string; readonly exitCode: number }[];
}

export function readFacts(file: string | undefined, random: Random): Facts {
  if (file === undefined) return makeFacts(random);
  const facts = JSON.parse(readFileSync(file, "utf8")) as Partial<Facts>;
  const { rules, files, commands } = facts;
  const lists = [rules?.files, rules?.system, rules?.chat, rules?.pins, files, commands];
  if (!lists.every(Array.isArray))
    throw new Error(
      `--facts ${file}: needs rules.files, rules.system, rules.chat, rules.pins, files and commands, each a list`,
    );
  return facts as Facts;
}

function makeFacts(random: Random): Facts {
  const rules = (scope: string): readonly string[] =>
    Array.from(
      { length: 5 },
      () =>
        `In ${scope}: never ${pickOne(random, VERBS)} the ${pickOne(random, NOUNS)} ${randomWord(random)} without ${randomWord(random)}.`,
    );
  return {
    rules: {
      files: rules("this folder"),
      system: rules("all cases"),
      chat: rules("our talk"),
      pins: rules("every turn"),
    },
    files: Array.from({ length: 200 }, (_, index) => ({
      path: `${pickOne(random, FOLDERS)}/${randomWord(random)}-${index}.${pickOne(random, EXTENSIONS)}`,
      did: index % 2 === 0 ? ("modified" as const) : ("read" as const),
    })),
    commands: Array.from({ length: 50 }, (_, index) => ({
      command: `${pickOne(random, PROGRAMS)} --only ${randomWord(random)}${index}`,
      exitCode: random() < 0.7 ? 0 : randomInteger(random, 1, 9),
    })),
  };
}

function pickOne(random: Random, list: readonly string[]): string {
  return list[randomInteger(random, 0, list.length - 1)] ?? "";
}

function randomWord(random: Random): string {
  return Array.from({ length: randomInteger(random, 2, 3) }, () => pickOne(random, SYLLABLES)).join("");
}

const VERBS = ["rename", "delete", "log", "cache", "retry"];
const NOUNS = ["table", "token", "branch", "index", "header"];
const FOLDERS = ["src", "src/parts", "src/parts/deep", "test", "docs", "packages/one/src"];
const EXTENSIONS = ["ts", "md", "json", "py"];
const PROGRAMS = ["npm test", "make all", "cargo check", "pytest", "git status"];
const SYLLABLES = ["ka", "to", "rel", "mi", "san", "do", "vex", "lin", "par", "us"];
