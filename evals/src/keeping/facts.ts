/** What is planted in a session, to be looked for after its compactions: made up from a seed, or from a file. */

import { readFileSync } from "node:fs";
import { between, type Random } from "@pith/bench/random";

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
const programs = ["npm test", "make", "cargo check", "pytest", "git status"];
const syllables = ["ka", "to", "rel", "mi", "san", "do", "vex", "lin", "par", "us"];
