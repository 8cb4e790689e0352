/** Plants facts, made up or from a file, in a session, and takes it through one compaction after another. */

import { readFileSync } from "node:fs";
import { between, type Random } from "@pith/bench/random";
import type { Texts } from "@pith/bench/texts";
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

export interface Planted {
  readonly session: Session;
  readonly budget: Budget;
  /** Plants this round's share of the facts, talks until the window is full, and compacts. */
  round(at: number): Promise<CompactionOutcome>;
}

export const to = { api: "anthropic-messages", provider: "anthropic", model: "planted" };

export async function plantedSession(
  facts: Facts,
  parts: {
    readonly contextWindow: number;
    readonly rounds: number;
    readonly text: Texts;
    /** Without them code writes alone. */
    readonly writers?: readonly Summarizer[];
  },
): Promise<Planted> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const budget = createBudget(compactionLimits, { contextWindow: parts.contextWindow, model: to });
  const { rules } = facts;
  await session.append(
    says({
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
    async round(at) {
      for (const rule of shareOf(rules.chat, at, parts.rounds))
        await session.append(user(rule), reply(`Understood (${at}).`));
      for (const { path, did } of shareOf(facts.files, at, parts.rounds)) await session.append(...touching(path, did));
      for (const { command, exitCode } of shareOf(facts.commands, at, parts.rounds))
        await session.append(...running(command, exitCode));
      await fill(session, budget, parts.text);
      return compact({ session, budget, reason: "due", runtime: nodeRuntime, summarizers: parts.writers ?? [] });
    },
  };
}

// Whatever can be done in many ways is done in another way each time.
function touching(path: string, did: "read" | "modified"): readonly NewEntry[] {
  const change = path.length % 2 === 0 ? { content: "export const a = 1;\n" } : { old_string: "a", new_string: "b" };
  const place = path.length % 3 === 0 ? { file_path: path } : { path };
  const call = did === "read" ? place : { ...place, ...change };
  return exchange(did === "read" ? "view" : "change", call, "done");
}

function running(command: string, exitCode: number): readonly NewEntry[] {
  return exchange("shell", { command }, exitCode === 0 ? "ok" : `something went wrong\nexit code ${exitCode}`, {
    exitCode,
  });
}

let calls = 0;
function exchange(
  name: string,
  args: Readonly<Record<string, unknown>>,
  output: string,
  details?: object,
): readonly NewEntry[] {
  const id = `call_${++calls}`;
  return [
    reply("", [{ type: "toolCall", id, name, arguments: args }]),
    says({
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

async function fill(session: Session, { limit, contextWindow }: Budget, text: Texts): Promise<void> {
  const letters = Math.floor(contextWindow / 8);
  // Two letters are never more than a token's worth, so this ends beyond the limit.
  for (let said = 0; said < limit * 5; said += letters * 2)
    await session.append(
      user("go on"),
      ...exchange("shell", { command: "cat notes" }, text(letters)),
      reply(text(letters)),
    );
}

function shareOf<Each>(list: readonly Each[], at: number, rounds: number): readonly Each[] {
  return list.filter((_, index) => index % rounds === at);
}

type Message = Extract<NewEntry, { type: "message" }>["message"];
const says = (message: Message): NewEntry => ({ type: "message", message });
const user = (content: string): NewEntry => says({ role: "user", content, timestamp: 1 });

function reply(text: string, more: Extract<Message, { role: "assistant" }>["content"] = []): NewEntry {
  const said = text === "" ? [] : [{ type: "text" as const, text }];
  const stopReason = more.length > 0 ? "toolUse" : "stop";
  return says({ role: "assistant", ...to, content: [...said, ...more], usage: emptyUsage, stopReason, timestamp: 1 });
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

export function factsFrom(file: string | undefined, next: Random): Facts {
  if (file === undefined) return madeUpFacts(next);
  const facts = JSON.parse(readFileSync(file, "utf8")) as Partial<Facts>;
  const { rules, files, commands } = facts;
  const lists = [rules?.files, rules?.system, rules?.chat, rules?.pins, files, commands];
  if (!lists.every(Array.isArray))
    throw new Error(
      `--facts ${file}: needs rules.files, rules.system, rules.chat, rules.pins, files and commands, each a list`,
    );
  return facts as Facts;
}

function madeUpFacts(next: Random): Facts {
  const rules = (where: string): readonly string[] =>
    Array.from(
      { length: 5 },
      () => `In ${where}: never ${pick(next, acts)} the ${pick(next, things)} ${word(next)} without ${word(next)}.`,
    );
  return {
    rules: {
      files: rules("this folder"),
      system: rules("all cases"),
      chat: rules("our talk"),
      pins: rules("every turn"),
    },
    files: Array.from({ length: 200 }, (_, at) => ({
      path: `${pick(next, folders)}/${word(next)}-${at}.${pick(next, endings)}`,
      did: at % 2 === 0 ? ("modified" as const) : ("read" as const),
    })),
    commands: Array.from({ length: 50 }, (_, at) => ({
      command: `${pick(next, programs)} --only ${word(next)}${at}`,
      exitCode: next() < 0.7 ? 0 : between(next, 1, 9),
    })),
  };
}

function pick(next: Random, from: readonly string[]): string {
  return from[between(next, 0, from.length - 1)] ?? "";
}

function word(next: Random): string {
  return Array.from({ length: between(next, 2, 3) }, () => pick(next, syllables)).join("");
}

const acts = ["rename", "delete", "log", "cache", "retry"];
const things = ["table", "token", "branch", "index", "header"];
const folders = ["src", "src/parts", "src/parts/deep", "test", "docs", "packages/one/src"];
const endings = ["ts", "md", "json", "py"];
const programs = ["npm test", "make all", "cargo check", "pytest", "git status"];
const syllables = ["ka", "to", "rel", "mi", "san", "do", "vex", "lin", "par", "us"];
