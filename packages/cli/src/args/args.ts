/** Defines the flags and parses the command line, or says what is wrong with it. */

import { parseArgs } from "node:util";
import type { RunLimits } from "@pith/agent";
import { whatIsWrong } from "../settings/fields.ts";
import type { Choices } from "../settings/settings.ts";
import { type Mistake, mistake, nearest } from "../text/usage-error.ts";

export interface ChoiceFlags {
  readonly model?: string;
  readonly "base-url"?: string;
  readonly thinking?: string;
  readonly "permission-mode"?: string;
  readonly "no-auto-compact"?: boolean;
  readonly "no-context-files"?: boolean;
  readonly "no-skills"?: boolean;
  readonly "no-extensions"?: boolean;
  readonly plain?: boolean;
  readonly sandbox?: string;
  readonly network?: string;
  /** With commas between them. */
  readonly tools?: string;
}

export type ChoicesRead = { readonly type: "read"; readonly choices: Choices } | Mistake;

export function choicesIn(values: ChoiceFlags): ChoicesRead {
  const given = named.flatMap(([flag, name]) => {
    const value = flag === "tools" ? values.tools?.split(",").map((tool) => tool.trim()) : values[flag];
    return value === undefined ? [] : [{ flag, name, value }];
  });
  for (const { flag, name, value } of given) {
    const fault = whatIsWrong([name], value);
    if (fault !== null) return mistake(`--${flag} ${fault}`);
  }
  const said = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  return { type: "read", choices: { ...said, ...switched(values) } };
}

function switched(values: ChoiceFlags): Choices {
  return {
    ...(values["no-auto-compact"] && { compaction: { enabled: false } }),
    ...(values["no-context-files"] && { contextFiles: false }),
    ...(values["no-skills"] && { skills: false }),
    ...(values["no-extensions"] && { extensions: false }),
    ...(values.plain && { plain: true }),
  };
}

type Saying = Exclude<keyof ChoiceFlags, `no-${string}` | "plain">;

const named: readonly (readonly [flag: Saying, name: keyof Choices])[] = [
  ["model", "model"],
  ["base-url", "baseUrl"],
  ["thinking", "thinking"],
  ["permission-mode", "permissionMode"],
  ["sandbox", "sandbox"],
  ["network", "network"],
  ["tools", "tools"],
];

export interface Flag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
}

export const flags = {
  print: { type: "boolean", short: "p" },
  model: { type: "string", short: "m" },
  thinking: { type: "string" },
  continue: { type: "boolean", short: "c" },
  resume: { type: "boolean", short: "r" },
  session: { type: "string" },
  "no-session": { type: "boolean" },
  mode: { type: "string" },
  agent: { type: "string" },
  "permission-mode": { type: "string" },
  allow: { type: "string", multiple: true },
  deny: { type: "string", multiple: true },
  sandbox: { type: "string" },
  network: { type: "string" },
  tools: { type: "string" },
  "system-prompt": { type: "string" },
  "append-system-prompt": { type: "string" },
  plain: { type: "boolean" },
  "no-context-files": { type: "boolean" },
  "no-skills": { type: "boolean" },
  "no-extensions": { type: "boolean" },
  "no-auto-compact": { type: "boolean" },
  "max-turns": { type: "string" },
  "max-cost": { type: "string" },
  trust: { type: "boolean" },
  "base-url": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** For mistakes: what to write behind it. */
export const takes: Readonly<Record<string, string>> = {
  model: "PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5",
  thinking: "a level, such as high",
  session: "the beginning of a session's id, or its path",
  mode: "text, json, rpc or acp",
  agent: "the name of an agent, such as reviewer",
  "permission-mode": "ask, edit, plan or all",
  allow: "a rule, such as 'bash(npm test)'",
  deny: "a rule, such as 'bash(git push)'",
  sandbox: "on or off",
  network: "off, hosts or open",
  tools: "names, such as read,bash",
  "system-prompt": "a text",
  "append-system-prompt": "a text",
  "base-url": "an address, such as http://127.0.0.1:8080/v1",
  "max-turns": "a whole number from 1 on, such as 50",
  "max-cost": "US dollars, such as 2.50",
};

/** A flag as it was found. */
export interface FoundFlag {
  readonly name: string;
  /** As it was written, with its dashes. */
  readonly rawName: string;
  /** The argument it stands in. */
  readonly written: string;
  readonly value: string | undefined;
  /** Whether the value stands in the same argument. */
  readonly inlineValue: boolean | undefined;
}

/** Null when it is right. */
export function faultIn({ name, rawName, written, value, inlineValue }: FoundFlag): string | null {
  const flag: Flag | undefined = Object.hasOwn(flags, name) ? flags[name as keyof typeof flags] : undefined;
  if (!flag) return unknown(rawName, written);
  if (flag.type === "boolean") return value === undefined ? null : `${rawName} takes nothing, not "${value}"`;
  if (value === undefined || value === "") return `${rawName} takes ${takes[name]}`;
  if (value.startsWith("-") && !inlineValue)
    return `${rawName} takes ${takes[name]}, not "${value}"; if you mean it, write --${name}="${value}"`;
  return null;
}

function unknown(rawName: string, written: string): string {
  if (/\s/.test(written))
    return `"${written}" begins with a dash; to say it, write -- before it: pith -p -- "${written}"`;
  const near = rawName.startsWith("--") ? nearest(rawName, names) : null;
  return `there is no flag ${rawName}${near === null ? "; pith --help names them all" : `; did you mean ${near}?`}`;
}

const names = Object.keys(flags).map((name) => `--${name}`);

export interface Token {
  readonly kind: string;
  readonly value?: string | undefined;
}

/** An argument that begins with @ is a file. A lone @ is a word, and behind `--` everything is. */
export function saidIn(tokens: readonly Token[]): Pick<Wish, "words" | "files"> {
  const terminator = tokens.findIndex(({ kind }) => kind === "option-terminator");
  const end = terminator < 0 ? tokens.length : terminator;
  const before = said(tokens.slice(0, end));
  const words = [...before.filter((argument) => !isFile(argument)), ...said(tokens.slice(end))];
  return { words: words.join(" ").trim(), files: before.filter(isFile).map((argument) => argument.slice(1)) };
}

function said(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ kind, value }) => (kind === "positional" && value !== undefined ? [value] : []));
}

function isFile(argument: string): boolean {
  return argument.startsWith("@") && argument.length > 1;
}

export type Read = { readonly type: "wish"; readonly wish: Wish } | { readonly type: "help" | "version" } | Mistake;

export function readArguments(args: readonly string[]): Read {
  const [word] = args;
  if (args.length === 1 && (word === "help" || word === "version")) return { type: word };
  // Loosely first: the strict reading throws, and its sentences do not say what to write.
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  const found = tokens.filter((token) => token.kind === "option");
  if (found.some(({ name }) => name === "help")) return { type: "help" };
  if (found.some(({ name }) => name === "version")) return { type: "version" };
  const faults = found.map((flag) => faultIn({ ...flag, written: args[flag.index] ?? "" }));
  const fault = faults.find((each) => each !== null);
  return fault === undefined ? wishOf(args, saidIn(tokens)) : mistake(fault);
}

function wishOf(args: readonly string[], said: Pick<Wish, "words" | "files">): Read {
  const { values } = parseArgs({ args: [...args], options: flags, allowPositionals: true });
  const mode = values.mode ?? "text";
  if (!isMode(mode)) return mistake(`--mode is "${mode}"; write text, json, rpc or acp`);
  const output = !values.print && mode === "text" ? "screen" : mode;
  const chosen = choicesIn(values);
  if (chosen.type === "mistake") return chosen;
  const limits = runLimitsIn(values, output);
  if ("type" in limits) return limits;
  const session = sessionWish(values);
  if (session === null) return mistake("-c, -r, --session and --no-session exclude each other; write one of them");
  if (session.type === "choose" && output !== "screen")
    return mistake("-r shows your sessions on the screen; with -p, name one: --session ID");
  const wish = {
    ...said,
    session,
    choices: chosen.choices,
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    systemPrompt: values["system-prompt"],
    appendSystemPrompt: values["append-system-prompt"],
    trusts: values.trust ?? false,
    ...(values.agent !== undefined && { agent: values.agent }),
    runLimits: limits,
    output,
  } as const;
  return { type: "wish", wish };
}

interface LimitFlags {
  readonly "max-turns"?: string;
  readonly "max-cost"?: string;
}

/** BOUND6: nobody watches print and JSON mode, so these end a run that would go on for ever. */
function runLimitsIn(values: LimitFlags, output: Wish["output"]): RunLimits | Mistake {
  const { "max-turns": turns, "max-cost": cost } = values;
  if (turns !== undefined && !/^[1-9]\d{0,8}$/.test(turns))
    return mistake(`--max-turns takes ${takes["max-turns"]}, not "${turns}"`);
  if (cost !== undefined && !(/^\d{0,9}(\.\d{1,9})?$/.test(cost) && Number(cost) > 0))
    return mistake(`--max-cost takes ${takes["max-cost"]}, not "${cost}"`);
  const isUnwatched = output === "text" || output === "json";
  return {
    ...(turns !== undefined ? { maxTurns: Number(turns) } : isUnwatched && { maxTurns: USUAL_TURNS }),
    ...(cost !== undefined && { maxCost: Number(cost) }),
  };
}

const USUAL_TURNS = 200;

function isMode(mode: string): mode is Exclude<Wish["output"], "screen"> {
  return ["text", "json", "rpc", "acp"].includes(mode);
}

interface SessionFlags {
  readonly continue?: boolean;
  readonly resume?: boolean;
  readonly session?: string;
  readonly "no-session"?: boolean;
}

/** Null where they contradict each other. */
function sessionWish({ continue: last, resume, session: name, "no-session": none }: SessionFlags): SessionWish | null {
  if ([last, resume, name, none].filter((flag) => flag !== undefined).length > 1) return null;
  if (name !== undefined) return { type: "named", name };
  if (none) return { type: "none" };
  if (resume) return { type: "choose" };
  return { type: last ? "last" : "new" };
}

export interface Wish {
  /** What to say to the model; empty where nothing was written. */
  readonly words: string;
  /** Files to say with it, without their @. */
  readonly files: readonly string[];
  readonly session: SessionWish;
  /** What the settings could say, too. */
  readonly choices: Choices;
  /** Rules of permission, as they were written. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly systemPrompt: string | undefined;
  readonly appendSystemPrompt: string | undefined;
  /** Whether what the folder itself has to say of Pith counts in this call: its settings, skills and templates. */
  readonly trusts: boolean;
  /** Whose part the model plays: an agent of the user's or of a trusted folder, by its name. */
  readonly agent?: string;
  /** When a run ends though the model would go on. */
  readonly runLimits?: RunLimits;
  /** The answer alone for people, every event as a line for programs, a talk on a screen, or one with a program or an editor. */
  readonly output: "text" | "json" | "screen" | "rpc" | "acp";
}

export type SessionWish =
  /** `choose`: which one is asked on the screen. */
  | { readonly type: "new" | "none" | "last" | "choose" }
  /** The beginning of an id, or a path. */
  | { readonly type: "named"; readonly name: string };
