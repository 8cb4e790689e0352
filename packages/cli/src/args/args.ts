/** Defines the flags and parses the command line into `CliArgs` or a usage error. */

import { parseArgs } from "node:util";
import { validateSetting } from "@pith/host/settings/fields";
import type { SettingsOverrides } from "@pith/host/settings/settings";
import { findNearest, type UsageError, usageError } from "@pith/host/text/usage-error";

export interface SettingFlags {
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
  /** Names separated by commas. */
  readonly tools?: string;
}

export type ParseOverridesResult = { readonly type: "read"; readonly overrides: SettingsOverrides } | UsageError;

function parseOverrides(values: SettingFlags): ParseOverridesResult {
  const flagValues = valueFlags.flatMap(([flag, name]) => {
    const value = flag === "tools" ? values.tools?.split(",").map((tool) => tool.trim()) : values[flag];
    return value === undefined ? [] : [{ flag, name, value }];
  });
  for (const { flag, name, value } of flagValues) {
    const problem = validateSetting([name], value);
    if (problem !== null) return usageError(`--${flag} ${problem}`);
  }
  const overrides = Object.fromEntries(flagValues.map(({ name, value }) => [name, value]));
  return { type: "read", overrides: { ...overrides, ...parseBooleanFlags(values) } };
}

function parseBooleanFlags(values: SettingFlags): SettingsOverrides {
  return {
    ...(values["no-auto-compact"] && { compaction: { enabled: false } }),
    ...(values["no-context-files"] && { contextFiles: false }),
    ...(values["no-skills"] && { skills: false }),
    ...(values["no-extensions"] && { extensions: false }),
    ...(values.plain && { plain: true }),
  };
}

type ValueFlag = Exclude<keyof SettingFlags, `no-${string}` | "plain">;

const valueFlags: readonly (readonly [flag: ValueFlag, name: keyof SettingsOverrides])[] = [
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

/** The values of `--mode`. */
export const modeNames = ["text", "json", "rpc", "acp"] as const;

/** The expected value of each flag, for usage errors. */
const flagValueHints: Readonly<Record<string, string>> = {
  model: "PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5",
  thinking: "a level, such as high",
  session: "an id prefix, a name, a path, or last",
  mode: "text, json, rpc or acp",
  agent: "an agent's name, such as reviewer",
  "permission-mode": "ask, edit, plan or all",
  allow: "a rule, such as 'bash(npm test)'",
  deny: "a rule, such as 'bash(git push)'",
  sandbox: "on or off",
  network: "off, hosts or open",
  tools: "tool names, such as read,bash",
  "system-prompt": "text",
  "append-system-prompt": "text",
  "base-url": "a URL, such as http://127.0.0.1:8080/v1",
  "max-turns": "a positive whole number, such as 50",
  "max-cost": "a positive amount in US dollars, such as 2.50",
};

/** A flag on the command line. */
export interface ParsedFlag {
  readonly name: string;
  /** The name as the user wrote it, with its dashes. */
  readonly rawName: string;
  /** The argument that contains the flag. */
  readonly argument: string;
  readonly value: string | undefined;
  /** Whether the value is in the same argument, as in `--name=value`. */
  readonly inlineValue: boolean | undefined;
}

/** Null if the flag is valid. */
function findFlagError({ name, rawName, argument, value, inlineValue }: ParsedFlag): string | null {
  const flag: Flag | undefined = Object.hasOwn(flags, name) ? flags[name as keyof typeof flags] : undefined;
  if (!flag) return describeUnknownFlag(rawName, argument);
  if (flag.type === "boolean") return value === undefined ? null : `${rawName} takes no value, but got "${value}"`;
  if (value === undefined || value === "") return `${rawName} takes ${flagValueHints[name]}`;
  if (value.startsWith("-") && !inlineValue) {
    const hint = freeTextFlags.has(name) ? `; to pass it anyway, write --${name}="${value}"` : "";
    return `${rawName} takes ${flagValueHints[name]}, not "${value}"${hint}`;
  }
  return null;
}

/** Flags whose value may start with a dash. */
const freeTextFlags: ReadonlySet<string> = new Set(["session", "agent", "system-prompt", "append-system-prompt"]);

function describeUnknownFlag(rawName: string, argument: string): string {
  if (/\s/.test(argument))
    return `"${argument}" starts with a dash; to use it as the prompt, put -- before it: pith -p -- "${argument}"`;
  const suggestion = rawName.startsWith("--") ? findNearest(rawName, flagNames) : null;
  return `unknown flag ${rawName}${suggestion === null ? "; pith --help lists all flags" : `; did you mean ${suggestion}?`}`;
}

const flagNames = Object.keys(flags).map((name) => `--${name}`);

export interface ArgToken {
  readonly kind: string;
  readonly value?: string | undefined;
}

/** An argument that starts with `@` is a file. A single `@`, and every argument after `--`, is part of the prompt. */
function parsePrompt(tokens: readonly ArgToken[]): Pick<CliArgs, "prompt" | "files"> {
  const terminator = tokens.findIndex(({ kind }) => kind === "option-terminator");
  const end = terminator < 0 ? tokens.length : terminator;
  const argumentsBefore = getPositionals(tokens.slice(0, end));
  const promptWords = [
    ...argumentsBefore.filter((argument) => !isFileArgument(argument)),
    ...getPositionals(tokens.slice(end)),
  ];
  return {
    prompt: promptWords.join(" ").trim(),
    files: argumentsBefore.filter(isFileArgument).map((argument) => argument.slice(1)),
  };
}

function getPositionals(tokens: readonly ArgToken[]): readonly string[] {
  return tokens.flatMap(({ kind, value }) => (kind === "positional" && value !== undefined ? [value] : []));
}

function isFileArgument(argument: string): boolean {
  return argument.startsWith("@") && argument.length > 1;
}

export type ParseArgsResult =
  | { readonly type: "args"; readonly args: CliArgs }
  | { readonly type: "help" | "version" }
  | UsageError;

export function parseCliArgs(argv: readonly string[]): ParseArgsResult {
  const [first] = argv;
  if (argv.length === 1 && (first === "help" || first === "version")) return { type: first };
  // The first pass is not strict: the strict parser throws, and its messages do not say what to write instead.
  const { tokens } = parseArgs({ args: [...argv], options: flags, strict: false, tokens: true });
  const foundFlags = tokens.filter((token) => token.kind === "option");
  if (foundFlags.some(({ name }) => name === "help")) return { type: "help" };
  if (foundFlags.some(({ name }) => name === "version")) return { type: "version" };
  const errors = foundFlags.map((flag) => findFlagError({ ...flag, argument: argv[flag.index] ?? "" }));
  const firstError = errors.find((error) => error !== null);
  return firstError === undefined ? buildCliArgs(argv, parsePrompt(tokens)) : usageError(firstError);
}

function buildCliArgs(argv: readonly string[], promptAndFiles: Pick<CliArgs, "prompt" | "files">): ParseArgsResult {
  const { values } = parseArgs({ args: [...argv], options: flags, allowPositionals: true });
  const mode = values.mode ?? "text";
  if (!isModeFlag(mode)) return usageError(`--mode takes ${flagValueHints.mode}, not "${mode}"`);
  const runMode = !values.print && mode === "text" ? "screen" : mode;
  const parsed = parseOverrides(values);
  if (parsed.type === "mistake") return parsed;
  const runLimits = parseRunLimits(values, runMode);
  if ("type" in runLimits) return runLimits;
  const session = parseSessionTarget(values);
  if (session === null) return usageError("-c, -r, --session and --no-session cannot be combined; use one of them");
  if (session.type === "choose" && runMode !== "screen")
    return usageError("-r requires interactive mode; with -p or --mode, use --session ID");
  const cliArgs = {
    ...promptAndFiles,
    session,
    overrides: parsed.overrides,
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    systemPrompt: values["system-prompt"],
    appendSystemPrompt: values["append-system-prompt"],
    trustsProject: values.trust ?? false,
    ...(values.agent !== undefined && { agent: values.agent }),
    runLimits,
    mode: runMode,
  } as const;
  return { type: "args", args: cliArgs };
}

interface LimitFlags {
  readonly "max-turns"?: string;
  readonly "max-cost"?: string;
}

/** BOUND6: print and JSON mode run unattended, so a default limit ends a run that would never end by itself. */
function parseRunLimits(values: LimitFlags, mode: CliArgs["mode"]): RunLimitFlags | UsageError {
  const { "max-turns": turns, "max-cost": cost } = values;
  if (turns !== undefined && !/^[1-9]\d{0,8}$/.test(turns))
    return usageError(`--max-turns takes ${flagValueHints["max-turns"]}, not "${turns}"`);
  if (cost !== undefined && !(/^\d{0,9}(\.\d{1,9})?$/.test(cost) && Number(cost) > 0))
    return usageError(`--max-cost takes ${flagValueHints["max-cost"]}, not "${cost}"`);
  const isUnattended = mode === "text" || mode === "json";
  return {
    ...(turns !== undefined ? { maxTurns: Number(turns) } : isUnattended && { maxTurns: DEFAULT_MAX_TURNS }),
    ...(cost !== undefined && { maxCost: Number(cost) }),
  };
}

const DEFAULT_MAX_TURNS = 200;

function isModeFlag(mode: string): mode is (typeof modeNames)[number] {
  return modeNames.some((name) => name === mode);
}

interface SessionFlags {
  readonly continue?: boolean;
  readonly resume?: boolean;
  readonly session?: string;
  readonly "no-session"?: boolean;
}

/** Null if the flags exclude each other. */
function parseSessionTarget({
  continue: continueLast,
  resume,
  session: name,
  "no-session": noSession,
}: SessionFlags): SessionTarget | null {
  if ([continueLast, resume, name, noSession].filter((flag) => flag !== undefined).length > 1) return null;
  if (name !== undefined) return { type: "named", name };
  if (noSession) return { type: "none" };
  if (resume) return { type: "choose" };
  return { type: continueLast ? "last" : "new" };
}

export interface CliArgs {
  /** The prompt for the model; empty if none was given. */
  readonly prompt: string;
  /** Paths of attached files, without the `@`. */
  readonly files: readonly string[];
  readonly session: SessionTarget;
  /** Flags that override settings. */
  readonly overrides: SettingsOverrides;
  /** Whether the model in `overrides` was chosen at the first start, not with a flag. */
  readonly isModelChosenAtStartup?: boolean;
  /** Permission rules, not parsed yet. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly systemPrompt: string | undefined;
  readonly appendSystemPrompt: string | undefined;
  /** Whether the folder is trusted for this run: its settings, skills and templates are used. */
  readonly trustsProject: boolean;
  /** The name of the agent to run as, from the user's agents or from a trusted folder. */
  readonly agent?: string;
  /** Limits at which a run ends even if the model would continue. */
  readonly runLimits?: RunLimitFlags;
  /** `text`: prints the answer. `json`: prints every event. `screen`: interactive. `rpc`, `acp`: controlled by a program or an editor. */
  readonly mode: (typeof modeNames)[number] | "screen";
}

export interface RunLimitFlags {
  readonly maxTurns?: number;
  /** In US dollars. */
  readonly maxCost?: number;
}

export type SessionTarget =
  /** `choose`: the user chooses a session on the screen. */
  | { readonly type: "new" | "none" | "last" | "choose" }
  /** `name` is an id prefix, a name, or a path. */
  | { readonly type: "named"; readonly name: string };
