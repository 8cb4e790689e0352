/** Builds the question a user is asked about a request, and the rules offered to remember with the answer. */

import type { Redaction } from "@pith/context";
import { shownFrom, whollyVisible } from "../text.ts";
import type { CommandIntent, Intent } from "../tool.ts";
import type { Because, Matter } from "./decide.ts";
import { harmlessBeginning } from "./harmless-commands.ts";
import { simpleWords } from "./match-command.ts";
import { isSurelyFitted } from "./match-rules.ts";
import type { Ground, Sight } from "./request.ts";
import { parseRule, type Rule } from "./rules.ts";

const MAX_OFFERED_RULES = 3;

/** Rules that would allow this request next time, narrowest first. Each is parsed as a user's rule is and must match the request. */
export function offeredRules(sight: Sight, ground: Ground): readonly Rule[] {
  const texts = [...new Set(textsFor(sight, ground))];
  const rules = texts.flatMap((text) => {
    const parsed = parseRule(text, { tools: [sight.act.tool] });
    return parsed.type === "rule" ? [parsed.rule] : [];
  });
  return rules.filter((rule) => isSurelyFitted([rule], { sight, ground })).slice(0, MAX_OFFERED_RULES);
}

function textsFor({ act: { tool, intent }, reached }: Sight, ground: Ground): readonly string[] {
  switch (intent?.type) {
    case "command":
      return commandsFor(intent).map((pattern) => `${intent.isOutside ? "outside" : "bash"}(${pattern})`);
    case "fetch":
      return URL.canParse(intent.url) ? [`fetch(${new URL(intent.url).hostname})`] : [];
    case "network":
      return [`network(${intent.host.includes(":") ? `[${intent.host}]` : intent.host})`];
    case "port":
      return [intent.direction === "host" ? `network(localhost:${intent.port})` : `publish(${intent.port})`];
    case "named":
      return namesFor(intent.name).map((pattern) => `${tool}(${pattern})`);
    case "look":
      return pathsFor(reached, ground).map((pattern) => `read(${pattern})`);
    case "change":
      return pathsFor(reached, ground).map((pattern) => `edit(${pattern})`);
    case "nothing":
    case undefined:
      return [tool];
  }
}

/** PERM35: the exact line, and for the few commands that are harmless with any arguments all that begins so. */
function commandsFor({ command: line, isConfined, isOutside }: CommandIntent): readonly string[] {
  if (line.length > LONGEST) return [];
  const words = simpleWords(line);
  // Outside the sandbox nothing is closed, so a line is permitted there only as it was read.
  if (words === null || isOutside) return [line];
  const beginning = harmlessBeginning(words, { isConfined });
  return beginning === null ? [line] : [line, `${beginning}:*`];
}

const LONGEST = 200;

/** It alone, and all beside it. */
function namesFor(name: string): readonly string[] {
  const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
  if (name.length > LONGEST || MEANT_OTHERWISE.test(name)) return [];
  return folder === "" ? [name] : [name, `${folder}/*`];
}

/** The file, and where it lies in an open folder of the workspace, that folder. */
function pathsFor(reached: Sight["reached"], { root }: Ground): readonly string[] {
  const [first, ...more] = reached;
  if (!first?.real || more.length > 0) return [];
  const exact = shownFrom(root, first.real);
  if (MEANT_OTHERWISE.test(exact)) return [];
  const folder = exact.slice(0, Math.max(0, exact.lastIndexOf("/")));
  const isOpen = folder !== "" && !folder.startsWith("/") && !/(?:^|\/)\./.test(folder);
  return isOpen ? [exact, `${folder}/**`] : [exact];
}

/** In a rule these signs would mean more than this file. */
const MEANT_OTHERWISE = /^~|[*?{}\\]/;

/** What a rule permits, in words that stand behind it in a question: `ls with any arguments`. */
export function describeRule({ tool, pattern }: Rule): string {
  if (pattern === null) return `every call of ${tool}`;
  switch (pattern.type) {
    case "command": {
      const place = tool === "outside" ? ", outside the sandbox" : "";
      return `${pattern.isBeginning ? `${pattern.text} with any arguments` : "this exact line"}${place}`;
    }
    case "host":
      return describeHosts(tool, pattern.isUnder ? `the hosts under ${pattern.host}` : "this host");
    case "port":
      return "this port, for every command";
    case "path":
      return describePaths(tool, pattern.names);
  }
}

function describeHosts(tool: string, hosts: string): string {
  return tool === "fetch" ? `every page of ${hosts}` : `${hosts}, for every command and every page`;
}

function describePaths(tool: string, names: readonly string[]): string {
  const isAll = /[*?]/.test(names.at(-1) ?? "");
  if (tool === "read" || tool === "edit" || tool === "write")
    return `${tool === "read" ? "reading" : "changing"} ${isAll ? "every file in this folder" : "this file"}`;
  return isAll ? "every tool of this server, with any arguments" : "this tool, with any arguments";
}

/** Text quoted in a question: one line of bounded length, with invisible and control characters spelled out. */
export function shown(text: string): string {
  return whollyVisible(shortened(text));
}

const MOST = 1_000;

// The end stays: a long beginning must not hide what comes last.
function shortened(text: string): string {
  if (text.length <= MOST) return text;
  const half = MOST / 2;
  return `${text.slice(0, half)} … ${text.length - MOST} more characters … ${text.slice(-half)}`;
}

export interface Question {
  readonly tool: string;
  /** What it was called with. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly intent: Intent | null;
  /** One sentence, safe to print. */
  readonly text: string;
  /** What could be remembered with a yes: the narrowest first, three at most. */
  readonly rules: readonly Rule[];
  /** A yes counts for all of this session, for the same host or port; absent: this once. */
  readonly yesLasts?: "session";
}

export type Answer =
  | { readonly type: "yes"; readonly remember?: { readonly rule: Rule; readonly for: "session" | "project" } }
  /** `word` is told to the model. */
  | { readonly type: "no"; readonly word?: string };

/** The port to whoever is there to be asked. */
export type Ask = (question: Question, asking: { readonly signal: AbortSignal }) => Promise<Answer>;

export interface Asked {
  readonly matter: Matter;
  readonly because: Because;
}

export function questionOf(sight: Sight, { matter, because }: Asked, ground: Ground): Question {
  const { tool, intent, arguments: asked } = sight.act;
  return {
    tool,
    arguments: asked,
    intent,
    text: `${subjectOf(sight)} wants to ${wishOf(sight, ground)}${remarks[matter] ?? ""}${reasons[because]}.`,
    rules: because === "mode" ? offeredRules(sight, ground) : [],
    ...(lastsSession(sight, because) && { yesLasts: "session" }),
  };
}

/** Whoever says yes to a host is not asked again for every page and every connection. */
export function lastsSession({ act: { intent } }: Sight, because: Because): boolean {
  return because === "mode" && (intent?.type === "network" || intent?.type === "fetch" || intent?.type === "port");
}

function subjectOf({ act: { tool, intent } }: Sight): string {
  if (intent?.type !== "network") return shown(tool);
  return intent.command === null ? "A command" : `\`${shown(intent.command)}\``;
}

/** What is shown has no secret, and what could be remembered neither. Whoever made up a secret may have hidden a command in it. */
export function withoutSecrets({ intent, rules }: Question, clean: Question, redaction: Redaction): Question {
  const isHiding = shellSigns(intent) !== shellSigns(clean.intent);
  return {
    ...clean,
    text: isHiding ? `${clean.text} A secret in it has signs that a shell acts on.` : clean.text,
    rules: rules.filter(({ text }) => redaction.redact(text) === text),
  };
}

function shellSigns(intent: Intent | null): string {
  return intent?.type === "command" ? intent.command.replaceAll(/[^;&|<>()`$'"\\\s]/g, "") : "";
}

const reasons: Readonly<Record<Because, string>> = {
  mode: "",
  rule: "; a rule wants you to be asked",
  doubt: "; it may be what a rule denies",
  again: "; it was begun before and may have been done",
};

const remarks: Readonly<Partial<Record<Matter, string>>> = {
  "look-secret": ", where secrets are kept",
  "change-protected": ", which other programs run or believe",
  "change-outside": ", outside the workspace",
  "command-confined": ", in the sandbox",
  "command-free": ", not in a sandbox",
  "command-outside": ", outside the sandbox",
  "command-remote": ", which acts on something that others see",
  "network-package": ", where your packages come from",
};

function wishOf({ act, reached }: Sight, ground: Ground): string {
  const { intent } = act;
  switch (intent?.type) {
    case "look":
      return `look at ${placesOf(reached, ground)}`;
    case "change":
      return `change ${placesOf(reached, ground)}`;
    case "command":
      return `run \`${shown(intent.command)}\`${withSecrets(intent)}`;
    case "fetch":
      return `open ${shown(URL.parse(intent.url)?.href ?? intent.url)}`;
    case "network":
      return `connect to ${shown(intent.host)}${USUAL_PORTS.has(intent.port) ? "" : `:${intent.port}`}`;
    case "port":
      return intent.direction === "host"
        ? `connect commands to port ${intent.port} of this machine`
        : `open port ${intent.port} of the sandbox to this machine`;
    case "named":
      return `use ${shown(intent.name)}: ${shown(JSON.stringify(act.arguments))}`;
    case "nothing":
    case undefined:
      return `act on ${shown(JSON.stringify(act.arguments))}`;
  }
}

const USUAL_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Secrets by their names, never by their values. */
function withSecrets({ secrets = [], hosts = [], isConfined, isOutside }: CommandIntent): string {
  if (secrets.length === 0) return "";
  const place = isOutside ? "outside the sandbox" : "not in a sandbox";
  const reach = isConfined
    ? hosts.length === 0
      ? "without network"
      : `reaching only ${hosts.map(shown).join(", ")}`
    : `${place}, where it can send it to any host`;
  return ` with ${secrets.map(secretName).join(", ")}, ${reach}`;
}

function secretName(name: string): string {
  const family = /^PITH_SECRET_([a-z0-9]+)_/.exec(name)?.[1];
  if (family !== undefined) return `the true value of ${shown(name)} (${family})`;
  return LOGINS.has(name) ? `your ${name} login` : `the variable ${shown(name)}`;
}

/** Names in `secrets` that stand for what a tool has stored of the user. */
export const LOGINS: ReadonlySet<string> = new Set(["npm", "git", "pip", "cargo"]);

function placesOf(reached: Sight["reached"], { root }: Ground): string {
  const names = reached.map(({ named, real }) => {
    const place = shown(shownFrom(root, named));
    return real === null || real === named ? place : `${place} (in truth ${shown(shownFrom(root, real))})`;
  });
  return names.length === 0 ? "something it does not name" : names.join(", ");
}
