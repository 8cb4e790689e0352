/** Plants facts, generated or from a file, in a session, and compacts it repeatedly. */

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
import { assistantMessage, createEntry, SESSION_MODEL, toolResult, userMessage } from "../session-entries.ts";

/** The facts that are planted in a session and searched for after its compactions. */
export interface Facts {
  readonly rules: {
    /** Rules in a context file, which is a named section of the system prompt. */
    readonly files: readonly string[];
    readonly system: readonly string[];
    /** Rules in the user's messages. */
    readonly chat: readonly string[];
    readonly pins: readonly string[];
  };
  readonly files: readonly { readonly path: string; readonly did: "read" | "modified" }[];
  readonly commands: readonly { readonly command: string; readonly exitCode: number }[];
}

export interface PlantedSession {
  readonly session: Session;
  readonly budget: Budget;
  /** Plants this round's share of the facts, fills the window, and compacts. */
  runRound(index: number): Promise<CompactionOutcome>;
}

export async function createPlantedSession(
  facts: Facts,
  options: {
    readonly contextWindow: number;
    readonly rounds: number;
    readonly text: TextSource;
    /** Without summarizers, code writes the summary. */
    readonly summarizers?: readonly Summarizer[];
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
        await session.append(userMessage(rule), assistantMessage(`Understood (${index}).`, MODEL));
      for (const { path, did } of roundShare(facts.files, index, options.rounds))
        await session.append(...touchFile(path, did));
      for (const { command, exitCode } of roundShare(facts.commands, index, options.rounds))
        await session.append(...runCommand(command, exitCode));
      await fillWindow(session, budget, options.text);
      return compact({ session, budget, reason: "due", runtime: nodeRuntime, summarizers: options.summarizers ?? [] });
    },
  };
}

export const MODEL = { ...SESSION_MODEL, model: "planted" };

function roundShare<Each>(list: readonly Each[], position: number, rounds: number): readonly Each[] {
  return list.filter((_, index) => index % rounds === position);
}

// Varies the argument names, because tools of different agents differ.
function touchFile(path: string, access: "read" | "modified"): readonly NewEntry[] {
  const changeArguments =
    path.length % 2 === 0 ? { content: "export const a = 1;\n" } : { old_string: "a", new_string: "b" };
  const pathArgument = path.length % 3 === 0 ? { file_path: path } : { path };
  const callArguments = access === "read" ? pathArgument : { ...pathArgument, ...changeArguments };
  return createExchange(access === "read" ? "view" : "change", callArguments, "done");
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
    assistantMessage([{ type: "toolCall", id, name, arguments: args }], MODEL),
    toolResult(output, { toolCallId: id, toolName: name, details }),
  ];
}

function runCommand(command: string, exitCode: number): readonly NewEntry[] {
  return createExchange("shell", { command }, exitCode === 0 ? "ok" : `something went wrong\nexit code ${exitCode}`, {
    exitCode,
  });
}

async function fillWindow(session: Session, { limit, contextWindow }: Budget, makeText: TextSource): Promise<void> {
  const letters = Math.floor(contextWindow / 8);
  // Five characters are more than one token, so that this exceeds the limit.
  for (let letterCount = 0; letterCount < limit * 5; letterCount += letters * 2)
    await session.append(
      userMessage("go on"),
      ...createExchange("shell", { command: "cat notes" }, makeText(letters)),
      assistantMessage(makeText(letters), MODEL),
    );
}

export function readFacts(file: string | undefined, random: Random): Facts {
  if (file === undefined) return makeFacts(random);
  const facts = JSON.parse(readFileSync(file, "utf8")) as Partial<Facts>;
  const { rules, files, commands } = facts;
  const lists = [rules?.files, rules?.system, rules?.chat, rules?.pins, files, commands];
  if (!lists.every(Array.isArray))
    throw new Error(
      `--facts ${file}: the file needs the lists rules.files, rules.system, rules.chat, rules.pins, files and commands`,
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

const VERBS = ["rename", "delete", "log", "cache", "retry"];
const NOUNS = ["table", "token", "branch", "index", "header"];
const FOLDERS = ["src", "src/parts", "src/parts/deep", "test", "docs", "packages/one/src"];
const EXTENSIONS = ["ts", "md", "json", "py"];
const PROGRAMS = ["npm test", "make all", "cargo check", "pytest", "git status"];
const SYLLABLES = ["ka", "to", "rel", "mi", "san", "do", "vex", "lin", "par", "us"];

function randomWord(random: Random): string {
  return Array.from({ length: randomInteger(random, 2, 3) }, () => pickOne(random, SYLLABLES)).join("");
}
